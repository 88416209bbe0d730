// Compares any sequence of a run's steps, including aborted runs, with a very simple model in memory.
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import * as fc from "fast-check"
import { join } from "node:path"
import type { Verdict } from "../../src/domain/fate.ts"
import type { LedgerSession } from "../../src/ledger/Ledger.ts"
import type { RowOutcome, RowState } from "../../src/ledger/rows.ts"
import { everyDatabase } from "./databases.ts"
import { batchOf, contacts, folder, imported, listed, rowOf } from "./rows.ts"

describe.each(everyDatabase)("a ledger in $name", ({ modelRuns, openLedger }) => {
  interface ModelRow {
    state: RowState
    content: string
    batch: number
    resent: boolean
    /** The batch that put the row in doubt. It is set while the row is in doubt or being resent. */
    doubt: number | undefined
    submission: string | undefined
    verdict: Verdict | undefined
    kept: boolean
  }

  type Step =
    | {
      readonly do: "intend"
      readonly keys: ReadonlyArray<number>
      readonly edition: number
      readonly resend: boolean
    }
    | { readonly do: "settle"; readonly which: number; readonly outcomes: ReadonlyArray<RowOutcome["_tag"]> }
    | { readonly do: "readBack"; readonly key: number; readonly verdict: Exclude<Verdict, "unread"> }
    | { readonly do: "undo"; readonly key: number }
    | { readonly do: "acknowledge" }
    | { readonly do: "breakOff" }

  const key = fc.integer({ min: 0, max: 11 })
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant("intend" as const),
        keys: fc.uniqueArray(key, { minLength: 1, maxLength: 3 }),
        edition: fc.integer({ min: 0, max: 2 }),
        resend: fc.boolean(),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant("settle" as const),
        which: fc.nat(5),
        outcomes: fc.array(fc.constantFrom(...(["Imported", "InDoubt", "NotCreated", "Refused"] as const)), {
          minLength: 3,
          maxLength: 3,
        }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant("readBack" as const),
        key,
        verdict: fc.constantFrom(...(["verified", "differing", "missing"] as const)),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("undo" as const), key }) },
    { weight: 1, arbitrary: fc.constant({ do: "acknowledge" as const }) },
    { weight: 1, arbitrary: fc.constant({ do: "breakOff" as const }) },
  )

  /** Applies a step to the model. Returns false if the ledger must refuse the step. */
  class Model {
    readonly rows = new Map<number, ModelRow>()
    readonly acknowledged = new Set<string>()
    batches = 0
    open: Array<{ readonly batch: number; readonly keys: ReadonlyArray<number> }> = []

    intend(keys: ReadonlyArray<number>, edition: number, resend: boolean): boolean {
      const free = keys.every((one) => {
        const row = this.rows.get(one)
        if (row === undefined || ["notCreated", "refused", "undone"].includes(row.state)) return true
        return row.state === "inDoubt" && resend && !row.resent
      })
      if (!free) return false
      const batch = ++this.batches
      for (const one of keys) {
        const before = this.rows.get(one)
        this.rows.set(one, {
          state: "intended",
          content: `content ${one} ${edition}`,
          batch,
          resent: before?.state === "inDoubt",
          doubt: before?.state === "inDoubt" ? before.doubt : undefined,
          submission: undefined,
          verdict: undefined,
          kept: true,
        })
      }
      this.open.push({ batch, keys })
      return true
    }

    settle(at: number, outcomes: ReadonlyArray<RowOutcome["_tag"]>): void {
      const [settled] = this.open.splice(at, 1)
      settled?.keys.forEach((one, index) => {
        const row = this.rows.get(one)
        const outcome = outcomes[index]
        if (row === undefined) return
        if (outcome === "Imported") {
          Object.assign(row, {
            state: "imported",
            submission: `s${settled.batch}.${one}`,
            verdict: "unread",
            doubt: undefined,
          })
        } else if (outcome === "InDoubt") Object.assign(row, { state: "inDoubt", doubt: settled.batch })
        else if (row.doubt !== undefined) {
          Object.assign(row, { state: "inDoubt", batch: row.doubt, resent: outcome === "Refused" })
        } else Object.assign(row, { state: outcome === "Refused" ? "refused" : "notCreated", kept: false })
      })
    }

    undo(one: number): boolean {
      const row = this.rows.get(one)
      if (row?.state !== "imported") return false
      Object.assign(row, { state: "undone", verdict: undefined, kept: false })
      for (const what of this.acknowledged) {
        if (what.startsWith(`${one} `) && !what.endsWith("inDoubt")) this.acknowledged.delete(what)
      }
      return true
    }

    breakOff(): void {
      const rows = this.open.flatMap(({ batch, keys }) => keys.map((one) => ({ batch, row: this.rows.get(one) })))
      for (const { batch, row } of rows) if (row !== undefined) Object.assign(row, { state: "inDoubt", doubt: batch })
      this.open = []
    }

    needing(): ReadonlyArray<string> {
      return [...this.rows].flatMap(([one, row]) => {
        const what = row.state === "inDoubt"
          ? "inDoubt"
          : row.verdict === "differing" || row.verdict === "missing"
          ? row.verdict
          : undefined
        return what === undefined ? [] : [`${one} ${row.content} ${what}`]
      })
    }
  }

  const outcomeOf = (tag: RowOutcome["_tag"], submission: string): RowOutcome => {
    if (tag === "Imported") return imported(submission)
    if (tag === "InDoubt") return { _tag: tag, reason: "timeout" }
    if (tag === "Refused") return { _tag: tag, message: "no", item: Buffer.alloc(16), mapping: "m", form: "f" }
    return { _tag: tag }
  }

  const play = (steps: ReadonlyArray<Step>) =>
    Effect.gen(function*() {
      const file = join(yield* folder, "ledger.db")
      const model = new Model()
      /** The ledger's numbers of the model's batches. PostgreSQL leaves numbers out after a rollback. */
      const numbers = new Map<number, number>()
      let runs = 0
      const begin = Effect.gen(function*() {
        const scope = yield* Scope.make()
        const ledger = yield* Scope.extend(openLedger({ file }), scope)
        const session: LedgerSession = yield* Scope.extend((yield* contacts(ledger)).hold(`run${++runs}`), scope)
        return { scope, ledger, session, view: yield* contacts(ledger) }
      })
      let now = yield* begin
      for (const one of steps) {
        const { ledger, session } = now
        if (one.do === "intend") {
          const rows = one.keys.map((number) => rowOf(ledger, number, { content: `content ${number} ${one.edition}` }))
          const exit = yield* Effect.exit(session.intend(batchOf(rows, one.resend)))
          expect(Exit.isSuccess(exit)).toBe(model.intend(one.keys, one.edition, one.resend))
          if (Exit.isSuccess(exit)) {
            expect(exit.value).toBeGreaterThan(numbers.get(model.batches - 1) ?? 0)
            numbers.set(model.batches, exit.value)
          }
        } else if (one.do === "settle") {
          if (model.open.length === 0) continue
          const at = one.which % model.open.length
          const { batch, keys } = model.open[at] ?? { batch: 0, keys: [] }
          const tags = one.outcomes.slice(0, keys.length)
          yield* session.recordOutcomes(
            numbers.get(batch) ?? 0,
            tags.map((tag, index) => outcomeOf(tag, `s${batch}.${keys[index]}`)),
          )
          model.settle(at, tags)
        } else if (one.do === "readBack") {
          const row = model.rows.get(one.key)
          const exit = yield* Effect.exit(
            session.recordVerdicts([{
              keyDigest: ledger.digest.key(`key ${one.key}`),
              verdict: one.verdict,
              answers: new Map(),
            }]),
          )
          expect(Exit.isSuccess(exit)).toBe(row?.state === "imported")
          if (row?.state === "imported") {
            Object.assign(row, { verdict: one.verdict, kept: row.kept && one.verdict !== "verified" })
          }
        } else if (one.do === "undo") {
          const keyDigest = ledger.digest.key(`key ${one.key}`)
          const submissionId = model.rows.get(one.key)?.submission ?? "none"
          const exit = yield* Effect.exit(session.undo([{ keyDigest, submissionId }]))
          expect(Exit.isSuccess(exit)).toBe(model.undo(one.key))
        } else if (one.do === "acknowledge") {
          const fresh = model.needing().filter((what) => !model.acknowledged.has(what))
          const given = yield* session.acknowledge({ keys: "all", because: "seen", by: "me", leaveOut: false })
          expect(given.acknowledged).toBe(fresh.length)
          for (const what of fresh) model.acknowledged.add(what)
        } else {
          yield* Scope.close(now.scope, Exit.void)
          model.breakOff()
          now = yield* begin
        }
      }
      const { ledger, view } = now
      const keys = Array.from({ length: 12 }, (_, number) => number)
      const known = yield* view.lookUp(keys.map((number) => ledger.digest.key(`key ${number}`)))
      known.forEach((row, number) => {
        const expected = model.rows.get(number)
        expect(row?.state).toBe(expected?.state)
        if (row === undefined || expected === undefined) return
        expect(row.content.equals(ledger.digest.content([expected.content]))).toBe(true)
        expect([row.batch, row.resent, row.submissionId, row.verdict]).toEqual([
          numbers.get(expected.batch),
          expected.resent,
          expected.submission,
          expected.verdict,
        ])
        expect(row.doubt === undefined).toBe(row.state !== "inDoubt")
      })
      const sent = yield* listed(view, "sent", { limit: 100 })
      expect(sent.map((row) => [row.row, row.item !== undefined]).sort()).toEqual(
        [...model.rows].filter(([, row]) => row.state === "imported").map(([number, row]) => [number, row.kept]).sort(),
      )
      const standing = yield* view.standing
      const count = (test: (row: ModelRow) => boolean) => [...model.rows.values()].filter(test).length
      expect(standing).toMatchObject({
        imported: count((row) => row.state === "imported"),
        inDoubt: count((row) => row.state === "inDoubt" || row.state === "intended"),
        refused: count((row) => row.state === "refused"),
        undone: count((row) => row.state === "undone"),
        verdicts: {
          verified: count((row) => row.verdict === "verified"),
          differing: count((row) => row.verdict === "differing"),
          missing: count((row) => row.verdict === "missing"),
          unread: count((row) => row.verdict === "unread"),
        },
      })
      const { verified: _, ...verdicts } = standing.verdicts
      const { acknowledged, inDoubt } = standing
      expect(yield* view.counts).toMatchObject({ inDoubt, acknowledged, verdicts })
      const seen = model.needing().filter((what) => model.acknowledged.has(what))
      expect(standing.acknowledged.inDoubt + standing.acknowledged.differing + standing.acknowledged.missing).toBe(
        seen.length,
      )
      expect(yield* ledger.verify).toEqual([])
      yield* Scope.close(now.scope, Exit.void)
    })

  it("the ledger has the same content as a simple model after any sequence of steps", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 10, maxLength: 60, size: "max" }),
        (steps) => Effect.runPromise(Effect.scoped(play(steps))),
      ),
      { seed: 20_240_601, numRuns: modelRuns },
    )
  })
})
