import { isMap, isScalar, isSeq } from "yaml"
import type { Node, YAMLMap } from "yaml"
import { written } from "./yamlNodes.ts"
import { parseYaml } from "./yamlText.ts"
import type { YamlText } from "./yamlText.ts"

/** Lists of the mapping: of these a broken entry can be left out alone. */
const lists = new Set(["questions", "urlParameters", "scheduling", "payments"])

/** What can be left out whole without changing what the entries of a pipeline mean. */
const spare = new Set(["reconcile", "schedule", "examples"])

const holds = (node: Node | null | undefined, offset: number): boolean =>
  (node?.range?.[0] ?? Infinity) <= offset && offset < (node?.range?.[2] ?? -Infinity)

interface Range {
  readonly from: number
  readonly to: number
}

const pairAt = (map: YAMLMap, offset: number) =>
  map.items.find(({ key, value }) => holds(key as Node, offset) || holds(value as Node | null, offset))

/** The smallest part of a pipeline around an offset that the rest can do without; undefined: there is none. */
const partAround = (yaml: YamlText, offset: number): Range | undefined => {
  let map = yaml.root
  for (let depth = 0; isMap(map) && (map.flow !== true || depth === 1) && depth < 2; depth++) {
    const pair = pairAt(map, offset)
    if (pair === undefined) return undefined
    const key = pair.key as Node
    const value = pair.value as Node | null
    const name = isScalar(key) ? written(key) : ""
    // In braces the comma behind it goes too.
    const next = map.flow === true ? map.items[map.items.indexOf(pair) + 1]?.key as Node | undefined : undefined
    const whole = { from: key.range?.[0] ?? 0, to: next?.range?.[0] ?? (value ?? key).range?.[1] ?? 0 }
    const isWithin = depth === 1
    if (!isWithin && spare.has(name)) return whole
    if (!isWithin && name !== "mapping" && name !== "sink") return undefined
    if (isWithin && isSeq(value) && value.flow !== true && lists.has(name)) {
      const item = (value.items as ReadonlyArray<Node | null>).find((one) => holds(one, offset))
      const start = item?.range?.[0]
      const dash = start === undefined ? -1 : yaml.text.lastIndexOf("-", start - 1)
      return item?.range == null || start === undefined || yaml.text.slice(dash + 1, start).trim() !== ""
        ? undefined
        : { from: dash, to: item.range[1] }
    }
    if (isWithin) return ["defaults", "service", "form", "targets"].includes(name) ? undefined : whole
    map = value
  }
  return undefined
}

/**
 * A pipeline file without the entries in which something is wrong, so that all others can be checked too. What stays keeps its place.
 *
 * @param offsets where something is wrong
 * @returns undefined when what is wrong concerns the source, the destination or the defaults: then nothing else could be told rightly
 */
export const withoutBroken = (yaml: YamlText, offsets: ReadonlyArray<number>): YamlText | undefined => {
  if (!yaml.sound) return undefined
  let { text } = yaml
  for (const offset of offsets) {
    const part = partAround(yaml, offset)
    if (part === undefined) return undefined
    const { from, to } = part
    text = text.slice(0, from) + text.slice(from, to).replaceAll(/[^\r\n]/g, " ") + text.slice(to)
  }
  return parseYaml(yaml.file, text)
}
