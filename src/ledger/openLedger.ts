// The database behind the ledger: SQLite. To add one: a folder next to `sqlite/` with these functions that passes test/ledger/*.test.ts, and a choice here.
export { backUpLedger, copyLedger } from "./sqlite/copyLedger.ts"
export { mostLogBytes } from "./sqlite/openDatabase.ts"
export { openLedger } from "./sqlite/sqliteLedger.ts"
export type { LedgerOptions } from "./sqlite/Store.ts"
