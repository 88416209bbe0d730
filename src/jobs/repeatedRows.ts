import type { Problem } from "../domain/problem.ts"
import type { Cells } from "../domain/row.ts"
import type { Mapping } from "../mapping/Mapping.ts"
import { missingKeyProblem } from "../mapping/problems.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import { keyColumns } from "../project/sourceSection.ts"
import { positionsOf } from "../run/content.ts"
import { KeyTable, RowHash } from "../run/KeyTable.ts"
import { duplicateOf } from "../run/rowProblems.ts"
import { UniqueAnswers } from "../run/UniqueAnswers.ts"
import { columnNames } from "../source/columns.ts"
import { ownColumns } from "../source/fixed.ts"
import type { Source } from "../source/Source.ts"

/**
 * Returns a function that must receive all rows in order. It returns the problems of a row that has no key, or whose key or unique answer an earlier row has. Only
 * valid rows have unique answers, and a valid row may have the key of an invalid one. A run finds the same ones, except for rows that were imported before.
 */
export const findRepeated = (pipeline: Pipeline, { columns }: Source, mapping: Mapping) => {
  const named = { keyColumns: keyColumns(pipeline.source).map(({ name }) => name) }
  const positions = positionsOf(columnNames(mapping.columns), ownColumns(columns))
  const keys = new KeyTable()
  const uniques = new UniqueAnswers(mapping.uniques)
  const hash = new RowHash()
  const invalid = new Set<number>()
  return (row: number, cells: Cells, key: string | undefined, isValid: boolean): ReadonlyArray<Problem> => {
    if (key === undefined && mapping.keyed === "columns") return [missingKeyProblem(pipeline)]
    // For `rowKey: content`, each row has a key of its own.
    if (key === undefined) return (isValid ? uniques.take(cells, String(row), row) : undefined) ?? []
    hash.key(key)
    hash.content(cells, positions)
    const slot = keys.find(hash)
    if (slot >= 0 && !(isValid && invalid.has(keys.number(slot)))) {
      return [duplicateOf(named, keys.number(slot), keys.hasContent(slot, hash))]
    }
    const problems = isValid ? uniques.take(cells, key, row) : undefined
    if (!isValid || problems !== undefined) invalid.add(row)
    if (slot < 0) keys.add(hash, row)
    else keys.set(slot, hash, row)
    return problems ?? []
  }
}
