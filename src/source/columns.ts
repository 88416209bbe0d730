import type { Cell } from "../domain/cell.ts"
import type { Column } from "../domain/row.ts"

/** The columns that rejected.csv adds after the source's own (product.md, "What a run leaves"). */
export const mendedColumns = ["_row", "_key", "_code", "_column", "_message"] as const

const endsMended = (names: ReadonlyArray<string | undefined>) =>
  names.length >= mendedColumns.length
  && mendedColumns.every((name, at) => names.at(at - mendedColumns.length) === name)

/** Whether these are the columns of a rejected.csv: the source's own, then `_row`, `_key`, `_code`, `_column`, `_message`. */
export const isMended = (columns: ReadonlyArray<Column>): boolean => endsMended(columns.map((column) => column.title))

const nameOf = (title: string) => title.trim().replaceAll(/\s+/g, " ")

/**
 * Columns from a header's titles, by position. A title names its column, trimmed and with white space collapsed, when no other title comes
 * to the same name; in a rejected.csv the columns it adds are named in any case.
 */
export const toColumns = (titles: ReadonlyArray<string>): ReadonlyArray<Column> => {
  const added = endsMended(titles) ? titles.length - mendedColumns.length : titles.length
  const times = new Map<string, number>()
  for (const title of titles) {
    const name = nameOf(title)
    times.set(name, (times.get(name) ?? 0) + 1)
  }
  const reserved = new Set<string>(added < titles.length ? mendedColumns : [])
  return titles.map((title, position) => {
    const name = nameOf(title)
    const unique = position >= added || (times.get(name) === 1 && !reserved.has(name))
    return { position, title, name: name !== "" && unique ? name : undefined }
  })
}

/** The source's own columns: all but those that a rejected.csv adds. */
export const ownColumns = (columns: ReadonlyArray<Column>): ReadonlyArray<Column> =>
  isMended(columns) ? columns.slice(0, -mendedColumns.length) : columns

/** How many cells a record may have. */
export interface Width {
  readonly header: number
  /** The header's cells up to its last title: a record may end there, because only cells without a title can be missing. */
  readonly titled: number
  /** Whether a record may also end before that. */
  readonly pad: boolean
}

/** Returns the width that a header gives its records. */
export const widthOf = (titles: ReadonlyArray<string>, pad: boolean): Width => ({
  header: titles.length,
  pad,
  titled: titles.findLastIndex((title) => title.trim() !== "") + 1,
})

/** Whether a record has all its cells in their places: its cells beyond the header's width are empty. */
export const fits = (row: ReadonlyArray<Cell>, width: Width): boolean => {
  if (row.length < width.titled && !width.pad) return false
  for (let at = width.header; at < row.length; at++) if (row[at] !== null && row[at] !== "") return false
  return true
}
