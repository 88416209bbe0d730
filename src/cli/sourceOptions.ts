import * as Effect from "effect/Effect"
import { choice, type Option, text, wholeNumber } from "./command.ts"
import { flagOf } from "./commandLine.ts"
import { UsageWrong } from "./Failure.ts"

const group = "How the file is read (default: detected):"

const inGroup = <A>(option: Option<A>): Option<A> => ({ ...option, group })

/** Options that say how a file is read. Each has the same name as the key with the same meaning in a pipeline's `source`. */
export const sourceOptions = {
  format: inGroup(text("FORMAT", "csv, excel, json, jsonl, or the form tool that wrote the file, such as typeform.")),
  encoding: inGroup(text("ENCODING", "The encoding of delimited text, such as windows-1252.")),
  delimiter: inGroup(text("CHARACTER", "What separates cells, such as `;`. `\\t` is a tab.")),
  quoteChar: inGroup(choice("CHARACTER", ['"', "none"], "What encloses cells of delimited text.")),
  headerRow: inGroup(wholeNumber(1, "The number of the header row, counting from 1.", undefined, "ROW")),
  sheet: inGroup(text("SHEET", "The name of the sheet to read from a workbook.")),
  range: inGroup(text("RANGE", "The cells of the sheet, such as B3:H400.")),
}

/** The option that names the form tool's own definition of the form. */
export const labelsOption = text(
  "FILE",
  "The form's definition, exported from the tool that wrote the source: titles of columns and labels of codes. For example, a REDCap data dictionary, a Qualtrics .qsf, an XLSForm or a LimeSurvey .lss.",
)

type Given = { readonly [K in keyof typeof sourceOptions]: (typeof sourceOptions)[K]["absent"] }

/** Returns the `source` of a pipeline that reads a file as the options say. Fails with UsageWrong if the options contradict each other or the file. */
export const sourceGiven = (file: string, given: Given) =>
  Effect.gen(function*() {
    const { decodeSource } = yield* Effect.promise(() => import("../project/sourceSection.ts"))
    const { delimiter, encoding, format, headerRow, quoteChar, range, sheet } = given
    const keys = {
      format,
      encoding,
      delimiter: delimiter === "\\t" ? "\t" : delimiter,
      quoteChar,
      headerRow,
      sheet,
      range,
    }
    const read = decodeSource(file, keys)
    if (!("key" in read)) return read
    const [key, flag] = [`\`${read.key}\``, `\`${flagOf(read.key)}\``]
    return yield* new UsageWrong({
      message: read.message.includes(key) ? read.message.replace(key, flag) : `${flag}: ${read.message}`,
    })
  })
