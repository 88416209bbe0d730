import { cellText } from "../domain/cell.ts"
import type { Cells, Column } from "../domain/row.ts"
import type { Digester } from "../ledger/Ledger.ts"

/** Names by which a column's cells enter a content digest: its name, or its position when it has none. */
export const columnNames = (columns: ReadonlyArray<Column>): ReadonlyArray<string> =>
  columns.map((column) => column.name ?? `#${column.position + 1}`)

/** Positions of the columns with these names, in the order of their names; -1 for one that the source lacks. */
export const positionsOf = (names: ReadonlyArray<string>, columns: ReadonlyArray<Column>): ReadonlyArray<number> => {
  const all = columnNames(columns)
  return [...names].sort().map((name) => columns[all.indexOf(name)]?.position ?? -1)
}

/** Digests the cells of some columns, in the order of their names; a column that the source lacks counts as empty. */
export const contentDigest = (
  names: ReadonlyArray<string>,
  columns: ReadonlyArray<Column>,
  digest: Digester,
): (cells: Cells) => Buffer => {
  const positions = positionsOf(names, columns)
  return (cells) => digest.content(positions.map((position) => cellText(cells[position])))
}

/** All cells of a row as text, one a column of the source. */
export const rowTexts = (cells: Cells, columns: ReadonlyArray<Column>): ReadonlyArray<string> =>
  columns.map((column) => cellText(cells[column.position]))
