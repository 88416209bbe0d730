import { isList, isObject } from "../../domain/json.ts"
import type { Json, JsonObject } from "../../domain/json.ts"
import type { Difference } from "../../domain/report.ts"
import { textChange } from "./textChange.ts"

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
    if (Number(sent.toFixed(digits)) === returned) {
      return `rounded to ${digits} ${digits === 1 ? "decimal" : "decimals"}`
    }
  }
  if (sent === -returned) return "the sign changed"
  for (const factor of [10, 100, 1000]) {
    if (Math.abs(sent * factor - returned) < 1e-6) return `multiplied by ${factor}`
    if (Math.abs(sent / factor - returned) < 1e-6) return `divided by ${factor}`
  }
  return "another number"
}

const texts = (list: ReadonlyArray<Json>) => list.map((each) => JSON.stringify(each))

/** One change for all, or the first few of several. */
const joined = (changes: ReadonlyArray<string>): string => [...new Set(changes)].slice(0, 3).join("; ")

const listChange = (sent: ReadonlyArray<Json>, returned: ReadonlyArray<Json>): string => {
  const [a, b] = [texts(sent), texts(returned)]
  const [missing, more] = [a.filter((each) => !b.includes(each)), b.filter((each) => !a.includes(each))]
  if (missing.length === 0 && more.length === 0) {
    return a.length === b.length ? "the order changed" : "repeated members came or went"
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
 * What happened to an answer, in words under which differences of one question are put together: 300 phone numbers that lost a leading zero are one
 * finding. Names members of objects, and never repeats a value.
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
