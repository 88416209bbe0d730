// The database behind the ledger is SQLite. To use a different one, put a folder with these three functions next to `sqlite/`, and choose it here. The
// ledger's rules are in `sql/`.
export { backUpLedger, copyLedger } from "./sqlite/copyLedger.ts"
export { openLedger } from "./sqlite/sqliteLedger.ts"
