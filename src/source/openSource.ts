import * as FileSystem from "@effect/platform/FileSystem"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { hash } from "node:crypto"
import type { Cells, RowChunk } from "../domain/row.ts"
import { count } from "../domain/words.ts"
import type { LedgerError, LedgerRefused } from "../ledger/errors.ts"
import { isAtAddress } from "../project/address.ts"
import type { ConfigurationInvalid } from "../project/errors.ts"
import type { SourceConfig } from "../project/Pipeline.ts"
import type { Pull } from "../project/pull.ts"
import { type FileSource, isPull, sourceDefaults, type SourceFiles } from "../project/sourceSection.ts"
import { worthAThread } from "./bytes.ts"
import { combine } from "./combine.ts"
import { fetchFile } from "./fetchFile.ts"
import { findFiles, type FoundFiles, matchedFiles } from "./findFiles.ts"
import { isFixed } from "./fixed.ts"
import { limits } from "./limits.ts"
import { openFile } from "./openFile.ts"
import { requireDistinct } from "./pull/distinct.ts"
import type { Pulled } from "./pull/pull.ts"
import type { PullFrom } from "./pull/since.ts"
import {
  type ConnectionUnusable,
  joinedFacts,
  mapFiles,
  type NamedSource,
  refusing,
  type Source,
  type SourceDialect,
  SourceError,
  type ToolReading,
} from "./Source.ts"

/** Whether a source is a single file, large enough that its digest should be computed in a thread. False if that is unknown before the source is opened. */
export const isLong = (where: SourceFiles): Effect.Effect<boolean, never, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    if (isPull(where)) return false
    const { files: [file, ...others] } = yield* findFiles(where)
    if (file === undefined || others.length > 0 || isAtAddress(file)) return false
    const { size } = yield* fs.stat(file)
    return Number(size) >= worthAThread
  }).pipe(Effect.orElseSucceed(() => false))

/** The number of bytes of a block, which is read and hashed at once. Nothing else runs while a block is processed. */
const defaultBlockSize = 1024 * 1024

export interface OpenOptions {
  /** Whether the file is a fixed rejected.csv. If not set, such a file is recognised by its columns. */
  readonly isFixed?: boolean
  /** Whether the file is read instead of the pipeline's own source. */
  readonly isOther?: boolean
  /** Whether to start to compute the digest in a thread, because it will be needed. Only for a source of one file. */
  readonly digestAhead?: boolean
  /** Which records are pulled, if the pipeline has `since`. Default: all. */
  readonly from?: PullFrom | undefined
  /** Size of a block in bytes, for tests. */
  readonly blockSize?: number
}

/**
 * Opens a pipeline's source: finds its files, fetches those that are addresses, or pulls its records, detects the format, and reads the headers. No
 * file remains open: each `read` opens it while its stream runs. Fetched files are kept until the scope closes.
 *
 * Errors say what is wrong with the file or with the pipeline's `source`, and what to do about it.
 */
export const openSource = (config: SourceConfig, options: OpenOptions = {}): Effect.Effect<
  Source,
  SourceError | ConnectionUnusable | ConfigurationInvalid | LedgerError | LedgerRefused,
  FileSystem.FileSystem | Scope.Scope
> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const { files, matched, pulled, said }: FoundFiles & { readonly pulled?: Pulled } = isPull(config.file)
      ? yield* pulledFiles(config.file, options.from)
      : yield* findFiles(config.file)
    if (files.length > limits.files) {
      const message = `The list under \`source.file\` has more than ${count(limits.files)} files. Shorten it.`
      return yield* new SourceError({ file: "source.file", message })
    }
    const settings = {
      isFixed: options.isFixed === true,
      isOther: options.isOther === true,
      blockSize: options.blockSize ?? defaultBlockSize,
      digestAhead: options.digestAhead === true && files.length === 1,
    }
    const open = (file: string, how: SourceConfig = config) =>
      Effect.gen(function*() {
        if (file === pulled?.path) {
          const { definition, stated, written } = pulled
          const members = options.from?.members
          const own = { ...settings, name: pulled.file, written, definition: definition?.json, members }
          const stored = withDefinition(yield* openFile(fs, file, how, own), definition?.sha256)
          const source = stated === undefined ? stored : requireDistinct(stored, how, pulled.file, stated)
          return { file: pulled.file, source: { ...source, changedAt: undefined, increment: pulled.increment } }
        }
        if (!isAtAddress(file)) return { file, source: yield* openFile(fs, file, how, settings) }
        const fetched = yield* fetchFile(file)
        const source = yield* openFile(fs, fetched.path, how, { ...settings, name: fetched.file })
        // The modification time of the copy would be the time of fetching.
        return { file: fetched.file, source: { ...source, changedAt: fetched.changedAt } }
      })
    const opened: Array<NamedSource> = []
    for (const file of files) opened.push(yield* open(file))
    // There is at least one file: a list is not empty, and a pattern without a match is an error.
    const [first, ...others] = opened as [NamedSource, ...Array<NamedSource>]
    const joined = others.length === 0 ? first.source : yield* joinSources(first, others, config.rowKey === "content")
    const how = isFixed(joined.columns) ? undefined : config.combine
    const without = how?.with.find(({ file }) => file === undefined)
    if (without !== undefined && others.length > 0) {
      const message = `\`source.file\` has ${
        count(files.length)
      } files, so it is unknown which of them contains the records of "${without.as}". Name it: \`file:\` under \`source.combine.with\`. If each file has its own records, give each its own pipeline.`
      return yield* new SourceError({ file: "source.combine", message })
    }
    const added = yield* Effect.forEach(how?.with ?? [], ({ file, sheet }) =>
      file === undefined
        ? open(files[0] ?? "", { ...config, sheet, range: undefined, headerRow: undefined, combine: undefined })
        : open(file, { ...asFound(file), sheet }))
    const source = how === undefined ? joined : yield* combine({ file: first.file, source: joined }, added, how)
    const notes = others.length === 0 ? [] : [{ what: "files", value: `${opened.length}, one after the other` }]
    const found = said === undefined ? notes : [{ what: pulled === undefined ? "files" : "pulled", value: said }]
    return {
      ...source,
      ...(pulled === undefined
        ? {}
        : { files: mapFiles(source.files, (file) => ({ ...file, taken: [...file.taken, ...found] })) }),
      taken: [...source.taken, ...found],
      warnings: [...hiddenSheets([...opened, ...added]), ...source.warnings],
      ...(matched === undefined ? {} : { matched: matchedFiles(matched, files) }),
    }
  })

/** Returns a warning about each workbook with hidden sheets that none of these sources reads. */
const hiddenSheets = (read: ReadonlyArray<NamedSource>): ReadonlyArray<string> =>
  [...new Set(read.map(({ file }) => file))].flatMap((file) => {
    const [first, ...others] = read.filter((one) => one.file === file)
    const sheets = new Set(others.map(({ source }) => source.head?.sheet))
    const unread = first?.source.hiddenSheets?.filter((sheet) => !sheets.has(sheet)) ?? []
    return unread.length === 0 ? [] : [
      `${file} has hidden sheets that are not read: ${unread.join(", ")}. Name one with \`source.sheet\` to read it.`,
    ]
  })

const pulledFiles = (pull: Pull, from: PullFrom | undefined) =>
  Effect.flatMap(
    Effect.promise(() => import("./pull/pull.ts")),
    ({ pullRecords }) =>
      Effect.map(pullRecords(pull, from), (pulled) => ({ files: [pulled.path], said: pulled.said, pulled })),
  )

/** Includes the definition of the form in a source's digest, because columns and cells depend on it. */
const withDefinition = (source: Source, definition: string | undefined): Source => {
  if (definition === undefined) return source
  const both = <A extends { readonly sha256: string }>(one: A): A => ({
    ...one,
    sha256: hash("sha256", `${one.sha256} ${definition}`),
  })
  return {
    ...source,
    files: mapFiles(source.files, both),
    ...(source.digest && { digest: Effect.map(source.digest, (all) => all.map(both)) }),
  }
}

/** Returns a pipeline's `source` in which only the file is set. */
export const asFound = (file: string): FileSource => ({ ...sourceDefaults(), file })

const shownTitle = (title: string | undefined) => title === undefined ? "missing" : JSON.stringify(title)

/** Returns how a file's columns differ from the first file's, as the end of a sentence. Undefined if they are the same. */
const difference = (first: NamedSource, other: NamedSource): string | undefined => {
  const mine = first.source.columns.map(({ title }) => title)
  const yours = other.source.columns.map(({ title }) => title)
  for (let at = 0; at < Math.max(mine.length, yours.length); at++) {
    if (mine[at] === yours[at]) continue
    return `has different columns from ${first.file}: column ${at + 1} is ${shownTitle(yours[at])}, not ${
      shownTitle(mine[at])
    }. All files of a source must have the same columns in the same order: give the others their own pipeline, or export them with the same columns.`
  }
  if (first.source.format !== other.source.format) {
    return `is ${other.source.format}, but ${first.file} is ${first.source.format}. If both have the same format, name it: \`source.format\`.`
  }
  const [mineBy, yoursBy] = [first.source.tool, other.source.tool]
  return mineBy?.variant === yoursBy?.variant
    ? undefined
    : `is an export of ${yoursBy?.title} (${
      yoursBy?.variant ?? "the usual layout"
    }), but ${first.file} is one with a different layout (${
      mineBy?.variant ?? "the usual one"
    }), so their cells may differ in meaning. Export all files in the same way, or give the others their own pipeline.`
}

