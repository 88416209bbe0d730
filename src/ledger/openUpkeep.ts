import { Effect } from "effect"
import type { Scope, Stream } from "effect"
import { dropOldAttention, dropOldRuns, rewrite, sizeOf } from "./compact.ts"
import { type ExportedRow, exportRows } from "./exportRows.ts"
import { forget, type Forgetting, type Forgotten } from "./forget.ts"
import { holdAll } from "./holdAll.ts"
import type { LedgerBusy, LedgerError, LedgerLocked, LedgerOvertaken, LedgerRefused } from "./Ledger.ts"
import { openStore } from "./openStore.ts"
import type { LedgerOptions } from "./openStore.ts"

/** What compacting came to. Sizes in bytes. */
export interface Compacted {
  readonly before: number
  readonly after: number
  /** Records of old runs, and rejected rows that nobody met any more. */
  readonly runs: number
  readonly rejected: number
}

/** The ledger as a whole, for those who look after it. */
export interface Upkeep {
  /** Forgets old runs; for after each run, and safe while another one goes on. Gives how many. */
  readonly dropOldRuns: Effect.Effect<number, LedgerError>
  /** Forgets what is old, and writes the file anew. No run may be going on. */
  readonly compact: Effect.Effect<Compacted, LedgerError | LedgerLocked | LedgerBusy | LedgerRefused>
  /** Forgets rows, and sees to it that not a byte of them is left. No run may be going on. */
  readonly forget: (
    what: Forgetting,
  ) => Effect.Effect<Forgotten, LedgerError | LedgerLocked | LedgerBusy | LedgerOvertaken | LedgerRefused>
  readonly rows: (pipelines: ReadonlyArray<string>) => Stream.Stream<ReadonlyArray<ExportedRow>, LedgerError>
}

/** Opens a ledger's file for its upkeep, for the scope. */
export const openUpkeep = (options: LedgerOptions): Effect.Effect<Upkeep, LedgerError | LedgerRefused, Scope.Scope> =>
  Effect.map(openStore(options), (store): Upkeep => {
    const { db, file, writer } = store
    return {
      dropOldRuns: writer.write("forgetting old runs", () => dropOldRuns(db)),
      compact: Effect.scoped(Effect.gen(function*() {
        const before = sizeOf(file)
        yield* holdAll(store)
        const { rejected, runs } = yield* writer.write("forgetting old runs", () => {
          const gone = dropOldRuns(db)
          return { runs: gone, rejected: dropOldAttention(db) }
        })
        yield* rewrite(store)
        return { before, after: sizeOf(file), runs, rejected }
      })),
      forget: (what) =>
        Effect.scoped(Effect.gen(function*() {
          const [lease] = yield* holdAll(store)
          if (lease === undefined) return { keys: [], already: [], unknown: what.keys, submissions: [] }
          const forgotten = yield* writer.writeOn<Forgotten, LedgerRefused>(
            lease,
            "forgetting rows",
            () => forget(store, what),
            { counts: true },
          )
          if (forgotten.keys.length > 0) yield* rewrite(store)
          return forgotten
        })),
      rows: (pipelines) => exportRows(store, pipelines),
    }
  })
