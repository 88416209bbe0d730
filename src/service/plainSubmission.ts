import { deeperThan, isObject } from "../domain/json.ts"
import type { Json } from "../domain/json.ts"
import type { ReturnedAnswer, Submission } from "../domain/submission.ts"
import { isKnownType } from "./wire.ts"

/** How deep lists and objects may be nested in a returned value: recursive functions stay far from the end of the stack. */
const deepest = 500

const tooDeep = `nested more than ${deepest} deep`

/** Returns a value as it was returned, or a text instead of one that is nested too deep. */
export const returnedValue = (value: unknown): Json => {
  // What JSON.parse gave is JSON.
  const json = value === undefined ? null : value as Json
  return deeperThan(json, deepest) ? `(${tooDeep})` : json
}

/** Returns a question's answer as it was returned. One of an unknown type, or nested too deep, is marked as not known: it can't be compared. */
export const returnedAnswer = ({ id, name, type, value }: {
  readonly id: string
  readonly name?: string | undefined
  readonly type?: string | undefined
  readonly value?: unknown
}): ReturnedAnswer =>
  typeof value === "object" && deeperThan(value as Json, deepest)
    ? { id, name, type: type === undefined ? tooDeep : `${type}, ${tooDeep}`, known: false, value: null }
    : { id, name, type, known: isKnownType(type), value: (value ?? null) as Json }

/**
 * The short way for the submissions that nearly all are: every member of the type that the Schema asks for, no scheduling, no payments. It gives
 * exactly what wire.ts's Schema gives (a test holds them together), ten times as fast; undefined: take the long way.
 */
export const plainSubmission = (wire: unknown): Submission | undefined => {
  if (!isObject(wire)) return undefined
  const { submissionId, submissionTime, lastUpdatedAt, quiz, login, editLink } = wire
  if (typeof submissionId !== "string" || submissionId === "") return undefined
  if (!isText(submissionTime) || !isText(lastUpdatedAt) || !isText(editLink)) return undefined
  if (!isEmpty(wire["scheduling"]) || !isEmpty(wire["payments"])) return undefined
  if (quiz != null && !(isObject(quiz) && isNumber(quiz["score"]) && isNumber(quiz["maxScore"]))) {
    return undefined
  }
  if (login != null && !(isObject(login) && isText(login["email"]))) return undefined
  const questions = answers(wire["questions"])
  const calculations = answers(wire["calculations"])
  const urlParameters = parameters(wire["urlParameters"])
  if (questions === undefined || calculations === undefined || urlParameters === undefined) return undefined
  return {
    submissionId,
    submissionTime,
    lastUpdatedAt,
    questions,
    calculations: calculations.map(({ id, name, type, value }) => ({ id, name, type, value })),
    urlParameters,
    scheduling: [],
    payments: [],
    quiz: quiz == null
      ? undefined
      : { score: quiz["score"] as number | undefined, maxScore: quiz["maxScore"] as number | undefined },
    login: login == null ? undefined : { email: login["email"] as string | undefined },
    editLink,
  }
}

const isText = (value: unknown): value is string | undefined => value === undefined || typeof value === "string"

const isNumber = (value: unknown): value is number | undefined => value === undefined || typeof value === "number"

const isEmpty = (value: unknown): boolean => value == null || (Array.isArray(value) && value.length === 0)

const answers = (wire: unknown): ReadonlyArray<ReturnedAnswer> | undefined => {
  if (wire === undefined) return []
  if (!Array.isArray(wire)) return undefined
  const found: Array<ReturnedAnswer> = []
  for (const answer of wire as ReadonlyArray<unknown>) {
    if (!isObject(answer)) return undefined
    const { id, name, type, value } = answer
    if (typeof id !== "string" || id === "" || !isText(name) || !isText(type)) return undefined
    found.push(returnedAnswer({ id, name, type, value }))
  }
  return found
}

const parameters = (wire: unknown): Submission["urlParameters"] | undefined => {
  if (wire === undefined) return []
  if (!Array.isArray(wire)) return undefined
  const found: Array<Submission["urlParameters"][number]> = []
  for (const parameter of wire as ReadonlyArray<unknown>) {
    if (!isObject(parameter)) return undefined
    const { id, name, value } = parameter
    if (typeof id !== "string" || id === "" || !isText(name) || !(value == null || typeof value === "string")) {
      return undefined
    }
    found.push({ id, name, value: value ?? null })
  }
  return found
}
