import { Effect, Option, Stream } from "effect"
import { cellText } from "../../domain/cell.ts"
import type { Problem } from "../../domain/problem.ts"
import type { SourceFile } from "../../domain/report.ts"
import type { Column, RowChunk } from "../../domain/row.ts"
import { isMended, ownColumns } from "../columns.ts"
import { eachChunk } from "../eachChunk.ts"
import { SourceError } from "../Source.ts"
import type { Head, Source } from "../Source.ts"
import { asRecordTool } from "./asRecordTool.ts"
import { withTexts } from "./blocks.ts"
import type { ColumnFacts, FormTool } from "./FormTool.ts"
import { formToolNamed } from "./index.ts"
import { withReading } from "./reading.ts"
import { type Candidate, candidates, enough, sampleAt } from "./recognise.ts"
import { cellsOf, tidy } from "./sample.ts"
import type { ToolOptions } from "./ToolOptions.ts"

/** Opens the same file again with its header in another row. */
type Reopen<R> = (headerRow: number) => Effect.Effect<Source, SourceError, R>

/** A column of a rejected.csv is the source's own, or one that was added: only the own ones are the tool's. */
const ownHead = (head: Head, columns: ReadonlyArray<Column>): Head =>
  columns.length === 0 ? head : { ...head, records: head.records.map((record) => record.slice(0, columns.length)) }

const chosenFrom = (
  list: ReadonlyArray<Candidate>,
  asked: FormTool | undefined,
  head: Head,
  mended: boolean,
): Candidate | undefined => {
  if (asked !== undefined) {
    return list.find(({ tool }) => tool === asked) ?? { tool: asked, score: 0, reasons: [], at: head.header }
  }
  const [best] = list
  // A rejected.csv has one header row, and lacks nothing but rows: little is needed to know it again.
  return best !== undefined && best.score >= (mended ? enough / 2 : enough) ? best : undefined
}

/** Reads all cells once, for tools whose columns can't be told by their header. */
const factsOf = (source: Source, titles: ReadonlyArray<string>, skip: number) =>
  Effect.gen(function*() {
    const plain = titles.map(tidy)
    const filled = new Uint32Array(titles.length)
    const ownTitle = new Uint32Array(titles.length)
    yield* eachChunk(source.read(), (chunk) =>
      Effect.sync(() => {
        for (let at = 0; at < chunk.rows.length; at++) {
          if (chunk.firstRow + at <= skip || chunk.faults.has(at)) continue
          const cells = chunk.rows[at] ?? []
          for (let position = 0; position < plain.length; position++) {
            const cell = cells[position] ?? null
            if (cell === null) continue
            const text = tidy(cellText(cell))
            if (text === "") continue
            filled[position] = (filled[position] ?? 0) + 1
            if (text === plain[position]) ownTitle[position] = (ownTitle[position] ?? 0) + 1
          }
        }
      }))
    return titles.map((_, position): ColumnFacts => ({
      filled: filled[position] ?? 0,
      ownTitle: ownTitle[position] ?? 0,
    }))
  })

/** A problem of a row that got another number. */
const renumbered = (problem: Problem, row: number): Problem => ({
  ...problem,
  message: problem.message.replace(/^Row \d+/, `Row ${row}`),
})

/** Leaves out the records that are headers, and numbers the others from 1. */
const withoutHeaders = <E>(skip: number) => (chunks: Stream.Stream<RowChunk, E>): Stream.Stream<RowChunk, E> =>
  skip === 0 ? chunks : Stream.filterMap(chunks, (chunk) => {
    const from = Math.max(0, skip + 1 - chunk.firstRow)
    if (from >= chunk.rows.length) return Option.none()
    const firstRow = chunk.firstRow + from - skip
    const faults = [...chunk.faults].flatMap(([at, problem]) =>
      at < from ? [] : [[at - from, renumbered(problem, firstRow + at - from)] as const]
    )
    const rows = from === 0 ? chunk.rows : chunk.rows.slice(from)
    return Option.some({ firstRow, rows, faults: new Map(faults) })
  })

/** What is said of a file, once the records that are headers count as such. */
const withoutHeaderRows = ({ lines, longest, ...file }: SourceFile, skip: number): SourceFile => ({
  ...file,
  rows: file.rows - skip,
  ...(lines === undefined ? {} : { lines: { ...lines, above: lines.above + skip, records: lines.records - skip } }),
  ...(longest === undefined || longest.row <= skip ? {} : { longest: { ...longest, row: longest.row - skip } }),
})

/** As wide as the source's columns: a header row may be shorter than its rows. */
const widened = <A>(list: ReadonlyArray<A>, width: number, filler: A): ReadonlyArray<A> =>
  Array.from({ length: Math.max(width, list.length) }, (_, at) => list[at] ?? filler)

/**
 * Takes a source for the export of a form tool: of the one that the pipeline names, or of the one that it is recognised as, if any. Columns get the
 * tool's names, its further header rows are no rows. Rows stay as they stand in the file: `tool.clean` makes answers of them.
 *
 * @param reopen opens the file again when the tool's header is in another row than the one it was opened with
 */
export const asFormTool = <R>(
  opened: Source,
  { asked, file, headerRow }: ToolOptions,
  reopen: Reopen<R>,
): Effect.Effect<Source, SourceError, R> =>
  Effect.gen(function*() {
    if (opened.head === undefined) {
      return yield* asRecordTool(opened, { asked, file, headerRow })
    }
    const mended = isMended(opened.columns)
    const own = mended ? ownColumns(opened.columns) : []
    const head = ownHead(opened.head, own)
    const list = candidates(head, file, { headerOnly: mended || headerRow !== undefined })
    const shown = list.map(({ reasons, score, tool }) => ({ name: tool.name, title: tool.title, score, reasons }))
    const chosen = chosenFrom(list, asked === undefined ? undefined : formToolNamed(asked), head, mended)
    if (chosen === undefined) return { ...opened, candidates: shown }

    const { at, tool } = chosen
    const source = at === head.header ? opened : yield* reopen(head.skipped + at + 1)
    const sample = { ...sampleAt(head, file, at), mended }
    const first = tool.layout(sample)
    const headerRows = mended ? 1 : first.headerRows
    // Records in which every cell is empty are no records of the reader's.
    const skip = head.records.slice(at + 1, at + headerRows).filter((record) =>
      record.some((cell) =>
        cellText(cell ?? null) !== ""
      )
    ).length
    const width = mended ? own.length : source.columns.length
    const titles = widened(first.titles, width, "")
    const layout = tool.needsFacts === true
      ? tool.layout(
        sample,
        yield* factsOf(source, titles, skip).pipe(
          Effect.catchTag("SourceChanged", ({ message }) => new SourceError({ file, message })),
        ),
      )
      : first
    const made = withReading(source, {
      layout: { ...layout, blocks: withTexts(layout.blocks, (position) => cellsOf(sample, position, headerRows)) },
      titles,
      added: source.columns.slice(width),
      asked: asked !== undefined,
      chosen,
      shown,
      headerRows,
    })
    return {
      ...made,
      read: (expected) => source.read(expected).pipe(withoutHeaders(skip)),
      files: Effect.map(made.files, (files) =>
        files.map((one) => ({ ...one, file: withoutHeaderRows(one.file, skip) }))),
    }
  })
