import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import Libsql from "libsql"
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { LedgerError, LedgerRefused } from "../../../src/ledger/errors.ts"
import { fileSystemType } from "../../../src/ledger/fileSystem.ts"
import { readMarks } from "../../../src/ledger/markFiles.ts"
import { openLedger } from "../../../src/ledger/openLedger.ts"
import { temporaryCopy } from "../../../src/ledger/sqlite/copy.ts"
import { openDatabase } from "../../../src/ledger/sqlite/openDatabase.ts"
import { isLong } from "../../long.ts"
import { batchOf, contacts, folder, imported, rowOf } from "../rows.ts"

const mode = (path: string) => statSync(path).mode & 0o777

/** Opens and closes a ledger. Returns the result. */
const opened = (file: string) => Effect.scoped(Effect.map(openLedger({ file }), (ledger) => ledger.id))

/** Writes a ledger with one imported row. */
const filled = (file: string, verdict?: "verified" | "differing") =>
  Effect.scoped(Effect.gen(function*() {
    const ledger = yield* openLedger({ file })
    const session = yield* (yield* contacts(ledger)).hold("run1")
    const row = rowOf(ledger, 1, { content: "a very particular content" })
    yield* session.recordOutcomes(yield* session.intend(batchOf([row])), [imported("s1")])
    if (verdict !== undefined) {
      yield* session.recordVerdicts([{ keyDigest: row.keyDigest, verdict, answers: new Map() }])
    }
    return ledger.id
  }))

describe("the ledger's files", () => {
  it.scopedLive("the ledger's files are accessible to their owner only, even while the ledger is open", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "new", "ledger.db")
      const ledger = yield* openLedger({ file })
      yield* (yield* contacts(ledger)).hold("run1")
      expect(mode(join(file, ".."))).toBe(0o700)
      for (const name of ["ledger.db", "ledger.db-wal", "ledger.db-shm", "ledger.db.key"]) {
        expect([name, mode(join(file, "..", name))]).toEqual([name, 0o600])
      }
    }))

  it.scopedLive("the ledger's files are closed to other users if they were accessible before", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "ledger.db")
      yield* filled(file)
      for (const one of [file, `${file}.key`]) writeFileSync(one, readFileSync(one), { mode: 0o644 })
      yield* opened(file)
      expect([mode(file), mode(`${file}.key`)]).toEqual([0o600, 0o600])
    }))

  it.scopedLive("the ledger's files stay unchanged when a different process opens and closes them while this process has them open twice", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "ledger.db")
      const ledger = yield* openLedger({ file })
      const session = yield* (yield* contacts(ledger)).hold("run1")
      const send = (number: number) =>
        Effect.flatMap(
          session.intend(batchOf([rowOf(ledger, number)])),
          (batch) => session.recordOutcomes(batch, [imported(`s${number}`)]),
        )
      yield* send(1)
      // Opening and closing the file without SQLite releases all locks of this process on it. The next process that
      // exits then assumes that it is the last, and deletes the log.
      yield* opened(file)
      const log = statSync(`${file}-wal`).ino
      const others = execFileSync(
        process.execPath,
        [
          "-e",
          "const db = new (require('libsql'))(process.argv[1]); console.log(db.prepare('SELECT count(*) AS rows FROM row').get().rows); db.close()",
          file,
        ],
        { encoding: "utf8", cwd: import.meta.dirname },
      )
      expect(Number(others)).toBe(1)
      expect(statSync(`${file}-wal`).ino).toBe(log)
      yield* send(2)
      const db = openDatabase(file)
      if (db instanceof LedgerRefused) return yield* db
      expect(db.get("SELECT count(*) FROM row")).toEqual([2])
      expect(db.pragma("integrity_check")).toBe("ok")
      db.close()
    }))

  it.scopedLive("the ledger's files use WAL, full synchronisation and secure delete whenever they are opened, not only the first time", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "ledger.db")
      const id = yield* filled(file)
      expect(yield* opened(file)).toBe(id)
      const db = openDatabase(file)
      if (db instanceof LedgerRefused) return expect.unreachable(db.message)
      expect(["journal_mode", "synchronous", "secure_delete", "foreign_keys"].map((name) => db.pragma(name))).toEqual([
        "wal",
        2,
        1,
        1,
      ])
      db.close()
    }))

  it.scopedLive.runIf(isLong)(
    "opening an empty ledger that another connection reads ends after the patience of one transaction, not of each attempt",
    () =>
      Effect.gen(function*() {
        const file = join(yield* folder, "ledger.db")
        const other = new Libsql(file)
        // Others may read, but the switch to WAL has to wait.
        other.exec("BEGIN; SELECT * FROM sqlite_schema")
        const start = performance.now()
        expect(() => openDatabase(file)).toThrow(/database is locked/)
        expect(performance.now() - start).toBeLessThan(25_000)
        other.close()
      }),
    90_000,
  )

  it.scopedLive("the ledger's files contain none of the sent content after it is verified", () =>
    Effect.gen(function*() {
      const at = yield* folder
      yield* filled(join(at, "kept.db"), "differing")
      yield* filled(join(at, "gone.db"), "verified")
      const holding = readdirSync(at).filter((name) =>
        !name.endsWith(".marks") && readFileSync(join(at, name)).includes("a very particular content")
      )
      expect(holding).toEqual(["kept.db"])
    }))
})

