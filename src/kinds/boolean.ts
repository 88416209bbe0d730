import { Schema } from "effect"
import { AsWritten } from "./asWritten.ts"
import { oneCell, textOf } from "./cells.ts"
import { different, equivalent, same } from "./compared.ts"
import type { Kind } from "./Kind.ts"
import { Fault } from "./Kind.ts"

const options = {
  true: Schema.optional(
    Schema.NonEmptyArray(AsWritten).annotations({
      description: "Cells that mean true, case aside; when left out: true, yes, y, 1, x, on",
      examples: [["ja", "J"]],
    }),
  ),
  false: Schema.optional(
    Schema.NonEmptyArray(AsWritten).annotations({
      description: "Cells that mean false, case aside; when left out: false, no, n, 0, off",
      examples: [["nein", "N"]],
    }),
  ),
}

type Options = Schema.Struct.Type<typeof options>

const usual = { true: ["true", "yes", "y", "1", "x", "on"], false: ["false", "no", "n", "0", "off"] } as const

const token = (text: string) => text.trim().toLowerCase()

/** Yes or no. An empty cell is no answer; anything that is neither is an error, never silently false. */
export const boolean: Kind<Options> = {
  name: "boolean",
  description: "Yes or no. Sent as true or false",
  options,
  sends: "boolean",
  parts: [],
  partKinds: {},
  many: false,
  types: ["Switch", "Checkbox"],
  compile: (options) => {
    const yes = new Set((options.true ?? usual.true).map(token))
    const no = new Set((options.false ?? usual.false).map(token))
    if (options.true === undefined) { for (const each of no) yes.delete(each) }
    if (options.false === undefined) { for (const each of yes) no.delete(each) }
    const clash = [...yes].find((each) => no.has(each))
    if (clash !== undefined) return [{ option: "false", message: `"${clash}" can't mean both true and false.` }]
    const known = new Map([
      ...[...yes].map((each) => [each, true] as const),
      ...[...no].map((each) => [each, false] as const),
    ])
    const fault = new Fault("not-a-boolean", `${[...yes].join(", ")} for true, or ${[...no].join(", ")} for false`)
    return oneCell((cell) => typeof cell === "boolean" ? cell : known.get(token(textOf(cell))) ?? fault)
  },
  compare: (sent, returned) => {
    if (sent === returned) return same
    const [a, b] = [sent, returned].map((value) => value === "true" ? true : value === "false" ? false : value)
    return typeof a === "boolean" && a === b ? equivalent("true or false as text") : different
  },
}
