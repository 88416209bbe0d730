import type { ProblemCode } from "../domain/problem.ts"
import type { RunReport } from "../domain/run.ts"
import { version } from "../project/version.ts"
import type { Notification } from "./Notification.ts"
import { textOf } from "./sentences.ts"

/** A run that ended without a report, or did not begin. */
export interface Failed {
  readonly pipeline: string
  /** As of `product.md`, "Exit status". */
  readonly exitCode: number
  /** Tag of the error: its message may hold what must not leave. */
  readonly error: string
  /** ISO 8601. */
  readonly at: string
}

const withText = (notification: Omit<Notification, "text">): Notification => ({
  ...notification,
  text: textOf(notification),
})

/** What is told of a run that left a report. */
export const reported = (report: RunReport, anomalies: Notification["anomalies"]): Notification =>
  withText({
    formferry: version,
    event: report.outcome,
    pipeline: report.pipeline,
    run: report.run,
    mode: report.mode,
    outcome: report.outcome,
    exitCode: report.exitCode,
    error: null,
    startedAt: report.startedAt,
    finishedAt: report.finishedAt,
    form: report.form,
    rows: report.rows,
    readBack: report.readBack,
    acknowledged: report.acknowledged,
    problems: problemsOf(report),
    anomalies,
    next: report.next ?? null,
  })

/** By code: a column's name says more than is needed. */
const problemsOf = ({ problems }: RunReport): Notification["problems"] => {
  const counts = new Map<ProblemCode, number>()
  for (const { code, count } of problems) counts.set(code, (counts.get(code) ?? 0) + count)
  return [...counts].map(([code, count]) => ({ code, count })).sort((a, b) => b.count - a.count)
}

const nextAfter = ({ error, exitCode, pipeline }: Failed): string =>
  exitCode === 6
    ? `formferry status ${pipeline}`
    : exitCode === 70 || error === "LedgerRefused"
    ? `formferry status ${pipeline} --verify`
    : `formferry check ${pipeline}`

/** What is told of a run without a report. */
export const failed = (end: Failed): Notification =>
  withText({
    formferry: version,
    event: end.exitCode === 5 ? "unavailable" : "failed",
    pipeline: end.pipeline,
    run: null,
    mode: null,
    outcome: null,
    exitCode: end.exitCode,
    error: end.error,
    startedAt: null,
    finishedAt: end.at,
    form: null,
    rows: null,
    readBack: null,
    acknowledged: 0,
    problems: [],
    anomalies: [],
    next: nextAfter(end),
  })
