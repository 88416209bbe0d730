import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { join } from "node:path"
import type { Ledger, LedgerSession, PipelineLedger } from "../../src/ledger/Ledger.ts"
import { databases } from "./databases.ts"
import { batchOf, contacts, folder, imported, listed, rowOf } from "./rows.ts"

describe.each(databases)("a ledger in $name", ({ openLedger }) => {
  const doubt = { _tag: "InDoubt", reason: "timeout" } as const

  /** A ledger with one imported row and three rows in doubt. */
  const doubtfulIn = (file: string) =>
    Effect.gen(function*() {
      const ledger = yield* openLedger({ file })
      const view = yield* contacts(ledger)
      const session = yield* view.hold("run1")
      const rows = [1, 2, 3, 4].map((number) => rowOf(ledger, number))
      const batch = yield* session.intend(batchOf(rows))
      const outcomes = { rows: [imported("s1"), doubt, doubt, doubt], loose: ["loose"] }
      yield* session.recordReturned(batch, ["s1", "loose"], () => outcomes)
      return { ledger, view, session, digestOf: (number: number) => ledger.digest.key(`key ${number}`) }
    })

  const doubtful = Effect.flatMap(folder, (path) => doubtfulIn(join(path, "ledger.db")))

  const stateOf = (view: PipelineLedger, ledger: Ledger, number: number) =>
    Effect.map(view.lookUp([ledger.digest.key(`key ${number}`)]), ([row]) => row?.state)

  const by = { by: "ada", because: "seen in the results", file: undefined }

  const settle = (session: LedgerSession, rows: Parameters<LedgerSession["settleDoubts"]>[0]["rows"]) =>
    session.settleDoubts({ ...by, rows })

  describe("settling rows in doubt in the ledger", () => {
    it.scopedLive("settling marks a landed row as imported but unread, lets a row that did not land be sent again, and records who settled it", () =>
      Effect.gen(function*() {
        const { digestOf, ledger, session, view } = yield* doubtful
        const file = { name: "results.csv", sha256: "ab".repeat(32), isComplete: true }
        yield* session.settleDoubts({
          by: "ada",
          because: undefined,
          file,
          rows: [
            {
              keyDigest: digestOf(2),
              outcome: { _tag: "Landed", submissionId: "s2" },
              reason: "found",
              proof: "found",
            },
            { keyDigest: digestOf(3), outcome: { _tag: "NotLanded" }, reason: "not there", proof: "witness" },
          ],
        })
        expect(yield* stateOf(view, ledger, 2)).toBe("imported")
        expect(yield* stateOf(view, ledger, 3)).toBe("notCreated")
        expect(yield* stateOf(view, ledger, 4)).toBe("inDoubt")
        const unread = yield* listed(view, "sent", { limit: 9, verdicts: ["unread"] })
        // The content of both rows is kept for the comparison.
        expect(unread.map((row) => [row.submissionId, row.item !== undefined])).toEqual([["s1", true], ["s2", true]])
        expect(yield* view.standing).toMatchObject({ imported: 2, inDoubt: 1, verdicts: { unread: 2 } })
        expect(yield* view.settlements(9)).toMatchObject([{
          by: "ada",
          because: undefined,
          file,
          landed: 1,
          notLanded: 1,
        }])
        expect(yield* listed(view, "submissions", { limit: 9 })).toMatchObject([
          { id: "s1", isRequired: true, batch: 1, closed: 1, time: Date.parse("2024-01-02T03:04:05.000Z") },
          { id: "s2", isRequired: true, batch: 1, closed: 1, time: undefined },
        ])
        expect((yield* view.settlingFacts).looseIds).toEqual(["loose"])
        expect(yield* view.importedUnderOtherMapping("another")).toBe(2)
        const again = yield* session.intend(batchOf([rowOf(ledger, 3)]))
        yield* session.recordOutcomes(again, [doubt])
        expect(yield* ledger.verify).toEqual([])
      }))

    it.scopedLive("a row stays in doubt if another pipeline recorded its submission meanwhile", () =>
      Effect.gen(function*() {
        const { digestOf, ledger, session, view } = yield* doubtful
        const landed = (number: number, submissionId: string) => ({
          keyDigest: digestOf(number),
          outcome: { _tag: "Landed", submissionId } as const,
          reason: "found",
          proof: "list" as const,
        })
        const { destination } = view
        const other = yield* ledger.pipeline({
          pipeline: "other",
          destination,
          renamedFrom: undefined,
          alongside: [view.pipeline],
        })
        const theirs = yield* other.hold("run2")
        const batch = yield* theirs.intend(batchOf([rowOf(ledger, 9)]))
        yield* theirs.recordOutcomes(batch, [imported("s9")])
        expect(yield* settle(session, [landed(2, "s9"), landed(3, "s1"), landed(4, "loose")])).toEqual(
          new Set(["s9", "s1"]),
        )
        expect(yield* stateOf(view, ledger, 2)).toBe("inDoubt")
        expect(yield* stateOf(view, ledger, 3)).toBe("inDoubt")
        expect(yield* stateOf(view, ledger, 4)).toBe("imported")
        expect(yield* settle(session, [landed(2, "s9")])).toEqual(new Set(["s9"]))
        expect(yield* view.settlements(9)).toHaveLength(1)
        expect(yield* ledger.verify).toEqual([])
      }))

    it.scopedLive("a row that a person settled as landed is counted separately, because there is no submission to read", () =>
      Effect.gen(function*() {
        const { digestOf, ledger, session, view } = yield* doubtful
        yield* settle(session, [
          {
            keyDigest: digestOf(2),
            outcome: { _tag: "Landed", submissionId: undefined },
            reason: "manually",
            proof: "person",
          },
        ])
        expect(yield* view.standing).toMatchObject({
          imported: 2,
          verdicts: { unread: 2 },
          acknowledged: { inDoubt: 0, unread: 1 },
        })
        expect((yield* listed(view, "sent", { limit: 9 })).map((row) => row.submissionId)).toEqual(["s1"])
        expect(yield* ledger.verify).toEqual([])
      }))

    it.scopedLive("a settlement records nothing if any of its rows is not in doubt", () =>
      Effect.gen(function*() {
        const { digestOf, ledger, session, view } = yield* doubtful
        for (const number of [1, 9]) {
          const exit = yield* Effect.exit(settle(session, [
            { keyDigest: digestOf(2), outcome: { _tag: "NotLanded" }, reason: "", proof: "person" },
            { keyDigest: digestOf(number), outcome: { _tag: "NotLanded" }, reason: "", proof: "person" },
          ]))
          expect(Exit.isFailure(exit)).toBe(true)
        }
        expect(yield* stateOf(view, ledger, 2)).toBe("inDoubt")
        expect(yield* view.settlements(9)).toEqual([])
      }))

    it.scopedLive("a settlement ends an acknowledgement, which then does not cover a later doubt about the row", () =>
      Effect.gen(function*() {
        const { digestOf, ledger, session, view } = yield* doubtful
        yield* session.acknowledge({ keys: "all", because: "known", by: "ada", leaveOut: false })
        expect((yield* view.standing).acknowledged.inDoubt).toBe(3)
        yield* settle(session, [{
          keyDigest: digestOf(2),
          outcome: { _tag: "NotLanded" },
          reason: "",
          proof: "person",
        }])
        const batch = yield* session.intend(batchOf([rowOf(ledger, 2)]))
        yield* session.recordOutcomes(batch, [doubt])
        expect(yield* view.standing).toMatchObject({ inDoubt: 3, acknowledged: { inDoubt: 2 } })
      }))

    it.scopedLive("an export must contain all known submissions, except those acknowledged as missing or found deleted", () =>
      Effect.gen(function*() {
        const { digestOf, ledger, session, view } = yield* doubtful
        const batch = yield* session.intend(batchOf([5, 6, 7, 8].map((number) => rowOf(ledger, number))))
        yield* session.recordOutcomes(batch, ["s5", "s6", "s7", "s8"].map(imported))
        const verdicts = [[5, "missing"], [6, "missing"], [7, "verified"], [8, "differing"]] as const
        yield* session.recordVerdicts(
          verdicts.map(([number, verdict]) => ({ keyDigest: digestOf(number), verdict, answers: new Map() })),
        )
        const required = Effect.map(
          listed(view, "submissions", { limit: 9 }),
          (known) => known.filter(({ isRequired }) => isRequired).map(({ id }) => id),
        )
        expect(yield* required).toEqual(["s1", "s5", "s6", "s7", "s8"])
        const unproven = (yield* listed(view, "submissions", { limit: 9 })).filter((one) => one.isUnproven)
        expect(unproven.map(({ id }) => id)).toEqual(["s1", "s5", "s6", "s8"])
        const because = { because: "deleted by us", by: "ada", leaveOut: false }
        yield* session.acknowledge({ keys: ["key 5", "key 8"], ...because })
        expect(yield* required).toEqual(["s1", "s6", "s7", "s8"])
        const seen = Buffer.alloc(16, 1)
        yield* session.recordVerdicts([
          { keyDigest: digestOf(7), standing: "gone", seen },
          { keyDigest: digestOf(1), standing: "edited", seen },
        ])
        expect(yield* required).toEqual(["s1", "s6", "s8"])
      }))

    it.scopedLive("the absence of a resent row is proven by a submission older than its first batch and one newer than its last", () =>
      Effect.gen(function*() {
        const { digestOf, ledger, session, view } = yield* doubtful
        const between = yield* session.intend(batchOf([rowOf(ledger, 5)]))
        yield* session.recordOutcomes(between, [imported("s5")])
        const again = yield* session.intend(batchOf([rowOf(ledger, 2)], true))
        yield* session.recordOutcomes(again, [{ _tag: "InDoubt", reason: "timeout again" }])
        const rows = yield* listed(view, "doubtful", { limit: 9 })
        expect(rows.map(({ batch, first, key, resent }) => ({ batch, first, key, resent }))).toEqual([
          { key: "key 2", batch: 3, first: 1, resent: true },
          { key: "key 3", batch: 1, first: 1, resent: false },
          { key: "key 4", batch: 1, first: 1, resent: false },
        ])
        const waits = { visibleWithin: 0, lateWithin: 0 }
        // Batch 2 is older than the second request, but not older than the first.
        const evidence = (first: number) => view.evidence({ first, last: 3 }, waits, [])
        expect((yield* evidence(1)).before).toBeUndefined()
        expect((yield* evidence(3)).before).toEqual({ batch: 2, submissionId: "s5" })
        // Batch 2 is newer than the first request, but proves nothing about the second.
        expect((yield* view.evidence({ first: 1, last: 1 }, waits, [])).witness).toEqual({
          batch: 2,
          submissionId: "s5",
        })
        expect((yield* evidence(1)).witness).toBeUndefined()
        yield* settle(session, [{
          keyDigest: digestOf(2),
          outcome: { _tag: "NotLanded" },
          reason: "",
          proof: "person",
        }])
        const later = yield* session.intend(batchOf([rowOf(ledger, 2)]))
        yield* session.recordOutcomes(later, [doubt])
        const resent = (yield* listed(view, "doubtful", { limit: 9 })).find(({ key }) => key === "key 2")
        expect(resent).toMatchObject({ batch: 4, first: 4 })
      }))
  })
})
