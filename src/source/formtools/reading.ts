import { Effect } from "effect"
import type { Cells, Column } from "../../domain/row.ts"
import { toColumns } from "../columns.ts"
import type { Source, ToolCandidate, ToolReading } from "../Source.ts"
import { cleaner } from "./clean.ts"
import type { Evidence, Layout, MetaColumn } from "./FormTool.ts"
import { tidy } from "./sample.ts"

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

interface Read {
  readonly layout: Omit<Layout, "headerRows">
  readonly titles: ReadonlyArray<string>
  /** Columns behind the tool's: those that a rejected.csv adds. */
  readonly added: ReadonlyArray<Column>
  readonly asked: boolean
  readonly chosen: Evidence & { readonly tool: Pick<ToolReading, "name" | "title"> }
  /** All tools that it may be of. */
  readonly shown: ReadonlyArray<ToolCandidate>
  readonly headerRows?: number
}

const words = ({ asked, chosen, layout }: Read): string => {
  const { name } = chosen.tool
  const what = layout.variant === undefined ? name : `${name}, ${layout.variant}`
  const because = asked
    ? "as the pipeline says"
    : `recognised with ${Math.round(chosen.score * 100)} of 100: ${chosen.reasons.join("; ")}`
  return `${what} (${because})`
}

/** A source with what a tool's layout says of it: columns, blocks, and the reading itself. */
export const withReading = (source: Source, read: Read): Source => {
  const { added, asked, chosen, headerRows = 1, layout, shown, titles } = read
  const columns = [...columnsOf(titles, layout.meta), ...added]
  const key = layout.key.map((position) => columns[position]?.name)
  const tool: ToolReading = {
    name: chosen.tool.name,
    title: chosen.tool.title,
    variant: layout.variant,
    score: chosen.score,
    reasons: chosen.reasons,
    asked,
    meta: layout.meta,
    labels: columns.map(({ position, title }) => layout.labels?.[position] ?? tidy(title)),
    answers: layout.answers,
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
    blocks: layout.blocks,
    format: tool.name,
    tool,
    candidates: shown,
    taken: [first, ...source.taken, ...last],
    files: Effect.map(source.files, (files) =>
      files.map((one) => ({
        ...one,
        file: { ...one.file, format: tool.name, taken: [first, ...one.file.taken, ...last] },
      }))),
  }
}
