import { Schema } from "effect"
import type { Cell } from "../domain/cell.ts"
import { JsonCell } from "../domain/cell.ts"
import type { Json } from "../domain/json.ts"
import { AsWritten } from "./asWritten.ts"
import { oneCell, textOf } from "./cells.ts"
import { compareText, different, equivalent, isList, same } from "./compared.ts"
import type { CellNote, Kind } from "./Kind.ts"
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

/** What the texts of a cell give, and what becomes of those that give nothing. */
interface Pieces {
  readonly values: ReadonlyArray<string> | undefined
  readonly notes: ReadonlyArray<CellNote>
}

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
    // Notes on the one cell that is split are kept with what it gives; those on an "Other" beside it go on at once.
    let notes: Array<CellNote> = []
    const note = (note: CellNote, cell = 0) => cell === 0 ? void notes.push(note) : context.note?.(note, cell)
    const table = input._tag === "Parts"
      ? optionTable(options, context, namesIn(input.parts, options))
      : optionTable(options, { ...context, note })
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

    if (input._tag === "Parts") return optionColumns(input.parts, ticks, table, inOrder, addOther, context)

    const split = optionSplitter(separator, table)
    const isNothing = (piece: string) => context.empty.size > 0 && context.empty.has(piece) && !table.has(piece)
    const read = (pieces: ReadonlyArray<string>): Pieces | Fault => {
      notes = []
      const values: Array<string> = []
      for (const piece of pieces) {
        if (piece === "") continue
        const value = isNothing(piece) ? note("nothing") : table.read(piece)
        if (value instanceof Fault) return value
        if (value !== undefined && !values.includes(value)) values.push(value)
      }
      return { values: inOrder(values), notes }
    }
    // Combinations repeat: a look-up is cheaper than cutting a cell again. The lists are never changed.
    const memory = new Map<string, Pieces>()
    const remember = (text: string): Pieces | Fault => {
      const known = memory.get(text)
      if (known !== undefined) return known
      const found = read(split(text))
      // A text that goes to another question has to go there each time.
      if (found instanceof Fault || table.spills) return found
      if (memory.size >= remembered) memory.clear()
      memory.set(text, found)
      return found
    }
    const piecesOf = (cell: Exclude<Cell, null>): Pieces | Fault => {
      if (!(cell instanceof JsonCell)) return remember(typeof cell === "string" ? cell : textOf(cell))
      const pieces = members(cell.value)
      return pieces === undefined ? notAList : read(pieces)
    }
    const parse = oneCell((cell) => {
      const found = piecesOf(cell)
      if (found instanceof Fault) return found
      for (const one of found.notes) context.note?.(one)
      return found.values
    })
    if (addOther === undefined) return parse
    return (cells) => {
      const chosen = parse(cells)
      if (chosen instanceof Fault) return chosen
      const values = isList(chosen ?? null) ? [...(chosen as ReadonlyArray<string>)] : []
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
