// The database behind the ledger: SQLite. To add a database, put a folder with these three functions next to `sqlite/`, make it pass
// test/ledger/*.test.ts, and choose it here.
export { backUpLedger, copyLedger } from "./sqlite/copyLedger.ts"
export { openLedger } from "./sqlite/sqliteLedger.ts"
