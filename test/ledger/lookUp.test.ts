import { describe, expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { join } from "node:path"
import type { Ledger } from "../../src/ledger/Ledger.ts"
import { databases } from "./databases.ts"
import { batchOf, contacts, folder, imported, rowOf } from "./rows.ts"

describe.each(databases)("a ledger in $name", ({ openLedger }) => {
  /** Sends these rows in order. Every third batch is also sent by a second pipeline in between. */
  const filled = (ledger: Ledger, count: number) =>
    Effect.gen(function*() {
      const sessions = [
        yield* (yield* contacts(ledger)).hold("run1"),
        yield* (yield* contacts(ledger, "others")).hold("run1"),
      ]
      for (let number = 1; number <= count; number += 10) {
        const rows = Array.from({ length: 10 }, (_, at) => rowOf(ledger, number + at))
        for (const [at, session] of (number % 3 === 0 ? sessions : sessions.slice(0, 1)).entries()) {
          const batch = yield* session.intend({ ...batchOf(rows), contentColumns: [`Column ${at}`] })
          yield* session.recordOutcomes(batch, rows.map((row) => imported(`s${row.row}`)))
        }
      }
    }).pipe(Effect.scoped)

  it.scopedLive("look-ups of many rows in any order find the same rows as look-ups of single rows", () =>
    Effect.gen(function*() {
      const count = 600
      const ledger = yield* openLedger({ file: join(yield* folder, "ledger.db") })
      yield* contacts(ledger, "others")
      yield* filled(ledger, count)
      const all = Array.from({ length: count }, (_, at) => at + 1)
      const orders = {
        "as sent": all,
        backwards: all.toReversed(),
        "with new rows, and without some": all.flatMap((number) =>
          number % 7 === 0 ? [] : number % 5 === 0 ? [number, 10_000 + number] : [number]
        ),
        "each twice": all.flatMap((number) => [number, number]),
        "in a different order": all.toSorted((a, b) => (a * 7919) % count - (b * 7919) % count),
        "the end first": [...all.slice(300), ...all.slice(0, 300)],
        unknown: all.map((number) => number + 20_000),
      }
      for (const [order, numbers] of Object.entries(orders)) {
        const view = yield* contacts(ledger)
        const found: Array<string | undefined> = []
        for (let at = 0; at < numbers.length; at += 50) {
          const keys = numbers.slice(at, at + 50).map((number) => ledger.digest.key(`key ${number}`))
          found.push(...(yield* view.lookUp(keys)).map((row) => row?.submissionId))
        }
        expect([order, found]).toEqual([order, numbers.map((number) => (number <= count ? `s${number}` : undefined))])
      }
    }))

  it.scopedLive("look-ups distinguish keys with NUL, and find them whole, with its symbol instead", () =>
    Effect.gen(function*() {
      const ledger = yield* openLedger({ file: join(yield* folder, "ledger.db") })
      const view = yield* contacts(ledger)
      const keys = ["a", "a\0b", "a\0c"]
      const rows = keys.map((key, number) => rowOf(ledger, number, { key }))
      yield* Effect.scoped(Effect.flatMap(view.hold("run1"), (session) => session.intend(batchOf(rows))))
      expect((yield* view.lookUp(keys.map(ledger.digest.key))).map((row) => row?.id)).toEqual([1, 2, 3])
      const [found] = yield* Stream.runCollect(ledger.exported([]))
      expect(found?.map(({ key }) => key)).toEqual(["a", "a␀b", "a␀c"])
    }))

  it.scopedLive("look-ups find unchanged rows in any order, and no changed or skipped row counts as unchanged", () =>
    Effect.gen(function*() {
      const count = 600
      const ledger = yield* openLedger({ file: join(yield* folder, "ledger.db") })
      yield* contacts(ledger, "others")
      yield* filled(ledger, count)
      const other = (number: number) => number % 11 === 0
      const content = (number: number) =>
        ledger.digest.content([other(number) ? "another content" : `content ${number}`])
      const all = Array.from({ length: count }, (_, at) => at + 1)
      const orders = {
        "as sent": all,
        "with new rows, and without some": all.flatMap((number) =>
          number % 7 === 0 ? [] : number % 5 === 0 ? [number, 10_000 + number] : [number]
        ),
        "each twice": all.flatMap((number) => [number, number]),
        backwards: all.toReversed(),
        "the end first": [...all.slice(300), ...all.slice(0, 300)],
      }
      /** Reads rows as a survey does: sequentially, or by key if that finds nothing. */
      const read = (numbers: ReadonlyArray<number>) =>
        Effect.gen(function*() {
          const view = yield* contacts(ledger)
          const known: Array<string> = []
          for (let at = 0; at < numbers.length; at += 50) {
            const chunk = numbers.slice(at, at + 50)
            const found = yield* view.lookUpRows(
              chunk.map((number) => number % 13 === 0 ? undefined : `key ${number}`),
              {
                over: (index, columns) => {
                  expect(columns).toEqual(["Column 0"])
                  return content(chunk[index] ?? 0)
                },
                filled: (index) => content(chunk[index] ?? 0),
              },
            )
            const ids = yield* view.lookUp(chunk.map((number) => ledger.digest.key(`key ${number}`)))
            chunk.forEach((number, index) => {
              const row = found[index]
              if (number % 13 === 0) {
                expect(row).toEqual({ state: "keyless", replacedBy: [], columns: [], leftOut: false })
              }
              if (row?.state !== "same") {
                return
              }
              expect(row.id).toBe(ids[index]?.id)
              known.push(`key ${number}`)
            })
          }
          return known
        })
      for (const [order, numbers] of Object.entries(orders)) {
        const known = yield* read(numbers)
        const expected = numbers.filter((number) => number <= count && !other(number) && number % 13 !== 0).map((
          number,
        ) => `key ${number}`)
        expect([order, known]).toEqual([order, expected])
      }
      yield* Effect.scoped(Effect.gen(function*() {
        const session = yield* (yield* contacts(ledger)).hold("run2")
        yield* session.recordFacts({
          attention: [{
            key: "key 120",
            row: 120,
            fate: "changed",
            content: ledger.digest.content(["another content"]),
            columns: ["Column 0"],
          }],
        })
        yield* session.acknowledge({ keys: ["key 120"], because: "not wanted", by: "me", leaveOut: true })
      }))
      const view = yield* contacts(ledger)
      const rows = (from: number) =>
        view.lookUpRows(
          all.slice(from, from + 50).map((number) => `key ${number}`),
          {
            over: (index) => ledger.digest.content([`content ${from + index + 1}`]),
            filled: () => ledger.digest.content([]),
          },
        )
      yield* rows(50)
      const found = yield* rows(100)
      expect(found.flatMap((row, index) => (row?.state === "same" ? [] : [index + 101]))).toEqual([120])
    }))
})
