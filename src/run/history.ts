import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { acceptCommand } from "../domain/acceptance.ts"
import type { AnomalyCode, RunFacts } from "../domain/anomaly.ts"
import type { Anomaly, RunReport } from "../domain/report.ts"
import { inZone, lasting } from "../domain/times.ts"
import { count, counted, firstOf, percent } from "../domain/words.ts"
import type { LedgerError } from "../ledger/errors.ts"
import type { PipelineLedger } from "../ledger/Ledger.ts"
import { fewRows } from "../project/sinkSection.ts"
import type { MatchedFile, Source } from "../source/Source.ts"
import { CurrentRun, RunLedger, type RunPlan } from "./RunContext.ts"
import { factsOf } from "./runRecord.ts"

/** The number of past runs that later runs are compared with. */
const remembered = 60

/** Returns the facts of the runs before a run, newest first. */
export const historyOf = (
  view: Pick<PipelineLedger, "runs">,
  run: string,
): Effect.Effect<ReadonlyArray<RunFacts>, LedgerError> =>
  Effect.map(
    view.runs({ limit: remembered }),
    (records) => records.flatMap((one) => (one.run === run ? [] : factsOf(one) ?? [])),
  )

/** Returns the facts of a run that is ending, without its anomalies. `whole`: whether the source was read to its end. */
export const factsNow = (
  run: Pick<RunPlan, "id" | "isPartial" | "ownSource">,
  { finishedAt, rows, vanished, whole, ...ended }:
    & Pick<RunFacts, "startedAt" | "whole" | "unchanged" | "open" | "shared" | "alreadyKnown">
    & Pick<RunReport, "finishedAt" | "rows" | "vanished">,
): RunFacts => ({
  ...ended,
  run: run.id,
  duration: Date.parse(finishedAt) - Date.parse(ended.startedAt),
  whole: whole && run.ownSource,
  partial: run.isPartial,
  read: rows.read,
  invalid: rows.invalid,
  sent: rows.imported,
  vanished: vanished ?? { count: 0, fresh: 0 },
  anomalies: [],
})

/** Sentences which say that there may be rows that no run has read. Each appears until a person accepts it, and makes a run exit with code 1. */
export interface Coverage {
  /** `first`: the path of the first file. */
  readonly unreadFiles: { readonly first: string; readonly sentence: string } | undefined
  readonly gap: { readonly run: string; readonly sentence: string } | undefined
}

export const covered: Coverage = { unreadFiles: undefined, gap: undefined }

/** Returns the files that match the source's pattern, but that no run has read as they are now, and no one has accepted. */
export const unreadFiles = (
  view: Pick<PipelineLedger, "accepted" | "unreadFiles">,
  { matched }: Pick<Source, "matched">,
): Effect.Effect<ReadonlyArray<MatchedFile>, LedgerError> =>
  Effect.gen(function*() {
    if (matched === undefined) return []
    const unread = new Set(yield* view.unreadFiles(matched.all.map(({ version }) => version)))
    for (const version of matched.read) unread.delete(version)
    return yield* Effect.filter(
      matched.all.filter(({ version }) => unread.has(version)),
      ({ version }) => Effect.map(view.accepted("files", [version]), (accepted) => !accepted),
    )
  })

/** Returns the run whose source shares no row with the source before it, unless a person has accepted that. */
export const openGap = (
  view: Pick<PipelineLedger, "accepted">,
  history: ReadonlyArray<RunFacts>,
): Effect.Effect<string | undefined, LedgerError> =>
  Effect.gen(function*() {
    const gap = history.find((one) => one.whole)?.gap
    return gap === undefined || (yield* view.accepted("gap", [gap])) ? undefined : gap
  })

/**
 * Whether a source unexpectedly shares no row with the last source that was read. Shared rows are expected if earlier
 * sources had them, or if only one source was read before. Exports that contain only new rows never share any. After a
 * person has accepted one such run, later ones are not reported.
 *
 * @param history earlier runs, newest first
 */
const sharesNothing = (run: RunFacts, history: ReadonlyArray<RunFacts>): boolean => {
  // If a run stopped before it sent anything, the next run is compared with the same earlier run again.
  if (!run.whole || run.unchanged || run.sent === 0 || run.shared > 0) return false
  const [last, ...before] = history.filter((one) => one.whole && !one.unchanged && one.shared + one.sent > 0)
  return last !== undefined && (last.shared > 0 || before.length === 0)
}

/**
 * Finds signs of rows that no run has read: files that match the pattern but that no run has read as they are now, and a gap between the last export and this one.
 *
 * @param run the facts of the run that is ending
 * @param history earlier runs, newest first
 */
