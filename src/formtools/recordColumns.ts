import { type Cell, cellText, JsonCell } from "../domain/cell.ts"
import { groupBy } from "../domain/groupBy.ts"
import { isObject, type Json, type JsonObject } from "../domain/json.ts"
import type { Cells } from "../domain/row.ts"
import { firstOf } from "../domain/words.ts"
import { type PartOf, titled } from "./blocks.ts"
import type { MetaColumn, RecordLayout } from "./FormTool.ts"
import { withoutTags } from "./sample.ts"

/**
 * A column of an API's records.
 *
 * @typeParam A what is looked up once in each record
 */
export interface RecordColumn<A> {
  readonly title: string
  /** The meaning of one of the tool's own columns. */
  readonly meta?: Omit<MetaColumn, "position">
  /** The part of a question that has several columns. Parts with the same object as `block` belong together. */
  readonly part?: Pick<PartOf, "option" | "role"> & { readonly block: { readonly title: string } }
  readonly cell: (found: A, row: Cells) => Cell
}

/** Returns a column with the cells of one column of the records. */
export const ownColumn = (
  title: string,
  at: number,
  meta?: Omit<MetaColumn, "position">,
): RecordColumn<unknown> => ({ title, ...(meta && { meta }), cell: (_, row) => row[at] ?? null })

/** Returns the tool's own columns. */
export const metaIn = (columns: ReadonlyArray<Pick<RecordColumn<never>, "meta">>): ReadonlyArray<MetaColumn> =>
  columns.flatMap(({ meta }, position) => meta === undefined ? [] : [{ position, ...meta }])

/** Returns the blocks of the columns. A question with a single option has none. */
const blocksIn = (columns: ReadonlyArray<RecordColumn<never>>) => {
  const parts = columns.flatMap(({ part }, position) => part === undefined ? [] : [{ ...part, position }])
  return titled(Array.from(groupBy(parts, ({ block }) => block), ([{ title }, own]) => ({
    question: title,
    columns: own.map(({ option, position, role = "option" }) => ({ position, option, role })),
  })))
}

/** Returns how records are read by these columns. Titles are shown without tags. */
export const recordLayout = <A>(
  columns: ReadonlyArray<RecordColumn<A>>,
  find: (row: Cells) => A,
  rest: Partial<RecordLayout>,
): RecordLayout => ({
  titles: columns.map(({ title }) => title),
  labels: columns.map(({ title }) => withoutTags(title)),
  meta: metaIn(columns),
  blocks: blocksIn(columns as ReadonlyArray<RecordColumn<never>>),
  ...rest,
  cells: (row) => {
    const found = find(row)
    return columns.map(({ cell }) => {
      const made = cell(found, row)
      return made !== null && cellText(made) === "" ? null : made
    })
  },
})

/** Returns the list in a cell, or an empty one. */
export const listOf = (cell: Cell | undefined): ReadonlyArray<Json> =>
  cell instanceof JsonCell ? itemsIn(cell.value) : []

/** Returns the items of a list, or none if the value is not a list. */
export const itemsIn = (value: Json | undefined): ReadonlyArray<Json> =>
  Array.isArray(value) ? value as ReadonlyArray<Json> : []

/** Returns the objects in a list. */
export const objectsIn = (value: Json | undefined): ReadonlyArray<JsonObject> => itemsIn(value).filter(isObject)

/** Returns a member's text, or a number as text. Undefined if it is empty or something else. */
export const textIn = (value: Json | undefined): string | undefined =>
  typeof value === "number" ? String(value) : typeof value === "string" && value !== "" ? value : undefined

/** Returns a member of a definition that should be an object. */
export const memberOf = (value: Json | undefined, name: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** Returns the note about questions that responses contain, but the definition of the form lacks. */
export const undefinedNote = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.length === 0 ? [] : [
    `The definition of the form lacks ${
      names.length === 1 ? "a question" : `${names.length} questions`
    } of the responses, so the columns have ids as names: ${firstOf(names, 5)}.`,
  ]
