import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, Stream, TestClock } from "effect"
import fc from "fast-check"
import { createHash } from "node:crypto"
import type { Item } from "../../src/domain/item.ts"
import type { Submission } from "../../src/domain/submission.ts"
import { type Evidence, noEvidence } from "../../src/ledger/evidence.ts"
import type { PipelineLedger } from "../../src/ledger/Ledger.ts"
import type { DoubtfulRow } from "../../src/ledger/pages.ts"
import type { Pipeline } from "../../src/project/Pipeline.ts"
import { type ListContext, settleFromList } from "../../src/run/settleFromList.ts"
import type { ListedPage } from "../../src/service/FormService.ts"
import { formWith, question } from "../fakeForms.ts"
import { fakeList, submissionWith } from "../fakeSubmissions.ts"
import { seeds } from "../long.ts"
import { doubtfulRow } from "../sink/doubtfulRow.ts"

const form = formWith({
  id: "f",
  name: "F",
  questions: [question("n", "Name", "ShortAnswer"), question("m", "E-mail", "EmailInput")],
  urlParameters: [{ id: "key", name: "key" }],
})

const person = (name: string, key?: string): Item => ({
  questions: [{ id: "n", value: name }, { id: "m", value: `${name}@example.org` }],
  ...(key === undefined ? {} : { urlParameters: [{ id: "key", name: "key", value: key }] }),
})

const submissionOf = (submissionId: string, { questions, urlParameters = [] }: Item): Submission =>
  submissionWith({
    submissionId,
    submissionTime: "2026-01-01T00:00:00.000Z",
    questions: form.questions.map(({ id, name, type }) => ({
      id,
      name,
      type,
      known: true,
      value: questions.find((one) => one.id === id)?.value ?? null,
    })),
    urlParameters: [...urlParameters],
  })

type EvidenceOf = (...of: Parameters<PipelineLedger["evidence"]>) => Evidence

/** Returns the ledger's evidence if the requests ended at this time, and the clock was not set back. */
const endedAt = (at: number): EvidenceOf => (_, { visibleWithin }, entries) => {
  const visibleFrom = at + visibleWithin
  return { ...noEvidence, visibleFrom, testEntry: entries.find((entry) => entry.at >= visibleFrom) }
}

interface Setting {
  /** The form's submissions, in the order of the list. May change from page to page. */
  readonly inForm: () => ReadonlyArray<Submission>
  /** The ids that the ledger knows. */
  readonly known?: ReadonlyArray<string>
  /** Whether the known submissions are not verified. */
  readonly isUnproven?: boolean
  /** Default: the requests ended after one second. */
  readonly evidence?: EvidenceOf
  /** The number of submissions on a page. */
  readonly size?: number
  readonly stamp?: boolean
  /** Changes a page before it is returned. */
  readonly change?: (page: ListedPage, sort: "asc" | "desc") => ListedPage
  /** Called after each page. */
  readonly after?: () => void
  readonly patience?: number
  /** How far the ledger's clock is behind the host's, in milliseconds. */
  readonly behind?: number
}

