// Everything of a ledger in PostgreSQL that is loaded only for projects that use it.
export { copyPostgresLedger, postgresLedgerExists } from "./copy.ts"
export { missingInPostgres } from "./marks.ts"
export { migratePostgres, openPostgresStore } from "./postgresLedger.ts"
export { openRate } from "./rate.ts"
export { openReports } from "./reports.ts"
