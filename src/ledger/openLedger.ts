// The database behind the ledger: SQLite. To add one: a folder next to `sqlite/` with these functions, which passes the suites of test/ledger, and a choice here.
export { backUpLedger, copyLedger } from "./sqlite/copyLedger.ts"
export { openLedger } from "./sqlite/sqliteLedger.ts"
export type { LedgerOptions } from "./sqlite/Store.ts"
