import type { CellState, ColumnCells } from "../domain/cells.ts"
import type { RunReport } from "../domain/run.ts"
import { counted } from "./words.ts"

/** What may be missed in the form: the cells of imported rows that were not sent, or not wholly. */
const lossy = ["sentInPart", "dropped", "notMapped", "ignored"] as const satisfies ReadonlyArray<CellState>

/** Columns that hold something and are not mapped, the fullest first: also where `unmapped: ignore` says so. */
const unmappedColumns = ({ columns = [] }: Pick<RunReport, "columns">): ReadonlyArray<ColumnCells> =>
  columns.filter(({ cells, use }) => use === "notMapped" && cells > 0).toSorted((a, b) => b.cells - a.cells)

/** A column for people. */
export const columnTitle = ({ position, title }: Pick<ColumnCells, "position" | "title">): string =>
  title.trim() === "" ? `without a title (column ${position})` : title.trim().replaceAll(/\s+/g, " ")

const inColumns = (columns: ReadonlyArray<ColumnCells>, cells: number): string =>
  `${counted(cells, "cell")} in ${counted(columns.length, "column")}`

/** What was left behind and how much, in sentences; nothing when everything was sent. */
export const leftBehind = (report: Pick<RunReport, "columns" | "sources">): ReadonlyArray<string> => {
  const { columns = [], sources } = report
  const unmapped = unmappedColumns(report)
  const of = (state: typeof lossy[number]) => {
    const some = columns.filter(({ states }) => states[state] > 0)
    return { some, cells: some.reduce((sum, { states }) => sum + states[state], 0) }
  }
  const part = of("sentInPart")
  const dropped = of("dropped")
  const ignored = columns.filter(({ cells, use }) => use === "ignored" && cells > 0)
  const unread = sources.flatMap(({ unread = [] }) => unread)
  const names = (what: typeof unread[number]["what"]) =>
    unread.filter((one) => one.what === what)
      .map(({ cells, name }) => cells === undefined ? `"${name}"` : `"${name}" (${counted(cells, "value")})`)
  const sheets = names("sheet")
  const members = names("member")
  const outside = names("outside")
  const total = (some: ReadonlyArray<ColumnCells>) => some.reduce((sum, { cells }) => sum + cells, 0)
  const be = (cells: number) => (cells === 1 ? "is" : "are")
  return [
    ...(unmapped.length === 0 ? [] : [
      `${inColumns(unmapped, total(unmapped))} ${be(total(unmapped))} not mapped: ${
        unmapped.slice(0, 5).map((column) => `${columnTitle(column)} (${counted(column.cells, "cell")})`).join(", ")
      }${unmapped.length > 5 ? ` and ${unmapped.length - 5} more` : ""}.`,
    ]),
    ...(part.cells === 0 ? [] : [`${inColumns(part.some, part.cells)} ${be(part.cells)} sent in part.`]),
    ...(dropped.cells === 0 ? [] : [`${inColumns(dropped.some, dropped.cells)} ${be(dropped.cells)} dropped.`]),
    ...(ignored.length === 0 ? [] : [
      `${inColumns(ignored, total(ignored))} ${be(total(ignored))} ignored on purpose.`,
    ]),
    ...(sheets.length === 0 ? [] : [
      `${sheets.length === 1 ? "Another visible sheet is" : "Other visible sheets are"} not read: ${
        sheets.join(", ")
      }.`,
    ]),
    ...(members.length === 0 ? [] : [
      `${members.length === 1 ? "A member" : "Members"} of the records without a column ${
        members.length === 1 ? "is" : "are"
      } not read: ${members.join(", ")}.`,
    ]),
    ...(outside.length === 0 ? [] : [`Values outside the list of records are not read: ${outside.join(", ")}.`]),
  ]
}
