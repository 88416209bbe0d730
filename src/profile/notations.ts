// How the dates and numbers of a column are written. A notation is itself a text, and stands for all texts that are read alike: `24.01.1000` for `28.02.2024`.
import { cached } from "../domain/cached.ts"
import { groupBy } from "../domain/groupBy.ts"
import { monthNumber } from "../domain/months.ts"
import { dateFormat } from "../kinds/dateFormats.ts"
import { ofColumns } from "../kinds/Kind.ts"
import { number, withoutUnit } from "../kinds/number.ts"
import { readIso } from "../kinds/wallClock.ts"

/** The smallest numbers of one or two digits that are read differently: months, offsets, hours, days and minutes each end below one of them. */
const limits = [0, 1, 10, 13, 16, 24, 32, 60]
const minuteLimits = [0, 1, 60]

/** Returns the number that stands for all numbers that are read like one with these digits. */
const digitsLike = (digits: string, limits: ReadonlyArray<number>): string => {
  if (/^0+$/.test(digits)) return digits
  // Numbers with more significant digits than a double keeps are not read.
  if (digits.length > 2) return (digits.startsWith("0") ? "01" : "1").padEnd(digits.length, "0")
  return String(limits.findLast((limit) => limit <= Number(digits))).padStart(digits.length, "0")
}

/** Returns the notation of a text. A million dates or numbers of a column have a few dozen notations. */
export const notationOf = (text: string): string =>
  text.replaceAll(/(:?)(\d+)|[A-Za-z]{3,9}/g, (part, colon: string, digits: string | undefined) =>
    digits !== undefined
      ? colon + digitsLike(digits, colon === "" ? limits : minuteLimits)
      : monthNumber(part) === undefined
      ? part
      : part.length === 3
      ? "Jan"
      : "January")

// Dates and times

const datePattern = /^(\d{1,4}|[A-Za-z]{3,9})([-./ ]|\. )(\d{1,2}|[A-Za-z]{3,9})([-./ ]|\. |, )(\d{1,4})(?!\d)/

const timePattern = /^([T ,]+)?(\d{1,2}):\d{2}(:\d{2})?(\.\d{3})?( ?[AaPp][Mm])?( ?(?:Z|[+-](?:0\d|1[0-5]):[0-5]\d))?$/

/** Returns the luxon formats of a day, for each order that its parts may have. */
const dayFormats = ([, first = "", sign = "", second = "", next = "", third = ""]: RegExpExecArray) => {
  const isNamed = /[A-Za-z]/.test(first + second)
  const orders = sign !== next && !isNamed ? [] : /^\d{4}$/.test(first) ? ["yMd"] : ["dMy", "Mdy"]
  return orders.map((order) => {
    const [one, two, three] = [first, second, third].map((part, at) =>
      /\d/.test(part) ? order.charAt(at).repeat(part.length) : part === "Jan" ? "MMM" : "MMMM"
    )
    return `${one}${sign}${two}${next}${three}`
  })
}

const timeFormat = ([, gap = "", hour = "", second = "", fraction = "", half = "", offset = ""]: RegExpExecArray) =>
  gap.replace("T", "'T'") + (half === "" ? "H" : "h").repeat(hour.length) + ":mm" + second.replace(/\d+/, "ss")
  + fraction.replace(/\d+/, "SSS") + half.replace(/\w+/, "a") + offset.replace(/\S+/, "ZZ")

/** Returns a format, and the one that also reads numbers of one digit. Returns only the latter if there is such a number. */
const paddings = (format: string): ReadonlyArray<string> => {
  const single = format.replaceAll(/\b([dMHh])\1\b/g, "$1")
  return format === single || /\b[dMHh]\b/.test(format) ? [single] : [format, single]
}

/** Returns the luxon formats that read a notation as a day, a time or both, the most specific ones first. */
export const formatsOf = cached((notation: string): ReadonlyArray<string> => {
  const date = datePattern.exec(notation)
  const rest = notation.slice(date?.[0].length ?? 0)
  const time = timePattern.exec(rest)
  if (time === null ? rest !== "" : (date !== null) !== (time[1] !== undefined)) return []
  const days = date === null ? [""] : dayFormats(date).flatMap(paddings)
  const times = time === null ? [""] : paddings(timeFormat(time))
  return days.flatMap((day) => times.map((time) => day + time)).filter((format) => {
    const reader = dateFormat(format)
    return typeof reader !== "string" && (reader.hasDate || date === null) && !Number.isNaN(reader.wall(notation))
  })
})

