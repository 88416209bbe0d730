import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import Papa from "papaparse"
import { isScalar } from "yaml"
import { counted } from "../domain/words.ts"
import { type Finding, notInProject } from "./errors.ts"
import { filled, Name, Path } from "./fields.ts"
import { becoming, expecting, needed, oneOfThese, section } from "./section.ts"
import { quoted, suggest } from "./suggestion.ts"
import { start, written } from "./yamlFaults.ts"
import { isMapping, originOf, utf8, type YamlText } from "./yamlText.ts"

/** Maps the text of a cell to an option. Null means no answer. */
type ValueSet = Readonly<Record<string, string | null>>

const SetInFile = becoming(
  section({
    file: needed(Path, { description: "A CSV file with a header", examples: ["countries.csv"] }),
    key: needed(Name, { description: "The column with the text of the cells", examples: ["name"] }),
    value: needed(Name, {
      description: "The column with the option. An empty cell means no answer",
      examples: ["code"],
    }),
  }),
  (file, path) => ({ _tag: "File" as const, ...file, path }),
).annotations({ ...expecting("{ file: PATH, key: COLUMN, value: COLUMN }"), identifier: "ValueSetFile" })

const SetInline = becoming(
  filled(Schema.String, Schema.NullOr(Schema.String)),
  (set: ValueSet) => ({ _tag: "Inline" as const, set }),
).annotations(expecting("cells with their options"))

/** A value set of the project file. */
export const ValueSetEntry = oneOfThese(SetInFile, SetInline)
  .annotations(expecting("cells with their options, or { file, key, value }"))

/** The project's value sets, by name. */
export type ValueSets = ReadonlyMap<string, ValueSet>

/** Returns the name of a value set and the path of `values: { set: NAME }`. With any other keys, `values` is an ordinary list. */
const setNamed = (values: unknown) => {
  if (!isMapping(values) || Object.keys(values).join() !== "set") return undefined
  const node = originOf(values)?.members.get("set")?.node
  return isScalar(node) && node.value !== null ? { name: written(node), offset: start(node) } : undefined
}

/**
 * Replaces the names of value sets (`values: { set: NAME }`) with the sets, at any depth of a file's value.
 *
 * @returns the names that the project lacks
 */
export const substituteSets = (value: unknown, sets: ValueSets | undefined): ReadonlyArray<Finding> => {
  const found: Array<Finding> = []
  const visit = (at: unknown): void => {
    if (Array.isArray(at)) return at.forEach(visit)
    if (!isMapping(at)) return
    const named = setNamed(at["values"])
    const set = named && sets?.get(named.name)
    if (set !== undefined) at["values"] = set
    else if (named !== undefined && sets !== undefined) {
      found.push(notInProject("valueSets", named.name, [...sets.keys()], named.offset))
    }
    for (const member of Object.values(at)) visit(member)
  }
  visit(value)
  return found
}

type Loaded = { readonly set: ValueSet } | { readonly finding: Finding }

/**
 * Reads a set from the text of a CSV file.
 *
 * @param refuse reports what is wrong, at a member of the set's entry
 */
const fromText = (
  text: string,
  { file, key, value }: { readonly file: string; readonly key: string; readonly value: string },
  refuse: (member: string, message: string, suggestion: string | undefined) => Loaded,
): Loaded => {
  const { data, errors } = Papa.parse<ReadonlyArray<string>>(text.replace(/^\uFEFF/, ""), { skipEmptyLines: "greedy" })
  const broken = errors.find(({ type }) => type === "Quotes")
  if (broken !== undefined) {
    const place = broken.row === 0 ? "header" : `record ${broken.row}`
    const message = `${file}, ${place}: a quotation mark is missing or is inside a cell.`
    return refuse("file", message, 'Put the cell in quotation marks, and write "" for each one inside it.')
  }
  const [header = [], ...rows] = data
  const titles = header.map((title) => title.trim())
  const [keyAt, valueAt] = [titles.indexOf(key), titles.indexOf(value)]
  for (const [member, name, position] of [["key", key, keyAt], ["value", value, valueAt]] as const) {
    if (position < 0) {
      return refuse(member, `${file} has no column ${quoted(name)}.`, suggest(name, titles, "Its columns are"))
    }
    if (titles.lastIndexOf(name) !== position) {
      return refuse(member, `${file} has several columns ${quoted(name)}.`, "Rename all but one.")
    }
  }
  const set = new Map<string, string | null>()
  for (const [index, row] of rows.entries()) {
    if (row.length <= Math.max(keyAt, valueAt) || row.slice(titles.length).some((cell) => cell.trim() !== "")) {
      const message = `${file}, record ${index + 1} has ${
        counted(row.length, "cell")
      }, but the header has ${titles.length}.`
      return refuse("file", message, "Add or remove cells. A cell that contains the separator needs quotation marks.")
    }
    const cell = (row[keyAt] ?? "").trim()
    const option = (row[valueAt] ?? "").trim() || null
    if (cell === "") continue
    if (set.has(cell) && set.get(cell) !== option) {
      const message = `${file}, record ${index + 1}: ${quoted(cell)} has a different meaning further up.`
      return refuse("file", message, "Keep one of the two.")
    }
    set.set(cell, option)
  }
  return { set: Object.fromEntries(set) }
}

/**
 * Loads a project's value sets, including those in CSV files.
 * @param resolve makes a path from the file absolute
 */
export const loadValueSets = (
  yaml: YamlText,
  sets: Readonly<Record<string, typeof ValueSetEntry.Type>>,
  resolve: (path: string) => string,
): Effect.Effect<
  { readonly sets: ValueSets; readonly findings: ReadonlyArray<Finding> },
  never,
  FileSystem.FileSystem
> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const loaded = new Map<string, ValueSet>()
    const findings: Array<Finding> = []
    for (const [name, given] of Object.entries(sets)) {
      if (given._tag === "Inline") {
        loaded.set(name, given.set)
        continue
      }
      const refuse = (member: string, message: string, suggestion: string | undefined): Loaded => ({
        finding: { offset: yaml.offset([...given.path, member], "value"), message, suggestion },
      })
      const bytes = yield* Effect.either(fs.readFile(resolve(given.file)))
      const text = bytes._tag === "Right" ? utf8(bytes.right) : undefined
      const result: Loaded = bytes._tag === "Left"
        ? refuse(
          "file",
          `The value set ${quoted(name)} can't be read: ${bytes.left.message}`,
          "The path is relative to this file.",
        )
        : text === undefined
        ? refuse("file", `${given.file} is not UTF-8.`, "Save it as UTF-8.")
        : fromText(text, given, refuse)
      if ("set" in result) loaded.set(name, result.set)
      else findings.push(result.finding)
    }
    return { sets: loaded, findings }
  })
