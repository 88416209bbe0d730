import { isList, isObject, type Json, type JsonObject } from "../domain/json.ts"
import type { Compared } from "./Kind.ts"

export const same: Compared = { verdict: "same" }
export const different: Compared = { verdict: "different" }
export const equivalent = (normalised: string): Compared => ({ verdict: "equivalent", normalised })

/** Returns the worse of two verdicts on parts of the same value, with everything that was normalised. */
export const both = (a: Compared, b: Compared): Compared => {
  if (a.verdict === "different" || b.verdict === "same") return a
  if (b.verdict === "different" || a.verdict === "same") return b
  return a.normalised === b.normalised ? a : equivalent(`${a.normalised}, ${b.normalised}`)
}

/**
 * Returns a comparison for values that can be written in several ways.
 *
 * @param meaningOf returns undefined or NaN for a value that is not of the kind
 * @param normalised says what differs if the values differ but have the same meaning
 */
export const compareBy =
  (meaningOf: (value: Json) => string | number | boolean | undefined, normalised: string) =>
  (sent: Json, returned: Json): Compared => {
    if (sent === returned) return same
    const meaning = meaningOf(sent)
    return meaning !== undefined && meaning === meaningOf(returned) ? equivalent(normalised) : different
  }

/** Returns a comparison for texts that can be written in several ways, like `compareBy`. */
export const compareTextBy = (meaningOf: (text: string) => string | number | undefined, normalised: string) =>
  compareBy((value) => typeof value === "string" ? meaningOf(value) : undefined, normalised)

const nfc = (text: string) => text.normalize("NFC")
const lineEnds = (text: string) => text.replaceAll(/\r\n?/g, "\n")

/** Compares texts after Unicode NFC and line-end normalisation. */
export const compareText = (sent: Json, returned: Json): Compared => {
  if (sent === returned) return same
  if (typeof sent !== "string" || typeof returned !== "string") return different
  if (nfc(sent) === nfc(returned)) return equivalent("Unicode form")
  if (lineEnds(sent) === lineEnds(returned)) return equivalent("line ends")
  return nfc(lineEnds(sent)) === nfc(lineEnds(returned)) ? equivalent("Unicode form and line ends") : different
}

/** Compares two lists item by item, in their order. */
export const compareLists = (
  sent: Json,
  returned: Json,
  compare: (sent: Json, returned: Json) => Compared,
): Compared => {
  if (!isList(sent) || !isList(returned)) return sent === returned ? same : different
  if (sent.length !== returned.length) return different
  return sent.reduce<Compared>((verdict, each, at) => both(verdict, compare(each, returned[at] ?? null)), same)
}

/** Compares any JSON value: lists in order, members by name, strings as text. Ignores the order of members. */
export const compareJson = (sent: Json, returned: Json): Compared => {
  if (isList(sent)) return compareLists(sent, returned, compareJson)
  if (!isObject(sent)) return compareText(sent, returned)
  if (!isObject(returned)) return different
  const names = Object.keys(sent)
  if (names.length !== Object.keys(returned).length || names.some((name) => !Object.hasOwn(returned, name))) {
    return different
  }
  return names.reduce<Compared>(
    (verdict, name) => both(verdict, compareJson(sent[name] ?? null, returned[name] ?? null)),
    same,
  )
}

/** Whether a value is empty: null, an empty text or list, or an object whose members are all empty. */
export const saysNothing = (value: Json | undefined): boolean => {
  if (value === null || value === undefined || value === "") return true
  return isList(value) ? value.length === 0 : isObject(value) && Object.values(value).every(saysNothing)
}

/** Compares two objects member by member. An empty member equals an absent one. Names the members that only the returned value has. */
export const compareMembers = (
  sent: Json,
  returned: Json,
  compare: (sent: Json, returned: Json) => Compared,
): Compared => {
  if (!isObject(sent) || !isObject(returned)) return sent === returned ? same : different
  let verdict = same
  for (const [member, value] of Object.entries(sent)) {
    const other = Object.hasOwn(returned, member) ? returned[member] ?? null : null
    if (saysNothing(value) !== saysNothing(other)) return different
    if (!saysNothing(value)) verdict = both(verdict, compare(value, other))
  }
  const added = Object.keys(returned).filter((member) => !Object.hasOwn(sent, member))
  if (added.length === 0) return verdict
  return both(verdict, added.every((member) => saysNothing(returned[member])) ? equivalent("empty members") : different)
}

/** Returns an object of the members that have a value. Undefined if no member has one. */
export const objectOf = (members: ReadonlyArray<readonly [string, Json | undefined]>): JsonObject | undefined => {
  const filled = members.filter((member): member is readonly [string, Json] => member[1] !== undefined)
  return filled.length === 0 ? undefined : Object.fromEntries(filled)
}
