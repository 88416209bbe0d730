import type { StopLimit } from "../project/Pipeline.ts"
import type { Review } from "./review.ts"
import type { RunContext } from "./RunContext.ts"
import type { Survey } from "./survey.ts"

/** What a limit of `stopWhen` is held against: so many rows, of so many. */
export interface Amount {
  readonly rows: number
  readonly of: number
  /** What `of` counts, for people. */
  readonly among: string
}

/** A sentence when a limit is passed. A share counts only from `atLeast` rows on, so that a few rows decide nothing. */
export const overLimit = (what: string, limit: StopLimit, amount: Amount): string | undefined => {
  if ("rows" in limit) {
    return amount.rows > limit.rows
      ? `${amount.rows} rows are ${what}, more than stopWhen allows (${limit.rows}).`
      : undefined
  }
  if (amount.of < limit.atLeast || amount.rows <= limit.share * amount.of) return undefined
  return `${amount.rows} of ${amount.of} ${amount.among} are ${what} (${percent(amount.rows / amount.of)}), `
    + `more than stopWhen allows (${percent(limit.share)}).`
}

const percent = (share: number): string => `${Number((share * 100).toFixed(1))}%`

/** Looks at what the survey found, before anything is sent: the sentence of the first limit that is passed. */
export const surveyLimits = (run: RunContext, survey: Survey, review: Review): string | undefined => {
  const { stopWhen } = run.pipeline.sink
  const { fates } = survey
  const changed = fates.count("changed") + fates.markedRows
  const known = fates.count("alreadyImported") + changed
  const fresh = fates.count("pending") - fates.markedRows + review.newlyInvalid
  return overLimit("new", stopWhen.new, {
    rows: fresh,
    of: survey.read - fates.count("filtered"),
    among: "rows read",
  })
    ?? overLimit("changed", stopWhen.changed, {
      // What a person has mended is meant to be other than it was.
      rows: run.mended ? 0 : changed,
      of: known,
      among: "rows that were imported before",
    })
    ?? overLimit("invalid", stopWhen.invalid, {
      rows: review.newlyInvalid,
      of: fresh,
      among: "rows that are new in this run",
    })
}
