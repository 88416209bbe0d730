import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { SourceFile } from "../domain/report.ts"
import type { Cells, Column, ColumnBlock, RowChunk } from "../domain/row.ts"
import type { Evidence, Layout, ToolColumns } from "../formtools/FormTool.ts"
import type { Increment } from "./pull/since.ts"

/** A source that can't be opened, or can't be read in its format. The message says where, and what to do next. */
export class SourceError extends Schema.TaggedError<SourceError>()("SourceError", {
  file: Schema.String,
  /** What happened and what to do next, as sentences. */
  message: Schema.String,
  cause: Schema.optional(Schema.Defect),
}) {}

/** The account that a source is pulled from can't be used: its secret is wrong, a quota is used up, or its server does not answer. */
export class ConnectionUnusable extends Schema.TaggedError<ConnectionUnusable>()("ConnectionUnusable", {
  file: Schema.String,
  /** What happened and what to do next, as sentences. */
  message: Schema.String,
}) {}

/** Returns the function that makes the error about a file from the end of its sentence. */
export const refusing = (file: string) => (end: string, cause?: unknown) =>
  new SourceError({ file, message: `${file} ${end}`, ...(cause === undefined ? {} : { cause }) })

/** Like `refusing`, for an account that can't be used. */
export const unusableBy = (file: string) => (end: string) => new ConnectionUnusable({ file, message: `${file} ${end}` })

/** Runs a function that may throw one of our own errors, which `refused` turns into a failure. Any other exception is a bug. */
export const catchOwn = <A, E>(run: () => A, refused: (error: unknown) => E | undefined): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(run())
    } catch (error) {
      const failure = refused(error)
      return failure === undefined ? Effect.die(error) : Effect.fail(failure)
    }
  })

/** Shows the progress of a pull: the number of records, that a job is running, or the number of bytes of a single answer. Does nothing unless a caller provides it. */
export class PullProgress extends Context.Reference<PullProgress>()("formferry/PullProgress", {
  defaultValue: () => (_phase: "pull" | "job" | "download", _count?: number, _total?: number): Effect.Effect<void> =>
    Effect.void,
}) {}

/** The bytes of a source differ from those of the earlier reading. The source has changed, or is still being written. */
export class SourceChanged extends Schema.TaggedError<SourceChanged>()("SourceChanged", {
  file: Schema.String,
}) {
  override get message() {
    return `${this.file} changed while it was being read. The changed part was not used. Run again once the file is complete.`
  }
}

/** Fails with `SourceError` if the file changes while it is being opened. */
export const changedWhileOpening = <A, R>(
  opening: Effect.Effect<A, SourceError | SourceChanged, R>,
): Effect.Effect<A, SourceError, R> =>
  Effect.catchTag(opening, "SourceChanged", ({ file, message }) => new SourceError({ file, message }))

/** Digests of a source's bytes, block by block. They make it possible to refuse a second reading at the first block that differs. */
export interface Fingerprint {
  readonly bytes: number
  readonly sha256: string
  /** The SHA-256 of all bytes up to each block's end, for each block of `blockSize` bytes, in order. */
  readonly blocks: Uint8Array
  readonly blockSize: number
}

/** The unchanged beginning of a source, used to recognise form tools. */
export interface Head {
  /** The first records, including those above the header and empty ones. */
  readonly records: ReadonlyArray<Cells>
  /** Index of the header in `records`. */
  readonly header: number
  /** Number of records in the source before the first of `records`. */
  readonly skipped: number
  /** The number of the header's row, if rows above it are not read although the pipeline doesn't say so. */
  readonly detectedRow: number | undefined
  readonly sheet: string | undefined
  readonly delimiter: string | undefined
}

/** A form tool that a file may come from. */
export interface ToolCandidate extends Evidence {
  readonly name: string
  readonly title: string
}

/** A source that is read as a form tool's export. */
export interface ToolReading extends ToolCandidate, ToolColumns {
  /** The tool's layout. Undefined if the tool has only one. */
  readonly variant: string | undefined
  /** Whether the pipeline named the tool. If false, formferry recognised it. */
  readonly asked: boolean
  /** How to recognise unfinished responses, if the tool marks them. */
  readonly complete: Layout["complete"]
  /**
   * Turns a row of the file into answers: words for "nothing" become null, and guards against formulas are removed. The rows of `Source.read` remain
   * unchanged, because rejected.csv shows them and content digests cover them.
   */
  readonly clean: (cells: Cells) => Cells
  readonly notes: ReadonlyArray<string>
}

/**
 * The settings for reading a source that affect the content of its cells. They are known before a row is read, and are
 * the same for all files written in the same way. For several files, members that differ are joined with " + ".
 */
