import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { count, counted, percent } from "../domain/words.ts"
import type { AttentionRow } from "../ledger/facts.ts"
import type { StopLimit } from "../project/Pipeline.ts"
import { fewRows } from "../project/sinkSection.ts"
import type { RejectedRow } from "../report/csvFiles.ts"
import { RunFolder } from "../report/RunFolder.ts"
import { contentOfId, coveredColumns } from "./content.ts"
import { CurrentRun, RunLedger, type RunPlan } from "./RunContext.ts"
import { RunCounts } from "./RunCounts.ts"
import { Stop } from "./Stop.ts"
import type { Survey } from "./survey.ts"

/** The rejected rows of a run that need review: those of its survey, and those that the service refused since. */
export interface Review {
  /** The number of rows that need review and are not acknowledged. */
  needed: number
  acknowledged: number
  /** The number of invalid rows that no earlier run has reported. */
  newlyInvalid: number
  /** The numbers of rows for which nothing remains to do: they are acknowledged, or need no review. */
  readonly done: Set<number>
}

/** Adds rows that need review to a review. */
export const addToReview = (review: Review, rows: ReadonlyArray<AttentionRow>) =>
  Effect.gen(function*() {
    const attended = yield* (yield* RunLedger).view.attended(rows)
    rows.forEach(({ fate, row }, index) => {
      if (attended[index] === "acknowledged") {
        review.acknowledged++
        review.done.add(row)
      } else review.needed++
      if (attended[index] === "new" && fate === "invalid") review.newlyInvalid++
    })
  })

/** Counts the problems of the rows that the survey rejected, after their fates are final, and records the rows that need review. */
export const reviewSurvey = (survey: Survey) =>
  Effect.gen(function*() {
    const plan = yield* CurrentRun
    const counts = yield* RunCounts
    // A survey that was stopped has not found every row that needs review.
    const isComplete = !(yield* Stop).requested()
    const attentionOf = attentionRow(plan)
    const review: Review = { needed: 0, acknowledged: 0, newlyInvalid: 0, done: new Set() }
    yield* Stream.runForEach((yield* RunFolder).rejected(survey.rejectedAs), (rows) =>
      Effect.gen(function*() {
        for (const row of rows) for (const problem of row.problems) counts.problem(row.row, problem)
        const attention = rows.filter(({ needsReview }) => needsReview).map(attentionOf)
        for (const { needsReview, row } of rows) if (!needsReview) review.done.add(row)
        if (attention.length === 0) return
        yield* addToReview(review, attention)
        if (isComplete) yield* RunLedger.write((session) => session.recordFacts({ attention }))
      }))
    if (isComplete) yield* RunLedger.write((session) => session.recordFacts({ attention: [] }))
    return review
  })

/** Identifies a rejected row in the ledger by its key and content. Without a key, the content covers every filled cell. */
export const attentionRow = (plan: Pick<RunPlan, "columns" | "shape">) => {
  const columnsOf = coveredColumns(plan)
  return (row: RejectedRow): AttentionRow => ({
    key: row.key,
    row: row.row,
    content: contentOfId(row.id)!,
    columns: columnsOf(row.key),
    fate: row.fate,
  })
}

/**
 * Returns the imported rows that the survey has not seen, which are recorded when the run ends. Undefined if the source is not the pipeline's own or was not read to its end, if only new records
 * were pulled, or if the pipeline ignores vanished rows.
 */
export const vanishedRows = (survey: Survey) =>
  Effect.gen(function*() {
    const { isPartial, ownSource, pipeline } = yield* CurrentRun
    if (!ownSource || isPartial || pipeline.source.vanished === "ignore" || (yield* Stop).requested()) return undefined
    return yield* (yield* RunLedger).view.vanished(survey.seen.marks)
  })

/** The numbers that are compared with a limit of `stopWhen`: the affected rows, and the rows that they are a share of. */
export interface Amount {
  readonly rows: number
  readonly of: number
  /** The words for the rows that `of` counts, in messages. Default: the rows that are new in this run. */
  readonly among?: string
  /** How many rows `of` must count for a share to apply, unless the limit says it. Default: `fewRows`. */
  readonly atLeast?: number
}

/**
 * Returns a sentence if a limit is exceeded. A limit given as a share applies only if there are at least `atLeast`
 * rows, so that a few rows can't exceed it.
 */
export const overLimit = (
  what: string,
  limit: StopLimit,
  { among = "rows that are new in this run", atLeast = fewRows, of, rows }: Amount,
): string | undefined => {
  if ("rows" in limit) {
    return rows > limit.rows
      ? `${counted(rows, "row is", "rows are")} ${what}, more than stopWhen allows (${count(limit.rows)}).`
      : undefined
  }
  if (of < (limit.atLeast ?? atLeast) || rows <= limit.share * of) return undefined
  return `${count(rows)} of ${count(of)} ${among} are ${what} (${percent(rows / of, 3)}), `
    + `more than stopWhen allows (${percent(limit.share, 3)}).`
}

/** Returns a sentence about the first limit of `stopWhen` that the survey exceeds. Called before anything is sent. */
export const surveyLimits = ({ fates, read }: Survey, { newlyInvalid }: Review) =>
  Effect.gen(function*() {
    const { isFixed, isPartial, pipeline: { sink: { stopWhen } } } = yield* CurrentRun
    const replacing = fates.countNoted("replaces")
    const changed = fates.count("changed") + replacing
    const seen = fates.count("alreadyImported") + changed
    const fresh = fates.count("pending") - replacing + newlyInvalid
    // New and edited records are a large share of a pull that contains only these.
    const known = isPartial ? Math.max(seen, (yield* (yield* RunLedger).view.standing).imported) : seen
    const all = read - fates.count("filtered") + known - seen
    return overLimit("new", stopWhen.new, { rows: fresh, of: all, among: isPartial ? "rows known" : "rows read" })
      ?? overLimit("changed", stopWhen.changed, {
        // Rows that a person has fixed are expected to differ from before.
        rows: isFixed ? 0 : changed,
        of: known,
        among: "rows that were imported before",
      })
      ?? overLimit("invalid", stopWhen.invalid, { rows: newlyInvalid, of: fresh })
  })

/** Fails if there is too little free space to record the rows to send. Otherwise, the run would stop halfway. Called before anything is sent. */
export const roomForLedger = ({ fates, files, read }: Survey) =>
  Effect.gen(function*() {
    const { ledger } = yield* RunLedger
    const rows = Math.min((yield* CurrentRun).limit ?? Number.POSITIVE_INFINITY, fates.count("pending"))
    if (rows === 0) return
    const bytes = files.reduce((sum, { file }) => sum + file.bytes, 0)
    yield* ledger.roomFor(rows, read === 0 ? 0 : Math.ceil((bytes / read) * rows))
  })
