import type { Option } from "../domain/form.ts"
import { oneCell, textOf } from "./cells.ts"
import { compareLists, compareText } from "./compared.ts"
import { Fault, type Kind, type KindContext, type OptionFault, type Parse } from "./Kind.ts"
import {
  loose,
  optionSplitter,
  type OptionTable,
  optionTable,
  optionTranslations,
  optionWords,
  piecesIn,
  readCell,
  readPieces,
  type SplitOptions,
  splitOptions,
} from "./optionTable.ts"

/**
 * Returns the indexes of columns in order of rank if their names are numbered ranks: `Rank 1`, `Rank 2`. Each of these
 * columns contains the option with that rank. Returns undefined for any other names.
 */
export const placesOf = (
  names: ReadonlyArray<string>,
  options: ReadonlyArray<Option> = [],
): ReadonlyArray<number> | undefined => {
  const parts = names.map((name) => /^(\D*)([1-9]\d?)$/.exec(name.trim()))
  const isOption = (name: string) =>
    options.some(({ label, value }) => [label, value].some((one) => loose(one) === loose(name)))
  if (names.length < 2 || parts.some((one) => one === null || one[1] !== parts[0]?.[1]) || names.some(isOption)) {
    return undefined
  }
  const order = names.map((_, place) => parts.findIndex((one) => Number(one?.[2]) === place + 1))
  return order.includes(-1) ? undefined : order
}

/** Makes a `Parse` for columns that each contain the option of one rank. */
const placed =
  (order: ReadonlyArray<number>, table: OptionTable, { note }: Pick<KindContext, "note">): Parse => (cells) => {
    const values: Array<string> = []
    for (const index of order) {
      const value = readCell(cells, index, table.read, note)
      if (value instanceof Fault) return value
      if (value === undefined) continue
      if (values.includes(value)) return new Fault("not-an-option", "each option once", index, textOf(cells[index]))
      values.push(value)
    }
    return values.length === 0 ? undefined : values
  }

/** Makes a `Parse` for columns that each contain the rank of one option. */
const ranked = (
  names: ReadonlyArray<string>,
  table: OptionTable,
  { note }: Pick<KindContext, "note">,
): Parse | ReadonlyArray<OptionFault> => {
  const faults: Array<OptionFault> = []
  const values = names.map((name) => table.resolve(name, "from", faults, name))
  for (const [index, value] of values.entries()) {
    const first = values.indexOf(value)
    if (value === undefined || first === index) continue
    faults.push({
      option: "from",
      member: names[index],
      message: `"${names[first]}" and "${names[index]}" are the same option.`,
    })
  }
  if (faults.length > 0) return faults
  const range = `a rank from 1 to ${names.length}`
  return (cells) => {
    const places: Array<string | undefined> = []
    for (let index = 0; index < values.length; index++) {
      const text = textOf(cells[index])
      if (text === "") continue
      if (!/^\d{1,6}$/.test(text)) return new Fault("not-a-number", range, index)
      const rank = Number(text)
      if (rank < 1 || rank > values.length) return new Fault("out-of-range", range, index)
      if (places[rank] !== undefined) {
        return new Fault("conflict", `a different rank: "${names[values.indexOf(places[rank])]}" has this one`, index)
      }
      places[rank] = values[index]
      if (values[index] === undefined) note?.("unused", index)
    }
    const order = places.filter((value) => value !== undefined)
    return order.length === 0 ? undefined : order
  }
}

/** Options in an order of preference, best first. Options without a rank are not sent. */
export const ranking: Kind<SplitOptions> = {
  name: "ranking",
  description:
    "Options in order of rank: a list in one cell, a column for each option that contains its rank, or a column for each rank that contains an option. Sent as an array of values, the first rank first",
  options: splitOptions,
  sends: "array",
  named: "ranks",
  words: optionWords,
  translations: optionTranslations,
  types: ["Ranking"],
  compile: (options, context) => {
    const { input } = context
    const listed = context.question?.options ?? []
    // Without options, the columns' names are the options.
    const isListed = listed.length > 0 || options.options !== undefined
    const places = input._tag === "Parts" && isListed ? placesOf(input.parts, listed) : undefined
    const table = optionTable(options, context, input._tag === "Parts" && places === undefined ? input.parts : [])
    if (!("read" in table)) return table
    if (places !== undefined) return placed(places, table, context)
    if (input._tag === "Parts") return ranked(input.parts, table, context)
    const split = optionSplitter(options.split, table)
    if (typeof split !== "function") return split
    return oneCell((cell) => {
      const pieces = piecesIn(cell, split)
      const values = pieces instanceof Fault ? pieces : readPieces(pieces, table.read, true)
      return values instanceof Fault || values.length > 0 ? values : undefined
    })
  },
  compare: (sent, returned) => compareLists(sent, returned, compareText),
}
