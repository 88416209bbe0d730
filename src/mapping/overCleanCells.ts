import { createHash } from "node:crypto"
import type { Cells } from "../domain/row.ts"
import type { Mapping } from "./Mapping.ts"

/**
 * A mapping over what a form tool's cells mean, for rows as they stand in its file. Content is digested, and rejected rows are shown, as they stand;
 * answers, keys and `where` see the cells cleaned. The tool is a part of the mapping's fingerprint: were the file taken for another one tomorrow, the
 * same cells could mean something else, and people are told as of an edited mapping.
 *
 * @param tool that the source was taken for; undefined: the file is read as it stands
 */
export const overCleanCells = (
  mapping: Mapping,
  tool: { readonly name: string; readonly clean: (cells: Cells) => Cells } | undefined,
): Mapping => {
  if (tool === undefined) return mapping
  const { clean, name } = tool
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
    fingerprint: createHash("sha256").update(`${mapping.fingerprint} ${name}`).digest("hex"),
    key: (cells) => mapping.key(cleanOf(cells)),
    keyBy: (columns, empty) => {
      const key = mapping.keyBy(columns, empty)
      return (cells) => key(cleanOf(cells))
    },
    filtered: (cells) => mapping.filtered(cleanOf(cells)),
    map: (cells, key) => mapping.map(cleanOf(cells), key),
    check: (cells, answered, dropped) => mapping.check(cleanOf(cells), answered, dropped),
    explain: (cells, key) => mapping.explain(cleanOf(cells), key),
    uniques: mapping.uniques.map((unique) => ({ ...unique, value: (cells) => unique.value(cleanOf(cells)) })),
  }
}
