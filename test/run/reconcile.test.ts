import { expect } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { nightClock } from "../jobs/nightClock.ts"
import { people, scoped, world } from "./world.ts"

/** Returns a function that finds submission ids by number. */
const idsOf = ({ practice }: Effect.Effect.Success<typeof world>) => {
  const ids = new Map(practice.submissions("people").map((one) => [one.questions[0]?.value, one.submissionId]))
  return (number: number) => ids.get(`Person ${number}`) ?? ""
}

scoped(
  "a reconciliation reports rows that were never imported, until a person acknowledges them",
  Effect.gen(function*() {
    const { acknowledge, reconcile, run, source } = yield* world
    yield* source([...people(1, 12), "13,Bad,not-an-address", "14,Worse,neither"])
    const imported = yield* run()
    expect(imported).toMatchObject({ exitCode: 1, rows: { imported: 12, invalid: 2 } })
    const waiting =
      `In addition to the submissions, 2 rows of the last run still need review: formferry report people --run ${imported.run}`
    expect(yield* reconcile()).toMatchObject({ exitCode: 0, outcome: "complete", because: [waiting] })
    // A second reconciliation still names the run that found the rows.
    expect((yield* reconcile()).because).toEqual([waiting])
    yield* acknowledge("all")
    expect((yield* reconcile()).because).toEqual([])
  }),
)

scoped(
  "a reconciliation distinguishes edits and deletions from import errors, and an acknowledgement covers their present state",
  Effect.gen(function*() {
    const at = yield* world
    const { acknowledge, file, reconcile, run, source, store } = at
    yield* source(people(1, 30))
    yield* run()
    expect(yield* reconcile()).toMatchObject({
      mode: "reconcile",
      exitCode: 0,
      readBack: { verified: 30, differing: 0, missing: 0, unread: 0 },
      differences: [],
    })

    const id = idsOf(at)
    store.answer("people", id(3), "name", "Somebody else")
    store.answer("people", id(4), "mail", null)
    yield* store.remove("people", id(5))
    // Someone saved the submission without a change.
    store.edit("people", id(6), (content) => content)
    const found = yield* reconcile()
    expect(found).toMatchObject({
      exitCode: 4,
      outcome: "differing",
      readBack: { verified: 27, differing: 2, missing: 1, unread: 0 },
      because: [
        "2 submissions came back as sent, but were edited later.",
        "1 submission came back as sent, but was deleted later.",
      ],
      next: "formferry report people --open",
    })
    // The edit links may be in any order.
    expect(found.differences.toSorted((one, other) => one.row - other.row)).toMatchObject([
      { row: 3, key: "3", question: "name", verdict: "different", sent: undefined, returned: "Somebody else" },
      { row: 4, key: "4", question: "mail", verdict: "absent", sent: undefined, returned: undefined },
    ])
    expect(found.differences.every((one) => one.editLink?.startsWith("http"))).toBe(true)
    expect(found.findings.map((one) => one.pattern).toSorted()).toEqual([
      "edited since it was verified",
      "removed since it was verified",
    ])
    expect((yield* file(found, "imported.csv")).split("\n").filter((line) => /missing|differing/.test(line)).toSorted())
      .toEqual([
        expect.stringMatching(/^3,3,.*,differing,/),
        expect.stringMatching(/^4,4,.*,differing,/),
        expect.stringMatching(/^5,5,.*,missing,/),
      ])
    // Edits don't affect a run.
    expect(yield* run()).toMatchObject({ exitCode: 0 })

    expect(yield* acknowledge("all", true)).toMatchObject({ acknowledged: 3 })
    expect(yield* reconcile()).toMatchObject({ exitCode: 0, readBack: { verified: 27 }, acknowledged: 3 })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 30, filtered: 0 } })
    // A further edit counts as a new edit, and an edit that was undone does not count.
    store.answer("people", id(3), "name", "Yet another")
    store.answer("people", id(4), "mail", "p4@example.org")
    expect(yield* reconcile()).toMatchObject({
      exitCode: 4,
      readBack: { verified: 28, differing: 1, missing: 1 },
      because: ["1 submission came back as sent, but was edited later."],
      acknowledged: 1,
    })
    expect(yield* acknowledge(["3"])).toMatchObject({ acknowledged: 1 })
    expect(yield* reconcile()).toMatchObject({ exitCode: 0 })
  }),
)

