import { FileSystem, Path } from "@effect/platform"
import { Effect } from "effect"

const latest = "latest"

/** Whether there is a run's report of a pipeline: told at a glance, without reading one. */
export const ranBefore = (
  reports: string,
  pipeline: string,
): Effect.Effect<boolean, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    return yield* Effect.orElseSucceed(fs.exists(path.join(reports, pipeline, latest)), () => false)
  })

/** Returns the name of the link while it is made. */
export const draftOfLatest = (run: string): string => `.latest-${run}`

/**
 * Points `latest` in a pipeline's folder of reports to a run, in one step: there is no moment without it. A file system without symbolic links, or something else under that name,
 * is no reason to call a finished run failed: it is logged.
 */
export const pointLatest = (
  folder: string,
  run: string,
): Effect.Effect<void, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const temporary = path.join(folder, draftOfLatest(run))
    yield* fs.remove(temporary, { force: true })
    yield* fs.symlink(run, temporary)
    yield* fs.rename(temporary, path.join(folder, latest)).pipe(
      Effect.onError(() => Effect.ignore(fs.remove(temporary, { force: true }))),
    )
  }).pipe(
    Effect.catchAll((error) =>
      Effect.logWarning(`${folder}/latest could not be pointed to this run's report: ${error.message}`)
    ),
  )
