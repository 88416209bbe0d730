import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readMarks } from "../../../src/ledger/markFiles.ts"
import { openLedger } from "../../../src/ledger/openLedger.ts"
import { makeLedger } from "../../../src/ledger/sql/ledger.ts"
import { openStore } from "../../../src/ledger/sqlite/Store.ts"
import { batchOf, contacts, folder, imported, rowOf } from "../rows.ts"

describe("a holder's mark", () => {
  const upTo = (file: string) =>
    Effect.runSync(readMarks({ ledger: file, folders: [`${file}.marks`], write: false }))
      .map((mark) => "upTo" in mark ? mark.upTo : 0)

  it.scopedLive("a mark is written once for all batches of a commit, after the commit and before anything is sent", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "ledger.db")
      const store = yield* openStore({ file })
      const ledger = makeLedger(store)
      const session = yield* (yield* contacts(ledger)).hold("run1")
      expect(upTo(file)).toEqual([])
      const seen: Array<string> = []
      const exec = store.db.exec.bind(store.db)
      store.db.exec = (sql) => {
        exec(sql)
        seen.push(`${sql} ${upTo(file).join()}`)
      }
      const rows = Array.from({ length: 8 }, (_, index) => rowOf(ledger, index))
      yield* Effect.forEach(
        rows,
        (row) =>
          Effect.tap(session.intend(batchOf([row])), () => Effect.sync(() => seen.push(`sends ${upTo(file).join()}`))),
        { concurrency: 8 },
      )
      expect(seen).toEqual(["BEGIN IMMEDIATE ", "COMMIT ", ...rows.map(() => "sends 1")])
      expect(store.db.get("SELECT upTo FROM holder")).toEqual([1])
      // Progress that a later run can repeat doesn't change the mark, but an outcome does.
      yield* session.recordFacts({ reconciled: "through" })
      expect(upTo(file)).toEqual([1])
      yield* session.recordOutcomes(1, [imported("s1")])
      expect(upTo(file)).toEqual([2])
    }))

  it.scopedLive("a mark that can't be written stops the ledger and all sending", () =>
    Effect.gen(function*() {
      const at = yield* folder
      const file = join(at, "ledger.db")
      writeFileSync(join(at, "blocked"), "")
      symlinkSync(join(at, "blocked", "nowhere"), join(at, "marks"))
      const ledger = yield* openLedger({ file, marks: { ledger: file, folders: [join(at, "marks")], write: true } })
      const session = yield* (yield* contacts(ledger)).hold("run1")
      const error = yield* Effect.flip(session.intend(batchOf([rowOf(ledger, 1)])))
      expect(error._tag).toBe("LedgerError")
      expect(error.message).toContain("its mark in")
      expect(session.holdsLock()).toBe(false)
      expect((yield* Effect.flip(session.intend(batchOf([rowOf(ledger, 2)]))))._tag).toBe("LedgerError")
    }))
})
