import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { eachAnswered, type Item } from "../../src/domain/item.ts"
import type { Json } from "../../src/domain/json.ts"
import type { ReturnedAnswer, Submission } from "../../src/domain/submission.ts"
import { compareAnswer, type ComparedAnswer, compareSubmission, fit } from "../../src/kinds/submission.ts"
import { submissionWith } from "../fakeSubmissions.ts"

const returned = (id: string, value: ReturnedAnswer["value"], more: Partial<ReturnedAnswer> = {}): ReturnedAnswer => ({
  id,
  name: `Name of ${id}`,
  type: undefined,
  known: true,
  value,
  ...more,
})

const submission = (questions: ReadonlyArray<ReturnedAnswer>, more: Partial<Submission> = {}): Submission =>
  submissionWith({
    submissionTime: "2024-05-31T12:30:00.000Z",
    lastUpdatedAt: "2024-05-31T12:30:00.000Z",
    questions,
    ...more,
  })

const answer = (id: string, kind: string, list: ComparedAnswer["list"] = "questions"): ComparedAnswer => ({
  id,
  name: `Mapped ${id}`,
  kind,
  list,
})

const verdictsOf = (answers: ReadonlyArray<ComparedAnswer>, item: Item, back: Submission) =>
  compareSubmission(answers, item, back).map(({ question, verdict }) => [question, verdict])

