import { Chunk, Effect, Option, Stream } from "effect"
import type { RowChunk } from "../domain/row.ts"
import type { Blocks, Bytes } from "./bytes.ts"
import { toColumns } from "./columns.ts"
import { findHeader, oneColumn } from "./csvHeader.ts"
import type { CsvSettings, Header } from "./csvHeader.ts"
import { readRecords } from "./csvRecords.ts"
import { toChunks, widthOf } from "./csvRows.ts"
import type { RowCount } from "./csvRows.ts"
import { delimiterName } from "./delimiter.ts"
import { dialectEncoding } from "./encoding.ts"
import type { Decoder, Encoding } from "./encoding.ts"
import { findEncoding } from "./findEncoding.ts"
import { limits, thousands } from "./limits.ts"
import { readable } from "./readable.ts"
import { readerVersion, SourceChanged, SourceError } from "./Source.ts"
import type { Fingerprint, Source } from "./Source.ts"

/** Bytes that are turned into text at a time: longer strings are slower to collect. */
const pieceBytes = 64 * 1024

/** Bytes of the file's beginning in which the header is looked for first. */
const headBytes = 64 * 1024

/** Text of the file's beginning; a character that its end cuts is left out. */
const textOf = (encoding: Encoding, head: Uint8Array) => encoding.decoder().write(head.subarray(encoding.mark))

/** The beginning of a file as text, for looking at it. */
export const beginning = (bytes: Bytes, asked: string | undefined) =>
  Effect.gen(function*() {
    const head = yield* bytes.head(headBytes)
    const { encoding } = yield* findEncoding(bytes, asked)
    return yield* readable(bytes.file, encoding, () => 1, () => textOf(encoding, head))
  })

const openHeader = (bytes: Bytes, settings: CsvSettings) =>
  Effect.gen(function*() {
    const { file } = bytes
    const { encoding, warnings } = yield* findEncoding(bytes, settings.encoding)
    for (let length = headBytes;; length *= 4) {
      const head = yield* bytes.head(length)
      const complete = head.length < length
      const found = yield* readable(
        file,
        encoding,
        () => 1,
        () => findHeader(textOf(encoding, head), complete, settings),
      )
      if (found._tag === "None") {
        return yield* new SourceError({ file, message: `${file} has no header. ${found.message}` })
      }
      if (found._tag === "Found") {
        return { encoding, header: found.header, warnings }
      }
      if (length > limits.record * 4) {
        const message = `${file} has no header in its first ${
          thousands(length)
        } bytes. Say where it stands: \`source.headerRow\`.`
        return yield* new SourceError({ file, message })
      }
    }
  })

const sameTitles = (a: ReadonlyArray<string>, b: ReadonlyArray<string> | undefined) =>
  b !== undefined && a.length === b.length && a.every((title, at) => title === b[at])

/** Turns a reading's blocks into chunks of rows, block by block: no block is asked for before the one before it was used up. */
const rowsOf = (
  { blocks, encoding, file, finished, header }: {
    readonly file: string
    readonly blocks: Blocks
    readonly encoding: Encoding
    readonly header: Header
    readonly finished: (count: RowCount) => void
  },
): Stream.Stream<RowChunk, SourceError | SourceChanged> => {
  const decoder: Decoder = encoding.decoder()
  const reader = readRecords(header.delimiter, header.quoted)
  const width = widthOf(header.titles)
  let mark = encoding.mark
  let above = header.row
  let count: RowCount = { rows: 0, empty: 0 }
  let changed = false
  let ended = false

  const { mended } = header
  /** The beginning, until the line that is to be mended is there. */
  let held: string | undefined = mended && ""
  const sound = (text: string, last: boolean): string => {
    if (mended === undefined || held === undefined) return text
    held += text
    if (held.length < mended.original.length && !last) return ""
    const rest = held.slice(mended.original.length)
    if (!held.startsWith(mended.original)) changed = true
    held = undefined
    return mended.mended + rest
  }

  const piece = (text: string, last: boolean): ReadonlyArray<RowChunk> => {
    const pushed = reader.push(sound(text, last), last)
    const from = Math.min(above, pushed.records.length)
    above -= from
    // The header was found when the source was opened: it has to be the same still.
    if (from > 0 && above === 0 && !sameTitles(header.titles, pushed.records[from - 1])) changed = true
    const made = toChunks(pushed, from, width, count)
    count = made.count
    return made.chunks
  }

  let block: Uint8Array = new Uint8Array(0)
  let at = 0

  const given = (rows: () => ReadonlyArray<RowChunk>) =>
    Effect.flatMap(
      Effect.mapError(readable(file, encoding, reader.line, rows), Option.some),
      (made) =>
        changed ? Effect.fail(Option.some(new SourceChanged({ file }))) : Effect.succeed(Chunk.unsafeFromArray(made)),
    )

  // A piece at a time, not a block: rows that are used before the next ones are made die young, which halves the collector's work. And no generator, which would
  // keep them.
  const pull: Effect.Effect<Chunk.Chunk<RowChunk>, Option.Option<SourceError | SourceChanged>> = Effect.suspend(() => {
    if (ended) return Effect.fail(Option.none())
    if (at < block.length) {
      return given(() => {
        const bytes = block.subarray(at, at + pieceBytes)
        at += pieceBytes
        return piece(decoder.write(bytes), false)
      })
    }
    return Effect.flatMap(Effect.mapError(blocks.next, Option.some), (next) => {
      if (next !== undefined) {
        block = next
        at = Math.min(mark, block.length)
        mark -= at
        return pull
      }
      return Effect.tap(given(() => piece(decoder.end(), true)), () => {
        ended = true
        finished(count)
      })
    })
  })
  return Stream.repeatEffectChunkOption(pull)
}

