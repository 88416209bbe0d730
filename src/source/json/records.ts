import { Tokenizer, TokenType } from "@streamparser/json"
import type { Json } from "../../domain/json.ts"
import { count } from "../../domain/words.ts"
import { limits } from "../limits.ts"

/** JSON that can't be read further. The message is a sentence or two, without the file's name. */
export class UnreadableJson extends Error {}

/** Values are nested deeper than `deepest`. */
class TooDeep extends UnreadableJson {}

/** An object has two members with the same name. */
class RepeatedMember extends UnreadableJson {}

/** Functions that are called with values while JSON is read. */
export interface Walk {
  /** The path to the array of records, as names of members from the top. If undefined, there are no records, and only `found` is called. */
  readonly target: ReadonlyArray<string> | undefined
  readonly record: (value: Json) => void
  /** Called for each array whose first element is an object, unless that array is inside another one. */
  readonly found?: (place: ReadonlyArray<string>) => void
  /** Called for each value outside the array of records that is neither null nor empty. `place` is its path, without indexes of arrays. */
  readonly outside?: (place: ReadonlyArray<string>) => void
}

export interface JsonWalk {
  /** Takes the next piece of text. Throws `UnreadableJson`. */
  readonly push: (text: string) => void
  readonly end: () => void
  /** Whether the array of records was found. */
  readonly reached: () => boolean
}

/** Keeps numbers that JavaScript can't represent exactly as text: an id of 20 digits must be sent unchanged. */
class ExactTokenizer extends Tokenizer {
  written = ""
  protected override parseNumber(text: string): number {
    this.written = text
    return Number(text)
  }
}

const digits = 15

const exact = (value: number, written: string): number | string => {
  if (!Number.isFinite(value)) return written
  if (written.length <= digits) return value
  const significant = written.replace(/[eE].*$/, "").replaceAll(/[-+.]/g, "").replace(/^0+/, "").replace(/0+$/, "")
  return significant.length <= digits || String(value) === written ? value : written
}

/** An open container: its value if it belongs to a record, and the current position in it. */
interface Frame {
  readonly array: boolean
  readonly value: Array<Json> | Record<string, Json> | undefined
  key: string
  index: number
}

/** Sets a member of any name, even `__proto__`. */
const setMember = (object: Record<string, Json>, key: string, value: Json) => {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  } else object[key] = value
}

type Awaited = "value" | "valueOrEnd" | "key" | "keyOrEnd" | "colon" | "commaOrEnd" | "nothing"

/** How deep containers may be nested. */
export const deepest = 500

/**
 * Reads JSON in pieces, and passes on the elements of one array, each as soon as it is complete. The tokens come from \@streamparser/json. Values are
 * built here, so that a member called `__proto__` is an ordinary member and long numbers keep their digits.
 */
