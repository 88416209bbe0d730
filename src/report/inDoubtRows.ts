import type { CsvLine } from "./csv.ts"
import type { InDoubtRow } from "./RunFolder.ts"
import { sourceLine } from "./sourceLine.ts"

/** Titles of our own columns in in-doubt.csv, behind those of the source. */
export const inDoubtTitles = ["_row", "_key", "_batch", "_sent_at", "_reason"]

/** A line of in-doubt.csv. */
export const inDoubtLine = (row: InDoubtRow, columns: number): CsvLine =>
  sourceLine(row.cells, columns, [String(row.row), row.key, String(row.batch), row.sentAt, row.reason])