/** Settles rows from a list, a minute after they were sent. `visibleWithin` is ten seconds. */
const settling = (rows: ReadonlyArray<DoubtfulRow>, setting: Setting) =>
  Effect.gen(function*() {
    const { after, behind = 0, change = (page) => page, evidence = endedAt(1_000), inForm, known = [], size = 3 } =
      setting
    const { list, pages: asked } = fakeList(inForm, size)
    const context: ListContext = {
      form,
      answers: [],
      digest: (id) => createHash("md5").update(id).digest(),
      pipeline: {
        reconcile: { visibleWithin: Duration.seconds(10), lateWithin: Duration.seconds(10) },
        sink: { stamp: setting.stamp === true ? { urlParameter: "key" } : undefined },
      } as unknown as Pipeline,
      list: (id, page) =>
        Effect.map(list(id, page), (found) => {
          after?.()
          return change(found, page.sort)
        }),
      view: {
        pages: (() =>
          Stream.make(known.map((id, at) => ({
            at,
            id,
            isRequired: true,
            isUnproven: setting.isUnproven === true,
            batch: 1,
            closed: 1,
            time: undefined,
          })))) as unknown as ListContext["view"]["pages"],
        settlingFacts: Effect.map(
          Clock.currentTimeMillis,
          (now) => ({ testEntries: [], looseIds: [], landedByWord: [], now: now - behind }),
        ),
        standing: Effect.succeed({ imported: known.length } as never),
        evidence: (...of) => Effect.succeed(evidence(...of)),
      },
    }
    const { open, settled } = yield* settleFromList(rows, context, setting.patience ?? 0)
    return {
      asked,
      landed: settled.flatMap(({ as, row }) =>
        as.outcome._tag === "Landed" ? [[row.row, as.outcome.submissionId] as const] : []
      ),
      notLanded: settled.flatMap(({ as, row }) => (as.outcome._tag === "NotLanded" ? [row.row] : [])),
      open: open.map(({ reason, row, wants }) => [row.row, reason, wants] as const),
    }
  })

const aMinuteLater = <A, E>(effect: Effect.Effect<A, E>) => Effect.zipRight(TestClock.adjust("1 minute"), effect)

const rows = [doubtfulRow(1, person("ada")), doubtfulRow(2, person("bob"))]
const known = ["k1", "k2", "k3", "k4"]
const others = known.map((id) => submissionOf(id, person(`known ${id}`)))
const ada = submissionOf("a", person("ada"))
const bob = submissionOf("b", person("bob"))

