import { type Cell, DateCell } from "../../domain/cell.ts"
import { monthNumber } from "../../domain/months.ts"
import { readIso } from "../../kinds/wallClock.ts"

const numeric = /^(\d{1,2})([-./ ])(\d{1,2})\2(\d{4}|\d{2})(?!\d)/

const yearFirst = /^(\d{4})([./ ])(\d{1,2})\2(\d{1,2})(?!\d)/

const dayNamed = /^(\d{1,2})([-. ]|\. )([A-Za-z]{3,9})([-. ]|, )(\d{4}|\d{2})(?!\d)/

const monthNamed = /^([A-Za-z]{3,9})([-. ])(\d{1,2})(, |[-. ])(\d{4})(?!\d)/

const timeOf = /^([T ,]+)?(\d{1,2}):(\d{2})(:\d{2})?(\.\d{3})?( ?[AaPp][Mm])?(?: ?(Z|[+-]\d\d:\d\d))?$/

const monthField = (word: string): string | undefined =>
  monthNumber(word) === undefined ? undefined : word.length === 3 ? "MMM" : "MMMM"

interface Read {
  readonly date: string
  readonly time: string
  readonly first: number
  readonly second: number
  readonly paddedFirst: boolean
  readonly paddedSecond: boolean
  readonly paddedHour: boolean
  readonly offset: boolean
}

interface DateParts {
  readonly date: string
  readonly first: string
  readonly second: string
  readonly length: number
}

const datePart = (text: string): DateParts | undefined => {
  const numbers = numeric.exec(text)
  if (numbers !== null) {
    const [whole, first = "", sign = "", second = "", year = ""] = numbers
    return { date: `N${sign}N${sign}Y${year.length}`, first, second, length: whole.length }
  }
  const reversed = yearFirst.exec(text)
  if (reversed !== null) {
    const [whole, , sign = "", first = "", second = ""] = reversed
    // If the year comes first, the order is year, month, day.
    return Number(first) > 12 ? undefined : { date: `Y4${sign}M${sign}D`, first, second, length: whole.length }
  }
  const day = dayNamed.exec(text)
  if (day !== null) {
    const [whole, first = "", sign = "", month = "", next = "", year = ""] = day
    const field = monthField(month)
    return field === undefined
      ? undefined
      : { date: `D${sign}${field}${next}Y${year.length}`, first, second: "1", length: whole.length }
  }
  const named = monthNamed.exec(text)
  if (named !== null) {
    const [whole, month = "", sign = "", first = "", next = ""] = named
    const field = monthField(month)
    return field === undefined
      ? undefined
      : { date: `${field}${sign}D${next}Y4`, first, second: "1", length: whole.length }
  }
  return undefined
}

const read = (text: string): Read | undefined => {
  const found = datePart(text)
  const rest = text.slice(found?.length ?? 0)
  if (found !== undefined && (Number(found.first) > 31 || Number(found.second) > 31)) return undefined
  const time = rest === "" ? undefined : timeOf.exec(rest)
  if (rest !== "" && (time === null || time === undefined)) return undefined
  const [, gap = "", hour = "", , seconds = "", fraction = "", half = "", offset] = time ?? []
  if (time !== undefined && (gap === "") !== (found === undefined)) return undefined
  if (found === undefined && time === undefined) return undefined
  if (time !== undefined && (Number(hour) > 23 || (half !== "" && Number(hour) > 12))) return undefined
  const written = time === undefined ? "" : [
    gap.replace("T", "'T'"),
    half === "" ? "H" : "h",
    ":mm",
    seconds === "" ? "" : ":ss",
    fraction === "" ? "" : ".SSS",
    half === "" ? "" : half.startsWith(" ") ? " a" : "a",
    offset === undefined ? "" : rest.includes(` ${offset}`) ? " ZZ" : "ZZ",
  ].join("")
  return {
    date: found?.date ?? "",
    time: written,
    first: Number(found?.first ?? 0),
    second: Number(found?.second ?? 0),
    paddedFirst: found?.first.length === 2,
    paddedSecond: found?.second.length === 2,
    paddedHour: hour.length === 2,
    offset: offset !== undefined,
  }
}

/** One way of writing dates in a column. */
interface Writing {
  /** The date's fields and separators, such as `N/N/Y4`, `N. MMM Y4`; "" for times alone. */
  readonly date: string
  /** The time's fields and separators, such as ` N:NN:NN a`; "" for dates alone. */
  readonly time: string
  count: number
  /** The largest value of the first number and of the second number. A number above 12 is not a month. */
  first: number
  second: number
  /** Whether each number had two digits. */
  paddedFirst: boolean
  paddedSecond: boolean
  paddedHour: boolean
}

/** How the dates and times of a column are written. */
export interface DateEvidence {
  readonly writings: ReadonlyArray<Readonly<Writing>>
  /** The number of cells that need no format: ISO texts and a workbook's date cells. */
  readonly iso: number
  /** How many cells have a day, how many have a time, and how many have an offset, in any notation. */
  readonly withDay: number
  readonly withTime: number
  readonly withOffset: number
}