scoped(
  "a verified submission that the service can't return any more is unread, and the others are compared",
  Effect.gen(function*() {
    const at = yield* world
    const { file, reconcile, run, source, store } = at
    yield* source(people(1, 30))
    yield* run()
    const id = idsOf(at)
    store.edit("people", id(3), () => ({}))
    store.answer("people", id(4), "name", "Somebody else")
    const found = yield* reconcile({ pageRows: 10 })
    expect(found).toMatchObject({
      exitCode: 4,
      outcome: "differing",
      readBack: { verified: 28, differing: 1, missing: 0, unread: 1 },
      because: [
        "1 submission came back as sent, but was edited later.",
        "1 submission came back as sent, but can't be read now: see imported.csv.",
      ],
      next: "formferry report people --open",
    })
    expect(yield* file(found, "imported.csv")).toMatch(/^3,3,.*,unread,/m)
    expect(yield* run()).toMatchObject({ exitCode: 0 })
    store.edit("people", id(3), (content) => content)
    // Many such submissions mean that the service can't be used.
    for (let number = 5; number < 30; number++) store.edit("people", id(number), () => ({}))
    expect(yield* reconcile()).toMatchObject({ exitCode: 5, outcome: "unavailable" })
  }),
)

scoped(
  "a verified submission without any answer is read again, and its deletion is found",
  Effect.gen(function*() {
    const at = yield* world
    yield* at.settings({ sink: ", blankRows: allow" })
    yield* at.source([...people(1, 2), "3,,"])
    expect(yield* at.run()).toMatchObject({ exitCode: 0, rows: { imported: 3 }, readBack: { verified: 3 } })
    expect(yield* at.reconcile()).toMatchObject({ exitCode: 0, readBack: { verified: 3, unread: 0 } })
    const blank = at.practice.submissions("people").find(({ questions }) =>
      questions.every(({ value }) => value === null)
    )
    yield* at.store.remove("people", blank?.submissionId ?? "")
    expect(yield* at.reconcile()).toMatchObject({ exitCode: 4, readBack: { verified: 2, missing: 1, unread: 0 } })
  }),
)

scoped(
  "a reconciliation compares an import error with what was sent, and verifies the submission after it is fixed",
  Effect.gen(function*() {
    const at = yield* world
    const { reconcile, run, settings, source, store } = at
    yield* settings({ sink: ", canary: off, stopWhen: { differing: 100 }", reconcile: ", tolerate: []" })
    yield* source(people(1, 12))
    yield* run()
    const id = idsOf(at)
    yield* source([...people(1, 12), "13,Late,late@example.org"])
    store.rewrite((json) => json.replace("Late", "LATE"))
    expect(yield* run()).toMatchObject({ exitCode: 4, readBack: { differing: 1 } })
    store.answer("people", id(2), "name", "Edited")
    const found = yield* reconcile()
    expect(found).toMatchObject({ exitCode: 4, readBack: { verified: 11, differing: 2 } })
    expect(found.because).toEqual([
      "1 submission came back different from what was sent.",
      "1 submission came back as sent, but was edited later.",
    ])
    expect(found.differences.toSorted((one, other) => Number(one.sent !== "Late") - Number(other.sent !== "Late")))
      .toMatchObject([
        { question: "name", sent: "Late", returned: "LATE" },
        { question: "name", sent: undefined, returned: "Edited" },
      ])
    const late = at.practice.submissions("people").find((one) => one.questions[0]?.value === "LATE")
    store.answer("people", late?.submissionId ?? "", "name", "Late")
    expect(yield* reconcile()).toMatchObject({ readBack: { verified: 12, differing: 1 } })
  }),
)

