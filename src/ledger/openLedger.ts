// The database behind the ledger: SQLite. Another one is a folder next to `sqlite/` with these three functions, which passes test/ledger/*.test.ts, and a choice here.
export { backUpLedger, copyLedger } from "./sqlite/copyLedger.ts"
export { openLedger } from "./sqlite/sqliteLedger.ts"
