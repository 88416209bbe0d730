import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type Cell, cellText, isFilled } from "../domain/cell.ts"
import type { Json } from "../domain/json.ts"
import type { Problem } from "../domain/problem.ts"
import type { SourceFile } from "../domain/report.ts"
import type { Cells, Column, RowChunk } from "../domain/row.ts"
import { oneLine } from "../domain/words.ts"
import { withTexts } from "../formtools/blocks.ts"
import type { ColumnFacts, Evidence, FormTool, Layout, MetaColumn, Sample } from "../formtools/FormTool.ts"
import { formToolNamed, formTools } from "../formtools/index.ts"
import { cellsOf, cleaner, sampleOf, withRole } from "../formtools/sample.ts"
import { eachChunk } from "./chunks.ts"
import { toColumns } from "./columns.ts"
import { isFixed, ownColumns } from "./fixed.ts"
import { notARecord, repeatedHeader } from "./headerRow.ts"
import {
  changedWhileOpening,
  type Head,
  mapFiles,
  type Source,
  type SourceChanged,
  type SourceError,
  type ToolCandidate,
  type ToolReading,
} from "./Source.ts"

/** A form tool that a file may come from. */
interface Candidate extends Evidence {
  readonly tool: FormTool
  /** The index of the tool's first header record among the head's records. */
  readonly at: number
}

/** The lowest score at which a file is read as a tool's export if the pipeline names no tool. */
export const enough = 0.4

/** The maximum number of records that may precede a header. */
const titleRows = 12

/** Returns a head's records as text, starting at an index. */
const sampleAt = (head: Head, file: string, at: number): Sample =>
  sampleOf(head.records.slice(at).map((record) => record.map((cell) => cellText(cell))), {
    file: file.replace(/^.*[/\\]/, ""),
    sheet: head.sheet,
    delimiter: head.delimiter,
    isFixed: false,
  })

/**
 * Returns the tools that a file may come from, likeliest first. Equally likely tools remain in the order of the list of tools.
 *
 * @param headerOnly whether the pipeline says where the header is, so that only that record is considered
 */
export const candidates = (head: Head, file: string, headerOnly = false): ReadonlyArray<Candidate> => {
  const places = headerOnly ? [head.header] : [...head.records.keys()].slice(0, titleRows + 1)
  const samples = places.map((at) => ({ at, sample: sampleAt(head, file, at) }))
    .filter(({ sample }) => sample.titles.some((title) => title !== ""))
  const byScore = (a: Candidate, b: Candidate) => b.score - a.score
  return formTools.flatMap((tool) => {
    const [best] = samples.flatMap(({ at, sample }): ReadonlyArray<Candidate> => {
      const found = tool.recognise(sample)
      return found === undefined ? [] : [{ tool, ...found, at }]
    }).toSorted(byScore)
    return best ?? []
  }).toSorted(byScore)
}

/**
 * Finds columns by the tool's titles. If a question has the same title as one of the tool's own columns, the title
 * stands for the tool's column.
 */
const columnsOf = (titles: ReadonlyArray<string>, meta: ReadonlyArray<MetaColumn>): ReadonlyArray<Column> => {
  const columns = toColumns(titles)
  const own = meta.map(({ position }) => oneLine(titles[position] ?? ""))
  return columns.map((column) => {
    if (column.name !== undefined || !meta.some(({ position }) => position === column.position)) return column
    const name = oneLine(column.title)
    return name !== "" && own.filter((one) => one === name).length === 1 ? { ...column, name } : column
  })
}

const shownCandidate = (
  { reasons, score, tool }: Evidence & { readonly tool: Pick<FormTool, "name" | "title"> },
): ToolCandidate => ({ name: tool.name, title: tool.title, score, reasons })

interface Read {
  readonly layout: Omit<Layout, "headerRows">
  readonly titles: ReadonlyArray<string>
  /** The columns that a rejected.csv adds after the tool's columns. */
  readonly added: ReadonlyArray<Column>
  readonly asked: boolean
  readonly chosen: Evidence & { readonly tool: Pick<ToolReading, "name" | "title"> }
  /** All tools that the file may come from. */
  readonly shown: ReadonlyArray<ToolCandidate>
  readonly headerRows?: number
}

const words = ({ asked, chosen, layout }: Read): string => {
  const { name } = chosen.tool
  const what = layout.variant === undefined ? name : `${name}, ${layout.variant}`
  const because = asked
    ? "as given"
    : `recognised with ${Math.round(chosen.score * 100)} of 100: ${chosen.reasons.join("; ")}`
  return `${what} (${because})`
}

/**
 * Returns a source that is interpreted by a tool's layout: with the tool's columns and blocks, and its reading of the
 * cells.
 */
