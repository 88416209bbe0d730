import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import type { Ledger } from "../../src/ledger/Ledger.ts"
import { openLedger } from "../../src/ledger/openLedger.ts"
import { batchOf, contacts, folder, imported, rowOf } from "./rows.ts"

/** Sends these rows in this order, every third in a pipeline of its own in between. */
const filled = (ledger: Ledger, count: number) =>
  Effect.gen(function*() {
    const sessions = [
      yield* (yield* contacts(ledger)).hold("run1"),
      yield* (yield* contacts(ledger, "others")).hold("run1"),
    ]
    for (const [at, session] of sessions.entries()) yield* session.shapeOf([`Column ${at}`])
    for (let number = 1; number <= count; number += 10) {
      const rows = Array.from({ length: 10 }, (_, at) => rowOf(ledger, number + at))
      for (const session of number % 3 === 0 ? sessions : sessions.slice(0, 1)) {
        const batch = yield* session.intend(batchOf(rows))
        yield* session.settle(batch, rows.map((row) => imported(`s${row.row}`)))
      }
    }
  }).pipe(Effect.scoped)

it.scopedLive("rows are found whatever the order in which they are asked for, and as each alone is", () =>
  Effect.gen(function*() {
    const count = 600
    const ledger = yield* openLedger({ file: join(yield* folder, "ledger.db") })
    yield* contacts(ledger, "others")
    yield* filled(ledger, count)
    const all = Array.from({ length: count }, (_, at) => at + 1)
    const orders = {
      "as sent": all,
      backwards: all.toReversed(),
      "with new rows and without some": all.flatMap((number) =>
        number % 7 === 0 ? [] : number % 5 === 0 ? [number, 10_000 + number] : [number]
      ),
      "each twice": all.flatMap((number) => [number, number]),
      "in another order": all.toSorted((a, b) => (a * 7919) % count - (b * 7919) % count),
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
