import { type Cell, cellText, DateCell, JsonCell } from "../domain/cell.ts"
import type { Option } from "../domain/form.ts"
import { isList, isObject, type Json, parsedJson } from "../domain/json.ts"
import { millisIn } from "../domain/times.ts"
import { saysNothing } from "../kinds/compared.ts"
import { isFile } from "../kinds/files.ts"
import { compareAnswer } from "../kinds/submission.ts"
import { type IsoReading, largestOffset, readIso } from "../kinds/wallClock.ts"

/**
 * How a cell of an export relates to an answer that was sent:
 * - `agrees`: it is that answer.
 * - `open`: it can't be read with certainty, and nothing contradicts the answer.
 * - `near`: it may be that answer, but cut or written differently.
 * - `blank`: it is empty, although an answer was sent.
 * - `differs`: it is a different answer.
 */
export type Relation = "agrees" | "open" | "near" | "blank" | "differs"

/** An answer that was sent, and what is known about its question. */
export interface SentAnswer {
  readonly value: Json
  readonly kind: string | undefined
  readonly options: ReadonlyArray<Option> | undefined
}

/** How many letters two strings must share at the start to count as near. */
const shortest = 3

/** Returns a string in lower case, without spaces and punctuation. */
const bare = (text: string): string => text.normalize("NFKC").toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "")

/** Returns a text without the apostrophe that prevents a spreadsheet from calculating it. */
const withoutGuard = (text: string): string => /^'[=+\-@\t\r]/.test(text) ? text.slice(1) : text

const joined = (texts: ReadonlyArray<string>): string => texts.filter((text) => text !== "").join(" ")

