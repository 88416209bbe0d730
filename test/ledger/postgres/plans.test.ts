import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { openLedger } from "../../../src/ledger/openLedger.ts"
import { isLong } from "../../long.ts"
import { batchOf, contacts, digestsOf, imported, rowOf } from "../rows.ts"
import { connected, newSchema, urlOf } from "./connecting.ts"
import { withoutPostgres } from "./server.ts"

const batchRows = 10

/** Imports batches of new rows into a new ledger, as a run does. Returns how many rows and index entries the server read for that. */
const readsFor = (batches: number) =>
  Effect.gen(function*() {
    const url = yield* urlOf()
    const schema = newSchema()
    yield* Effect.scoped(Effect.gen(function*() {
      const marks = { ledger: "ledger1", folders: [], write: false }
      const ledger = yield* openLedger({
        url,
        project: "tests",
        schema,
        key: "0123456789abcdef".repeat(4),
        marks,
      })
      const session = yield* (yield* contacts(ledger)).hold("run1")
      for (let at = 0; at < batches; at++) {
        const rows = Array.from({ length: batchRows }, (_, nth) => rowOf(ledger, at * batchRows + nth))
        const ids = rows.map(({ key }) => `submission of ${key}`)
        const batch = yield* session.intend(batchOf(rows))
        yield* session.recordReturned(batch, ids, (known) => {
          expect(known).toEqual(new Set())
          return { rows: ids.map(imported), loose: [] }
        })
        yield* session.recordVerdicts(
          rows.map(({ keyDigest }) => ({ keyDigest, verdict: "verified", answers: digestsOf({ q1: { sent: "00" } }) })),
        )
      }
    }))
    // The server counts what a connection read when the connection ends.
    const connection = yield* connected(url)
    const { rows: [counts] } = yield* Effect.promise(() =>
      connection.send(
        `SELECT (SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE schemaname = $1)
         + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE schemaname = $1)`,
        [schema],
      )
    )
    return Number(counts?.[0])
  })

describe.skipIf(withoutPostgres || !isLong)("the plans of statements in PostgreSQL", () => {
  it.scopedLive("a batch of an import reads no more when the ledger has grown", () =>
    Effect.gen(function*() {
      const [small, medium, large] = [yield* readsFor(20), yield* readsFor(100), yield* readsFor(260)]
      // Twice as many batches were added. If each batch read the whole table, there would be four times as many reads.
      expect(large - medium).toBeLessThan(3 * (medium - small))
    }))
})