scoped(
  "an interrupted reconciliation continues where it stopped, but --restart reads all submissions",
  Effect.gen(function*() {
    const at = yield* world
    const { heard, reconcile, run, settings, source, store } = at
    yield* settings({ sink: ", stopWhen: { new: 100% }" })
    yield* source(people(1, 70))
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 70 } })
    const id = idsOf(at)
    store.answer("people", id(10), "name", "Edited early")
    yield* store.remove("people", id(60))

    const stop = yield* Deferred.make<"SIGINT">()
    const first = yield* reconcile({
      pageRows: 10,
      interrupted: Deferred.await(stop),
      progress: ({ read }) => (read >= 55 ? Effect.asVoid(Deferred.succeed(stop, "SIGINT")) : Effect.void),
    })
    expect(first).toMatchObject({ exitCode: 130, outcome: "interrupted", next: "formferry reconcile people" })
    expect(first.readBack.unread).toBeGreaterThan(0)
    expect(first.balance.holds).toBe(true)

    heard.length = 0
    const second = yield* reconcile()
    expect(second).toMatchObject({
      exitCode: 4,
      readBack: { verified: 68, differing: 1, missing: 1, unread: 0 },
      balance: { holds: true },
    })
    // The first pages were not read a second time.
    expect(heard.filter((one) => one.includes("/submissions/")).length).toBeLessThanOrEqual(41)
    expect(second.warnings.join("\n")).toContain(`This continues the reconciliation ${first.run}`)

    heard.length = 0
    const third = yield* reconcile({ restart: true })
    expect(third.readBack).toEqual(second.readBack)
    expect(third.warnings).toEqual([])
    expect(heard.filter((one) => one.includes("/submissions/")).length).toBeGreaterThanOrEqual(70)
  }),
)

scoped(
  "a reconciliation that was interrupted more than seven days ago starts from the beginning",
  Effect.gen(function*() {
    const { heard, reconcile, run, source } = yield* world
    const night = nightClock("2026-11-01T02:00:00Z")
    const at = Effect.withClock(night.clock)
    yield* source(people(1, 20))
    yield* at(run())
    const interrupt = () =>
      Effect.gen(function*() {
        const stop = yield* Deferred.make<"SIGINT">()
        const first = yield* at(reconcile({
          pageRows: 5,
          interrupted: Deferred.await(stop),
          progress: ({ read }) => (read > 5 ? Effect.asVoid(Deferred.succeed(stop, "SIGINT")) : Effect.void),
        }))
        expect(first.exitCode).toBe(130)
      })
    for (const [later, isContinued] of [["2026-11-08T01:59:00Z", true], ["2026-11-15T02:02:00Z", false]] as const) {
      yield* interrupt()
      yield* night.set(later)
      heard.length = 0
      const next = yield* at(reconcile())
      expect([next.exitCode, next.warnings.join(" ").includes("This continues")]).toEqual([0, isContinued])
      expect(heard.filter((one) => one.includes("/submissions/")).length === 20).toBe(!isContinued)
    }
  }),
)

scoped(
  "a reconciliation does not accept a new ledger after the old one vanished",
  Effect.gen(function*() {
    const { reconcile, root, run, source, write } = yield* world
    yield* source(people(1, 3))
    yield* run()
    yield* write(
      "config/formferry.yaml",
      (yield* Effect.promise(() =>
        import("node:fs/promises").then((fs) => fs.readFile(`${root}/config/formferry.yaml`, "utf8"))
      ))
        + "ledger: { file: ../other/ledger.db }\n",
    )
    expect(yield* Effect.flip(reconcile())).toMatchObject({ _tag: "LedgerRefused" })
    expect(yield* Effect.flip(run())).toMatchObject({ _tag: "LedgerRefused" })
  }),
)