/** Returns the dialect of several files. Some have no encoding because they are ASCII, or no delimiter because they have one column. */
const joinDialects = (first: SourceDialect, dialects: ReadonlyArray<SourceDialect>): SourceDialect => {
  const joined = (name: "encoding" | "delimiter" | "quotes") => {
    const values = new Set(dialects.flatMap((dialect) => dialect[name] ?? []))
    return values.size === 0 ? {} : { [name]: [...values].toSorted().join(" + ") }
  }
  return { ...first, ...joined("encoding"), ...joined("delimiter"), ...joined("quotes") }
}

/** Fails if a file that was just read has the same bytes as one before it. Without a key, nothing distinguishes its rows, and each would be sent twice. */
const requireDifferent = (seen: Map<string, string>, { file, source }: NamedSource) =>
  Effect.flatMap(source.files, (files) => {
    const [read] = files
    if (read === undefined || read.file.rows === 0) return Effect.void
    const earlier = seen.get(read.fingerprint.sha256)
    seen.set(read.fingerprint.sha256, file)
    if (earlier === undefined) return Effect.void
    return refusing(file)(
      earlier === file
        ? "is named twice, so each of its rows would be sent twice. Remove one of them from `source.file`."
        : `has the same content as ${earlier}, so each of its rows would be sent twice. Remove one of them, or name the columns that identify a row: \`rowKey: [Column]\` under \`source\`.`,
    )
  })

/**
 * Joins several files with the same columns into one source. Row numbers continue from file to file, and each problem names the file it is in. Fails if
 * the columns differ.
 *
 * @param isByContent whether a row is identified by its content, so that no two files may have the same
 */
const joinSources = (
  first: NamedSource,
  others: ReadonlyArray<NamedSource>,
  isByContent: boolean,
): Effect.Effect<Source, SourceError> =>
  Effect.gen(function*() {
    for (const other of others) {
      const why = difference(first, other)
      if (why !== undefined) return yield* refusing(other.file)(why)
    }
    const all = [first, ...others]
    const { tool } = first.source
    // What a cell means may depend on the other cells of its file.
    const cleanersOf = new WeakMap<Cells, ToolReading["clean"]>()
    const read: Source["read"] = (expected) =>
      Stream.suspend(() => {
        let before = 0
        let last = 0
        const seen = new Map<string, string>()
        const inFile = ({ file, source }: NamedSource, chunk: RowChunk): RowChunk => {
          if (source.tool !== undefined) { for (const cells of chunk.rows) cleanersOf.set(cells, source.tool.clean) }
          last = before + chunk.firstRow - 1 + chunk.rows.length
          const faults = [...chunk.faults].map(([at, problem]) =>
            [at, { ...problem, message: `In ${file}: ${problem.message}` }] as const
          )
          return { firstRow: before + chunk.firstRow, rows: chunk.rows, faults: new Map(faults) }
        }
        const one = (named: NamedSource, at: number) =>
          Stream.suspend(() => {
            before = last
            const fingerprint = expected?.[at]
            return Stream.map(
              named.source.read(fingerprint === undefined ? undefined : [fingerprint]),
              (chunk) => inFile(named, chunk),
            ).pipe(Stream.concat(Stream.execute(isByContent ? requireDifferent(seen, named) : Effect.void)))
          })
        return Stream.concatAll(Chunk.fromIterable(all.map(one)))
      })
    return {
      ...first.source,
      ...(tool && { tool: { ...tool, clean: (cells) => (cleanersOf.get(cells) ?? tool.clean)(cells) } }),
      dialect: joinDialects(first.source.dialect, all.map(({ source }) => source.dialect)),
      ...joinedFacts(all.map(({ source }) => source)),
      read,
      files: Effect.map(
        Effect.forEach(all, ({ source }) => source.files),
        (files) => files.every((one) => one.length > 0) ? files.flat() : [],
      ),
    }
  })
