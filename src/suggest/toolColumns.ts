import type { OwnMember } from "../domain/item.ts"
import type { Column } from "../domain/row.ts"
import type { Role, ToolColumns } from "../formtools/FormTool.ts"
import type { ProfiledColumn } from "../profile/ColumnProfile.ts"
import { namesConcept, wordingOf } from "./meaning.ts"
import type { OwnColumn, RowKeySuggestion, Suggestions } from "./Suggestion.ts"
import model from "./words/model.json" with { type: "json" }
import { vocabulary } from "./words/words.ts"

/** Whether a string looks like a serial number: `K-00001`, `20001`, `HD-1000`. */
const isCode = (text: string): boolean => /^[A-Za-z]{0,5}[-_/. ]?\d{2,12}$/.test(text)

/** Rates how much a column with a different cell in every row looks like a record's id. */
const likelihood = ({ column: { position, title }, profile: { length, share, texts } }: ProfiledColumn): number => {
  const isNamed = /(?:^|[\s_-])(?:#|id|no\.?|nr\.?|n[º°])\s*$/i.test(title)
    || namesConcept(wordingOf(title), ...vocabulary.rowKeys)
  return (isNamed ? 2 : 0) + (position === 0 ? 1.5 : 0)
    + (share.integer === 1 || length <= 12 ? 1 : 0) + (position === 0 && texts.every(isCode) ? 1 : 0)
    - (share.email >= 0.5 || share.phone >= 0.5 ? 1 : 0)
    - (share.dateTime >= 0.5 || share.date >= 0.5 || length > 40 ? 3 : 0)
}

/** Suggests the row key: the tool's own id, or a column that looks like one. Unless it is the tool's own id, also lists up to 5 other columns that could be the key. */
export const suggestRowKey = (
  columns: ReadonlyArray<ProfiledColumn>,
  tool: ToolColumns | undefined,
): RowKeySuggestion => {
  const unique = columns.filter(({ column: { name }, profile: { filled, rows, unique } }) =>
    name !== undefined && filled === rows && rows > 0 && unique !== false
  ).map((one) => ({ ...one, points: likelihood(one), isCertain: one.profile.unique === true }))
    .toSorted((a, b) => b.points - a.points || a.column.position - b.column.position)
  const isUnique = (name: string) => unique.some(({ column, isCertain }) => isCertain && column.name === name)
  const ownKey = tool?.defaultRowKey
  if (ownKey !== undefined && (ownKey.length > 1 || ownKey.every(isUnique))) {
    return { names: ownKey, because: `${tool?.title}'s own id`, candidates: [] }
  }
  const [best, next] = unique
  const sure = best?.isCertain === true && best.points >= model.sureRowKey && best.points > (next?.points ?? 0)
  return {
    names: sure ? [best.column.name!] : [],
    because: "different in every row",
    candidates: unique.slice(sure ? 1 : 0).slice(0, 5),
  }
}

/**
 * Suggests the columns for a submission's times and login. Prefers the form tool's own columns. A time can also come
 * from a different column if that is the only one with dates and times and a fitting name.
 *
 * @param used columns that already answer something
 */
export const suggestOwn = (
  columns: ReadonlyArray<ProfiledColumn>,
  tool: ToolColumns | undefined,
  used: ReadonlySet<Column> = new Set(),
): Pick<Suggestions, OwnMember> => {
  const named = columns.filter(({ column }) => column.name !== undefined)
  const meta = tool?.meta ?? []
  /** Finds the tool's own column with a role, otherwise the only other column of times with a fitting title. */
  const find = (role: Role, concepts: ReadonlyArray<string> = []): OwnColumn | undefined => {
    const [own] = meta.filter((own) => own.role === role).flatMap(({ format = [], position, zone }) =>
      // A few damaged cells don't matter, because the form tool always writes these columns.
      named.filter(({ column, profile: { share } }) =>
        column.position === position && (role === "email" ? share.email : share.date + share.dateTime) >= 0.9
      ).map((one) => ({ ...one, format: [format].flat(), zone, because: `${tool?.title}'s own column` }))
    )
    const [only, ...others] = named.filter(({ column, profile: { share } }) => {
      const isOwn = meta.some(({ position }) => position === column.position)
      if (used.has(column) || isOwn || share.dateTime < 0.9) return false
      const meaning = wordingOf(column.title)
      return namesConcept(meaning, ...concepts) && meaning.terms.length <= 2
    })
    const byName = only && others.length === 0 ? { ...only, because: "its name, and it contains times" } : undefined
    return own ?? byName
  }
  return {
    submissionTime: find("submitted", vocabulary.times.submitted),
    lastUpdatedAt: find("lastUpdated", vocabulary.times.updated),
    login: find("email"),
  }
}
