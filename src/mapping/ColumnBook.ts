import { type ColumnUse, columnUses } from "../domain/cells.ts"
import type { YamlPath } from "../domain/diagnostic.ts"
import { ownMembers } from "../domain/item.ts"
import { brief } from "../domain/problem.ts"
import { blockNamed, briefName, type Column, type ColumnBlock } from "../domain/row.ts"
import { firstOf, oneLine } from "../domain/words.ts"
import type { ColumnAlias, ColumnName, Input, MappingEntry, Pipeline } from "../project/Pipeline.ts"
import { keyColumns } from "../project/sourceSection.ts"
import { suggest } from "../project/suggestion.ts"
import type { Findings, Note } from "./Findings.ts"

/** Returns the columns with this header, in order. Repeated white space counts as one space. */
const withHeader = (columns: ReadonlyArray<Column>, header: string): ReadonlyArray<Column> => {
  return columns.filter((column) => oneLine(column.title) === oneLine(header))
}

const resolve = (columns: ReadonlyArray<Column>, { column, name }: ColumnAlias): Column | undefined => {
  const named = columns.find((one) => one.name === name && one.title.trim() !== name)
  if (named !== undefined) return named
  if (column._tag === "Position") return columns[column.position - 1]
  const titled = withHeader(columns, column.header)
  return titled.length === column.of ? titled[column.nth - 1] : undefined
}

/** Returns the columns that `source.columns` names. A name that doesn't fit the header becomes an error. */
const aliasedColumns = (
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
      findings.error(path, `The source already has a column "${brief(name)}".`, "Choose a different name.")
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
          ? `There is no column ${column.nth} of ${column.of} columns "${brief(column.header)}".`
          : count === 0
          ? `The source has no column with the header "${brief(column.header)}"; expected ${column.of}.`
          : `${count === 1 ? "One column" : `${count} columns`} of the source ${
            count > 1 ? "have" : "has"
          } the header "${brief(column.header)}", not ${column.of}.`,
        "Check which column is meant now, and correct `nth` and `of`.",
      )
    }
  }
  return found
}

/** Returns a source's columns, with names from `source.columns` for those that the header doesn't identify. A row's content is recognised by these names. */
export const nameColumns = (
  columns: ReadonlyArray<Column>,
  aliases: ReadonlyArray<ColumnAlias>,
): ReadonlyArray<Column> => {
  if (aliases.length === 0) return columns
  const names = new Map(aliases.flatMap((alias) => {
    const column = resolve(columns, alias)
    return column === undefined ? [] : [[column.position, alias.name] as const]
  }))
  return columns.map((column) => {
    const name = names.get(column.position)
    return name === undefined ? column : column.name === undefined ? { ...column, name } : { ...column, alias: name }
  })
}

/** The columns of one question. */
export type BlockColumns = ReadonlyArray<ColumnBlock["columns"][number] & { readonly column: Column }>

/** A source's columns by name, and the pipeline's use of each. */
export interface ColumnBook {
  /** Returns the column with the given name. Adds an error if no column or several columns have it. */
  readonly find: (name: ColumnName, use: "answers" | "keyOrCondition") => Column | undefined
  /** Marks a column as ignored. For the title of a block, marks all of its columns. The column need not exist. */
  readonly ignore: (name: ColumnName) => void
  /** Returns the columns of the block with the given title. Adds an error if there is no such block. `unknown`: there is no source. */
  readonly block: (title: string, path: YamlPath) => BlockColumns | "unknown" | undefined
  /** Marks the columns of a block as read for answers. */
  readonly answers: (columns: BlockColumns) => void
  /** Returns how a column is used: the first value of `columnUses` that applies. */
  readonly useOf: (column: Column) => ColumnUse
}

/** Lists columns for a message, 12 names at most. Long names may be equal once they are shortened, and are listed once. */
export const columnList = (columns: ReadonlyArray<Column>): string => {
  const counts = new Map<string, number>()
  for (const name of columns.map(briefName)) counts.set(name, (counts.get(name) ?? 0) + 1)
  return firstOf([...counts].map(([name, count]) => count === 1 ? name : `${name} (${count} columns)`), 12)
}

