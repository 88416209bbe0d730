import type { QuitException } from "@effect/platform/Terminal"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as LogLevel from "effect/LogLevel"
import { exits, wasInterrupted } from "../domain/exit.ts"
import { commandLine } from "../domain/shell.ts"
import { messageOf, reasonOf } from "../domain/systemErrors.ts"
import { afterDefect, type AttemptFailure, exitStatus } from "../jobs/attempt.ts"
import type { DemonstrationMissing } from "../jobs/demo.ts"
import type { PracticeFormsMissing } from "../jobs/practice.ts"
import type { ScheduleUnconfirmed } from "../jobs/schedule.ts"
import type { LedgerBusy } from "../ledger/errors.ts"
import { disk } from "../project/disk.ts"
import { commandFor, Invocation, sameCommand, sameCommandWith } from "./Invocation.ts"
import { Output, type OutputLost } from "./Output.ts"
import { showDiagnostics } from "./terminal/diagnostics.ts"
import { paints, wrapToWidth } from "./terminal/screen.ts"

/** How a command or one of its pipelines ended. */
export interface Ended {
  readonly status: number
  /** The command to run next; undefined if nothing is left to do. */
  readonly next: string | undefined
}

/** A command did its work and reported the result. It exits with this code. */
export class CommandEnded extends Data.TaggedError("CommandEnded")<Ended> {}

/** The command line can't be read, or asks for something impossible (exit code 2). */
export class UsageWrong extends Data.TaggedError("UsageWrong")<{
  readonly message: string
  /** An option that makes the same command work. */
  readonly lacks?: string
  /** The help to show above the message. */
  readonly help?: string
}> {}

/** Returns the failure of a command line that asks for something impossible. */
export const wrong = (message: string): UsageWrong => new UsageWrong({ message })

/** Fails if a new file can't be written: because it exists, or because of its folder. */
export const requireNew = (file: string) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    if (yield* fs.exists(file)) return yield* wrong(`${file} already exists. Choose a different name.`)
    const folder = path.dirname(file)
    yield* Effect.mapError(
      fs.access(folder, { writable: true }),
      (error) => wrong(`The folder ${folder} can't be written to: ${reasonOf(error)}. Choose a different one.`),
    )
  })

export type Failure =
  | CommandEnded
  | UsageWrong
  | OutputLost
  | QuitException
  | AttemptFailure
  | ScheduleUnconfirmed
  | PracticeFormsMissing
  | DemonstrationMissing
  | LedgerBusy

/** The exit code of each failure. `CommandEnded` has its own. */
export const statusOf: { readonly [T in Exclude<Failure["_tag"], "CommandEnded">]: number } = {
  ...exitStatus,
  UsageWrong: exits.wrong.code,
  ScheduleUnconfirmed: exits.wrong.code,
  PracticeFormsMissing: exits.wrong.code,
  LedgerBusy: exits.busy.code,
  OutputLost: exits.internalError.code,
  DemonstrationMissing: exits.internalError.code,
  // Ctrl-C while a question is being asked.
  QuitException: exits.interrupted.code,
}

type Invoked = Context.Tag.Service<typeof Invocation>

/** The commands that only read the ledger. */
const readers = ["status", "report", "check", "ledger export"]

const isBusy = (error: Failure): boolean => error._tag === "LedgerError" && error.isBusy === true

/** Reports on stderr why a command ended early; with `--json`, also on stdout. Returns the exit code and the command to run next. */
export const explain = (cause: Cause.Cause<Failure>, pipeline?: string) =>
  Effect.gen(function*() {
    const output = yield* Output
    const invocation = yield* Invocation
    const failure = Cause.failureOrCause(cause)
    const error = Either.isLeft(failure) ? failure.left : undefined
    if (error?._tag === "CommandEnded") return { status: error.status, next: error.next }

    const exitCode = error === undefined
      ? exits.internalError.code
      : isBusy(error) && readers.includes(invocation.command ?? "")
      ? exits.busy.code
      : statusOf[error._tag]
    const message = Either.isLeft(failure) ? sentenceOf(failure.left) : defectText(failure.right, invocation)
    const diagnostics = error?._tag === "ConfigurationInvalid" ? error.diagnostics : undefined
    const named = { ...(pipeline === undefined ? {} : { pipeline }), error: nameOf(error) }
    const shown = diagnostics !== undefined
      ? showDiagnostics(diagnostics, output.err)
      : error === undefined
      ? message
      : message.split("\n").flatMap((line) => wrapToWidth(line, output.err.width)).join("\n")
    if (error?._tag === "UsageWrong" && error.help !== undefined) output.say(`${error.help}\n`)
    output.say(shown, { level: "ERROR", annotations: { ...named, exitCode }, own: true })
    if (invocation.json) {
      yield* output.print(JSON.stringify({ event: "failed", exitCode, ...named, message, diagnostics }))
    }
    if (invocation.github && pipeline !== undefined) {
      const { summarizeRun } = yield* Effect.promise(() => import("./github.ts"))
      yield* summarizeRun({ pipeline, exitCode, error: named.error })
    }
    const pipelines = pipeline === undefined ? invocation.pipelines : [pipeline]
    const next = error === undefined
      ? commandFor(invocation, ["status", "--verify"])
      : nextCommand(error, invocation, pipelines)
    return { status: exitCode, next }
  })

