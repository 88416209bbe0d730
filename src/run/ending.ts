import { acceptCommand } from "../domain/acceptance.ts"
import { type ExitCode, exitOf, exits } from "../domain/exit.ts"
import { fates, type RowCounts, submissionsIn, type VerdictCounts, verdictWords } from "../domain/fate.ts"
import { reasonPlaceholder } from "../domain/reason.ts"
import type { RequestCounts, RunReport } from "../domain/report.ts"
import type { Outcome } from "../domain/run.ts"
import { commandLine } from "../domain/shell.ts"
import { lasting } from "../domain/times.ts"
import { count, counted, present, titledCounts } from "../domain/words.ts"
import type { Counts, Drift } from "../ledger/standing.ts"
import type { Coverage } from "./history.ts"
import type { RunRequest } from "./RunContext.ts"
import type { Signal, StopReason } from "./Stop.ts"

/**
 * Whether every row read has exactly one fate, and every imported row has one verdict.
 *
 * @param submissions for a reconciliation, the number of submissions that it covers
 */
export const balanceHolds = (rows: RowCounts, readBack: VerdictCounts, submissions = rows.imported): boolean =>
  fates.reduce((sum, fate) => sum + rows[fate], 0) === rows.read
  && readBack.unread >= 0 && submissionsIn(readBack) === submissions

/** The exit code of a process that a signal ended. Supervisors treat 143 as a clean end, so it is also used after a terminal was closed. */
export const statusOfSignal: { readonly [S in Signal]: ExitCode } = {
  SIGINT: exits.interrupted.code,
  SIGTERM: exits.terminated.code,
  SIGHUP: exits.terminated.code,
}

/** What determines how a run ended. */
export interface Ending {
  readonly balanced: boolean
  readonly reasons: ReadonlyArray<StopReason>
  /** The number of unacknowledged rows in doubt, missing, differing or unread, among all rows of the ledger for this pipeline and destination. */
  readonly inDoubt: number
  readonly unproven: number
  /** The number of rows that need review and are not acknowledged. */
  readonly needed: number
  /** Whether there may be rows that no run has read, and no person has accepted that. */
  readonly uncovered: boolean
}

/** Returns the exit code of a run and its outcome. If several apply, the most severe one. */
export const ending = (end: Ending): { readonly exitCode: ExitCode; readonly outcome: Outcome } => {
  const has = (tag: StopReason["_tag"]) => end.reasons.some((reason) => reason._tag === tag)
  const as = ({ code }: { readonly code: ExitCode }, outcome: Outcome) => ({ exitCode: code, outcome })
  if (!end.balanced) return as(exits.internalError, "stopped")
  for (const reason of end.reasons) {
    if (reason._tag === "Interrupted") return { exitCode: statusOfSignal[reason.signal], outcome: "interrupted" }
  }
  if (has("Unconfirmed") || has("Refused")) return as(exits.wrong, "stopped")
  if (has("Overtaken")) return as(exits.busy, "stopped")
  if (has("Unavailable")) return as(exits.unavailable, "unavailable")
  if (has("Protected")) return as(exits.stopped, "stopped")
  if (end.inDoubt > 0 || has("CanaryInDoubt")) return as(exits.unproven, "inDoubt")
  if (end.unproven > 0) return as(exits.unproven, "differing")
  if (end.needed > 0 || end.uncovered) return as(exits.attention, "attention")
  return as(exits.complete, "complete")
}

/** The numbers of submissions that are neither proven nor acknowledged, among all in the ledger for this pipeline and destination. */
export interface Unproven {
  readonly differing: number
  readonly missing: number
  readonly unread: number
  /** The number of verified submissions that were edited later, as found by a reconciliation. */
  readonly edited: number
  readonly gone: number
  /** The number of verified submissions that a reconciliation could not read. */
  readonly unreadable: number
}

export const noDrift: Drift = { edited: 0, gone: 0, acknowledged: { edited: 0, gone: 0 } }

/** @param leftUnread the number of earlier submissions that this run did not have to read */
export const unprovenOf = (
  { acknowledged, verdicts }: Pick<Counts, "acknowledged" | "verdicts">,
  drift: Drift,
  leftUnread: number,
  unreadable: number,
): Unproven => ({
  differing: verdicts.differing - acknowledged.differing,
  missing: verdicts.missing - acknowledged.missing,
  unread: Math.max(0, verdicts.unread - acknowledged.unread - leftUnread),
  edited: drift.edited - drift.acknowledged.edited,
  gone: drift.gone - drift.acknowledged.gone,
  unreadable,
})

