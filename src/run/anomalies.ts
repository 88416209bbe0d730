import { Duration } from "effect"
import type { AnomalyCode, RunFacts } from "../domain/anomaly.ts"
import type { Anomaly } from "../domain/report.ts"
import { count, counted, lasting } from "../domain/words.ts"
import { type Coverage, covered } from "./coverage.ts"
import { percent } from "./review.ts"
import type { RunPlan } from "./RunContext.ts"

/** What an unchanged source can also show. */
const ofNow: ReadonlySet<AnomalyCode> = new Set(["stale-source", "unread-files", "gap"])

/** Runs that this one is compared with, and how many there must be before anything counts as unusual. */
const considered = 10
const needed = 3

/** Fewer rows than these prove nothing. */
const fewRows = 10

/** The limits that docs/nightly.md gives. */
const shrunkenTo = 0.5
const manyInvalid = 0.05
const manyVanished = 0.05
const slower = { times: 3, millis: 60_000 }

/**
 * Returns a sentence about each thing that is unusual about a run, compared with the runs before it (docs/nightly.md, "What is unusual"). What the run before showed
 * too is not `fresh`. A run that did not read its own source to the end shows nothing; one that found it unchanged shows what it repeats, and its age.
 *
 * @param history earlier runs of the pipeline at this destination, the newest first
 * @param coverage rows that no run may have seen
 * @param stale that the source is older than the pipeline allows, as a sentence
 */
export const anomalies = (
  run: RunFacts,
  history: ReadonlyArray<RunFacts>,
  stale?: string,
  coverage: Coverage = covered,
): ReadonlyArray<Anomaly> => {
  if (!run.whole) return []
  const whole = history.filter((one) => one.whole)
  const read = whole.filter((one) => !one.unchanged).slice(0, considered)
  const shown = whole[0]?.anomalies ?? []
  const found: ReadonlyArray<readonly [AnomalyCode, string | undefined]> = [
    ["empty-source", emptySource(run)],
    // A source that seldom changes: a night without a change also shows its size.
    ["shrunken-source", shrunkenSource(run, read.length < needed ? whole.slice(0, considered) : read)],
    ["stale-source", stale],
    ["unread-files", coverage.unreadFiles],
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

const emptySource = ({ read }: RunFacts): string | undefined =>
  read > 0 ? undefined : "The source holds no rows at all."

const shrunkenSource = ({ read }: RunFacts, history: ReadonlyArray<RunFacts>): string | undefined => {
  const usual = median(history.map((one) => one.read))
  if (usual === undefined || usual < fewRows || read === 0 || read >= usual * shrunkenTo) return undefined
  return `The source holds ${counted(read, "row")}, where it held ${
    count(usual)
  } in the last runs: it may be cut short.`
}

const invalidShare = (run: RunFacts, history: ReadonlyArray<RunFacts>): string | undefined => {
  const share = shareOf(run)
  const usual = median(history.map(shareOf)) ?? 0
  if (run.invalid < fewRows || share <= manyInvalid || share <= usual * 2) return undefined
  return `${counted(run.invalid, "row")} of ${count(run.read)} can't be imported (${percent(share)}; in the last runs ${
    percent(usual)
  }).`
}

const shareOf = ({ invalid, read }: RunFacts): number => (read === 0 ? 0 : invalid / read)

const vanished = ({ alreadyKnown, vanished }: RunFacts): string | undefined => {
  if (vanished.fresh < fewRows || vanished.fresh <= alreadyKnown * manyVanished) return undefined
  return `${counted(vanished.fresh, "row")} that stood in the source at the last run ${
    vanished.fresh === 1 ? "is" : "are"
  } gone from it, of ${count(alreadyKnown)} that were imported.`
}

const slowRun = ({ duration, sent, unchanged }: RunFacts, history: ReadonlyArray<RunFacts>): string | undefined => {
  const usual = median(history.map((one) => one.duration))
  if (unchanged || usual === undefined) return undefined
  if (duration <= usual * slower.times || duration <= usual + slower.millis) return undefined
  return `The run took ${lasting(duration)}, where the last ones took ${lasting(usual)}; it sent ${
    counted(sent, "row")
  }.`
}

/** Returns the middle one, the lower of two; undefined if there are too few to say what is usual. */
const median = (values: ReadonlyArray<number>): number | undefined =>
  values.length < needed ? undefined : [...values].sort((a, b) => a - b)[(values.length - 1) >> 1]

/** Sentences about a source's age. */
export interface SourceAge {
  /** It was last changed longer ago than the pipeline allows (`source.maxAge`). */
  readonly stale?: string
  /** The pipeline limits its age, and it is unknown. */
  readonly unknown?: string
}

/**
 * Compares the age of the source's newest file with the pipeline's `source.maxAge`: an export that is no longer written is the same every night, and nothing else
 * about it looks wrong.
 *
 * @param now when the run started, in milliseconds since 1970
 */
export const sourceAge = (
  { ownSource, pipeline, source }: Pick<RunPlan, "ownSource" | "pipeline" | "source">,
  now: number,
): SourceAge => {
  const { maxAge } = pipeline.source
  if (maxAge === undefined || !ownSource) return {}
  const { changedAt } = source
  if (changedAt === undefined) {
    return {
      unknown:
        "Source age unknown: its server sends no modification time. `source.maxAge` was not checked. Remove it, or fetch the file by other means.",
    }
  }
  const most = Duration.toMillis(maxAge)
  if (now - changedAt <= most) return {}
  const at = `${new Date(changedAt).toISOString().slice(0, 16)}Z`
  return {
    stale: `The source was last changed ${lasting(now - changedAt)} ago (${at}), and \`source.maxAge\` allows ${
      lasting(most)
    }: see whether what writes it still runs.`,
  }
}
