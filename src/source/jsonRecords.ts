import type { Json } from "../domain/json.ts"
import { deepest, pointerOf, TooDeep, UnreadableJson, walkJson } from "./jsonWalk.ts"
import { limits, thousands } from "./limits.ts"

/** A record of a JSON text, or a line of JSON lines that is none. */
export type JsonRecord = { readonly value: Json } | {
  readonly line: number
  readonly text: string
  /** Its values are nested too deep; otherwise it is no JSON. */
  readonly deep: boolean
}

/** Cuts JSON that comes in pieces into records. */
export interface JsonReader {
  /** The records that `text` completes; `last` with the last piece. Throws `UnreadableJson`. */
  readonly push: (text: string, last: boolean) => ReadonlyArray<JsonRecord>
  /** Line of the file, from 1, at which the text pushed so far ends, where lines count. */
  readonly line: () => number
  /** Values outside the records that were passed so far, by their places. */
  readonly outside: ReadonlyMap<string, number>
}

/** Places outside the records that are counted one by one at most. */
const mostOutside = 50

/** Records that are the elements of an array. */
export const readElements = (place: ReadonlyArray<string>): JsonReader => {
  let records: Array<JsonRecord> = []
  let line = 1
  const outside = new Map<string, number>()
  const walk = walkJson({
    target: place,
    record: (value) => records.push({ value }),
    outside: (place) => {
      const pointer = pointerOf(place)
      const name = outside.has(pointer) || outside.size < mostOutside ? pointer : "others"
      outside.set(name, (outside.get(name) ?? 0) + 1)
    },
  })
  return {
    push: (text, last) => {
      walk.push(text)
      if (last) {
        walk.end()
        if (!walk.reached()) {
          throw new UnreadableJson(`There is no list of records at ${pointerOf(place)}. Correct \`source.records\`.`)
        }
      }
      for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) line++
      const given = records
      records = []
      return given
    },
    line: () => line,
    outside,
  }
}

/** Whether so many brackets open that values may be nested too deep. */
const opensOften = (text: string): boolean => {
  let opened = 0
  for (let at = 0; at < text.length && opened < deepest; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x5b || code === 0x7b) opened++
  }
  return opened >= deepest
}

/** A line's value; numbers that JSON.parse would round are read digit by digit, and depth is counted where there may be too much of it. */
const parseLine = (text: string): Json => {
  if (!/\d{16}|\d[eE.]\S*\d{9}|[eE][+-]?\d{3}/.test(text) && !opensOften(text)) return JSON.parse(text) as Json
  let value: Json = null
  const walk = walkJson({ target: [], record: (element) => void (value = element) })
  walk.push(`[${text}]`)
  walk.end()
  return value
}

/** Records that are lines, each JSON of its own. Empty lines are none. */
export const readLines = (): JsonReader => {
  let rest = ""
  let line = 0
  return {
    push: (text, last) => {
      const records: Array<JsonRecord> = []
      const lines = (rest + text).split("\n")
      rest = last ? "" : lines.pop() ?? ""
      for (const each of lines) {
        line++
        const trimmed = each.trim()
        if (trimmed === "") continue
        try {
          records.push({ value: parseLine(trimmed) })
        } catch (error) {
          if (!(error instanceof SyntaxError) && !(error instanceof UnreadableJson)) throw error
          records.push({ line, text: trimmed, deep: error instanceof TooDeep })
        }
      }
      if (rest.length > limits.record) {
        throw new UnreadableJson(
          `Line ${thousands(line + 1)} is longer than ${
            thousands(limits.record)
          } characters, the most that are read of one.`,
        )
      }
      return records
    },
    line: () => line + 1,
    outside: new Map(),
  }
}
