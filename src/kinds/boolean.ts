import * as Schema from "effect/Schema"
import { oneCell, opposites, textOf } from "./cells.ts"
import { compareBy } from "./compared.ts"
import { AsWritten, Fault, type Kind, option } from "./Kind.ts"

/** The words for true and false that are used without options. */
const usualBooleans = {
  yes: ["true", "yes", "y", "1", "x", "on"],
  no: ["false", "no", "n", "0", "off"],
} as const

const options = {
  true: option(
    Schema.NonEmptyArray(AsWritten),
    `Cells that mean true, ignoring case (default: ${usualBooleans.yes.join(", ")})`,
    ["ja", "J"],
  ),
  false: option(
    Schema.NonEmptyArray(AsWritten),
    `Cells that mean false, ignoring case (default: ${usualBooleans.no.join(", ")})`,
    ["nein", "N"],
  ),
}

type Options = Schema.Struct.Type<typeof options>

const folded = (text: string) => text.trim().toLowerCase()

/** Yes or no. An empty cell means no answer. Any other text is an error, and never silently false. */
export const boolean: Kind<Options> = {
  name: "boolean",
  description: "Yes or no. Sent as true or false",
  options,
  sends: "boolean",
  words: (options) => [...options.true ?? [], ...options.false ?? []],
  translations: (options) => [
    ...(options.true ?? []).map((cell) => [cell, "true"] as const),
    ...(options.false ?? []).map((cell) => [cell, "false"] as const),
  ],
  types: ["Switch", "Checkbox"],
  compile: (options) => {
    const { clash, no, yes } = opposites({ yes: options.true, no: options.false }, usualBooleans, folded)
    if (clash !== undefined) return [{ option: "false", message: `"${clash}" can't mean both true and false.` }]
    const fault = new Fault("not-a-boolean", `${[...yes].join(", ")} for true, or ${[...no].join(", ")} for false`)
    return oneCell((cell) => {
      if (typeof cell === "boolean") return cell
      const word = folded(textOf(cell))
      return yes.has(word) ? true : no.has(word) ? false : fault
    })
  },
  compare: compareBy(
    (value) => typeof value === "boolean" ? value : value === "true" ? true : value === "false" ? false : undefined,
    "true or false as text",
  ),
}