export const walkJson = ({ found, outside, record, target }: Walk): JsonWalk => {
  const tokenizer = new ExactTokenizer()
  const frames: Array<Frame> = []
  let awaited: Awaited = "value"
  let records = 0
  let reached = false
  /** Depth of the records' array while it is open, otherwise -1. */
  let recordDepth = -1
  let recordStart = 0
  let written = 0

  const place = () => frames.map(({ key }) => key)
  const where = () => records === 0 ? "at its beginning" : `after record ${count(records)}`
  const wrong = (what: string) =>
    new UnreadableJson(`It is not JSON ${where()}: ${what}. Export it again, or correct it there.`)
  const top = () => frames[frames.length - 1]

  /** Whether the value that begins here is at the place of the records. Throws if there was one already. */
  const isTarget = () => {
    const here = target !== undefined && recordDepth === -1 && frames.length === target.length
      && frames.every((frame, at) => !frame.array && frame.key === target[at])
    if (here && reached) throw new RepeatedMember(twoLists(target))
    return here
  }

  const put = (value: Json) => {
    const frame = top()
    if (frame?.value === undefined) return
    if (Array.isArray(frame.value)) frame.value.push(value)
    else setMember(frame.value, frame.key, value)
  }

  const finished = (value: Json | undefined) => {
    if (recordDepth !== -1 && frames.length === recordDepth) {
      records++
      record(value ?? null)
    } else if (value !== undefined) put(value)
    awaited = frames.length === 0 ? "nothing" : "commaOrEnd"
  }

  const scalar = (value: Json, offset: number) => {
    if (isTarget()) throw new UnreadableJson(notAnArray(target ?? []))
    if (recordDepth === frames.length) recordStart = offset
    if (recordDepth === -1 && value !== null && value !== "") {
      outside?.(frames.flatMap(({ array, key }) => (array ? [] : [key])))
    }
    finished(recordDepth === -1 ? undefined : value)
  }

  const open = (array: boolean, offset: number) => {
    const inRecord = recordDepth !== -1
    if (inRecord && frames.length === recordDepth) recordStart = offset
    if (isTarget()) {
      if (!array) throw new UnreadableJson(notAnArray(target ?? []))
      reached = true
      recordDepth = frames.length + 1
    }
    const parent = top()
    if (
      !array && !inRecord && parent?.array === true && parent.index === 0
      && frames.slice(0, -1).every((frame) => !frame.array)
    ) {
      found?.(place().slice(0, -1))
    }
    if (frames.length === deepest) {
      throw new TooDeep(`Its values are nested more than ${deepest} deep ${where()}. Export it in a flatter shape.`)
    }
    frames.push({ array, value: inRecord ? array ? [] : {} : undefined, key: "", index: 0 })
    awaited = array ? "valueOrEnd" : "keyOrEnd"
  }

  const close = (array: boolean) => {
    const frame = frames.pop()
    if (frame === undefined || frame.array !== array) throw wrong(`a ${array ? "]" : "}"} closes nothing`)
    if (frames.length < recordDepth) recordDepth = -1
    finished(frame.value)
  }

  tokenizer.onToken = ({ offset, token, value }) => {
    const awaitsValue = awaited === "value" || awaited === "valueOrEnd"
    switch (token) {
      case TokenType.LEFT_BRACE:
      case TokenType.LEFT_BRACKET:
        if (!awaitsValue) break
        return open(token === TokenType.LEFT_BRACKET, offset)
      case TokenType.RIGHT_BRACE:
        if ((awaited !== "keyOrEnd" && awaited !== "commaOrEnd") || top()?.array !== false) break
        return close(false)
      case TokenType.RIGHT_BRACKET:
        if ((awaited !== "valueOrEnd" && awaited !== "commaOrEnd") || top()?.array !== true) break
        return close(true)
      case TokenType.COLON:
        if (awaited !== "colon") break
        awaited = "value"
        return
      case TokenType.COMMA: {
        const frame = top()
        if (awaited !== "commaOrEnd" || frame === undefined) break
        frame.index++
        awaited = frame.array ? "value" : "key"
        return
      }
      case TokenType.STRING: {
        const frame = top()
        if (awaitsValue) return scalar(value, offset)
        if ((awaited !== "key" && awaited !== "keyOrEnd") || frame === undefined) break
        frame.key = String(value)
        if (frame.value !== undefined && Object.hasOwn(frame.value, frame.key)) {
          throw new RepeatedMember(
            `An object ${where()} has two members called ${
              JSON.stringify(frame.key)
            }, so one of them would be lost. Correct it in the system that writes the file.`,
          )
        }
        awaited = "colon"
        return
      }
      case TokenType.NUMBER:
        if (!awaitsValue) break
        return scalar(exact(Number(value), tokenizer.written), offset)
      case TokenType.TRUE:
      case TokenType.FALSE:
      case TokenType.NULL:
        if (!awaitsValue) break
        return scalar(value, offset)
    }
    throw wrong(`${JSON.stringify(value)} is in the wrong place`)
  }
  const failed = (error: Error) => {
    if (error instanceof UnreadableJson) throw error
    const unexpected = /^Unexpected (".")/s.exec(error.message)?.[1]
    throw wrong(unexpected === undefined ? "it ends within a value, so it was cut short" : `unexpected ${unexpected}`)
  }
  tokenizer.onError = failed

  return {
    push: (text) => {
      // Only white space may follow the end of the JSON.
      if (tokenizer.isEnded) {
        if (text.trim() !== "") throw wrong("something follows its end")
        return
      }
      tokenizer.write(text)
      written += Buffer.byteLength(text)
      if (recordDepth !== -1 && written - recordStart > limits.record && frames.length > recordDepth) {
        throw new UnreadableJson(
          `Record ${count(records + 1)} is longer than ${count(limits.record)} bytes, which is the limit.`,
        )
      }
    },
    end: () => {
      if (!tokenizer.isEnded) tokenizer.end()
      if (awaited !== "nothing") throw wrong("it ends too early, so it was cut short")
    },
    reached: () => reached,
  }
}

