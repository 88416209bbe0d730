import { FileSystem } from "@effect/platform"
import { Clock, Effect } from "effect"
import { DateTime } from "luxon"
import type { RunFacts } from "../domain/anomaly.ts"
import type { Destination } from "../domain/destination.ts"
import type { PipelineLedger } from "../ledger/Ledger.ts"
import { openLedger } from "../ledger/openLedger.ts"
import type { Drift, Going, RunRecord, Standing } from "../ledger/records.ts"
import { nextTime, type Schedule } from "../project/cron.ts"
import { PipelineUnknown } from "../project/errors.ts"
import { listPipelines } from "../project/pipelineFiles.ts"
import type { Project } from "../project/Project.ts"
import { factsOf } from "../run/history.ts"
import { type LedgerMissed, ledgerOf, missedBy } from "./projectLedger.ts"
import { readSchedules } from "./schedule/schedules.ts"
import { byAge, type DoubtAge } from "./status/ages.ts"
import { type NotBegun, notBegun, scheduledDestination } from "./status/due.ts"
import { healthOf, type PipelineHealth } from "./status/health.ts"

/** What the ledger holds for one pipeline at one destination. */
export interface PipelineStanding {
  readonly pipeline: string
  readonly destination: Destination
  /** Rows that the run that is going on has in flight are not in doubt here: `going` counts them. */
  readonly standing: Standing
  /** The run that is going on. */
  readonly going: (Going & { readonly inFlight: number }) | undefined
  /** The last run that wrote here. */
  readonly lastRun: RunRecord | undefined
  /** The last runs that wrote here, the newest first: as many as were asked for. */
  readonly runs: ReadonlyArray<PastRecord>
  /** The last run over the pipeline's own source that did its work (exit status 0 or 1). */
  readonly lastDone: RunRecord | undefined
  /** Rows in doubt by age, the youngest first. */
  readonly doubts: ReadonlyArray<DoubtAge>
  /** Verified submissions that were edited or deleted since. */
  readonly drift: Drift
  /** When it runs next by schedule. */
  readonly nextRun: NextRun | undefined
}

/** A time, ISO 8601 with the offset of its zone, and that zone. */
export interface NextRun {
  readonly at: string
  readonly zone: string
}

/** A run's record, and what is remembered of it. */
export interface PastRecord extends RunRecord {
  /** Undefined: it did not end, or was no `run`. */
  readonly facts: RunFacts | undefined
}

export interface ProjectStatus {
  /** Where the ledger is, and whether it is there at all. */
  readonly ledger: { readonly file: string; readonly exists: boolean }
  readonly pipelines: ReadonlyArray<PipelineStanding>
  /** Pipelines of the project that never sent anything. */
  readonly untouched: ReadonlyArray<string>
  /** Of these, the ones that have a schedule: when they run first. */
  readonly waiting: ReadonlyArray<{ readonly pipeline: string; readonly nextRun: NextRun }>
  /** Pipelines that could not begin when they were due last. */
  readonly notBegun: ReadonlyArray<NotBegun>
  /** Files of which nobody can tell when their pipeline is to run, as sentences. */
  readonly unreadable: ReadonlyArray<string>
  /** Pipelines whose runs are refused, because the ledger is missing or not the newest. */
  readonly missed: ReadonlyArray<LedgerMissed>
  /** Whether pipelines did their work lately enough: those asked for, else those that have a schedule, else all. Undefined when it was not asked for. */
  readonly health: ReadonlyArray<PipelineHealth> | undefined
  /** Findings of SQLite's own integrity check; undefined when it was not asked for. */
  readonly damage: ReadonlyArray<string> | undefined
}

/**
 * What stands in the ledger, by pipeline and destination. Only reads, and takes no lock: it can be asked while a run is going on. A ledger that is not there yet is not made.
 *
 * @param names pipelines to tell about; none: all
 * @param options.verify whether to have SQLite check the whole file
 * @param options.runs how many of the last runs to tell of
 * @param options.maxAge how old a pipeline's last good run may be, in milliseconds
 */
