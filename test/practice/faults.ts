import { Effect, Schema } from "effect"
import { answered, type FaultPlan as PracticeFaultPlan, type PlannedFault } from "../../src/practice/faults.ts"
import {
  after,
  changingAnswers,
  type FaultKind,
  faultKind,
  htmlPage,
  instead,
  namedFaults,
  ofCreates,
  ofRequests,
  type StoredAnswer,
} from "../../src/practice/namedFaults.ts"
import { json, refusal } from "../../src/practice/refusals.ts"
import type { StoredSubmission } from "../../src/practice/store.ts"
import { whole } from "../../src/project/fields.ts"

/** A fault of one of these kinds, with the settings that its kind accepts. */
type FaultOf<Kinds extends Readonly<Record<string, FaultKind<never>>>> = {
  readonly [K in keyof Kinds]: { readonly fault: K } & Parameters<Kinds[K]["plan"]>[0]
}[keyof Kinds]

/** Messages with which services report invalid credentials. */
const wordings = {
  missing: "API authorization header missing",
  underscore: "API key missing underscore",
  format: "Incorrectly formatted API key was passed",
  invalid: "API Key invalid",
} as const

const renamed = (submission: StoredSubmission, to: string): StoredSubmission => ({
  ...submission,
  id: to,
  json: submission.json.replace(JSON.stringify(submission.id), JSON.stringify(to)),
})

/** Keeps all created submissions, but changes which of them the answer contains. */
const telling = (
  tell: NonNullable<PlannedFault["keep"]> extends (...all: infer A) => unknown
    ? (...all: A) => ReadonlyArray<StoredSubmission>
    : never,
): NonNullable<PlannedFault["keep"]> =>
(created, context) => ({ kept: created, returned: tell(created, context) })

/** Changes a randomly drawn answer before it is stored. */
const changingOne = (change: (answer: StoredAnswer) => StoredAnswer) =>
  changingAnswers((answers, { pick }) => {
    const given = answers.filter(({ value }) => value !== null && value !== undefined)
    const chosen = given[pick(Math.max(1, given.length))]
    return answers.map((answer) => (answer === chosen ? change(answer) : answer))
  })

/** Every fault, both those of a faults file and those that only tests inject. */
export const faultKinds = {
  ...namedFaults,
  "reset-kept-alive": faultKind("reset-kept-alive", Schema.Struct(ofRequests), () => ({
    reply: (served, { resetNext }) =>
      Effect.map(served, (answer) => {
        resetNext()
        return answered(answer)
      }),
  })),
  cut: faultKind("cut", Schema.Struct(ofRequests), () => ({
    reply: (served) => Effect.map(served, (answer) => ({ _tag: "Cut", answer })),
  })),
  credentials: faultKind(
    "credentials",
    Schema.Struct({
      ...ofRequests,
      wording: Schema.Literal("missing", "underscore", "format", "invalid"),
      status: Schema.Literal(400, 401, 403),
    }),
    ({ status, wording }) => ({ reply: instead("before", () => answered(refusal(status, wordings[wording]))) }),
  ),
  html: faultKind("html", Schema.Struct({ ...ofRequests, ...after }), ({ when }) => ({
    reply: instead(when, () => answered(htmlPage(200, "Please wait"))),
  })),
  "wrong-shape": faultKind("wrong-shape", Schema.Struct({ ...ofRequests, ...after }), ({ when }) => ({
    reply: instead(when, () => answered(json(200, JSON.stringify({ ok: true, submissions: "accepted" })))),
  })),
  "too-few": faultKind(
    "too-few",
    Schema.Struct({ ...ofCreates, by: whole(1), created: Schema.Boolean }),
    (settings) => ({
      keep: (created) => {
        const returned = created.slice(0, Math.max(0, created.length - settings.by))
        return { kept: settings.created ? created : returned, returned }
      },
    }),
  ),
  "too-many": faultKind("too-many", Schema.Struct({ ...ofCreates, by: whole(1) }), ({ by }) => ({
    keep: telling((created, { newId, pick }) => [
      ...created,
      ...Array.from({ length: by }, () => created[pick(Math.max(1, created.length))])
        .flatMap((one) => one === undefined ? [] : [renamed(one, newId())]),
    ]),
  })),
  shuffled: faultKind("shuffled", Schema.Struct(ofCreates), () => ({
    keep: telling((created, { pick }) => {
      const left = [...created]
      return created.flatMap(() => left.splice(pick(left.length), 1))
    }),
  })),
  "duplicate-ids": faultKind("duplicate-ids", Schema.Struct(ofCreates), () => ({
    keep: telling((created) =>
      created.map((submission, index) =>
        index === created.length - 1 ? renamed(submission, created[0]?.id ?? submission.id) : submission
      )
    ),
  })),
  "drop-answer": faultKind("drop-answer", Schema.Struct(ofCreates), () => ({
    keep: changingOne((answer) => ({ ...answer, value: null })),
  })),
  "trim-answers": faultKind(
    "trim-answers",
    Schema.Struct({ ...ofCreates, length: Schema.optional(whole(1)) }),
    ({ length }) => ({
      keep: changingAnswers((answers) =>
        answers.map((answer) =>
          typeof answer.value === "string" ? { ...answer, value: answer.value.trim().slice(0, length) } : answer
        )
      ),
    }),
  ),
  "unknown-type": faultKind("unknown-type", Schema.Struct({ ...ofCreates, type: Schema.String }), ({ type }) => ({
    keep: changingOne((answer) => ({ ...answer, type })),
  })),
}

export type Fault = FaultOf<typeof faultKinds>

/** Faults in the form in which tests write them, with the seed for random draws. */
export interface FaultPlan {
  readonly seed: number
  readonly faults: ReadonlyArray<Fault>
}

/** Plans faults for the practice service. */
export const planned = ({ faults, seed }: FaultPlan): PracticeFaultPlan => ({
  seed,
  faults: faults.map((fault) => (faultKinds[fault.fault] as FaultKind<Fault>).plan(fault)),
})
