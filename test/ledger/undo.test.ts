import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { join } from "node:path"
import type { LedgerSession } from "../../src/ledger/Ledger.ts"
import { databases } from "./databases.ts"
import { batchOf, contacts, digestsOf, folder, imported, listed, rowOf } from "./rows.ts"

describe.each(databases)("a ledger in $name", ({ openLedger }) => {
  const waits = { visibleWithin: 0, lateWithin: 0 }

  /** A ledger in which the run `first` imported rows 1 and 2 as s1 and s2, and verified row 1. */
  const ledgerWithTwo = Effect.gen(function*() {
    const ledger = yield* openLedger({ file: join(yield* folder, "ledger.db") })
    const view = yield* contacts(ledger)
    const row = (number: number, content = `content ${number}`) => rowOf(ledger, number, { content })
    const undone = (number: number, submissionId = `s${number}`) => ({ keyDigest: row(number).keyDigest, submissionId })
    /** Runs actions in the ledger, and checks that it stays sound. */
    const run = <A, E>(name: string, work: (session: LedgerSession) => Effect.Effect<A, E>) =>
      Effect.scoped(Effect.flatMap(view.hold(name), work)).pipe(
        Effect.tap(() => Effect.map(ledger.verify, (findings) => expect(findings).toEqual([]))),
      )
    const answers = digestsOf({ q1: { sent: "aa", returned: "bb" } })
    yield* run("first", (session) =>
      Effect.gen(function*() {
        const batch = yield* session.intend(batchOf([row(1), row(2)]))
        yield* session.recordOutcomes(batch, [imported("s1"), imported("s2")])
        yield* session.recordVerdicts([{ keyDigest: row(1).keyDigest, verdict: "verified", answers }])
      }))
    const state = (number: number) => Effect.map(view.lookUp([row(number).keyDigest]), ([found]) => found?.state)
    return { ledger, view, row, undone, run, answers, state }
  })

  it.scopedLive("an undone row keeps its key, its content and the id of the deleted submission", () =>
    Effect.gen(function*() {
      const { ledger, row, run, undone, view } = yield* ledgerWithTwo
      yield* run("second", (session) => session.undo([undone(1)]))
      expect(yield* view.lookUp([row(1).keyDigest])).toMatchObject([{
        state: "undone",
        submissionId: "s1",
        content: row(1).content,
        verdict: undefined,
      }])
      expect((yield* listed(view, "sent", { limit: 9 })).map(({ submissionId }) => submissionId)).toEqual(["s2"])
      expect(yield* view.standing).toMatchObject({ imported: 1, undone: 1, verdicts: { verified: 0, unread: 1 } })
      expect(yield* view.importedUnderOtherMapping("another")).toBe(1)
      expect(yield* listed(view, "undeletable", { run: "first", limit: 9 })).toMatchObject([{
        row: 1,
        state: "undone",
        submissionId: "s1",
      }])
      expect(yield* listed(view, "undeletable", { run: "second", limit: 9 })).toEqual([])
      expect((yield* listed(view, "submissions", { limit: 9 })).map(({ id, isRequired }) => [id, isRequired])).toEqual([
        ["s1", false],
        ["s2", true],
      ])
      const forgotten = yield* ledger.forget({ pipeline: "contacts", keys: ["key 1"], by: "me", because: "request" })
      expect(forgotten).toMatchObject({ keys: ["key 1"], submissions: [] })
    }))

  it.scopedLive("only the current submission of an imported row can be undone, and only once", () =>
    Effect.gen(function*() {
      const { row, run, state, undone } = yield* ledgerWithTwo
      yield* run("second", (session) =>
        Effect.gen(function*() {
          const dies = (rows: Parameters<LedgerSession["undo"]>[0]) =>
            Effect.map(Effect.exit(session.undo(rows)), (exit) => expect(Exit.isFailure(exit)).toBe(true))
          yield* dies([undone(1, "s2")])
          yield* dies([undone(2), undone(3)])
          expect(yield* state(2)).toBe("imported")
          yield* session.undo([undone(1)])
          yield* dies([undone(1)])
          yield* session.intend(batchOf([row(3)]))
          yield* dies([undone(3)])
        }))
    }))

  it.scopedLive("an undone row is sent again like a new row, and its deleted submission never counts as its new one", () =>
    Effect.gen(function*() {
      const { answers, row, run, state, undone, view } = yield* ledgerWithTwo
      yield* run("second", (session) =>
        Effect.gen(function*() {
          yield* session.undo([undone(1), undone(2)])
          const batch = yield* session.intend(batchOf([row(1), row(2, "other")]))
          yield* session.recordReturned(batch, ["s1", "s2", "s3"], (known) => {
            expect([...known].sort()).toEqual(["s1", "s2"])
            return { rows: [imported("s3"), { _tag: "NotCreated" }], loose: [] }
          })
          yield* session.recordVerdicts([{ keyDigest: row(1).keyDigest, verdict: "verified", answers }])
        }))
      expect([yield* state(1), yield* state(2)]).toEqual(["imported", "notCreated"])
      expect((yield* listed(view, "submissions", { limit: 9 })).map(({ id, isRequired }) => [id, isRequired]).sort())
        .toEqual([
          ["s1", false],
          ["s2", false],
          ["s3", true],
        ])
      expect(yield* listed(view, "undeletable", { run: "first", limit: 9 })).toEqual([])
    }))

  it.scopedLive("the earlier submission of an undone row remains known, even after the row is sent again", () =>
    Effect.gen(function*() {
      const { row, run, state, undone, view } = yield* ledgerWithTwo
      const again = { ...row(1, "changed"), replaces: "s1" }
      yield* run(
        "second",
        (session) =>
          Effect.flatMap(session.intend(batchOf([again])), (batch) => session.recordOutcomes(batch, [imported("s3")])),
      )
      yield* run("third", (session) => session.undo([undone(1, "s3")]))
      expect(yield* listed(view, "undeletable", { run: "second", limit: 9 })).toMatchObject([{
        submissionId: "s3",
        replaces: "s1",
      }])
      expect(yield* listed(view, "replaced", { run: "first", limit: 9 })).toMatchObject([{
        submissionId: "s1",
        row: 1,
      }])
      expect(yield* listed(view, "replaced", { run: "second", limit: 9 })).toEqual([])
      yield* run("fourth", (session) => Effect.asVoid(session.intend(batchOf([row(1, "changed")]))))
      expect(yield* state(1)).toBe("intended")
      yield* run("fifth", () => Effect.void)
      expect(yield* state(1)).toBe("inDoubt")
      expect((yield* listed(view, "undeletable", { run: "fourth", limit: 9 })).map(({ state }) => state)).toEqual([
        "inDoubt",
      ])
      expect((yield* listed(view, "replaced", { limit: 9 })).map(({ submissionId }) => submissionId)).toEqual(["s1"])
    }))

  it.scopedLive("an undone row is not a witness, has not vanished, and needs no review", () =>
    Effect.gen(function*() {
      const { ledger, row, run, undone, view } = yield* ledgerWithTwo
      yield* run("second", (session) =>
        Effect.gen(function*() {
          yield* session.recordVerdicts([{ keyDigest: row(2).keyDigest, verdict: "missing", answers: new Map() }])
          yield* session.recordVerdicts([{
            keyDigest: row(1).keyDigest,
            standing: "edited",
            seen: ledger.digest.value("edit"),
          }])
          const missed = yield* view.vanished(new Uint8Array(0))
          expect(missed.count).toBe(2)
          yield* session.recordFacts({ vanished: missed })
          yield* session.acknowledge({ keys: "all", because: "seen", by: "me", leaveOut: false })
          yield* session.undo([undone(1), undone(2)])
        }))
      expect(yield* view.vanished(new Uint8Array(0))).toMatchObject({ count: 0 })
      expect((yield* listed(view, "unseen", { seen: new Uint8Array(0), limit: 9 })).map(({ key }) => key)).toEqual([
        "key 1",
        "key 2",
      ])
      expect(yield* view.counts).toMatchObject({
        verdicts: { differing: 0, missing: 0, unread: 0 },
        acknowledged: { differing: 0, missing: 0 },
        drift: { edited: 0, gone: 0, acknowledged: { edited: 0, gone: 0 } },
      })
      expect((yield* view.evidence({ first: 1, last: 1 }, waits, [])).witness).toBeUndefined()
    }))
})
