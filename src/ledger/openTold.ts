import { Effect } from "effect"
import type { Scope } from "effect"
import type { Ledger, LedgerError, LedgerRefused } from "./Ledger.ts"
import { makeLedger } from "./openLedger.ts"
import { openStore } from "./openStore.ts"
import type { LedgerOptions } from "./openStore.ts"
import { findPlace, type Place } from "./place.ts"
import { reading } from "./Store.ts"

/** What a webhook was told last of a pipeline at a destination. */
export interface Told {
  /** What was unusual then, and needs no second word as long as it lasts. */
  readonly codes: ReadonlyArray<string>
  /** The run up to which it knows. */
  readonly run: string
}

/** What webhooks were told, beside the ledger itself. It takes no lock: nobody else writes there. */
export interface ToldLedger {
  readonly ledger: Ledger
  readonly told: (at: Place, webhook: string) => Effect.Effect<Told | undefined, LedgerError>
  readonly tell: (at: Place, webhook: string, told: Told) => Effect.Effect<void, LedgerError>
}

/** Opens a ledger to look up, and write down, what webhooks were told. */
export const openTold = (options: LedgerOptions): Effect.Effect<ToldLedger, LedgerError | LedgerRefused, Scope.Scope> =>
  Effect.map(openStore(options), (store): ToldLedger => {
    const { db, writer } = store
    return {
      ledger: makeLedger(store),
      told: (at, webhook) =>
        reading(store, "reading what was told", () => {
          const found = db.get<readonly [string, string]>(
            "SELECT t.codes, t.run FROM told t WHERE t.place = ? AND t.webhook = ?",
            [findPlace(db, at) ?? 0, webhook],
          )
          return found === undefined
            ? undefined
            : { codes: JSON.parse(found[0]) as ReadonlyArray<string>, run: found[1] }
        }),
      tell: (at, webhook, { codes, run }) =>
        writer.write("recording what was told", () => {
          const place = findPlace(db, at)
          if (place === undefined) return
          db.run("INSERT OR REPLACE INTO told (place, webhook, codes, run) VALUES (?, ?, ?, ?)", [
            place,
            webhook,
            JSON.stringify(codes),
            run,
          ])
        }),
    }
  })
