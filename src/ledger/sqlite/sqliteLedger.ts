import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Ledger, LedgerError, LedgerOptions, LedgerRefused } from "../Ledger.ts"
import { ledgerOver } from "../sql/ledger.ts"
import { openStore } from "./Store.ts"

/**
 * Opens the ledger for the scope. If there is none, makes it with its folder and its secret. Fails with `LedgerRefused` if the ledger must not be
 * used: its secret is missing or belongs to a different ledger, it is on a network file system, it was moved, or it is not a ledger of this version.
 * Fails with `LedgerError` if it is damaged or can't be written.
 */
export const openLedger = (options: LedgerOptions): Effect.Effect<Ledger, LedgerError | LedgerRefused, Scope.Scope> =>
  Effect.flatMap(openStore(options), ledgerOver)
