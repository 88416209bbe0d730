import { isList, isObject, type Json, type JsonObject } from "../domain/json.ts"
import type { Difference } from "../domain/report.ts"
import { millisIn } from "../domain/times.ts"
import { counted } from "../domain/words.ts"

/**
 * Describes a known way in which services change a string, or returns undefined. The list starts with the most specific
 * ways.
 */
type Change = (sent: string, returned: string) => string | undefined

const becomes = (words: string, change: (sent: string) => string): Change => (sent, returned) =>
  change(sent) === returned ? words : undefined

const bare = (text: string) => text.normalize("NFD").replaceAll(/\p{M}/gu, "")
const spaceless = (text: string) => text.replaceAll(/\s+/gu, "")

/** Returns the characters to remove from `whole` to get `part`. Undefined if that is not possible. */
const takenOut = (whole: string, part: string): ReadonlyArray<string> | undefined => {
  const out: Array<string> = []
  const kept = Array.from(part)
  let at = 0
  for (const character of whole) {
    if (character === kept[at]) at++
    else out.push(character)
  }
  return at === kept.length ? out : undefined
}

const every = (characters: ReadonlyArray<string>, pattern: RegExp) => characters.every((one) => pattern.test(one))

const lost: Change = (sent, returned) => {
  const out = takenOut(sent, returned)
  if (out === undefined) return undefined
  if (every(out, /^[\r\n]$/)) return "line breaks were removed"
  if (every(out, /^\s$/u)) return "white space was removed"
  if (every(out, /^\p{Cc}$/u)) return "control characters were removed"
  if (every(out, /^(?:[\u{10000}-\u{10FFFF}]|\u200D|\uFE0F)$/u)) {
    return "characters beyond U+FFFF, such as emoji, were removed"
  }
  if (every(out, /^[\p{P}\p{S}\s]$/u)) return "punctuation was removed"
  return undefined
}

const cutOff: Change = (sent, returned) => {
  if (sent.startsWith(returned)) return "cut off at the end"
  if (sent.endsWith(returned)) return "cut off at the start"
  return sent.includes(returned) ? "cut off at both ends" : undefined
}

const added: Change = (sent, returned) => {
  if (returned.startsWith(sent)) return "text was added at the end"
  if (returned.endsWith(sent)) return "text was added at the start"
  return returned.includes(sent) ? "text was added at both ends" : undefined
}

/** Detects that single characters were replaced by question marks, and nothing else changed. */
const questionMarks: Change = (sent, returned) => {
  const [a, b] = [Array.from(sent), Array.from(returned)]
  if (a.length !== b.length) return undefined
  return a.every((one, at) => one === b[at] || b[at] === "?" || b[at] === "\uFFFD")
    ? "characters were replaced by question marks"
    : undefined
}

const isoDay = /^(\d{4})-(\d\d)-(\d\d)$/
const isoMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[-+]\d\d:\d\d)$/
const clock = /^(\d\d):(\d\d)(?::(\d\d))?$/

const signed = (value: number, unit: string) => `${value < 0 ? "−" : "+"}${Math.abs(value)} ${unit}`

const otherDay: Change = (sent, returned) => {
  const [a, b] = [isoDay.exec(sent), isoDay.exec(returned)]
  if (a === null || b === null) return undefined
  if (a[1] === b[1] && a[2] === b[3] && a[3] === b[2]) return "day and month were swapped"
  const days = (Date.parse(returned) - Date.parse(sent)) / millisIn.day
  return Math.abs(days) <= 7 ? `moved by ${signed(days, Math.abs(days) === 1 ? "day" : "days")}` : "another day"
}

const otherMoment: Change = (sent, returned) => {
  if (!isoMoment.test(sent) || !isoMoment.test(returned)) return undefined
  const minutes = (Date.parse(returned) - Date.parse(sent)) / 60_000
  if (!Number.isFinite(minutes)) return "another time"
  if (Math.abs(minutes) < 1) return "seconds were lost"
  if (Math.abs(minutes) > 24 * 60 || minutes % 15 !== 0) return "another time"
  return minutes % 60 === 0 ? `moved by ${signed(minutes / 60, "h")}` : `moved by ${signed(minutes, "min")}`
}