const fromJson = (text: string): Json | undefined => /^[[{]/.test(text) ? parsedJson(text) : undefined

/**
 * Returns how cells of an export relate to an answer that was sent. Several cells contain the parts of one answer. The comparison is tolerant,
 * because an export is made for people.
 */
export const relate = (sent: SentAnswer, cells: ReadonlyArray<Cell | undefined>): Relation => {
  const [cell] = cells
  const texts = cells.map((each) => cellText(each).trim())
  const [text, whole] = [joined(texts.map(withoutGuard)), joined(texts)]
  if (saysNothing(sent.value)) return text === "" ? "agrees" : "differs"
  // Some tools leave the cell of an unticked box empty.
  if (text === "") return sent.value === false ? "open" : "blank"
  const value = cell instanceof JsonCell ? cell.value : typeof cell === "number" || typeof cell === "boolean"
    ? cell
    : fromJson(text)
  const isEqual = (shown: Json | undefined) =>
    shown !== undefined && compareAnswer(sent.kind, sent.value, shown).verdict !== "different"
  // The apostrophe may also have been part of the answer. Then the cell fits two different answers, and a person decides.
  if (isEqual(value) || isEqual(text) || (whole !== text && isEqual(whole))) return "agrees"
  if (typeof sent.value === "string") return relateText(sent.value, sent, cell, text)
  if (typeof sent.value === "number") return relateNumber(sent.value, text)
  if (typeof sent.value === "boolean") return relateBoolean(sent.value, text)
  if (isList(sent.value) && sent.value.every((each) => typeof each === "string")) {
    return relateList(sent.value, sent, text)
  }
  return relateLeaves(sent.value, text)
}

const relateText = (value: string, { kind, options }: SentAnswer, cell: Cell | undefined, text: string): Relation => {
  const iso = readIso(value)
  const dated = iso !== undefined && (kind === undefined || kind === "date" || kind === "time" || kind === "dateTime")
  if (dated) return relateTime(iso, cell instanceof DateCell ? cell.iso : text)
  const chosen = options?.filter((option) => option.value === value || bare(option.label) === bare(value)) ?? []
  if (chosen.some((option) => bare(option.label) === bare(text) || option.value === text)) return "agrees"
  if (options?.some((option) => option.label.trim() === text || option.value === text) === true) return "differs"
  if (kind === "phone") return relatePhone(value, text)
  const [a, b] = [bare(value), bare(text)]
  if (a === b) return "near"
  const [less, more] = a.length < b.length ? [a, b] : [b, a]
  return less.length >= shortest && more.startsWith(less) ? "near" : "differs"
}

/**
 * Compares phone numbers. A number in local form lacks its first digits. A workbook may show a long number as a power
 * of ten.
 */
const relatePhone = (value: string, text: string): Relation => {
  if (/\de\+?\d/i.test(text)) return "open"
  const [a, b] = [value, text].map((each) => each.replaceAll(/\D/g, ""))
  if (a === undefined || b === undefined || b === "") return "differs"
  if (a === b) return "agrees"
  return b.length >= 6 && (a.endsWith(b.replace(/^0+/, "")) || b.endsWith(a)) ? "near" : "differs"
}

const relateNumber = (value: number, text: string): Relation => {
  const digits = text.replaceAll(/[^\d.,eE+-]/g, "")
  const readings = [digits.replaceAll(",", ""), digits.replaceAll(".", "").replace(",", ".")]
    .filter((each) => /\d/.test(each))
    .map(Number).filter((each) => Number.isFinite(each))
  if (readings.length === 0) return "open"
  if (readings.includes(value)) return "agrees"
  return readings.some((each) => Math.abs(each - value) < 1) ? "near" : "differs"
}

const yes = new Set(["true", "yes", "1", "x", "on", "checked"])
const no = new Set(["false", "no", "0", "off", "unchecked"])

const relateBoolean = (value: boolean, text: string): Relation => {
  const token = text.toLowerCase()
  if (!yes.has(token) && !no.has(token)) return "open"
  return yes.has(token) === value ? "agrees" : "differs"
}

const letter = /[\p{L}\p{N}]/u

/** Returns the index at which a string contains a name as a whole word, or -1. */
const wordIn = (text: string, name: string): number => {
  if (name === "") return -1
  for (let from = text.indexOf(name); from >= 0; from = text.indexOf(name, from + 1)) {
    if (!letter.test(text[from - 1] ?? "") && !letter.test(text[from + name.length] ?? "")) return from
  }
  return -1
}

/**
 * Compares the choices in one cell, with any separator. The cell must contain all choices that were sent and nothing
 * else. For a ranking, the order must also be the same.
 */
const relateList = (
  values: ReadonlyArray<string>,
  { kind, options }: SentAnswer,
  text: string,
): Relation => {
  const names = values.flatMap((value, index) => {
    const labels = options?.filter((option) => option.value === value).map((option) => option.label) ?? []
    return [value, ...labels].map((name) => ({ name, index }))
  })
  let rest = text
  const at: Array<number> = []
  // The longest names go first, because a name may contain a shorter one.
  for (const { index, name } of names.toSorted((a, b) => b.name.length - a.name.length)) {
    const from = at[index] === undefined ? wordIn(rest, name) : -1
    if (from < 0) continue
    at[index] = from
    rest = rest.slice(0, from) + " ".repeat(name.length) + rest.slice(from + name.length)
  }
  const found = at.filter((place) => place !== undefined).length
  const nothingElse = bare(rest) === ""
  if (found === 0) return "differs"
  if (found < values.length || !nothingElse) return "near"
  return kind !== "ranking" || at.every((place, index) => index === 0 || place > (at[index - 1] ?? 0))
    ? "agrees"
    : "differs"
}

const leaves = (value: Json): ReadonlyArray<string> => {
  if (isList(value)) return value.flatMap(leaves)
  if (isObject(value)) return Object.values(value).flatMap(leaves)
  return value === null || value === "" ? [] : [String(value)]
}

/**
 * Compares an address, a matrix or files by the strings in them, in any order. Tools show different parts of these
 * values, so the cell differs only if it contains none of the strings.
 */
const relateLeaves = (value: Json, text: string): Relation => {
  const shown = bare(text)
  const all = leaves(value).map(bare).filter((leaf) => leaf !== "")
  const found = all.filter((leaf) => shown.includes(leaf)).length
  if (found === all.length) return "agrees"
  // The service stores files under its own addresses.
  const files = isList(value) && value.every(isFile)
  return found > 0 || files ? "open" : "differs"
}

/** Matches `17/02/2024 10:30` and `2.17.24`. It is unknown which of the first two numbers is the day. */
const written = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})(?:[ ,T]+(.*))?$/
const hours = /^(\d{1,2}):(\d\d)(?::(\d\d))?\s*([ap])?\.?m?\.?$/i

