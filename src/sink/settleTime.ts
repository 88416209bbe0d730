import { day, type IsoReading, readIso } from "../kinds/wallClock.ts"

/**
 * What the cell of an export says about an answer that was sent:
 * - `agrees`: it is that answer;
 * - `open`: it can't be read, or not surely, and nothing speaks against it;
 * - `near`: it may be that answer, cut or written in another way;
 * - `blank`: nothing stands there, and something was sent;
 * - `differs`: it is another answer.
 */
export type Relation = "agrees" | "open" | "near" | "blank" | "differs"

/** No clock is further from UTC. */
const farthest = 15 * 3_600_000

/** `17/02/2024 10:30`, `2.17.24`, with a time or not; who writes them does not say which of the first two is the day. */
const written = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})(?:[ ,T]+(.*))?$/
const hours = /^(\d{1,2}):(\d\d)(?::(\d\d))?\s*([ap])?\.?m?\.?$/i

const timeIn = (text: string): number | undefined => {
  const [all, hour, minute, second, half] = hours.exec(text.trim()) ?? []
  if (all === undefined) return undefined
  const twelve = half === undefined ? Number(hour) : Number(hour) % 12 + (half.toLowerCase() === "p" ? 12 : 0)
  return (twelve * 3600 + Number(minute) * 60 + Number(second ?? 0)) * 1000
}

interface Moment {
  /** Milliseconds of the wall clock's reading; without a date, since midnight. */
  readonly wall: number
  readonly hasDate: boolean
  readonly hasTime: boolean
  /** Minutes east of UTC; NaN: not told. */
  readonly offset: number
}

/** A time as JavaScript writes it: `Sat Sep 19 2026 15:05:00 GMT-0400 (…)`. */
const javaScript = /^(?:[A-Z][a-z]{2} ){2}\d\d \d{4} \d\d:\d\d:\d\d GMT([+-])(\d\d)(\d\d)/

/** What a text may mean as a date, a time or both. */
const moments = (text: string): ReadonlyArray<Moment> => {
  const iso = readIso(text)
  if (iso !== undefined) return [iso]
  const [told, sign, hour, minute] = javaScript.exec(text) ?? []
  if (told !== undefined) {
    const offset = (Number(hour) * 60 + Number(minute)) * (sign === "-" ? -1 : 1)
    return [{ wall: Date.parse(told) + offset * 60_000, hasDate: true, hasTime: true, offset }]
  }
  const time = timeIn(text)
  if (time !== undefined) return [{ wall: time, hasDate: false, hasTime: true, offset: NaN }]
  const [all, first, second, year, rest] = written.exec(text) ?? []
  const clock = rest === undefined ? undefined : timeIn(rest)
  if (all === undefined || (rest !== undefined && clock === undefined)) {
    const named = /[A-Za-z]{3}/.test(text) && /\d{4}/.test(text) ? Date.parse(`${text} UTC`) : NaN
    return Number.isNaN(named)
      ? []
      : [{ wall: named, hasDate: true, hasTime: /\d:\d\d/.test(text), offset: NaN }]
  }
  const full = Number(year) + (year?.length === 2 ? 2000 : 0)
  return [[first, second], [second, first]].flatMap(([month, date]) => {
    if (Number(month) > 12 || Number(month) < 1 || Number(date) > 31) return []
    return [{
      wall: Date.UTC(full, Number(month) - 1, Number(date)) + (clock ?? 0),
      hasDate: true,
      hasTime: clock !== undefined,
      offset: NaN,
    }]
  })
}

/** How a cell relates to a date, a time or both that was sent. */
export const relateTime = (sent: IsoReading, text: string): Relation => {
  const found = moments(text)
  if (found.length === 0) return "open"
  const relations = found.map((moment): Relation => {
    if (sent.hasDate !== moment.hasDate) return "open"
    if (!sent.hasTime) {
      const days = Math.abs(Math.floor(sent.wall / day) - Math.floor(moment.wall / day))
      // A day that went through an instant and a zone is one off.
      return days === 0 ? "agrees" : days === 1 ? "near" : "differs"
    }
    // What is shown may stop at the minute.
    const apart = (a: number, b: number) => Math.abs(Math.floor(a / 60_000) - Math.floor(b / 60_000))
    if (!sent.hasDate) return apart(sent.wall, moment.wall) === 0 ? "agrees" : "differs"
    if (!moment.hasTime) return Math.abs(sent.wall - moment.wall) <= day + farthest ? "open" : "differs"
    const instant = sent.wall - (Number.isNaN(sent.offset) ? 0 : sent.offset * 60_000)
    if (!Number.isNaN(moment.offset)) {
      return apart(instant, moment.wall - moment.offset * 60_000) === 0 ? "agrees" : "differs"
    }
    // A clock somewhere: what a zone can make of it.
    const difference = apart(instant, moment.wall)
    return difference <= farthest / 60_000 && difference % 15 === 0 ? "open" : "differs"
  })
  return (["agrees", "open", "near"] as const).find((one) => relations.includes(one)) ?? "differs"
}
