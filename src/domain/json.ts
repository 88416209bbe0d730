/** Any JSON value. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject

export interface JsonObject {
  readonly [member: string]: Json
}

/** Returns the value of a text that is JSON, otherwise undefined. */
export const parsedJson = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** Whether a text is a number as JSON writes it. */
export const isJsonNumber = (text: string): boolean => /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(text)

/** Whether lists and objects are nested deeper than `depth`. Stops at that depth, so that no value can overflow the stack. */
export const deeperThan = (value: Json, depth: number): boolean =>
  typeof value === "object" && value !== null
  && (depth === 0 || Object.values(value).some((each) => deeperThan(each as Json, depth - 1)))

/** Returns a value as text: a text unchanged, any other value as JSON, and "" for undefined. */
export const valueText = (value: Json | undefined): string =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value)

/** Returns JSON text with the members of every object sorted by name, and without undefined members. Equal values have equal texts. */
export const canonicalJson = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null"
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  members.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`
}

/** Returns a number, or a whole number that is written as text. Undefined for anything else. */
export const countIn = (value: Json | undefined): number | undefined =>
  typeof value === "number" ? value : typeof value === "string" && /^\d+$/.test(value) ? Number(value) : undefined

export const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

/** Whether a JSON value is an object. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
