import { DateTime, Duration, Effect } from "effect"
import type { Scope } from "effect"
import { randomBytes } from "node:crypto"
import { mkdirSync } from "node:fs"
import { dirname, resolve } from "node:path"
import type { Database } from "./database.ts"
import { attempt } from "./failure.ts"
import { LockHolder } from "./holder.ts"
import type { Holder } from "./holder.ts"
import { LedgerRefused } from "./Ledger.ts"
import type { LedgerError } from "./Ledger.ts"
import { LedgerFiles } from "./LedgerFiles.ts"
import { makeDigester } from "./makeDigester.ts"
import { type MarkPlaces, marksFolder } from "./marks.ts"
import { missing, notNewest } from "./newest.ts"
import { openDatabase } from "./openDatabase.ts"
import { createTables, standingOf } from "./schema.ts"
import { ledgerExists, readSecret, syncFolder } from "./secret.ts"
import type { Asker, Store } from "./Store.ts"
import { Texts } from "./Texts.ts"
import { Writer } from "./Writer.ts"

export interface LedgerOptions {
  /** Path of the ledger; its secret stands beside it, with `.key` at the end. */
  readonly file: string
  /** Where its marks are; default: next to it only. */
  readonly marks?: MarkPlaces
  readonly asker?: Asker
  /** Whether to create a ledger although marks say that there was one: for a person who accepts that. */
  readonly overruling?: boolean
  /** How old a live holder's heartbeat must be before its lock is taken over; default one minute. */
  readonly staleAfter?: Duration.DurationInput
  /** Between heartbeats; default five seconds. */
  readonly heartbeat?: Duration.DurationInput
  /** Who takes locks; default this process. */
  readonly holder?: Holder
}

/** Opens a ledger's parts for the scope: what `openLedger` says. */
export const openStore = (options: LedgerOptions): Effect.Effect<Store, LedgerError | LedgerRefused, Scope.Scope> =>
  Effect.gen(function*() {
    const file = resolve(options.file)
    const clock = yield* Effect.clock
    const started = DateTime.formatIso(yield* DateTime.now)
    const marks = options.marks ?? { ledger: file, folders: [marksFolder(file)], write: true }
    const mayCreate = Effect.gen(function*() {
      const wrong = options.overruling === true
        ? undefined
        : yield* attempt(file, "reading its marks", () => missing(marks))
      if (wrong !== undefined) return yield* notNewest(wrong, options.asker)
    })
    if (!ledgerExists(file)) yield* mayCreate
    const { db, secret } = yield* Effect.acquireRelease(
      Effect.flatMap(
        attempt(file, "opening it", () => open(file)),
        (opened) => (opened instanceof LedgerRefused ? Effect.fail(opened) : Effect.succeed(opened)),
      ),
      ({ db }) => Effect.ignore(attempt(file, "closing it", () => close(db))),
    )
    // A file without tables is what is left of a new ledger whose log is lost: creating them would make another ledger of it.
    if (standingOf(db) === "empty") yield* mayCreate
    const digest = makeDigester(secret)
    // Tells the secret's own ledger from another's, and gives nothing away.
    const proof = digest.value("the secret of this ledger").toString("hex")
    yield* attempt(file, "preparing it", () => {
      createTables(db, (fresh) => {
        const add = (name: string, value: string) =>
          fresh.run("INSERT INTO meta (name, value) VALUES (?, ?)", [name, value])
        add("id", randomBytes(8).toString("hex"))
        add("proof", proof)
        add("started", started)
      })
      syncFolder(dirname(file))
    })
    const meta = (name: string) =>
      attempt(
        file,
        "opening it",
        () => db.get<readonly [string]>("SELECT value FROM meta WHERE name = ?", [name])?.[0] ?? "",
      )
    if ((yield* meta("proof")) !== proof) {
      return yield* new LedgerRefused({
        message:
          `The secret ${file}.key is not the one that the ledger ${file} was made with. Restore both from the same backup.`,
      })
    }
    const texts = new Texts(db)
    const writer = yield* Effect.acquireRelease(
      Effect.sync(() => new Writer(db, () => texts.forget())),
      (one) => Effect.sync(() => one.close()),
    )
    const id = yield* meta("id")
    const store: Store = {
      file,
      id,
      marks,
      files: yield* attempt(file, "opening it", () => new LedgerFiles(file)),
      asker: options.asker,
      db,
      texts,
      writer,
      digest,
      clock,
      staleAfter: Duration.toMillis(options.staleAfter ?? "1 minute"),
      heartbeat: Duration.toMillis(options.heartbeat ?? "5 seconds"),
      holder: options.holder ?? (yield* LockHolder)(),
    }
    return store
  })

const open = (file: string): { readonly db: Database; readonly secret: string } | LedgerRefused => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // The secret of a new ledger comes first: no ledger is ever there without it.
  const early = ledgerExists(file) ? undefined : readSecret(file)
  if (early instanceof LedgerRefused) return early
  const db = openDatabase(file)
  if (db instanceof LedgerRefused) return db
  const secret = early ?? readSecret(file)
  if (!(secret instanceof LedgerRefused)) return { db, secret }
  db.close()
  return secret
}

/** Empties the write-ahead log into the file, so that deleted content is gone from both. */
const close = (db: Database): void => {
  try {
    db.set("wal_checkpoint(TRUNCATE)")
  } finally {
    db.close()
  }
}
