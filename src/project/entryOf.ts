import type { YamlPath } from "../domain/diagnostic.ts"
import type { ConditionsFile } from "./conditionSchema.ts"
import type { EntryFile, FirstOfFile, FromFile, PartFile, PartsFile } from "./EntryFile.ts"
import type { Kinds } from "./entrySchema.ts"
import type { ColumnName, Condition, Input, MappingEntry, PartEntry } from "./Pipeline.ts"
import { templatePieces } from "./template.ts"
import type { ValueSets } from "./valueSets.ts"
import { setNamed } from "./valueSets.ts"

/** What entries are decoded with. */
export interface EntryRoom {
  readonly kinds: Kinds
  readonly sets: ValueSets
}

export const columns = (value: string | ReadonlyArray<string>, path: YamlPath): ReadonlyArray<ColumnName> =>
  typeof value === "string" ? [{ name: value, path }] : value.map((name, index) => ({ name, path: [...path, index] }))

/** The options of an entry that its kind knows; a value set in place of its name. */
export const optionsIn = (
  entry: object,
  keys: Iterable<string>,
  { sets }: Pick<EntryRoom, "sets">,
): Readonly<Record<string, unknown>> => {
  const given = entry as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    [...keys].filter((key) => Object.hasOwn(given, key)).map((key) => {
      const set = key === "values" ? setNamed(given[key]) : undefined
      return [key, set === undefined ? given[key] : sets.get(set) ?? {}]
    }),
  )
}

const texts = (value: string | ReadonlyArray<string>): ReadonlyArray<string> =>
  typeof value === "string" ? [value] : value

/** Conditions as a list, each with its place. */
export const conditions = (file: ConditionsFile | undefined, path: YamlPath): ReadonlyArray<Condition> =>
  Object.entries(file ?? {}).map(([name, test]) => {
    const place = { column: { name, path: [...path, name], at: "key" as const }, path: [...path, name] }
    if (typeof test === "string") return { ...place, is: [test] }
    if (isList(test)) return { ...place, is: test }
    const { not, ...rest } = test
    return { ...place, ...rest, ...(not === undefined ? {} : { not: texts(not) }) }
  })

const isList = (value: unknown): value is ReadonlyArray<string> => Array.isArray(value)

const isFirstOf = (from: object): from is FirstOfFile =>
  Object.keys(from).join() === "firstOf" && isList((from as FirstOfFile).firstOf)

const templateColumns = (template: string, path: YamlPath): ReadonlyArray<ColumnName> =>
  (templatePieces(template) ?? []).flatMap((piece) => "column" in piece ? [{ name: piece.column, path }] : [])

/** What one cell, or several joined, are read from. */
const plainInput = (
  entry: Pick<PartFile, "from" | "value" | "template">,
  path: YamlPath,
): PartEntry["input"] => {
  if (entry.value !== undefined) return { _tag: "Value", value: entry.value }
  if (entry.template !== undefined) {
    const { template } = entry
    return { _tag: "Template", template, columns: templateColumns(template, [...path, "template"]) }
  }
  const from = entry.from ?? []
  if (typeof from === "string" || isList(from)) return { _tag: "Columns", columns: columns(from, [...path, "from"]) }
  return { _tag: "FirstOf", columns: columns(from.firstOf, [...path, "from", "firstOf"]) }
}

const partOf = (
  part: string,
  value: PartsFile[string],
  path: YamlPath,
  kind: string | undefined,
  room: EntryRoom,
): PartEntry => {
  if (typeof value === "string" || isList(value)) {
    return { part, path, input: { _tag: "Columns", columns: columns(value, path) }, options: {} }
  }
  return {
    part,
    path,
    input: plainInput(value, path),
    options: optionsIn(value, Object.keys(room.kinds.get(kind ?? "")?.options ?? {}), room),
    extract: value.extract,
    default: value.default,
  }
}

const fromOf = (
  from: FromFile,
  path: YamlPath,
  partKind: (part: string) => string | undefined,
  blocks: boolean,
  room: EntryRoom,
): Input => {
  const parts = (of: PartsFile, at: YamlPath, ranks: boolean): Input => ({
    _tag: "Parts",
    parts: Object.entries(of).map(([part, value]) => partOf(part, value, [...at, part], partKind(part), room)),
    ranks,
  })
  if (typeof from === "string" || isList(from)) return plainInput({ from }, path.slice(0, -1))
  if (isFirstOf(from)) return plainInput({ from }, path.slice(0, -1))
  const [only, ...more] = Object.entries(from as Readonly<Record<string, unknown>>)
  if (blocks && only !== undefined && more.length === 0) {
    const [key, value] = only
    if (key === "block" && typeof value === "string") return { _tag: "Block", title: value, path: [...path, "block"] }
    // A part of that name would be a column or an entry of its own.
    if (
      key === "ranks" && typeof value === "object" && !("from" in (value as object)) && !("value" in (value as object))
    ) {
      return parts(value as PartsFile, [...path, "ranks"], true)
    }
  }
  return parts(from as PartsFile, path, false)
}

/** @param how.kind the entry's kind, where it is not told by `as`; `how.parts` the kinds of its parts, where the kind does not tell them */
export const entryOf = (
  entry: EntryFile,
  path: YamlPath,
  room: EntryRoom,
  how: { readonly kind?: string; readonly parts?: Readonly<Record<string, string>> } = {},
): MappingEntry => {
  const as = entry.as ?? how.kind
  const shape = room.kinds.get(as ?? "")
  const partKinds = how.parts ?? shape?.parts ?? {}
  const named = shape?.named === undefined ? undefined : "text"
  const blocks = how.parts === undefined && (shape === undefined || shape.named !== undefined)
  const { from = [], ...rest } = entry
  const input: Input = entry.value !== undefined || entry.template !== undefined
    ? plainInput(rest, path)
    : fromOf(
      from,
      [...path, "from"],
      (part) => (Object.hasOwn(partKinds, part) ? partKinds[part] : named),
      blocks,
      room,
    )
  return {
    path,
    id: entry.id,
    name: entry.name,
    input,
    as,
    options: optionsIn(entry, Object.keys(shape?.options ?? {}), room),
    required: entry.required ?? false,
    default: entry.default,
    extract: entry.extract,
    when: conditions(entry.when, [...path, "when"]),
    onInvalid: entry.onInvalid ?? "reject",
    unique: entry.unique ?? false,
  }
}