const headingLeftOut = (file: string, { above, row }: Header) =>
  `${file} has its header in line ${row}, as it seems: ${
    above === 1 ? "one line above is" : `${above} lines above are`
  } left out. Say \`headerRow: ${row}\` under \`source\` if so, else the right line.`

const quotesTaken = ({ quoted }: Header, { quoteChar }: CsvSettings) => {
  const how = quoteChar === undefined ? "detected" : "as the pipeline says"
  if (!quoted) return [{ what: "quotes", value: `characters like any other (${how})` }]
  return quoteChar === undefined ? [] : [{ what: "quotes", value: `around cells (${how})` }]
}

/** Opens a delimited text. Errors: no such encoding or delimiter, no header, not text. */
export const openCsv = (bytes: Bytes, settings: CsvSettings): Effect.Effect<Source, SourceError> =>
  Effect.gen(function*() {
    const { file } = bytes
    if (settings.delimiter !== undefined && (settings.delimiter === "" || /["\r\n\ufeff]/.test(settings.delimiter))) {
      const message = `${
        JSON.stringify(settings.delimiter)
      } can't set cells apart. Correct \`source.delimiter\`: for example "," or ";".`
      return yield* new SourceError({ file, message })
    }
    const { encoding, header, warnings: ofEncoding } = yield* openHeader(bytes, settings)
    if (header.titles.length > limits.columns) {
      const message =
        `${file} has ${thousands(header.titles.length)} columns, more than the ${
          thousands(limits.columns)
        } that are read. `
        + "See whether its delimiter was taken right: `source.delimiter`."
      return yield* new SourceError({ file, message })
    }
    const ofMark = settings.encoding !== undefined && encoding.because === "by its byte order mark"
        && settings.encoding.toLowerCase().replaceAll(/[^a-z0-9]/g, "") !== encoding.name.toLowerCase().replace("-", "")
      ? [
        `${file} begins with the byte order mark of ${encoding.name} and was read so, although the pipeline says ${settings.encoding}.`,
      ]
      : []
    const warnings = [...ofEncoding, ...ofMark, ...(header.above === 0 ? [] : [headingLeftOut(file, header)])]
    const delimiter = header.delimiterBecause === oneColumn
      ? oneColumn
      : `${delimiterName(header.delimiter)} (${header.delimiterBecause})`
    const taken = [
      { what: "encoding", value: `${encoding.name} (${encoding.because})` },
      { what: "delimiter", value: delimiter },
      ...quotesTaken(header, settings),
      {
        what: "header",
        value: `line ${header.row}${header.above === 0 ? "" : " (detected)"}${
          header.mended === undefined ? "" : ", with bare quotes in its titles"
        }`,
      },
    ]
    let files: Effect.Effect.Success<Source["files"]> = []

    const read = (expected?: Fingerprint) =>
      Effect.map(bytes.blocks(expected), (blocks) => {
        const finished = ({ empty, rows }: RowCount) => {
          const fingerprint = blocks.fingerprint()
          const left = empty === 0 ? [] : [{ what: "empty lines", value: `${thousands(empty)} left out` }]
          const { bytes: size, sha256 } = fingerprint
          files = [{
            file: { file, format: "csv", bytes: size, sha256, rows, taken: [...taken, ...left] },
            fingerprint,
          }]
        }
        return rowsOf({ file, blocks, encoding, header, finished })
      })

    return {
      dialect: {
        format: "csv",
        ...dialectEncoding(encoding),
        ...(header.delimiterBecause === oneColumn ? {} : { delimiter: header.delimiter }),
        quotes: header.quoted ? '"' : "none",
        reader: readerVersion,
      },
      columns: toColumns(header.titles),
      blocks: [],
      taken,
      format: "csv",
      head: {
        records: header.records,
        header: header.row - 1,
        skipped: 0,
        sheet: undefined,
        delimiter: header.delimiter,
      },
      warnings,
      read: (expected) => Stream.unwrapScoped(read(expected?.[0])),
      files: Effect.sync(() => files),
    }
  })