describe("comparing a submission with an item", () => {
  it("gives every answer one verdict, according to its kind", () => {
    const item: Item = {
      questions: [
        { id: "same", value: "a" },
        { id: "norm", value: ["x", "y"] },
        { id: "diff", value: 5 },
        { id: "gone", value: "here" },
        { id: "null", value: "here" },
        { id: "new", value: "here" },
      ],
    }
    const back = submission([
      returned("same", "a"),
      returned("norm", ["y", "x"]),
      returned("diff", 6),
      returned("null", null),
      returned("new", undefined as never, { type: "Hologram", known: false }),
      returned("extra", "not sent"),
      returned("nothing", ""),
      returned("other", "discarded", { type: "Hologram", known: false }),
    ], { calculations: [{ id: "sum", name: "Sum", type: "number", value: 42 }] })
    const answers = [answer("norm", "choices"), answer("diff", "number")]
    expect(compareSubmission(answers, item, back)).toEqual([
      { question: "same", name: "Name of same", verdict: "same", sent: "a", returned: "a" },
      {
        question: "norm",
        name: "Mapped norm",
        verdict: "equivalent",
        normalised: "way of writing a set",
        sent: ["x", "y"],
        returned: ["y", "x"],
      },
      { question: "diff", name: "Mapped diff", verdict: "different", sent: 5, returned: 6 },
      { question: "gone", name: "gone", verdict: "absent", sent: "here", returned: undefined },
      { question: "null", name: "Name of null", verdict: "absent", sent: "here", returned: null },
      {
        question: "new",
        name: "Name of new",
        verdict: "not comparable",
        sent: "here",
        returned: undefined,
        type: "Hologram",
      },
      { question: "extra", name: "Name of extra", verdict: "unexpected", sent: undefined, returned: "not sent" },
    ])
  })

  it("compares times as instants, and accepts a time that only the service set", () => {
    const item: Item = { questions: [], submissionTime: "2024-05-31T14:30:00+02:00" }
    expect(verdictsOf([], item, submission([]))).toEqual([["submissionTime", "equivalent"]])
    expect(verdictsOf([], item, submission([], { submissionTime: "2024-05-31T14:30:00.000Z" }))).toEqual([[
      "submissionTime",
      "different",
    ]])
    expect(verdictsOf([], item, submission([], { submissionTime: undefined }))).toEqual([["submissionTime", "absent"]])
  })

  it("compares URL parameters as text, and the login as an address", () => {
    const item: Item = {
      questions: [],
      urlParameters: [{ id: "u1", name: "ref", value: "007" }, { id: "u2", name: "src", value: "x" }],
      login: { email: "Ada@example.org" },
    }
    const back = submission([], {
      urlParameters: [
        { id: "u1", name: "ref", value: "7" },
        { id: "u2", name: "src", value: null },
        { id: "u3", name: "utm", value: "y" },
        { id: "u4", name: "utm2", value: null },
      ],
      login: { email: "ada@example.org" },
    })
    expect(verdictsOf([], item, back)).toEqual([
      ["u1", "different"],
      ["u2", "absent"],
      ["u3", "unexpected"],
      ["login", "equivalent"],
    ])
    expect(verdictsOf([], { questions: [] }, submission([], { login: { email: "a@b.co" } }))).toEqual([[
      "login",
      "unexpected",
    ]])
    expect(verdictsOf([], { questions: [] }, submission([], { login: { email: undefined } }))).toEqual([])
  })

  it("compares scheduling and payments member by member, and names members that the service added", () => {
    const item: Item = {
      questions: [],
      scheduling: [{ id: "b1", value: { fullName: "Ada", eventStartTime: "2024-05-31T12:30:00.000Z" } }],
      payments: [{ id: "p1", value: { paymentId: "t1", totalAmount: 5 } }],
    }
    const back = (fullName: string, totalAmount: number) =>
      submission([], {
        scheduling: [{
          id: "b1",
          name: "Booking",
          value: { fullName, eventStartTime: "2024-05-31T14:30:00+02:00", eventId: "e1" },
        }],
        payments: [{ id: "p1", name: "Fee", value: { paymentId: "t1", totalAmount } }],
      })
    expect(compareSubmission([], item, back("Ada", 5))).toMatchObject([
      { question: "b1", verdict: "equivalent", normalised: "way of writing an instant, added eventId" },
      { question: "p1", verdict: "same" },
    ])
    expect(verdictsOf([], item, back("Eda", 5.01))).toEqual([["b1", "different"], ["p1", "different"]])
    const without = submission([], { scheduling: [{ id: "b1", name: "Booking", value: null }] })
    expect(verdictsOf([], item, without)).toEqual([["b1", "absent"], ["p1", "absent"]])
    expect(verdictsOf([], { questions: [] }, back("Ada", 5))).toEqual([["b1", "unexpected"], ["p1", "unexpected"]])
    const lost = submission([], { payments: [{ id: "p1", name: "Fee", value: { paymentId: "t1" } }] })
    expect(verdictsOf([], { questions: [], payments: item.payments ?? [] }, lost)).toEqual([["p1", "different"]])
  })

  it("accepts unsent answers to questions that the form itself fills", () => {
    const back = submission([
      returned("c", "token", { type: "Captcha" }),
      returned("p", { paymentId: "x" }, { type: "Payment" }),
    ])
    expect(verdictsOf([], { questions: [] }, back)).toEqual([])
  })

  it("compares by the question's type or the value's shape if the mapping has no kind", () => {
    const item: Item = { questions: [{ id: "d", value: "2024-05-31T12:30:00.000Z" }, { id: "s", value: ["a", "b"] }] }
    const back = (type: string | undefined) =>
      submission([returned("d", "2024-05-31T14:30:00+02:00"), returned("s", ["b", "a"], { type })])
    expect(verdictsOf([], item, back("MultiSelect"))).toEqual([["d", "equivalent"], ["s", "equivalent"]])
    // Without a type, the list may be a ranking, whose order matters.
    expect(verdictsOf([], item, back(undefined))).toEqual([["d", "equivalent"], ["s", "different"]])
    expect(compareAnswer(undefined, 5, "5").verdict).toBe("equivalent")
    expect(compareAnswer(undefined, "5", 5).verdict).toBe("different")
    expect(compareAnswer("phone", "+493012345678", "+49 30 12345678").verdict).toBe("equivalent")
  })

  it("an answer that came back several times with different values is different, in any order", () => {
    const item: Item = {
      questions: [{ id: "q", value: "x" }],
      urlParameters: [{ id: "u", name: "ref", value: "x" }],
      scheduling: [{ id: "s", value: { fullName: "Ada" } }],
    }
    const back = (values: ReadonlyArray<string | null>) =>
      submission(values.map((value) => returned("q", value)), {
        urlParameters: values.map((value) => ({ id: "u", name: "ref", value })),
        scheduling: values.map((value) => ({
          id: "s",
          name: "Booking",
          value: value === null ? null : { fullName: value === "x" ? "Ada" : "Eda" },
        })),
      })
    const all = (verdict: string) => ["q", "u", "s"].map((id) => [id, verdict])
    for (const values of [["x", "x"], ["x", null], [null, "x"]]) {
      expect(verdictsOf([], item, back(values))).toEqual(all("same"))
    }
    for (const values of [["x", "y"], ["y", "x"]]) expect(verdictsOf([], item, back(values))).toEqual(all("different"))
    const unknown = (value: Json) => returned("q", value, { type: "Hologram", known: false })
    for (const back of [[unknown(null), returned("q", "")], [unknown("x"), returned("q", null)]]) {
      for (const order of [back, back.toReversed()]) {
        expect(verdictsOf([], { questions: item.questions }, submission(order))).toEqual([["q", "absent"]])
      }
    }
    const list: Item = { questions: [{ id: "q", value: ["x", "y"] }] }
    expect(verdictsOf([answer("q", "choices")], list, submission([returned("q", "x"), returned("q", "y")])))
      .toEqual([["q", "different"]])
    const unsent = (...values: ReadonlyArray<Json>) =>
      compareSubmission([], { questions: [] }, submission(values.map((value) => returned("q", value))))
    expect(unsent("x", "y")).toMatchObject([{ question: "q", verdict: "unexpected", returned: ["x", "y"] }])
    expect(unsent(null, "")).toEqual([])
  })

  it("compares an answer of an unknown type by its kind if the form gives the question a known type, or none", () => {
    const item: Item = { questions: [{ id: "q", value: 5 }] }
    const back = (value: Json) => submission([returned("q", value, { type: "Hologram", known: false })])
    const mapped = (known: boolean) => [{ ...answer("q", "number"), known }]
    expect(verdictsOf(mapped(true), item, back("5"))).toEqual([["q", "equivalent"]])
    expect(verdictsOf(mapped(true), item, back(6))).toEqual([["q", "different"]])
    expect(verdictsOf(mapped(true), item, back(null))).toEqual([["q", "absent"]])
    expect(verdictsOf(mapped(false), item, back(6))).toEqual([["q", "not comparable"]])
  })

  it("finds no difference between an empty value that was sent and one that was returned", () => {
    expect(verdictsOf([], { questions: [{ id: "j", value: [] }] }, submission([returned("j", [])]))).toEqual([[
      "j",
      "same",
    ]])
    expect(verdictsOf([], { questions: [{ id: "j", value: [] }] }, submission([returned("j", null)]))).toEqual([[
      "j",
      "equivalent",
    ]])
  })
})

