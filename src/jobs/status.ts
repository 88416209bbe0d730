import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import type { RunFacts } from "../domain/anomaly.ts"
import type { Destination } from "../domain/destination.ts"
import { goodCodes } from "../domain/exit.ts"
import { readsSource } from "../domain/run.ts"
import { isoOf, millisIn } from "../domain/times.ts"
import type { Lease } from "../ledger/holder.ts"
import type { Ledger, PipelineLedger } from "../ledger/Ledger.ts"
import type { DoubtsOf, Drift, RunInProgress, RunRecord, Standing } from "../ledger/standing.ts"
import type { LastTurn } from "../ledger/turns.ts"
import { nextTime } from "../project/cron.ts"
import { loadProject, type PipelineText } from "../project/loadProject.ts"
import { decodePipeline, zoneOf } from "../project/Pipeline.ts"
import type { Project } from "../project/Project.ts"
import { showWork } from "../run/Progress.ts"
import { factsOf, needReviewOf } from "../run/runRecord.ts"
import { addressesOf, knownForm, knownPipelines, type LedgerMissed, missedBy, openExisting } from "./projectLedger.ts"
import { isCredible, isoInZone, readSchedules, type Scheduled } from "./schedules.ts"
import { findTarget } from "./target.ts"

/** What the ledger contains for one pipeline at one destination. */
export interface PipelineStanding {
  readonly pipeline: string
  readonly destination: Destination
  /** The time zone of the pipeline's reports, in which `status` shows its times. UTC if the pipeline's file can't be read. */
  readonly zone: string
  /** Rows that the current run has in flight are counted in `going`, not as in doubt. */
  readonly standing: Omit<
    Standing,
    "attention" | "doubts" | "drift" | "lastIntent" | "rows" | "running" | "settlements"
  >
  readonly going: (RunInProgress & { readonly inFlight: number }) | undefined
  /** The last run that wrote to this destination. */
  readonly lastRun: EndedRecord | undefined
  /** The last runs that wrote to this destination, the newest first. */
  readonly runs: ReadonlyArray<PastRecord>
  /** The last run over the pipeline's own source that completed (exit code 0 or 1). */
  readonly lastDone: RunRecord | undefined
  /** The number of rows in doubt by age, the youngest first. */
  readonly doubts: ReadonlyArray<DoubtAge>
  /** Verified submissions that were edited or deleted later. */
  readonly drift: Drift
  readonly nextRun: NextRun | undefined
}

/** A time in ISO 8601 with the offset of its zone, and the zone. */
interface NextRun {
  readonly at: string
  readonly zone: string
}

interface EndedRecord extends RunRecord {
  /** Undefined if the run did not end or an earlier version recorded it. */
  readonly needReview?: number | undefined
}

export interface PastRecord extends EndedRecord {
  /** Undefined if the run did not end, or its mode was not `run`. */
  readonly facts: RunFacts | undefined
}

/** A pipeline whose last scheduled run failed before it started, and therefore left no record. */
export interface NotStarted {
  readonly pipeline: string
  /** When the run was due, in ISO 8601. */
  readonly at: string
  /** The time zone of the schedule. */
  readonly zone: string
}

/** A scheduled run that a process has taken and not ended. */
export interface TakenTurn {
  readonly pipeline: string
  /** When the process took it, in ISO 8601. */
  readonly since: string
  /** The time zone of the schedule. */
  readonly zone: string
  readonly lease: Lease
}

/** Whether a pipeline's last good run is recent enough. Times are in milliseconds since 1970. */
export interface PipelineHealth {
  readonly pipeline: string
  readonly healthy: boolean
  /** The end of the last good run. Undefined if there is none. */
  readonly lastGood: number | undefined
  readonly zone: string
}

export interface ProjectStatus {
  readonly ledger: { readonly file: string; readonly exists: boolean }
  readonly pipelines: ReadonlyArray<PipelineStanding>
  /** The project's pipelines that never sent anything. */
  readonly untouched: ReadonlyArray<string>
  /** The untouched pipelines that have a schedule. */
  readonly waiting: ReadonlyArray<{ readonly pipeline: string; readonly nextRun: NextRun }>
  readonly notBegun: ReadonlyArray<NotStarted>
  /** The scheduled runs that a process has taken, whether they have started or not. */
  readonly turns: ReadonlyArray<TakenTurn>
  /** Sentences that name the files with unreadable schedules. */
  readonly unreadable: ReadonlyArray<string>
  /** Pipelines whose runs are refused, because the ledger is missing or not the newest copy. */
  readonly missed: ReadonlyArray<LedgerMissed>
  /** The health of the named pipelines. Without names, of all scheduled pipelines, or of all pipelines if none is scheduled. Undefined without `maxAge`. */
  readonly health: ReadonlyArray<PipelineHealth> | undefined
  /** What is wrong with the ledger, as sentences. Undefined without `verify`. */
  readonly damage: ReadonlyArray<string> | undefined
}

