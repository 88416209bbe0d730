import type { Json } from "../../domain/json.ts"
import { count } from "../../domain/words.ts"
import { sequenceSign } from "../fileContent.ts"
import { limits } from "../limits.ts"
import { UnreadableText } from "../text/readText.ts"
import { pointerOf } from "./pointer.ts"
import { deepest, RepeatedMember, TooDeep, walkJson } from "./walk.ts"

/** A record, with its line in a JSON Lines file, or a line of such a file that can't be read as a record. */
export type JsonRecord = { readonly value: Json; readonly line?: number } | {
  readonly line: number
  readonly text: string
  readonly fault: "malformed" | "deep" | "repeated"
}

/** Splits JSON that arrives in pieces into records. */
export interface JsonReader {
  /** Returns the records that `text` completes. `last` says whether this is the last piece. Throws `UnreadableText`. */
  readonly push: (text: string, last: boolean) => ReadonlyArray<JsonRecord>
  /** Returns the number, counting from 1, of the line at which the text passed so far ends. Used for JSON lines only. */
  readonly line: () => number
  /** How many values were seen outside the records so far, by path. */
  readonly outside: ReadonlyMap<string, number>
}

/** The maximum number of names that are counted separately. */
const mostNames = 50

/** Returns the name under which something is counted. All names after the first ones are counted together. */
export const countedAs = (counts: ReadonlyMap<string, unknown>, name: string): string =>
  counts.has(name) || counts.size < mostNames ? name : "others"

/** Reads records that are the elements of an array. */
export const readElements = (place: ReadonlyArray<string>): JsonReader => {
  let records: Array<JsonRecord> = []
  let line = 1
  const outside = new Map<string, number>()
  const walk = walkJson({
    target: place,
    record: (value) => records.push({ value }),
    outside: (place) => {
      const name = countedAs(outside, pointerOf(place))
      outside.set(name, (outside.get(name) ?? 0) + 1)
    },
  })
  return {
    push: (text, last) => {
      walk.push(text)
      if (last) {
        walk.end()
        if (!walk.reached()) {
          throw new UnreadableText(`There is no list of records at ${pointerOf(place)}. Correct \`source.records\`.`)
        }
      }
      line += text.split("\n").length - 1
      const given = records
      records = []
      return given
    },
    line: () => line,
    outside,
  }
}

/** Whether a string has so many opening brackets that values may be nested too deep. */
const opensOften = (text: string): boolean => {
  let opened = 0
  for (let at = 0; at < text.length && opened < deepest; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x5b || code === 0x7b) opened++
  }
  return opened >= deepest
}

const membersOf = (value: Json): number =>
  typeof value !== "object" || value === null
    ? 0
    : Object.values(value).reduce<number>(
      (sum, one) => sum + membersOf(one),
      Array.isArray(value) ? 0 : Object.keys(value).length,
    )

/** Whether JSON.parse may have dropped members whose name occurs twice. Every name is followed by a colon, but so is the first quote of the text ":". */
const mayLackMembers = (text: string, value: Json): boolean => (text.match(/"\s*:/g) ?? []).length > membersOf(value)

/**
 * Returns the value of a JSON text. Throws `SyntaxError` or `UnreadableText`. Uses the slower reader if JSON.parse would round numbers or drop members,
 * or if the nesting may be too deep.
 */
export const parseJson = (text: string): Json => {
  if (!/\d(?:\.?\d){15}|[eE][+-]?\d{3}/.test(text) && !opensOften(text)) {
    const parsed = JSON.parse(text) as Json
    if (!mayLackMembers(text, parsed)) return parsed
  }
  let value: Json = null
  const walk = walkJson({ target: [], record: (element) => void (value = element) })
  walk.push(`[${text}]`)
  walk.end()
  return value
}

/** Whether a text is the beginning of a JSON object or array, but not all of it. */
export const isCutJson = (text: string): boolean => {
  if (!/^\s*[[{]/.test(text)) return false
  const walk = walkJson({ target: undefined, record: () => {} })
  try {
    walk.push(text)
  } catch {
    return false
  }
  try {
    walk.end()
    return false
  } catch {
    return true
  }
}

/** Reads records that are lines of JSON, or texts of one or more lines in a JSON text sequence. Empty ones are not records. */
export const readLines = (): JsonReader => {
  let rest = ""
  let separator: string | undefined
  /** The number of line ends before `rest`. */
  let ends = 0
  return {
    push: (text, last) => {
      const records: Array<JsonRecord> = []
      const all = rest + text
      if (all !== "") separator ??= all.startsWith(sequenceSign) ? sequenceSign : "\n"
      const parts = all.split(separator ?? "\n")
      rest = last ? "" : parts.pop() ?? ""
      for (const each of parts) {
        const line = ends + 1
        ends += separator === "\n" ? 1 : each.split("\n").length - 1
        const trimmed = each.trim()
        if (trimmed === "") continue
        try {
          records.push({ value: parseJson(trimmed), line })
        } catch (error) {
          if (!(error instanceof SyntaxError) && !(error instanceof UnreadableText)) throw error
          const fault = error instanceof TooDeep ? "deep" : error instanceof RepeatedMember ? "repeated" : "malformed"
          records.push({ line, text: trimmed, fault })
        }
      }
      if (rest.length > limits.record) {
        throw new UnreadableText(
          `Line ${count(ends + 1)} is longer than ${count(limits.record)} characters, which is the limit.`,
        )
      }
      return records
    },
    line: () => ends + 1,
    outside: new Map(),
  }
}
