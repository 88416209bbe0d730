import { isDay } from "./wallClock.ts"

const shape = /^(yyyy|MM|dd)([-./ ])(yyyy|MM|dd)([-./ ])(yyyy|MM|dd)$/

/** ISO 8601, as a format. */
export const isoFormat = "yyyy-MM-dd"

/**
 * A reader of days whose fields have fixed widths, as `dd.MM.yyyy`: by character codes, in a tenth of an expression's time. It gives year, month and day as one
 * number (20261120), or 0 for whatever it does not take. Undefined: the format is another one, or ISO might read its texts otherwise.
 */
export const fixedDay = (format: string): ((text: string) => number) | undefined => {
  const found = shape.exec(format)
  if (found === null || (format !== isoFormat && format.startsWith("yyyy-"))) return undefined
  const [year, month, day] = [format.indexOf("yyyy"), format.indexOf("MM"), format.indexOf("dd")]
  if (year < 0 || month < 0 || day < 0) return undefined
  const [, first = "", one = "", second = "", other = ""] = found
  const oneAt = first.length
  const otherAt = oneAt + 1 + second.length
  const oneSign = one.charCodeAt(0)
  const otherSign = other.charCodeAt(0)
  return (text) => {
    if (text.length !== 10 || text.charCodeAt(oneAt) !== oneSign || text.charCodeAt(otherAt) !== otherSign) return 0
    const years = two(text, year) * 100 + two(text, year + 2)
    const months = two(text, month)
    const days = two(text, day)
    return isDay(years, months, days) ? years * 10_000 + months * 100 + days : 0
  }
}

/** Two digits, or NaN. */
const two = (text: string, at: number): number => {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NaN
}

const years: Array<string> = []
const monthDays: Array<string> = []

/** `YYYY-MM-DD` of a day as `fixedDay` gives it: two pieces that are at hand and join to one short text, where a look-up among all days misses the processor's cache. */
export const isoOf = (day: number): string => {
  const year = Math.floor(day / 10_000)
  const monthDay = day - year * 10_000
  const end = monthDays[monthDay] ??= `-${String(monthDay).padStart(4, "0").replace(/..$/, "-$&")}`
  return (years[year] ??= String(year).padStart(4, "0")) + end
}
