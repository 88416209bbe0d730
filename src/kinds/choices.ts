import { Schema } from "effect"
import { JsonCell } from "../domain/cell.ts"
import type { Json } from "../domain/json.ts"
import { oneCell, textOf } from "./cells.ts"
import { compareText, different, equivalent, isList, same } from "./compared.ts"
import type { Kind } from "./Kind.ts"
import { Fault } from "./Kind.ts"
import type { OptionTable } from "./optionTable.ts"
import { optionOptions, optionTable } from "./optionTable.ts"

const options = {
  ...optionOptions,
  split: Schema.optional(Schema.NonEmptyString.annotations({
    description:
      "What stands between the choices of a cell. Whole options are found first, longest first, so the sign may occur in an option. When left out, a cell holds one choice",
    examples: [",", ";", "\n"],
  })),
}

type Options = Schema.Struct.Type<typeof options>

const remembered = 10_000

const notAList = new Fault("not-an-option", "a list of options")

/** The texts of a JSON list; undefined when a member is no text, number or boolean. */
const members = (value: Json): ReadonlyArray<string> | undefined => {
  if (!isList(value)) return undefined
  const texts: Array<string> = []
  for (const member of value) {
    if (typeof member === "object") return undefined
    texts.push(typeof member === "string" ? member.trim() : textOf(member))
  }
  return texts
}

/**
 * Cuts cells at the separators, but never inside of a name that the table has: of several pieces in a row the most that are a name are
 * one.
 */
const optionSplitter = (separator: string, table: Pick<OptionTable, "has" | "names">) => {
  const longest = table.names.reduce((most, name) => Math.max(most, name.split(separator).length), 1)
  return (text: string): ReadonlyArray<string> => {
    if (!text.includes(separator)) return [text]
    const pieces = text.split(separator)
    const found: Array<string> = []
    let start = 0
    while (start < pieces.length) {
      let end = Math.min(pieces.length, start + longest)
      let piece = ""
      for (; end > start + 1; end--) {
        piece = pieces.slice(start, end).join(separator).trim()
        if (table.has(piece)) break
      }
      if (end === start + 1) piece = (pieces[start] ?? "").trim()
      if (piece !== "") found.push(piece)
      start = end
    }
    return found
  }
}

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
  types: ["MultiSelect", "Checkboxes"],
  compile: (options, context) => {
    const table = optionTable(options, context)
    if (!("read" in table)) return table
    const separator = options.split
    if (separator !== undefined && table.names.length === 0) {
      return [{
        option: "split",
        message: "A cell can be split only where the options are known.",
        suggestion: "List them under `options`.",
      }]
    }
    const split = separator === undefined ? (text: string) => [text] : optionSplitter(separator, table)
    const isNothing = (piece: string) => context.empty.size > 0 && context.empty.has(piece) && !table.has(piece)
    const read = (pieces: ReadonlyArray<string>): ReadonlyArray<string> | undefined | Fault => {
      const values: Array<string> = []
      for (const piece of pieces) {
        if (piece === "" || isNothing(piece)) continue
        const value = table.read(piece)
        if (value instanceof Fault) return value
        if (value !== undefined && !values.includes(value)) values.push(value)
      }
      if (values.length > 1) values.sort((a, b) => table.order(a) - table.order(b))
      return values.length === 0 ? undefined : values
    }
    // Combinations repeat: a look-up is cheaper than cutting a cell again. The lists are never changed.
    const memory = new Map<string, ReadonlyArray<string> | undefined>()
    const remember = (text: string): ReadonlyArray<string> | undefined | Fault => {
      if (memory.has(text)) return memory.get(text)
      const values = read(split(text))
      if (values instanceof Fault) return values
      if (memory.size >= remembered) memory.clear()
      memory.set(text, values)
      return values
    }
    return oneCell((cell) => {
      if (!(cell instanceof JsonCell)) return remember(typeof cell === "string" ? cell : textOf(cell))
      const pieces = members(cell.value)
      return pieces === undefined ? notAList : read(pieces)
    })
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

/** The members of a list of texts, or a text alone. */
const asSet = (value: Json): ReadonlyArray<string> | undefined => {
  if (typeof value === "string") return [value]
  if (!isList(value)) return undefined
  return value.every((each) => typeof each === "string") ? value : undefined
}
