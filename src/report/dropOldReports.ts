import { FileSystem, Path } from "@effect/platform"
import { Clock, Duration, Effect, Option } from "effect"
import { type PastRun, readLatestReports } from "./pastRuns.ts"

/** How long reports are kept; undefined: for ever. */
interface Kept {
  readonly runs: number | undefined
  readonly days: number | undefined
}

/** A run that died leaves a folder without a report: it goes once it is certainly no run that is going on. */
const surelyDead = Duration.days(2)

/** Which reports go: those beyond so many, and those that are too old; never the newest. */
const old = (runs: ReadonlyArray<PastRun>, kept: Kept, now: number) => {
  const oldest = kept.days === undefined ? Number.NEGATIVE_INFINITY : now - Duration.toMillis(Duration.days(kept.days))
  return runs.filter((run, nth) =>
    nth > 0 && (nth >= (kept.runs ?? Number.POSITIVE_INFINITY) || Date.parse(run.startedAt) < oldest)
  )
}

/**
 * Removes a pipeline's old reports as `reports: { keepRuns, keepDays }` says, and what dead runs left that are as old. Never the one that `latest` points to. What can't be removed is logged: the run that went before has ended well all the same. Gives how many went.
 */
export const dropOldReports = (
  reports: string,
  pipeline: string,
  kept: Kept,
): Effect.Effect<number, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    if (kept.runs === undefined && kept.days === undefined) return 0
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const now = yield* Clock.currentTimeMillis
    const ofPipeline = path.join(reports, pipeline)
    const past = yield* readLatestReports(reports, pipeline)
    const latest = yield* fs.readLink(path.join(ofPipeline, "latest")).pipe(Effect.orElseSucceed(() => undefined))
    const going = old(past.runs, kept, now).filter(({ run }) => run !== latest)
    const stays = past.runs.filter((run) => !going.includes(run)).map(({ startedAt }) => Date.parse(startedAt))
    const before = Math.min(...stays, now - Duration.toMillis(surelyDead))
    const dead = yield* Effect.filter(past.unfinished, (name) =>
      Effect.map(
        Effect.option(fs.stat(path.join(ofPipeline, name))),
        (found) =>
          Option.match(Option.flatMap(found, (one) => one.mtime), {
            onNone: () => false,
            onSome: (time) => time.getTime() < before,
          }),
      ))
    const folders = [...going.map(({ folder }) => folder), ...dead.map((name) => path.join(ofPipeline, name))]
    yield* Effect.forEach(folders, (folder) => fs.remove(folder, { recursive: true }), { discard: true })
    return folders.length
  }).pipe(
    Effect.catchAll((error) =>
      Effect.as(Effect.logWarning(`Old reports of ${pipeline} could not be removed: ${error.message}`), 0)
    ),
  )
