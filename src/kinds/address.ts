import type { Json } from "../domain/json.ts"
import { allTexts, objectIn, oneCell, textOf } from "./cells.ts"
import { compareMembers, compareText, objectOf } from "./compared.ts"
import { Fault, type Kind } from "./Kind.ts"

const parts = ["address", "city", "state", "zipCode", "country"] as const

const notInParts = new Fault(
  "pattern",
  "an address in parts: give each part a column, or split the cell with `extract` and named groups",
)

const partText = (value: Json | undefined): string | undefined =>
  value === undefined || typeof value === "object" ? undefined : textOf(value) || undefined

/** A postal address in parts. */
export const address: Kind = {
  name: "address",
  description:
    "A postal address, from the parts address, city, state, zipCode and country, or from one column that `extract` splits with named groups. Sent as an object",
  options: {},
  sends: "object",
  parts: Object.fromEntries(parts.map((part) => [part, "text"])),
  types: ["Address"],
  compile: (_options, { input, note }) => {
    if (input._tag === "Columns") {
      return oneCell((cell) => {
        const value = objectIn(cell, parts, note)
        return value === undefined ? notInParts : objectOf(parts.map((part) => [part, partText(value[part])]))
      })
    }
    const names = input.parts
    return allTexts((texts) => objectOf(names.map((name, index) => [name, texts[index] || undefined])))
  },
  compare: (sent, returned) => compareMembers(sent, returned, compareText),
}