describe("a refused ledger", () => {
  const refused = (file: string) =>
    Effect.map(Effect.flip(opened(file)), (error) => {
      expect(error._tag).toBe("LedgerRefused")
      return error.message
    })

  it.scopedLive("a ledger without its secret is refused, and stays unchanged", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "ledger.db")
      yield* filled(file)
      renameSync(`${file}.key`, `${file}.elsewhere`)
      expect(yield* refused(file)).toContain("Restore")
      expect(existsSync(`${file}.key`)).toBe(false)
      renameSync(`${file}.elsewhere`, `${file}.key`)
      yield* opened(file)
    }))

  it.scopedLive("a ledger with the secret of a different ledger, or with a damaged secret, is refused", () =>
    Effect.gen(function*() {
      const at = yield* folder
      yield* filled(join(at, "a.db"))
      yield* filled(join(at, "b.db"))
      copyFileSync(join(at, "a.db.key"), join(at, "b.db.key"))
      expect(yield* refused(join(at, "b.db"))).toContain("does not belong to the ledger")
      writeFileSync(join(at, "b.db.key"), "short")
      expect(yield* refused(join(at, "b.db"))).toContain("damaged")
    }))

  it.scopedLive("a ledger is refused if its schema differs from this build's, and stays unchanged", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "ledger.db")
      yield* filled(file)
      for (const version of [8, 0x7fffffff]) {
        const db = new Libsql(file)
        db.exec(`PRAGMA user_version = ${version}`)
        db.close()
        const before = readFileSync(file)
        expect(yield* refused(file)).toContain("different build of formferry")
        expect(readFileSync(file).equals(before)).toBe(true)
      }
    }))

  it.scopedLive("a ledger is refused if its path can't be examined", () =>
    Effect.gen(function*() {
      const at = yield* folder
      writeFileSync(join(at, "a-file"), "")
      symlinkSync("loop", join(at, "loop"))
      mkdirSync(join(at, "closed"), { mode: 0o000 })
      expect(yield* refused(join(at, "a-file", "ledger.db"))).toContain("is a file, not a folder")
      expect(yield* refused(join(at, "loop", "ledger.db"))).toContain("leads back to itself")
      expect(yield* refused(join(at, "loop"))).toContain("leads back to itself")
      expect(yield* refused(at)).toContain("it is a folder")
      // Root has access to everything.
      if (process.getuid?.() === 0) return
      expect(yield* refused(join(at, "closed", "ledger.db"))).toMatch(
        /you don't have permission.*run as the user who owns the ledger/,
      )
      chmodSync(join(at, "closed"), 0o700)
    }))

  it.scopedLive("a file of a ledger that can't be used is named, and so is what to do if a different user owns it", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "ledger.db")
      yield* filled(file)
      mkdirSync(`${file}.marks`, { recursive: true })
      const mark = `${file}.marks/loop.mark`
      symlinkSync("loop.mark", mark)
      const places = { ledger: file, folders: [`${file}.marks`], write: true }
      expect((yield* Effect.flip(readMarks(places))).message).toContain(`leads back to itself (${mark}). Nothing more`)
      const cause = Object.assign(new Error("EACCES"), { code: "EACCES", path: `${file}.key` })
      expect(new LedgerError({ file, doing: "opening it", cause }).message).toContain(
        `you don't have permission (${file}.key). Nothing more is sent without it. If a different user owns the file`,
      )
    }))

  it.scopedLive("a ledger is refused if it is a different program's database", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "other.db")
      const db = new Libsql(file)
      db.exec("CREATE TABLE theirs (a)")
      db.close()
      expect(yield* refused(file)).toContain("not a ledger")
    }))
})

