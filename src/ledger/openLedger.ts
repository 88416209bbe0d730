import { Effect } from "effect"
import type { Scope } from "effect"
import { dirname } from "node:path"
import { mustTakeOver, refusal, takeOver } from "./admit.ts"
import { freeSpace } from "./freeSpace.ts"
import type { Ledger, LedgerError, LedgerRefused } from "./Ledger.ts"
import { readMarks } from "./marks.ts"
import { behind, isNewest } from "./newest.ts"
import { openStore } from "./openStore.ts"
import type { LedgerOptions } from "./openStore.ts"
import { pipelineLedger } from "./pipelineLedger.ts"
import { reading } from "./Store.ts"
import type { Store } from "./Store.ts"
import { makeTurns } from "./turns.ts"
import { verify } from "./verify.ts"

/**
 * Opens the ledger for the scope; makes it, with its folder and its secret, when there is none. `LedgerRefused` when it must not be used: its secret is missing or not its own, it lies on a
 * network file system, is a newer formferry's or no ledger. `LedgerError` when it is damaged or can't be written.
 */
export const openLedger = (options: LedgerOptions): Effect.Effect<Ledger, LedgerError | LedgerRefused, Scope.Scope> =>
  Effect.map(openStore(options), makeLedger)

/** The port over an open ledger's parts. */
export const makeLedger = (store: Store): Ledger => {
  const { db } = store
  return {
    file: store.file,
    id: store.id,
    lastIntent: reading(
      store,
      "reading the last intent",
      () => db.get<readonly [number | null]>("SELECT max(id) FROM batch")?.[0] ?? 0,
    ),
    behind: reading(store, "reading its marks", () => {
      const marks = readMarks(store.marks)
      return behind(db, store, marks)
    }),
    isNewest: isNewest(store, () => ({ asker: store.asker, where: "anywhere" })),
    digest: store.digest,
    pipeline: (which) =>
      Effect.gen(function*() {
        if (yield* reading(store, "reading pipelines", () => mustTakeOver(db, which))) {
          yield* store.writer.write<void, LedgerRefused>("taking rows over", () => takeOver(store, which))
        }
        const refused = yield* reading(store, "reading pipelines", () => refusal(db, which))
        if (refused !== undefined) return yield* refused
        return pipelineLedger(store, which)
      }),
    view: (which) => pipelineLedger(store, which),
    formId: (services, typed) =>
      reading(
        store,
        "reading pipelines",
        () =>
          db.get<readonly [string]>(
            `SELECT form FROM place WHERE typed = ? AND service IN (SELECT value FROM json_each(?)) ORDER BY id DESC LIMIT 1`,
            [typed, JSON.stringify(services)],
          )?.[0],
      ),
    pipelines: reading(
      store,
      "reading pipelines",
      () =>
        db.all<readonly [string, string, string]>("SELECT pipeline, service, form FROM place ORDER BY pipeline, id")
          .map((
            [pipeline, service, form],
          ) => ({ pipeline, destination: { service, form } })),
    ),
    turns: makeTurns(store),
    freeSpace: Effect.sync(() => freeSpace(dirname(store.file))),
    verify: reading(store, "verifying it", () => verify(db)),
  }
}
