import type { Column } from "../../domain/row.ts"
import type { ColumnProfile } from "./ColumnProfile.ts"
import { meaningOf, speaksOf } from "./meaning.ts"
import type { RowKeySuggestion } from "./Suggestion.ts"
import type { ToolHints } from "./ToolHints.ts"

/** Concepts of names that ids have. */
const naming = ["id", "customer number", "number", "reference", "code", "ticket", "registered"]

/** `K-00001`, `20001`, `HD-1000`: numbers that are given out one after the other. */
const isCode = (text: string): boolean => /^[A-Za-z]{0,5}[-_/. ]?\d{2,12}$/.test(text)

/** How much a column whose cells are all there and all different looks like a record's id. */
const likelihood = (column: Column, { distinct, share, length }: ColumnProfile): number => {
  const meaning = meaningOf(column.title)
  let points = column.position === 0 ? 1.5 : 0
  if (
    /(?:^|[\s_-])(?:#|id|no\.?|nr\.?|n[º°])\s*$/i.test(column.title)
    || naming.some((concept) => speaksOf(meaning, concept))
  ) {
    points += 2
  }
  if (share.integer === 1 || length <= 12) points += 1
  if (column.position === 0 && [...distinct.keys()].every(isCode)) points += 1
  if (share.email >= 0.5 || share.phone >= 0.5) points -= 1
  if (share.dateTime >= 0.5 || share.date >= 0.5) points -= 3
  if (length > 40) points -= 3
  return points
}

/** From here on a column is taken for the id; below it is named as a candidate. */
const sureFrom = 3

/** What makes a row the same row tomorrow: the tool's own id, or a column that looks like one; else nothing, with what may be. */
export const suggestRowKey = (
  columns: ReadonlyArray<Column>,
  profiles: ReadonlyMap<number, ColumnProfile>,
  tool: ToolHints | undefined,
): RowKeySuggestion => {
  const unique = columns.flatMap((column) => {
    const profile = profiles.get(column.position)
    return column.name !== undefined && profile !== undefined && profile.filled === profile.rows
        && profile.rows > 0 && profile.unique === true
      ? [{ column, points: likelihood(column, profile) }]
      : []
  }).toSorted((a, b) => b.points - a.points || a.column.position - b.column.position)
  const isUnique = (name: string) => unique.some(({ column }) => column.name === name)
  const told = tool?.defaultRowKey
  if (tool !== undefined && told !== undefined && (told.length > 1 || told.every(isUnique))) {
    return { names: told, because: `${tool.title}'s own id`, candidates: [] }
  }
  const [best, next] = unique
  const sure = best !== undefined && best.points >= sureFrom && best.points > (next?.points ?? 0)
  const rest = sure ? unique.slice(1) : unique
  return {
    names: sure && best.column.name !== undefined ? [best.column.name] : [],
    because: best === undefined ? "no column is filled in every row and different in each" : "different in every row",
    candidates: rest.slice(0, 5).map(({ column }) => column),
  }
}
