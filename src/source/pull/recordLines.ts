import { isList, type Json, valueText } from "../../domain/json.ts"
import { Unpaged } from "./unpaged.ts"

/**
 * Makes lines of the records of a page: a JSON line of each, or a row of CSV if the records are lists of cells, of which the
 * first is the header. Shorter rows are padded. Throws `Unpaged`.
 */
export const recordLines = () => {
  let width: number | undefined
  let header = ""
  const cell = (value: Json | undefined): string => `"${valueText(value ?? "").replaceAll('"', '""')}"`
  const line = (row: Json, columns: number): string => {
    if (!isList(row) || row.length > columns) {
      throw new Unpaged(
        "sent records that are not rows of one table. Correct `source.records`, or the range in `source.request`.",
      )
    }
    return `${Array.from({ length: columns }, (_, at) => cell(row[at])).join(",")}\n`
  }
  return {
    isTable: () => width !== undefined,
    /** Whether a later page begins with the header of the first one. */
    repeatsHeader: ([first]: ReadonlyArray<Json>): boolean =>
      width !== undefined && first !== undefined && line(first, width) === header,
    lines: (records: ReadonlyArray<Json>, isFirst: boolean): string => {
      const [first = null] = records
      if (isFirst && isList(first)) {
        width = records.reduce<number>((most, row) => isList(row) ? Math.max(most, row.length) : most, 1)
        header = line(first, width)
      }
      if (width === undefined) return records.map((record) => `${JSON.stringify(record)}\n`).join("")
      const columns = width
      return records.map((row) => line(row, columns)).join("")
    },
  }
}