describe("settling rows in doubt from the form's list", () => {
  it.effect("two equal lists from both ends prove that a row has not landed", () =>
    aMinuteLater(Effect.gen(function*() {
      const { asked, ...settled } = yield* settling(rows, { inForm: () => [...others, ada], known })
      expect(settled).toEqual({ landed: [[1, "a"]], notLanded: [2], open: [] })
      expect(asked).toEqual(["asc 0", "asc 3", "desc 0", "desc 3"])
    })))

  it.effect("how long ago a request ended is measured by the ledger's clock, even if the host's is ahead", () =>
    aMinuteLater(Effect.gen(function*() {
      // By the ledger's clock, eight seconds have passed since the request ended, and a submission may take ten to be visible.
      const { notLanded, open } = yield* settling(rows, { inForm: () => [...others, ada], known, behind: 51_000 })
      expect(notLanded).toEqual([])
      expect(open).toEqual([[2, expect.stringContaining("might not be visible before"), "time"]])
    })))

  it.effect("a submission from more than a day before the row was sent only resembles the row", () =>
    aMinuteLater(Effect.gen(function*() {
      const settled = (submissionTime: string | undefined, row: Partial<DoubtfulRow> = {}, item: Partial<Item> = {}) =>
        settling(
          [{ ...doubtfulRow(1, { ...person("ada"), ...item }), sentAt: "2026-03-02T12:00:00.000Z", ...row }],
          { inForm: () => [{ ...ada, submissionTime }] },
        )
      const old = "2026-03-01T11:59:59.999Z"
      expect(yield* settled(old)).toMatchObject({
        landed: [],
        notLanded: [],
        open: [[
          1,
          expect.stringMatching(/submission a of the form's list resembles it: .* 24 hours older/),
          "a person",
        ]],
      })
      const landed = { landed: [[1, "a"]], open: [] }
      expect(yield* settled("2026-03-01T12:00:00.000Z")).toMatchObject(landed)
      expect(yield* settled("2030-01-01T00:00:00.000Z")).toMatchObject(landed)
      expect(yield* settled(undefined)).toMatchObject(landed)
      expect(yield* settled("yesterday")).toMatchObject(landed)
      // These rows may have an older submission: it has a time of its own, or belongs to an earlier sending.
      expect(yield* settled(old, {}, { submissionTime: old })).toMatchObject(landed)
      expect(yield* settled(old, { resent: true })).toMatchObject(landed)
      expect(yield* settled(old, { first: 4 })).toMatchObject(landed)
      // The row's own submission is found next to the older one.
      const both = [{ ...ada, submissionTime: old }, {
        ...ada,
        submissionId: "own",
        submissionTime: "2026-03-02T12:00:01Z",
      }]
      const row = { ...doubtfulRow(1, person("ada")), sentAt: "2026-03-02T12:00:00.000Z" }
      expect(yield* settling([row], { inForm: () => both })).toMatchObject({ landed: [[1, "own"]], open: [] })
      // Rows with the same answers are interchangeable: the older submission can be that of the row that was sent first.
      const twins = [{ ...row, row: 2 }, { ...doubtfulRow(1, person("ada")), sentAt: "2026-03-01T12:00:00.000Z" }]
      expect((yield* settling(twins, { inForm: () => both })).landed).toHaveLength(2)
    })))

  it.effect("an empty form proves that no row has landed", () =>
    aMinuteLater(Effect.gen(function*() {
      expect(yield* settling(rows, { inForm: () => [] })).toMatchObject({ notLanded: [1, 2], open: [] })
    })))

  it.effect("a list that lacks a submission which the ledger knows proves nothing", () =>
    aMinuteLater(Effect.gen(function*() {
      const settled = yield* settling(rows, { inForm: () => [...others.slice(1), ada], known })
      expect(settled).toMatchObject({ landed: [[1, "a"]], notLanded: [] })
      expect(settled.open).toEqual([[2, expect.stringContaining("such as k1"), "another list"]])
    })))

  it.effect("a list with a malformed submission proves nothing", () =>
    aMinuteLater(Effect.gen(function*() {
      const settled = yield* settling(rows, {
        inForm: () => [...others, ada],
        known,
        change: ({ submissions, ...page }) => ({
          ...page,
          submissions: submissions.filter((one) => one !== ada),
          malformed: submissions.includes(ada) ? 1 : 0,
        }),
      })
      expect(settled).toMatchObject({ landed: [], notLanded: [] })
      expect(settled.open[0]?.[1]).toContain("1 submission of the form's list can't be read")
    })))

  it.effect("a list that shows a submission twice proves nothing", () =>
    aMinuteLater(Effect.gen(function*() {
      // The service shows the last submission of a page again, and so skips the last one of the list.
      const settled = yield* settling(rows, {
        inForm: () => [...others, bob],
        known,
        size: 4,
        change: ({ submissions, total }) => ({
          submissions: submissions.length < 4 ? others.slice(3) : submissions,
          malformed: 0,
          total,
        }),
      })
      expect(settled).toMatchObject({ notLanded: [] })
    })))

  it.effect("a list that is cut after some submissions proves nothing, even if its total is cut, too", () =>
    aMinuteLater(Effect.gen(function*() {
      const cut = (all: ReadonlyArray<Submission>) => ({
        inForm: () => all,
        known: known.slice(0, 2),
        size: 9,
        change: ({ submissions }: ListedPage) => ({ submissions: submissions.slice(0, 4), malformed: 0, total: 4 }),
      })
      const strangers = others.slice(2)
      expect(yield* settling(rows, cut([...others.slice(0, 2), ...strangers, ada, bob]))).toMatchObject({
        notLanded: [],
      })
      expect(yield* settling(rows, cut([ada, bob, ...others.slice(0, 2), ...strangers]))).toMatchObject({
        notLanded: [],
      })
    })))

  it.effect("a list whose total is too high proves nothing", () =>
    aMinuteLater(Effect.gen(function*() {
      const settled = yield* settling(rows, {
        inForm: () => others,
        known,
        change: (page) => ({ ...page, total: page.total + 1 }),
      })
      expect(settled.open[0]).toEqual([1, "the form's list shows 4 of 5 submissions", "another list"])
    })))

  it.effect("if a submission arrives while the form is listed, the next lists prove that a row has not landed", () =>
    aMinuteLater(Effect.gen(function*() {
      const inForm = [...others, ada]
      let pages = 0
      const settled = yield* settling(rows, {
        inForm: () => inForm,
        known,
        after: () => {
          if (++pages === 1) inForm.push(submissionOf("s", person("somebody else")))
        },
      })
      expect(settled).toMatchObject({ landed: [[1, "a"]], notLanded: [2] })
      expect(settled.asked.filter((one) => one.endsWith(" 0"))).toEqual(["asc 0", "desc 0"])
    })))

  it.effect("a deletion and an addition between two pages hide a submission, but prove nothing", () =>
    aMinuteLater(Effect.gen(function*() {
      const inForm = [...others.slice(0, 2), bob, ...others.slice(2), submissionOf("s1", person("carl"))]
      let pages = 0
      const settled = yield* settling(rows, {
        inForm: () => inForm,
        known,
        after: () => {
          // After the first page of the second list, which starts with the newest submissions.
          if (++pages !== 3) return
          inForm.pop()
          inForm.unshift(submissionOf("s2", person("dora")))
        },
      })
      expect(settled).toMatchObject({ landed: [[2, "b"]], notLanded: [] })
      expect(settled.open).toEqual([[1, "two lists of the form show different submissions", "another list"]])
    })))

  it.effect("while a submission need not be visible yet, the row stays in doubt if the time is too far away", () =>
    Effect.gen(function*() {
      yield* TestClock.adjust("5 seconds")
      const settled = yield* settling(rows, { inForm: () => others, known, patience: 5_999 })
      expect(settled.open[1]).toEqual([2, expect.stringContaining("might not be visible before"), "time"])
      expect(settled.asked.filter((one) => one.endsWith(" 0"))).toEqual(["asc 0"])
    }))

  it.effect("waits until submissions must be visible, and finds one that the list showed late", () =>
    Effect.gen(function*() {
      yield* TestClock.adjust("5 seconds")
      const inForm = [...others]
      const fiber = yield* Effect.fork(settling(rows, { inForm: () => inForm, known, patience: 6_000 }))
      yield* TestClock.adjust("5 seconds")
      inForm.push(bob)
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(fiber)).toMatchObject({ landed: [[2, "b"]], notLanded: [1] })
    }))

  it.effect("waits for a late submission, although one with the same answers is another row's that is not verified", () =>
    Effect.gen(function*() {
      yield* TestClock.adjust("5 seconds")
      const inForm = [submissionOf("k1", person("bob"))]
      const setting = { inForm: () => inForm, known: ["k1"], isUnproven: true, patience: 6_000 }
      const fiber = yield* Effect.fork(settling(rows.slice(1), setting))
      yield* TestClock.adjust("5 seconds")
      inForm.push(bob)
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(fiber)).toMatchObject({ landed: [[2, "b"]], open: [] })
      const never = yield* settling(rows.slice(1), { ...setting, inForm: () => inForm.slice(0, 1) })
      expect(never.open).toEqual([[2, expect.stringContaining("whose submission is not verified"), "a person"]])
    }))

  it.effect("a row whose request may still arrive stays in doubt", () =>
    aMinuteLater(Effect.gen(function*() {
      const evidence = () => noEvidence
      const settled = yield* settling(rows, { inForm: () => [...others, ada], known, evidence, patience: Infinity })
      expect(settled).toMatchObject({ landed: [[1, "a"]], notLanded: [] })
      expect(settled.open).toEqual([[2, expect.stringContaining("may still send"), "a person"]])
    })))

  it.effect("if the clock was set back, absence proves nothing", () =>
    aMinuteLater(Effect.gen(function*() {
      const settled = yield* settling(rows, {
        inForm: () => [...others, ada],
        known,
        evidence: (...of) => ({ ...endedAt(1_000)(...of), testEntry: undefined, hasClockGoneBack: true }),
      })
      expect(settled).toMatchObject({ landed: [[1, "a"]], notLanded: [] })
      expect(settled.open).toEqual([[2, expect.stringContaining("the clock was set back"), "a person"]])
    })))

  it.effect("a submission with the row's key but other answers is not the row's, since a different pipeline may send the key", () =>
    aMinuteLater(Effect.gen(function*() {
      const mine = [doubtfulRow(1, person("ada", "17"))]
      const theirs = submissionOf("t", person("zoe", "17"))
      const settled = yield* settling(mine, { inForm: () => [...others, theirs], known, stamp: true })
      expect(settled.open).toEqual([[
        1,
        expect.stringContaining("submission t of the form's list resembles it"),
        "a person",
      ]])
      const both = [...others, theirs, submissionOf("a", person("ada", "17"))]
      expect(yield* settling(mine, { inForm: () => both, known, stamp: true })).toMatchObject({ landed: [[1, "a"]] })
    })))

  it.effect("a submission with the same answers but a different row key is not the row's", () =>
    aMinuteLater(Effect.gen(function*() {
      const mine = [doubtfulRow(1, person("ada", "17"))]
      const inForm = [submissionOf("s", person("ada", "99"))]
      expect(yield* settling(mine, { inForm: () => inForm, stamp: true })).toMatchObject({ landed: [], notLanded: [1] })
    })))

  it.effect("a row that was sent twice stays in doubt if both submissions landed", () =>
    aMinuteLater(Effect.gen(function*() {
      const mine = [doubtfulRow(1, person("ada"), { resent: true })]
      const settled = yield* settling(mine, { inForm: () => [ada, submissionOf("a2", person("ada"))] })
      expect(settled.open).toEqual([[1, expect.stringContaining("It was sent twice"), "a person"]])
    })))

  it.effect("identical rows are interchangeable: as many landed as the list shows", () =>
    aMinuteLater(Effect.gen(function*() {
      const twins = [1, 2, 3].map((row) => doubtfulRow(row, person("ada")))
      const inForm = [ada, submissionOf("a2", person("ada"))]
      expect(yield* settling(twins, { inForm: () => inForm })).toMatchObject({
        landed: [[1, expect.stringMatching(/^a2?$/)], [2, expect.stringMatching(/^a2?$/)]],
        notLanded: [3],
      })
    })))

  it("settles no row wrongly, however people add and delete submissions between pages", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
        fc.nat(9),
        fc.integer({ min: 1, max: 5 }),
        fc.array(
          fc.record({
            add: fc.option(fc.nat(20), { nil: undefined }),
            remove: fc.option(fc.nat(20), { nil: undefined }),
          }),
          {
            maxLength: 12,
          },
        ),
        fc.infiniteStream(fc.nat(20)),
        async (landed, strangers, size, changes, places) => {
          const inForm = Array.from({ length: strangers }, (_, at) => submissionOf(`s${at}`, person(`stranger ${at}`)))
          landed.forEach((isThere, at) => {
            if (isThere) {
              inForm.splice(places.next().value % (inForm.length + 1), 0, submissionOf(`r${at}`, person(`row ${at}`)))
            }
          })
          const steps = changes.values()
          let added = 0
          const mine = landed.map((_, at) => doubtfulRow(at, person(`row ${at}`)))
          const settled = await Effect.runPromise(settling(mine, {
            inForm: () => inForm,
            size,
            after: () => {
              const { add, remove } = steps.next().value ?? {}
              if (remove !== undefined) {
                const at = remove % Math.max(1, inForm.length)
                if (inForm[at]?.submissionId.startsWith("r") === false) inForm.splice(at, 1)
              }
              if (add !== undefined) {
                inForm.splice(add % (inForm.length + 1), 0, submissionOf(`n${added}`, person(`new ${added++}`)))
              }
            },
          }))
          for (const row of settled.notLanded) expect(landed[row]).toBe(false)
          for (const [row, id] of settled.landed) expect(id).toBe(`r${row}`)
          if (changes.length === 0) expect(settled.open).toEqual([])
        },
      ),
      { numRuns: seeds(40, 500) },
    ))
})