export const projectStatus = (
  project: Project,
  names: ReadonlyArray<string>,
  options: { readonly verify: boolean; readonly runs?: number; readonly maxAge?: number | undefined },
) =>
  Effect.scoped(
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const { texts } = yield* listPipelines(project.root)
      const own = texts.flatMap(({ name }) => (name === undefined ? [] : [name]))
      const exists = yield* fs.exists(project.ledger)
      const ledger = exists ? yield* openLedger(ledgerOf(project)) : undefined
      const known = ledger === undefined ? [] : yield* ledger.pipelines
      const all = [...new Set([...own, ...known.map(({ pipeline }) => pipeline)])]
      const unknown = names.filter((name) => !all.includes(name))
      if (unknown.length > 0) return yield* new PipelineUnknown({ names: unknown, known: all })

      const now = yield* Clock.currentTimeMillis
      const { scheduled, unreadable } = yield* readSchedules(project.root)
      const nextRun = (name: string) =>
        nextOf(scheduled.find((one) => one.pipeline === name && one.fault === undefined)?.schedule, now)
      const asked = (name: string) => names.length === 0 || names.includes(name)
      const pipelines = ledger === undefined ? [] : yield* Effect.forEach(
        known.filter(({ pipeline }) => asked(pipeline)),
        ({ pipeline, destination }) =>
          Effect.gen(function*() {
            const view = ledger.view({ pipeline, destination })
            const runs = yield* view.runs(Math.max(1, options.runs ?? 1))
            const { going, standing } = yield* standingNow(view)
            const one: PipelineStanding = {
              pipeline,
              destination,
              standing,
              going,
              lastRun: runs[0],
              runs: runs.slice(0, options.runs ?? 1).map((one) => ({ ...one, facts: factsOf(one) })),
              lastDone: yield* lastGood(view),
              doubts: byAge((yield* view.doubts).filter(({ open }) => !open || going === undefined), now),
              drift: yield* view.drift,
              nextRun: nextRun(pipeline),
            }
            return one
          }),
      )
      const timed = scheduled.map(({ pipeline }) => pipeline)
      const watched = names.length > 0 ? names : timed.length > 0 ? timed : all
      const goesTo = new Map(
        yield* Effect.forEach(
          options.maxAge === undefined ? [] : scheduled.filter(({ pipeline }) => watched.includes(pipeline)),
          (one) => Effect.map(scheduledDestination(project.root, one, ledger), (to) => [one.pipeline, to] as const),
        ),
      )
      const counts = ({ destination, pipeline }: PipelineStanding): boolean => {
        const to = goesTo.get(pipeline)
        return to === undefined || (to.services.includes(destination.service) && to.form === destination.form)
      }
      const missed = yield* missedBy(project, all.filter(asked), ledger)
      const untouched = own.filter((name) =>
        asked(name) && !pipelines.some(({ pipeline }) => pipeline === name)
        && !missed.some(({ pipeline }) => pipeline === name)
      )
      const status: ProjectStatus = {
        ledger: { file: project.ledger, exists },
        pipelines,
        untouched,
        waiting: untouched.flatMap((pipeline) => {
          const next = nextRun(pipeline)
          return next === undefined ? [] : [{ pipeline, nextRun: next }]
        }),
        notBegun: ledger === undefined ? [] : yield* notBegun(ledger, scheduled.filter((one) => asked(one.pipeline))),
        unreadable,
        missed,
        health: options.maxAge === undefined ? undefined : healthOf(
          watched,
          (name) =>
            pipelines.flatMap((one) => one.pipeline === name && counts(one) ? one.lastDone?.finishedAt ?? [] : [])
              .map(Date.parse),
          now,
          options.maxAge,
        ),
        damage: options.verify && ledger !== undefined ? yield* ledger.verify : undefined,
      }
      return status
    }),
  )

/** What stands, and the run that is going on: it may end, or begin, while rows are counted. */
const standingNow = (view: PipelineLedger) =>
  Effect.gen(function*() {
    const before = yield* view.going
    const standing = yield* view.standing
    const going = before ?? (yield* view.going)
    if (going === undefined) return { standing, going }
    const { inDoubt, intended } = standing
    return {
      standing: { ...standing, inDoubt: inDoubt - intended, intended: 0 },
      going: { ...going, inFlight: intended },
    }
  })

/** Runs that are looked at where the last one that ended well was fed another file. */
const lookedAt = 100

/** A run that was fed another file (`--source`) says nothing of the source: whoever mends rows each morning would hide that no night ran. */
const lastGood = (view: PipelineLedger) =>
  Effect.gen(function*() {
    const own = (run: RunRecord): boolean => factsOf(run)?.whole !== false
    const last = yield* view.lastDone
    if (last === undefined || own(last)) return last
    const runs = yield* view.runs(lookedAt)
    return runs.find((run) => run.mode === "run" && (run.exitCode === 0 || run.exitCode === 1) && own(run))
  })

const nextOf = (schedule: Schedule | undefined, now: number): NextRun | undefined => {
  const next = schedule === undefined ? undefined : nextTime(schedule, now)
  if (schedule === undefined || next === undefined) return undefined
  const { zone } = schedule
  return { at: DateTime.fromMillis(next, { zone }).toISO({ suppressMilliseconds: true }) ?? "", zone }
}