const withReading = (source: Source, read: Read): Source => {
  const { added, asked, chosen, headerRows = 1, layout, shown, titles } = read
  const { blocks = [], meta = [] } = layout
  const columns = [...columnsOf(titles, meta), ...added]
  const key = (layout.key ?? withRole(meta, "id")).map((position) => columns[position]?.name)
  const tool: ToolReading = {
    name: chosen.tool.name,
    title: chosen.tool.title,
    variant: layout.variant,
    score: chosen.score,
    reasons: chosen.reasons,
    asked,
    meta,
    labels: columns.map(({ position, title }) => layout.labels?.[position] ?? oneLine(title)),
    complete: layout.complete,
    defaultRowKey: key.length > 0 && key.every((name) => name !== undefined) ? key : undefined,
    clean: cleaner(layout) ?? ((cells: Cells) => cells),
    notes: layout.notes ?? [],
  }
  const first = { what: "tool", value: words(read) }
  const last = headerRows === 1 ? [] : [{ what: "header rows", value: String(headerRows) }]
  return {
    ...source,
    columns,
    blocks,
    format: tool.name,
    tool,
    candidates: shown,
    taken: [first, ...source.taken, ...last],
    files: mapFiles(source.files, (file) => ({ ...file, format: tool.name })),
  }
}

/** The pipeline's settings for reading a file. */
interface ToolOptions {
  readonly file: string
  /** The tool that the pipeline names. If undefined, the tool is recognised. */
  readonly asked: string | undefined
  /** The pipeline's `headerRow`. */
  readonly headerRow: number | undefined
  /** Whether there is only one header row, regardless of the tool. Default: only for a rejected.csv. */
  readonly isPlain?: boolean
  /** The form tool's definition of the form, if it was pulled. */
  readonly definition?: Json | undefined
}

/**
 * Reads records as the responses of a form tool's API. The pipeline names the tool, or it is recognised if possible. All records are read once in
 * advance, because any record may contain a question that no other record has.
 */
const asRecordTool = (
  opened: Source,
  { asked, definition }: Pick<ToolOptions, "asked" | "definition">,
): Effect.Effect<Source, SourceError> =>
  Effect.gen(function*() {
    const members = new Set(opened.columns.map(({ title }) => title))
    const found = formTools.flatMap((tool) => {
      const evidence = tool.records?.recognise(members)
      return tool.records === undefined || evidence === undefined ? [] : [{ tool, records: tool.records, ...evidence }]
    }).toSorted((a, b) => b.score - a.score)
    const shown = found.map(shownCandidate)
    const named = formToolNamed(asked)
    const chosen = asked === undefined
      ? found.find(({ score }) => score >= enough)
      : found.find(({ tool }) => tool === named)
        // Records of a few responses may lack members by which the tool is recognised.
        ?? (named?.records && { tool: named, records: named.records, score: 0, reasons: [] })
    if (chosen === undefined) return { ...opened, candidates: shown }
    const learner = chosen.records.learn(opened.columns, definition)
    yield* eachChunk(opened.read(), (chunk) =>
      Effect.sync(() => {
        for (const [at, row] of chunk.rows.entries()) if (!chunk.faults.has(at)) learner.add(row)
      })).pipe(changedWhileOpening)
    const { cells, ...layout } = learner.layout()
    return {
      ...withReading(opened, { layout, titles: layout.titles, added: [], asked: asked !== undefined, chosen, shown }),
      read: (expected) =>
        Stream.map(opened.read(expected), (chunk) => ({
          ...chunk,
          rows: chunk.rows.map((row, at) => (chunk.faults.has(at) ? row : cells(row))),
        })),
    }
  })

/** Returns the head without the columns that a rejected.csv adds. The form tool wrote only the source's own columns. */
const ownHead = (head: Head, columns: ReadonlyArray<Column>): Head =>
  columns.length === 0 ? head : { ...head, records: head.records.map((record) => record.slice(0, columns.length)) }

const chosenFrom = (
  list: ReadonlyArray<Candidate>,
  asked: FormTool | undefined,
  head: Head,
  isFixed: boolean,
): Candidate | undefined => {
  if (asked !== undefined) {
    return list.find(({ tool }) => tool === asked) ?? { tool: asked, score: 0, reasons: [], at: head.header }
  }
  const [best] = list
  // A rejected.csv has one header row, and the same columns as the source, so a low score is enough to recognise the tool.
  return best !== undefined && best.score >= (isFixed ? enough / 2 : enough) ? best : undefined
}

/** Reads all cells in advance, for tools whose header doesn't distinguish their columns. */
const factsOf = (
  source: Source,
  titles: ReadonlyArray<string>,
  skip: number,
): Effect.Effect<ReadonlyArray<ColumnFacts>, SourceError | SourceChanged> =>
  Effect.gen(function*() {
    const columns = titles.map((title) => ({ title: oneLine(title), filled: 0, ownTitle: 0 }))
    const add = (cells: Cells) =>
      columns.forEach((column, position) => {
        const text = oneLine(cellText(cells[position]))
        if (text === "") return
        column.filled++
        if (text === column.title) column.ownTitle++
      })
    yield* eachChunk(source.read(), ({ faults, firstRow, rows }) =>
      Effect.sync(() =>
        rows.forEach((cells, at) => {
          if (firstRow + at > skip && !faults.has(at)) add(cells)
        })
      ))
    return columns
  })

