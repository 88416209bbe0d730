import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { vi } from "vitest"
import { type Holder, LockHolder, ownedName } from "../../src/ledger/holder.ts"
import { holdersIn, MarkWriter, readMarks } from "../../src/ledger/markFiles.ts"
import { databaseOf, openLedger } from "../../src/ledger/openLedger.ts"
import { databases } from "./databases.ts"
import { batchOf, contacts, folder, rowOf } from "./rows.ts"

const holder = { ledger: "0123456789abcdef", epoch: 3, word: "fedcba9876543210" }

const me = LockHolder.defaultValue()()

const placesIn = (at: string) => ({
  ledger: join(at, "ledger.db"),
  folders: [join(at, "near"), join(at, "far", "away")],
  write: true,
})

/** PostgreSQL's marks name its server, and are written without waiting for the disk. */
const server = () => ({ system: "1", timeline: 1, position: "0/1" })

describe.each([["SQLite", undefined], ["PostgreSQL", server]] as const)("marks of a ledger in %s", (_, server) => {
  const written = (upTo: number) => ({ ...holder, upTo, ...(server === undefined ? {} : { server: server() }) })
  /** Writes a mark. Returns once it is durable. */
  const write = (writer: MarkWriter, upTo: number) => Effect.promise(async () => writer.write(upTo))

  it.scopedLive("marks are written into every folder, and a holder's highest number counts", () =>
    Effect.gen(function*() {
      const places = placesIn(yield* folder)
      const writer = new MarkWriter(places, holder, me, server)
      yield* write(writer, 1)
      yield* write(writer, 2)
      expect(yield* readMarks(places)).toEqual([written(2)])
      for (const one of places.folders) expect(readdirSync(one)).toHaveLength(1)
      // This is the state after a crash between the two writes.
      const other = new MarkWriter({ ...places, folders: [places.folders[1]!] }, holder, me, server)
      yield* write(other, 7)
      expect(yield* readMarks(places)).toEqual([written(7)])
      for (const one of [writer, other]) one.close()
    }))

  it.scopedLive("marks are rewritten by their holder after someone deleted them", () =>
    Effect.gen(function*() {
      const places = placesIn(yield* folder)
      const writer = new MarkWriter(places, holder, me, server)
      yield* write(writer, 1)
      for (const one of places.folders) rmSync(one, { recursive: true })
      yield* write(writer, 2)
      for (const one of places.folders) {
        expect(yield* readMarks({ ...places, folders: [one] })).toEqual([written(2)])
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
      const writer = new MarkWriter({ ...places, folders: [places.folders[0]!] }, holder, me, server)
      yield* write(writer, 1)
      writer.close()
      expect(existsSync(draft(me)), "of a live process").toBe(true)
      expect(existsSync(draft({ ...me, pid: 2 ** 22 + 1 })), "of a killed process").toBe(false)
      rmSync(join(places.folders[0]!, `${holder.ledger}-3-${holder.word}.mark`))
      writeFileSync(join(places.folders[0]!, "b.mark"), "{")
      expect(yield* readMarks(places)).toEqual([{ damaged: join(places.folders[0]!, "b.mark") }])
    }))
})

describe("the holders that have marks in a folder", () => {
  /** A folder whose time of change is as given, in seconds, a function that adds a mark to it, and one that lists holders after some milliseconds. */
  const listing = Effect.gen(function*() {
    const at = yield* folder
    const clock = yield* Effect.acquireRelease(
      Effect.sync(() => vi.spyOn(performance, "now").mockReturnValue(0)),
      (spy) => Effect.sync(() => spy.mockRestore()),
    )
    const add = (name: string, changed: number) => {
      writeFileSync(join(at, `${name}.mark`), "")
      utimesSync(at, changed, changed)
    }
    add("a", 1_000)
    const list = holdersIn(at)
    const after = (millis: number) => {
      clock.mockReturnValue(performance.now() + millis)
      return Effect.promise(list)
    }
    return { add, after }
  })

  it.scopedLive("are listed again only after the folder has changed", () =>
    Effect.gen(function*() {
      const { add, after } = yield* listing
      add("b", 2_000)
      expect(yield* after(0)).toHaveLength(2)
      const listed = yield* after(4_000)
      expect(listed.toSorted()).toEqual(["a", "b"])
      expect(yield* after(0)).toBe(listed)
      add("c", 3_000)
      expect(yield* after(0)).toHaveLength(3)
    }))

  it.scopedLive("are all listed if several marks are made at the same time, in the file system's unit", () =>
    Effect.gen(function*() {
      const { add, after } = yield* listing
      add("b", 2_000)
      expect(yield* after(0)).toHaveLength(2)
      add("c", 2_000)
      expect(yield* after(2_000)).toHaveLength(3)
    }))

  it.scopedLive("are always listed again if the folder's time never changes", () =>
    Effect.gen(function*() {
      const { add, after } = yield* listing
      for (const [nth, name] of ["b", "c", "d"].entries()) {
        yield* after(4_000)
        add(name, 1_000)
        expect(yield* after(4_000)).toHaveLength(nth + 2)
      }
    }))
})

describe.each(databases)("a ledger in $name", ({ optionsOf }) => {
  it.scopedLive("a mark is not written for a rehearsal's copy, but a copy of an old ledger is still refused", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "ledger.db")
      const marks = { ledger: file, folders: [`${file}.marks`], write: false }
      const options = yield* optionsOf({ file })
      yield* Effect.scoped(Effect.gen(function*() {
        const ledger = yield* openLedger(options)
        const session = yield* (yield* contacts(ledger)).hold("run1")
        yield* session.intend(batchOf([rowOf(ledger, 1)]))
      }))
      const rehearse = Effect.scoped(Effect.gen(function*() {
        const copy = yield* openLedger({ ...yield* databaseOf(options).copy, marks })
        const session = yield* (yield* contacts(copy)).hold("rehearsal1")
        yield* session.intend(batchOf([rowOf(copy, 2)]))
      }))
      const before = readdirSync(`${file}.marks`)
      yield* rehearse
      expect(readdirSync(`${file}.marks`)).toEqual(before)
      yield* Effect.scoped(Effect.flatMap(openLedger(options), (ledger) => ledger.isNewest))
      // A different holder has committed more than the ledger contains.
      const text = readFileSync(join(`${file}.marks`, before[0]!), "utf8")
      writeFileSync(join(`${file}.marks`, before[0]!), text.replace('"upTo":1', '"upTo":5'))
      const refused = yield* Effect.flip(rehearse)
      expect(refused).toMatchObject({
        _tag: "LedgerRefused",
        message: expect.stringContaining(`${file} lacks 4 of 5 commits`),
      })
    }))
})