/** Writes a command to run next to stderr. It has a label only in a terminal, because scripts read this line. */
export const sayNext = (output: Context.Tag.Service<typeof Output>, next: string): void =>
  output.say(output.interactive && !output.timed ? `${paints(output.err).soft("Next:")} ${next}` : next)

/** Writes the command to run next as the last line on stderr, unless the exit code is 0. Omits the command that just failed, because it would fail again. */
export const printNext = ({ status, next }: Ended) =>
  Effect.gen(function*() {
    const output = yield* Output
    const isInterrupted = wasInterrupted(status)
    if (
      status === exits.complete.code || next === undefined
      || (next === sameCommand(yield* Invocation) && !isInterrupted)
    ) return
    sayNext(output, next)
  })

const nameOf = (error: Failure | undefined): string =>
  error?._tag === "JobRefused" ? error.code : error?._tag ?? "Defect"

const sentenceOf = (error: Failure): string => error._tag === "QuitException" ? "Interrupted." : messageOf(error)

const defectText = (cause: Cause.Cause<never>, { logLevel }: Invoked): string => {
  if (LogLevel.lessThanEqual(logLevel, LogLevel.Debug)) return Cause.pretty(cause, { renderErrorCause: true })
  const [error] = Cause.prettyErrors(cause)
  const [first] = (error?.message ?? "the reason is not known").split("\n")
  return `This is an internal error of formferry: ${first?.replace(/\.$/, "")}. ${afterDefect}`
}

const nextCommand = (error: Failure, invocation: Invoked, names: ReadonlyArray<string>): string | undefined => {
  const command = (...words: ReadonlyArray<string>) => commandFor(invocation, words)
  const again = sameCommand(invocation)
  switch (error._tag) {
    case "UsageWrong":
      return error.lacks === undefined
        ? commandLine([...(invocation.command?.split(" ") ?? []), "--help"])
        : `${again} ${error.lacks}`
    case "SourceError":
      // `check` reads the pipeline's own source, not the file that another option names.
      return isAboutPipelines(invocation) && !hasSource(invocation) ? command("check", ...names) : again
    case "ServiceUnusable":
      if (error.next !== undefined) return command(...error.next)
      return isAboutPipelines(invocation) ? command("check", ...names) : again
    case "ConfigurationInvalid":
    case "ConnectionUnusable":
      return isAboutPipelines(invocation) ? command("check", ...names) : again
    case "PipelineUnknown":
      return command("status")
    case "ReportUnreadable":
      return command(...(invocation.typed.includes("--run") ? ["report", ...names] : ["status"]))
    case "ProjectNotFound":
      if (error.unreadable !== undefined) return again
      return invocation.command === "studio" ? "formferry studio --demo" : "formferry demo"
    case "ConfirmationMissing":
      return sameCommandWith(invocation, "--confirm", [error.service])
    // The run is done and has its report.
    case "OutputLost":
      return ["run", "rehearse", "reconcile"].includes(invocation.command ?? "")
        ? command("report", ...names.slice(0, 1))
        : undefined
    case "ScheduleUnconfirmed":
      return sameCommandWith(invocation, "--confirm", [...error.confirmed, ...error.services])
    case "TargetUnknown":
      // A guessed target could be one in which nothing should be deleted. `status` lists the targets with their last runs.
      if (invocation.command === "undo") return command("status", ...names)
      return error.known[0] === undefined
        ? again
        : sameCommandWith(invocation, "--to", [error.known[0]])
    case "LedgerLocked":
    case "LedgerBusy":
    case "LedgerOvertaken":
      return command("status", ...names)
    case "JobRefused":
      return error.next === undefined ? again : command(...error.next)
    case "LedgerRefused":
      return error.next && command(...error.next)
    case "LedgerError":
      if (isBusy(error)) return again
      // `status` would fail for the same reason.
      return error.isAtStart || invocation.command === "status" ? undefined : command("status", ...names, "--verify")
    case "OutcomeUnrecorded":
      return command("status", ...names, "--verify")
    case "PracticeFormsMissing":
      return sameCommandWith(invocation, "--forms", ["DIR"])
    default:
      return again
  }
}

const hasSource = ({ typed }: Invoked): boolean => typed.some((word) => /^--(?:source|map|results)(?:=|$)/.test(word))

/** Whether `check` can explain why a command could not read its input. */
const isAboutPipelines = ({ command }: Invoked): boolean =>
  !["form", "template", "practice", "schema", "demo", "init", "inspect"].includes(command ?? "")
