import type { Column } from "../../domain/row.ts"
import type { ColumnProfile } from "./ColumnProfile.ts"
import { meaningOf, speaksOf } from "./meaning.ts"
import type { OwnColumn } from "./Suggestion.ts"
import type { ToolHints } from "./ToolHints.ts"

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
