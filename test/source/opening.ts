// Helpers for the tests of this folder. They write files into a separate folder, read sources to their end, and count
// open files.
import { FileSystem, type Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { Effect, Either, Layer, ManagedRuntime, type Scope } from "effect"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Cell, cellText } from "../../src/domain/cell.ts"
import type { SourceConfig } from "../../src/project/Pipeline.ts"
import { eachChunk } from "../../src/source/chunks.ts"
import { asFound, type OpenOptions, openSource } from "../../src/source/openSource.ts"
import type { Fingerprint, Source } from "../../src/source/Source.ts"

const folder = mkdtempSync(join(tmpdir(), "formferry-source-"))

let files = 0

/** Writes a file into the test's folder. Returns its path. */
export const file = (content: string | Uint8Array, extension = "csv"): string => {
  const path = join(folder, `${++files}.${extension}`)
  writeFileSync(path, content)
  return path
}

/** Returns a pipeline's `source` that names only the file. */
export const config = (path: string, said: Partial<SourceConfig> = {}): SourceConfig => ({ ...asFound(path), ...said })

/** The number of files that sources hold open, and of reads from any of them. */
export const open = { files: 0, reads: 0 }

const countingReads = (handle: FileSystem.File): FileSystem.File =>
  Object.create(handle, {
    seek: { value: handle.seek.bind(handle) },
    read: { value: (buffer: Uint8Array) => Effect.tap(handle.read(buffer), () => Effect.sync(() => open.reads++)) },
  })

/** Built once, because a test reads hundreds of sources, and building the layer takes longer than most readings. */
const platform = ManagedRuntime.make(
  Layer.merge(
    NodeContext.layer,
    Layer.effect(
      FileSystem.FileSystem,
      Effect.map(FileSystem.FileSystem, (fs) => ({
        ...fs,
        open: (path: string, options?: FileSystem.OpenFileOptions) =>
          // Released after the file itself, because the finalizer that was added last runs first.
          Effect.acquireRelease(Effect.sync(() => open.files++), () => Effect.sync(() => open.files--)).pipe(
            Effect.zipRight(Effect.map(fs.open(path, options), countingReads)),
          ),
      })),
    ).pipe(Layer.provide(NodeContext.layer)),
  ),
)

export const run = <A, E>(effect: Effect.Effect<A, E, FileSystem.FileSystem | Path.Path | Scope.Scope>): Promise<A> =>
  platform.runPromise(Effect.scoped(effect))

export interface Everything {
  readonly rows: ReadonlyArray<ReadonlyArray<Cell>>
  /** The message of each faulty row, by row number. */
  readonly faults: ReadonlyMap<number, string>
}

/** Reads a source to its end, and checks that rows are numbered without gaps. */
export const readAll = (source: Source, expected?: ReadonlyArray<Fingerprint>) =>
  Effect.gen(function*() {
    const rows: Array<ReadonlyArray<Cell>> = []
    const faults = new Map<number, string>()
    yield* eachChunk(source.read(expected), (chunk) =>
      Effect.sync(() => {
        if (chunk.firstRow !== rows.length + 1) {
          throw new Error(`chunk begins at ${chunk.firstRow}, not ${rows.length + 1}`)
        }
        for (const [at, problem] of chunk.faults) faults.set(chunk.firstRow + at, problem.message)
        rows.push(...chunk.rows)
      }))
    const all: Everything = { rows, faults }
    return all
  })

/** Opens and reads a source. */
export const read = (source: SourceConfig, options?: OpenOptions) =>
  Effect.gen(function*() {
    const opened = yield* openSource(source, options)
    return { source: opened, ...(yield* readAll(opened)), files: yield* opened.files }
  })

/** Returns the message with which opening or reading fails. */
export const refusal = (source: SourceConfig, options?: OpenOptions): Promise<string> =>
  run(
    Effect.either(read(source, options)).pipe(Effect.map((result) => {
      if (Either.isRight(result)) throw new Error("it was read")
      return result.left.message
    })),
  )

/** Returns rows as text, each with `width` cells. */
export const texts = (rows: Everything["rows"], width: number) =>
  rows.map((row) => Array.from({ length: Math.max(width, row.length) }, (_, at) => cellText(row[at])))

/** Reads a CSV file with this text. */
export const csv = (text: string | Uint8Array, said = {}, options = {}) => run(read(config(file(text), said), options))

/** Returns what was detected about a file that was read. */
export const taken = (all: Awaited<ReturnType<typeof csv>>) =>
  Object.fromEntries(all.files[0]!.file.taken.map(({ what, value }) => [what, value]))
