import * as Schema from "effect/Schema"
import { PercentCell } from "../domain/cell.ts"
import { isJsonNumber, type Json } from "../domain/json.ts"
import { oneCell } from "./cells.ts"
import { different, equivalent, same } from "./compared.ts"
import { Fault, type Kind, option } from "./Kind.ts"

const options = {
  decimal: option(
    Schema.Literal(".", ","),
    "The decimal sign (default: `.`). With the default, a comma is an error",
    ",",
  ),
  group: option(
    Schema.Literal(".", ",", " ", "'"),
    "The separator between groups of three digits (default: none). A space means any kind of space, and ' also means ’",
    ".",
  ),
  percent: option(
    Schema.Literal("whole", "fraction"),
    "How 12% is sent: as 12 (`whole`) or as 0.12 (`fraction`). Without it, a percentage is an error",
    "whole",
  ),
  integer: option(Schema.Boolean, "Only whole numbers", true),
  min: option(Schema.Number, "The smallest number allowed", 0),
  max: option(Schema.Number, "The largest number allowed", 100),
}

type Options = Schema.Struct.Type<typeof options>

const groupSigns = { ".": "\\.", ",": ",", " ": "[ \\u00A0\\u2009\\u202F]", "'": "['\\u2019]" } as const

/** Loaded when the first currency code occurs, because loading takes a while. */
let currencies: ReadonlySet<string> | undefined
const isCurrency = (code: string): boolean => (currencies ??= new Set(Intl.supportedValuesOf("currency"))).has(code)

/** Matches a percent sign, a currency's sign, which may follow letters (`US$`), or three letters that may be its code. */
const unitBefore = /^(?:%|[A-Z]{0,3}\p{Sc}|([A-Z]{3})(?![A-Za-z]))\s*/u
const unitAfter = /\s*(?:%|[A-Z]{0,3}\p{Sc}|(?<![A-Za-z])([A-Z]{3}))$/u

/** Returns an amount without its percent sign or its currency. The sign or code (ISO 4217) may be before or after the number, or between the sign and the digits. */
export const withoutUnit = (text: string): string => {
  const sign = /^[-+\u2212]\s*/.exec(text)?.[0] ?? ""
  const amount = text.slice(sign.length)
  const found = unitBefore.exec(amount) ?? unitAfter.exec(amount)
  if (found === null || (found[1] !== undefined && !isCurrency(found[1]))) return text
  return sign + (found.index === 0 ? amount.slice(found[0].length) : amount.slice(0, found.index))
}

/** Returns a decimal in its normal form: without leading zeros, zeros at the end of a fraction, or a plus sign. */
const normal = (text: string): string => {
  const negative = text.startsWith("-")
  const [whole = "", fraction = ""] = text.replace(/^[-+]/, "").split(".")
  const digits = whole.replace(/^0+(?=\d)/, "") || "0"
  const rest = fraction.replace(/0+$/, "")
  const value = rest === "" ? digits : `${digits}.${rest}`
  return negative && value !== "0" ? `-${value}` : value
}

const significant = (text: string): number =>
  text.replace(/[eE].*$/, "").replace(/^[-+]/, "").replace(".", "").replace(/^0+/, "").length

const plainDigits = (value: number): string => {
  const text = String(value)
  return text.includes("e") ? BigInt(Math.trunc(value)).toString() : text
}

/** Whether a JSON number has exactly the value of the text. With more than 15 digits, it might not. */
export const isExact = (text: string, value: number): boolean =>
  !Number.isFinite(value)
    ? false
    : value === 0
    ? !/[1-9]/.test(text.replace(/[eE].*$/, ""))
    : text.length <= 15 || significant(text) <= 15
      || (!/[eE]/.test(text) && normal(text) === normal(plainDigits(value)))

const openPercentage = new Fault(
  "not-a-number",
  "a number without a percent sign; to send 12% as 12 or 0.12, set `percent: whole` or `percent: fraction`",
)

const inexact = new Fault("out-of-range", "a number that can be sent exactly (15 digits at most); map it as text")

/** Returns the value of a JSON number or of a text that is one. */
const numberIn = (value: Json): number | undefined => {
  if (typeof value === "number") return value
  if (typeof value !== "string" || !isJsonNumber(value)) return undefined
  const read = Number(value)
  return isExact(value, read) ? read : undefined
}

/** A number, written with the separators that the options name. Currency signs and codes are removed. */
export const number: Kind<Options> = {
  name: "number",
  description: "A number. Currency signs and codes are removed. Sent as a JSON number",
  options,
  sends: "number",
  types: ["NumberInput", "OpinionScale", "StarRating", "Slider", "CurrencyInput"],
  compile: (options) => {
    const { decimal = ".", group, integer = false, min = -Infinity, max = Infinity, percent } = options
    if (group === decimal) {
      return [{
        option: "group",
        message: `The group separator and the decimal sign can't both be "${decimal}".`,
        suggestion: decimal === "." ? "Set `decimal` too." : undefined,
      }]
    }
    if (min > max) return [{ option: "min", message: `min ${min} is more than max ${max}.` }]
    const whole = group === undefined ? "\\d+" : `(?:[1-9]\\d{0,2}(?:${groupSigns[group]}\\d{3})+|\\d+)`
    const point = decimal === "." ? "\\." : ","
    const shape = new RegExp(`^[-+\\u2212]?(?:${whole}(?:${point}\\d*)?|${point}\\d+)(?:[eE][-+]?\\d+)?$`)
    const groups = group === undefined ? undefined : new RegExp(groupSigns[group], "g")
    const notANumber = new Fault(
      "not-a-number",
      integer ? "a whole number" : `a number written like 1${group ?? ""}234${decimal}5`,
    )
    const range = min === -Infinity ? `at most ${max}` : max === Infinity ? `at least ${min}` : `from ${min} to ${max}`
    const outOfRange = new Fault("out-of-range", `${integer ? "a whole number" : "a number"} ${range}`)
    const check = (value: number): number | Fault => {
      if (integer && !Number.isInteger(value)) return notANumber
      return value < min || value > max ? outOfRange : value === 0 ? 0 : value
    }
    const checkPercentage = (value: number): number | Fault =>
      percent === undefined
        ? openPercentage
        : check(percent === "fraction" ? Number((value / 100).toPrecision(15)) : value)
    return oneCell((cell) => {
      if (cell instanceof PercentCell) return checkPercentage(cell.percent)
      if (typeof cell === "number") return Number.isFinite(cell) ? check(cell) : notANumber
      if (typeof cell !== "string" || cell.length > 100) return notANumber
      const isPlain = shape.test(cell)
      const amount = isPlain ? cell : withoutUnit(cell)
      if (!isPlain && !shape.test(amount)) return notANumber
      const ungrouped = groups === undefined ? amount : amount.replace(groups, "")
      const pointed = decimal === "." ? ungrouped : ungrouped.replace(decimal, ".")
      const digits = pointed.startsWith("\u2212") ? `-${pointed.slice(1)}` : pointed
      const value = Number(digits)
      if (!isExact(digits, value)) return inexact
      return !isPlain && cell.includes("%") ? checkPercentage(value) : check(value)
    })
  },
  compare: (sent, returned) => {
    if (sent === returned) return same
    const value = numberIn(sent)
    if (value === undefined || value !== numberIn(returned)) return different
    return typeof returned === "string" ? equivalent("a number as text") : same
  },
}
