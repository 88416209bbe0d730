import { Path } from "@effect/platform"
import { Cause, Effect, Exit, Option } from "effect"
import type { RunReport } from "../domain/run.ts"
import type { Project } from "../project/Project.ts"
import { gravest } from "../run/exit.ts"
import type { Signal } from "../run/Stop.ts"
import { cleanEnd } from "./cleanEnd.ts"
import { type Ended, explain } from "./explain.ts"
import { CommandEnded, type Failure } from "./Failure.ts"
import { commandFor, Invocation } from "./Invocation.ts"
import { Output } from "./Output.ts"

/** How a run was called, as far as the next command is to be called alike. */
export interface Called {
  readonly to: string | undefined
  readonly confirm?: string | undefined
  readonly source?: string | undefined
}

/** Shows the end of a run: its summary, or with `--json` its report. Gives its exit status and the command to run next. */
export const showRun = (project: Project, report: RunReport, called: Called) =>
  Effect.gen(function*() {
    const output = yield* Output
    const invocation = yield* Invocation
    const path = yield* Path.Path
    const folder = path.join(project.reports, report.pipeline, report.run)
    const next = nextOf(report, called, invocation)
    const told = { ...report, next }
    if (invocation.json) {
      const { reportJson } = yield* Effect.promise(() => import("../report/reportJson.ts"))
      yield* output.print(JSON.stringify({ event: "report", ...JSON.parse(reportJson(told)), folder }))
    } else {
      const { showSummary } = yield* Effect.promise(() => import("./show/summary.ts"))
      yield* output.print(showSummary(told, folder, output.out))
    }
    return { status: report.exitCode, next }
  })

/** The command to run next, completed. */
export const nextOf = (
  report: Pick<RunReport, "next">,
  called: Called,
  invocation: { readonly project: string | undefined },
): string | undefined => report.next === undefined ? undefined : completed(report.next, called, invocation)

/** A report's next command does not know how the run was called: the same target, source, confirmation and project go with it. */
const completed = (
  next: string,
  { confirm, source, to }: Called,
  invocation: { readonly project: string | undefined },
): string => {
  const command = next.split(" ")[1] ?? ""
  const option = (name: string, value: string | undefined, ...commands: ReadonlyArray<string>) =>
    value === undefined || !commands.includes(command) || next.includes(` ${name} `) ? [] : [name, value]
  const more = [
    ...option("--source", source, "run", "rehearse"),
    ...option("--to", to, "run", "rehearse", "reconcile", "acknowledge"),
    ...option("--confirm", confirm, "run"),
  ]
  return `${next}${commandFor(invocation, more).slice("formferry".length)}`
}

/** Once the balance is broken, or the ledger, no other pipeline may go on with it. */
const goesOn = (status: number): boolean => status !== 70 && status !== 130 && status !== 143

/**
 * Runs something for several pipelines, one after the other. One that fails is explained and the next goes on; the command ends with the gravest exit status and its
 * command to run next. The first Ctrl-C ends the run that is going on cleanly, and begins no other.
 */
export const oneByOne = <R>(
  pipelines: ReadonlyArray<string>,
  run: (pipeline: string, interrupted: Effect.Effect<Signal>) => Effect.Effect<Ended, Failure, R>,
) =>
  Effect.scoped(
    Effect.gen(function*() {
      const output = yield* Output
      const interrupted = yield* cleanEnd
      const ends: Array<Ended> = []
      for (const [index, pipeline] of pipelines.entries()) {
        const exit = yield* Effect.exit(run(pipeline, interrupted))
        const end = Exit.isSuccess(exit) ? exit.value : yield* explained(exit.cause, pipeline)
        ends.push(end)
        if (index < pipelines.length - 1) {
          if (!goesOn(end.status)) break
          if (Exit.isSuccess(exit)) yield* output.print("")
        }
      }
      const status = gravest(ends.map((end) => end.status))
      if (status === 0) return
      return yield* new CommandEnded({ status, next: ends.find((end) => end.status === status)?.next })
    }),
  )

const explained = (cause: Cause.Cause<Failure>, pipeline: string) =>
  Option.match(Cause.interruptOption(cause), {
    onNone: () => explain(cause, pipeline),
    onSome: () => Cause.isInterruptedOnly(cause) ? Effect.failCause(cause) : explain(cause, pipeline),
  })
