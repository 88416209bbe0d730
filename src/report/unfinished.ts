import { FileSystem, Path } from "@effect/platform"
import type { PlatformError } from "@effect/platform/Error"
import { Effect, type Scope } from "effect"
import { type Holder, leftByEnded, ownedName } from "../ledger/holder.ts"
import { partFiles } from "./partFiles.ts"
import { draftOfLatest, isFolderName } from "./pastRuns.ts"

/** How the names of empty files begin that say which process writes which run's folder. */
const prefix = ".unfinished-"

/** Says next to a run's folder which process writes it, until the scope closes or the report is finished (`end`). */
export const markUnfinished = (
  ofPipeline: string,
  run: string,
  me: Holder,
): Effect.Effect<
  { readonly end: Effect.Effect<void> },
  PlatformError,
  Scope.Scope | FileSystem.FileSystem | Path.Path
> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const file = path.join(ofPipeline, `${ownedName(prefix, me)}.${run}`)
    const end = Effect.ignore(fs.remove(file, { force: true }))
    yield* Effect.addFinalizer(() => end)
    yield* fs.writeFileString(file, "", { mode: 0o600 })
    return { end }
  })

/**
 * Tidies the folders of runs whose process was killed. Removes unfinished files, and the folder if it is then empty. Files with their final names are complete and stay. What was sent is in the ledger.
 */
export const tidyLeft = (
  ofPipeline: string,
  me: Holder,
): Effect.Effect<void, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    for (const name of yield* Effect.try(() => leftByEnded(ofPipeline, prefix, me))) {
      const run = name.slice(name.indexOf(".", prefix.length) + 1)
      if (!isFolderName(run)) continue
      const files = yield* partFiles(path.join(ofPipeline, run))
      yield* files.tidy
      yield* fs.remove(path.join(ofPipeline, draftOfLatest(run)), { force: true })
      yield* fs.remove(path.join(ofPipeline, name), { force: true })
    }
  }).pipe(Effect.ignore)
