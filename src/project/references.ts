import { isMap, isScalar } from "yaml"
import type { Node } from "yaml"
import type { YamlPath } from "../domain/diagnostic.ts"
import type { Finding } from "./finding.ts"
import { nearest, oneOf, quoted } from "./suggestion.ts"
import { written } from "./yamlNodes.ts"
import type { YamlText } from "./yamlText.ts"

/** The node at a path of member names; null when there is none. */
const nodeAt = (yaml: YamlText, path: YamlPath): Node | null => {
  let node = yaml.resolve(yaml.root)
  for (const step of path) {
    if (!isMap(node)) return null
    node = yaml.resolve(yaml.members(node).find((member) => member.key === String(step))?.value ?? null)
  }
  return node
}

/** The text at a path, whatever else is wrong with the file; undefined when there is none. */
export const textAt = (yaml: YamlText, path: YamlPath): string | undefined => {
  const node = nodeAt(yaml, path)
  return isScalar(node) && node.value !== null ? written(node) : undefined
}

/** The keys of the mapping at a path; undefined when there is none. */
export const keysAt = (yaml: YamlText, path: YamlPath): ReadonlyArray<string> | undefined => {
  const node = nodeAt(yaml, path)
  return isMap(node) ? yaml.members(node).map((member) => member.key) : undefined
}

/** Services that a pipeline names and the project does not have. */
export const unknownServices = (yaml: YamlText, services: ReadonlyArray<string>): ReadonlyArray<Finding> =>
  [["sink"], ...(keysAt(yaml, ["sink", "targets"]) ?? []).map((target) => ["sink", "targets", target])].flatMap(
    (place) => {
      const path = [...place, "service"]
      const name = textAt(yaml, path)
      if (name === undefined || services.includes(name)) return []
      const near = nearest(name, services)
      return [{
        offset: yaml.offset(path, "value"),
        message: `config/formferry.yaml has no service ${quoted(name)}.`,
        suggestion: near !== undefined
          ? `Did you mean ${quoted(near)}?`
          : services.length > 0
          ? `Its services are ${oneOf(services.map(quoted), "and")}.`
          : "Add it under `services`.",
      }]
    },
  )
