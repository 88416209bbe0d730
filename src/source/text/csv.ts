import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { RowChunk } from "../../domain/row.ts"
import { strayQuotes } from "../../domain/run.ts"
import { count, listed } from "../../domain/words.ts"
import { keyColumns } from "../../project/sourceSection.ts"
import type { Blocks, Bytes } from "../bytes.ts"
import { toColumns, widthOf } from "../columns.ts"
import { aboveHeader, emptyTaken, headerPlace } from "../headerRow.ts"
import { limits } from "../limits.ts"
import { LineCount } from "../lineCount.ts"
import {
  fileRead,
  type Fingerprint,
  readerVersion,
  refusing,
  type Source,
  type SourceChanged,
  type SourceError,
} from "../Source.ts"
import { dialectEncoding, type Encoding, lineEndsIn, plainName } from "./encoding.ts"
import { findEncoding } from "./findEncoding.ts"
import { type CsvSettings, delimiterName, findHeader, type Header, oneColumn } from "./header.ts"
import { learnRecords, type QuoteRule } from "./quoteRule.ts"
import { readable, readText, UnreadableText } from "./readText.ts"
import { type Lines, type Quotes, readRecords } from "./records.ts"
import { makeRows, type RowCount } from "./rows.ts"

/** How many bytes of the file's beginning are searched for the header first. */
const headBytes = 64 * 1024

/** The character that DOS programs such as dBase write after the last line of a file. */
const endSign = "\u001a"

/** Returns the text at the file's beginning. Unless it is the whole file, omits a character that is cut by the end of the bytes. Damage is reported when its row is read. */
const textOf = (encoding: Encoding, head: Uint8Array, complete: boolean) => {
  const decoder = encoding.decoder(() => undefined)
  const text = decoder.write(head) + (complete ? decoder.end() : "")
  const isSigned = ["\r", "\n"].some((lineEnd) => text.endsWith(lineEnd + endSign))
  return complete && isSigned ? text.slice(0, -1) : text
}

/** Reads the beginning of a file as text, to detect its format. */
export const beginning = (bytes: Bytes, asked: string | undefined, length = headBytes) =>
  Effect.gen(function*() {
    const head = yield* bytes.head(length)
    const { encoding } = yield* findEncoding(bytes, asked)
    return yield* readable(bytes.file, encoding, () => 1, () => textOf(encoding, head, head.length < length))
  })

const openHeader = (bytes: Bytes, settings: CsvSettings) =>
  Effect.gen(function*() {
    const { file } = bytes
    const { encoding, warnings } = yield* findEncoding(bytes, settings.encoding)
    for (let length = headBytes;; length *= 4) {
      const head = yield* bytes.head(length)
      const complete = head.length < length
      const header = yield* readable(
        file,
        encoding,
        () => 1,
        () => findHeader(textOf(encoding, head, complete), complete, settings),
      )
      if (typeof header === "string") return yield* refusing(file)(`has no header. ${header}`)
      if (header !== undefined) {
        const title = header.titles.find((title) => !title.isWellFormed())
        if (title !== undefined) {
          const shown = JSON.stringify(title.toWellFormed())
          return yield* refusing(file)(
            `has a damaged header: some bytes of the title ${shown} are not valid ${encoding.name}. Name its encoding, such as \`encoding: windows-1252\` under \`source\`, or export it again.`,
          )
        }
        return { encoding, header, warnings }
      }
      if (length > limits.record * 4) {
        return yield* refusing(file)(
          `has no header in its first ${count(length)} bytes. Give its line: \`source.headerRow\`.`,
        )
      }
    }
  })

/** Results of a reading, known at its end. */
interface Reading {
  readonly count: RowCount
  readonly quotes: Quotes
  readonly physical: number
  /** Whether the last line has no line end. */
  readonly open: boolean
}

/** Settings for reading the text below a header. */
interface Layout {
  readonly file: string
  readonly encoding: Encoding
  readonly header: Header
  readonly rule: QuoteRule
  readonly pad: boolean
}

