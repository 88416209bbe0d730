import { JSONSchema } from "effect"
import type { Schema } from "effect"
import { isObject } from "../domain/json.ts"
import type { Json, JsonObject } from "../domain/json.ts"
import { pipelineSchema } from "./Pipeline.ts"
import { projectSchema } from "./Project.ts"

/** Allows numbers and booleans for text, since text counts as written: `007` is valid too. Patterns apply to text only. */
const asWritten = (schema: JsonObject): JsonObject =>
  schema["type"] === "string" && schema["enum"] === undefined && schema["pattern"] === undefined
    ? { ...schema, type: ["string", "number", "boolean"] }
    : schema

/** Allows keys that begin with `x-`. */
const extensible = (schema: JsonObject): JsonObject =>
  schema["additionalProperties"] === false && schema["properties"] !== undefined
    ? { ...schema, patternProperties: { "^x-": {} } }
    : schema

/** Removes the titles that Effect gives to refinements (`int`, `minLength(1)`), which explain nothing to a user. */
const untitled = ({ title, ...rest }: JsonObject): JsonObject =>
  typeof title === "string" && /\s/.test(title) && !/^\w+\(/.test(title) ? { ...rest, title } : rest

/** Members of a JSON Schema that contain schemas by name, and those that contain values. */
const named = new Set(["properties", "patternProperties", "$defs"])
const values = new Set(["default", "examples", "enum", "required", "const"])

const asRead = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(asRead)
  if (!isObject(value)) return value
  const inner = Object.entries(value).map(([key, member]): readonly [string, Json] => {
    if (values.has(key)) return [key, member]
    if (!named.has(key) || !isObject(member)) return [key, asRead(member)]
    return [key, Object.fromEntries(Object.entries(member).map(([name, one]) => [name, asRead(one)]))]
  })
  return untitled(extensible(asWritten(Object.fromEntries(inner))))
}

const made = <A, I>(schema: Schema.Schema<A, I>): JsonObject => {
  const json = asRead(JSON.parse(JSON.stringify(JSONSchema.make(schema))) as Json)
  return isObject(json) ? json : {}
}

/** Returns the JSON Schemas (draft 7) of the configuration files, for editors. */
export const jsonSchemas: () => Readonly<Record<"project" | "pipeline", JsonObject>> = () => ({
  project: made(projectSchema),
  pipeline: made(pipelineSchema()),
})
