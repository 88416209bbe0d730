import { FileSystem } from "@effect/platform"
import { Effect } from "effect"
import type { Scope } from "effect"
import type { SourceConfig } from "../project/Pipeline.ts"
import { sourceDefaults } from "../project/sourceSection.ts"
import type { SourceFiles } from "../project/sourceSection.ts"
import { worthAThread } from "./digestAhead.ts"
import { fetchFile, isAddress } from "./fetchFile.ts"
import { findFiles, namesBelow } from "./findFiles.ts"
import { joinSources } from "./joinSources.ts"
import type { NamedSource } from "./joinSources.ts"
import { limits, thousands } from "./limits.ts"
import { openFile } from "./openFile.ts"
import { SourceError } from "./Source.ts"
import type { Source } from "./Source.ts"

/** Whether a source is one file that takes so long to be digested that a thread of its own pays, as far as can be told before it is opened. */
export const isLong = (where: SourceFiles): Effect.Effect<boolean, never, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const { files: [file, ...others] } = yield* findFiles(where)
    if (file === undefined || others.length > 0 || isAddress(file)) return false
    const { size } = yield* fs.stat(file)
    return Number(size) >= worthAThread
  }).pipe(Effect.orElseSucceed(() => false))

/** Bytes of a block: one read, one digest, one piece of text, one chunk of rows or a few. */
const defaultBlockSize = 256 * 1024

export interface OpenOptions {
  /** The file is a mended rejected.csv; without it that is recognised by its columns. */
  readonly mended?: boolean
  /** Whether the digest of a file is taken from now on, for it is going to be asked for: in a thread of its own, and of one file only. */
  readonly digestAhead?: boolean
  /** In bytes; for tests. */
  readonly blockSize?: number
  /** Bytes of sheets and texts from which on a workbook is read row by row; for tests. */
  readonly held?: number
}

/**
 * Opens a pipeline's source: finds its files, fetches those that have an address, recognises their format, reads their header. No file stays open:
 * each `read` opens it for as long as its stream lasts. What was fetched is kept as long as the scope.
 *
 * Errors say what is wrong with the file or with the pipeline's `source`, and what to do about it.
 */
export const openSource = (
  config: SourceConfig,
  options: OpenOptions = {},
): Effect.Effect<Source, SourceError, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const { files, matched, said } = yield* findFiles(config.file)
    if (files.length > limits.files) {
      const message = `The list under \`source.file\` has more than ${thousands(limits.files)} files. Shorten it.`
      return yield* new SourceError({ file: "source.file", message })
    }
    const settings = {
      mended: options.mended === true,
      blockSize: options.blockSize ?? defaultBlockSize,
      held: options.held,
      digestAhead: options.digestAhead === true && files.length === 1,
    }
    const open = (file: string) =>
      Effect.gen(function*() {
        if (!isAddress(file)) return { file, source: yield* openFile(fs, file, config, settings) }
        const fetched = yield* fetchFile(file)
        const source = yield* openFile(fs, fetched.path, config, { ...settings, name: fetched.file })
        // The copy's own time is that of the fetching.
        return { file: fetched.file, source: { ...source, changedAt: fetched.changedAt } }
      })
    const opened: Array<NamedSource> = []
    for (const file of files) opened.push(yield* open(file))
    const [first, ...others] = opened
    if (first === undefined) {
      return yield* new SourceError({
        file: "source.file",
        message: "The list of files is empty. Name one under `source.file`.",
      })
    }
    const source = others.length === 0 ? first.source : yield* joinSources(first, others)
    const notes = others.length === 0 ? [] : [{ what: "files", value: `${opened.length}, one after the other` }]
    const how = said === undefined ? notes : [{ what: "files", value: said }]
    return {
      ...source,
      taken: [...source.taken, ...how],
      ...(matched === undefined
        ? {}
        : { matched: { all: namesBelow(matched.base, matched.all), read: namesBelow(matched.base, files) } }),
    }
  })

/** Returns a pipeline's `source` that names only the file. */
export const asFound = (file: string): SourceConfig => ({ ...sourceDefaults(), file })
