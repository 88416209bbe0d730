import type { Schema } from "effect"
import { JsonCell } from "../domain/cell.ts"
import type { Json } from "../domain/json.ts"
import { oneCell, textOf } from "./cells.ts"
import { choices } from "./choices.ts"
import { compareText, isObject } from "./compared.ts"
import type { Kind, KindContext, OptionFault } from "./Kind.ts"
import { Fault } from "./Kind.ts"
import { compareMembers, objectOf } from "./members.ts"
import { optionOptions, optionTable } from "./optionTable.ts"
import { members, optionSplitter, splitFault } from "./splitOptions.ts"

const options = { ...optionOptions, split: choices.options["split"]! }

type Options = Schema.Struct.Type<typeof optionOptions> & { readonly split?: string | undefined }

const notRows = new Fault("not-an-option", "rows with their answers; give each row a column")

/** Reads one row's answer: a text, or a list of them where cells are split. */
type ReadRow = (text: string, cell?: number) => Json | undefined | Fault

/** Answers are options where the form, `options` or `values` tell them; else they are sent as they stand. */
const compileRow = (options: Options, context: KindContext): ReadRow | ReadonlyArray<OptionFault> => {
  const results = Object.values(options.values ?? {}).filter((name) => name !== null)
  const told = (context.question?.options ?? []).length > 0 || options.options !== undefined || results.length > 0
  const table = optionTable(told ? options : { otherwise: "keep", ...options }, context, [...new Set(results)])
  if (!("read" in table)) return table
  if (options.split === undefined) return table.read
  if (table.names.length === 0) return [splitFault]
  const split = optionSplitter(options.split, table)
  return (text, cell) => {
    const values: Array<string> = []
    for (const piece of split(text)) {
      const value = piece === "" ? undefined : table.read(piece, cell)
      if (value instanceof Fault) return value
      if (value !== undefined && !values.includes(value)) values.push(value)
    }
    return values.length === 0 ? undefined : values
  }
}

const rowTexts = (value: Json): string | undefined =>
  value === null ? "" : typeof value === "object" ? members(value)?.join("\n") : textOf(value)

/** One answer for each of several rows. Rows without an answer are left out. */
export const matrix: Kind<Options> = {
  name: "matrix",
  description: "One answer for each of several rows, a column each. Sent as an object: row: answer",
  options,
  sends: "object",
  parts: [],
  partKinds: {},
  many: false,
  named: "rows",
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
          const text = textOf(cells[index])
          const value = text === "" ? undefined : read(text, index)
          if (value instanceof Fault) return new Fault(value.code, value.expected, index, value.piece)
          if (value === undefined && text !== "") context.note?.("unused", index)
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
