import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { join } from "node:path"
import { databases } from "./databases.ts"
import { batchOf, contacts, folder, imported, rowOf } from "./rows.ts"

/** Rows of three transactions. */
const count = 1_100

describe.each(databases)("many rows of a ledger in $name", ({ openLedger }) => {
  /** A ledger whose rows are all in doubt, and a run of a different pipeline. */
  const opened = Effect.gen(function*() {
    const ledger = yield* openLedger({ file: join(yield* folder, "ledger.db") })
    const view = yield* contacts(ledger)
    const session = yield* view.hold("run1")
    const rows = Array.from({ length: count }, (_, at) => rowOf(ledger, at + 1))
    const batch = yield* session.intend(batchOf(rows))
    yield* session.recordOutcomes(batch, rows.map(() => ({ _tag: "InDoubt", reason: "timeout" })))
    const { destination } = view
    const other = yield* ledger.pipeline({
      pipeline: "other",
      destination: { ...destination, form: "form2" },
      renamedFrom: undefined,
      alongside: [],
    })
    return { ledger, other: yield* other.hold("run2"), rows, session, view }
  })

  /** Starts two writes at the same time. Interrupts the long one as soon as the short one is recorded. */
  const interrupted = <E>(long: Effect.Effect<unknown, E>, short: Effect.Effect<unknown, E>) =>
    Effect.gen(function*() {
      const fiber = yield* Effect.fork(long)
      yield* Effect.yieldNow()
      yield* short
      yield* Fiber.interrupt(fiber)
    })

  it.scopedLive("are settled some at a time, landed ones first, so that others write meanwhile and an interrupted settlement can be repeated", () =>
    Effect.gen(function*() {
      const { ledger, other, rows, session, view } = yield* opened
      const hasLanded = (number: number) => number > 100
      const settle = (some: typeof rows) =>
        session.settleDoubts({
          by: "ada",
          because: "seen in the results",
          file: undefined,
          rows: some.map(({ keyDigest, row }) => ({
            keyDigest,
            outcome: hasLanded(row) ? { _tag: "Landed", submissionId: `s${row}` } : { _tag: "NotLanded" },
            reason: "",
            proof: "person",
          })),
        })
      const states = Effect.map(
        view.lookUp(rows.map(({ keyDigest }) => keyDigest)),
        (found) => found.map((row) => row?.state),
      )
      yield* interrupted(settle(rows), other.intend(batchOf([rowOf(ledger, 1)])))
      const between = yield* states
      const left = rows.filter((_, at) => between[at] === "inDoubt")
      expect(left.length).toBeGreaterThan(0)
      expect(left.length).toBeLessThan(count)
      // No row may be sent again while a submission that landed belongs to no row.
      expect(between).not.toContain("notCreated")
      yield* settle(left)
      expect(yield* states).toEqual(rows.map(({ row }) => (hasLanded(row) ? "imported" : "notCreated")))
      expect((yield* view.settlements(9)).map(({ landed, notLanded }) => landed + notLanded)).toEqual([
        left.length,
        count - left.length,
      ])
      expect(yield* ledger.verify).toEqual([])
    }))

  it.scopedLive("get their new keys some at a time, so that others write meanwhile and an interrupted command can be repeated", () =>
    Effect.gen(function*() {
      const { ledger, other, rows, session, view } = yield* opened
      const keyed = rows.map(({ keyDigest, row }) => ({
        from: keyDigest,
        to: ledger.digest.key(`new ${row}`),
        key: `new ${row}`,
      }))
      const known = (digests: ReadonlyArray<Buffer>) =>
        Effect.map(view.lookUp(digests), (found) => found.filter((row) => row !== undefined).length)
      const recorded = known(keyed.map(({ to }) => to))
      yield* interrupted(session.rekey(keyed), other.intend(batchOf([rowOf(ledger, 1)])))
      const first = yield* recorded
      expect(first).toBeGreaterThan(0)
      expect(first).toBeLessThan(count)
      expect(yield* known(rows.map(({ keyDigest }) => keyDigest))).toBe(count - first)
      expect(yield* session.rekey(keyed)).toBe(count - first)
      expect(yield* recorded).toBe(count)
      expect(yield* ledger.verify).toEqual([])
    }))

  it.scopedLive("are forgotten some at a time, so that an interrupted command can be repeated", () =>
    Effect.gen(function*() {
      const ledger = yield* openLedger({ file: join(yield* folder, "ledger.db") })
      const view = yield* contacts(ledger)
      const rows = Array.from({ length: count }, (_, at) => rowOf(ledger, at + 1))
      yield* Effect.scoped(Effect.gen(function*() {
        const session = yield* view.hold("run1")
        yield* session.recordOutcomes(
          yield* session.intend(batchOf(rows)),
          rows.map(({ row }) => imported(`submission ${row}`)),
        )
      }))
      const keys = rows.map(({ key }) => key)
      const forget = ledger.forget({ pipeline: "contacts", keys, by: "ada", because: "request 1" })
      const left = Effect.map(
        view.lookUp(rows.map(({ keyDigest }) => keyDigest)),
        (found) => found.filter((row) => row?.leftOut === false).length,
      )
      const fiber = yield* Effect.fork(forget)
      yield* Effect.repeat(Effect.delay(left, "1 millis"), { until: (some) => some < count })
      yield* Fiber.interrupt(fiber)
      const remaining = yield* left
      expect(remaining).toBeGreaterThan(0)
      const { already, submissions, unknown } = yield* forget
      expect([already.length, submissions.length, unknown.length]).toEqual([count - remaining, remaining, 0])
      expect(yield* left).toBe(0)
      expect(yield* ledger.verify).toEqual([])
    }))
})
