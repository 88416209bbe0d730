import { ErrorCell } from "../domain/cell.ts"
import type { Cells, Column } from "../domain/row.ts"
import { textOf } from "../kinds/cells.ts"

/**
 * Makes the function that gives a row its key: the trimmed text of the key columns. Several are joined as a JSON list, so that no two keys look
 * alike. A cell that holds a workbook's error is no key.
 */
export const rowKey = (columns: ReadonlyArray<Column>, empty: ReadonlySet<string>) => {
  const text = (cells: Cells, position: number): string => {
    const cell = cells[position]
    const key = cell instanceof ErrorCell ? "" : textOf(cell)
    return empty.has(key) ? "" : key
  }
  const [only, ...more] = columns.map((column) => column.position)
  if (only !== undefined && more.length === 0) {
    return (cells: Cells): string | undefined => text(cells, only) || undefined
  }
  const positions = columns.map((column) => column.position)
  return (cells: Cells): string | undefined => {
    const parts = positions.map((position) => text(cells, position))
    return parts.every((part) => part === "") ? undefined : JSON.stringify(parts)
  }
}