describe("how a submission fits an item", () => {
  const item: Item = { questions: [{ id: "a", value: "x" }, { id: "b", value: "2024-05-31T12:30:00Z" }] }
  const b = (value: string) => returned("b", value)

  it("the fit is exact, equivalent or none", () => {
    expect(fit(item, submission([returned("a", "x"), b("2024-05-31T12:30:00Z")]))).toBe("exact")
    expect(fit(item, submission([returned("a", "x"), b("2024-05-31T12:30:00.000Z")]))).toBe("equivalent")
    expect(fit(item, submission([returned("a", "y"), b("2024-05-31T12:30:00Z")]))).toBe("no")
    expect(fit(item, submission([returned("a", "x")]))).toBe("no")
  })

  it("the fit is none if the submission has an answer that was not sent", () => {
    expect(fit(item, submission([returned("a", "x"), b("2024-05-31T12:30:00Z"), returned("c", "z")]))).toBe("no")
    expect(fit(item, submission([returned("a", "x"), b("2024-05-31T12:30:00Z"), returned("c", null)]))).toBe("exact")
  })

  it("the fit ignores answers that can't be compared", () => {
    expect(fit(item, submission([returned("a", "x"), returned("b", "?", { type: "Hologram", known: false })]))).toBe(
      "exact",
    )
  })
})

