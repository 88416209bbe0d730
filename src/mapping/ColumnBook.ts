import type { YamlPath } from "../domain/diagnostic.ts"
import type { Column } from "../domain/row.ts"
import type { ColumnName } from "../project/Pipeline.ts"
import { suggest } from "../project/suggestion.ts"
import type { Findings } from "./Findings.ts"

/** The columns of a source by name, and which of them a pipeline speaks of. */
export interface ColumnBook {
  /** The column of that name; when there is none, or several have that title, it is found as an error. */
  readonly find: (name: ColumnName) => Column | undefined
  /** Like `find` for a column that may be missing. */
  readonly mention: (name: ColumnName) => void
  /** Columns that nothing asked for. */
  readonly untouched: () => ReadonlyArray<Column>
}

const shown = (column: Column): string =>
  column.name
    ?? `${column.title.trim() === "" ? "without a title" : `"${column.title}"`} (column ${column.position + 1})`

/** A list of columns for a message, the first few of them. */
export const columnList = (columns: ReadonlyArray<Column>): string =>
  columns.slice(0, 12).map(shown).join(", ") + (columns.length > 12 ? ` and ${columns.length - 12} more` : "")

export const columnBook = (columns: ReadonlyArray<Column>, findings: Findings): ColumnBook => {
  const byName = new Map(columns.flatMap((column) => column.name === undefined ? [] : [[column.name, column] as const]))
  const names = [...byName.keys()]
  const touched = new Set<number>()

  const look = (name: string): Column | undefined => {
    const column = byName.get(name) ?? byName.get(name.trim())
    if (column !== undefined) touched.add(column.position)
    return column
  }
  const missing = (name: string, path: YamlPath, note: Findings["error"]): void => {
    const titled = columns.filter((column) => column.title.trim() === name.trim())
    if (titled.length > 1) {
      const positions = titled.map((column) => column.position + 1).join(", ")
      note(
        path,
        `${titled.length} columns of the source have the title "${name}" (columns ${positions}).`,
        "Give each of them a title of its own in the file.",
      )
    } else note(path, `The source has no column "${name}".`, suggest(name, names, "Its columns are"))
  }
  return {
    find: ({ name, path }) => {
      const column = look(name)
      if (column === undefined) missing(name, path, findings.error)
      return column
    },
    mention: ({ name, path }) => {
      if (look(name) === undefined) missing(name, path, findings.warning)
    },
    untouched: () => columns.filter((column) => !touched.has(column.position)),
  }
}
