import { FileSystem } from "@effect/platform"
import { Effect } from "effect"
import Papa from "papaparse"
import { isMap, isScalar, visit } from "yaml"
import type { YamlPath } from "../domain/diagnostic.ts"
import type { Finding } from "./finding.ts"
import type { ProjectFile } from "./projectSchema.ts"
import { quoted, suggest } from "./suggestion.ts"
import { written } from "./yamlNodes.ts"
import type { YamlText } from "./yamlText.ts"

/** What cells stand for: cell → option, null for no answer. */
type ValueSet = Readonly<Record<string, string | null>>
export type ValueSets = ReadonlyMap<string, ValueSet>

/** The set that `values: { set: NAME }` names; undefined when the values stand there themselves. */
export const setNamed = (values: unknown): string | undefined => {
  if (typeof values !== "object" || values === null || Object.keys(values).join() !== "set") return undefined
  const { set } = values as { readonly set?: unknown }
  return typeof set === "string" ? set : undefined
}

/** Sets that a pipeline names and the project does not have. */
export const unknownSets = (yaml: YamlText, sets: ReadonlyArray<string>): ReadonlyArray<Finding> => {
  const found: Array<Finding> = []
  if (yaml.root === null) return found
  visit(yaml.root, {
    Pair: (_key, { key, value }) => {
      if (!isScalar(key) || written(key) !== "values" || !isMap(value) || value.items.length !== 1) return
      const [only] = value.items
      if (only === undefined || !isScalar(only.key) || written(only.key) !== "set" || !isScalar(only.value)) return
      const name = written(only.value)
      if (sets.includes(name)) return
      found.push({
        offset: only.value.range?.[0] ?? 0,
        message: `config/formferry.yaml has no value set ${quoted(name)}.`,
        suggestion: suggest(name, sets, "Its value sets are") ?? "Add it under `valueSets`.",
      })
    },
  })
  return found
}

type Sets = NonNullable<ProjectFile["valueSets"]>
type Loaded = { readonly set: ValueSet } | { readonly finding: Finding }

/** Takes a set from the text of a CSV file. */
const fromText = (
  text: string,
  { file, key, value }: { readonly file: string; readonly key: string; readonly value: string },
  at: (member: string) => number,
): Loaded => {
  const { data } = Papa.parse<ReadonlyArray<string>>(text.replace(/^\uFEFF/, ""), { skipEmptyLines: "greedy" })
  const [header = [], ...rows] = data
  const titles = header.map((title) => title.trim())
  const [keyAt, valueAt] = [titles.indexOf(key), titles.indexOf(value)]
  for (const [member, name, position] of [["key", key, keyAt], ["value", value, valueAt]] as const) {
    if (position < 0) {
      return {
        finding: {
          offset: at(member),
          message: `${file} has no column ${quoted(name)}.`,
          suggestion: suggest(name, titles, "Its columns are"),
        },
      }
    }
  }
  const set = new Map<string, string | null>()
  for (const [index, row] of rows.entries()) {
    const cell = (row[keyAt] ?? "").trim()
    const option = (row[valueAt] ?? "").trim() || null
    if (cell === "") continue
    if (set.has(cell) && set.get(cell) !== option) {
      return {
        finding: {
          offset: at("file"),
          message: `${file}, record ${index + 1}: ${quoted(cell)} stands for something else further up.`,
          suggestion: "Keep one of the two.",
        },
      }
    }
    set.set(cell, option)
  }
  return { set: Object.fromEntries(set) }
}

/**
 * Loads a project's value sets, those of CSV files included. What is wrong is found at its place.
 * @param resolve a path as the file gives it → absolute
 */
export const loadValueSets = (
  yaml: YamlText,
  sets: Sets,
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
      if (!isInFile(given)) {
        loaded.set(name, given)
        continue
      }
      const at = (member: string) => yaml.offset(["valueSets", name, member] satisfies YamlPath, "value")
      const bytes = yield* Effect.either(fs.readFile(resolve(given.file)))
      const text = bytes._tag === "Right" ? utf8(bytes.right) : undefined
      const result: Loaded = bytes._tag === "Left"
        ? {
          finding: {
            offset: at("file"),
            message: `The value set ${quoted(name)} can't be read: ${bytes.left.message}`,
            suggestion: "The path is relative to this file.",
          },
        }
        : text === undefined
        ? { finding: { offset: at("file"), message: `${given.file} is not UTF-8.`, suggestion: "Save it as UTF-8." } }
        : fromText(text, given, at)
      if ("set" in result) loaded.set(name, result.set)
      else findings.push(result.finding)
    }
    return { sets: loaded, findings }
  })

const isInFile = (set: Sets[string]): set is { readonly file: string; readonly key: string; readonly value: string } =>
  Object.keys(set).toSorted().join() === "file,key,value"

const utf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
