import { DateTime, Duration, Effect } from "effect"
import type { Scope } from "effect"
import { randomBytes } from "node:crypto"
import { mkdirSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { mustTakeOver, refusal, takeOver } from "./admit.ts"
import type { Database } from "./database.ts"
import { attempt } from "./failure.ts"
import { LedgerRefused } from "./Ledger.ts"
import type { Ledger, LedgerError } from "./Ledger.ts"
import { makeDigester } from "./makeDigester.ts"
import { migrate } from "./migrations.ts"
import { openDatabase } from "./openDatabase.ts"
import { pipelineLedger } from "./pipelineLedger.ts"
import { readSecret, syncFolder } from "./secret.ts"
import { reading } from "./Store.ts"
import type { Store } from "./Store.ts"
import { Texts } from "./Texts.ts"
import { verify } from "./verify.ts"
import { Writer } from "./Writer.ts"

export interface LedgerOptions {
  /** Path of the ledger; its secret stands beside it, with `.key` at the end. */
  readonly file: string
  /** How old a live holder's heartbeat must be before its lock is taken over; default one minute. */
  readonly staleAfter?: Duration.DurationInput
  /** Between heartbeats; default five seconds. */
  readonly heartbeat?: Duration.DurationInput
}

/**
 * Opens the ledger for the scope; makes it, with its folder and its secret, when there is none. `LedgerRefused` when it must not be used: its secret is missing or not its own, it lies on a
 * network file system, is a newer formferry's or no ledger. `LedgerError` when it is damaged or can't be written.
 */
export const openLedger = (options: LedgerOptions): Effect.Effect<Ledger, LedgerError | LedgerRefused, Scope.Scope> =>
  Effect.gen(function*() {
    const file = resolve(options.file)
    const clock = yield* Effect.clock
    const started = DateTime.formatIso(yield* DateTime.now)
    // The secret first: a ledger is never there without it.
    const { db, secret } = yield* Effect.acquireRelease(
      Effect.flatMap(
        attempt(file, "opening it", () => open(file)),
        (opened) => (opened instanceof LedgerRefused ? Effect.fail(opened) : Effect.succeed(opened)),
      ),
      ({ db }) => Effect.ignore(attempt(file, "closing it", () => close(db))),
    )
    const digest = makeDigester(secret)
    // Tells the secret's own ledger from another's, and gives nothing away.
    const proof = digest.value("the secret of this ledger").toString("hex")
    yield* attempt(file, "preparing it", () => {
      migrate(db, (fresh) => {
        for (
          const [name, value] of [["id", randomBytes(8).toString("hex")], ["proof", proof], [
            "started",
            started,
          ]] as const
        ) {
          fresh.run("INSERT INTO meta (name, value) VALUES (?, ?)", [name, value])
        }
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
    const store: Store = {
      file,
      id: yield* meta("id"),
      db,
      texts,
      writer: new Writer(db, () => texts.forget()),
      digest,
      clock,
      staleAfter: Duration.toMillis(options.staleAfter ?? "1 minute"),
      heartbeat: Duration.toMillis(options.heartbeat ?? "5 seconds"),
    }
    return makeLedger(store)
  })

const open = (file: string): { readonly db: Database; readonly secret: string } | LedgerRefused => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const secret = readSecret(file)
  if (secret instanceof LedgerRefused) return secret
  const db = openDatabase(file)
  return db instanceof LedgerRefused ? db : { db, secret }
}

const makeLedger = (store: Store): Ledger => {
  const { db } = store
  return {
    file: store.file,
    id: store.id,
    lastIntent: reading(
      store,
      "reading the last intent",
      () => db.get<readonly [number | null]>("SELECT max(id) FROM batch")?.[0] ?? 0,
    ),
    digest: store.digest,
    pipeline: (which) =>
      Effect.gen(function*() {
        if (yield* reading(store, "reading pipelines", () => mustTakeOver(db, which))) {
          yield* store.writer.write<void, LedgerRefused>("renaming a pipeline", () => takeOver(store, which))
        }
        const refused = yield* reading(store, "reading pipelines", () => refusal(db, which))
        if (refused !== undefined) return yield* refused
        return pipelineLedger(store, which)
      }),
    pipelines: reading(
      store,
      "reading pipelines",
      () =>
        db.all<readonly [string, string, string]>("SELECT pipeline, service, form FROM place ORDER BY pipeline, id")
          .map((
            [pipeline, service, form],
          ) => ({ pipeline, destination: { service, form } })),
    ),
    verify: reading(store, "verifying it", () => verify(db)),
  }
}

/** Empties the write-ahead log into the file, so that deleted content is gone from both. */
const close = (db: Database): void => {
  try {
    db.set("wal_checkpoint(TRUNCATE)")
  } finally {
    db.close()
  }
}
