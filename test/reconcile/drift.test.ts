import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import fc from "fast-check"
import type { Item } from "../../src/domain/item.ts"
import type { Json } from "../../src/domain/json.ts"
import type { Submission } from "../../src/domain/submission.ts"
import { saysNothing } from "../../src/kinds/compared.ts"
import { compareSubmission } from "../../src/kinds/submission.ts"
import type { AnswerDigests } from "../../src/ledger/rows.ts"
import { makeDigester } from "../../src/ledger/secret.ts"
import { checkDrift } from "../../src/reconcile/drift.ts"
import { readBack } from "../../src/reconcile/ReadBack.ts"
import type { FormService } from "../../src/service/FormService.ts"
import { isKnownType } from "../../src/service/wire.ts"
import { submissionWith } from "../fakeSubmissions.ts"

const digest = makeDigester("5".repeat(64))

/** Returns a service with one submission. */
const having = (submission: Submission | undefined): FormService => ({
  baseUrl: "http://127.0.0.1",
  form: () => Effect.dieMessage("nobody asks for the form"),
  create: () => Effect.dieMessage("nobody creates"),
  read: (_form, _id, options) =>
    Effect.succeed(
      submission === undefined || options?.editLink !== true ? submission : { ...submission, editLink: "http://edit" },
    ),
  list: undefined,
  remove: undefined,
  forms: Effect.dieMessage("nobody asks for the forms"),
  requests: Effect.succeed({ metadata: 0, create: 0, read: 0, retried: 0, throttled: 0 }),
  inFlight: Effect.succeed(0),
  pace: Effect.succeed(undefined),
})

/** Returns the digests that the ledger keeps of a submission, whatever the verdict. */
const verified = (item: Item, submission: Submission) =>
  Effect.suspend(() => {
    let answers: AnswerDigests = new Map()
    const options = {
      formId: "f",
      service: having(submission),
      listing: undefined,
      digest,
      compare: (sent: Item, returned: Submission) => compareSubmission([], sent, returned),
      tolerated: new Set<string>(),
      names: new Map(),
      visibleWithin: Duration.zero,
      signal: new AbortController().signal,
    }
    const reading = readBack([{ submissionId: "s1", item }], options, (_, result) => (answers = result.answers))
    return Effect.map(reading, () => answers)
  })

const drift = (
  answers: Effect.Effect.Success<ReturnType<typeof verified>>,
  submission: Submission | undefined,
  tolerated: ReadonlySet<string> = new Set(),
) =>
  checkDrift({ submissionId: "s1", answers }, {
    formId: "f",
    service: having(submission),
    digest,
    names: new Map([["q1", "First"]]),
    tolerated,
  })

const types = ["ShortAnswer", "NumberInput", "Checkboxes", "Payment", "Captcha", "Calendly", "HoloScan", undefined]
const value = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom<Json>(null, "", [], {}, { street: "", city: null }) },
  { weight: 3, arbitrary: fc.string({ minLength: 1, maxLength: 5 }) },
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json> },
)
const maybe = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined })

/** Combines any sent value of a member, or none, with any value in the submission. */
const member = fc.record({ type: fc.constantFrom(...types), sent: maybe(value), returned: value, same: fc.boolean() })
const text = fc.option(fc.string({ maxLength: 4 }), { nil: null })
const pair = fc.record({
  questions: fc.array(member, { maxLength: 6 }),
  parameters: fc.array(fc.record({ sent: maybe(fc.string({ maxLength: 4 })), returned: text }), { maxLength: 3 }),
  login: fc.record({ sent: maybe(fc.emailAddress()), returned: maybe(fc.emailAddress()) }),
  booking: fc.record({ sent: fc.boolean(), returned: fc.option(fc.record({ fullName: fc.string() }), { nil: null }) }),
  fee: fc.record({
    sent: fc.boolean(),
    returned: fc.option(fc.record({ paymentId: fc.string(), totalAmount: fc.integer() }), { nil: null }),
  }),
  time: maybe(fc.constant("2020-01-01T00:00:00.000Z")),
})

type Pair = typeof pair extends fc.Arbitrary<infer A> ? A : never

