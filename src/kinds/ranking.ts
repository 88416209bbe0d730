import type { Schema } from "effect"
import { JsonCell } from "../domain/cell.ts"
import type { Json } from "../domain/json.ts"
import { oneCell, textOf } from "./cells.ts"
import { choices } from "./choices.ts"
import { both, compareText, different, isList, same } from "./compared.ts"
import type { Compared, Kind, KindContext, OptionFault, Parse } from "./Kind.ts"
import { Fault } from "./Kind.ts"
import { optionOptions, optionTable } from "./optionTable.ts"
import type { OptionTable } from "./optionTable.ts"
import { members, optionSplitter, splitFault } from "./splitOptions.ts"

const options = { ...optionOptions, split: choices.options["split"]! }

type Options = Schema.Struct.Type<typeof optionOptions> & { readonly split?: string | undefined }

const notAList = new Fault("not-an-option", "a list of options")

/** Options in the order of their ranks, without repetition. */
const inRankOrder = (pieces: ReadonlyArray<string>, table: OptionTable): ReadonlyArray<string> | undefined | Fault => {
  const values: Array<string> = []
  for (const piece of pieces) {
    const value = piece === "" ? undefined : table.read(piece)
    if (value instanceof Fault) return value
    if (value === undefined) continue
    if (values.includes(value)) return new Fault("not-an-option", "each option once", 0, piece)
    values.push(value)
  }
  return values.length === 0 ? undefined : values
}

/** A `Parse` of cells that hold the rank of one option each. */
const ranked = (
  names: ReadonlyArray<string>,
  table: OptionTable,
  { note }: Pick<KindContext, "note">,
): Parse | ReadonlyArray<OptionFault> => {
  const faults: Array<OptionFault> = []
  const values = names.map((name) => table.resolve(name, "from", faults, name))
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
        return new Fault("conflict", `a rank of its own: "${names[values.indexOf(places[rank])]}" has this one`, index)
      }
      places[rank] = values[index]
      if (values[index] === undefined) note?.("unused", index)
    }
    const order = places.filter((value) => value !== undefined)
    return order.length === 0 ? undefined : order
  }
}

/** Options in an order of preference, the first being the best. Options without a rank are left out. */
export const ranking: Kind<Options> = {
  name: "ranking",
  description:
    "Options in order of rank: a list in one cell, or a column with each option's rank. Sent as an array of values, the first rank first",
  options,
  sends: "array",
  parts: [],
  partKinds: {},
  many: false,
  named: "ranks",
  types: ["Ranking"],
  compile: (options, context) => {
    const { input } = context
    const table = optionTable(options, context, input._tag === "Parts" ? input.parts : [])
    if (!("read" in table)) return table
    if (input._tag === "Parts") return ranked(input.parts, table, context)
    if (options.split !== undefined && table.names.length === 0) return [splitFault]
    const split = optionSplitter(options.split, table)
    return oneCell((cell) => {
      if (!(cell instanceof JsonCell)) return inRankOrder(split(typeof cell === "string" ? cell : textOf(cell)), table)
      const pieces = members(cell.value)
      return pieces === undefined ? notAList : inRankOrder(pieces, table)
    })
  },
  compare: (sent, returned) => {
    if (!isList(sent) || !isList(returned)) return sent === returned ? same : different
    if (sent.length !== returned.length) return different
    return sent.reduce<Compared>(
      (verdict, each: Json, at) => both(verdict, compareText(each, returned[at] ?? null)),
      same,
    )
  },
}
