import type { AnomalyCode } from "../domain/anomaly.ts"
import { exitOf, exits, nextAfter } from "../domain/exit.ts"
import { fateWords, type RowCounts, type VerdictCounts, verdictWords } from "../domain/fate.ts"
import type { ProblemCode } from "../domain/problem.ts"
import type { RunReport } from "../domain/report.ts"
import { type Mode, modeWords, type Outcome, outcomeWord } from "../domain/run.ts"
import { commandLine } from "../domain/shell.ts"
import { count, oneLine, titledCounts } from "../domain/words.ts"
import type { Notice } from "../project/Project.ts"
import { version } from "../project/version.ts"

/**
 * The body that a webhook receives (docs/monitoring.md). Members may be added, but none of these will be removed. It contains only counts, codes, the
 * names of the project and of the form, and sentences about anomalies. It contains no row key, cell or answer, and no message of a service.
 */
export interface Notification {
  /** The version of formferry. */
  readonly formferry: string
  /** The outcome of the run, or `failed`. */
  readonly event: Notice
  readonly pipeline: string
  /** Null if a run wrote no report, or did not start. */
  readonly run: string | null
  readonly mode: Mode | null
  readonly outcome: Outcome | null
  readonly exitCode: number
  /** The error's name if there is no report. */
  readonly error: string | null
  /** ISO 8601, in UTC. */
  readonly startedAt: string | null
  readonly finishedAt: string
  readonly form: { readonly service: string; readonly id: string; readonly name: string } | null
  readonly rows: RowCounts | null
  readonly readBack: VerdictCounts | null
  readonly acknowledged: number
  /** The number of the run's rows that need review. */
  readonly needReview: number | null
  /** The number of rows with each problem, by the problem's code. */
  readonly problems: ReadonlyArray<{ readonly code: ProblemCode; readonly count: number }>
  /** Differences from past runs. `new` is true if this webhook has not received the anomaly yet. */
  readonly anomalies: ReadonlyArray<{ readonly code: AnomalyCode; readonly message: string; readonly new: boolean }>
  /** The command to run next. */
  readonly next: string | null
  /** All of this as readable text, with the markup of Slack's webhooks. */
  readonly text: string
}

/** A run that ended without a report or did not start. */
export interface Failed {
  readonly pipeline: string
  readonly exitCode: number
  /** Tag of the error. The error's message is not sent, because it may contain text that must not be. */
  readonly error: string
  /** ISO 8601. */
  readonly at: string
}

/** Returns the notification of a run that wrote a report. */
export const reported = (report: RunReport, anomalies: Notification["anomalies"]): Notification => {
  const { acknowledged, exitCode, finishedAt, form, mode, outcome, pipeline, readBack, rows, run, startedAt } = report
  const { needReview = null } = report
  // Counts by code only, because a column's name would reveal more than is needed.
  const problems = new Map<ProblemCode, number>()
  for (const { code, count: rows } of report.problems) problems.set(code, (problems.get(code) ?? 0) + rows)
  return withText({
    formferry: version,
    event: outcome,
    pipeline,
    run,
    mode,
    outcome,
    exitCode,
    error: null,
    startedAt,
    finishedAt,
    form,
    rows,
    readBack,
    acknowledged,
    needReview,
    problems: [...problems].map(([code, count]) => ({ code, count })).sort((a, b) => b.count - a.count),
    anomalies,
    next: report.next ?? null,
  })
}

/** Returns the notification of a run without a report. */
export const failed = ({ at, error, exitCode, pipeline }: Failed): Notification => {
  const [command, ...options] = nextAfter(error === ledgerRefused ? exits.internalError.code : exitCode)
  return withText({
    formferry: version,
    event: exitCode === exits.unavailable.code ? "unavailable" : "failed",
    pipeline,
    run: null,
    mode: null,
    outcome: null,
    exitCode,
    error,
    startedAt: null,
    finishedAt: at,
    form: null,
    rows: null,
    readBack: null,
    acknowledged: 0,
    needReview: null,
    problems: [],
    anomalies: [],
    next: commandLine([command, pipeline, ...options]),
  })
}

/** The only error that needs more explanation than its exit code gives. */
const ledgerRefused = "LedgerRefused"

/** Returns how a run ended, in a sentence or two. */
const endOf = ({ error, exitCode, needReview, outcome }: Omit<Notification, "text">): string => {
  if (outcome !== null) {
    const { meaning, title } = outcomeWord({ outcome, needReview: needReview ?? undefined })
    return `${title}. ${meaning}`
  }
  return error === ledgerRefused
    ? "Failed: its ledger is missing, is not the one that earlier runs wrote, or can't be used. Nothing was sent."
    : `Failed: ${exitOf(exitCode)?.meaning ?? `exit code ${exitCode}`}.`
}

const countLines = ({ problems, readBack, rows }: Omit<Notification, "text">): ReadonlyArray<string> => {
  if (rows === null || readBack === null) return []
  const byFate = titledCounts(fateWords, rows).join(", ")
  const byVerdict = titledCounts(verdictWords, readBack).join(", ")
  const codes = problems.map(({ code, count: rows }) => `${code} ${count(rows)}`).join(", ")
  return [
    ...(byFate === "" ? [] : [`${rows.read === 0 ? "" : `${count(rows.read)} read: `}${byFate}.`]),
    ...(byVerdict === "" ? [] : [`Read back: ${byVerdict}.`]),
    ...(codes === "" ? [] : [`Problems: ${codes}.`]),
  ]
}

/** Escapes characters that are markup in Slack. */
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/**
 * Returns the lines of the readable text, without the command to run next: how the pipeline's run ended, the counts,
 * and the anomalies.
 */
const linesOf = (
  notification: Omit<Notification, "text">,
  { bold, plain }: { readonly bold: string; readonly plain: (text: string) => string },
): ReadonlyArray<string> => {
  const { anomalies, form, mode, pipeline } = notification
  // A line of its own could be a command to GitHub Actions.
  const name = (text: string) => plain(oneLine(text))
  const where = form === null ? "" : ` → ${name(form.name) || name(form.id)} ${name(`(${form.service})`)}`
  const how = mode === "reconcile" ? ", reconciled" : mode === null || mode === "run" ? "" : `, ${modeWords[mode]}`
  return [
    `${bold}${name(pipeline)}${bold}${where}${how}: ${endOf(notification)}`,
    ...countLines(notification),
    ...anomalies.map(({ message, new: fresh }) => `${fresh ? "New: " : "Still: "}${name(message)}`),
  ]
}

/** Adds the readable text to a notification. */
const withText = (notification: Omit<Notification, "text">): Notification => {
  const next = notification.next === null ? [] : [`Next: \`${escaped(notification.next)}\``]
  return { ...notification, text: [...linesOf(notification, { bold: "*", plain: escaped }), ...next].join("\n") }
}

/** Returns the readable text as a paragraph of Markdown, without the command to run next. */
export const markdownOf = (notification: Notification): string =>
  linesOf(notification, { bold: "**", plain: (text) => escaped(text).replaceAll(/[\\`*_[\]|~]/g, "\\$&") }).join("  \n")
