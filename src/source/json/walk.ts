import { Tokenizer, TokenType } from "@streamparser/json"
import type { Json } from "../../domain/json.ts"
import { count } from "../../domain/words.ts"
import { limits } from "../limits.ts"
import { UnreadableText } from "../text/readText.ts"
import { pointerOf } from "./pointer.ts"

/** Values are nested deeper than `deepest`. */
export class TooDeep extends UnreadableText {}

/** An object has two members with the same name. */
export class RepeatedMember extends UnreadableText {}

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
  /** Takes the next piece of text. Throws `UnreadableText`. */
  readonly push: (text: string) => void
  readonly end: () => void
  /** Whether the array of records was found. */
  readonly reached: () => boolean
}

class ExactTokenizer extends Tokenizer {
  written = ""
  protected override parseNumber(text: string): number {
    this.written = text
    return Number(text)
  }
}

/** How many digits JavaScript represents exactly, as do workbooks. */
const digits = 15

/** Returns a number if its text (`plainNumber`) has the same digits, otherwise what is written: an id of 17 digits must be sent unchanged. */
const exact = (value: number, written: string): number | string => {
  if (!Number.isFinite(value)) return written
  if (written.length <= digits) return value
  const significant = written.replace(/[eE].*$/, "").replaceAll(/[-+.]/g, "").replace(/^0+/, "").replace(/0+$/, "")
  if (significant.length <= digits) return value
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value)
  return !isRounded && String(value) === written ? value : written
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
    new UnreadableText(`It is not JSON ${where()}: ${what}. Export it again, or correct it there.`)
  /** Only white space may follow the end of the JSON. */
  const followed = () =>
    new UnreadableText(
      "More text follows the end of its first value. Put all records into one list, or each on its own line.",
    )
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
    if (isTarget()) throw new UnreadableText(notAnArray(target ?? []))
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
      if (!array) throw new UnreadableText(notAnArray(target ?? []))
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
    throw awaited === "nothing" ? followed() : wrong(`${JSON.stringify(value)} is in the wrong place`)
  }
  const failed = (error: Error) => {
    if (error instanceof UnreadableText) throw error
    const unexpected = /^Unexpected (".")/s.exec(error.message)?.[1]
    throw wrong(unexpected === undefined ? "it ends within a value, so it was cut short" : `unexpected ${unexpected}`)
  }
  tokenizer.onError = failed

  return {
    push: (text) => {
      if (tokenizer.isEnded) {
        if (text.trim() !== "") throw followed()
        return
      }
      tokenizer.write(text)
      written += Buffer.byteLength(text)
      if (recordDepth !== -1 && written - recordStart > limits.record && frames.length > recordDepth) {
        throw new UnreadableText(
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
