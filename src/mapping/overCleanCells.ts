import type { Cells } from "../domain/row.ts"
import type { Mapping } from "./Mapping.ts"

/**
 * A mapping over what a form tool's cells mean, for rows as they stand in its file. Content is digested, and rejected rows are shown, as they stand;
 * answers, keys and `where` see the cells cleaned.
 *
 * @param clean of `Source.tool`; undefined: the file is read as it stands
 */
export const overCleanCells = (mapping: Mapping, clean: ((cells: Cells) => Cells) | undefined): Mapping => {
  if (clean === undefined) return mapping
  // Key, filter and map are asked of the same row, one after the other.
  let last: Cells | undefined
  let cleaned: Cells = []
  const cleanOf = (cells: Cells): Cells => {
    if (cells !== last) {
      cleaned = clean(cells)
      last = cells
    }
    return cleaned
  }
  return {
    ...mapping,
    key: (cells) => mapping.key(cleanOf(cells)),
    filtered: (cells) => mapping.filtered(cleanOf(cells)),
    map: (cells, key) => mapping.map(cleanOf(cells), key),
    check: (cells, answered, dropped) => mapping.check(cleanOf(cells), answered, dropped),
    explain: (cells, key) => mapping.explain(cleanOf(cells), key),
    uniques: mapping.uniques.map((unique) => ({ ...unique, value: (cells) => unique.value(cleanOf(cells)) })),
  }
}
