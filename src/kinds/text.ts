import * as Schema from "effect/Schema"
import { allTexts, oneText } from "./cells.ts"
import { compareText } from "./compared.ts"
import { Fault, type Kind, option } from "./Kind.ts"
import { compilePattern } from "./pattern.ts"

const Length = Schema.NonNegativeInt.annotations({ description: "a whole number, 0 or more" })

const options = {
  join: option(
    Schema.String,
    "The separator between the texts of several columns (default: a space). Empty columns are omitted",
    ", ",
    "\n",
  ),
  pattern: option(
    Schema.String,
    "A regular expression (RE2) that must match some part of the text. To match the whole text, begin it with ^ and end it with $",
    "^[A-Z]{2}\\d{4}$",
  ),
  minLength: option(Length, "The minimum number of characters", 2),
  maxLength: option(Length, "The maximum number of characters", 255),
  case: option(Schema.Literal("upper", "lower"), "Converts the text to upper or lower case", "upper"),
}

type Options = Schema.Struct.Type<typeof options>

/** Counts characters as a person would, by code points. */
const length = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

/** A text as written, trimmed. A number from a workbook is written without an exponent (`1200000`), and a date in ISO format. */
export const text: Kind<Options> = {
  name: "text",
  description: "Text as written, trimmed, from one column or several joined. Sent as a string",
  options,
  sends: "string",
  many: true,
  types: ["ShortAnswer", "LongAnswer", "Password"],
  compile: (options) => {
    const { join = " ", minLength = 0, maxLength = Infinity } = options
    const pattern = options.pattern === undefined ? undefined : compilePattern(options.pattern)
    if (typeof pattern === "string") return [{ option: "pattern", message: pattern }]
    if (minLength > maxLength) {
      return [{ option: "minLength", message: `minLength ${minLength} is more than maxLength ${maxLength}.` }]
    }
    const tooShort = new Fault("too-short", `${minLength} characters or more`)
    const tooLong = new Fault("too-long", `${maxLength} characters at most`)
    const mismatch = new Fault("pattern", `a text that matches ${options.pattern}`)
    const check = (text: string): string | Fault => {
      const value = options.case === "upper" ? text.toUpperCase() : options.case === "lower" ? text.toLowerCase() : text
      if (minLength > 0 && value.length < minLength * 2 && length(value) < minLength) return tooShort
      if (value.length > maxLength && length(value) > maxLength) return tooLong
      return pattern !== undefined && !pattern.test(value) ? mismatch : value
    }
    const one = oneText(check)
    const several = allTexts((texts) => {
      const text = texts.filter((piece) => piece !== "").join(join)
      return text === "" ? undefined : check(text)
    })
    return (cells) => cells.length === 1 ? one(cells) : several(cells)
  },
  compare: compareText,
}
