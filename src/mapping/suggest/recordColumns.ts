import type { Column } from "../../domain/row.ts"
import type { ColumnProfile } from "./ColumnProfile.ts"
import { meaningOf, speaksOf } from "./meaning.ts"
import type { OwnColumn, RowKeySuggestion, ToolHints } from "./Suggestion.ts"

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

/** Concepts by which any source's columns are times of the record itself. */
const submitted = ["submitted", "created", "registered", "date and time", "opened"]
const updated = ["updated"]

/**
 * The columns that give the times of a submission and its login: the tool's own; else the only column with day and time that says so.
 *
 * @param used columns that answer something already, by position
 */
export const suggestOwn = ({ columns, profiles, tool, used }: {
  readonly columns: ReadonlyArray<Column>
  readonly profiles: ReadonlyMap<number, ColumnProfile>
  readonly tool: ToolHints | undefined
  readonly used: ReadonlySet<number>
}): Readonly<Record<"submissionTime" | "lastUpdatedAt" | "login", OwnColumn | undefined>> => {
  const named = columns.filter(({ name }) => name !== undefined)
  const withRole = (role: string, fits: (profile: ColumnProfile) => boolean): OwnColumn | undefined => {
    for (const own of tool?.meta ?? []) {
      const column = own.role === role ? named.find(({ position }) => position === own.position) : undefined
      const profile = profiles.get(own.position)
      if (column === undefined || profile === undefined || !fits(profile)) continue
      const { format, zone } = own
      return {
        column,
        profile,
        because: `${tool?.title ?? "the tool"}'s own column`,
        ...(format === undefined ? {} : { format: typeof format === "string" ? [format] : format }),
        ...(zone === undefined ? {} : { zone }),
      }
    }
    return undefined
  }
  // What the tool says of its own columns is right, though a few cells were spoilt.
  const isTime = ({ filled, share }: ColumnProfile) => filled > 0 && share.dateTime + share.date >= 0.9
  const isLogin = ({ filled, share }: ColumnProfile) => filled > 0 && share.email >= 0.9

  const byName = (concepts: ReadonlyArray<string>): OwnColumn | undefined => {
    const found = named.filter(({ position, title }) => {
      const profile = profiles.get(position)
      const meaning = meaningOf(title)
      return !used.has(position) && tool?.meta.every((own) => own.position !== position) !== false
        && profile !== undefined && profile.filled > 0 && profile.share.dateTime >= 0.9
        && concepts.some((concept) => speaksOf(meaning, concept)) && meaning.terms.length <= 2
    })
    const [column] = found
    const profile = column === undefined ? undefined : profiles.get(column.position)
    return found.length !== 1 || column === undefined || profile === undefined
      ? undefined
      : { column, profile, because: "its name, and it holds times" }
  }
  return {
    submissionTime: withRole("submitted", isTime) ?? byName(submitted),
    lastUpdatedAt: withRole("lastUpdated", isTime) ?? byName(updated),
    login: withRole("email", isLogin),
  }
}
