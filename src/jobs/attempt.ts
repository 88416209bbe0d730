import { Cause, Clock, DateTime, Effect, Either, Exit } from "effect"
import type { RunReport } from "../domain/report.ts"
import type { Project } from "../project/Project.ts"
import { type AttemptFailure, exitStatus } from "./exitStatus.ts"
import { Notifier, type RunEnd } from "./Notifier.ts"
import { type RunOptions, runPipeline } from "./run.ts"

/** Runs one pipeline, tells the notifier how it ended, and clears old reports away: the one place from which people hear of runs, by hand and by schedule. */
export const attempt = (project: Project, options: RunOptions) =>
  Effect.flatMap(
    Effect.exit(runPipeline(project, options)),
    (exit) =>
      tell(project, options.pipeline, exit).pipe(
        Effect.zipRight(Exit.isSuccess(exit) ? dropReports(project, exit.value) : Effect.void),
        Effect.zipRight(exit),
      ),
  )

/** Removes old reports after a run, as the project says. */
export const dropReports = ({ reports, reportsKept }: Project, { pipeline }: Pick<RunReport, "pipeline">) =>
  Effect.flatMap(
    Effect.promise(() => import("../report/pastRuns.ts")),
    ({ dropOldReports }) => dropOldReports(reports, pipeline, reportsKept),
  )

/** Tells the notifier how a run ended. One that was interrupted before it began has not happened. */
export const tell = (project: Project, pipeline: string, exit: Exit.Exit<RunReport, AttemptFailure>) =>
  Effect.gen(function*() {
    if (Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause)) return
    const notifier = yield* Notifier
    const at = DateTime.formatIso(DateTime.unsafeMake(yield* Clock.currentTimeMillis))
    const end: RunEnd = Exit.isSuccess(exit)
      ? { _tag: "Reported", pipeline, report: exit.value }
      : { _tag: "Failed", pipeline, at, ...reasonOf(exit.cause) }
    yield* notifier.notify(project, end, Exit.isSuccess(exit) ? exit.value.anomalies ?? [] : [])
  })

const reasonOf = (
  cause: Cause.Cause<AttemptFailure>,
): Pick<RunEnd & { _tag: "Failed" }, "exitCode" | "error" | "message"> =>
  Either.match(Cause.failureOrCause(cause), {
    onLeft: (error) => ({ exitCode: exitStatus[error._tag], error: error._tag, message: error.message }),
    // A defect's own words may hold anything: the terminal's log has them.
    onRight: () => ({ exitCode: 70, error: "Defect", message: "This is a fault in formferry." }),
  })

/** The exit status of a run, with a report or without. */
export const statusOfExit = (exit: Exit.Exit<RunReport, AttemptFailure>): number =>
  Exit.isSuccess(exit) ? exit.value.exitCode : reasonOf(exit.cause).exitCode
