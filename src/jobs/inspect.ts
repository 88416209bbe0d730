import { Effect } from "effect"
import { type Cell, cellText } from "../domain/cell.ts"
import type { SourceFile } from "../domain/report.ts"
import type { Cells, Column } from "../domain/row.ts"
import { hashesKept } from "../mapping/suggest/UniqueCheck.ts"
import { eachChunk } from "../source/eachChunk.ts"
import { asFound, openSource } from "../source/openSource.ts"
import type { Source, ToolCandidate, ToolReading } from "../source/Source.ts"
import { type ColumnFindings, ColumnLook } from "./ColumnLook.ts"
import type { Trap } from "./columnTraps.ts"

/** A column and the result of looking at its cells. */
export interface InspectedColumn extends ColumnFindings {
  /** From 1. */
  readonly position: number
  readonly title: string
  /** The name that a pipeline uses. Undefined if it needs a name under `source.columns`. */
  readonly name: string | undefined
  /** The question as people read it, if it differs from the title. */
  readonly label: string | undefined
  /** Its meaning for the form tool, if it is not an answer. */
  readonly role: string | undefined
  /** Its question, if that has several columns, and the option, row or rank of this one. */
  readonly block: string | undefined
  readonly option: string | undefined
}

/** What a file is, why, and what it contains. */
export interface Inspection {
  readonly file: string
  readonly format: string
  /** How it was read: format, encoding, delimiter, sheet, header, … */
  readonly taken: SourceFile["taken"]
  readonly warnings: ReadonlyArray<string>
  readonly tool:
    | ToolCandidate & { readonly variant: string | undefined; readonly notes: ReadonlyArray<string> }
    | undefined
  /** Other form tools that may have written it, the likeliest first. */
  readonly others: ReadonlyArray<ToolCandidate>
  readonly rows: number
  /** Rows that can't be read, and what is wrong with the first ones. */
  readonly faulty: number
  readonly faults: ReadonlyArray<string>
  /** Responses that were never finished. Undefined if the file doesn't show that. */
  readonly unfinished: number | undefined
  readonly columns: ReadonlyArray<InspectedColumn>
  /** Questions with several columns, by title. */
  readonly blocks: ReadonlyArray<{ readonly title: string; readonly options: ReadonlyArray<string> }>
  readonly rowKey: ReadonlyArray<RowKeyCandidate>
}

const faultsShown = 5

/** @param same all columns with this column's title, itself included */
const titleTraps = (same: ReadonlyArray<Column>, column: Column, filled: boolean): ReadonlyArray<Trap> => {
  if (column.title.trim() === "") {
    return filled
      ? [{
        code: "empty-title",
        count: 0,
        message: "It has no title. Name it under `source.columns` by its position.",
        examples: [],
      }]
      : []
  }
  if (same.length < 2 || column.name !== undefined) return []
  return [{
    code: "repeated-title",
    count: 0,
    message: `${same.length} columns have this title (columns ${
      same.map(({ position }) => position + 1).join(", ")
    }). Name them under \`source.columns\`.`,
    examples: [],
  }]
}

/** Returns how to recognise a finished response, if the form tool shows that. */
const finished = (source: Source): ((cells: Cells) => boolean) | undefined => {
  const complete = source.tool?.complete
  if (complete === undefined) return undefined
  const { is, position } = complete
  return (cells) => {
    const text = cellText(cells[position]).trim()
    return is === "filled" ? text !== "" : is.includes(text)
  }
}

/**
 * Opens a file as a pipeline would and reads all of it once, in bounded memory.
 *
 * @param file absolute, or relative to the working folder
 */
