import { Effect, Option, Stream } from "effect"
import { cellText } from "../../domain/cell.ts"
import type { Cells, Column, RowChunk } from "../../domain/row.ts"
import type { FormToolName } from "../../project/formTools.ts"
import { isMended, ownColumns, toColumns } from "../columns.ts"
import { eachChunk } from "../eachChunk.ts"
import { SourceError } from "../Source.ts"
import type { Head, Source, ToolReading } from "../Source.ts"
import { cleaner } from "./clean.ts"
import type { ColumnFacts, FormTool, Layout, MetaColumn } from "./FormTool.ts"
import { formToolNamed } from "./index.ts"
import { type Candidate, candidates, enough, sampleAt } from "./recognise.ts"
import { tidy } from "./sample.ts"

export interface ToolOptions {
  readonly file: string
  /** The tool that the pipeline names; undefined: it is recognised. */
  readonly asked: FormToolName | undefined
  /** The pipeline's `headerRow`. */
  readonly headerRow: number | undefined
}

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

/** Columns by the tool's titles. A title that a question shares with one of the tool's own columns names the tool's own. */
const columnsOf = (titles: ReadonlyArray<string>, meta: ReadonlyArray<MetaColumn>): ReadonlyArray<Column> => {
  const columns = toColumns(titles)
  const own = meta.map(({ position }) => tidy(titles[position] ?? ""))
  return columns.map((column) => {
    if (column.name !== undefined || !meta.some(({ position }) => position === column.position)) return column
    const name = tidy(column.title)
    return name !== "" && own.filter((one) => one === name).length === 1 ? { ...column, name } : column
  })
}

/** Leaves out the records that are headers, and numbers the others from 1. */
const withoutHeaders = <E>(skip: number) => (chunks: Stream.Stream<RowChunk, E>): Stream.Stream<RowChunk, E> =>
  skip === 0 ? chunks : Stream.filterMap(chunks, (chunk) => {
    const from = Math.max(0, skip + 1 - chunk.firstRow)
    if (from >= chunk.rows.length) return Option.none()
    if (from === 0) return Option.some({ ...chunk, firstRow: chunk.firstRow - skip })
    const faults = [...chunk.faults].flatMap(([at, problem]) => (at < from ? [] : [[at - from, problem] as const]))
    return Option.some({ firstRow: 1, rows: chunk.rows.slice(from), faults: new Map(faults) })
  })

/** As wide as the source's columns: a header row may be shorter than its rows. */
const widened = <A>(list: ReadonlyArray<A>, width: number, filler: A): ReadonlyArray<A> =>
  Array.from({ length: Math.max(width, list.length) }, (_, at) => list[at] ?? filler)

const formatWords = (tool: FormTool, layout: Layout, candidate: Candidate, asked: boolean): string => {
  const what = layout.variant === undefined ? tool.name : `${tool.name}, ${layout.variant}`
  const because = asked
    ? "as the pipeline says"
    : `recognised with ${Math.round(candidate.score * 100)} of 100: ${candidate.reasons.join("; ")}`
  return `${what} (${because})`
}

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
    if (opened.head === undefined) return opened
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
    const columns = [...columnsOf(titles, layout.meta), ...source.columns.slice(width)]
    const key = layout.key.map((position) => columns[position]?.name)
    const clean = cleaner(layout)
    const reading: ToolReading = {
      name: tool.name,
      title: tool.title,
      variant: layout.variant,
      score: chosen.score,
      reasons: chosen.reasons,
      asked: asked !== undefined,
      meta: layout.meta,
      labels: columns.map(({ position, title }) => layout.labels?.[position] ?? tidy(title)),
      answers: layout.answers,
      complete: layout.complete,
      defaultRowKey: key.length > 0 && key.every((name) => name !== undefined) ? key : undefined,
      clean: clean ?? ((cells: Cells) => cells),
      notes: layout.notes ?? [],
    }
    const taken = { what: "tool", value: formatWords(tool, layout, chosen, reading.asked) }
    const headers = headerRows === 1 ? [] : [{ what: "header rows", value: String(headerRows) }]
    return {
      ...source,
      columns,
      blocks: layout.blocks,
      format: tool.name,
      tool: reading,
      candidates: shown,
      taken: [taken, ...source.taken, ...headers],
      read: (expected) => source.read(expected).pipe(withoutHeaders(skip)),
      files: Effect.map(source.files, (files) =>
        files.map((one) => ({
          ...one,
          file: {
            ...one.file,
            format: tool.name,
            rows: one.file.rows - skip,
            taken: [taken, ...one.file.taken, ...headers],
          },
        }))),
    }
  })
