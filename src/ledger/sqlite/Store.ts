import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { accessSync, existsSync, mkdirSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { marksFolder } from "../../domain/marks.ts"
import { codeOf, reasonOf } from "../../domain/systemErrors.ts"
import { isoOf } from "../../domain/times.ts"
import { missing, notNewest } from "../behind.ts"
import { LedgerBusy, type LedgerError, LedgerRefused } from "../errors.ts"
import { sync } from "../fileSystem.ts"
import { LockHolder } from "../holder.ts"
import type { LedgerOptions } from "../Ledger.ts"
import { marksIn } from "../markFiles.ts"
import type { Marks } from "../marks.ts"
import { makeDigester, proofOf } from "../secret.ts"
import { unfinishedIf } from "../sql/closing.ts"
import { just } from "../sql/statement.ts"
import { lockTimes, type Store } from "../sql/Store.ts"
import { Texts } from "../sql/texts.ts"
import { removeCopies } from "./copy.ts"
import { attempt, attemptOrRefuse, type Database, isBusy } from "./database.ts"
import { dialect } from "./dialect.ts"
import { openDatabase, watchFiles } from "./openDatabase.ts"
import { freeSpace, requireRoom } from "./room.ts"
import { ledgerExists, readSecret } from "./secretFile.ts"
import { createTables, standingOf } from "./tables.ts"
import { Writer } from "./Writer.ts"

export interface SqliteStore extends Store {
  readonly db: Database
  readonly writer: Writer
}

/** Returns the marks of a ledger in a file. */
export const marksFor = ({ file, marks }: Pick<LedgerOptions, "file" | "marks">): Marks =>
  marksIn(marks ?? { ledger: file, folders: [marksFolder(file)], write: true })

/** Opens a ledger's parts for the scope, as described for `LedgerDatabase`. */
export const openStore = (
  options: LedgerOptions,
): Effect.Effect<SqliteStore, LedgerError | LedgerRefused, Scope.Scope> =>
  Effect.gen(function*() {
    const file = resolve(options.file)
    const clock = yield* Effect.clock
    const me = (yield* LockHolder)()
    const started = isoOf(clock.unsafeCurrentTimeMillis())
    const marks = marksFor({ ...options, file })
    const mayCreate = Effect.gen(function*() {
      const wrong = options.overruling === true ? undefined : yield* missing(marks)
      if (wrong !== undefined) return yield* notNewest(wrong, options.asker)
    })
    const unusable = unusablePath(file)
    if (unusable !== undefined) return yield* unusable
    if (!ledgerExists(file)) yield* mayCreate
    const { db, secret } = yield* Effect.acquireRelease(
      attemptOrRefuse(file, "opening it", () => open(file)),
      ({ db }) => Effect.ignore(attempt(file, "closing it", () => close(db))),
    )
    // If a new ledger's log is lost, a file without tables remains. Creating the tables would make it a different ledger.
    if ((yield* attempt(file, "opening it", () => standingOf(db))) === "empty") yield* mayCreate
    const digest = makeDigester(secret)
    const proof = proofOf(digest)
    yield* attempt(file, "preparing it", () => {
      createTables(db, { id: randomBytes(8).toString("hex"), proof, started, ...unfinishedIf(options.isMoved) })
      sync(dirname(file))
    })
    const meta = new Map(
      yield* attempt(file, "opening it", () => db.all<readonly [string, string]>("SELECT name, value FROM meta")),
    )
    if (meta.get("proof") !== proof) {
      return yield* new LedgerRefused({
        message: `The secret ${file}.key does not belong to the ledger ${file}. Restore both from the same backup.`,
      })
    }
    const texts = new Texts()
    const writer = yield* Effect.acquireRelease(
      Effect.sync(() => new Writer(db, () => texts.forget())),
      (one) => Effect.sync(() => one.close()),
    )
    const mustBeSame = yield* attempt(file, "opening it", () => watchFiles(file))
    return {
      file,
      id: meta.get("id") ?? "",
      version: undefined,
      marks,
      asker: options.asker,
      db,
      texts,
      writer,
      digest,
      clock,
      ...lockTimes(options),
      heartbeats: undefined,
      holder: me,
      dialect,
      now: () => just(clock.unsafeCurrentTimeMillis()),
      present: () => ({ sql: "?", params: [clock.unsafeCurrentTimeMillis()] }),
      read: (doing, program) => attempt(file, doing, () => db.read(program())),
      mustBeSame,
      damage: attempt(file, "verifying it", () => damage(db)),
      size: attempt(file, "reading its size", () => sizeOf(file)),
      mayRewrite: Effect.void,
      rewrite: rewrite(db),
      removeCopies: attempt(file, "removing copies of it", () => removeCopies(file, me)),
      roomFor: (rows, bytes) => Effect.suspend(() => requireRoom(file, freeSpace(file), rows, bytes)),
    } satisfies SqliteStore
  })

/** The system's error codes that mean that `ledger.file` is wrong. Any other code means that the disk failed. */
const refusedPaths = ["ENOTDIR", "ELOOP", "EACCES", "ENAMETOOLONG"]

const unusablePath = (file: string): LedgerRefused | undefined => {
  const refused = (reason: string, orElse = "correct the path itself") =>
    new LedgerRefused({
      message:
        `The ledger ${file} can't be opened: ${reason}. Nothing was sent. Correct \`ledger.file\` in config/formferry.yaml, or ${orElse}.`,
    })
  try {
    accessSync(file)
    return statSync(file).isDirectory() ? refused("it is a folder") : undefined
  } catch (cause) {
    const code = codeOf(cause)
    return refusedPaths.includes(code)
      ? refused(reasonOf(cause), code === "EACCES" ? "run as the user who owns the ledger" : undefined)
      : undefined
  }
}

const open = (file: string): { readonly db: Database; readonly secret: string } | LedgerRefused => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // A new ledger's secret is made first, so that no ledger ever exists without one.
  const early = ledgerExists(file) ? undefined : readSecret(file)
  if (early instanceof LedgerRefused) return early
  const db = openDatabase(file)
  if (db instanceof LedgerRefused) return db
  const secret = early ?? readSecret(file)
  if (!(secret instanceof LedgerRefused)) return { db, secret }
  db.close()
  return secret
}

