import type { Column } from "../domain/row.ts"
import type { ColumnAlias } from "../project/Pipeline.ts"
import type { Findings } from "./Findings.ts"

/** The columns with one header, in their order; white space counts once. */
const withHeader = (columns: ReadonlyArray<Column>, header: string): ReadonlyArray<Column> => {
  const plain = (title: string) => title.trim().replaceAll(/\s+/g, " ")
  return columns.filter((column) => plain(column.title) === plain(header))
}

const resolve = (columns: ReadonlyArray<Column>, { column, name }: ColumnAlias): Column | undefined => {
  const named = columns.find((one) => one.name === name && one.title.trim() !== name)
  if (named !== undefined) return named
  if (column._tag === "Position") return columns[column.position - 1]
  const titled = withHeader(columns, column.header)
  return titled.length === column.of ? titled[column.nth - 1] : undefined
}

/** The columns that the names of `source.columns` stand for; what does not fit the header is found as an error. */
export const aliasedColumns = (
  columns: ReadonlyArray<Column>,
  aliases: ReadonlyArray<ColumnAlias>,
  findings: Findings,
): ReadonlyMap<string, Column> => {
  const found = new Map<string, Column>()
  for (const alias of aliases) {
    const { column, name, path } = alias
    const resolved = resolve(columns, alias)
    const titled = columns.find((one) => one.name === name && one.title.trim() === name)
    if (titled !== undefined && titled !== resolved) {
      findings.error(path, `The source has a column "${name}" already.`, "Choose another name.")
    } else if (resolved !== undefined) found.set(name, resolved)
    else if (column._tag === "Position") {
      findings.error(
        [...path, "position"],
        `The source has no column ${column.position}: it has ${columns.length}.`,
      )
    } else {
      const count = withHeader(columns, column.header).length
      findings.error(
        count === column.of ? [...path, "nth"] : [...path, "of"],
        count === column.of
          ? `There is no ${column.nth}. of ${column.of} columns "${column.header}".`
          : `${count === 0 ? "No column" : count === 1 ? "One column" : `${count} columns`} of the source ${
            count > 1 ? "have" : "has"
          } the header "${column.header}", not ${column.of}.`,
        "Look which column is meant now, and correct `nth` and `of`.",
      )
    }
  }
  return found
}

/** A source's columns with the names of `source.columns`, where the header names none: by these a row's content is known again. */
export const nameColumns = (
  columns: ReadonlyArray<Column>,
  aliases: ReadonlyArray<ColumnAlias>,
): ReadonlyArray<Column> => {
  if (aliases.length === 0) return columns
  const names = new Map(aliases.flatMap((alias) => {
    const column = resolve(columns, alias)
    return column === undefined ? [] : [[column.position, alias.name] as const]
  }))
  return columns.map((column) =>
    column.name === undefined && names.has(column.position) ? { ...column, name: names.get(column.position) } : column
  )
}
