import type { PlatformError } from "@effect/platform/Error"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import { exits } from "../domain/exit.ts"
import type { RunReport } from "../domain/report.ts"
import { messageOf } from "../domain/systemErrors.ts"
import { isoOf } from "../domain/times.ts"
import type { loadProject } from "../project/loadProject.ts"
import type { Project } from "../project/Project.ts"
import type { SourceChanged } from "../source/Source.ts"
import type { JobRefused } from "./JobRefused.ts"
import type { RunEnd } from "./notifyWebhooks.ts"
import type { reconcilePipeline } from "./reconcile.ts"
import type { runPipeline } from "./run.ts"

/** A reason why a run, or a check, can end without a report. */
export type AttemptFailure =
  | PlatformError
  | JobRefused
  | SourceChanged
  | Effect.Effect.Error<ReturnType<typeof loadProject>>
  | Effect.Effect.Error<ReturnType<typeof runPipeline>>
  | Effect.Effect.Error<ReturnType<typeof reconcilePipeline>>

export const exitStatus: { readonly [T in AttemptFailure["_tag"]]: number } = {
  ConfigurationInvalid: exits.wrong.code,
  ProjectNotFound: exits.wrong.code,
  JobRefused: exits.wrong.code,
  PipelineUnknown: exits.wrong.code,
  TargetUnknown: exits.wrong.code,
  ConfirmationMissing: exits.wrong.code,
  FormFileInvalid: exits.wrong.code,
  FaultsFileInvalid: exits.wrong.code,
  StoreUnusable: exits.wrong.code,
  PortUnusable: exits.wrong.code,
  SourceError: exits.wrong.code,
  LedgerRefused: exits.wrong.code,
  ReportUnreadable: exits.wrong.code,
  ConnectionUnusable: exits.unavailable.code,
  SourceChanged: exits.unavailable.code,
  ServiceUnusable: exits.unavailable.code,
  LedgerLocked: exits.busy.code,
  LedgerOvertaken: exits.busy.code,
  LedgerError: exits.internalError.code,
  OutcomeUnrecorded: exits.internalError.code,
  ReportError: exits.internalError.code,
  BadArgument: exits.internalError.code,
  SystemError: exits.internalError.code,
}

/** Runs or reconciles a pipeline, notifies webhooks of the result, and removes old reports. */
export const attempt = <R>(project: Project, pipeline: string, work: Effect.Effect<RunReport, AttemptFailure, R>) =>
  Effect.flatMap(
    Effect.exit(work),
    (exit) =>
      notifyEnd(project, pipeline, exit).pipe(
        Effect.zipRight(Exit.isSuccess(exit) ? dropReports(project, exit.value) : Effect.void),
        Effect.zipRight(exit),
      ),
  )

/** Removes the pipeline's oldest reports if there are more than the project keeps. */
export const dropReports = (project: Project, { pipeline, sources }: Pick<RunReport, "pipeline" | "sources">) =>
  Effect.gen(function*() {
    const { reports, reportsKept } = project
    if (reportsKept.runs === undefined && reportsKept.days === undefined) return
    // If the source was not read to its end, it is unknown which report's file a person fixed.
    if (sources.length === 0) return
    const { dropOldReports } = yield* Effect.promise(() => import("../report/pastRuns.ts"))
    const { fetchReports, removeStored } = yield* Effect.promise(() => import("./storedReports.ts"))
    yield* fetchReports(project, pipeline, { newest: Infinity, whole: [] })
    yield* removeStored(
      project,
      pipeline,
      yield* dropOldReports(reports, pipeline, reportsKept, sources.map(({ file }) => file)),
    )
  })

/** Notifies webhooks of the result of a run, unless it was interrupted before it started. */
export const notifyEnd = (project: Project, pipeline: string, exit: Exit.Exit<RunReport, AttemptFailure>) =>
  Effect.gen(function*() {
    if (Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause)) return
    const notifier = yield* Notifier
    const at = isoOf(yield* Clock.currentTimeMillis)
    const end: RunEnd = Exit.isSuccess(exit)
      ? { _tag: "Reported", pipeline, report: exit.value }
      : { _tag: "Failed", pipeline, at, ...failureOf(exit.cause) }
    yield* notifier.notify(project, end)
  })

/** What an internal error means for the data, and what to do. */
export const afterDefect =
  "The ledger has a record of everything that was sent. Run the command with --log-level debug to see where the error happened, and report it."

/** Returns why a run ended without a report. */
export const failureOf = (
  cause: Cause.Cause<AttemptFailure>,
): Pick<RunEnd & { _tag: "Failed" }, "exitCode" | "error" | "message"> =>
  Either.match(Cause.failureOrCause(cause), {
    onLeft: (error) => ({ exitCode: exitStatus[error._tag], error: error._tag, message: messageOf(error) }),
    // The message of a defect may contain data, so it appears only in the terminal's log.
    onRight: () => ({
      exitCode: exits.internalError.code,
      error: "Defect",
      message: `This is an internal error of formferry. ${afterDefect}`,
    }),
  })

export const exitCodeOf = (exit: Exit.Exit<RunReport, AttemptFailure>): number =>
  Exit.isSuccess(exit) ? exit.value.exitCode : failureOf(exit.cause).exitCode

/** Notifies the webhooks of a project. Only attempt.ts uses it, once after each run. */
export class Notifier extends Context.Tag("formferry/Notifier")<Notifier, {
  /** Never fails: an unreachable webhook is logged and doesn't change the run's exit code. */
  readonly notify: (project: Project, end: RunEnd) => Effect.Effect<void>
}>() {
  /**
   * Calls the webhooks over HTTP. Loads the code only if the project has webhooks.
   *
   * @param attended whether a person sees the run in a terminal. If so, webhooks are not notified of a run that fails before its report
   */
  static readonly overHttp = (attended: boolean): Context.Tag.Service<typeof Notifier> => ({
    notify: (project, end) =>
      project.notify.length === 0 || (attended && end._tag === "Failed")
        ? Effect.void
        : Effect.flatMap(
          Effect.promise(() => import("./notifyWebhooks.ts")),
          ({ notifyWebhooks }) => notifyWebhooks(project, end),
        ),
  })
}
