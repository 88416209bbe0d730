import { createHash } from "node:crypto"
import type { Cells } from "../domain/row.ts"
import type { Mapping } from "./Mapping.ts"

/**
 * Makes a mapping clean the cells of a form tool first. Answers, keys and `where` see the cleaned cells. Content digests and rejected rows keep the
 * cells as they are in the file. The tool is part of the fingerprint, since the same cells could mean something else if the file were detected as
 * another tool's.
 *
 * @param tool the detected tool; undefined: cells are read as they are
 */
export const overCleanCells = (
  mapping: Mapping,
  tool: { readonly name: string; readonly clean: (cells: Cells) => Cells } | undefined,
): Mapping => {
  if (tool === undefined) return mapping
  const { clean, name } = tool
  // Key, filter and map get the same row in turn.
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
