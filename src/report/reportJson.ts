import type { RunReport } from "../domain/run.ts"

/** The fields of report.json: those of product.md ("What a run leaves") first and in their order, then what was added. */
const order: ReadonlyArray<keyof RunReport> = [
  "pipeline",
  "run",
  "mode",
  "form",
  "startedAt",
  "finishedAt",
  "outcome",
  "exitCode",
  "ledger",
  "acknowledged",
  "sources",
  "rows",
  "readBack",
  "balance",
  "requests",
  "problems",
  "differences",
  "discarded",
  "values",
  "because",
  "next",
  "findings",
  "normalised",
  "inDoubt",
  "settled",
  "replaced",
  "vanished",
  "unchangedSince",
  "anomalies",
  "sent",
  "questions",
  "unanswered",
  "columns",
  "pace",
  "warnings",
  "versions",
  "fingerprints",
]

/** report.json: always in the same order. A field without a value is null, so that every field is always there. */
export const reportJson = (report: RunReport, indent = 2): string => {
  const rest = Object.fromEntries(Object.entries(report).filter(([name]) => !order.includes(name as keyof RunReport)))
  const ordered = { ...Object.fromEntries(order.map((name) => [name, report[name]])), ...rest }
  return JSON.stringify(ordered, (_, value: unknown) => value ?? null, indent)
}
