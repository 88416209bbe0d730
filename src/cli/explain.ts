import { Cause, type Context, Effect, Either, LogLevel } from "effect"
import { commandLine } from "../domain/shell.ts"
import { type Failure, statusOf } from "./Failure.ts"
import { commandFor, Invocation, sameCommand, sameCommandWith } from "./Invocation.ts"
import type { LogDetails } from "./log.ts"
import { Output } from "./Output.ts"
import { type Screen, wrapToWidth } from "./terminal/screen.ts"

/** How a command or one of its pipelines ended. */
export interface Ended {
  readonly status: number
  /** The command to run next; undefined if nothing is left to do. */
  readonly next: string | undefined
}

type Asked = Context.Tag.Service<typeof Invocation>

/** Says on stderr why a command ended early, with `--json` also on stdout. Returns the exit code and the command to run next. */
export const explain = (cause: Cause.Cause<Failure>, pipeline?: string) =>
  Effect.gen(function*() {
    const output = yield* Output
    const invocation = yield* Invocation
    const failure = Cause.failureOrCause(cause)
    const about = pipeline === undefined ? invocation.pipelines : [pipeline]
    if (Either.isRight(failure)) {
      const text = defectText(failure.right, invocation)
      output.say(text, asError({ pipeline, error: "Defect", exitCode: 70 }))
      const next = commandFor(invocation, ["status", "--verify"])
      yield* asJson(invocation, { status: 70, pipeline, error: "Defect", message: text })
      return { status: 70, next }
    }
    const error = failure.left
    if (error._tag === "CommandEnded") return { status: error.status, next: error.next }
    const status = statusOf[error._tag]
    const { showDiagnostics } = yield* Effect.promise(() => import("./terminal/diagnostics.ts"))
    output.say(
      error._tag === "ConfigurationInvalid"
        ? showDiagnostics(error.diagnostics, output.err)
        : paragraphs(messageOf(error), output.err),
      asError({ pipeline, error: error._tag, exitCode: status }),
    )
    yield* asJson(invocation, {
      status,
      pipeline,
      error: error._tag,
      message: messageOf(error),
      ...(error._tag === "ConfigurationInvalid" ? { diagnostics: error.diagnostics } : {}),
    })
    return { status, next: nextCommand(error, invocation, about) }
  })

/** Returns the details of a failure for a JSON or logfmt log. */
const asError = (
  { pipeline, ...about }: { readonly pipeline: string | undefined; readonly error: string; readonly exitCode: number },
): LogDetails => ({
  level: "ERROR",
  annotations: pipeline === undefined ? about : { pipeline, ...about },
  own: true,
})

/** Writes the command to run next, the last line on stderr for every exit code but 0. Leaves out the command that just failed: it would fail again. */
export const printNext = ({ status, next }: Ended) =>
  Effect.gen(function*() {
    const output = yield* Output
    const isInterrupted = status === 130 || status === 143
    if (status === 0 || next === undefined || (next === sameCommand(yield* Invocation) && !isInterrupted)) return
    output.say(next)
  })

const asJson = (
  invocation: Asked,
  event: {
    readonly status: number
    readonly pipeline: string | undefined
    readonly error: string
    readonly message: string
    readonly diagnostics?: unknown
  },
) => {
  const { status, ...rest } = event
  return Effect.flatMap(Output, (output) =>
    invocation.json
      ? output.print(JSON.stringify({ event: "failed", exitCode: status, ...rest }))
      : Effect.void)
}

/** Wraps each line of a message. */
const paragraphs = (text: string, screen: Screen): string =>
  text.split("\n").flatMap((line) => wrapToWidth(line, screen.width)).join("\n")

const messageOf = (error: Exclude<Failure, { readonly _tag: "CommandEnded" }>) =>
  error._tag === "QuitException" ? "Interrupted." : error.message

const defectText = (cause: Cause.Cause<never>, { logLevel }: Asked): string => {
  if (LogLevel.lessThanEqual(logLevel, LogLevel.Debug)) return Cause.pretty(cause, { renderErrorCause: true })
  const [error] = Cause.prettyErrors(cause)
  const [first] = (error?.message ?? "the reason is not known").split("\n")
  return `This is a fault in formferry: ${first}. What was sent before stands in the ledger. --log-level debug shows where it happened; please report it.`
}

const nextCommand = (error: Failure, invocation: Asked, names: ReadonlyArray<string>): string | undefined => {
  const command = (...words: ReadonlyArray<string>) => commandFor(invocation, words)
  const again = sameCommand(invocation)
  switch (error._tag) {
    case "UsageWrong":
      return error.lacks === undefined
        ? commandLine([...(invocation.command?.split(" ") ?? []), "--help"])
        : `${again} ${error.lacks}`
    case "ConfigurationInvalid":
    case "SourceError":
    case "ServiceUnusable":
      return isAboutPipelines(invocation) ? command("check", ...names) : again
    case "ServiceUnknown":
      return command("check")
    case "PipelineUnknown":
    case "ReportUnreadable":
      return command("status")
    case "ProjectNotFound":
      return "formferry demo"
    case "ConfirmationMissing":
      return sameCommandWith(invocation, "--confirm", [error.service])
    // The run is done and has its report.
    case "OutputLost":
      return invocation.command === "run" || invocation.command === "rehearse" || invocation.command === "reconcile"
        ? command("report", ...names.slice(0, 1))
        : undefined
    case "NothingScheduled":
      return "formferry schema pipeline"
    case "ScheduleUnconfirmed":
      return sameCommandWith(invocation, "--confirm", [...error.confirmed, ...error.services])
    case "TargetUnknown":
      return error.known[0] === undefined
        ? again
        : sameCommandWith(invocation, "--to", [error.known[0]])
    case "NothingAcknowledged":
    case "NothingToAccept":
    case "NothingSettled":
    case "LedgerLocked":
    case "LedgerBusy":
    case "LedgerOvertaken":
      return command("status", ...names)
    case "LedgerRefused":
    case "LedgerError":
    case "OutcomeUnrecorded":
      return command("status", ...names, "--verify")
    case "InitRefused":
      return "formferry init --help"
    case "PracticeFormsMissing":
      return sameCommandWith(invocation, "--forms", ["DIR"])
    default:
      return again
  }
}

/** Whether `check` helps with what a command could not read. */
const isAboutPipelines = ({ command }: Asked): boolean =>
  command !== "form" && command !== "practice" && command !== "schema" && command !== "demo" && command !== "init"
  && command !== "inspect"
