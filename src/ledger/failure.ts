import { Effect } from "effect"
import { LedgerError } from "./Ledger.ts"

/** What SQLite's codes mean to people. Its own messages hold no values of rows: names of tables and columns at most. */
const meanings: ReadonlyArray<readonly [RegExp, string]> = [
  [/^SQLITE_FULL/, "the disk is full"],
  [/^SQLITE_NOTADB/, "the file is damaged, or is no ledger at all. Restore it, with its .key file, from a backup"],
  [/^SQLITE_CORRUPT/, "the file is damaged. Restore it, with its .key file, from a backup"],
  [/^SQLITE_READONLY/, "the file or its folder is write-protected"],
  [/^SQLITE_CANTOPEN/, "the file can't be opened"],
  [/^SQLITE_(BUSY|LOCKED)/, "another process keeps it busy"],
  [/^SQLITE_IOERR/, "the disk reports an error"],
]

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string" ? cause.code : ""

/** Whether another connection kept SQLite waiting for too long. */
export const isBusy = (cause: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(codeOf(cause))

const inWords = (cause: unknown): unknown => {
  if (cause instanceof LedgerError) return cause
  const text = cause instanceof Error ? cause.message : String(cause)
  const code = codeOf(cause)
  // libsql gives some failures of opening no code of their own.
  const known = meanings.find(([pattern]) => pattern.test(code))?.[1]
    ?? (/not a database/i.test(text) ? meanings[1]?.[1] : /malformed/i.test(text) ? meanings[2]?.[1] : undefined)
  return known === undefined ? cause : new Error(`${known} (${code === "" ? "" : `${code}: `}${text})`, { cause })
}

/** A failure of SQLite or the file system, as the ledger's. */
export const ledgerError = (file: string, doing: string) => (cause: unknown): LedgerError =>
  cause instanceof LedgerError ? cause : new LedgerError({ file, doing, cause: inWords(cause) })

/** Runs synchronous work on the ledger's file. */
export const attempt = <A>(file: string, doing: string, work: () => A): Effect.Effect<A, LedgerError> =>
  Effect.try({ try: work, catch: ledgerError(file, doing) })
