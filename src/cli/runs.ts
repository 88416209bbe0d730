import * as Path from "@effect/platform/Path"
import type * as Terminal from "@effect/platform/Terminal"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { Diagnostic } from "../domain/diagnostic.ts"
import { exits, mostSevere, wasInterrupted } from "../domain/exit.ts"
import type { Form } from "../domain/form.ts"
import type { ProgressEvent } from "../domain/progress.ts"
import type { RunReport } from "../domain/report.ts"
import { listed } from "../domain/words.ts"
import type { Project } from "../project/Project.ts"
import type { Signal } from "../run/Stop.ts"
import { CommandEnded, type Ended, explain, type Failure } from "./Failure.ts"
import { Invocation } from "./Invocation.ts"
import { Output } from "./Output.ts"
import { Interrupts } from "./runMain.ts"
import { progressOf } from "./terminal/progress.ts"
import { confirm } from "./terminal/prompt.ts"
import { cutToWidth, wrapToWidth } from "./terminal/screen.ts"
import { showSummary } from "./terminal/summary.ts"

/** Takes over the first Ctrl-C while the scope is open, and confirms it on stderr. Returns an effect that waits for the signal. */
export const stopCleanly = Effect.gen(function*() {
  const output = yield* Output
  const interrupts = yield* Interrupts
  yield* interrupts.takeOver
  yield* Effect.forkScoped(Effect.flatMap(interrupts.first, (signal) =>
    Effect.sync(() => {
      const text =
        `${signal}: finishing and recording the requests in flight. A second Ctrl-C or SIGTERM stops at once.`
      output.say(wrapToWidth(text, output.err.width).join("\n"))
    })))
  return interrupts.first
})

/**
 * Returns how to ask for a confirmation while progress is shown. Returns undefined if no one can be asked, or if an option has confirmed a service. Fails
 * if the project has no such service.
 *
 * @param text what will happen, as sentences
 * @param confirmed the value of `--confirm`
 */
export const confirming = <Question>(
  project: Project,
  text: (question: Question) => string,
  confirmed: string | undefined,
) =>
  Effect.gen(function*() {
    const { findService } = yield* Effect.promise(() => import("../jobs/services.ts"))
    if (confirmed !== undefined) yield* findService(project, confirmed)
    const output = yield* Output
    const { json } = yield* Invocation
    if (confirmed !== undefined || json || !output.interactive) return undefined
    const prompts = yield* Effect.context<Terminal.Terminal>()
    return ({ hideProgress, interrupted }: Pick<RunSurroundings, "hideProgress" | "interrupted">) =>
    (question: Question) => {
      // Ctrl-C means no.
      const answer = Effect.orElseSucceed(confirm(`${text(question)} Continue?`), () => false)
      return hideProgress.pipe(
        Effect.zipRight(Effect.raceFirst(answer, Effect.as(interrupted, false))),
        Effect.provide(prompts),
      )
    }
  })

export const formNamed = ({ id, name }: Pick<Form, "id" | "name">): string =>
  `form ${cutToWidth(name, 60)} (${cutToWidth(id, 40)})`

/** Returns how to show warnings: as events with `--json`. Otherwise the summary shows them. */
export const warnings = Effect.map(
  Effect.all([Output, Invocation]),
  ([output, { json }]) => (pipeline: string, found: ReadonlyArray<Diagnostic>): Effect.Effect<void> =>
    json && found.length > 0
      ? output.print(JSON.stringify({ event: "warnings", pipeline, warnings: found }))
      : Effect.void,
)

/** Shows the result of a run: its summary or, with `--json`, its report. Returns its exit code and the command to run next. */
export const showRun = (project: Project, report: RunReport) =>
  Effect.gen(function*() {
    const output = yield* Output
    const invocation = yield* Invocation
    const path = yield* Path.Path
    const folder = path.join(project.reports, report.pipeline, report.run)
    if (invocation.json) {
      const { reportJson } = yield* Effect.promise(() => import("../report/reportFile.ts"))
      yield* output.print(JSON.stringify({ event: "report", ...JSON.parse(reportJson(report)), folder }))
    } else if (invocation.github) {
      const { summarizeRun } = yield* Effect.promise(() => import("./github.ts"))
      yield* summarizeRun(report)
    } else {
      // The summary omits the next command if the exit code is not 0, because the command is then printed last, on stderr. `report NAME` shows the next command of each run.
      const shown = report.exitCode === exits.complete.code ? report : { ...report, next: undefined }
      yield* output.print(showSummary(shown, folder, output.out))
    }
    return { status: report.exitCode, next: report.next }
  })

