import type { Problem } from "../domain/problem.ts"
import type { Cells } from "../domain/row.ts"
import type { Mapping } from "../mapping/Mapping.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import { keyColumns } from "../project/sourceSection.ts"
import { duplicateOf } from "../run/classify.ts"
import { positionsOf } from "../run/content.ts"
import { KeyTable, RowHash } from "../run/KeyTable.ts"
import { UniqueAnswers } from "../run/UniqueAnswers.ts"
import { columnNames } from "../source/columns.ts"
import { ownColumns } from "../source/fixed.ts"
import type { Source } from "../source/Source.ts"

/**
 * Returns a function that must receive all valid rows in order. It returns the problems of a row whose key, or whose unique answer, an earlier row has.
 * A run finds the same ones, except for rows that were imported before.
 */
export const findRepeated = ({ source: config }: Pipeline, { columns }: Source, mapping: Mapping) => {
  const named = { keyColumns: keyColumns(config).map(({ name }) => name) }
  const positions = positionsOf(columnNames(mapping.columns), ownColumns(columns))
  const keys = new KeyTable()
  const uniques = new UniqueAnswers(mapping.uniques)
  const hash = new RowHash()
  return (row: number, cells: Cells, key: string | undefined): ReadonlyArray<Problem> => {
    // For `rowKey: content`, each row has a key of its own.
    if (key === undefined) return uniques.take(cells, String(row), row) ?? []
    hash.key(key)
    hash.content(cells, positions)
    const slot = keys.find(hash)
    if (slot >= 0) return [duplicateOf(named, keys.row(slot), keys.hasContent(slot, hash))]
    const problems = uniques.take(cells, key, row)
    if (problems === undefined) keys.add(hash, row)
    return problems ?? []
  }
}
