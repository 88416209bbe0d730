import { Schema } from "effect"
import type { Json } from "../domain/json.ts"
import { oneCell } from "./cells.ts"
import { different, equivalent, same } from "./compared.ts"
import { withoutCurrency } from "./currency.ts"
import type { Kind } from "./Kind.ts"
import { Fault } from "./Kind.ts"
import { plainDecimal } from "./plainDecimal.ts"

const options = {
  decimal: Schema.optional(
    Schema.Literal(".", ",").annotations({
      description: "The decimal sign; `.` when left out: a comma is then an error, not a guess",
      examples: [","],
    }),
  ),
  group: Schema.optional(
    Schema.Literal(".", ",", " ", "'").annotations({
      description:
        "What stands between groups of three digits; none when left out. A space means any kind of space, ' also ’",
      examples: ["."],
    }),
  ),
  integer: Schema.optional(Schema.Boolean.annotations({ description: "Only whole numbers", examples: [true] })),
  min: Schema.optional(Schema.Number.annotations({ description: "The least number that is right", examples: [0] })),
  max: Schema.optional(
    Schema.Number.annotations({ description: "The greatest number that is right", examples: [100] }),
  ),
}

type Options = Schema.Struct.Type<typeof options>

const groupSigns = { ".": "\\.", ",": ",", " ": "[ \\u00A0\\u2009\\u202F]", "'": "['\\u2019]" } as const

const json = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/

/** A decimal text in one form only: no leading zeros, no zeros at the end of a fraction, no plus, no exponent. */
const normal = (text: string): string => {
  const [mantissa = "", exponent] = text.split(/[eE]/)
  if (exponent !== undefined) return normal(mantissa) + "e" + Number(exponent)
  const negative = mantissa.startsWith("-")
  const [whole = "", fraction = ""] = mantissa.replace(/^[-+]/, "").split(".")
  const digits = whole.replace(/^0+(?=\d)/, "") || "0"
  const rest = fraction.replace(/0+$/, "")
  const value = rest === "" ? digits : `${digits}.${rest}`
  return negative && value !== "0" ? `-${value}` : value
}

const significant = (text: string): number =>
  text.replace(/[eE].*$/, "").replace(/^[-+]/, "").replace(".", "").replace(/^0+/, "").length

/** Beyond 15 digits a JSON number may be another number than the text says. */
const exact = (text: string, value: number): boolean =>
  text.length <= 15 || significant(text) <= 15 || (!/[eE]/.test(text) && normal(text) === normal(plainDigits(value)))

const plainDigits = (value: number): string =>
  Number.isSafeInteger(value) ? String(value) : value.toString().includes("e")
    ? BigInt(Math.trunc(value)).toString()
    : value.toString()

const inexact = new Fault("out-of-range", "a number that can be sent exactly (15 digits at most); map it as text")

/** A number, written with the signs that the options say; currency signs and codes are understood. */
export const number: Kind<Options> = {
  name: "number",
  description: "A number; currency signs and codes are understood. Sent as a JSON number",
  options,
  sends: "number",
  parts: [],
  partKinds: {},
  many: false,
  types: ["NumberInput", "OpinionScale", "StarRating", "Slider", "CurrencyInput"],
  compile: (options) => {
    const { decimal = ".", group, integer = false, min = -Infinity, max = Infinity } = options
    if (group === decimal) {
      return [{
        option: "group",
        message: `The sign between groups of digits and the decimal sign can't both be "${decimal}".`,
        suggestion: decimal === "." ? "Set `decimal` too." : undefined,
      }]
    }
    if (min > max) return [{ option: "min", message: `min ${min} is more than max ${max}.` }]
    const whole = group === undefined ? "\\d+" : `(?:\\d{1,3}(?:${groupSigns[group]}\\d{3})+|\\d+)`
    const point = decimal === "." ? "\\." : ","
    const shape = new RegExp(`^[-+\\u2212]?(?:${whole}(?:${point}\\d*)?|${point}\\d+)(?:[eE][-+]?\\d+)?$`)
    const groups = group === undefined ? undefined : new RegExp(groupSigns[group], "g")
    const example = `1${group ?? ""}234${decimal}5`
    const expected = integer ? "a whole number" : `a number written like ${example}`
    const notANumber = new Fault("not-a-number", expected)
    const range = min === -Infinity ? `at most ${max}` : max === Infinity ? `at least ${min}` : `from ${min} to ${max}`
    const outOfRange = new Fault("out-of-range", `${integer ? "a whole number" : "a number"} ${range}`)
    const check = (value: number): number | Fault => {
      if (integer && !Number.isInteger(value)) return notANumber
      return value < min || value > max ? outOfRange : value === 0 ? 0 : value
    }
    const read = (text: string): number | Fault => {
      if (text.length > 100) return notANumber
      let amount = text
      if (!shape.test(text)) {
        amount = withoutCurrency(text)
        if (!shape.test(amount)) return notANumber
      }
      const ungrouped = groups === undefined ? amount : amount.replace(groups, "")
      const digits = ungrouped.replace(decimal, ".").replace("\u2212", "-")
      const value = Number(digits)
      return Number.isFinite(value) && exact(digits, value) ? check(value) : inexact
    }
    return oneCell((cell) => {
      if (typeof cell === "number") return Number.isFinite(cell) ? check(cell) : notANumber
      if (typeof cell !== "string") return notANumber
      // With another decimal sign or groups a point means something else.
      const value = plainDecimal(cell, decimal === ".")
      return Number.isNaN(value) ? read(cell) : check(value)
    })
  },
  compare: (sent: Json, returned: Json) => {
    if (sent === returned) return same
    const [a, b] = [numeric(sent), numeric(returned)]
    if (a === undefined || a !== b) return different
    return typeof returned === "string" ? equivalent("a number as text") : same
  },
}

const numeric = (value: Json): number | undefined => {
  if (typeof value === "number") return value
  if (typeof value !== "string" || !json.test(value)) return undefined
  const read = Number(value)
  return Number.isFinite(read) && exact(value, read) ? read : undefined
}
