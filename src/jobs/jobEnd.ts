// How a check, and a run without a report, ended in words, and what to do next.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { allFindings } from "../domain/diagnostic.ts"
import { exits, nextAfter } from "../domain/exit.ts"
import { type jobWords, outcomeWord } from "../domain/run.ts"
import { commandLine } from "../domain/shell.ts"
import { counted, type Label } from "../domain/words.ts"
import { type AttemptFailure, failureOf } from "./attempt.ts"
import { type CheckOptions, checkProject, checkStatus } from "./check.ts"
import { readyRows } from "./readyRows.ts"

interface FailedJob {
  readonly mode: keyof typeof jobWords
  readonly pipeline: string
  readonly to?: string | undefined
  /** The run whose fixed rows were the source. */
  readonly fixedOf?: string | undefined
}

/** Checks a pipeline. Returns how the check ended, in words. */
export const checked = (root: string, pipeline: string, options: CheckOptions) =>
  Effect.map(checkProject(root, [pipeline], options), (found) => {
    const exitCode = checkStatus(found)
    const diagnostics = allFindings(found)
    const canRun = exitCode === exits.complete.code
    const warnings = canRun && diagnostics.length > 0 ? `: ${counted(diagnostics.length, "warning")}` : ""
    const word: Label = {
      title: `${canRun ? "Can run" : "Can't run"}${warnings}`,
      tone: canRun ? warnings === "" ? "good" : "warn" : "bad",
    }
    const message = found.pipelines.flatMap(({ data, failures, target }) => {
      const sentences = [...failures.map(({ message }) => message), ...data === undefined ? [] : [readyRows(data)]]
      return sentences.length === 0 ? [] : [`${target === undefined ? "" : `${target}: `}${sentences.join(" ")}`]
    }).join("\n")
    // After a failed check, no command helps: a person must fix what was found.
    const next = canRun ? commandLine(["rehearse", pipeline], { "--to": found.pipelines[0]?.target }) : undefined
    return { exitCode, word, next, message, diagnostics }
  })

/** Returns how a job ended that left no report. */
export const failed = (cause: Cause.Cause<AttemptFailure>, job: FailedJob) => {
  const { mode, pipeline } = job
  if (Cause.isInterruptedOnly(cause)) {
    const word = outcomeWord({ outcome: "interrupted" })
    const message = "It was stopped before anything was sent."
    return { exitCode: exits.interrupted.code, word, message, diagnostics: [] }
  }
  const failure = Either.getOrUndefined(Either.flip(Cause.failureOrCause(cause)))
  const { exitCode, message } = failureOf(cause)
  const word: Label = { title: mode === "check" ? "Can't run" : "Failed", tone: "bad" }
  if (failure?._tag === "ConfigurationInvalid") {
    const { diagnostics } = failure
    return { exitCode, word, diagnostics, message: "The pipeline has mistakes. Nothing was sent." }
  }
  const sentence = failure?._tag === "LedgerLocked"
    ? `Another run of ${pipeline} is in progress. ${failure.advice}`
    : message
  return { exitCode, word, message: sentence, next: nextOf(failure, exitCode, job), diagnostics: [] }
}

/** Returns the command to run next after a job that left no report. It is never the command that failed. */
const nextOf = (failure: AttemptFailure | undefined, exitCode: number, { fixedOf, mode, pipeline, to }: FailedJob) => {
  if (failure === undefined) {
    const verb = mode === "rehearsal" ? "rehearse" : mode === "dry-run" ? "run" : mode
    const options = { "--to": to, "--dry-run": mode === "dry-run" || undefined, "--log-level": "debug" }
    // The fixed rows have a different source.
    return fixedOf === undefined ? commandLine([verb, pipeline], options) : undefined
  }
  if ("next" in failure && failure.next !== undefined) return commandLine(failure.next)
  const [command, ...options] = nextAfter(exitCode)
  // No command can restore a ledger.
  const isKnown = failure._tag !== "LedgerRefused" && !(command === "check" && mode === "check")
  return isKnown ? commandLine([command, pipeline, ...options]) : undefined
}
