import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { reasonOf } from "../domain/systemErrors.ts"
import { type Holder, leftByEnded, ownedName } from "../ledger/holder.ts"
import { type Disk, disk } from "../project/disk.ts"
import { draftOfLatest, isFolderName } from "./pastRuns.ts"

/** A file of a report can't be read or written. */
export class ReportError extends Schema.TaggedError<ReportError>()("ReportError", {
  file: Schema.String,
  cause: Schema.Defect,
}) {
  override get message() {
    return `The report ${this.file} can't be read or written: ${
      reasonOf(this.cause)
    }. The ledger has a record of everything that was sent. Remove the cause, then run the command again.`
  }
}

/** Converts an error about a file to a `ReportError`. */
export const failing = (file: string) => Effect.mapError((cause: unknown) => new ReportError({ file, cause }))

/** The suffix of temporary names. */
const part = ".part"

/** The suffix of spools. A process that is killed just after it creates one leaves it behind. */
export const spoolEnd = ".spool"

/** The number of characters buffered before they are written. */
const blockSize = 64 * 1024

/** The files of a folder. They get their names after all are written, so that the files of a killed run don't look finished. */
export interface PartFiles {
  /** Writes a file under a temporary name, readable only by its owner. The file stays open for the scope and is flushed in the background. */
  readonly write: <E>(name: string, text: Stream.Stream<string, E>) => Effect.Effect<void, ReportError | E, Scope.Scope>
  /** Waits until all files are on the disk, then gives them their names, in this order. */
  readonly publish: (names: ReadonlyArray<string>) => Effect.Effect<void, ReportError>
  /** Removes unpublished files. Also removes the folder if it is then empty. */
  readonly tidy: Effect.Effect<void>
}

/** Opens the files of a folder, which must exist. */
export const partFiles = (
  folder: string,
): Effect.Effect<PartFiles, never, Disk> =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const fileOf = (name: string) => path.join(folder, name)
    // Flushing several files at the same time takes as long as flushing one. The files are flushed while the next ones are written.
    const syncs: Array<Effect.Effect<void, ReportError>> = []

    return {
      write: (name, text) =>
        Effect.gen(function*() {
          const asNamed = failing(fileOf(name))
          const file = yield* fs.open(fileOf(name) + part, { flag: "wx", mode: 0o600 }).pipe(asNamed)
          const encoder = new TextEncoder()
          let block = ""
          const flush = Effect.suspend(() => {
            const bytes = encoder.encode(block)
            block = ""
            return bytes.length === 0 ? Effect.void : file.writeAll(bytes).pipe(asNamed)
          })
          yield* Stream.runForEach(text, (more) => {
            block += more
            return block.length >= blockSize ? flush : Effect.void
          })
          yield* flush
          // A file must not be closed during its sync.
          const syncing = yield* Effect.forkScoped(Effect.uninterruptible(file.sync.pipe(asNamed)))
          syncs.push(Effect.flatten(Fiber.await(syncing)))
        }),
      publish: (names) =>
        Effect.zipRight(
          Effect.all(syncs, { discard: true }),
          Effect.forEach(names, (name) => fs.rename(fileOf(name) + part, fileOf(name)).pipe(failing(fileOf(name))), {
            discard: true,
          }),
        ),
      tidy: Effect.gen(function*() {
        const names = yield* fs.readDirectory(folder)
        const unfinished = names.filter((name) => name.endsWith(part) || name.endsWith(spoolEnd))
        for (const name of unfinished) yield* fs.remove(fileOf(name))
        if (unfinished.length === names.length) yield* fs.remove(folder, { recursive: true })
      }).pipe(Effect.ignore),
    }
  })

/** The prefix of empty marker files. A marker's name contains a run and the process that writes its folder. */
const prefix = ".unfinished-"

/**
 * Creates the folder of a run, which only its owner can read (folders 0700, files 0600), and opens its files. Until `end`, a marker says that this
 * process writes the folder. Removes unpublished files when the scope closes.
 */
export const newRunFolder = (ofPipeline: string, run: string, me: Holder) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const folder = path.join(ofPipeline, run)
    yield* fs.makeDirectory(ofPipeline, { recursive: true, mode: 0o700 }).pipe(failing(folder))
    const marker = path.join(ofPipeline, `${ownedName(prefix, me)}.${run}`)
    const end = Effect.ignore(fs.remove(marker, { force: true }))
    yield* Effect.addFinalizer(() => end)
    yield* fs.writeFileString(marker, "", { mode: 0o600 }).pipe(failing(folder))
    yield* fs.makeDirectory(folder, { mode: 0o700 }).pipe(failing(folder))
    const files = yield* partFiles(folder)
    yield* Effect.addFinalizer(() => files.tidy)
    return { folder, files, end }
  })

/**
 * Cleans up the folders of runs whose process was killed. Removes unfinished files, and the folder if it is then empty. Files with their final names are complete and stay. What was sent is in the
 * ledger.
 */
export const tidyLeft = (
  ofPipeline: string,
  me: Holder,
): Effect.Effect<void, never, Disk> =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    for (const { name, text: run } of yield* Effect.try(() => leftByEnded(ofPipeline, prefix, me))) {
      if (!isFolderName(run)) continue
      const files = yield* partFiles(path.join(ofPipeline, run))
      yield* files.tidy
      yield* fs.remove(path.join(ofPipeline, draftOfLatest(run)), { force: true })
      yield* fs.remove(path.join(ofPipeline, name), { force: true })
    }
  }).pipe(Effect.ignore)
