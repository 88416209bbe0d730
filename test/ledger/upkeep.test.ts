// The ledger's size over the years.
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { keptRuns } from "../../src/ledger/compact.ts"
import type { LedgerSession } from "../../src/ledger/Ledger.ts"
import { openLedger } from "../../src/ledger/openLedger.ts"
import { openUpkeep } from "../../src/ledger/openUpkeep.ts"
import { batchOf, contacts, folder, imported, rowOf } from "./rows.ts"

const counts = {
  rows: { read: 1_000, alreadyImported: 1_000 },
  readBack: { verified: 0, differing: 0, missing: 0, unread: 0 },
  mapping: "m".repeat(64),
}

/** A night in which nothing was new. Both at once, so that they share a commit. */
const night = (session: LedgerSession, nth: number, outcome: "complete" | "attention" = "complete") => {
  const run = `night ${nth}`
  return Effect.all([
    session.startRun({ run, mode: "run", startedAt: `2026-01-01T00:00:${nth}Z` }),
    session.finishRun({ run, finishedAt: "2026-01-01T00:01:00Z", outcome, exitCode: 0, counts }),
  ], { concurrency: "unbounded" })
}

it.scopedLive("200 nights of an unchanged source of 1,000 rows leave the file as it was after the first hundred", () =>
  Effect.gen(function*() {
    const file = join(yield* folder, "ledger.db")
    const ledger = yield* openLedger({ file })
    const view = yield* contacts(ledger)
    const upkeep = yield* openUpkeep({ file })
    const nights = (from: number, to: number) =>
      Effect.scoped(Effect.gen(function*() {
        const session = yield* view.hold("nights")
        for (let nth = from; nth <= to; nth++) {
          yield* night(session, nth)
          if (nth % 10 === 0) yield* upkeep.dropOldRuns
        }
      }))
    yield* Effect.scoped(Effect.gen(function*() {
      const session = yield* view.hold("first")
      yield* Effect.forEach(Array.from({ length: 100 }, (_, at) => at), (at) =>
        Effect.gen(function*() {
          const rows = Array.from({ length: 10 }, (_, one) => rowOf(ledger, at * 10 + one))
          const batch = yield* session.intend(batchOf(rows))
          yield* session.settle(batch, rows.map(({ row }) => imported(`submission ${row}`)))
          yield* session.readBack(rows.map(({ keyDigest }) => ({ keyDigest, verdict: "verified", answers: {} })))
        }), { concurrency: "unbounded" })
    }))
    // Compacting empties the log, so that only what is kept is compared.
    const first = (yield* upkeep.compact).after
    yield* nights(1, keptRuns + 20)
    const hundred = (yield* upkeep.compact).after
    yield* nights(keptRuns + 21, 200)
    const { after, runs } = yield* upkeep.compact
    expect({ after, runs }).toEqual({ after: hundred, runs: 0 })
    expect(hundred - first).toBeLessThan(60_000)
    expect((yield* view.runs(1_000)).length).toBe(keptRuns)
    expect((yield* view.standing).imported).toBe(1_000)
    expect(yield* ledger.verify).toEqual([])
  }))

it.scopedLive("the last good run is remembered, however many bad ones came after it", () =>
  Effect.gen(function*() {
    const file = join(yield* folder, "ledger.db")
    const ledger = yield* openLedger({ file })
    const view = yield* contacts(ledger)
    const upkeep = yield* openUpkeep({ file })
    yield* Effect.scoped(Effect.gen(function*() {
      const session = yield* view.hold("night 1")
      yield* night(session, 1)
      yield* Effect.forEach(
        Array.from({ length: 150 }, (_, nth) => nth + 2),
        (nth) => night(session, nth, "attention"),
        {
          concurrency: "unbounded",
        },
      )
      expect(yield* upkeep.dropOldRuns).toBe(50)
    }))
    const kept = yield* view.runs(1_000)
    expect(kept.filter(({ outcome }) => outcome === "complete").map(({ run }) => run)).toEqual(["night 1"])
    expect(kept).toHaveLength(101)
  }))
