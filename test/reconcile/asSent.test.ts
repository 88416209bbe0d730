import { expect, it } from "@effect/vitest"
import { Duration, Effect, FastCheck } from "effect"
import type { Item } from "../../src/domain/item.ts"
import type { Submission } from "../../src/domain/submission.ts"
import { cameBackAsSent, compareSubmission } from "../../src/kinds/submission.ts"
import { makeDigester } from "../../src/ledger/secret.ts"
import { readBack, type ReadBackOptions, type ReadBackResult } from "../../src/reconcile/ReadBack.ts"
import type { FormService } from "../../src/service/FormService.ts"

const digest = makeDigester("0123456789abcdef".repeat(4))
const ids = FastCheck.constantFrom("a", "b", "c", "login", "submissionTime")
const value = FastCheck.constantFrom("x", "y", "", 1, 0, true, null)
const list = FastCheck.uniqueArray(FastCheck.record({ id: ids, value }), { maxLength: 4, selector: ({ id }) => id })
const time = FastCheck.constantFrom(undefined, "2024-01-01T00:00:00.000Z", "2024-01-01T01:00:00+01:00")

/** An item, and a submission that is it but for what is drawn beside it. */
const pairs = FastCheck.record({
  sent: list,
  more: list,
  parameter: FastCheck.constantFrom("", "x"),
  time,
  came: time,
  email: FastCheck.constantFrom(undefined, "a@example.org"),
})
  .map(({ came, email, more, parameter, sent, time }) => {
    const login = email === undefined ? undefined : { email }
    const item: Item = {
      questions: sent,
      urlParameters: [{ id: "p", name: "p", value: parameter }],
      ...(time === undefined ? {} : { submissionTime: time }),
      ...(login === undefined ? {} : { login }),
    }
    const there = new Set(sent.map(({ id }) => id))
    const submission: Submission = {
      submissionId: "s",
      submissionTime: came,
      lastUpdatedAt: undefined,
      questions: [...sent, ...more.filter(({ id }) => !there.has(id))].map((one) => ({
        ...one,
        name: one.id,
        type: "ShortAnswer",
        known: true,
      })),
      calculations: [],
      urlParameters: [{ id: "p", name: "p", value: parameter }],
      scheduling: [],
      payments: [],
      quiz: undefined,
      login,
      editLink: undefined,
    }
    return { item, submission }
  })

/** What reading it back gives when it is compared so. */
const result = (item: Item, submission: Submission, compare: ReadBackOptions["compare"]): ReadBackResult => {
  let found: ReadBackResult | undefined
  const service: Pick<FormService, "readMany"> = {
    readMany: (_, __, each) => Effect.sync(() => each(0, submission)),
  }
  Effect.runSync(readBack([{ submissionId: "s", item }], {
    formId: "f",
    service: service as FormService,
    digest,
    compare,
    tolerated: new Set(),
    visibleWithin: Duration.zero,
    unwanted: () => () => undefined,
  }, (_, one) => {
    found = one
  }))
  if (found === undefined) throw new Error("nothing was read back")
  return found
}

it("what came back as it was sent is verified, with the very digests that comparing it answer by answer gives", () => {
  let asSent = 0
  FastCheck.assert(
    FastCheck.property(pairs, ({ item, submission }) => {
      if (!cameBackAsSent(item, submission)) return
      asSent++
      const short = result(item, submission, () => "as sent")
      const long = result(item, submission, (one, other) => compareSubmission([], one, other))
      expect(short.verdict).toBe(long.verdict)
      expect([...short.answers]).toEqual([...long.answers])
    }),
    { numRuns: 3_000, seed: 20_261_120 },
  )
  expect(asSent).toBeGreaterThan(100)
})