/** Reads the rows below a header. */
const rowsOf = (
  { encoding, file, header, pad, rule }: Layout,
  blocks: Blocks,
  finished: (reading: Reading) => void,
): Stream.Stream<RowChunk, SourceError | SourceChanged> => {
  let isDamaged = false
  const decoder = encoding.decoder(() => {
    isDamaged = true
  })
  const { delimiter, quoted, titles } = header
  const reader = readRecords({ delimiter, quoted, rule, line: lineEndsIn(header.text) + 1 })
  const rows = makeRows(titles, delimiter, pad, encoding.name, header.records.slice(header.row))
  const lines = new LineCount()

  /** The text up to the header's end, collected until it is complete. It must be the same as when the source was opened. */
  let held: string | undefined = ""
  const belowHeader = (text: string, last: boolean): string | undefined => {
    if (held === undefined) return text
    held += text
    if (held.length < header.text.length && !last) return ""
    if (!held.startsWith(header.text)) return undefined
    const below = held.slice(header.text.length)
    held = undefined
    return below
  }

  /** An `endSign` at the end of the text so far. It is read if the text continues, or if it does not follow a line end. */
  let sign = ""
  const take = (piece: string, last: boolean) => {
    const all = sign + piece
    const isSigned = all.endsWith(endSign)
    const text = isSigned ? all.slice(0, -1) : all
    sign = isSigned && !last ? endSign : ""
    lines.add(text)
    const below = belowHeader(last && lines.isOpen ? all : text, last)
    if (below === undefined) return undefined
    const chunks = rows.chunks(reader.push(below, last), isDamaged, last)
    if (last && reader.quotes().undecided > 0) throw new UnreadableText(undecided(reader.quotes()))
    return chunks
  }
  const ended = () =>
    finished({ count: rows.count(), quotes: reader.quotes(), physical: lines.lines, open: lines.isOpen })
  return readText({ file, blocks, encoding, decoder, line: reader.line, take, ended })
}

/** Returns the positions of the row key's columns. Empty if the pipeline does not name them, or if a name is not among the columns. */
const keyPositions = (rowKey: CsvSettings["rowKey"], columns: Source["columns"]): ReadonlyArray<number> => {
  const positions = keyColumns({ rowKey }).map(({ name }) => columns.findIndex((column) => column.name === name))
  return positions.includes(-1) ? [] : positions
}

const linesOf = ({ from, to }: Lines) => from === to ? `line ${from}` : `lines ${from} to ${to}`

const someOf = (shown: ReadonlyArray<string>, all: number) =>
  shown.length < all ? `${shown.join(", ")} and ${count(all - shown.length)} more` : listed(shown)

const literalLines = ({ literal, literalLines: lines }: Quotes) =>
  `kept as characters on ${literal === 1 ? "line" : `${count(literal)} lines:`} ${someOf(lines.map(String), literal)}`

/** Describes records whose quotes allow two readings, or none. */
const undecided = ({ undecided: all, undecidedLines }: Quotes): string => {
  const isBoth = undecidedLines.some(({ because }) => because === "both")
  const lines = someOf(undecidedLines.map(linesOf), all)
  return isBoth
    ? `Quotes can be read in two ways on ${lines}: as enclosing one cell that contains line breaks, or as ordinary characters in separate records. `
      + "Correct the quotes there, or state under `source` what quotes mean in this file: `quoteChar: '\"'` if they enclose cells, `quoteChar: none` if they are characters."
    : `Quotes are wrong on ${lines}: it is uncertain where the record ends. Double the quotes inside quoted cells (""). If quotes are ordinary characters in this file, write \`quoteChar: none\` under \`source\`.`
}

const quotesTaken = ({ quoteChar }: CsvSettings) =>
  quoteChar === undefined ? [] : [{
    what: "quotes",
    value: quoteChar === "none" ? "ordinary characters" : "around cells",
  }]

/** Matches text whose last line has several quoted titles with only spaces between them. */
const spaced = /(?:^|[\r\n])"[^"\r\n]*"(?: +"[^"\r\n]*")+\s*$/