/** Returns the number of submissions that are acknowledged but not proven. */
export const acknowledgedOf = ({ acknowledged }: Pick<Counts, "acknowledged">, drift: Drift): number =>
  acknowledged.differing + acknowledged.missing + drift.acknowledged.edited + drift.acknowledged.gone

/** Returns sentences that say why a run ended as it did. */
export const reasonSentences = (
  end: Omit<Ending, "unproven"> & {
    readonly left: Unproven
    readonly rows: RunReport["rows"]
    /** The file that was read instead of the pipeline's source. */
    readonly otherSource: string | undefined
  },
): ReadonlyArray<string> => {
  const { differing, edited, gone, missing, unread, unreadable } = end.left
  const was = (many: number) => (many === 1 ? "was" : "were")
  return present([
    !end.balanced
    && "The counts of this run don't add up. This is an internal error of formferry. Don't trust this run, and please report it.",
    ...end.reasons.flatMap((reason) => {
      switch (reason._tag) {
        case "Interrupted":
          return [`The run was interrupted (${reason.signal}). Requests in flight were finished and recorded.`]
        case "Unconfirmed":
          return [`Sending to ${reason.service} was not confirmed. Nothing was sent.`]
        case "CanaryInDoubt":
          return [
            "All rows of the canary ended in doubt, which proves nothing. The next run starts with different rows.",
          ]
        case "Failed":
          return []
        default:
          return [reason.because]
      }
    }),
    end.inDoubt > 0 && `${counted(end.inDoubt, "row is", "rows are")} in doubt: sent, outcome unknown.`,
    differing > 0 && `${counted(differing, "submission")} came back different from what was sent.`,
    missing > 0 && `${counted(missing, "submission")} can't be found in the service.`,
    edited > 0 && `${counted(edited, "submission")} came back as sent, but ${was(edited)} edited later.`,
    gone > 0 && `${counted(gone, "submission")} came back as sent, but ${was(gone)} deleted later.`,
    unreadable > 0
    && `${counted(unreadable, "submission")} came back as sent, but can't be read now: see imported.csv.`,
    unread > 0
    && `${counted(unread, "submission is", "submissions are")} not read back yet: the next run reads them first.`,
    end.needed > 0 && `${counted(end.needed, "row needs", "rows need")} review: see rejected.csv.`,
    end.uncovered && "There may be rows that no run has read: decide about the warning.",
    end.otherSource !== undefined && end.reasons.length === 0 && end.rows.read === 0
    && `${end.otherSource} has no rows, so nothing was sent.`,
    end.rows.pending > 0 && `${counted(end.rows.pending, "row is", "rows are")} left for the next run.`,
  ])
}

/** Says how to send undone rows again. */
export const resendAdvice = (rows: number): string => {
  const [them, they] = rows === 1 ? ["it", "it"] : ["them", "they"]
  return `To send ${them} again, add --resend-undone to \`run\`, and --source if ${they} came from a fixed file.`
}

/** Returns sentences about changes since earlier runs. These changes did not affect how this run ended. */
export const changeSentences = ({ earlier, repeated, replaced, undone, vanished }: {
  /** The verdicts of earlier submissions that this run read back. */
  readonly earlier: RunReport["readBackEarlier"]
  /** The run that this one repeats. */
  readonly repeated: string | undefined
  readonly replaced: number
  /** The number of rows with the fate `undone`. */
  readonly undone: number
  readonly vanished: RunReport["vanished"]
}): ReadonlyArray<string> => {
  const fresh = vanished === undefined || vanished.fresh === 0
    ? ""
    : vanished.fresh === vanished.count
    ? " since the last run"
    : `, ${count(vanished.fresh)} of them since the last run`
  const readEarlier = titledCounts(verdictWords, { ...earlier, unread: 0 })
  return present([
    readEarlier.length > 0 && `Also read back from earlier runs: ${readEarlier.join(", ")}.`,
    repeated !== undefined && `Nothing changed since run ${repeated}: the source was not read again.`,
    replaced > 0
    && `${
      counted(replaced, "row")
    } changed, and the new content was imported. The earlier submissions stay in the form: see replaced.csv.`,
    undone > 0
    && `${counted(undone, "row is", "rows are")} undone and not sent. ${resendAdvice(undone)}`,
    !(vanished === undefined || vanished.count === 0)
    && `${
      counted(vanished.count, "row that was imported earlier has", "rows that were imported earlier have")
    } left the source${fresh}${repeated === undefined ? ": see vanished.csv" : ""}.`,
  ])
}

