import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import { cellText } from "../domain/cell.ts"
import type { ShownSurvey } from "../domain/draft.ts"
import { groupBy } from "../domain/groupBy.ts"
import type { InspectedColumn } from "../domain/inspectedColumn.ts"
import { cut } from "../domain/problem.ts"
import type { SourceFile } from "../domain/report.ts"
import type { Cells, RowChunk } from "../domain/row.ts"
import type { ToolColumns } from "../formtools/FormTool.ts"
import type { ProfiledColumn } from "../profile/ColumnProfile.ts"
import { recordProfiler, type StrayRow, strayWarnings } from "../profile/strayRows.ts"
import { flow } from "../project/PipelineDraft.ts"
import type { SourceConfig } from "../project/sourceSection.ts"
import { eachChunk } from "../source/chunks.ts"
import { ownColumns } from "../source/fixed.ts"
import type { Source, ToolCandidate } from "../source/Source.ts"
import { labelledTitle } from "../suggest/Suggestion.ts"
import { suggestRowKey } from "../suggest/toolColumns.ts"
import { CellTraps } from "./cellTraps.ts"
import { dateTraps, emptyBelowTraps, exceptionTraps, titleTraps } from "./columnTraps.ts"
import { kindOf, mostFrequent } from "./inspectedKind.ts"
import { openShown } from "./prepare.ts"
import { labelsFor, readableRows, type SourceLabels, unreadSheets } from "./suggestMapping.ts"

/** What a file is, how that was detected, and what the file contains. */
export interface Inspection {
  readonly file: string
  readonly format: string
  /** How the file was read: format, encoding, delimiter, sheet, header, … */
  readonly taken: SourceFile["taken"]
  readonly warnings: ReadonlyArray<string>
  readonly tool:
    | ToolCandidate & { readonly variant: string | undefined; readonly notes: ReadonlyArray<string> }
    | undefined
  /** Other form tools that may have written the file, the likeliest first. */
  readonly others: ReadonlyArray<ToolCandidate>
  /** The first rows of a table, with how each is interpreted. Empty if the file is not a table. */
  readonly head: ReadonlyArray<HeadRow>
  readonly rows: number
  /** The number of rows that can't be read, and the problems found in the first ones. */
  readonly faulty: number
  readonly faults: ReadonlyArray<string>
  /** The number of responses that were never finished. Undefined if the file doesn't say which ones were. */
  readonly unfinished: number | undefined
  readonly columns: ReadonlyArray<InspectedColumn>
  /** Questions with several columns, by title. */
  readonly blocks: ReadonlyArray<{ readonly title: string; readonly options: ReadonlyArray<string> }>
  readonly rowKey: ReadonlyArray<RowKeyCandidate>
}

interface HeadRow {
  /** The record's number in the file or sheet, counting from 1. */
  readonly row: number
  readonly is: "empty" | "not read" | "header" | "row" | StrayRow["is"]
  readonly cells: ReadonlyArray<string>
}

/** How many rows above the header, and below it, are shown. */
const shownAbove = 6
const shownBelow = 3

/** Returns the first rows of a table, with how each is interpreted. */
const headOf = (source: Source, stray: ReadonlyArray<StrayRow>): ReadonlyArray<HeadRow> => {
  const { head } = source
  if (head === undefined) return []
  const extra = Number(source.taken.find(({ what }) => what === "header rows")?.value ?? 1)
  const first = head.header + extra
  const from = Math.max(0, head.header - shownAbove)
  const hasUnits = stray.some(({ is }) => is === "units")
  return head.records.slice(from, first + shownBelow).map((record, index): HeadRow => {
    const at = from + index
    const cells = record.map((cell) => cut(cellText(cell), sampleLength))
    const isEmpty = cells.every((cell) => cell.trim() === "")
    return {
      row: head.skipped + at + 1,
      is: at >= head.header && at < first
        ? "header"
        : isEmpty
        ? "empty"
        : at < head.header
        ? "not read"
        : at === first && hasUnits
        ? "units"
        : "row",
      cells,
    }
  })
}

const faultsShown = 5

/** Returns how to recognise a finished response, if the form tool marks it. */
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
 * Opens a file, or pulls records, as a pipeline would and reads it once, in bounded memory.
 *
 * @param definition the absolute path of the form tool's own definition of the form
 */
export const inspectFile = (config: SourceConfig, definition?: string) =>
  Effect.scoped(Effect.gen(function*() {
    const source = yield* openShown(config)
    const labels = yield* labelsFor(definition, ownColumns(source.columns))
    const profiles = recordProfiler(source.columns, source.tool !== undefined)
    const inspector = inspecting(source, labels)
    yield* eachChunk(
      source.read(),
      (chunk) => Effect.sync(() => inspector.add(chunk, profiles.addRow)),
    )
    const { complete, stray } = profiles.ended()
    return yield* inspector.ended({ stray, profiles: complete() })
  }))

