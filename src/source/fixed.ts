import * as Stream from "effect/Stream"
import { cellText, unmarkedError } from "../domain/cell.ts"
import type { Problem, ProblemCode } from "../domain/problem.ts"
import { addedColumns } from "../domain/rejectedLine.ts"
import type { Cells, Column, RowChunk } from "../domain/row.ts"
import type { Source } from "./Source.ts"

/** The `_id` of a rejected row. Begins with a letter, because a spreadsheet program could read digits as a number. */
export const idPattern = /^r([0-9a-f]{32})$/

/** Returns the position of the first column that rejected.csv adds. -1 if the titles are not those of such a file. A spreadsheet program may have added columns after them. */
export const addedAt = (titles: ReadonlyArray<string>): number =>
  titles.findIndex((_, first) => addedColumns.every((name, at) => titles[first + at] === name))

const addedFrom = (columns: ReadonlyArray<Column>): number => addedAt(columns.map((column) => column.title))

/** Whether the columns that a rejected.csv adds are among these. */
export const isFixed = (columns: ReadonlyArray<Column>): boolean => addedFrom(columns) >= 0

/** Returns the position after the last column that may have a cell. Cells from there on are beyond the header. */
export const endOf = (columns: ReadonlyArray<Column>): number => {
  const first = addedFrom(columns)
  return first < 0 ? columns.length : first + addedColumns.length
}

/** Returns the source's own columns, without those that a rejected.csv adds. */
export const ownColumns = (columns: ReadonlyArray<Column>): ReadonlyArray<Column> => {
  const first = addedFrom(columns)
  return first < 0 ? columns : columns.slice(0, first)
}

/** The problems of rows that could not be read properly. Each is a row's only problem. */
const unread = [
  "ragged-row",
  "damaged-text",
  "header-row",
  "other-table",
  "not-json",
  "conflict",
] as const satisfies ReadonlyArray<
  ProblemCode
>

/** Returns the code of a rejected row that could not be read properly. Undefined for another row, whose key was read. */
export const unreadCode = (key: string, code: string): ProblemCode | undefined =>
  key === "" ? unread.find((one) => one === code) : undefined

/**
 * Rejects the rows of a rejected.csv that an earlier run could not read properly, until a person deletes their `_code`:
 * missing cells, damaged characters and conflicting records look like ordinary cells in the file, so nothing else
 * shows that a person has corrected them. Such a row has no `_key`, because its key was not read. Also rejects rows
 * with cells after the file's last column, which spreadsheet programs give columns without a title, and rows whose
 * `_id` was changed or removed, because it is unknown which row they replace. Errors of a workbook are errors again.
 */
export const rejectUnread = (fixed: Source): Source => {
  const { columns } = fixed
  const end = endOf(columns)
  const at = (name: typeof addedColumns[number]) => end - addedColumns.length + addedColumns.indexOf(name)
  const textOf = (cells: Cells, name: typeof addedColumns[number]) => cellText(cells[at(name)])
  const problemOf = (cells: Cells, row: number): Problem | undefined => {
    const found = unreadCode(textOf(cells, "_key"), textOf(cells, "_code"))
    const isLonger = cells.slice(end).some((cell) => cellText(cell) !== "")
    if (!idPattern.test(textOf(cells, "_id")) && addedColumns.some((name) => textOf(cells, name) !== "")) {
      return {
        code: "unknown-original",
        column: undefined,
        message: `The _id of row ${row} was changed or removed, so it is unknown which row it replaces. `
          + `Copy the _id from the rejected.csv of the run. In a new row, leave the columns from _id to _message empty.`,
      }
    }
    if (found === undefined && !isLonger) return undefined
    return {
      code: found ?? "ragged-row",
      column: textOf(cells, "_column") || undefined,
      message: found === undefined
        ? `Row ${row} has cells after the column _message. Move them to their columns, or remove them.`
        : `Row ${row} could not be read properly by an earlier run (${found}). `
          + `Correct its cells, then delete the content of its column _code.`,
    }
  }
  const inChunk = (chunk: RowChunk): RowChunk => {
    const faults = new Map(chunk.faults)
    chunk.rows.forEach((cells, index) => {
      const problem = faults.has(index) ? undefined : problemOf(cells, chunk.firstRow + index)
      if (problem !== undefined) faults.set(index, problem)
    })
    return { ...chunk, faults, rows: chunk.rows.map((cells) => cells.map(unmarkedError)) }
  }
  return { ...fixed, read: (expected) => Stream.map(fixed.read(expected), inChunk) }
}
