import { Schema } from "effect"
import { JsonCell } from "../domain/cell.ts"
import type { Json } from "../domain/json.ts"
import { AsWritten } from "./asWritten.ts"
import { oneCell, textOf } from "./cells.ts"
import { compareText, different, equivalent, isList, same } from "./compared.ts"
import type { Kind } from "./Kind.ts"
import { Fault } from "./Kind.ts"
import { compileOther, compileTicks, optionColumns } from "./optionColumns.ts"
import { optionOptions, optionTable, otherFields, saysWhere } from "./optionTable.ts"
import { members, optionSplitter, splitFault } from "./splitOptions.ts"

const options = {
  ...optionOptions,
  split: Schema.optional(Schema.NonEmptyString.annotations({
    description:
      "What stands between the choices of a cell. Whole options are found first, longest first, so the sign may occur in an option. When left out, a cell holds one choice",
    examples: [",", ";", "\n"],
  })),
  checked: Schema.optional(
    Schema.NonEmptyArray(AsWritten).annotations({
      description:
        "Where each option has a column: what a ticked cell holds, case aside; the option's own name always counts too. When left out: 1, x, yes, y, true, checked, selected",
      examples: [["1", "x", "Yes"]],
    }),
  ),
  unchecked: Schema.optional(
    Schema.NonEmptyArray(AsWritten).annotations({
      description:
        "Where each option has a column: what a cell without a tick holds, beside nothing at all, case aside; anything else is an error. When left out: 0, no, n, false, unchecked, not selected",
      examples: [["0", "Not selected"]],
    }),
  ),
  other: Schema.optional(
    Schema.Struct({
      from: Schema.optional(Schema.String.annotations({
        description: "The column that holds a tick or a text; of a block its own column for that, when left out",
        examples: ["Prod other"],
      })),
      ...otherFields,
    }).pipe(Schema.filter(saysWhere.filter, saysWhere.annotations)),
  ).annotations({
    description:
      "A column for another answer than the options: the option to send for it, and the question that gets its text. A text without `textTo` is left behind",
    examples: [{ from: "Prod other", use: "Other", textTo: "Which other product?" }],
  }),
}

type Options = Schema.Struct.Type<typeof options>

const remembered = 10_000

const notAList = new Fault("not-an-option", "a list of options")

/** Several options of a question, without repetition, in the form's order. */
export const choices: Kind<Options> = {
  name: "choices",
  description:
    "Several options of a question, by their values or labels. Sent as an array of values, in the form's order",
  options,
  sends: "array",
  parts: [],
  partKinds: {},
  many: false,
  named: "options",
  types: ["MultiSelect", "Checkboxes"],
  compile: (options, context) => {
    const { input } = context
    const table = optionTable(options, context, input._tag === "Parts" ? namesIn(input.parts, options) : [])
    if (!("read" in table)) return table
    const separator = options.split
    if (separator !== undefined && table.names.length === 0) return [splitFault]
    const inOrder = (values: Array<string>): ReadonlyArray<string> | undefined => {
      if (values.length > 1) values.sort((a, b) => table.order(a) - table.order(b))
      return values.length === 0 ? undefined : values
    }
    const ticks = compileTicks(options)
    if (!("tick" in ticks)) return ticks
    const other = input.other === undefined
      ? undefined
      : compileOther(options.other, input.other, ticks, table, context)
    if (Array.isArray(other)) return other
    const addOther = typeof other === "function" ? other : undefined

    if (input._tag === "Parts") return optionColumns(input.parts, ticks, table, inOrder, addOther)

    const split = optionSplitter(separator, table)
    const isNothing = (piece: string) => context.empty.size > 0 && context.empty.has(piece) && !table.has(piece)
    const add = (values: Array<string>, pieces: ReadonlyArray<string>): Fault | undefined => {
      for (const piece of pieces) {
        if (piece === "" || isNothing(piece)) continue
        const value = table.read(piece)
        if (value instanceof Fault) return value
        if (value !== undefined && !values.includes(value)) values.push(value)
      }
      return undefined
    }
    const read = (pieces: ReadonlyArray<string>): ReadonlyArray<string> | undefined | Fault => {
      const values: Array<string> = []
      return add(values, pieces) ?? inOrder(values)
    }
    // Combinations repeat: a look-up is cheaper than cutting a cell again. The lists are never changed.
    const memory = new Map<string, ReadonlyArray<string> | undefined>()
    const remember = (text: string): ReadonlyArray<string> | undefined | Fault => {
      if (memory.has(text)) return memory.get(text)
      const values = read(split(text))
      // A text that goes to another question has to go there each time.
      if (values instanceof Fault || table.spills) return values
      if (memory.size >= remembered) memory.clear()
      memory.set(text, values)
      return values
    }
    const parse = oneCell((cell) => {
      if (!(cell instanceof JsonCell)) return remember(typeof cell === "string" ? cell : textOf(cell))
      const pieces = members(cell.value)
      return pieces === undefined ? notAList : read(pieces)
    })
    if (addOther === undefined) return parse
    return (cells) => {
      const chosen = parse(cells)
      if (chosen instanceof Fault) return chosen
      const values = isList(chosen ?? null) ? [...(chosen as ReadonlyArray<string>)] : []
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

/** The options that a pipeline names by their columns. */
const namesIn = (parts: ReadonlyArray<string>, { other, otherwise }: Options): ReadonlyArray<string> => [
  ...parts,
  ...(other?.use === undefined ? [] : [other.use]),
  ...(typeof otherwise === "object" && otherwise.use !== undefined ? [otherwise.use] : []),
]

/** The members of a list of texts, or a text alone. */
const asSet = (value: Json): ReadonlyArray<string> | undefined => {
  if (typeof value === "string") return [value]
  if (!isList(value)) return undefined
  return value.every((each) => typeof each === "string") ? value : undefined
}
