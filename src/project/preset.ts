import { type Finding, notInProject } from "./errors.ts"
import { presets } from "./presets/index.ts"
import type { Preset } from "./presets/Preset.ts"
import { oneOf, quoted, suggest } from "./suggestion.ts"
import { isMapping, keysAt, type Mapping, textAt, withPath, type YamlText } from "./yamlText.ts"

/** The connections of a project, each with the name of its preset if it has one. */
export type PresetNames = ReadonlyMap<string, string | undefined>

export const presetNamed = (name: string | undefined): Preset | undefined =>
  name !== undefined && Object.hasOwn(presets, name) ? presets[name] : undefined

/** Returns the other values of a preset's `base`: for which accounts, and which addresses. Undefined if there are none. */
export const basesText = ({ servers }: Preset): string | undefined =>
  servers && oneOf(servers.map(({ bases, isExample, of }) => {
    const addresses = oneOf(bases.map((base) => `\`${base}\``))
    return isExample === true ? `${of} (such as ${addresses})` : `${of} (${addresses})`
  }))

const presetNames = oneOf(Object.keys(presets).map(quoted))

/** Returns the connections of a project file with their presets, even if the file has mistakes. */
export const presetNamesIn = (yaml: YamlText): PresetNames =>
  new Map((keysAt(yaml, ["connections"]) ?? []).map((name) => [name, textAt(yaml, ["connections", name, "api"])]))

/** Returns what connections lack for their presets. */
export const connectionFindings = (yaml: YamlText): ReadonlyArray<Finding> =>
  [...presetNamesIn(yaml)].flatMap(([name, api]): ReadonlyArray<Finding> => {
    const preset = presetNamed(api)
    const path = ["connections", name]
    const keys = keysAt(yaml, path) ?? []
    if (api === undefined || preset === undefined) return []
    return [
      ...(keys.includes("base") || preset.base !== undefined ? [] : [{
        offset: yaml.offset([...path, "api"], "value"),
        message: `${quoted(api)} also needs \`base\`, because each customer has a server of their own.`,
        suggestion: `Add \`base\` for ${basesText(preset) ?? "your server"}.`,
      }]),
      ...(!keys.includes("token") || preset.token !== undefined ? [] : [{
        offset: yaml.offset([...path, "token"], "key"),
        message: `${preset.title} can't be used with a \`token\`.`,
        suggestion: preset.signIn,
      }]),
    ]
  })

/** The keys of a source whose values are paths. */
const paths = new Set(["path", "poll", "download"])

/** Returns a value with the variables of a preset in its texts replaced. */
const withVariables = (value: unknown, variables: Readonly<Record<string, string>>, isPath = false): unknown => {
  if (typeof value === "string") {
    return value.replaceAll(/\{(\w+)\}/g, (text, name: string) => {
      const given = Object.hasOwn(variables, name) ? variables[name] : undefined
      return given === undefined ? text : isPath ? encodeURIComponent(given) : given
    })
  }
  if (Array.isArray(value)) return value.map((item) => withVariables(item, variables))
  if (!isMapping(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withVariables(member, variables, paths.has(name))]),
  )
}

/** The parts of a request that a pipeline may extend. */
const extended = ["query", "headers", "form", "json"]

/** Adds a preset's keys to a source. Keys of the source remain; parameters, headers and fields of its request are added to those of the preset. */
const addKeys = (source: Mapping, keys: Mapping): void => {
  for (const [key, value] of Object.entries(keys)) {
    const own = source[key]
    if (own === undefined) source[key] = withPath(value, ["source", "connection"])
    else if (key === "request" && isMapping(own) && isMapping(value)) {
      // A request has one body.
      const body = "form" in own ? "json" : "json" in own ? "form" : undefined
      for (const [part, given] of Object.entries(value)) {
        const ownPart = own[part]
        if (part === body) continue
        if (ownPart === undefined) own[part] = given
        else if (extended.includes(part) && isMapping(ownPart) && isMapping(given)) {
          for (const [name, one] of Object.entries(given)) ownPart[name] ??= one
        }
      }
    }
  }
}

const variablesIn = (yaml: YamlText): Readonly<Record<string, string>> => {
  const form = textAt(yaml, ["source", "form"])
  const others = (keysAt(yaml, ["source", "variables"]) ?? []).map((name) => [
    name,
    textAt(yaml, ["source", "variables", name]) ?? "",
  ])
  return { ...Object.fromEntries(others) as Record<string, string>, ...(form === undefined ? {} : { form }) }
}

/** Returns how a variable is written in a pipeline, for messages. */
const written = (name: string, example: string) =>
  name === "form" ? `form: ${example}` : `variables: { ${name}: ${example} }`

const placeOf = (name: string) => name === "form" ? ["source", "form"] : ["source", "variables", name]

/**
 * Adds the keys of the connection's preset to the `source` of a pipeline, before it is decoded. Returns what is missing, or can't be used with that connection.
 *
 * @param value the pipeline file's value, which is changed
 */
export const usePreset = (yaml: YamlText, value: object, connections: PresetNames): ReadonlyArray<Finding> => {
  const place = ["source", "connection"]
  const name = textAt(yaml, place)
  const source = (value as Mapping)["source"]
  if (name === undefined || !isMapping(source)) return []
  const offset = yaml.offset(place, "value")
  if (!connections.has(name)) return [notInProject("connections", name, [...connections.keys()], offset)]
  const api = connections.get(name)
  const preset = presetNamed(api)
  const given = variablesIn(yaml)
  if (api === undefined) {
    const without = ["form", "variables"].filter((key) => key in source).map((key) => ({
      offset: yaml.offset(["source", key], "key"),
      message: `${quoted(key)} needs a connection with \`api\`, and ${quoted(name)} has none.`,
      suggestion: `Add \`api: NAME\` to \`connections.${name}\` (${presetNames}), or write \`request\` instead.`,
    }))
    return "request" in source ? without : [...without, {
      offset,
      message: "`connection` also needs `request`, because the connection has no `api`.",
      suggestion: `Add \`request\`, or \`api: NAME\` to \`connections.${name}\` (${presetNames}).`,
    }]
  }
  if (preset === undefined) return []
  const { title, variables } = preset
  const unknown = Object.keys(given).filter((one) => !Object.hasOwn(variables, one)).map((one) => ({
    offset: yaml.offset(placeOf(one), "key"),
    message: `${title} has no variable ${quoted(one)}.`,
    suggestion: suggest(one, Object.keys(variables), "Its variables are") ?? "Remove it.",
  }))
  const missing = Object.entries(variables).filter(([one]) => !Object.hasOwn(given, one)).map((
    [one, { about, example }],
  ) => ({
    offset,
    message: `${title} needs ${quoted(one)}: ${about}.`,
    suggestion: `Add \`${written(one, example)}\`.`,
  }))
  addKeys(source, withVariables(preset.source, given) as Mapping)
  return [...unknown, ...missing]
}