describe("comparing a returned submission with its item", () => {
  const ids = fc.constantFrom("a", "b", "c", "d")
  const value = fc.constantFrom<ReturnedAnswer["value"]>("x", "y", "", 1, true, null, [], ["x"])
  const sent = fc.array(fc.record({ id: ids, value }), { maxLength: 4 })
  const changes = fc.array(fc.tuple(fc.nat(5), fc.oneof(value, fc.constant("unknown" as const))), { maxLength: 1 })
  const own = fc.option(fc.constantFrom("2024-01-01T00:00:00.000Z", "2025-01-01T00:00:00.000Z"), { nil: undefined })
  const email = fc.option(fc.record({ email: fc.constantFrom("a@example.org", "b@example.org") }), { nil: undefined })
  const parameters = fc.array(
    fc.record({ id: ids, name: fc.constant("p"), value: fc.constantFrom("x", "") }),
    { maxLength: 2 },
  )
  const drawn = fc.record({
    questions: sent,
    unasked: fc.array(fc.record({ id: ids, value: fc.constantFrom(null, "", "x") }), { maxLength: 1 }),
    changes,
    urlParameters: parameters,
    otherParameters: fc.option(parameters, { nil: undefined, freq: 8 }),
    submissionTime: own,
    login: email,
    otherLogin: fc.option(email, { nil: undefined }),
  })

  it("gives one verdict for each member of the item, in the item's order", () => {
    let exact = 0
    fc.assert(
      fc.property(drawn, ({ changes, login, otherLogin, otherParameters, questions, submissionTime, ...rest }) => {
        const item: Item = {
          questions,
          urlParameters: rest.urlParameters,
          ...(submissionTime === undefined ? {} : { submissionTime }),
          ...(login === undefined ? {} : { login }),
        }
        const back = [...questions, ...rest.unasked].map(({ id, value }) => returned(id, value))
        for (const [at, change] of changes) {
          const one = back[at]
          if (one !== undefined) {
            back[at] = change === "unknown" ? { ...one, type: "Hologram", known: false } : { ...one, value: change }
          }
        }
        const submitted = submission(back, {
          urlParameters: otherParameters ?? rest.urlParameters,
          submissionTime: "2024-01-01T00:00:00.000Z",
          login: otherLogin ?? login,
        })
        const members: Array<string> = []
        eachAnswered(item, (id) => members.push(id))
        const comparisons = compareSubmission([], item, submitted)
        const asked = comparisons.filter(({ verdict }) => verdict !== "unexpected")
        expect(asked.map(({ question }) => question)).toEqual(members)
        for (const { returned, sent, verdict } of asked) if (sent === returned) expect(verdict).toBe("same")
        const isExact = comparisons.every(({ verdict }) => verdict === "same" || verdict === "not comparable")
        expect(fit(item, submitted) === "exact").toBe(isExact)
        if (isExact) exact++
      }),
      { seed: 3, numRuns: 5_000 },
    )
    expect(exact).toBeGreaterThan(200)
  })

  it("finds an exact fit unless a value differs, is missing, or was not sent", () => {
    const item: Item = { questions: [{ id: "a", value: "x" }] }
    expect(fit(item, submission([returned("b", null), returned("a", "x")]))).toBe("exact")
    expect(fit(item, submission([returned("a", "y")]))).toBe("no")
    expect(fit(item, submission([]))).toBe("no")
    expect(fit(item, submission([returned("a", "x"), returned("b", "z")]))).toBe("no")
    expect(fit(item, submission([returned("a", "x")], { login: { email: "a@example.org" } }))).toBe("no")
  })
})