const otherClock: Change = (sent, returned) => {
  const [a, b] = [clock.exec(sent), clock.exec(returned)]
  if (a === null || b === null) return undefined
  const minutes = (Number(b[1]) - Number(a[1])) * 60 + Number(b[2]) - Number(a[2])
  if (minutes === 0) return "seconds were lost"
  return minutes % 60 === 0 ? `moved by ${signed(minutes / 60, "h")}` : "another time"
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

const leadingZeros: Change = (sent, returned) => {
  const zeros = /^([+-]?)0+(?=.)/.exec(sent)
  return zeros !== null && (zeros[1] ?? "") + sent.slice(zeros[0].length) === returned
    ? "leading zeros were lost"
    : undefined
}

const textChanges: ReadonlyArray<Change> = [
  (_, returned) => (returned === "" ? "became empty" : undefined),
  otherDay,
  otherMoment,
  otherClock,
  leadingZeros,
  becomes("white space at the ends was removed", (text) => text.trim()),
  becomes("line breaks became spaces", (text) => text.replaceAll(/\r\n|[\r\n]/g, " ")),
  becomes("repeated white space was reduced to one space", (text) => text.replaceAll(/\s+/gu, " ")),
  becomes("markup was removed", (text) => text.replaceAll(/<[^>]*>/g, "")),
  becomes("markup was escaped", (text) => text.replaceAll(/[&<>"]/g, (sign) => entities[sign] ?? sign)),
  becomes("changed to upper case", (text) => text.toUpperCase()),
  becomes("changed to lower case", (text) => text.toLowerCase()),
  (sent, returned) => sent.toLowerCase() === returned.toLowerCase() ? "letter case changed" : undefined,
  (sent, returned) => spaceless(sent) === spaceless(returned) ? "white space changed" : undefined,
  (sent, returned) => bare(sent) === bare(returned) ? "accents were lost or changed" : undefined,
  becomes("UTF-8 was read as Latin-1", (text) => Buffer.from(text, "utf8").toString("latin1")),
  questionMarks,
  lost,
  cutOff,
  added,
]

/** Describes how a string changed, without repeating any part of it. */
const textChange = (sent: string, returned: string): string => {
  for (const change of textChanges) {
    const words = change(sent, returned)
    if (words !== undefined) return words
  }
  return "another text"
}

const typeName = (value: Json): string =>
  value === null
    ? "nothing"
    : Array.isArray(value)
    ? "a list"
    : { string: "text", number: "a number", boolean: "yes or no", object: "an object" }[
      typeof value as "string" | "number" | "boolean" | "object"
    ]

const numberChange = (sent: number, returned: number): string => {
  if (Math.trunc(sent) === returned) return "decimals were cut off"
  if (Math.round(sent) === returned) return "rounded to a whole number"
  for (const digits of [1, 2, 3]) {
    if (Number(sent.toFixed(digits)) === returned) return `rounded to ${counted(digits, "decimal")}`
  }
  if (sent === -returned) return "the sign changed"
  for (const factor of [10, 100, 1000]) {
    if (Math.abs(sent * factor - returned) < 1e-6) return `multiplied by ${factor}`
    if (Math.abs(sent / factor - returned) < 1e-6) return `divided by ${factor}`
  }
  return "another number"
}

const texts = (list: ReadonlyArray<Json>) => list.map((each) => JSON.stringify(each))

/** Joins the distinct changes, at most the first few. */
const joined = (changes: ReadonlyArray<string>): string => [...new Set(changes)].slice(0, 3).join("; ")

const listChange = (sent: ReadonlyArray<Json>, returned: ReadonlyArray<Json>): string => {
  const [a, b] = [texts(sent), texts(returned)]
  const [missing, more] = [a.filter((each) => !b.includes(each)), b.filter((each) => !a.includes(each))]
  if (missing.length === 0 && more.length === 0) {
    return a.length === b.length ? "the order changed" : "repeated members were added or removed"
  }
  if (more.length === 0) return b.length === 0 ? "the list became empty" : "members of the list were lost"
  if (missing.length === 0) return "members were added to the list"
  if (sent.length !== returned.length) return "another list"
  return `in the list: ${
    joined(sent.flatMap((each, at) => (a[at] === b[at] ? [] : [change(each, returned[at] ?? null)])))
  }`
}

const objectChange = (sent: JsonObject, returned: JsonObject): string => {
  const names = [...new Set([...Object.keys(sent), ...Object.keys(returned)])]
  const changes = names.flatMap((name) => {
    const [a, b] = [sent[name] ?? null, returned[name] ?? null]
    return JSON.stringify(a) === JSON.stringify(b) ? [] : [`${name}: ${change(a, b)}`]
  })
  return changes.length === 0 ? "another object" : joined(changes)
}

const change = (sent: Json, returned: Json): string => {
  if (sent === null) return "filled"
  if (returned === null) return "lost"
  if (typeof sent === "string" && typeof returned === "string") return textChange(sent, returned)
  if (typeof sent === "number" && typeof returned === "number") return numberChange(sent, returned)
  if (typeof sent === "boolean" && typeof returned === "boolean") return `${sent} became ${returned}`
  if (isList(sent) && isList(returned)) return listChange(sent, returned)
  if (isObject(sent) && isObject(returned)) return objectChange(sent, returned)
  return `${typeName(sent)} came back as ${typeName(returned)}`
}

/**
 * Describes what happened to an answer, in words that group the differences of a question. For example, 300 phone numbers that lost a leading zero are one finding. Names the members of objects, but
 * never repeats a value.
 */
export const patternOf = (difference: Pick<Difference, "verdict" | "sent" | "returned">): string => {
  switch (difference.verdict) {
    case "absent":
      return difference.sent === undefined ? "removed since it was verified" : "did not come back"
    case "unexpected":
      return "came back without being sent"
    case "not comparable":
      return "of a type that formferry does not know: not compared"
    default:
      if (difference.sent === undefined) return "edited since it was verified"
      return change(difference.sent, difference.returned ?? null)
  }
}
