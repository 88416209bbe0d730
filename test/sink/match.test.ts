import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Item } from "../../src/domain/item.ts"
import type { Submission } from "../../src/domain/submission.ts"
import { type Fit, matchByContent } from "../../src/sink/match.ts"
import { submissionWith } from "../fakeSubmissions.ts"

const item = (value: string): Item => ({ questions: [{ id: "q", value }] })

const submission = (submissionId: string, value: string): Submission =>
  submissionWith({ submissionId, questions: [{ id: "q", name: "Q", type: "ShortAnswer", known: true, value }] })

/** Equal texts are an exact fit. Texts that differ only in case are equivalent. */
const fit: Fit = (sent, returned) => {
  const a = String(sent.questions[0]?.value)
  const b = String(returned.questions[0]?.value)
  return a === b ? "exact" : a.toLowerCase() === b.toLowerCase() ? "equivalent" : "no"
}

const valueOf = (one: Submission | undefined) => one?.questions[0]?.value

describe("matching created submissions to items by content", () => {
  it("finds the submission of each item in any order, even if items are identical", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 10 }).chain((values) =>
          fc.tuple(fc.constant(values), fc.shuffledSubarray(values, { minLength: values.length }))
        ),
        ([sent, answered]) => {
          const submissions = answered.map((value, index) => submission(`s${index}`, value))
          const matching = matchByContent(sent.map(item), submissions, [], fit)
          expect(matching.submissions.map(valueOf)).toEqual(sent)
          expect(new Set(matching.submissions.map((one) => one?.submissionId)).size).toBe(sent.length)
          expect(matching.loose).toEqual([])
        },
      ),
      { seed: 20261120 },
    )
  })

  it("prefers exact fits to normalised ones, and matches the rest in order", () => {
    const matching = matchByContent(
      [item("lost"), item("A"), item("a")],
      [submission("1", "a"), submission("2", "A"), submission("3", "changed beyond recognition")],
      [],
      fit,
    )
    expect(matching.submissions.map((one) => one?.submissionId)).toEqual(["3", "2", "1"])
  })

  it("items with a unique fit are matched if submissions are missing, and the other items are in doubt", () => {
    const matching = matchByContent(
      [item("a"), item("b"), item("c")],
      [submission("1", "c"), submission("2", "a")],
      [],
      fit,
    )
    expect(matching.submissions.map((one) => one?.submissionId)).toEqual(["2", undefined, "1"])
    expect(matching.loose).toEqual([])
  })

  it("neither of two identical items is matched if one submission is missing", () => {
    const matching = matchByContent([item("a"), item("a")], [submission("1", "a")], [], fit)
    expect(matching.submissions).toEqual([undefined, undefined])
    expect(matching.loose).toEqual(["1"])
  })

  it("identical items are matched if there is an identical submission for each, even if other submissions are missing", () => {
    const matching = matchByContent(
      [item("a"), item("a"), item("b")],
      [submission("1", "a"), submission("2", "a")],
      [],
      fit,
    )
    expect(new Set(matching.submissions.slice(0, 2).map((one) => one?.submissionId))).toEqual(new Set(["1", "2"]))
    expect(matching.submissions[2]).toBeUndefined()
  })

  it("the ids of submissions that match no item are kept", () => {
    const matching = matchByContent([item("a")], [submission("1", "a"), submission("2", "z")], [], fit)
    expect(matching.submissions.map((one) => one?.submissionId)).toEqual(["1"])
    expect(matching.loose).toEqual(["2"])
  })

  it("a submission that could not be decoded counts as missing, and its id is kept", () => {
    const matching = matchByContent([item("a"), item("b")], [submission("1", "b"), undefined], ["1", "2"], fit)
    expect(matching.submissions.map((one) => one?.submissionId)).toEqual([undefined, "1"])
    expect(matching.loose).toEqual(["2"])
  })
})