const made = ({ booking, fee, login, parameters, questions, time }: Pair) => {
  const item: Item = {
    questions: questions.flatMap(({ sent }, at) => (sent === undefined ? [] : [{ id: `q${at}`, value: sent }])),
    urlParameters: parameters.flatMap(({ sent }, at) =>
      sent === undefined ? [] : [{ id: `u${at}`, name: `u${at}`, value: sent }]
    ),
    ...(time === undefined ? {} : { submissionTime: time, lastUpdatedAt: time }),
    ...(login.sent === undefined ? {} : { login: { email: login.sent } }),
    ...(booking.sent ? { scheduling: [{ id: "s", value: { fullName: "Ada" } }] } : {}),
    ...(fee.sent ? { payments: [{ id: "p", value: { paymentId: "1" } }] } : {}),
  }
  const submission: Submission = {
    submissionId: "s1",
    submissionTime: "2020-01-01T00:00:00.000Z",
    lastUpdatedAt: "2020-01-01T00:00:00.000Z",
    questions: questions.map(({ returned, same, sent, type }, at) => ({
      id: `q${at}`,
      name: `Question ${at}`,
      type,
      known: isKnownType(type),
      value: same && sent !== undefined ? sent : returned,
    })),
    calculations: [],
    urlParameters: parameters.map(({ returned }, at) => ({ id: `u${at}`, name: undefined, value: returned })),
    scheduling: [{ id: "s", name: "Booking", value: booking.returned }],
    payments: [{ id: "p", name: "Fee", value: fee.returned }],
    quiz: undefined,
    login: { email: login.returned },
    editLink: undefined,
  }
  return { item, submission }
}

const runs = { seed: 66, numRuns: 600 }

describe("checkDrift of an unchanged submission", () => {
  it("an unchanged submission has no drift, whatever values and types were sent or returned", async () => {
    await fc.assert(
      fc.asyncProperty(pair, async (drawn) => {
        const { item, submission } = made(drawn)
        const result = await Effect.runPromise(
          Effect.flatMap(verified(item, submission), (answers) =>
            // An edit that changes no answer still sets the time.
            drift(answers, { ...submission, lastUpdatedAt: "2031-01-01T00:00:00.000Z" })),
        )
        expect(result).toMatchObject({ standing: "unchanged", comparisons: [], editLink: undefined })
      }),
      runs,
    )
  })
})

