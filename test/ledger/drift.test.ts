import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { join } from "node:path"
import { databases } from "./databases.ts"
import { batchOf, contacts, digestsOf, folder, imported, listed, rowOf } from "./rows.ts"

describe.each(databases)("a ledger in $name", ({ name, openLedger }) => {
  /** A time by the test's clock. PostgreSQL has its own clock. */
  const timeOf = (text: string): unknown => (name === "SQLite" ? text : expect.stringMatching(/^20\d\d-\d\d-\d\dT/))

  const seen = (text: string) => Buffer.from(text.padEnd(16, "."))
  const because = { because: "looked at it", by: "ada", leaveOut: true }

  /** A ledger with rows 1 to 6. Rows 1 to 4 are verified, row 5 is differing, and row 6 is unread. */
  const held = Effect.gen(function*() {
    const ledger = yield* openLedger({ file: join(yield* folder, "ledger.db") })
    const view = yield* contacts(ledger)
    const session = yield* view.hold("run1")
    const numbers = [1, 2, 3, 4, 5, 6]
    const batch = yield* session.intend(batchOf(numbers.map((number) => rowOf(ledger, number))))
    yield* session.recordOutcomes(batch, numbers.map((number) => imported(`s${number}`)))
    const key = (number: number) => ledger.digest.key(`key ${number}`)
    yield* session.recordVerdicts(
      [1, 2, 3, 4, 5].map((number) => ({
        keyDigest: key(number),
        verdict: number === 5 ? "differing" : "verified",
        answers: digestsOf({ q1: { sent: "aa".repeat(16) } }),
      })),
    )
    return { ledger, view, session, key }
  })

  describe("drift in the ledger", () => {
    it.scoped("drift is counted for verified rows, returned with the row, and cleared", () =>
      Effect.gen(function*() {
        const { key, ledger, session, view } = yield* held
        yield* session.recordVerdicts([
          { keyDigest: key(1), standing: "edited", seen: seen("a") },
          { keyDigest: key(2), standing: "gone", seen: seen("gone") },
          // The answers that were sent for this row are still known.
          { keyDigest: key(5), standing: "edited", seen: seen("a") },
        ])
        expect((yield* view.counts).drift).toEqual({ edited: 1, gone: 1, acknowledged: { edited: 0, gone: 0 } })
        const drifts = Effect.map(listed(view, "sent", { limit: 9 }), (rows) => rows.map(({ drift }) => drift))
        expect(yield* drifts).toEqual(["edited", "gone", undefined, undefined, undefined, undefined])
        yield* session.recordVerdicts([
          { keyDigest: key(1), standing: "unchanged", seen: seen("") },
          { keyDigest: key(2), standing: "edited", seen: seen("b") },
        ])
        expect(yield* drifts).toEqual([undefined, "edited", undefined, undefined, undefined, undefined])
        expect(yield* view.standing).toMatchObject({ imported: 6, verdicts: { verified: 4, differing: 1, unread: 1 } })
        expect(yield* ledger.verify).toEqual([])
      }))

    it.scoped("an acknowledgement covers drift as it was seen, for all rows or by key, and never skips a row", () =>
      Effect.gen(function*() {
        const { key, session, view } = yield* held
        yield* session.recordVerdicts([
          { keyDigest: key(1), standing: "edited", seen: seen("a") },
          { keyDigest: key(2), standing: "gone", seen: seen("gone") },
        ])
        expect(yield* session.acknowledge({ keys: ["key 1"], ...because })).toMatchObject({
          acknowledged: 1,
          unknown: [],
        })
        expect((yield* view.counts).drift.acknowledged).toEqual({ edited: 1, gone: 0 })
        // The acknowledged rows are the differing row and the deleted row.
        expect(yield* session.acknowledge({ keys: "all", ...because })).toMatchObject({ acknowledged: 2 })
        expect((yield* view.counts).drift.acknowledged).toEqual({ edited: 1, gone: 1 })
        expect((yield* view.lookUp([key(1), key(2)])).map((row) => row?.leftOut)).toEqual([false, false])
        yield* session.recordVerdicts([{ keyDigest: key(1), standing: "edited", seen: seen("b") }])
        expect((yield* view.counts).drift.acknowledged).toEqual({ edited: 0, gone: 1 })
      }))
  })

  describe("a reconciliation in the ledger", () => {
    it.scoped("a reconciliation is recorded with its run and its progress until it has finished", () =>
      Effect.gen(function*() {
        const { key, session, view } = yield* held
        expect(yield* view.reconciliation).toBeUndefined()
        yield* session.recordVerdicts([{ keyDigest: key(2), standing: "gone", seen: seen("gone") }])
        yield* session.recordFacts({ reconciled: 3 })
        expect(yield* view.reconciliation).toEqual({
          run: "run1",
          at: timeOf("1970-01-01T00:00:00.000Z"),
          after: 3,
          readBack: { verified: 2, differing: 0, missing: 1, unread: 0 },
        })
        yield* TestClock.adjust("10 seconds")
        yield* session.recordFacts({ reconciled: 6 })
        expect(yield* view.reconciliation).toMatchObject({
          at: timeOf("1970-01-01T00:00:10.000Z"),
          readBack: { verified: 3, differing: 1, missing: 1, unread: 1 },
        })
        yield* session.recordFacts({ reconciled: "through" })
        expect(yield* view.reconciliation).toBeUndefined()
      }))
  })
})
