import { Schema } from "effect"
import type { DateFormat } from "./dateFormat.ts"
import { dateFormat } from "./dateFormat.ts"
import type { OptionFault } from "./Kind.ts"

const examples = ["dd.MM.yyyy", ["dd.MM.yyyy", "d.M.yy"]] as const

/** The options that all kinds with dates or times share. */
export const formatOptions = {
  format: Schema.optional(
    Schema.Union(Schema.String, Schema.NonEmptyArray(Schema.String)).annotations({
      description:
        "How it is written, in luxon's letters (yyyy, MM, dd, HH, mm, ss), or a list of such formats; iso, which is always understood, stands for ISO 8601 alone",
      examples: [examples[0], examples[1]],
    }),
  ),
  firstMatch: Schema.optional(Schema.Boolean.annotations({
    description:
      "Takes the first format that fits; when left out, a cell that fits several with different results is an error",
    examples: [true],
  })),
}

/** The formats of an entry; empty when only ISO is understood. */
export interface Formats {
  readonly formats: ReadonlyArray<DateFormat>
  readonly firstMatch: boolean
  /** `dd.MM.yyyy or YYYY-MM-DD` */
  readonly words: string
}

/** Letters of other languages' formats, told apart by case only: the mistake that everybody makes once. */
const inLuxonLetters = (format: string, needs: "date" | "time" | "both"): string => {
  const letters = format.replaceAll("Y", "y").replaceAll("D", "d").replaceAll(/(?<!')T(?!')/g, "'T'")
  return needs === "date" && !letters.includes("M") ? letters.replaceAll("m", "M") : letters
}

/** Luxon takes a bare T and D for whole times and dates as America writes them, and Y for itself: nobody means that. */
const bare = (format: string): string | undefined => /[YDT]/.exec(format.replaceAll(/'[^']*'/g, ""))?.[0]

const lacks = (format: DateFormat, needs: "date" | "time" | "both"): string | undefined => {
  if (needs !== "time" && !format.hasDate) return "a day, a month and a year (dd, MM, yyyy)"
  return needs !== "date" && !format.hasTime ? "a time (HH, mm)" : undefined
}

/**
 * Makes the formats of an entry ready.
 *
 * @param needs what each of them must hold
 * @param iso what an ISO text looks like, to name beside the formats
 */
export const compileFormats = (
  options: { readonly format?: string | ReadonlyArray<string> | undefined; readonly firstMatch?: boolean | undefined },
  needs: "date" | "time" | "both",
  iso: string,
): Formats | ReadonlyArray<OptionFault> => {
  const texts = (typeof options.format === "string" ? [options.format] : options.format ?? [])
    .filter((format) => format.toLowerCase() !== "iso")
  const formats: Array<DateFormat> = []
  const faults: Array<OptionFault> = []
  for (const text of texts) {
    const letter = bare(text)
    const format = letter === undefined
      ? dateFormat(text)
      : `The format "${text}" has the letter ${letter}, which is no field.`
    const missing = typeof format === "string" ? undefined : lacks(format, needs)
    if (typeof format !== "string" && missing === undefined) {
      formats.push(format)
      continue
    }
    const better = inLuxonLetters(text, needs)
    const betterFormat = better === text ? undefined : dateFormat(better)
    const helps = typeof betterFormat === "object" && lacks(betterFormat, needs) === undefined
    faults.push({
      option: "format",
      message: typeof format === "string" ? format : `The format "${text}" does not name ${missing}.`,
      suggestion: helps
        ? `Did you mean "${better}"? (luxon: yyyy, MM for months, dd, HH, mm for minutes)`
        : "Formats are written in luxon's letters, such as dd.MM.yyyy HH:mm.",
    })
  }
  if (faults.length > 0) return faults
  return { formats, firstMatch: options.firstMatch === true, words: [...new Set([...texts, iso])].join(" or ") }
}

/**
 * Reads a text in every format and ISO.
 *
 * @returns the reading, NaN when none fits, undefined when two fit and disagree
 */
export const readFormats = (
  text: string,
  formats: Formats,
  read: (format: DateFormat, text: string) => number,
  iso: (text: string) => number,
): number | undefined => {
  const { formats: list, firstMatch } = formats
  let result = NaN
  for (let index = 0; index < list.length; index++) {
    const found = read(list[index] as DateFormat, text)
    if (Number.isNaN(found)) continue
    if (firstMatch) return found
    if (Number.isNaN(result)) result = found
    else if (result !== found) return undefined
  }
  const found = iso(text)
  if (Number.isNaN(found)) return result
  if (firstMatch) return Number.isNaN(result) ? found : result
  return Number.isNaN(result) || result === found ? found : undefined
}
