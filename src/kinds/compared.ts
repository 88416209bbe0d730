import type { Json, JsonObject } from "../domain/json.ts"
import type { Compared } from "./Kind.ts"

export const same: Compared = { verdict: "same" }
export const different: Compared = { verdict: "different" }
export const equivalent = (normalised: string): Compared => ({ verdict: "equivalent", normalised })

/** The lesser of two verdicts on parts of one value, with all that was normalised. */
export const both = (a: Compared, b: Compared): Compared => {
  if (a.verdict === "different" || b.verdict === "same") return a
  if (b.verdict === "different" || a.verdict === "same") return b
  return a.normalised === b.normalised ? a : equivalent(`${a.normalised}, ${b.normalised}`)
}

const nfc = (text: string) => text.normalize("NFC")
const lineEnds = (text: string) => text.replaceAll(/\r\n?/g, "\n")

/** Text: after Unicode NFC and line-end normalisation (product.md, "Comparing"). */
export const compareText = (sent: Json, returned: Json): Compared => {
  if (sent === returned) return same
  if (typeof sent !== "string" || typeof returned !== "string") return different
  if (nfc(sent) === nfc(returned)) return equivalent("Unicode form")
  if (lineEnds(sent) === lineEnds(returned)) return equivalent("line ends")
  return nfc(lineEnds(sent)) === nfc(lineEnds(returned)) ? equivalent("Unicode form and line ends") : different
}

export const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)
export const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Any JSON value: lists in order, members by name, strings as text. Members may stand in any order. */
export const compareJson = (sent: Json, returned: Json): Compared => {
  if (sent === returned) return same
  if (isList(sent)) {
    if (!isList(returned) || sent.length !== returned.length) return different
    let verdict = same
    for (let index = 0; index < sent.length && verdict.verdict !== "different"; index++) {
      verdict = both(verdict, compareJson(sent[index] ?? null, returned[index] ?? null))
    }
    return verdict
  }
  if (isObject(sent)) {
    if (!isObject(returned)) return different
    const names = Object.keys(sent)
    if (names.length !== Object.keys(returned).length) return different
    let verdict = same
    for (const name of names) {
      if (verdict.verdict === "different" || !Object.hasOwn(returned, name)) return different
      verdict = both(verdict, compareJson(sent[name] ?? null, returned[name] ?? null))
    }
    return verdict
  }
  return compareText(sent, returned)
}