describe("checkDrift of an edited submission", () => {
  it("an edited submission has drift in exactly the question that was edited", async () => {
    await fc.assert(
      fc.asyncProperty(pair, fc.nat(), value, async (drawn, nth, edit) => {
        fc.pre(drawn.questions.length > 0)
        const { item, submission } = made(drawn)
        const at = nth % drawn.questions.length
        const id = `q${at}`
        const before = submission.questions[at]
        const edited = {
          ...submission,
          questions: submission.questions.map((one) => (one.id === id ? { ...one, value: edit } : one)),
        }
        const { answers, result } = await Effect.runPromise(Effect.gen(function*() {
          const answers = yield* verified(item, submission)
          return { answers, result: yield* drift(answers, edited) }
        }))
        const plain = (
          json: Json | undefined,
        ) => (saysNothing(json) ? "nothing" : digest.value(json ?? null).toString("hex"))
        const sent = item.questions.some((one) => one.id === id)
        const form = ["Payment", "Captcha", "Calendly"].includes(before?.type ?? "")
        const changed = before?.known === true && plain(before.value) !== plain(edit) && (sent || !form)
        expect(result.comparisons.map(({ question, sent, verdict }) => ({ question, sent, verdict }))).toEqual(
          changed ? [{ question: id, sent: undefined, verdict: saysNothing(edit) ? "absent" : "different" }] : [],
        )
        expect(result.standing).toBe(changed ? "edited" : "unchanged")
        expect(result.editLink).toBe(changed ? "http://edit" : undefined)
        // Tolerated changes are reported, but don't count as drift.
        const lenient = await Effect.runPromise(drift(answers, edited, new Set([id])))
        expect([lenient.standing, lenient.comparisons.length]).toEqual(["unchanged", changed ? 1 : 0])
      }),
      runs,
    )
  })

  it("an edited submission can drift in its parameters, login, booking, payment and time", async () => {
    const item: Item = {
      questions: [],
      urlParameters: [{ id: "u", name: "u", value: "1" }],
      login: { email: "a@example.org" },
      scheduling: [{ id: "s", value: { fullName: "Ada" } }],
      payments: [{ id: "p", value: { paymentId: "1", totalAmount: 5 } }],
      submissionTime: "2020-01-01T00:00:00.000Z",
    }
    const submission: Submission = {
      submissionId: "s1",
      submissionTime: "2020-01-01T00:00:00.000Z",
      lastUpdatedAt: "2020-01-01T00:00:00.000Z",
      questions: [],
      calculations: [],
      urlParameters: [{ id: "u", name: "u", value: "1" }],
      scheduling: [{ id: "s", name: "Booking", value: { fullName: "Ada" } }],
      payments: [{ id: "p", name: "Fee", value: { paymentId: "1", totalAmount: 5 } }],
      quiz: undefined,
      login: { email: "a@example.org" },
      editLink: undefined,
    }
    const edits: ReadonlyArray<readonly [string, Partial<Submission>]> = [
      ["u", { urlParameters: [{ id: "u", name: "u", value: "2" }] }],
      ["login", { login: { email: "b@example.org" } }],
      ["s", { scheduling: [{ id: "s", name: "Booking", value: { fullName: "Eve" } }] }],
      ["p", { payments: [] }],
      ["submissionTime", { submissionTime: "2021-01-01T00:00:00.000Z" }],
    ]
    const answers = await Effect.runPromise(verified(item, submission))
    for (const [question, edit] of edits) {
      const result = await Effect.runPromise(drift(answers, { ...submission, ...edit }))
      expect(result.comparisons.map((one) => one.question)).toEqual([question])
    }
  })

  it("a second, different answer to a question is drift, whether it is the first or the last one", async () => {
    const answer = (value: string) => ({ id: "q1", name: "Name", type: "ShortAnswer", known: true, value })
    const submission = (...values: ReadonlyArray<string>) => submissionWith({ questions: values.map(answer) })
    const answers = await Effect.runPromise(verified({ questions: [{ id: "q1", value: "x" }] }, submission("x")))
    const standings = [["x", "x"], ["y", "x"], ["x", "y"]].map((values) =>
      Effect.map(drift(answers, submission(...values)), ({ standing }) => standing)
    )
    expect(await Effect.runPromise(Effect.all(standings))).toEqual(["unchanged", "edited", "edited"])
  })

  it("equal content counts as the same edit, and changed content as a new edit", async () => {
    const submission = (text: string): Submission =>
      submissionWith({ questions: [{ id: "q1", name: "Name", type: "ShortAnswer", known: true, value: text }] })
    const seen = await Effect.runPromise(Effect.gen(function*() {
      const answers = yield* verified({ questions: [{ id: "q1", value: "then" }] }, submission("then"))
      const results = yield* Effect.forEach(["now", "now", "later"], (text) => drift(answers, submission(text)))
      expect(results.map((one) => one.comparisons[0]?.name)).toEqual(["First", "First", "First"])
      return [...results.map((one) => one.seen.toString("hex")), (yield* drift(answers, undefined)).standing]
    }))
    expect(seen[0]).toBe(seen[1])
    expect(seen[2]).not.toBe(seen[0])
    expect(seen[3]).toBe("gone")
  })
})

describe("checkDrift of a question with an unknown type", () => {
  const answer = (type: string, value: Json) => ({ id: "q1", name: "Name", type, known: isKnownType(type), value })
  const submission = (type: string, value: Json): Submission => submissionWith({ questions: [answer(type, value)] })

  it("two answers that together equal an earlier list are drift", async () => {
    const answer = (value: Json) => ({ id: "q1", name: "Name", type: "Checkboxes", known: true, value })
    const answers = await Effect.runPromise(
      verified({ questions: [{ id: "q1", value: ["x", "y"] }] }, submissionWith({ questions: [answer(["x", "y"])] })),
    )
    const now = submissionWith({ questions: [answer("x"), answer("y")] })
    expect((await Effect.runPromise(drift(answers, now))).standing).toBe("edited")
  })

  it("a question whose answer was compared at the import is compared, although its type is unknown now", async () => {
    const answers = await Effect.runPromise(
      verified({ questions: [{ id: "q1", value: "x" }] }, submission("ShortAnswer", "x")),
    )
    const standings = ["x", "y", null].map((value) =>
      Effect.map(drift(answers, submission("HoloScan", value)), ({ standing }) => standing)
    )
    expect(await Effect.runPromise(Effect.all(standings))).toEqual(["unchanged", "edited", "edited"])
  })

  it("a question whose type was unknown at the import is not compared", async () => {
    for (const [then, now] of [["HoloScan", "ShortAnswer"], ["HoloScan", "HoloScan"]] as const) {
      const result = await Effect.runPromise(Effect.flatMap(
        verified({ questions: [{ id: "q1", value: "x" }] }, submission(then, "x")),
        (answers) => drift(answers, submission(now, "y")),
      ))
      expect(result).toMatchObject({
        standing: "unchanged",
        comparisons: [],
        discarded: now === "HoloScan" ? ["HoloScan"] : [],
      })
    }
  })
})
