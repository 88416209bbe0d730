import { isScalar } from "yaml"
import type { Node } from "yaml"
import { originOf } from "./yamlText.ts"

/** Sections that can be removed without changing what the entries of a pipeline mean. */
const spareSections = new Set(["reconcile", "schedule", "examples"])

/** Lists of the mapping. A broken entry of these can be removed alone. */
const lists = new Set(["questions", "urlParameters", "scheduling", "payments"])

/** Keys of mapping and sink that others depend on. */
const neededKeys = new Set(["defaults", "service", "form", "targets"])

const contains = (node: Node | null | undefined, offset: number): boolean =>
  (node?.range?.[0] ?? Infinity) <= offset && offset < (node?.range?.[2] ?? -Infinity)

/** Returns the key or index of the member at an offset, or undefined. */
const memberAt = (value: object, offset: number) =>
  [...originOf(value)?.members ?? []].find(([, { node, owner }]) =>
    contains(node, offset) || contains(owner, offset) || (isScalar(owner) && owner.range?.[1] === offset)
  )?.[0]

/** Returns the smallest part of a pipeline around an offset that can be removed, or undefined. */
const partAt = (pipeline: object, offset: number): readonly [of: object, key: string | number] | undefined => {
  const section = memberAt(pipeline, offset)
  if (typeof section !== "string") return undefined
  if (spareSections.has(section)) return [pipeline, section]
  const members: unknown = pipeline[section as keyof object]
  if ((section !== "mapping" && section !== "sink") || typeof members !== "object" || members === null) return undefined
  const key = memberAt(members, offset)
  if (key === undefined || neededKeys.has(String(key))) return undefined
  const list: unknown = members[key as keyof object]
  if (!lists.has(String(key)) || !Array.isArray(list)) return [members, key]
  const index = memberAt(list, offset)
  return index === undefined ? undefined : [list, index]
}

/**
 * Removes the entries of a pipeline file's value in which something is wrong, so that all others can be checked.
 * @param offsets where something is wrong
 * @returns false if something concerns the source, the destination or the defaults: then nothing else could be checked
 */
export const removeBroken = (pipeline: object, offsets: ReadonlyArray<number>): boolean => {
  const parts = offsets.map((offset) => partAt(pipeline, offset))
  const removed = new Map<object, Set<string | number>>()
  for (const part of parts) {
    if (part === undefined) return false
    const [of, key] = part
    removed.set(of, (removed.get(of) ?? new Set()).add(key))
  }
  for (const [of, keys] of removed) {
    if (Array.isArray(of)) of.splice(0, of.length, ...of.filter((_, index) => !keys.has(index)))
    else for (const key of keys) delete of[key as keyof object]
  }
  return true
}