export const inspecting = (source: Source, labels?: SourceLabels) => {
  const cellTraps = source.columns.map((column) => new CellTraps(column.title))
  const readable = readableRows(source)
  const isFinished = finished(source)
  const faults: Array<string> = []
  const counts = { rows: 0, faulty: 0, unfinished: 0 }
  /** Looks at the rows of a chunk. Calls `use` with the cells of each row that can be read. */
  const add = (chunk: RowChunk, use: (cells: Cells, row: number, raw: Cells) => void): void => {
    counts.rows += chunk.rows.length
    counts.faulty += chunk.faults.size
    for (const { message } of chunk.faults.values()) if (faults.length < faultsShown) faults.push(message)
    const pairs: Array<readonly [raw: Cells, cells: Cells]> = []
    readable(chunk, (cells, row, raw) => {
      use(cells, row, raw)
      pairs.push([raw, cells])
      if (isFinished?.(cells) === false) counts.unfinished++
    })
    // Column by column, which is faster for many columns.
    for (const [position, traps] of cellTraps.entries()) {
      for (const [raw, cells] of pairs) traps.add(raw[position] ?? null, cells[position] ?? null)
    }
  }
  /** Returns the inspection. Call it after the last row, with the profiles of its columns. */
  const ended = ({ profiles: profiled, stray }: {
    readonly profiles: ReadonlyArray<ProfiledColumn>
    readonly stray: ReadonlyArray<StrayRow>
  }) =>
    Effect.map(source.files, (files): Inspection => {
      const { tool } = source
      return {
        file: files[0]?.file.file ?? "",
        format: source.format,
        taken: [
          ...files[0]?.file.taken ?? source.taken.filter(({ what }) => what === "pulled"),
          ...labels === undefined ? [] : [labels.taken],
        ],
        warnings: [
          ...source.warnings,
          ...unreadSheets(files),
          ...strayWarnings(
            stray,
            (where, them) =>
              `Skip ${them} with \`where: ${
                flow(where)
              }\` under \`source\`, as \`init\` does. The columns are shown without ${them}.`,
          ),
        ],
        tool: tool && Struct.pick(tool, "name", "title", "score", "reasons", "variant", "notes"),
        others: (source.candidates ?? []).filter(({ name }) => name !== tool?.name),
        head: headOf(source, stray),
        rows: counts.rows,
        faulty: counts.faulty,
        faults,
        unfinished: isFinished === undefined ? undefined : counts.unfinished,
        columns: inspectedColumns(source, profiled, cellTraps, labels),
        blocks: source.blocks.map(({ columns, title }) => ({ title, options: columns.map(({ option }) => option) })),
        rowKey: rowKeyCandidates(profiled, tool),
      }
    })
  return { add, ended }
}

const inspectedColumns = (
  { blocks, columns, tool }: Source,
  profiled: ReadonlyArray<ProfiledColumn>,
  cellTraps: ReadonlyArray<CellTraps>,
  labels: SourceLabels | undefined,
): ReadonlyArray<InspectedColumn> => {
  const titled = groupBy(columns, ({ title }) => title.trim())
  const roles = new Map(tool?.meta.map(({ position, role }) => [position, role]))
  const parts = new Map(
    blocks.flatMap((block) =>
      block.columns.map(({ option, position }) => [position, { block: block.title, option }] as const)
    ),
  )
  return profiled.map(({ column, profile }, at) => {
    const described = labels?.of(column)
    const label = (described && labelledTitle({ labels: described })) ?? tool?.labels[at]
    const part = parts.get(column.position)
    const { distinctCount: distinct, filled, unique } = profile
    const [kind, share] = kindOf(profile)
    return {
      position: column.position + 1,
      title: column.title,
      name: column.name,
      label: label === undefined || label === "" || label === column.name ? undefined : label,
      described: described !== undefined && labelledTitle({ labels: described }) !== undefined,
      role: roles.get(column.position),
      block: part?.block,
      option: part?.option,
      filled,
      fill: profile.rows === 0 ? 0 : filled / profile.rows,
      kind,
      share,
      distinct,
      unique,
      samples: mostFrequent(profile, samplesShown).map(([text, times]) => ({
        text: cut(text, sampleLength),
        times,
        label: described?.options.get(text),
      })),
      traps: [
        ...titleTraps(titled.get(column.title.trim()) ?? [], column, filled > 0),
        ...cellTraps[at]?.traps() ?? [],
        ...(at === 0 ? emptyBelowTraps(profile, profiled) : []),
        ...dateTraps(profile),
        ...exceptionTraps(profile, kind),
      ],
    }
  })
}

const samplesShown = 4
const sampleLength = 60

/** Columns that may identify a row in later runs. */
type RowKeyCandidate = ShownSurvey["rowKeys"][number]

/** Returns the columns that `init` would suggest as the row key, followed by other candidates, the likeliest first. */
const rowKeyCandidates = (
  columns: ReadonlyArray<ProfiledColumn>,
  tool: ToolColumns | undefined,
): ReadonlyArray<RowKeyCandidate> => {
  const { because, candidates, names } = suggestRowKey(columns, tool)
  return [
    ...(names.length === 0 ? [] : [{ columns: names, because }]),
    ...candidates.flatMap(({ column: { name }, profile: { unique } }) =>
      name === undefined ? [] : [{
        columns: [name],
        because: unique === true
          ? "filled in every row and different in each"
          : "filled in every row; too many values to check whether all are different",
      }]
    ),
  ]
}
