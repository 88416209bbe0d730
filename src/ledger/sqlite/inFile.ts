import * as Effect from "effect/Effect"
import { missing } from "../behind.ts"
import { LedgerRefused } from "../errors.ts"
import type { LedgerOptions } from "../Ledger.ts"
import type { LedgerDatabase } from "../LedgerDatabase.ts"
import { backUpLedger, temporaryCopy } from "./copy.ts"
import { adoptSecret, ledgerExists, readSecret, secretFile } from "./secretFile.ts"
import { marksFor, openStore } from "./Store.ts"

/** A ledger in a file, which only the processes of one host use. */
export const inFile = (options: LedgerOptions): LedgerDatabase<LedgerOptions> => {
  const { file } = options
  return {
    open: openStore(options),
    exists: Effect.sync(() => ledgerExists(file)),
    missing: missing(marksFor(options)),
    // Opening the file makes its tables.
    migrate: () => Effect.succeed(false),
    copy: temporaryCopy(options),
    backUp: (to) => backUpLedger(file, to),
    rate: () => Effect.succeed(undefined),
    reports: Effect.succeed(undefined),
    secret: Effect.suspend(() => {
      const secret = readSecret(file)
      return secret instanceof LedgerRefused ? secret : Effect.succeed(secret)
    }),
    keyAdvice: `Use the 64 digits in ${secretFile(file)} as the key.`,
    adopt: (secret) => Effect.suspend(() => adoptSecret(file, secret) ?? Effect.void),
    removal: `delete the files ${file}, ${file}-wal and ${file}-shm, as far as they exist`,
  }
}
