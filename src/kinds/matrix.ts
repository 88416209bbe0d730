import { JsonCell } from "../domain/cell.ts"
import { isObject, type Json } from "../domain/json.ts"
import { oneCell, textOf, textsIn } from "./cells.ts"
import { choices } from "./choices.ts"
import { compareMembers, compareText, objectOf } from "./compared.ts"
import { Fault, type Kind, type KindContext, type OptionFault } from "./Kind.ts"
import {
  optionSplitter,
  optionTable,
  optionTranslations,
  optionWords,
  readCell,
  readPieces,
  type SplitOptions,
  splitOptions,
} from "./optionTable.ts"

const notRows = new Fault("not-an-option", "rows with their answers; give each row a column")
const several = new Fault("not-an-option", 'one answer for each row; if there may be several, set `split: "\\n"`')

/** Reads the answer of a row: a text, or a list of texts if cells are split. */
type ReadRow = (text: string, cell?: number) => Json | undefined | Fault

/** Returns the function that reads a row's answer. Answers must be options if the form, `options` or `values` list them. Otherwise, they are sent as written. */
const compileRow = (options: SplitOptions, context: KindContext): ReadRow | ReadonlyArray<OptionFault> => {
  const results = Object.values(options.values ?? {}).filter((name) => name !== null)
  const isListed = (context.question?.options ?? []).length > 0 || options.options !== undefined || results.length > 0
  const table = optionTable(isListed ? options : { otherwise: "keep", ...options }, context, [...new Set(results)])
  if (!("read" in table)) return table
  if (options.split === undefined) return table.read
  const split = optionSplitter(options.split, table)
  if (typeof split !== "function") return split
  return (text, cell) => {
    const values = readPieces(split(text), (piece) => table.read(piece, cell))
    return values instanceof Fault || values.length > 0 ? values : undefined
  }
}

const rowTexts = (value: Json): string | undefined =>
  value === null ? "" : typeof value === "object" ? textsIn(value)?.join("\n") : textOf(value)

/** An answer for each of several rows. Rows without an answer are not sent. */
export const matrix: Kind<SplitOptions> = {
  name: "matrix",
  description: "An answer for each of several rows, with one column per row. Sent as an object { row: answer }",
  options: splitOptions,
  sends: "object",
  named: "rows",
  words: optionWords,
  translations: optionTranslations,
  types: ["Matrix"],
  compile: (options, context) => {
    const read = compileRow(options, context)
    if (typeof read !== "function") return read
    const { input } = context
    if (input._tag === "Parts") {
      const rows = input.parts
      return (cells) => {
        const answers: Array<readonly [string, Json | undefined]> = []
        for (let index = 0; index < rows.length; index++) {
          const value = readCell(cells, index, read, context.note)
          if (value instanceof Fault) return value
          answers.push([rows[index]!, value])
        }
        return objectOf(answers)
      }
    }
    return oneCell((cell) => {
      if (!(cell instanceof JsonCell) || !isObject(cell.value)) return notRows
      const answers: Array<readonly [string, Json | undefined]> = []
      for (const [row, answer] of Object.entries(cell.value)) {
        const text = rowTexts(answer)
        if (text === undefined) return notRows
        if (options.split === undefined && Array.isArray(answer) && answer.length > 1) return several
        const value = text === "" ? undefined : read(text)
        if (value instanceof Fault) return value
        answers.push([row, value])
      }
      return objectOf(answers)
    })
  },
  compare: (sent, returned) =>
    compareMembers(
      sent,
      returned,
      (a, b) => typeof a === "object" || typeof b === "object" ? choices.compare(a, b) : compareText(a, b),
    ),
}