export interface SourceDialect {
  /** csv, excel, json or jsonl, regardless of the form tool that wrote the source. */
  readonly format: string
  /**
   * The encoding in lower case without punctuation, such as `windows1252`. Absent if the source is not text, or is ASCII, which is the same in every
   * encoding.
   */
  readonly encoding?: string
  /** Absent if the source is not delimited text, or has a single column. */
  readonly delimiter?: string
  /** Whether quotes enclose cells (`"`) or are ordinary characters (`none`). Absent if the source is not delimited text. */
  readonly quotes?: string
  /** The version of the reader (`readerVersion`). */
  readonly reader: number
}

/** The reader's version. Increase it with each change that produces different cells, or different texts of cells, from the same file. */
export const readerVersion = 6

/** A file that matches a pattern. `version`: identifies the file as it is now, so that one that replaces it is a different one. */
export interface MatchedFile {
  readonly name: string
  readonly version: string
}

/** An open source. Its header is known, but its rows are not read yet. */
export interface Source {
  readonly dialect: SourceDialect
  readonly columns: ReadonlyArray<Column>
  /** Questions that take several columns, if the format shows them. */
  readonly blocks: ReadonlyArray<ColumnBlock>
  /** What was detected or set before the rows were read. */
  readonly taken: SourceFile["taken"]
  readonly format: string
  /** The hidden sheets of the workbook that this source does not read. */
  readonly hiddenSheets?: ReadonlyArray<string>
  /** The beginning of a source that was read as a table, used to recognise form tools. */
  readonly head?: Head
  /** The form tool that exported the source. */
  readonly tool?: ToolReading
  /** Form tools that the source may come from, likeliest first, including the chosen one. */
  readonly candidates?: ReadonlyArray<ToolCandidate>
  /** Sentences about how the file was interpreted, for the terminal and the report. */
  readonly warnings: ReadonlyArray<string>
  /**
   * Reads all rows, in chunks, in order. May be called again. Memory use does not grow with the number of rows. If `expected` is given, exactly the
   * same bytes are read: if a block differs, reading fails with `SourceChanged` before any of its rows is returned.
   */
  readonly read: (expected?: ReadonlyArray<Fingerprint>) => Stream.Stream<RowChunk, SourceError | SourceChanged>
  /** What was read, one element for each file. Empty until a stream of `read` has ended. */
  readonly files: Effect.Effect<ReadonlyArray<{ readonly file: SourceFile; readonly fingerprint: Fingerprint }>>
  /**
   * When the newest file was last changed, in milliseconds since 1970. Undefined if that is unknown, for example for a fetched file whose server
   * sends no time.
   */
  readonly changedAt?: number | undefined
  /**
   * For a pattern: its folder (`base`), all files that match, and the versions of those that this source reads. Names are
   * relative to the folder. Absent if the pipeline names its files.
   */
  readonly matched?:
    | { readonly base: string; readonly all: ReadonlyArray<MatchedFile>; readonly read: ReadonlyArray<string> }
    | undefined
  /** The members of JSON records, in the order of the file's own columns. */
  readonly members?: ReadonlyArray<string>
  /** The times of the records, if the source is pulled and the pipeline has `since`. Only new records may have been pulled. */
  readonly increment?: Increment | undefined
  /** Returns the digests that `files` would have, without parsing the bytes. Absent if no row can be read from the source. */
  readonly digest?: Effect.Effect<ReadonlyArray<FileDigest>, SourceError>
}

/** A source, with its file's name. */
export interface NamedSource {
  readonly file: string
  readonly source: Source
}

/** Returns the warnings, the time and the digests of several sources that are read as one. */
export const joinedFacts = (sources: ReadonlyArray<Source>): Pick<Source, "warnings" | "changedAt" | "digest"> => {
  const times = sources.flatMap(({ changedAt }) => changedAt ?? [])
  return {
    warnings: sources.flatMap(({ warnings }) => warnings),
    // An unknown time may be later than the others.
    changedAt: times.length < sources.length ? undefined : Math.max(...times),
    digest: Effect.map(Effect.forEach(sources, ({ digest }) => digest ?? Effect.succeed([])), (all) => all.flat()),
  }
}

/** Changes what is reported about each of a source's files. */
export const mapFiles = (files: Source["files"], change: (file: SourceFile) => SourceFile): Source["files"] =>
  Effect.map(files, (all) => all.map((one) => ({ ...one, file: change(one.file) })))

/** Returns what a reader's `files` contains after a file was read. `taken` contains what became known only then: `openFile` adds the rest. */
export const fileRead = (
  file: string,
  format: string,
  fingerprint: Fingerprint,
  rest: Pick<SourceFile, "rows" | "taken"> & Partial<SourceFile>,
): Effect.Effect.Success<Source["files"]> => [
  { file: { file, format, bytes: fingerprint.bytes, sha256: fingerprint.sha256, ...rest }, fingerprint },
]

/** A file of a source, and the SHA-256 of its bytes in hexadecimal digits. For an archive, the digest covers the unpacked bytes. */
export interface FileDigest {
  readonly file: string
  readonly sha256: string
}
