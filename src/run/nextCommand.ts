import type { AcceptReason } from "../domain/acceptance.ts"
import type { RowCounts } from "../domain/fate.ts"
import type { Mode } from "../domain/run.ts"
import { commandLine } from "../domain/shell.ts"

/** What goes along from the command that a run was started with to the one that follows it. */
export interface Carried {
  /** `--project`, as it was typed. */
  readonly project: string | undefined
  /** The target's name. */
  readonly to: string | undefined
  /** The file of `--source`. */
  readonly source: string | undefined
  /** The service that sending has to be confirmed for. */
  readonly confirm: string | undefined
}

interface Ended {
  readonly pipeline: string
  /** The run's id. */
  readonly run: string
  readonly mode: Mode
  readonly exitCode: number
  /** Whether the run was refused because rows may be known under other keys. */
  readonly refused?: boolean
  readonly rows: RowCounts
  readonly inDoubt: number
  /** Submissions that came back different, or that the service doesn't have. */
  readonly wrong: number
  /** Path of the run's rejected.csv. */
  readonly rejected: string
  /** What a person has to accept, if that is all that is left to do. */
  readonly accepts: AcceptReason | undefined
  readonly carried: Carried
}

/** Returns the command to run next (product.md, "Commands": the last line on stderr for any code but 0), as a shell reads it. It never is the one that failed. */
export const nextCommand = (end: Ended): string | undefined => {
  const { carried, exitCode, mode, pipeline } = end
  const { confirm, to } = carried
  /** A command for this pipeline with the options that it takes. */
  const command = (name: string, options: Readonly<Record<string, string | true | undefined>> = {}) =>
    commandLine([name, pipeline], { ...options, "--project": carried.project })
  const run = (source = carried.source) => command("run", { "--source": source, "--to": to, "--confirm": confirm })
  // What a rehearsal rejects is fixed in the source: the ledger knows nothing of it.
  const report = command("report", { "--run": mode === "rehearsal" ? end.run : undefined, "--open": true })
  switch (exitCode) {
    case 0:
      return mode === "rehearsal" ? run() : undefined
    case 1: {
      const { duplicate, invalid, refused } = end.rows
      if (end.accepts !== undefined) {
        return commandLine(["accept", pipeline, end.accepts], {
          "--to": to,
          "--because": "…",
          "--project": carried.project,
        })
      }
      return mode !== "run"
        ? report
        : invalid + refused + duplicate > 0
        ? run(end.rejected)
        : command("acknowledge", { "--all": true, "--to": to, "--because": "…" })
    }
    case 2:
      // The same command would be refused again.
      return end.refused ? report : run()
    case 3:
      return report
    case 4:
      return mode !== "run" && mode !== "reconcile"
        ? report
        : end.inDoubt > 0
        ? command("settle", { "--to": to })
        : end.wrong > 0 || mode === "reconcile"
        ? report
        // Nothing but unread submissions is left.
        : command("reconcile", { "--to": to })
    case 5:
      return command("check")
    case 6:
      return command("status")
    case 70:
      return command("status", { "--verify": true })
    default:
      return interrupted(mode, run(), command, carried)
  }
}

/** What goes on with an interrupted run. */
const interrupted = (
  mode: Mode,
  run: string,
  command: (name: string, options: Readonly<Record<string, string | true | undefined>>) => string,
  { source, to }: Carried,
): string => {
  switch (mode) {
    case "run":
      return run
    case "dry-run":
      return command("run", { "--dry-run": true, "--source": source, "--to": to })
    case "rehearsal":
      return command("rehearse", { "--source": source, "--to": to })
    case "reconcile":
      return command("reconcile", { "--to": to })
  }
}