export interface PipelineEnd extends Ended {
  readonly pipeline: string
}

const withoutName = ({ next, pipeline }: PipelineEnd): string | undefined => next?.replace(` ${pipeline}`, "")

/**
 * Returns how several pipelines ended: the most severe exit code, and the command to run next for the first pipeline with that code. If that command
 * is `check` or `status`, it names every pipeline for which it is the next one.
 *
 * @param otherwise the command to run next if no pipeline has one
 */
export const combinedEnd = (ends: ReadonlyArray<PipelineEnd>, status: number, otherwise?: string): Ended => {
  const worst = ends.find((end) => end.status === status && end.next !== undefined)
  if (worst?.next === undefined) return { status, next: otherwise }
  if (!/^formferry (check|status) /.test(worst.next)) return { status, next: worst.next }
  const names = ends.filter((end) => withoutName(end) === withoutName(worst)).map(({ pipeline }) => ` ${pipeline}`)
  return { status, next: worst.next.replace(` ${worst.pipeline}`, () => names.join("")) }
}

/** Says which of several pipelines did not complete, and which did not run. */
const unfinished = (ends: ReadonlyArray<PipelineEnd>, notRun: ReadonlyArray<string>): string =>
  [
    `Not complete: ${
      listed(
        ends.flatMap(({ pipeline, status }) =>
          status === exits.complete.code ? [] : [`${pipeline} (exit code ${status})`]
        ),
      )
    }.`,
    ...(notRun.length === 0 ? [] : [`Not run: ${listed(notRun)}.`]),
  ].join(" ")

/** Whether the next pipeline may run. False after an internal error, such as a damaged ledger, and after an interrupt. */
const mayContinue = (status: number): boolean => status !== exits.internalError.code && !wasInterrupted(status)

export interface RunSurroundings {
  readonly pipeline: string
  readonly projectOption: string | undefined
  readonly interrupted: Effect.Effect<Signal>
  readonly progress: (event: ProgressEvent) => Effect.Effect<void>
  readonly hideProgress: Effect.Effect<void>
  /** Shows warnings as events with `--json`. Otherwise the summary shows them. */
  readonly warn: (warnings: ReadonlyArray<Diagnostic>) => Effect.Effect<void>
}

/**
 * Runs pipelines one after the other and shows their reports. If a pipeline fails, says why and runs the next one. The first Ctrl-C stops the current
 * run cleanly and starts no other.
 *
 * @param note follows the pipeline's name in the live view
 */
export const runPipelines = <R>(
  project: Project,
  pipelines: ReadonlyArray<string>,
  run: (surroundings: RunSurroundings) => Effect.Effect<RunReport, Failure, R>,
  note = "",
) =>
  Effect.scoped(
    Effect.gen(function*() {
      const output = yield* Output
      const invocation = yield* Invocation
      const interrupted = yield* stopCleanly
      const warn = yield* warnings
      const ends: Array<PipelineEnd> = []
      for (const [index, pipeline] of pipelines.entries()) {
        const progress = yield* progressOf(pipeline, `${pipeline}${note}`)
        const ran = run({
          pipeline,
          projectOption: invocation.project,
          interrupted,
          progress: progress.show,
          hideProgress: progress.done,
          warn: (found) => warn(pipeline, found),
        })
        const exit = yield* Effect.exit(
          Effect.flatMap(Effect.ensuring(ran, progress.done), (report) => showRun(project, report)),
        )
        const end = Exit.isSuccess(exit) ? exit.value : yield* explained(exit.cause, pipeline)
        ends.push({ ...end, pipeline })
        if (index < pipelines.length - 1) {
          if (!mayContinue(end.status)) break
          if (Exit.isSuccess(exit) && !invocation.json) yield* output.print("")
        }
      }
      const status = mostSevere(ends.map((end) => end.status))
      if (status === exits.complete.code) return
      if (pipelines.length > 1 && !invocation.json) {
        output.say(wrapToWidth(unfinished(ends, pipelines.slice(ends.length)), output.err.width).join("\n"))
      }
      return yield* new CommandEnded(combinedEnd(ends, status))
    }),
  )

const explained = (cause: Cause.Cause<Failure>, pipeline: string) =>
  Option.match(Cause.interruptOption(cause), {
    onNone: () => explain(cause, pipeline),
    onSome: () => Cause.isInterruptedOnly(cause) ? Effect.failCause(cause) : explain(cause, pipeline),
  })