/**
 * Returns what the ledger contains, by pipeline and destination. Only reads and takes no lock, so that it works during a run. Creates no ledger.
 *
 * @param names the pipelines; if empty, all pipelines
 * @param options.verify whether the whole ledger is checked
 * @param options.runs the number of last runs to return
 * @param options.maxAge the greatest age of a pipeline's last good run, in milliseconds
 */
export const projectStatus = (
  project: Project,
  names: ReadonlyArray<string>,
  options: { readonly verify: boolean; readonly runs?: number; readonly maxAge?: number | undefined },
) =>
  Effect.scoped(
    Effect.gen(function*() {
      const { maxAge, runs = 1, verify } = options
      const ledger = yield* openExisting(project)
      const { all, own, places, texts } = yield* knownPipelines(project, ledger, names)
      const isAsked = (name: string) => names.length === 0 || names.includes(name)
      const zone = (name: string) => zoneIn(texts.find((text) => text.name === name))
      const now = yield* Clock.currentTimeMillis
      const { scheduled, unreadable } = yield* readSchedules(project)
      const nextRun = nextRunIn(scheduled, now)
      const standings = ledger === undefined ? [] : yield* Effect.forEach(
        places.filter(({ pipeline }) => isAsked(pipeline)),
        ({ destination, pipeline }) =>
          Effect.map(
            standingOf(ledger.view({ pipeline, destination }), runs, now),
            (standing): PipelineStanding => ({
              pipeline,
              destination,
              zone: zone(pipeline),
              ...standing,
              nextRun: nextRun(pipeline),
            }),
          ),
      )
      const lasts = ledger === undefined ? [] : yield* Effect.forEach(
        scheduled.filter(({ pipeline }) => isAsked(pipeline)),
        (one) => Effect.map(ledger.turns.last(one.pipeline), (last): LastTurnOf => ({ ...one, last })),
      )
      const missed = yield* missedBy(project, all.filter(isAsked), ledger)
      const untouched = own.filter((name) =>
        isAsked(name) && ![...standings, ...missed].some(({ pipeline }) => pipeline === name)
      )
      return {
        ledger: { file: project.ledger.name, exists: ledger !== undefined },
        pipelines: standings,
        untouched,
        waiting: untouched.flatMap((pipeline) => {
          const next = nextRun(pipeline)
          return next === undefined ? [] : [{ pipeline, nextRun: next }]
        }),
        notBegun: lasts.flatMap(notStarted),
        turns: lasts.flatMap(takenTurn),
        unreadable,
        missed,
        health: maxAge === undefined ? undefined : yield* Effect.forEach(
          names.length > 0 ? names : scheduled.length > 0 ? scheduled.map(({ pipeline }) => pipeline) : all,
          (name) =>
            Effect.map(
              scheduledDestination(project.root, scheduled.find(({ pipeline }) => pipeline === name), ledger),
              (goesTo): PipelineHealth => ({
                ...healthOf(name, standings.filter(({ pipeline }) => pipeline === name), goesTo, { now, maxAge }),
                zone: zone(name),
              }),
            ),
        ),
        damage: verify && ledger !== undefined
          ? yield* Effect.zipRight(showWork("verify"), ledger.verify)
          : undefined,
      } satisfies ProjectStatus
    }),
  )

/** Returns the pipelines whose last run was not good, could not start, or would be refused. Omits pipelines that never ran or are running. */
export const failedPipelines = (project: Project) =>
  Effect.map(projectStatus(project, [], { verify: false }), ({ missed, notBegun, pipelines }) => {
    const failed = pipelines.filter(({ going, lastRun }) =>
      lastRun !== undefined && lastRun.run !== going?.run && !isGood(lastRun)
    )
    return new Set([...missed, ...notBegun, ...failed].map(({ pipeline }) => pipeline))
  })

const isGood = ({ exitCode }: RunRecord): boolean => exitCode !== undefined && goodCodes.includes(exitCode)

const standingOf = (view: PipelineLedger, count: number, now: number) =>
  Effect.gen(function*() {
    const runs = yield* view.runs({ limit: Math.max(searched, count) })
    const { doubts, drift, inDoubt, intended, running, ...standing } = yield* view.standing
    const inFlight = running === undefined ? 0 : intended
    // A good reconciliation or deletion must not hide that the previous run left rows unsent.
    const lastRun = runs.find((run) => readsSource(run.mode) || !isGood(run)) ?? runs[0]
    return {
      standing: {
        ...Struct.omit(standing, "attention", "lastIntent", "rows", "settlements"),
        inDoubt: inDoubt - inFlight,
        intended: intended - inFlight,
      },
      going: running && { ...running, inFlight },
      lastRun: lastRun && withReview(lastRun),
      runs: runs.slice(0, count).map((run): PastRecord => ({ ...withReview(run), facts: factsOf(run) })),
      lastDone: yield* lastGood(view),
      doubts: byAge(doubts.filter(({ open }) => !open || running === undefined), now),
      drift,
    }
  })

const withReview = (run: RunRecord): EndedRecord => ({ ...run, needReview: needReviewOf(run) })

/** How many past runs are searched for the last run and the last good run over the pipeline's own source. */
const searched = 100