/** Checks a header. Returns how the file was opened, and warnings about it. */
const describedHeader = (
  file: string,
  settings: CsvSettings,
  { encoding, header, warnings: ofEncoding }: Effect.Effect.Success<ReturnType<typeof openHeader>>,
) =>
  Effect.gen(function*() {
    if (header.titles.length > limits.columns) {
      return yield* refusing(file)(
        `has ${count(header.titles.length)} columns, more than the limit of ${count(limits.columns)}. `
          + "Check whether its delimiter was detected correctly; if not, set `source.delimiter`.",
      )
    }
    if (header.delimiterBecause === oneColumn && spaced.test(header.text)) {
      return yield* refusing(file)(
        "has spaces between its cells. Save it with commas: in R, use write.csv(data, row.names = FALSE) instead of write.table. "
          + 'If there is exactly one space between cells, and the header has a title for each column, you can write `delimiter: " "` under `source` instead.',
      )
    }
    const ofMark = settings.encoding !== undefined && encoding.because === "by its byte order mark"
        && plainName(settings.encoding) !== plainName(encoding.name)
      ? [
        `${file} starts with the byte order mark of ${encoding.name} and was read in that encoding, although the pipeline says ${settings.encoding}.`,
      ]
      : []
    const warnings = [
      ...ofEncoding,
      ...ofMark,
      ...aboveHeader(file, "on line", header.row, header.above),
    ]
    const delimiter = header.delimiterBecause === oneColumn
      ? oneColumn
      : `${delimiterName(header.delimiter)} (${header.delimiterBecause})`
    const taken = [
      { what: "encoding", value: `${encoding.name} (${encoding.because})` },
      { what: "delimiter", value: delimiter },
      ...quotesTaken(settings),
      {
        what: "header",
        value: headerPlace(settings.headerRow, `line ${header.row}`, header.above)
          + (header.isRepaired && settings.headerRow !== "none" ? ", with bare quotes in its titles" : ""),
      },
    ]
    return { taken, warnings }
  })

/** Opens delimited text. Fails if the encoding is unknown, there is no header, or the file is not text. */
export const openCsv = (bytes: Bytes, settings: CsvSettings): Effect.Effect<Source, SourceError> =>
  Effect.gen(function*() {
    const { file } = bytes
    const opened = yield* openHeader(bytes, settings)
    const { encoding, header } = opened
    const { taken, warnings } = yield* describedHeader(file, settings, opened)
    let files: Effect.Effect.Success<Source["files"]> = []

    const columns = toColumns(header.titles)
    const layout: Layout = {
      file,
      encoding,
      header,
      rule: learnRecords(header.records.slice(header.row), {
        width: widthOf(header.titles, false),
        open: settings.quoteChar === undefined,
        key: keyPositions(settings.rowKey, columns),
      }),
      pad: settings.raggedRows === "pad",
    }
    const above = new LineCount()
    above.add(header.text)

    const read = (expected?: Fingerprint) =>
      Effect.map(bytes.blocks(expected), (blocks) => {
        const finished = ({ count: { belowEmpty, empty, inside, longest, rows }, open, physical, quotes }: Reading) => {
          files = fileRead(file, "csv", blocks.fingerprint(), {
            rows,
            taken: [
              ...emptyTaken("empty lines", empty, belowEmpty),
              ...(quotes.literal === 0 ? [] : [{ what: strayQuotes, value: literalLines(quotes) }]),
            ],
            lines: {
              physical,
              above: above.lines,
              records: rows,
              inside,
              blank: empty,
              ...(open ? { open } : {}),
            },
            ...(longest === undefined ? {} : { longest }),
          })
        }
        return rowsOf(layout, blocks, finished)
      })

    return {
      dialect: {
        format: "csv",
        ...dialectEncoding(encoding),
        ...(header.delimiterBecause === oneColumn ? {} : { delimiter: header.delimiter }),
        quotes: header.quoted ? '"' : "none",
        reader: readerVersion,
      },
      columns,
      blocks: [],
      taken,
      format: "csv",
      head: {
        records: header.records,
        header: header.row - 1,
        skipped: 0,
        detectedRow: header.above === 0 ? undefined : header.row,
        sheet: undefined,
        delimiter: header.delimiter,
      },
      warnings,
      read: (expected) => Stream.unwrapScoped(read(expected?.[0])),
      files: Effect.sync(() => files),
    }
  })
