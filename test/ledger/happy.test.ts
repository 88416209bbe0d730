import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { join } from "node:path"
import { databases } from "./databases.ts"
import { batchOf, contacts, digestsOf, folder, imported, listed, rowOf } from "./rows.ts"

describe.each(databases)("a ledger in $name", ({ openLedger }) => {
  it.scopedLive("the ledger stores the titles of hundreds of columns, once for all batches", () =>
    Effect.gen(function*() {
      const ledger = yield* openLedger({ file: join(yield* folder, "ledger.db") })
      const view = yield* contacts(ledger)
      const session = yield* view.hold("run1")
      // Texts that don't repeat can't be compressed.
      const columns = Array.from({ length: 500 }, (_, at) => createHash("sha256").update(`${at}`).digest("base64"))
      for (const number of [1, 2]) {
        yield* session.intend({ ...batchOf([rowOf(ledger, number)]), columns, contentColumns: columns })
      }
      expect((yield* view.facts).firstColumns).toEqual(columns.toSorted())
      expect((yield* view.lookUp([rowOf(ledger, 2).keyDigest]))[0]).toMatchObject({ columns: columns.toSorted() })
    }))

  it.scopedLive("the ledger records a row from intent to verified, and finds it by its key", () =>
    Effect.gen(function*() {
      const ledger = yield* openLedger({ file: join(yield* folder, "deep", "ledger.db") })
      const view = yield* contacts(ledger)
      expect((yield* view.facts).firstColumns).toBeUndefined()
      expect((yield* view.facts).firstColumns).toBeUndefined()
      const session = yield* view.hold("run1")
      const rows = [1, 2, 3].map((number) => rowOf(ledger, number))
      const batch = yield* session.intend({ ...batchOf(rows), contentColumns: ["Name", "Email"] })
      expect(batch).toBe(1)
      expect((yield* view.counts).lastIntent).toBe(1)
      expect((yield* view.facts).firstColumns).toEqual(["Email", "Name"])
      const keys = rows.map((row) => row.keyDigest)
      expect((yield* view.lookUp(keys)).map((row) => row?.state)).toEqual(["intended", "intended", "intended"])
      yield* session.recordOutcomes(batch, [imported("s1"), { _tag: "InDoubt", reason: "timeout" }, {
        _tag: "NotCreated",
      }])
      const [first, second, third, unknown] = yield* view.lookUp([...keys, ledger.digest.key("other")])
      expect(unknown).toBeUndefined()
      expect(first).toMatchObject({
        state: "imported",
        columns: ["Email", "Name"],
        batch: 1,
        submissionId: "s1",
        verdict: "unread",
        resent: false,
        leftOut: false,
      })
      expect(first?.content.equals(rows[0]?.content ?? Buffer.alloc(0))).toBe(true)
      expect(second).toMatchObject({ state: "inDoubt", verdict: undefined })
      expect(third).toMatchObject({ state: "notCreated" })
      const [sent] = yield* listed(view, "sent", { limit: 10 })
      expect(sent).toMatchObject({
        key: "key 1",
        run: "run1",
        item: rows[0]?.item,
        cells: rows[0]?.cells,
        answers: undefined,
      })
      const answers = digestsOf({ q1: { sent: "ab".repeat(16), returned: "cd".repeat(16) } })
      yield* session.recordVerdicts([{
        keyDigest: rows[0]?.keyDigest ?? Buffer.alloc(0),
        verdict: "verified",
        answers,
      }])
      const [read] = yield* listed(view, "sent", { limit: 10 })
      expect(read).toMatchObject({ verdict: "verified", item: undefined, cells: undefined, answers })
      expect(yield* listed(view, "doubtful", { limit: 10 })).toMatchObject([
        {
          key: "key 2",
          reason: "timeout",
          columns: ["Key", "Content"],
          cells: ["key 2", "content 2"],
          acknowledged: false,
        },
      ])
      expect(yield* view.standing).toMatchObject({ imported: 1, inDoubt: 1, verdicts: { verified: 1, unread: 0 } })
      expect(yield* ledger.verify).toEqual([])
    }))
})