export const inspectFile = (file: string) =>
  Effect.scoped(Effect.gen(function*() {
    const source = yield* openSource(asFound(file))
    const room = { left: hashesKept }
    const looks = source.columns.map((column) => new ColumnLook(column.title, room))
    const clean = source.tool?.clean ?? ((cells: Cells) => cells)
    const isFinished = finished(source)
    const faults: Array<string> = []
    const repeated: Array<number> = []
    const isHeader = headerAgain(source.columns)
    const counts = { rows: 0, faulty: 0, unfinished: 0 }
    const none: Cell = null
    yield* eachChunk(source.read(), (chunk) =>
      Effect.sync(() => {
        chunk.rows.forEach((raw, at) => {
          counts.rows++
          if (chunk.faults.has(at)) {
            counts.faulty++
            const fault = chunk.faults.get(at)
            if (fault !== undefined && faults.length < faultsShown) faults.push(fault.message)
            return
          }
          if (isHeader(raw)) repeated.push(counts.rows)
          const cells = clean(raw)
          for (let position = 0; position < looks.length; position++) {
            looks[position]?.add(raw[position] ?? none, cells[position] ?? none)
          }
          if (isFinished?.(cells) === false) counts.unfinished++
        })
      }))
    const { rows } = counts
    const titled = new Map<string, Array<Column>>()
    for (const column of source.columns) {
      const title = column.title.trim()
      titled.set(title, [...(titled.get(title) ?? []), column])
    }
    const findings = looks.map((look, at) => {
      const column = source.columns[at]
      const found = look.findings(rows - counts.faulty, [])
      return column === undefined
        ? found
        : {
          ...found,
          traps: [...titleTraps(titled.get(column.title.trim()) ?? [], column, found.filled > 0), ...found.traps],
        }
    })
    const files = yield* source.files
    const tool = source.tool
    const roles = new Map(tool?.meta.map(({ position, role }) => [position, role]))
    const parts = new Map(
      source.blocks.flatMap(({ columns, title }) =>
        columns.map(({ option, position }) => [position, { title, option }] as const)
      ),
    )
    const inspection: Inspection = {
      file,
      format: source.format,
      taken: files[0]?.file.taken ?? source.taken,
      warnings: [...source.warnings, ...repeatedHeader(repeated)],
      tool: tool === undefined
        ? undefined
        : {
          name: tool.name,
          title: tool.title,
          score: tool.score,
          reasons: tool.reasons,
          variant: tool.variant,
          notes: tool.notes,
        },
      others: (source.candidates ?? []).filter(({ name }) => name !== tool?.name),
      rows,
      faulty: counts.faulty,
      faults,
      unfinished: isFinished === undefined ? undefined : counts.unfinished,
      columns: source.columns.flatMap((column, at): ReadonlyArray<InspectedColumn> => {
        const found = findings[at]
        if (found === undefined) return []
        const label = tool?.labels[at]
        const part = parts.get(column.position)
        return [{
          position: column.position + 1,
          title: column.title,
          name: column.name,
          label: label === undefined || label === "" || label === column.name ? undefined : label,
          role: roles.get(column.position),
          block: part?.title,
          option: part?.option,
          ...found,
        }]
      }),
      blocks: source.blocks.map(({ columns, title }) => ({ title, options: columns.map(({ option }) => option) })),
      rowKey: rowKeyCandidates(source.columns, findings, rows - counts.faulty, tool),
    }
    return inspection
  }))

/** Whether a row repeats the header, as in files that were joined from several. */
const headerAgain = (columns: ReadonlyArray<Column>) => {
  const titled = columns.filter(({ title }) => title.trim() !== "")
  const [first] = titled
  return (cells: Cells): boolean =>
    first !== undefined && titled.length > 1 && cells[first.position] === first.title
    && titled.every(({ position, title }) => cells[position] === title)
}

/** Returns the warning about rows that repeat the header. */
const repeatedHeader = (rows: ReadonlyArray<number>): ReadonlyArray<string> =>
  rows.length === 0 ? [] : [
    `${
      rows.length === 1 ? `Row ${rows[0]} holds` : `${rows.length} rows, the first of them row ${rows[0]}, hold`
    } the titles again: the file `
    + "seems to be put together of several. Take such rows out, or leave them out with `where`.",
  ]

/** Columns that may identify a row in later runs. */
interface RowKeyCandidate {
  readonly columns: ReadonlyArray<string>
  readonly because: string
}

const candidatesShown = 5

/** Scores how much a column looks like an id. */
const points = (column: Column, { kind }: ColumnFindings): number =>
  (/^#$|\b(?:id|key|no|nr|number|code|uuid|guid|token|ref|reference)\b|nummer$|_id$/i.test(column.name ?? "") ? 3 : 0)
  + (column.position === 0 ? 1 : 0)
  + (kind === "email" ? 1 : 0)
  - (kind === "dateTime" || kind === "date" || kind === "choices" ? 2 : 0)

/** Keeps columns that don't look like an id only if there are no others. */
const likely = <A extends { readonly points: number }>(list: ReadonlyArray<A>): ReadonlyArray<A> => {
  const better = list.filter(({ points }) => points > 0)
  return better.length > 0 ? better : list
}

/** Returns the form tool's own id, then columns that are filled and different in every row, the likeliest first. */
const rowKeyCandidates = (
  columns: ReadonlyArray<Column>,
  findings: ReadonlyArray<ColumnFindings>,
  rows: number,
  tool: ToolReading | undefined,
): ReadonlyArray<RowKeyCandidate> => {
  const own = tool?.defaultRowKey
  const told = own === undefined || tool === undefined
    ? []
    : [{ columns: own, because: `the id of ${tool.title}, the default` }]
  const unique = columns.flatMap((column, index) => {
    const found = findings[index]
    if (column.name === undefined || found === undefined || rows === 0 || found.filled < rows) return []
    if (found.unique === false || (own?.length === 1 && own[0] === column.name)) return []
    const because = found.unique === true
      ? "filled in every row and different in each"
      : "filled in every row; too many to see whether all are different"
    return [{ columns: [column.name], because, points: points(column, found) }]
  })
  return [
    ...told,
    ...(told.length > 0 ? unique.filter((one) => one.points > 0) : likely(unique)).toSorted((a, b) =>
      b.points - a.points
    ).map(({ because, columns }) => ({ columns, because })),
  ].slice(0, candidatesShown)
}