/** Returns the last good run over the pipeline's own source. Importing corrected rows each morning (`--source`) must not hide that the nightly runs failed to start. */
const lastGood = (view: PipelineLedger) =>
  Effect.map(
    view.runs({ limit: searched, done: true }),
    (runs) => runs.find((run) => factsOf(run)?.whole !== false),
  )

const zoneIn = (text: PipelineText | undefined): string => {
  const read = text === undefined ? undefined : decodePipeline(text.yaml, { isPartial: true })
  return read?._tag === "Read" ? zoneOf(read.value) : "UTC"
}

/** Returns a function that returns a pipeline's next scheduled time. Undefined if it has none. */
export const nextRunIn = (scheduled: ReadonlyArray<Scheduled>, now: number) => (name: string): NextRun | undefined => {
  const found = scheduled.find((one) => one.pipeline === name && one.fault === undefined)
  if (found === undefined) return undefined
  const { zone } = found.schedule
  const next = nextTime(found.schedule, now)
  return next === undefined ? undefined : { at: isoInZone(next, zone), zone }
}

/** The age groups of rows in doubt, in days. */
const ages = [
  { age: "younger than a day", days: 1 },
  { age: "younger than a week", days: 7 },
  { age: "younger than 30 days", days: 30 },
  { age: "older than 30 days", days: Number.POSITIVE_INFINITY },
] as const

interface DoubtAge {
  readonly age: (typeof ages)[number]["age"]
  readonly count: number
}

/** Returns the number of rows in doubt by age, the youngest first. Omits empty age groups. */
export const byAge = (
  doubts: ReadonlyArray<Pick<DoubtsOf, "sentAt" | "count">>,
  now: number,
): ReadonlyArray<DoubtAge> => {
  const ageOf = ({ sentAt }: { readonly sentAt: string }) =>
    ages.find(({ days }) => now - Date.parse(sentAt) < days * millisIn.day)?.age
  return ages.flatMap(({ age }) => {
    const count = doubts.reduce((sum, one) => (ageOf(one) === age ? sum + one.count : sum), 0)
    return count === 0 ? [] : [{ age, count }]
  })
}

interface LastTurnOf extends Scheduled {
  readonly last: LastTurn
}

/** Returns the pipeline if its last scheduled run failed before it started and no run followed. */
const notStarted = ({ last: { at, ran, state, tries }, pipeline, schedule }: LastTurnOf): ReadonlyArray<NotStarted> =>
  at === undefined || tries === 0 || state !== "done" || (ran !== undefined && ran >= at)
    ? []
    : [{ pipeline, at: isoOf(at), zone: schedule.zone }]

/** Returns the pipeline's scheduled run if a process has taken it. */
const takenTurn = ({ last: { at, lease }, pipeline, schedule }: LastTurnOf): ReadonlyArray<TakenTurn> =>
  at === undefined || lease === undefined
    ? []
    : [{ pipeline, since: isoOf(at), zone: schedule.zone, lease }]

interface ScheduledDestination {
  /** The service's addresses, including its earlier ones. */
  readonly services: ReadonlyArray<string>
  readonly form: string
}

/** Returns the destination of a scheduled pipeline. Undefined if it has no schedule or its file can't be read. */
const scheduledDestination = (root: string, scheduled: Scheduled | undefined, ledger: Ledger | undefined) =>
  Effect.gen(function*() {
    if (scheduled === undefined) return undefined
    const { pipeline, schedule } = scheduled
    const project = yield* loadProject(root, { pipelines: [pipeline] })
    const { target } = yield* findTarget(project, { pipeline, to: schedule.to })
    const services = addressesOf(project, target.service)
    const form = (ledger && (yield* knownForm(project, ledger, target))) ?? target.form
    return { services, form } satisfies ScheduledDestination
  }).pipe(Effect.orElseSucceed(() => undefined))

/**
 * Returns whether a pipeline's last good run is recent enough. If its time is in the future, a clock was wrong, and its age is unknown. Rows that need
 * review don't make a pipeline unhealthy. They are reported elsewhere, and people would ignore a probe that fails until each row is reviewed.
 *
 * @param goesTo the destination of its scheduled runs, if it has a schedule: only those runs count
 */
export const healthOf = (
  pipeline: string,
  standings: ReadonlyArray<Pick<PipelineStanding, "destination" | "lastDone">>,
  goesTo: ScheduledDestination | undefined,
  { maxAge, now }: { readonly now: number; readonly maxAge: number },
): Omit<PipelineHealth, "zone"> => {
  const ended = standings.flatMap(({ destination: { form, service }, lastDone }) =>
    goesTo === undefined || (goesTo.services.includes(service) && goesTo.form === form)
      ? lastDone?.finishedAt ?? []
      : []
  )
  const lastGood = ended.length === 0 ? undefined : Math.max(...ended.map((time) => Date.parse(time)))
  const healthy = lastGood !== undefined && lastGood >= now - maxAge && isCredible(lastGood, now)
  return { pipeline, healthy, lastGood }
}