const coverageOf = (
  run: RunFacts,
  history: ReadonlyArray<RunFacts>,
): Effect.Effect<Coverage, LedgerError, CurrentRun | RunLedger> =>
  Effect.gen(function*() {
    if (!run.whole) return covered
    const { pipeline, projectOption, source, target } = yield* CurrentRun
    const { view } = yield* RunLedger
    const unread = yield* unreadFiles(view, source)
    const [first] = unread
    const { base: folder = "" } = source.matched ?? {}
    const { mark, times = [] } = source.increment ?? {}
    // A pull since a mark contains the record at the mark, and a pull of all records contains every other one.
    const isGap = sharesNothing(run, history) && (mark === undefined || !times.some((time) => time <= mark))
    const isClosed = source.increment !== undefined && mark === undefined
    const gap = isClosed ? undefined : isGap ? run.run : yield* openGap(view, history)
    const isNew = gap === run.run
    return {
      unreadFiles: first === undefined ? undefined : {
        first: `${folder}/${first.name}`,
        sentence: unreadSentence(
          unread.map(({ name }) => name),
          acceptCommand(pipeline.name, "files", target, projectOption),
        ),
      },
      gap: gap === undefined ? undefined : {
        run: gap,
        sentence: `${
          isNew ? "This source shares" : `The source of run ${gap} shared`
        } no row with the previous source: rows between them may be missing. If so, ${
          source.increment === undefined
            ? "import an export that contains them with --source. Afterwards, or if"
            : "pull all records with `run --full`. If"
        } no row is missing, accept the gap: ${acceptCommand(pipeline.name, "gap", target, projectOption)}.`,
      },
    }
  })

const shown = 5

const unreadSentence = (files: ReadonlyArray<string>, accept: string): string => {
  const named = firstOf(files, shown)
  return `${
    files.length === 1
      ? "1 file matches the pattern and was not read as it is"
      : `${count(files.length)} files match the pattern and were not read as they are`
  } now: ${named}. If ${
    files.length === 1
      ? "its rows are in no other file, import it"
      : "their rows are in no other file, import each file"
  } with --source. If no row is missing, accept this: ${accept}.`
}

/**
 * Compares a run or a dry run that is ending with past runs. Returns signs of rows that no run has read, anomalies, and a sentence about the source's age
 * if that is unknown. Other runs are not compared.
 */
export const compareWithPast = (run: RunFacts) =>
  Effect.gen(function*() {
    const plan = yield* CurrentRun
    if (plan.mode !== "run" && plan.mode !== "dry-run") {
      return { coverage: covered, anomalies: [], unknownAge: undefined }
    }
    const history = yield* historyOf((yield* RunLedger).view, plan.id)
    const coverage = yield* coverageOf(run, history)
    const { stale, unknown } = sourceAge(plan, Date.parse(run.startedAt))
    return { coverage, anomalies: anomalies(run, history, stale, coverage), unknownAge: unknown }
  })

/** Anomalies that an unchanged source can also show. */
const ofNow: ReadonlySet<AnomalyCode> = new Set(["stale-source", "unread-files", "gap"])

/** The number of past runs that a run is compared with, and the number that must exist before an anomaly is reported. */
const considered = 10
const needed = 3

/** The limits that docs/nightly.md documents. */
const shrunkenTo = 0.5
const manyInvalid = 0.05
const manyVanished = 0.05
const slower = { times: 3, millis: 60_000 }

/**
 * Returns a sentence about each anomaly of a run, compared with past runs (docs/nightly.md, "Anomalies"). An anomaly
 * that the previous run also had is not `fresh`. Returns none for a run that did not read its own source to the end.
 * For a run that found the source unchanged, returns the anomalies of the run that it repeats, and the source's age.
 *
 * @param history earlier runs of the pipeline at this destination, newest first
 * @param coverage sentences about rows that all runs may have missed
 * @param stale the sentence about a source that is older than the pipeline allows
 */
export const anomalies = (
  run: RunFacts,
  history: ReadonlyArray<RunFacts>,
  stale?: string,
  coverage: Coverage = covered,
): ReadonlyArray<Anomaly> => {
  if (!run.whole) return []
  const whole = history.filter((one) => one.whole && one.partial === run.partial)
  const read = whole.filter((one) => !one.unchanged).slice(0, considered)
  const shown = whole[0]?.anomalies ?? []
  const found: ReadonlyArray<readonly [AnomalyCode, string | undefined]> = [
    ["empty-source", emptySource(run)],
    // If a source rarely changes, its usual size is also known from the runs that found it unchanged.
    [
      "shrunken-source",
      run.partial
        ? undefined
        : shrunkenSource(run, read.length < needed ? whole.slice(0, considered) : read) ?? openEnd(run, read),
    ],
    ["stale-source", stale],
    ["unread-files", coverage.unreadFiles?.sentence],
    ["gap", coverage.gap?.sentence],
    ["invalid-share", invalidShare(run, read)],
    ["vanished", vanished(run)],
    ["slow-run", slowRun(run, read)],
  ]
  return found.flatMap(([code, sentence]) =>
    sentence === undefined || (run.unchanged && !ofNow.has(code) && !shown.includes(code))
      ? []
      : [{ code, sentence, fresh: !shown.includes(code) }]
  )
}