/**
 * Moves the write-ahead log into the file, so that neither contains deleted content. Does not wait for a process that is reading. The last process
 * that closes the ledger moves the rest of the log.
 */
const close = (db: Database): void => {
  try {
    db.set("busy_timeout = 0")
    db.set("wal_checkpoint(TRUNCATE)")
  } finally {
    db.close()
  }
}

/** Runs SQLite's own checks. Returns findings as sentences. */
const damage = (db: Database): ReadonlyArray<string> => {
  const lines = db.all<readonly [string]>("PRAGMA integrity_check").map(([line]) => line).filter((line) =>
    line !== "ok"
  )
  const dangling = db.all("PRAGMA foreign_key_check").length
  return [
    ...lines.map((line) => `The file is damaged: ${line}.`),
    ...(dangling === 0 ? [] : [`The ledger contains references to records that do not exist: ${dangling}.`]),
  ]
}

/** Returns the size of the ledger's file in bytes, including data that is still in its log. */
const sizeOf = (file: string): number =>
  [file, `${file}-wal`].reduce((sum, one) => sum + (existsSync(one) ? statSync(one).size : 0), 0)

/**
 * Rewrites the file without deleted data and empties its log, so that neither contains a byte of deleted data. Call this between transactions, with
 * all locks held.
 */
const rewrite = (db: Database): Effect.Effect<void, LedgerError | LedgerBusy> =>
  Effect.gen(function*() {
    const emptied = yield* attempt(db.file, "rewriting it", () => {
      try {
        db.exec("VACUUM")
        const [busy] = db.all<readonly [number]>("PRAGMA wal_checkpoint(TRUNCATE)")[0] ?? [1]
        return busy === 0
      } catch (cause) {
        if (isBusy(cause)) return false
        throw cause
      }
    })
    if (!emptied) return yield* new LedgerBusy({ file: db.file, by: "process" })
  })
