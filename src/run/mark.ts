import * as Effect from "effect/Effect"
import { type Fate, fateWords } from "../domain/fate.ts"
import type { RunReport } from "../domain/report.ts"
import { inZone } from "../domain/times.ts"
import { count, counted, present } from "../domain/words.ts"
import type { PulledUpTo } from "../ledger/facts.ts"
import { isPull } from "../project/sourceSection.ts"
import type { Increment } from "../source/pull/since.ts"
import type { Review } from "./review.ts"
import { CurrentRun, RunLedger } from "./RunContext.ts"
import { Stop } from "./Stop.ts"
import type { Survey } from "./survey.ts"

/** How far records are pulled after a run. */
export interface Mark {
  /** In milliseconds since 1970. Undefined if all records must be pulled. */
  readonly at: number | undefined
  /** The number of the earliest row that is not finished, if the mark would be later without it. */
  readonly heldBy: number | undefined
  /** The number of records whose time can't be read. */
  readonly unreadable: number
}

/**
 * Returns the mark after a run: the newest time, but not later than that of a row that is not finished. It moves back only after a pull of all
 * records. If a time can't be read, it stays. Times after the start of the pull are wrong, and are ignored.
 *
 * @param pull.times the time of each row, in milliseconds since 1970, or NaN
 * @param needsMore whether a row may have to be read again. Row numbers start at 1
 */
export const markAfter = (
  { mark: before, startedAt, times }: Pick<Increment, "mark" | "startedAt" | "times">,
  needsMore: (row: number) => boolean,
): Mark => {
  let newest = Number.NEGATIVE_INFINITY
  let held = Number.POSITIVE_INFINITY
  let heldBy: number | undefined
  let unreadable = 0
  times.forEach((time, at) => {
    if (Number.isNaN(time)) unreadable++
    else if (time <= startedAt && time > newest) newest = time
    if (time < held && needsMore(at + 1)) {
      held = time
      heldBy = at + 1
    }
  })
  if (unreadable > 0) return { at: before, heldBy: undefined, unreadable }
  const next = Math.max(before ?? Number.NEGATIVE_INFINITY, Math.min(newest, held))
  return { at: Number.isFinite(next) ? next : undefined, heldBy: held < newest ? heldBy : undefined, unreadable }
}

/** Fates of rows that are finished, whatever happens to their records. */
const final: ReadonlySet<Fate> = new Set(["imported", "alreadyImported", "undone"])

/** Whether a row of a survey may have to be read again. */
const needsMore = ({ fates }: Survey, { done }: Review, passesSkipped: boolean) => (row: number): boolean => {
  const fate = fates.get(row)
  if (fate === undefined) return true
  if (fate === "filtered") return !passesSkipped && !fates.has(row, "final")
  return !final.has(fate) && !done.has(row)
}

/** The state in which a run's pull started. */
export interface PullStart {
  /** The mark from which records were pulled. Undefined if all were pulled. */
  readonly before: PulledUpTo | undefined
  /** The number of the last batch before this run. */
  readonly upTo: number
}

/**
 * Prepares the ledger for the rows of a source. If a run reads all of them, it deletes the mark, because it may stop after it has sent an old row and before the
 * outcome is known. Returns undefined if the run must not set a mark.
 */
export const startPull = Effect.gen(function*() {
  const { mode, ownSource, source: { increment } } = yield* CurrentRun
  const { view } = yield* RunLedger
  if (mode !== "run" || !ownSource) return undefined
  const { pulled } = yield* view.facts
  const { lastIntent: upTo } = yield* view.counts
  if (increment?.mark === undefined) {
    if (pulled !== undefined) yield* RunLedger.write((session) => session.recordFacts({ pulled: null }))
    return increment && { before: undefined, upTo } satisfies PullStart
  }
  const { mark, selection } = increment
  // A different run may have changed the mark while this one pulled.
  return pulled?.mark === mark && pulled.selection === selection ? { before: pulled, upTo } : undefined
})

/** What a run records about its pull, and sentences about what the next run pulls. Nothing is recorded unless the pull and the run are complete. */
export const pulledUpTo = ({ lastIntent, report: { balance, rows }, review, start, survey, unproven }: {
  readonly start: PullStart | undefined
  readonly survey: Survey | undefined
  readonly review: Review | undefined
  readonly report: Pick<RunReport, "balance" | "rows">
  /** The number of submissions that are not proven. */
  readonly unproven: number
  /** The number of the last batch. */
  readonly lastIntent: number
}) =>
  Effect.gen(function*() {
    const { pipeline, source: { columns, increment, members = [] }, zone } = yield* CurrentRun
    const { view } = yield* RunLedger
    const nothing: { readonly pulled?: PulledUpTo | null; readonly because: ReadonlyArray<string> } = { because: [] }
    if (start === undefined || increment === undefined || survey === undefined || review === undefined) return nothing
    if (!balance.holds || (yield* Stop).requested()) return nothing
    const { before, upTo } = start
    const again = before === undefined ? "pulls all records again" : "pulls these records again"
    if (increment.times.length !== rows.read) {
      const counts = `${counted(increment.times.length, "record was", "records were")} pulled, but ${
        counted(rows.read, "row was", "rows were")
      } read`
      return { because: [`The next run ${again}: ${counts}.`] }
    }
    if (unproven > 0) {
      return {
        because: [`The next run ${again}: ${counted(unproven, "submission is", "submissions are")} not proven.`],
      }
    }
    if (before !== undefined) {
      const unfinished = yield* view.unfinished({ after: before.allUpTo, upTo })
      const lost = unfinished.filter((id) => !survey.seen.marks[id]).length
      if (lost > 0) {
        const were = lost === 1
          ? "1 row that was sent is not finished, and is"
          : `${count(lost)} rows that were sent are not finished, and are`
        return {
          pulled: null,
          because: [`The next run pulls all records: ${were} not among the new records.`],
        }
      }
    }
    const passesSkipped = isPull(pipeline.source.file) && pipeline.source.file.since?.skipped === "pass"
    const { at, heldBy, unreadable } = markAfter(increment, needsMore(survey, review, passesSkipped))
    const held = heldBy === undefined ? undefined : survey.fates.get(heldBy)
    return {
      ...(at === undefined ? {} : {
        pulled: {
          mark: at,
          selection: increment.selection,
          allAt: before?.allAt ?? increment.startedAt,
          allUpTo: before?.allUpTo ?? lastIntent,
          members,
          columns: columns.map(({ title }) => title),
        },
      }),
      because: present([
        unreadable > 0
        && `The next run ${again}: ${
          counted(unreadable, "record has", "records have")
        } no time that can be read with \`source.since\`.`,
        held !== undefined && at !== undefined
        && `The next run pulls the records since ${inZone(at, zone)} again, because row ${heldBy} (${
          fateWords[held].title
        }) may still have to be sent.`,
      ]),
    }
  })