/**
 * Returns a sentence about the expected duration of the real run at the service's rate limit, from the number of requests in a rehearsal, which reads
 * submissions one by one. Empty if the duration is short.
 */
export const durationSentences = (
  requests: RequestCounts,
  { canList, requestsPerSecond }: { readonly canList: boolean; readonly requestsPerSecond: number },
): ReadonlyArray<string> => {
  const all = requests.metadata + requests.create + requests.read
  const millis = (all / requestsPerSecond) * 1000
  const takes = `${count(all)} requests, which take ${lasting(millis)} at ${requestsPerSecond} a second.`
  if (millis < 10_000) return []
  return [
    canList
      ? `The run makes up to ${takes} If the service's list shows new submissions soon, the run needs only about a tenth of them.`
      : `The run makes about ${takes}`,
  ]
}

/** A run that has ended. */
interface EndedRun {
  readonly run: Pick<RunRequest, "id" | "mode" | "projectOption" | "target" | "otherSource" | "confirm">
  readonly pipeline: string
  readonly exitCode: ExitCode
  /** Why the run was refused because rows may be known under different keys, if it was. */
  readonly refused?: Extract<StopReason, { readonly _tag: "Refused" }> | undefined
  readonly rows: RowCounts
  /** The number of rows that need review and that can be fixed, because they were not imported before. */
  readonly fixable: number
  readonly inDoubt: number
  /** The number of submissions that came back different, or that the service lacks. */
  readonly wrong: number
  /** The path of the run's rejected.csv. */
  readonly rejected: string
  /** The rows that no run may have read, if nothing else remains to do. */
  readonly coverage: Coverage
}

type Options = Readonly<Record<string, string | true | undefined>>

/** Returns the command to run next, as a shell reads it. It is the last line on stderr for any exit code except 0. It is never the command that failed. */
export const nextCommand = (end: EndedRun): string | undefined => {
  const { coverage, exitCode, fixable, inDoubt, pipeline, refused, rejected, rows, run: { mode, ...run }, wrong } = end
  const to = { "--to": run.target }
  const source = { "--source": run.otherSource }
  const command = (name: string, options: Options = {}, ...more: ReadonlyArray<string>) =>
    commandLine([name, pipeline, ...more], { ...options, "--project": run.projectOption })
  const runAgain = (options: Options = source) => command("run", { ...options, ...to, "--confirm": run.confirm })
  const again = (options: Options = source): string => ({
    run: runAgain(options),
    "dry-run": command("run", { "--dry-run": true, ...options, ...to }),
    rehearsal: command("rehearse", { ...options, ...to }),
    reconcile: command("reconcile", to),
  }[mode])
  // Rows rejected in a rehearsal are fixed in the source, because the ledger does not know them.
  const report = command("report", { "--run": mode === "rehearsal" ? run.id : undefined, "--open": true })
  const settle = command("settle", to)
  const next = exitOf(exitCode)?.next
  if (next !== undefined) {
    const [name, ...options] = next
    return command(name, {}, ...options)
  }
  switch (exitCode) {
    case exits.complete.code:
      return mode === "rehearsal" || (mode !== "reconcile" && rows.pending > 0) ? runAgain() : undefined
    case exits.attention.code:
      if (coverage.unreadFiles !== undefined) return again({ "--source": coverage.unreadFiles.first })
      if (coverage.gap !== undefined) return acceptCommand(pipeline, "gap", run.target, run.projectOption)
      if (mode !== "run") return report
      // If every row is invalid, the cause is the mapping and not the rows.
      if (rows.invalid > 0 && rows.invalid === rows.read - rows.filtered && run.otherSource === undefined) {
        return command("check")
      }
      return fixable > 0
        ? runAgain({ "--source": rejected })
        : command("acknowledge", { "--all": true, ...to, "--because": reasonPlaceholder })
    case exits.wrong.code:
      // The same command would be refused again.
      return refused === undefined ? runAgain() : refused.next ?? report
    case exits.stopped.code:
      return mode === "run" && inDoubt > 0 ? settle : report
    case exits.unproven.code:
      if (mode !== "run" && mode !== "reconcile") return report
      if (inDoubt > 0) return settle
      // If no submission is wrong, only unread ones remain.
      return wrong > 0 || mode === "reconcile" ? report : command("reconcile", to)
    case exits.interrupted.code:
    case exits.terminated.code:
      // Continues the run.
      return again()
    default:
      return report
  }
}
