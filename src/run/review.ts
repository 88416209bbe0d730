import { Effect, Stream } from "effect"
import type { LedgerError, LedgerOvertaken } from "../ledger/Ledger.ts"
import type { AttentionRow } from "../ledger/records.ts"
import type { RejectedRow } from "../report/csvFiles.ts"
import type { ReportError } from "../report/partFiles.ts"
import { columnNames } from "./content.ts"
import type { RunContext } from "./RunContext.ts"
import type { Survey } from "./survey.ts"
import type { Tally } from "./Tally.ts"

/** What the rejected rows of a survey mean for people. */
export interface Review {
  /** Rows that need a person and that nobody has acknowledged. */
  readonly needed: number
  readonly acknowledged: number
  /** Invalid rows that no earlier run has shown. */
  readonly newlyInvalid: number
}

/** Goes through the rows that the survey rejected, now that their fates are final: counts their problems, and records those that need a person. */
export const review = (
  run: RunContext,
  survey: Survey,
  tally: Tally,
): Effect.Effect<Review, ReportError | LedgerError | LedgerOvertaken> =>
  Effect.gen(function*() {
    let needed = 0
    let acknowledged = 0
    let newlyInvalid = 0
    const attentionOf = attentionRow(run)
    yield* Stream.runForEach(run.folder.rejected(survey.fateOf), (rows) =>
      Effect.gen(function*() {
        for (const row of rows) for (const problem of row.problems) tally.problem(row.row, problem)
        const attention = rows.filter((row) => !row.quiet).map(attentionOf)
        if (attention.length === 0) return
        const standings = yield* run.view.attended(attention)
        attention.forEach((row, index) => {
          if (standings[index] === "acknowledged") acknowledged++
          else needed++
          if (standings[index] === "new" && row.fate === "invalid") newlyInvalid++
        })
        if (run.session !== undefined && !run.stop.requested()) yield* run.session.attention(attention)
      }))
    return { needed, acknowledged, newlyInvalid }
  })

/** A rejected row as the ledger remembers it: by its key, or by its content when it has none. */
export const attentionRow = (run: RunContext): (row: RejectedRow) => AttentionRow => {
  const names = columnNames(run.columns)
  const positions = [...run.shape].sort().map((name) => names.indexOf(name))
  return (row) => ({
    keyDigest: row.key === undefined ? undefined : run.ledger.digest.key(row.key),
    key: row.key,
    row: row.row,
    content: run.ledger.digest.content(positions.map((position) => row.cells[position] ?? "")),
    fate: row.fate,
    problems: row.problems,
  })
}