const emptySource = ({ partial, read }: RunFacts): string | undefined =>
  read > 0
    ? undefined
    : partial
    ? "No record was pulled, not even the newest known one. Either it was deleted, or `since` doesn't fit the tool: compare with `run --full`."
    : "The source contains no rows."

const shrunkenSource = ({ read }: RunFacts, history: ReadonlyArray<RunFacts>): string | undefined => {
  const usual = median(history.map((one) => one.read))
  if (usual === undefined || usual < fewRows || read === 0 || read >= usual * shrunkenTo) return undefined
  return `The source contains ${counted(read, "row")}, but contained ${
    count(usual)
  } in the last runs: it may be cut short.`
}

const openEnd = ({ open }: RunFacts, history: ReadonlyArray<RunFacts>): string | undefined =>
  open === true && history.length >= needed && history.every((one) => one.open === false)
    ? "The last line of the source has no line end, unlike in the last runs: it may be cut short. Compare the last row with the complete file."
    : undefined

const invalidShare = (run: RunFacts, history: ReadonlyArray<RunFacts>): string | undefined => {
  const share = shareOf(run)
  const usual = median(history.map(shareOf))
  if (run.invalid < fewRows || share <= manyInvalid || share <= (usual ?? 0) * 2) return undefined
  return `${counted(run.invalid, "row")} of ${count(run.read)} can't be imported (${percent(share, 1)}${
    usual === undefined ? "" : `, usually ${percent(usual, 1)}`
  }).`
}

const shareOf = ({ invalid, read }: RunFacts): number => (read === 0 ? 0 : invalid / read)

const vanished = ({ alreadyKnown, vanished }: RunFacts): string | undefined => {
  if (vanished.fresh < fewRows || vanished.fresh <= alreadyKnown * manyVanished) return undefined
  return `${counted(vanished.fresh, "row")} of ${count(alreadyKnown)} that were imported ${
    vanished.fresh === 1 ? "has" : "have"
  } vanished from the source since the last run.`
}

const slowRun = ({ duration, sent, unchanged }: RunFacts, history: ReadonlyArray<RunFacts>): string | undefined => {
  const usual = median(history.map((one) => one.duration))
  if (unchanged || usual === undefined) return undefined
  if (duration <= usual * slower.times || duration <= usual + slower.millis) return undefined
  return `The run took ${lasting(duration)}, but the last runs took ${lasting(usual)}. It sent ${counted(sent, "row")}.`
}

/** Returns the median, or the lower of the two middle values. Returns undefined if there are too few values. */
const median = (values: ReadonlyArray<number>): number | undefined =>
  values.length < needed ? undefined : [...values].sort((a, b) => a - b)[(values.length - 1) >> 1]

/** Messages about the age of a source. */
export interface SourceAge {
  /** The source was last changed longer ago than the pipeline allows (`source.maxAge`). */
  readonly stale?: string
  /** The pipeline limits the source's age, but the age is unknown. */
  readonly unknown?: string
}

/**
 * Compares the age of the source's newest file with the pipeline's `source.maxAge`. If an export is no longer written, the source stays the same every night, and only its age reveals that.
 *
 * @param now the start of the run, in milliseconds since 1970
 */
export const sourceAge = (
  { ownSource, pipeline, source, zone }: Pick<RunPlan, "ownSource" | "pipeline" | "source" | "zone">,
  now: number,
): SourceAge => {
  const { maxAge } = pipeline.source
  if (maxAge === undefined || !ownSource) return {}
  const { changedAt } = source
  if (changedAt === undefined) {
    return {
      unknown:
        "Source age unknown: the server sends no modification time. `source.maxAge` was not checked. Remove that key, or fetch the file by other means.",
    }
  }
  const most = Duration.toMillis(maxAge)
  if (Math.abs(now - changedAt) <= most) return {}
  const at = inZone(Math.floor(changedAt / 60_000) * 60_000, zone)
  if (changedAt > now) {
    return {
      unknown:
        `Source age unknown: the source's modification time (${at}) is in the future. \`source.maxAge\` was not checked. Check the clocks of this machine and of the system that writes the source.`,
    }
  }
  return {
    stale: `The source was last changed ${lasting(now - changedAt)} ago (${at}), but \`source.maxAge\` allows only ${
      lasting(most)
    }. Check that the system that writes it is still running.`,
  }
}
