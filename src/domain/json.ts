/** Any JSON value, as the service sends and takes it. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject

export interface JsonObject {
  readonly [member: string]: Json
}

/** Whether a value has lists or objects within one another beyond so many. Goes no deeper than that, so that no value can exhaust the stack. */
export const deeperThan = (value: Json, depth: number): boolean =>
  typeof value === "object" && value !== null
  && (depth === 0 || Object.values(value).some((each) => deeperThan(each as Json, depth - 1)))

/** A value as people read it: a text as it is, all else as JSON, nothing if there is no value. */
export const valueText = (value: Json | undefined): string =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value)

/** JSON text with the members of every object in the order of their names, and undefined ones left out: equal values give equal text. */
export const canonicalJson = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null"
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  members.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`
}

export const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

/** Whether a JSON value, or something that was parsed from JSON, has members. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
