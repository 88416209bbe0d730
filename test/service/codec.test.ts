import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Item } from "../../src/domain/item.ts"
import type { Json } from "../../src/domain/json.ts"
import { makeCodec } from "../../src/service/codec.ts"
import { questionTypes } from "../wire/exchanges.ts"

const codec = makeCodec("acme")
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value))

/** Returns the value after a round trip through JSON. */
const json = fc.jsonValue() as fc.Arbitrary<Json>

/** Draws a value that mostly follows the specification, but is sometimes missing, null or arbitrary. */
const odd = (usual: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 150, arbitrary: usual }, fc.constant(undefined), fc.constant(null), json)

const member = (value: fc.Arbitrary<unknown>) =>
  odd(
    fc.array(
      odd(
        fc.record({
          id: odd(fc.string({ minLength: 1 })),
          name: odd(fc.string()),
          type: odd(fc.string()),
          value: odd(value),
        }),
      ),
      { maxLength: 4 },
    ),
  )

const submission = fc.record({
  submissionId: odd(fc.string({ minLength: 1 })),
  submissionTime: odd(fc.string()),
  lastUpdatedAt: odd(fc.string()),
  questions: member(json),
  calculations: member(json),
  urlParameters: member(fc.string()),
  scheduling: odd(fc.constant([])),
  payments: odd(fc.constant([])),
  quiz: odd(fc.record({ score: odd(fc.integer()), maxScore: odd(fc.integer()) })),
  login: odd(fc.record({ email: odd(fc.string()) })),
  editLink: odd(fc.string()),
  unknownMember: json,
}).map((value): unknown => JSON.parse(JSON.stringify(value)))

describe("reading submissions", () => {
  it("reading returns a submission or undefined for any JSON, and never throws", () => {
    fc.assert(
      fc.property(fc.oneof(submission, json), (wire) => {
        codec.read(bytes({ submission: wire }))
        codec.created(bytes({ submissions: [wire] }))
        codec.form(bytes(wire))
      }),
      { seed: 12, numRuns: 1000 },
    )
  })

  it("an id that is empty, is not text, or contains NUL or half of a surrogate pair counts as no id", () => {
    const answer = bytes({ submissions: ["", 7, "a\0b", "a\ud800", "good"].map((submissionId) => ({ submissionId })) })
    expect(codec.created(answer)?.ids).toEqual(["good"])
    expect(codec.created(answer)?.submissions.map((one) => one?.submissionId)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      "good",
    ])
    expect(codec.read(bytes({ submission: { submissionId: "a\0b" } }))).toBeUndefined()
  })

  it("reading marks only unknown question types as unknown", () => {
    const read = codec.read(bytes({
      submission: {
        submissionId: "s",
        questions: [
          { id: "a", name: "A", type: "HologramPicker", value: { x: 1 } },
          ...questionTypes.map((type) => ({ id: type, name: type, type, value: null })),
          { id: "z", name: "Z", value: 0 },
        ],
      },
    }))
    expect(read?.questions.filter(({ known }) => !known)).toEqual([
      { id: "a", name: "A", type: "HologramPicker", known: false, value: { x: 1 } },
    ])
    expect(read?.questions).toHaveLength(41)
  })

  it("reading returns undefined for metadata without a list of questions", () => {
    expect(codec.form(bytes({ id: "f", name: "F" }))).toBeUndefined()
    expect(codec.form(bytes({ id: "f", questions: {} }))).toBeUndefined()
    expect(codec.form(Buffer.from("<html>"))).toBeUndefined()
    expect(codec.form(bytes({ questions: [null, { name: "no id" }, { id: "q" }], quiz: {}, scheduling: null })))
      .toEqual({
        id: "",
        name: "",
        questions: [{ id: "q", name: "q", type: undefined, options: undefined }],
        calculations: [],
        urlParameters: [],
        scheduling: [],
        payments: [],
        quiz: undefined,
      })
  })
})

describe("sending items", () => {
  const item: fc.Arbitrary<Item> = fc.record({
    questions: fc.array(fc.record({ id: fc.string({ minLength: 1 }), value: json }), { maxLength: 3 }),
    payments: fc.array(
      fc.record({
        id: fc.string({ minLength: 1 }),
        value: fc.record({ paymentId: fc.string(), gatewayPaymentUrl: fc.string(), discountCode: fc.string() }),
      }),
      { maxLength: 2 },
    ),
  })

  it("sending writes every member under its wire name, and never the discount code", () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 10 }), (items) => {
        const sent = JSON.parse(codec.createRequest(items).toString())
        expect(sent).toEqual({
          submissions: items.map(({ questions, payments = [] }) => ({
            questions: JSON.parse(JSON.stringify(questions)),
            payments: payments.map(({ id, value }) => ({
              id,
              value: { paymentId: value.paymentId, acmePaymentUrl: value.gatewayPaymentUrl },
            })),
          })),
        })
      }),
      { seed: 13, numRuns: 200 },
    )
  })
})