/** Returns whether a notation is a day, a time or both. Undefined if it is neither. */
export const momentIn = cached((notation: string) => {
  const iso = readIso(notation)
  const [format = ""] = formatsOf(notation)
  const [hasDay, hasTime] = [iso?.hasDate ?? format.includes("y"), iso?.hasTime ?? format.includes("mm")]
  return hasDay && hasTime ? "dateTime" : hasDay ? "date" : hasTime ? "time" : undefined
})

/** Whether a time is written with its offset from UTC. */
export const hasOffset = (notation: string): boolean => /:.*(?:Z|[+-]\d{2}:?\d{2})$/i.test(notation)

/** Returns the separator after the first number of a date, if that is a day or a month, and so is the second one. */
const separatorOf = ([format = ""]: ReadonlyArray<string>): string | undefined =>
  /^[dM]{1,2}([^dM]) ?[dM]{1,2}(?!M)/.exec(format)?.[1]

/**
 * Returns the formats that together read a column's dates. `why`: the notations don't show whether the day or the month comes first. The formats are then
 * the two possible ones.
 */
export const dateFormats = (notations: ReadonlyArray<string>) => {
  const dates = notations.map(formatsOf).filter((formats) => formats.length > 0)
  const found = new Set<string>()
  for (const some of groupBy(dates, (formats) => formats.at(-1)!.replaceAll(/[dM]/g, "#")).values()) {
    const common = some.reduce((left, formats) => left.filter((format) => formats.includes(format)))
    const separator = separatorOf(some[0]!)
    // All dates with the same separator have the same order.
    const same = dates.filter((formats) => separatorOf(formats) === separator)
    const orders = separator === undefined
      ? [""]
      : ["d", "M"].filter((order) => same.every((formats) => formats.some((format) => format.startsWith(order))))
    const [order] = orders
    const isMixed = order === undefined
    // With dots, the day comes first in every language (CLDR).
    if (isMixed || (orders.length > 1 && separator !== ".")) {
      const all = [...common, ...same.flat()]
      const formats = ["d", "M"].flatMap((order) => all.find((format) => format.startsWith(order)) ?? [])
      const why = isMixed
        ? "in some cells only the first number can be the day, in others only the second"
        : "no cell shows whether the day or the month comes first"
      return { formats, why, isMixed }
    }
    found.add(common.find((format) => format.startsWith(order))!)
  }
  return { formats: [...found] }
}

// Numbers

const context = { question: undefined, input: ofColumns, empty: new Set<string>() } as const

/** All ways of writing numbers, as options of the kind `number`, the plainest first. Each reads whole numbers without separators, however long they are. */
const ways = ([undefined, ".", ",", " ", "'"] as const).flatMap((group) =>
  ([".", ","] as const).flatMap((decimal) => {
    const parse = number.compile({ decimal, ...(group === undefined ? {} : { group }) }, context)
    if (typeof parse !== "function") return []
    const read = (text: string) => {
      const value = /^[-+]?\d+$/.test(text) ? Number(text) : parse([text])
      return typeof value === "number" ? value : undefined
    }
    return [{ decimal, group, read }]
  })
)

const numberPattern = /^[-+\u2212]?[\d.,' \u00A0\u2009\u202F\u2019]+$/

const waysOf = cached((notation: string): typeof ways => {
  const amount = withoutUnit(notation)
  return numberPattern.test(amount) ? ways.filter(({ read }) => read(amount) !== undefined) : []
})

/** Returns the number that a notation most likely is. Undefined if it is not a number. */
export const numberIn = (notation: string): number | undefined => waysOf(notation)[0]?.read(withoutUnit(notation))

/** Returns the decimal sign and the group separator of a column's numbers. `why`: no cell shows them, or cells contradict each other. */
export const numberSigns = (notations: ReadonlyArray<string>) => {
  const numbers = notations.map(waysOf).filter((possible) => possible.length > 0)
  const [plainest, ...others] = ways.filter((way) => numbers.every((possible) => possible.includes(way)))
  if (plainest === undefined) {
    return { why: "the numbers are written in several ways, such as with a decimal comma and a decimal point" }
  }
  const { decimal, group } = plainest
  return others.length < ways.length - 1 && others.some((one) => one.group === decimal)
    ? { why: `every "${decimal}" comes before three digits: it may be a decimal sign or a separator between groups` }
    : { decimal: decimal === "," ? decimal : undefined, group }
}
