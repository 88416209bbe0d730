import { Option, Schema } from "effect"
import type { Fault } from "./faultKinds.ts"
import type { StoredSubmission } from "./store.ts"

/** Made when a fault asks for it, for without any it is not needed. */
const storedDecoder = () =>
  Schema.decodeUnknownOption(Schema.parseJson(
    Schema.Struct({
      questions: Schema.Array(
        Schema.Struct({
          id: Schema.String,
          name: Schema.String,
          type: Schema.optional(Schema.String),
          value: Schema.Unknown,
        }),
      ),
    }, Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  ))

let decoder: ReturnType<typeof storedDecoder> | undefined

type Answer = {
  readonly id: string
  readonly name: string
  readonly type?: string | undefined
  readonly value: unknown
}

/** A submission with its answers changed. */
const withAnswers = (
  submission: StoredSubmission,
  change: (answers: ReadonlyArray<Answer>) => ReadonlyArray<Answer>,
): StoredSubmission => {
  const content = Option.getOrUndefined((decoder ??= storedDecoder())(submission.json))
  return content === undefined
    ? submission
    : { id: submission.id, json: JSON.stringify({ ...content, questions: change(content.questions) }) }
}

const isAnswered = ({ value }: Answer) => value !== null && value !== undefined

const reformatted = (value: unknown): unknown =>
  typeof value === "string" ? value.toUpperCase() : typeof value === "number" ? value.toFixed(2) : value

/**
 * What a service that drops, trims, reformats or retypes answers keeps of a create's submissions: one of them, drawn, is touched.
 *
 * @param pick draws a whole number below its argument
 */
export const kept = (
  fault: Fault,
  submissions: ReadonlyArray<StoredSubmission>,
  pick: (below: number) => number,
): ReadonlyArray<StoredSubmission> => {
  const touched = (change: (answers: ReadonlyArray<Answer>) => ReadonlyArray<Answer>) => {
    const at = pick(Math.max(1, submissions.length))
    return submissions.map((submission, index) => (index === at ? withAnswers(submission, change) : submission))
  }
  /** One drawn answer among those that were given. */
  const one = (change: (answer: Answer) => Answer) =>
    touched((answers) => {
      const given = answers.filter(isAnswered)
      const chosen = given[pick(Math.max(1, given.length))]
      return answers.map((answer) => (answer === chosen ? change(answer) : answer))
    })
  switch (fault.fault) {
    case "drop-answer":
      return one((answer) => ({ ...answer, value: null }))
    case "trim-answers":
      return touched((answers) =>
        answers.map((answer) =>
          typeof answer.value === "string" ? { ...answer, value: answer.value.trim().slice(0, fault.length) } : answer
        )
      )
    case "reformat-answers":
      return touched((answers) => answers.map((answer) => ({ ...answer, value: reformatted(answer.value) })))
    case "unknown-type":
      return one((answer) => ({ ...answer, type: fault.type }))
    default:
      return submissions
  }
}

/**
 * What a create answers with, when it is not what was kept.
 *
 * @param strangerId id for a submission that nobody sent
 */
export const told = (
  fault: Fault,
  submissions: ReadonlyArray<StoredSubmission>,
  pick: (below: number) => number,
  strangerId: () => string,
): ReadonlyArray<StoredSubmission> => {
  switch (fault.fault) {
    case "too-few":
      return submissions.slice(0, Math.max(0, submissions.length - fault.by))
    case "too-many":
      return [
        ...submissions,
        ...Array.from(
          { length: fault.by },
          () => renamed(submissions[pick(Math.max(1, submissions.length))], strangerId()),
        ),
      ].flatMap((submission) => (submission === undefined ? [] : [submission]))
    case "shuffled": {
      const left = [...submissions]
      return submissions.flatMap(() => left.splice(pick(left.length), 1))
    }
    case "duplicate-ids": {
      const [first] = submissions
      return submissions.map((submission, index) =>
        first !== undefined && index === submissions.length - 1
          ? renamed(submission, first.id) ?? submission
          : submission
      )
    }
    default:
      return submissions
  }
}

const renamed = (submission: StoredSubmission | undefined, id: string): StoredSubmission | undefined =>
  submission === undefined
    ? undefined
    : { id, json: submission.json.replace(JSON.stringify(submission.id), JSON.stringify(id)) }
