import { isObject } from "../domain/json.ts"
import type { ReturnedAnswer, Submission } from "../domain/submission.ts"
import { returnedAnswer } from "./returnedAnswer.ts"

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
