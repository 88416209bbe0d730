import * as Schema from "effect/Schema"
import { isList, type Json } from "../domain/json.ts"
import { oneCell } from "./cells.ts"
import { compareText, different, equivalent, same } from "./compared.ts"
import { AsWritten, Fault, type Kind, option } from "./Kind.ts"
import { compileOther, compileTicks, parseOptionColumns, usualChecks } from "./optionColumns.ts"
import {
  optionSplitter,
  optionTable,
  optionTranslations,
  optionWords,
  otherAnswer,
  piecesIn,
  readPieces,
  splitOptions,
} from "./optionTable.ts"

const options = {
  ...splitOptions,
  checked: option(
    Schema.NonEmptyArray(AsWritten),
    `If each option has a column: the contents of a ticked cell, ignoring case. The option's own name counts as well, unless it means no tick and \`values\` translates it. If a name such as No also means no tick, set \`checked\` or \`unchecked\` (default: ${
      usualChecks.yes.join(", ")
    })`,
    ["1", "x", "Yes"],
  ),
  unchecked: option(
    Schema.NonEmptyArray(AsWritten),
    `If each option has a column: the contents of a cell without a tick, ignoring case. An empty cell has no tick, and any other content is an error (default: ${
      usualChecks.no.join(", ")
    })`,
    ["0", "Not selected"],
  ),
  other: option(
    otherAnswer({
      from: option(
        Schema.String.annotations({ identifier: "Column" }),
        "The column that contains a tick or a text. Default: the block's column for other answers",
        "Prod other",
      ),
    }),
    "A column for answers other than the options: the option to send for it, and the question that gets its text. Without `textTo` the text is not sent",
    { from: "Prod other", use: "Other", textTo: "Which other product?" },
  ),
}

type Options = Schema.Struct.Type<typeof options>

/** Several options of a question, without repetition, in the form's order. */
export const choices: Kind<Options> = {
  name: "choices",
  description:
    "Several options of a question, by their values or labels. Sent as an array of values, in the form's order",
  options,
  sends: "array",
  named: "options",
  words: (options) => [...optionWords(options), ...options.checked ?? []],
  translations: optionTranslations,
  types: ["MultiSelect", "Checkboxes"],
  compile: (options, context) => {
    const { input } = context
    const table = optionTable(options, context, input._tag === "Parts" ? namesIn(input.parts, options) : [])
    if (!("read" in table)) return table
    const split = optionSplitter(options.split, table)
    if (typeof split !== "function") return split
    const inOrder = (values: Array<string>): ReadonlyArray<string> | undefined =>
      values.length === 0 ? undefined : values.sort((a, b) => table.order(a) - table.order(b))
    const ticks = compileTicks(options)
    if (!("isTicked" in ticks)) return ticks
    const other = input.other === undefined
      ? undefined
      : compileOther(options.other, input.other, ticks, table, context)
    if (Array.isArray(other)) return other
    const addOther = typeof other === "function" ? other : undefined

    if (input._tag === "Parts") return parseOptionColumns(input.parts, ticks, table, inOrder, addOther, context)

    const read = (piece: string): string | undefined | Fault => {
      if (!context.empty.has(piece) || table.has(piece)) return table.read(piece)
      context.note?.("nothing")
      return undefined
    }
    const parse = oneCell((cell) => {
      const pieces = piecesIn(cell, split)
      const values = pieces instanceof Fault ? pieces : readPieces(pieces, read)
      return values instanceof Fault ? values : inOrder(values)
    })
    if (addOther === undefined) return parse
    return (cells) => {
      const chosen = parse(cells)
      if (chosen instanceof Fault) return chosen
      const values = [...((chosen ?? []) as ReadonlyArray<string>)]
      if (values.length === 0) context.note?.("unused", 0)
      return addOther(values, cells) ?? inOrder(values)
    }
  },
  compare: (sent, returned) => {
    const [a, b] = [asSet(sent), asSet(returned)]
    if (a === undefined || b === undefined) return sent === returned ? same : different
    if (isList(sent) && isList(returned) && sent.length === returned.length && a.every((each, at) => each === b[at])) {
      return same
    }
    const within = (list: ReadonlyArray<string>, of: ReadonlyArray<string>) =>
      list.every((each) => of.some((other) => compareText(each, other).verdict !== "different"))
    return within(a, b) && within(b, a) ? equivalent("way of writing a set") : different
  },
}

/** Returns the options for which a pipeline names columns. */
const namesIn = (parts: ReadonlyArray<string>, { other, otherwise }: Options): ReadonlyArray<string> => [
  ...parts,
  ...(other?.use === undefined ? [] : [other.use]),
  ...(typeof otherwise === "object" && otherwise.use !== undefined ? [otherwise.use] : []),
]

/** Returns the members of a list of texts, or a single text as a list. */
const asSet = (value: Json): ReadonlyArray<string> | undefined => {
  if (typeof value === "string") return [value]
  if (!isList(value)) return undefined
  return value.every((each) => typeof each === "string") ? value : undefined
}
