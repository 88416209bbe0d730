import * as Effect from "effect/Effect"
import { brief } from "../domain/problem.ts"
import type { Connection } from "../project/connection.ts"
import type { ReadKey } from "../project/sourceSection.ts"
import { choice, filePath, type Option, parsed, repeated, text } from "./command.ts"
import { flagOf } from "./commandLine.ts"
import { wrong } from "./Failure.ts"

const group = "How the file is read (default: detected):"

const inGroup = <A>(option: Option<A>): Option<A> => ({ ...option, group })

/** Options that say how a file is read. Each has the same name as the key with the same meaning in a pipeline's `source`. */
export const sourceOptions = {
  format: inGroup(text("FORMAT", "csv, excel, json, jsonl, or the form tool that wrote the file, such as typeform.")),
  encoding: inGroup(text("ENCODING", "The encoding of delimited text, such as windows-1252.")),
  delimiter: inGroup(text("CHARACTER", "What separates cells, such as `;`. `\\t` is a tab.")),
  quoteChar: inGroup(choice("CHARACTER", ['"', "none"], "What encloses cells of delimited text.")),
  headerRow: inGroup(parsed(
    "ROW",
    (text) => /^[1-9]\d*$/.test(text) ? Number(text) : text === "none" ? text : undefined,
    "a whole number, 1 or more, or none",
    "The number of the header row, counting from 1, or none.",
  )),
  sheet: inGroup(text("SHEET", "The name of the sheet to read from a workbook.")),
  range: inGroup(text("RANGE", "The cells of the sheet, such as B3:H400 or B:H.")),
} satisfies { readonly [K in ReadKey]: Option<string | number | undefined> }

/** The option that names the form tool's own definition of the form. */
export const labelsOption = filePath(
  "FILE",
  "The form's definition, exported from the tool that wrote the source: titles of columns and labels of codes. For example, a REDCap data dictionary, a Qualtrics .qsf, an XLSForm or a LimeSurvey .lss.",
)

/** Options that name a connection instead of a file. */
export const connectionOptions = {
  connection: text(
    "NAME",
    "Instead of a file: pull from this connection, which has an `api` in config/formferry.yaml.",
  ),
  set: repeated("NAME=VALUE", "What else the connection's `api` needs, such as project=3 (docs/presets.md)."),
}

type Given = { readonly [K in keyof typeof sourceOptions]: (typeof sourceOptions)[K]["absent"] }

interface GivenConnection {
  readonly connection: string
  readonly form: string | undefined
  readonly set: ReadonlyArray<string>
  /** The option that names the form. */
  readonly formFlag: string
  readonly connections: ReadonlyMap<string, Connection>
}

const variablesIn = (set: ReadonlyArray<string>) =>
  Effect.forEach(set, (one) => {
    const [, name, value] = /^(\w+)=(.+)$/s.exec(one) ?? []
    return name === undefined || value === undefined
      ? wrong(`\`--set\` expects a name and a value, such as project=3, not \`${brief(one)}\`.`)
      : Effect.succeed([name, value] as const)
  })

/**
 * Returns the `source` of a pipeline that reads a file, or pulls from a connection, as the options say. Fails with UsageWrong if the options contradict
 * each other, the file or the connection's preset.
 *
 * @param from the absolute path of the file, or the connection
 */
export const sourceGiven = (from: string | GivenConnection, given: Given) =>
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
    if (typeof from === "string") {
      const read = decodeSource({ file: from }, keys)
      return "key" in read ? yield* wrong(withFlag(read.key, read.message)) : read
    }
    const { connection, connections, form, formFlag, set } = from
    const account = connections.get(connection)
    if (account !== undefined && account.api === undefined) {
      return yield* wrong(
        `\`connections.${connection}\` has no \`api\`, so only a pipeline can say what to request. Write its \`source\` with \`request\`, and \`questions: []\` below \`mapping\`. Then run \`formferry init NAME\`.`,
      )
    }
    const variables = Object.fromEntries(yield* variablesIn(set))
    const read = decodeSource(
      { connection, form, ...(set.length === 0 ? {} : { variables }) },
      keys,
      connections,
    )
    if (!("key" in read)) return read
    const message = read.message
      .replaceAll(/`variables: \{ (\w+): ([^`]*) \}`/g, "`--set $1=$2`")
      .replaceAll(/`form: ([^`]*)`/g, `\`${formFlag} $1\``)
    return yield* wrong(read.key in keys ? withFlag(read.key, message) : message)
  })

const withFlag = (key: string, message: string): string => {
  const [quoted, flag] = [`\`${key}\``, `\`${flagOf(key)}\``]
  return message.includes(quoted) ? message.replace(quoted, flag) : `${flag}: ${message}`
}