describe("a damaged ledger file", () => {
  it.scopedLive("a ledger file that is not a database gives an error with advice", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "ledger.db")
      yield* filled(file)
      writeFileSync(file, "x".repeat(10_000))
      const error = yield* Effect.flip(opened(file))
      expect(error._tag).toBe("LedgerError")
      expect(error.message).toContain(file)
      expect(error.message).toContain("backup")
    }))

  it.scopedLive("a damaged ledger file is reported by verify or can't be opened, and never counts as sound", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "ledger.db")
      yield* Effect.scoped(Effect.gen(function*() {
        const ledger = yield* openLedger({ file })
        const session = yield* (yield* contacts(ledger)).hold("run1")
        const rows = Array.from({ length: 500 }, (_, index) => rowOf(ledger, index))
        yield* session.intend(batchOf(rows))
        expect(yield* ledger.verify).toEqual([])
      }))
      const bytes = readFileSync(file)
      bytes.fill(0xab, Math.floor(bytes.length / 2 / 4096) * 4096, Math.floor(bytes.length / 2 / 4096) * 4096 + 8192)
      writeFileSync(file, bytes)
      const result = yield* Effect.exit(Effect.scoped(Effect.flatMap(openLedger({ file }), (ledger) => ledger.verify)))
      expect(Exit.isFailure(result) || result.value.length > 0).toBe(true)
    }))
})

describe("the file system of a path", () => {
  const mounts = [
    "22 1 254:0 / / rw - ext4 /dev/root rw",
    "30 22 0:40 / /srv/shared rw,relatime shared:1 - nfs4 server:/x rw",
    "31 22 0:41 / /srv/shared/local rw - xfs /dev/b rw",
    "32 22 0:42 / /srv/with\\040space rw - cifs //x rw",
  ].join("\n")

  it("the file system of a path is that of the innermost mount", () => {
    expect(fileSystemType("/home/me", mounts)).toBe("ext4")
    expect(fileSystemType("/srv/shared/a/b", mounts)).toBe("nfs4")
    expect(fileSystemType("/srv/sharedness", mounts)).toBe("ext4")
    expect(fileSystemType("/srv/shared/local", mounts)).toBe("xfs")
    expect(fileSystemType("/srv/with space/x", mounts)).toBe("cifs")
  })
})

describe("a copy of a ledger", () => {
  it.scopedLive("a copy of a ledger contains every row, can be locked while the original is locked, and does not change the original", () =>
    Effect.gen(function*() {
      const at = yield* folder
      const file = join(at, "ledger.db")
      const ledger = yield* openLedger({ file })
      const session = yield* (yield* contacts(ledger)).hold("run1")
      const rows = [1, 2].map((number) => rowOf(ledger, number))
      yield* session.recordOutcomes(yield* session.intend(batchOf(rows)), [imported("s1"), imported("s2")])
      const { file: path } = yield* temporaryCopy({ file })
      expect([mode(path), mode(`${path}.key`)]).toEqual([0o600, 0o600])
      const copy = yield* openLedger({ file: path })
      expect(copy.id).toBe(ledger.id)
      const view = yield* contacts(copy)
      expect((yield* view.lookUp(rows.map((row) => row.keyDigest))).map((row) => row?.submissionId)).toEqual([
        "s1",
        "s2",
      ])
      const rehearsal = yield* view.hold("rehearsal1")
      yield* rehearsal.intend(batchOf([rowOf(copy, 3)]))
      expect((yield* (yield* contacts(ledger)).counts).lastIntent).toBe(1)
      expect(session.holdsLock()).toBe(true)
    }))

  it.scopedLive("copying a missing ledger only returns a path for a new ledger", () =>
    Effect.gen(function*() {
      const at = yield* folder
      mkdirSync(join(at, "empty"))
      const { file: path } = yield* temporaryCopy({ file: join(at, "empty", "ledger.db") })
      expect(existsSync(path)).toBe(false)
      yield* opened(path)
      rmSync(path)
    }))
})
