// Jobs that use only the ledger and the reports.
export { acceptRefused } from "../../jobs/accept.ts"
export { acknowledge } from "../../jobs/acknowledge.ts"
export { findReport, linkFile, openPage, redactReport } from "../../jobs/report.ts"
export { isoInZone, planSchedule } from "../../jobs/schedules.ts"
export { requireKnownTags, selectPipelines } from "../../jobs/selection.ts"
export { projectStatus } from "../../jobs/status.ts"
export {
  backUp,
  cancelProjectMove,
  compactLedger,
  exportLedger,
  forgetRows,
  migrateLedger,
  moveProject,
  newLedgerKey,
} from "../../jobs/upkeep.ts"
export { newestRuns } from "../../report/pastRuns.ts"
export { reportJson } from "../../report/reportFile.ts"
export { Progress } from "../../run/Progress.ts"
