import { isMap, isScalar, isSeq } from "yaml"
import type { Node } from "yaml"
import type { YamlPath } from "../domain/diagnostic.ts"
import { isExtension } from "./shapes.ts"
import { written } from "./yamlNodes.ts"
import type { YamlText } from "./yamlText.ts"

/** Stands for a value that the file leaves empty. No schema accepts it. */
export const nothing = Symbol("nothing")

/** Where a list or mapping of a file came from. */
interface Origin {
  readonly path: YamlPath
  /** By key or index: the node of the value, and the node that names it. */
  readonly members: Map<string | number, { readonly node: Node | null; readonly owner: Node }>
}

const origins = new WeakMap<object, Origin>()

/** Returns where a list or mapping of a file is, or undefined for a value of another origin. */
export const originOf = (value: object): Origin | undefined => origins.get(value)

/** Values to which the aliases of a file may expand. */
export const mostValues = 200_000

/** Sets a member whatever its name: an assignment to `__proto__` would set none. */
export const setMember = (of: object, key: string, value: unknown): void => {
  Object.defineProperty(of, key, { value, enumerable: true, configurable: true, writable: true })
}

/**
 * Returns a file's value with aliases and merge keys followed, or undefined if its aliases expand to too many values. Lists and mappings remember where they are.
 * A scalar is what YAML makes of it.
 */
export const plainValue = (yaml: YamlText): unknown => {
  let left = mostValues
  const convert = (given: Node | null, path: YamlPath): unknown => {
    left -= 1
    if (left <= 0) return nothing
    const node = yaml.resolve(given)
    if (isMap(node)) {
      const value = {}
      const members: Origin["members"] = new Map()
      for (const { key, keyNode, value: member } of yaml.members(node)) {
        // What a file keeps for its anchors may be large.
        if (path.length === 0 && isExtension(key)) continue
        setMember(value, key, convert(member, [...path, key]))
        members.set(key, { node: yaml.resolve(member) ?? member, owner: keyNode })
      }
      origins.set(value, { path, members })
      return value
    }
    if (isSeq(node)) {
      const members: Origin["members"] = new Map()
      const value = (node.items as ReadonlyArray<Node | null>).map((item, index) => {
        members.set(index, { node: yaml.resolve(item) ?? item, owner: item ?? node })
        return convert(item, [...path, index])
      })
      origins.set(value, { path, members })
      return value
    }
    if (!isScalar(node)) return nothing
    return node.value === null && written(node) === "" ? nothing : node.value
  }
  const value = convert(yaml.root, [])
  return left > 0 ? value : undefined
}
