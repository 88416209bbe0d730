import { monthNumber } from "../../domain/months.ts"

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
    // Year, month, day: nobody writes year, day, month.
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

export const read = (text: string): Read | undefined => {
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
