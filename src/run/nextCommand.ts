import type { RowCounts } from "../domain/fate.ts"
import type { StopReason } from "./Stop.ts"

/** The command to run next (product.md, "Commands": the last line on stderr on anything but 0). */
export const nextCommand = (run: {
  readonly pipeline: string
  readonly exitCode: number
  readonly rows: RowCounts
  readonly inDoubt: number
  readonly unread: number
  readonly reasons: ReadonlyArray<StopReason>
  /** Path of the run's rejected.csv. */
  readonly rejected: string
}): string | undefined => {
  const { pipeline } = run
  const because = '--because "…"'
  switch (run.exitCode) {
    case 0:
      return undefined
    case 1:
      return run.rows.invalid + run.rows.refused + run.rows.duplicate > 0
        ? `formferry run ${pipeline} --source ${shellPath(run.rejected)}`
        : `formferry acknowledge ${pipeline} --all ${because}`
    case 3:
      return `formferry report ${pipeline} --open`
    case 4:
      if (run.inDoubt > 0) return `formferry report ${pipeline} --open`
      return run.unread > 0 ? `formferry run ${pipeline}` : `formferry report ${pipeline} --open`
    case 6:
      return `formferry status ${pipeline}`
    case 70:
      return `formferry status ${pipeline} --verify`
    default:
      return `formferry run ${pipeline}`
  }
}

/** A path as a POSIX shell reads it back. */
const shellPath = (path: string): string => /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
