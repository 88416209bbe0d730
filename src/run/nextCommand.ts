import type { RowCounts } from "../domain/fate.ts"
import type { Mode } from "../domain/run.ts"

interface Ended {
  readonly pipeline: string
  /** The run's id. */
  readonly run: string
  readonly mode: Mode
  readonly exitCode: number
  readonly rows: RowCounts
  readonly inDoubt: number
  readonly unread: number
  /** Path of the run's rejected.csv. */
  readonly rejected: string
}

/** The command to run next (product.md, "Commands": the last line on stderr on anything but 0). */
export const nextCommand = (end: Ended): string | undefined => {
  const { exitCode, mode, pipeline } = end
  switch (exitCode) {
    case 6:
      return `formferry status ${pipeline}`
    case 70:
      return `formferry status ${pipeline} --verify`
    case 0:
      return mode === "rehearsal" ? `formferry run ${pipeline}` : undefined
    case 1:
    case 3:
    case 4:
      return mode === "run" || mode === "dry-run" ? afterRun(end) : look(end)
    default:
      return `formferry ${mode === "reconcile" ? "reconcile" : mode === "rehearsal" ? "rehearse" : "run"} ${pipeline}`
  }
}

const afterRun = (end: Ended): string => {
  const { exitCode, inDoubt, pipeline, rejected, rows, unread } = end
  if (exitCode === 1) {
    return rows.invalid + rows.refused + rows.duplicate > 0
      ? `formferry run ${pipeline} --source ${shellPath(rejected)}`
      : `formferry acknowledge ${pipeline} --all --because "…"`
  }
  return exitCode === 4 && inDoubt === 0 && unread > 0 ? `formferry run ${pipeline}` : look(end)
}

/** What a rehearsal rejects is mended in the source: the ledger knows nothing of it. */
const look = ({ mode, pipeline, run }: Ended): string =>
  `formferry report ${pipeline}${mode === "rehearsal" ? ` --run ${run}` : ""} --open`

/** A path as a POSIX shell reads it back. */
const shellPath = (path: string): string => /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
