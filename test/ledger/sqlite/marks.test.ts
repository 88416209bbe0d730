import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Holder, LockHolder, ownedName } from "../../../src/ledger/holder.ts"
import { MarkWriter, readMarks } from "../../../src/ledger/marks.ts"
import { makeLedger } from "../../../src/ledger/sql/ledger.ts"
import { copyLedger } from "../../../src/ledger/sqlite/copyLedger.ts"
import { openLedger } from "../../../src/ledger/sqlite/sqliteLedger.ts"
import { openStore } from "../../../src/ledger/sqlite/Store.ts"
import { batchOf, contacts, folder, imported, rowOf } from "../rows.ts"

const holder = { ledger: "0123456789abcdef", epoch: 3, word: "fedcba9876543210" }

const me = LockHolder.defaultValue()()

const placesIn = (at: string) => ({
  ledger: join(at, "ledger.db"),
  folders: [join(at, "near"), join(at, "far", "away")],
  write: true,
})

describe("marks of a ledger", () => {
  it.scopedLive("marks are written into every folder, and a holder's highest number counts", () =>
    Effect.gen(function*() {
      const places = placesIn(yield* folder)
      const writer = new MarkWriter(places, holder, me)
      writer.write(1)
      writer.write(2)
      expect(yield* readMarks(places)).toEqual([{ ...holder, upTo: 2 }])
      for (const one of places.folders) expect(readdirSync(one)).toHaveLength(1)
      // This is the state after a crash between the two writes.
      const other = new MarkWriter({ ...places, folders: [places.folders[1]!] }, holder, me)
      other.write(7)
      expect(yield* readMarks(places)).toEqual([{ ...holder, upTo: 7 }])
      for (const one of [writer, other]) one.close()
    }))

  it.scopedLive("marks are rewritten by their holder after someone deleted them", () =>
    Effect.gen(function*() {
      const places = placesIn(yield* folder)
      const writer = new MarkWriter(places, holder, me)
      writer.write(1)
      for (const one of places.folders) rmSync(one, { recursive: true })
      writer.write(2)
      for (const one of places.folders) {
        expect(yield* readMarks({ ...places, folders: [one] })).toEqual([{ ...holder, upTo: 2 }])
      }
      writer.close()
    }))

  it.scopedLive("reading marks ignores the drafts of killed processes, but includes damaged marks", () =>
    Effect.gen(function*() {
      const places = placesIn(yield* folder)
      mkdirSync(places.folders[0]!)
      writeFileSync(join(places.folders[0]!, "a.mark.draft"), "")
      expect(yield* readMarks(places)).toEqual([])
      const draft = (owner: Holder) => join(places.folders[0]!, `${ownedName("draft-", owner)}.2-abc`)
      for (const pid of [me.pid, 2 ** 22 + 1]) writeFileSync(draft({ ...me, pid }), "")
      const writer = new MarkWriter({ ...places, folders: [places.folders[0]!] }, holder, me)
      writer.write(1)
      writer.close()
      expect(existsSync(draft(me)), "of a live process").toBe(true)
      expect(existsSync(draft({ ...me, pid: 2 ** 22 + 1 })), "of a killed process").toBe(false)
      rmSync(join(places.folders[0]!, `${holder.ledger}-3-${holder.word}.mark`))
      writeFileSync(join(places.folders[0]!, "b.mark"), "{")
      expect(yield* readMarks(places)).toEqual([{ damaged: join(places.folders[0]!, "b.mark") }])
    }))
})

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
      yield* session.record({ reconciled: "through" })
      expect(upTo(file)).toEqual([1])
      yield* session.settle(1, [imported("s1")])
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
      expect(session.held()).toBe(false)
      expect((yield* Effect.flip(session.intend(batchOf([rowOf(ledger, 2)]))))._tag).toBe("LedgerError")
    }))

  it.scopedLive("a mark is not written for a rehearsal's copy, but a copy of an old ledger is still refused", () =>
    Effect.gen(function*() {
      const at = yield* folder
      const file = join(at, "ledger.db")
      const marks = { ledger: file, folders: [`${file}.marks`], write: false }
      yield* Effect.scoped(Effect.gen(function*() {
        const ledger = yield* openLedger({ file })
        const session = yield* (yield* contacts(ledger)).hold("run1")
        yield* session.intend(batchOf([rowOf(ledger, 1)]))
      }))
      const rehearse = (to: string) =>
        Effect.scoped(Effect.gen(function*() {
          const copy = yield* openLedger({ file: yield* copyLedger(file, join(at, to)), marks })
          const session = yield* (yield* contacts(copy)).hold("rehearsal1")
          yield* session.intend(batchOf([rowOf(copy, 2)]))
        }))
      const before = readdirSync(`${file}.marks`)
      yield* rehearse("first")
      expect(readdirSync(`${file}.marks`)).toEqual(before)
      expect(existsSync(join(at, "first", "ledger.db.marks"))).toBe(false)
      yield* Effect.scoped(Effect.flatMap(openLedger({ file }), (ledger) => ledger.isNewest))
      // A different holder has committed more than the ledger contains.
      const text = readFileSync(join(`${file}.marks`, before[0]!), "utf8")
      writeFileSync(join(`${file}.marks`, before[0]!), text.replace('"upTo":1', '"upTo":5'))
      const refused = yield* Effect.flip(rehearse("second"))
      expect(refused).toMatchObject({
        _tag: "LedgerRefused",
        message: expect.stringContaining(`${file} lacks 4 of 5 commits`),
      })
    }))
})
