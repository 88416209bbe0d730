import type { Shape } from "../../domain/inspectedColumn.ts"
import type { OwnMember } from "../../domain/item.ts"
import type { Role } from "../../formtools/FormTool.ts"
import type { ProfiledColumn } from "../profile/ColumnProfile.ts"
import { vocabulary } from "../words/vocabulary.ts"
import { meaningOf, namesConcept } from "./meaning.ts"
import type { OwnColumn, RowKeySuggestion, Suggestions, ToolHints } from "./Suggestion.ts"

/** Whether a string looks like a serial number: `K-00001`, `20001`, `HD-1000`. */
const isCode = (text: string): boolean => /^[A-Za-z]{0,5}[-_/. ]?\d{2,12}$/.test(text)

/** Rates how much a column with a different cell in every row looks like a record's id. */
const likelihood = ({ column, profile: { distinct, share, length } }: ProfiledColumn): number => {
  const meaning = meaningOf(column.title)
  let points = column.position === 0 ? 1.5 : 0
  if (
    /(?:^|[\s_-])(?:#|id|no\.?|nr\.?|n[º°])\s*$/i.test(column.title)
    || vocabulary.rowKeys.some((concept) => namesConcept(meaning, concept))
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

/** The lowest rating at which a column can count as the id. A column with a lower rating is only a candidate. */
const sureFrom = 3

/** Suggests the row key: the tool's own id, or a column that looks like one. Unless it is the tool's own id, also lists up to 5 other columns that could be the key. */
export const suggestRowKey = (
  columns: ReadonlyArray<ProfiledColumn>,
  tool: ToolHints | undefined,
): RowKeySuggestion => {
  const unique = columns.filter(({ column: { name }, profile: { filled, rows, unique } }) =>
    name !== undefined && filled === rows && rows > 0 && unique !== false
  ).map((one) => ({ ...one, points: likelihood(one), isCertain: one.profile.unique === true }))
    .toSorted((a, b) => b.points - a.points || a.column.position - b.column.position)
  const isUnique = (name: string) => unique.some(({ column, isCertain }) => isCertain && column.name === name)
  const ownKey = tool?.defaultRowKey
  if (tool !== undefined && ownKey !== undefined && (ownKey.length > 1 || ownKey.every(isUnique))) {
    return { names: ownKey, because: `${tool.title}'s own id`, candidates: [] }
  }
  const [best, next] = unique
  const sure = best?.isCertain === true && best.points >= sureFrom && best.points > (next?.points ?? 0)
  const rest = sure ? unique.slice(1) : unique
  return {
    names: sure && best.column.name !== undefined ? [best.column.name] : [],
    because: best === undefined ? "no column is filled in every row and different in each" : "different in every row",
    candidates: rest.slice(0, 5),
  }
}

/**
 * Suggests the columns for a submission's times and login. Prefers the form tool's own columns. A time can also come
 * from a different column if that is the only one with dates and times and a fitting name.
 *
 * @param used positions of columns that already answer something
 */
export const suggestOwn = ({ columns, tool, used }: {
  readonly columns: ReadonlyArray<ProfiledColumn>
  readonly tool: ToolHints | undefined
  readonly used: ReadonlySet<number>
}): Pick<Suggestions, OwnMember> => {
  const named = columns.filter(({ column }) => column.name !== undefined)
  // A few damaged cells don't matter, because the form tool always writes these columns.
  const withRole = (role: Role, shapes: ReadonlyArray<Shape>): OwnColumn | undefined => {
    const [own] = (tool?.meta ?? []).flatMap(({ format, position, role: written, zone }) => {
      const found = written === role ? named.find(({ column }) => column.position === position) : undefined
      return found === undefined ? [] : [{ ...found, format: typeof format === "string" ? [format] : format, zone }]
    }).filter(({ profile: { share } }) => shapes.reduce((sum, one) => sum + share[one], 0) >= 0.9)
    return own && { ...own, because: `${tool?.title ?? "the tool"}'s own column` }
  }
  const isOwn = (position: number) => tool?.meta.some((own) => own.position === position) === true
  const byName = (concepts: ReadonlyArray<string>): OwnColumn | undefined => {
    const [only, ...others] = named.filter(({ column: { position, title }, profile: { share } }) => {
      if (used.has(position) || isOwn(position) || share.dateTime < 0.9) return false
      const meaning = meaningOf(title)
      return concepts.some((concept) => namesConcept(meaning, concept)) && meaning.terms.length <= 2
    })
    return only === undefined || others.length > 0
      ? undefined
      : { ...only, because: "its name, and it contains times" }
  }
  return {
    submissionTime: withRole("submitted", ["date", "dateTime"]) ?? byName(vocabulary.times.submitted),
    lastUpdatedAt: withRole("lastUpdated", ["date", "dateTime"]) ?? byName(vocabulary.times.updated),
    login: withRole("email", ["email"]),
  }
}