/** @param source.blocks undefined if there is no source; the columns are then those that the pipeline names */
export const columnBook = (
  source: { readonly columns: ReadonlyArray<Column>; readonly blocks?: ReadonlyArray<ColumnBlock> | undefined },
  aliases: ReadonlyArray<ColumnAlias>,
  findings: Findings,
): ColumnBook => {
  const columns = nameColumns(source.columns, aliases)
  const byName = new Map(columns.flatMap((column) => column.name === undefined ? [] : [[column.name, column] as const]))
  for (const [name, { position }] of aliasedColumns(source.columns, aliases, findings)) {
    const column = columns.find((one) => one.position === position)
    if (column !== undefined) byName.set(name, column)
  }
  const failed = new Set(aliases.map((alias) => alias.name).filter((name) => !byName.has(name)))
  const names = [...byName.keys()]
  const uses = new Map<number, ColumnUse>()
  const useOf = ({ position }: Pick<Column, "position">): ColumnUse => uses.get(position) ?? "notMapped"
  const used = (column: Pick<Column, "position">, use: ColumnUse) => {
    if (columnUses.indexOf(use) < columnUses.indexOf(useOf(column))) uses.set(column.position, use)
  }

  const look = (name: string, use: ColumnUse): Column | undefined => {
    const column = byName.get(name) ?? byName.get(name.trim())
    if (column !== undefined) used(column, use)
    return column
  }
  const missing = ({ at, name, path }: ColumnName, note: Note): void => {
    // Wrong names in `source.columns` were already reported.
    if (failed.has(name)) return
    const titled = columns.filter((column) => column.title.trim() === name.trim())
    if (titled.length > 1) {
      const positions = titled.map((column) => column.position + 1).join(", ")
      note(
        path,
        `${titled.length} columns of the source have the title "${brief(name)}" (columns ${positions}).`,
        `Name the intended one under \`source.columns\`: { header: "${brief(name)}", nth: 1, of: ${titled.length} }.`,
        at,
      )
    } else note(path, `The source has no column "${brief(name)}".`, suggest(name, names, "Its columns are"), at)
  }
  return {
    find: (wanted, use) => {
      const column = look(wanted.name, use)
      if (column === undefined) missing(wanted, findings.error)
      return column
    },
    ignore: (wanted) => {
      if (look(wanted.name, "ignored") !== undefined) return
      const block = blockNamed(source.blocks ?? [], wanted.name)
      if (block === undefined) missing(wanted, findings.warning)
      for (const column of block?.columns ?? []) used(column, "ignored")
    },
    block: (title, path) => {
      if (source.blocks === undefined) return "unknown"
      const block = blockNamed(source.blocks, title)
      if (block === undefined) {
        findings.error(
          path,
          `The source has no block of columns "${brief(title)}".`,
          suggest(title, source.blocks.map((one) => one.title), "Its blocks are")
            ?? (source.blocks.length === 0
              ? "Its format has no blocks of columns: give each option a column."
              : undefined),
        )
        return undefined
      }
      return block.columns.flatMap((one) => {
        const column = columns.find(({ position }) => position === one.position)
        return column === undefined ? [] : [{ ...one, column }]
      })
    },
    answers: (columns) => {
      for (const { column } of columns) used(column, "answers")
    },
    useOf,
  }
}

/** Returns the columns that an input names, including those of its parts. */
export const inputColumns = (input: Input): ReadonlyArray<ColumnName> => {
  switch (input._tag) {
    case "Parts":
      return input.parts.flatMap((part) => inputColumns(part.input))
    case "Template":
      return input.pieces.filter((piece) => typeof piece === "object")
    default:
      return "columns" in input ? input.columns : []
  }
}

/** Returns the column of an entry's "Other" option, if the entry names one. */
export const otherColumn = ({ options, path }: Pick<MappingEntry, "options" | "path">): ColumnName | undefined => {
  const { other } = options
  if (typeof other !== "object" || other === null || !("from" in other) || typeof other.from !== "string") {
    return undefined
  }
  return { name: other.from, path: [...path, "other", "from"] }
}

/** Returns all columns that an entry names, except those of a block. */
export const entryColumns = (entry: MappingEntry): ReadonlyArray<ColumnName> => {
  const other = otherColumn(entry)
  return [...inputColumns(entry.input), ...(other === undefined ? [] : [other]), ...entry.when.map((one) => one.column)]
}

/** Returns all entries of a mapping, in the order of its lists. */
const allEntries = ({ mapping }: Pick<Pipeline, "mapping">): ReadonlyArray<MappingEntry> => [
  ...mapping.questions,
  ...mapping.urlParameters,
  ...ownMembers.flatMap((of) => mapping[of] ?? []),
  ...mapping.scheduling,
  ...mapping.payments,
]

/** Returns the columns that a pipeline reads by their names. */
export const namedColumns = (pipeline: Pipeline): ReadonlyArray<ColumnName> => [
  ...allEntries(pipeline).flatMap(entryColumns),
  ...keyColumns(pipeline.source),
  ...pipeline.source.where.map(({ column }) => column),
]

/** Returns the columns that a pipeline names, to compile its mapping without a source. */
export const mentionedColumns = (pipeline: Pipeline): ReadonlyArray<Column> => {
  const { columns: aliases } = pipeline.source
  const named = [...namedColumns(pipeline), ...pipeline.mapping.ignore, ...aliases]
  const own = new Set(aliases.map((alias) => alias.name))
  // Names from `source.columns` are not titles.
  return [...new Set(named.map((column) => column.name))]
    .map((name, position) => ({ position, title: own.has(name) ? "" : name, name }))
}