const timeIn = (text: string): number | undefined => {
  const [all, hour, minute, second, half] = hours.exec(text.trim()) ?? []
  if (all === undefined) return undefined
  const twelve = half === undefined ? Number(hour) : Number(hour) % 12 + (half.toLowerCase() === "p" ? 12 : 0)
  return (twelve * 3600 + Number(minute) * 60 + Number(second ?? 0)) * 1000
}

interface Moment {
  /** The time on the wall clock in milliseconds since 1970, or since midnight if there is no date. */
  readonly wall: number
  readonly hasDate: boolean
  readonly hasTime: boolean
  /** Minutes east of UTC. NaN if that is unknown. */
  readonly offset: number
}

/** Matches a date and time as JavaScript formats it: `Sat Sep 19 2026 15:05:00 GMT-0400 (…)`. */
const javaScript = /^(?:[A-Z][a-z]{2} ){2}\d\d \d{4} \d\d:\d\d:\d\d GMT([+-])(\d\d)(\d\d)/

/** Returns the possible meanings of a string as a date, a time or both. */
const moments = (text: string): ReadonlyArray<Moment> => {
  const iso = readIso(text)
  if (iso !== undefined) return [iso]
  const [whole, sign, hour, minute] = javaScript.exec(text) ?? []
  if (whole !== undefined) {
    const offset = (Number(hour) * 60 + Number(minute)) * (sign === "-" ? -1 : 1)
    return [{ wall: Date.parse(whole) + offset * 60_000, hasDate: true, hasTime: true, offset }]
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

/** Returns how a string relates to a date, a time or both that were sent. */
const relateTime = (sent: IsoReading, text: string): Relation => {
  const found = moments(text)
  if (found.length === 0) return "open"
  const relations = found.map((moment): Relation => {
    if (sent.hasDate !== moment.hasDate) return "open"
    if (!sent.hasTime) {
      const days = Math.abs(Math.floor(sent.wall / millisIn.day) - Math.floor(moment.wall / millisIn.day))
      // A day that was converted to an instant, and back in a different time zone, may be off by one.
      return days === 0 ? "agrees" : days === 1 ? "near" : "differs"
    }
    // An export may omit seconds.
    const apart = (a: number, b: number) => Math.abs(Math.floor(a / 60_000) - Math.floor(b / 60_000))
    if (!sent.hasDate) return apart(sent.wall, moment.wall) === 0 ? "agrees" : "differs"
    if (!moment.hasTime) return Math.abs(sent.wall - moment.wall) <= millisIn.day + largestOffset ? "open" : "differs"
    const instant = sent.wall - (Number.isNaN(sent.offset) ? 0 : sent.offset * 60_000)
    if (!Number.isNaN(moment.offset)) {
      return apart(instant, moment.wall - moment.offset * 60_000) === 0 ? "agrees" : "differs"
    }
    // For a wall clock in an unknown time zone, any offset of whole quarter hours is possible.
    const difference = apart(instant, moment.wall)
    return difference <= largestOffset / 60_000 && difference % 15 === 0 ? "open" : "differs"
  })
  return (["agrees", "open", "near"] as const).find((one) => relations.includes(one)) ?? "differs"
}