/** Which parts of a date and time a cell contains. */
interface DateShape {
  readonly day: boolean
  readonly time: boolean
}

/** Collects how the dates of a column are written. */
export const collectDates = () => {
  const writings = new Map<string, Writing>()
  const counts = { iso: 0, withDay: 0, withTime: 0, withOffset: 0 }
  const note = (shape: DateShape, offset: boolean, iso: boolean): DateShape => {
    if (iso) counts.iso++
    if (shape.day) counts.withDay++
    if (shape.time) counts.withTime++
    if (offset) counts.withOffset++
    return shape
  }
  return {
    add: (cell: Cell, text: string): DateShape | undefined => {
      if (text.length > 40 || typeof cell === "number" || !/\d/.test(text)) return undefined
      const iso = readIso(cell instanceof DateCell ? cell.iso : text)
      if (iso !== undefined) {
        return note({ day: iso.hasDate, time: iso.hasTime }, !Number.isNaN(iso.offset), true)
      }
      const found = read(text)
      if (found === undefined) return undefined
      const key = `${found.date}|${found.time}`
      const known = writings.get(key)
      if (known === undefined) writings.set(key, { ...found, count: 1 })
      else {
        known.count++
        known.first = Math.max(known.first, found.first)
        known.second = Math.max(known.second, found.second)
        known.paddedFirst &&= found.paddedFirst
        known.paddedSecond &&= found.paddedSecond
        known.paddedHour &&= found.paddedHour
      }
      return note({ day: found.date !== "", time: found.time !== "" }, found.offset, false)
    },
    evidence: (): DateEvidence => ({ writings: [...writings.values()].map((one) => ({ ...one })), ...counts }),
  }
}

/** Returns the luxon format for a way of writing dates. Returns two formats if the cells don't show whether the day or the month comes first. */
const formatsOf = (writing: Readonly<Writing>): ReadonlyArray<string> => {
  const two = (padded: boolean, letter: string) => padded ? letter + letter : letter
  const time = writing.time.replace(/[Hh]/, (letter) => two(writing.paddedHour, letter))
  const year = (date: string) => date.replace("Y4", "yyyy").replace("Y2", "yy")
  if (!writing.date.startsWith("N")) {
    const date = writing.date.startsWith("Y")
      ? writing.date.replace("M", two(writing.paddedFirst, "M")).replace("D", two(writing.paddedSecond, "d"))
      : writing.date.replace("D", two(writing.paddedFirst, "d"))
    return [year(date) + time]
  }
  // If days have no leading zero, months have none either, even if no cell shows it.
  const padded = writing.paddedFirst && writing.paddedSecond
  const ordered = (a: string, b: string) =>
    year(writing.date.replace("N", two(padded, a)).replace("N", two(padded, b))) + time
  const dayFirst = ordered("d", "M")
  const monthFirst = ordered("M", "d")
  if (writing.first > 12 && writing.second > 12) return [dayFirst, monthFirst]
  if (writing.first > 12) return [dayFirst]
  if (writing.second > 12) return [monthFirst]
  // With dots, the day comes first in every language (CLDR).
  return writing.date[1] === "." ? [dayFirst] : [dayFirst, monthFirst]
}

/** The formats of a column's dates. */
type DateFormats =
  | { readonly _tag: "Decided"; readonly formats: ReadonlyArray<string> }
  /** The cells don't show which format is right: the possible formats, and the reason. */
  | { readonly _tag: "Open"; readonly formats: ReadonlyArray<string>; readonly why: string }

/** Returns the formats of a column's dates. ISO texts and date cells need none. */
export const dateFormats = ({ writings }: DateEvidence): DateFormats => {
  const each = writings.map((writing) => ({ writing, formats: formatsOf(writing) }))
  const undecided = each.find(({ formats }) => formats.length > 1)
  if (undecided !== undefined) {
    // Dates written in another way, but with the same separator, may show the order.
    const sign = undecided.writing.date[1]
    const both = undecided.writing.first > 12 && undecided.writing.second > 12
    const decisive = both
      ? undefined
      : each.find(({ formats, writing }) =>
        formats.length === 1 && writing.date.startsWith("N") && writing.date[1] === sign
      )
    if (decisive === undefined) {
      return {
        _tag: "Open",
        formats: undecided.formats,
        why: both
          ? "in some cells only the first number can be the day, in others only the second"
          : "no cell shows whether the day or the month comes first",
      }
    }
    const dayFirst = decisive.formats[0]?.startsWith("d") === true
    const decided = each.map(({ formats }) =>
      formats.length === 1 ? formats : formats.slice(dayFirst ? 0 : 1, dayFirst ? 1 : 2)
    )
    return { _tag: "Decided", formats: [...new Set(decided.flat())] }
  }
  return { _tag: "Decided", formats: [...new Set(each.flatMap(({ formats }) => formats))] }
}
