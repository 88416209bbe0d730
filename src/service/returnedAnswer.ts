import { deeperThan } from "../domain/json.ts"
import type { Json } from "../domain/json.ts"
import type { ReturnedAnswer } from "../domain/submission.ts"
import { isKnownType } from "./questionTypes.ts"

/** Lists and objects within one another that a returned value may have: whatever walks through values stays far from the end of its stack. */
const deepest = 500

const tooDeep = `nested more than ${deepest} deep`

/** A value as it was returned; a text instead of one that is nested too deep. */
export const returnedValue = (value: unknown): Json => {
  // What JSON.parse gave is JSON.
  const json = value === undefined ? null : value as Json
  return deeperThan(json, deepest) ? `(${tooDeep})` : json
}

/** A question's answer as it was returned. One of an unknown type, or nested too deep, is discarded: it can't be compared. */
export const returnedAnswer = ({ id, name, type, value }: {
  readonly id: string
  readonly name?: string | undefined
  readonly type?: string | undefined
  readonly value?: unknown
}): ReturnedAnswer =>
  typeof value === "object" && deeperThan(value as Json, deepest)
    ? { id, name, type: type === undefined ? tooDeep : `${type}, ${tooDeep}`, known: false, value: null }
    : { id, name, type, known: isKnownType(type), value: (value ?? null) as Json }