/** Replaces the row number in a row's problem. */
const renumbered = (problem: Problem, row: number): Problem => ({
  ...problem,
  message: problem.message.replace(/^Row \d+/, `Row ${row}`),
})

/**
 * Omits these records, which are headers, and numbers the other records, starting with 1. Records that repeat them are not read.
 *
 * @param isHeader whether another record is a header
 */
const withoutHeaders =
  <E>(headers: ReadonlyArray<ReadonlyArray<Cell>>, isHeader: Layout["isHeader"]) =>
  (chunks: Stream.Stream<RowChunk, E>): Stream.Stream<RowChunk, E> => {
    const skip = headers.length
    const problemsOf = headers.map(repeatedHeader)
    if (isHeader !== undefined) {
      problemsOf.push((row, where) =>
        isHeader(row) ? notARecord(`${where()} contains titles, and no response. Remove it from the file.`) : undefined
      )
    }
    return problemsOf.length === 0 ? chunks : Stream.filterMap(chunks, (chunk) => {
      const from = Math.max(0, skip + 1 - chunk.firstRow)
      if (from >= chunk.rows.length) return Option.none()
      const firstRow = chunk.firstRow + from - skip
      const faults = [...chunk.faults].flatMap(([at, problem]) =>
        at < from ? [] : [[at - from, renumbered(problem, firstRow + at - from)] as const]
      )
      const rows = from === 0 ? chunk.rows : chunk.rows.slice(from)
      const repeated = rows.flatMap((row, at) =>
        problemsOf.flatMap((problemOf) => {
          const problem = problemOf(row, () => `Row ${firstRow + at}`)
          return problem === undefined ? [] : [[at, problem] as const]
        })
      )
      return Option.some({ firstRow, rows, faults: new Map([...repeated, ...faults]) })
    })
  }

/** Returns what is reported about a file, with header records counted as lines above the data. */
const withoutHeaderRows = ({ lines, longest, ...file }: SourceFile, skip: number): SourceFile => ({
  ...file,
  rows: file.rows - skip,
  ...(lines === undefined ? {} : { lines: { ...lines, above: lines.above + skip, records: lines.records - skip } }),
  ...(longest === undefined || longest.row <= skip ? {} : { longest: { ...longest, row: longest.row - skip } }),
})

/** Pads a list to the number of the source's columns, because a header row may be shorter than the rows below it. */
const widened = <A>(list: ReadonlyArray<A>, width: number, filler: A): ReadonlyArray<A> =>
  Array.from({ length: Math.max(width, list.length) }, (_, at) => list[at] ?? filler)

/**
 * Reads a source as the export of a form tool. The pipeline names the tool, or it is recognised if possible. Columns get the tool's names, and the
 * tool's further header rows don't count as rows. Rows remain as they are in the file: `tool.clean` turns them into answers.
 *
 * @param reopen opens the file again if the tool's header is in a different row
 */
export const asFormTool = (
  opened: Source,
  { asked, definition, file, headerRow, isPlain = false }: ToolOptions,
  reopen: (headerRow: number) => Effect.Effect<Source, SourceError>,
): Effect.Effect<Source, SourceError> =>
  Effect.gen(function*() {
    if (opened.head === undefined) return yield* asRecordTool(opened, { asked, definition })
    const own = isFixed(opened.columns) ? ownColumns(opened.columns) : isPlain ? opened.columns : []
    const hasOneHeader = own.length > 0
    const head = ownHead(opened.head, own)
    const list = candidates(head, file, hasOneHeader || headerRow !== undefined)
    const shown = list.map(shownCandidate)
    const chosen = chosenFrom(list, formToolNamed(asked), head, hasOneHeader)
    if (chosen === undefined) return { ...opened, candidates: shown }

    const { at, tool } = chosen
    const source = at === head.header ? opened : yield* reopen(head.skipped + at + 1)
    const sample = { ...sampleAt(head, file, at), isFixed: hasOneHeader }
    const first = tool.layout(sample)
    const headerRows = hasOneHeader ? 1 : first.headerRows ?? 1
    // The reader doesn't return records in which every cell is empty.
    const furtherHeaders = head.records.slice(at + 1, at + headerRows).filter((record) => record.some(isFilled))
    const skip = furtherHeaders.length
    const width = hasOneHeader ? own.length : source.columns.length
    const titles = widened(first.titles ?? sample.records[0] ?? [], width, "")
    const layout = tool.needsFacts === true
      ? tool.layout(sample, yield* factsOf(source, titles, skip).pipe(changedWhileOpening))
      : first
    const made = withReading(source, {
      layout: {
        ...layout,
        blocks: withTexts(layout.blocks ?? [], (position) => cellsOf(sample, position, headerRows)),
      },
      titles,
      added: source.columns.slice(width),
      asked: asked !== undefined,
      chosen,
      shown,
      headerRows,
    })
    return {
      ...made,
      read: (expected) => source.read(expected).pipe(withoutHeaders(furtherHeaders, layout.isHeader)),
      files: mapFiles(made.files, (file) => withoutHeaderRows(file, skip)),
    }
  })