/** Says that two lists have the same path, because two members of an object have the same name. */
export const twoLists = (place: ReadonlyArray<string>) =>
  `It has two values at ${
    pointerOf(place)
  }, because two members of an object have the same name, so the records of one of them would be lost. Correct it in the system that writes the file.`

const notAnArray = (target: ReadonlyArray<string>) =>
  `The value at ${pointerOf(target)} is not a list of records. Correct \`source.records\`.`

/** Returns a path in JSON as a pointer (RFC 6901), such as `/data/items`, or "the top" for the whole. */
export const pointerOf = (place: ReadonlyArray<string>): string =>
  place.length === 0 ? "the top" : place.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")

/** Returns the path that a pointer names, or undefined if the text is not a pointer. */
export const placeOf = (pointer: string): ReadonlyArray<string> | undefined =>
  pointer === ""
    ? []
    : pointer.startsWith("/")
    ? pointer.slice(1).split("/").map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
    : undefined

/** Returns the value at a JSON pointer, or undefined. */
export const valueAt = (value: Json, pointer: string): Json | undefined => {
  let found: Json | undefined = value
  for (const key of placeOf(pointer) ?? []) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Readonly<Record<string, Json>>)[key]
  }
  return found
}

/** A record, or a line of a JSON Lines file that can't be read as a record. */
export type JsonRecord = { readonly value: Json } | {
  readonly line: number
  readonly text: string
  readonly fault: "malformed" | "deep" | "repeated"
}

/** Splits JSON that arrives in pieces into records. */
export interface JsonReader {
  /** Returns the records that `text` completes. `last` says whether this is the last piece. Throws `UnreadableJson`. */
  readonly push: (text: string, last: boolean) => ReadonlyArray<JsonRecord>
  /** Returns the number, counting from 1, of the line at which the text passed so far ends. Used for JSON lines only. */
  readonly line: () => number
  /** How many values were seen outside the records so far, by path. */
  readonly outside: ReadonlyMap<string, number>
}

/** The maximum number of paths outside the records that are counted separately. */
const mostOutside = 50

/** Reads records that are the elements of an array. */
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
 * Returns the value of a JSON text. Throws `SyntaxError` or `UnreadableJson`. Uses the slower reader if JSON.parse would round numbers or drop members,
 * or if the nesting may be too deep.
 */
export const parseJson = (text: string): Json => {
  if (!/\d{16}|\d[eE.]\S*\d{9}|[eE][+-]?\d{3}/.test(text) && !opensOften(text)) {
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

/** Reads records that are lines of JSON. Empty lines are not records. */
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
          records.push({ value: parseJson(trimmed) })
        } catch (error) {
          if (!(error instanceof SyntaxError) && !(error instanceof UnreadableJson)) throw error
          const fault = error instanceof TooDeep ? "deep" : error instanceof RepeatedMember ? "repeated" : "malformed"
          records.push({ line, text: trimmed, fault })
        }
      }
      if (rest.length > limits.record) {
        throw new UnreadableJson(
          `Line ${count(line + 1)} is longer than ${count(limits.record)} characters, which is the limit.`,
        )
      }
      return records
    },
    line: () => line + 1,
    outside: new Map(),
  }
}
