import * as JSONSchema from "effect/JSONSchema"
import type * as Schema from "effect/Schema"
import { parse } from "yaml"
import { type Form, type FormList, formLists, type Question } from "../domain/form.ts"
import { ownMembers } from "../domain/item.ts"
import { isList, isObject, type Json, type JsonObject } from "../domain/json.ts"
import { namesOf } from "../domain/words.ts"
import { pipelineSchema } from "./Pipeline.ts"
import { projectSchema } from "./Project.ts"

/** Allows numbers and booleans where text is expected, because text counts as written: `007` is valid too. Patterns apply only to text. */
const asWritten = (schema: JsonObject): JsonObject =>
  schema["type"] === "string" && schema["enum"] === undefined && schema["pattern"] === undefined
    ? { ...schema, type: ["string", "number", "boolean"] }
    : schema

/** The keywords of a condition, in the order of the parameters of `conditional`. */
const conditionWords = ["if", "then", "else"] as const

/** Returns a schema that adds requirements if a condition is met. */
const conditional = (...given: readonly [condition: Json, more: Json, otherwise?: Json]): JsonObject =>
  Object.fromEntries(conditionWords.flatMap((word, at) => {
    const schema = given[at]
    return schema === undefined ? [] : [[word, schema]]
  }))

const literally = (text: string): string => text.replaceAll(/[^\w\s]/g, "\\$&")

/** Allows keys that begin with `x-`. Requires keys only if all keys are known, so that a misspelt key is not also reported as a missing key. */
const extensible = (schema: JsonObject): JsonObject => {
  const { allOf, required, ...rest } = schema
  if (!isObject(rest["properties"]) || rest["additionalProperties"] !== false) return schema
  const rules = {
    ...(isList(required ?? null) && (required as ReadonlyArray<Json>).length > 0 ? { required: required! } : {}),
    ...(allOf === undefined ? {} : { allOf }),
  }
  const known = Object.keys(rest["properties"]).map(literally)
  return {
    ...rest,
    ...(Object.keys(rules).length === 0 || known.length === 0
      ? rules
      : conditional({ propertyNames: { pattern: `^(?:${known.join("|")}|x-.*)$` } }, rules)),
    patternProperties: { "^x-": {} },
  }
}

/** Removes the titles that Effect gives to refinements (`int`, `minLength(1)`), because they mean nothing to a user. */
const untitled = ({ title, ...rest }: JsonObject): JsonObject =>
  typeof title === "string" && /\s/.test(title) && !/^\w+\(/.test(title) ? { ...rest, title } : rest

/** The members of a JSON Schema that contain schemas by name, and those that contain values. */
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

/** Returns the kind that an entry must name (`as`). */
const kindOf = (entry: Json): Json | undefined => {
  const as = isObject(entry) && isObject(entry["properties"]) ? entry["properties"]["as"] : undefined
  const [kind, ...more] = isObject(as) && Array.isArray(as["enum"]) ? as["enum"] as ReadonlyArray<Json> : []
  return more.length === 0 ? kind : undefined
}

/** Chooses a schema by the kind that an entry names. Otherwise, editors would report what the entry lacks for every kind. */
const byKind = (schema: Json, definitions: JsonObject): Json => {
  if (Array.isArray(schema)) return schema.map((each: Json) => byKind(each, definitions))
  if (!isObject(schema)) return schema
  const { anyOf, ...rest } = Object.fromEntries(
    Object.entries(schema).map(([key, member]) => [key, values.has(key) ? member : byKind(member, definitions)]),
  )
  const members = isList(anyOf ?? null) ? anyOf as ReadonlyArray<JsonObject> : []
  const entries = members.map((member) => ({
    kind: kindOf(definitions[String(member["$ref"]).replace("#/$defs/", "")] ?? null),
    member,
  }))
  const said = entries.filter(({ kind }) => kind !== undefined)
  const [plain] = entries.filter(({ kind }) => kind === undefined)
  if (said.length < 2 || plain === undefined) return anyOf === undefined ? rest : { ...rest, anyOf }
  return {
    ...rest,
    type: "object",
    properties: { as: { enum: said.map(({ kind }) => kind!), description: "The kind of value" } },
    ...conditional(
      { required: ["as"] },
      { allOf: said.map(({ kind, member }) => conditional({ properties: { as: { const: kind! } } }, member)) },
      plain.member,
    ),
  }
}

const made = <A, I>(schema: Schema.Schema<A, I>): JsonObject => {
  const json = asRead(JSON.parse(JSON.stringify(JSONSchema.make(schema))) as Json)
  const definitions = isObject(json) && isObject(json["$defs"]) ? json["$defs"] : {}
  return byKind(json, definitions) as JsonObject
}

/** Returns the JSON Schemas (draft 7) of the configuration files, for editors. */
export const jsonSchemas: () => Readonly<Record<"project" | "pipeline", JsonObject>> = () => ({
  project: made(projectSchema),
  pipeline: made(pipelineSchema()),
})

/** The names in a pipeline's source and form. */
interface GivenNames {
  readonly columns: ReadonlyArray<string>
  /** The titles of the questions that the source spreads over several columns. */
  readonly blocks: ReadonlyArray<string>
  readonly form: Form
}

/** Returns the YAML values that mean a string: the string itself, or a number, true or false without quotes. */
const written = (text: string): ReadonlyArray<Json> => {
  const plain: unknown = /^[-+.\w]{1,40}$/.test(text) ? parse(text) : text
  return typeof plain === "boolean" || (typeof plain === "number" && Number.isFinite(plain)) ? [text, plain] : [text]
}

const enumOf = (texts: ReadonlyArray<string>, ...more: ReadonlyArray<Json>): JsonObject => ({
  enum: [...new Set([...texts.flatMap(written), ...more])],
})

/** The definition that contains the names of each list's elements. */
const definitionOf: Readonly<Record<FormList, string>> = {
  questions: "Question",
  urlParameters: "UrlParameter",
  scheduling: "Scheduling",
  payments: "Payment",
}

/**
 * Returns a condition that applies to a question's entry: wherever the entry names options, it allows only the
 * question's options.
 */
const withOptions = (question: Question, isUnique: boolean): JsonObject => {
  const names = (question.options ?? []).flatMap(({ label, value }) => [label, value])
  const is = (key: "id" | "name") => ({ required: [key], properties: { [key]: enumOf([question[key].trim()]) } })
  const use = { properties: { use: enumOf(names) } }
  return conditional(isUnique ? { anyOf: [is("id"), is("name")] } : is("id"), {
    properties: {
      options: { items: enumOf(names) },
      // `{ set: NAME }` is the name of a value set.
      values: { properties: { set: {} }, additionalProperties: enumOf(names, null) },
      otherwise: use,
      other: use,
    },
  })
}

/** Returns the JSON Schema of a pipeline file, with the columns of its source, and the questions and options of its form. */
export const pipelineSchemaFor = ({ blocks, columns, form }: GivenNames): JsonObject => {
  const { pipeline } = jsonSchemas()
  const definitions = { ...pipeline["$defs"] as JsonObject }
  const narrow = (name: string, texts: ReadonlyArray<string>) => {
    if (texts.length === 0) return
    const { description } = definitions[name] as JsonObject
    definitions[name] = { ...(description === undefined ? {} : { description }), ...enumOf(texts) }
  }
  narrow("Column", columns)
  narrow("Column.ignored", [...columns, ...blocks])
  narrow("Block.title", blocks)
  for (const list of namesOf(formLists)) {
    narrow(`${definitionOf[list]}.id`, form[list].map(({ id }) => id))
    narrow(`${definitionOf[list]}.name`, form[list].map(({ name }) => name.trim()))
  }
  const called = (lists: ReadonlyArray<FormList>) =>
    lists.flatMap((list) => form[list]).flatMap(({ id, name }) => [name.trim(), id])
  narrow("Question.any", called(["questions"]))
  narrow("Answered", [...called(namesOf(formLists)), ...ownMembers])
  const times = new Map<string, number>()
  for (const { name } of form.questions) times.set(name.trim(), (times.get(name.trim()) ?? 0) + 1)
  definitions["Questions"] = {
    ...definitions["Questions"] as JsonObject,
    allOf: form.questions.filter(({ options = [] }) => options.length > 0)
      .map((question) => withOptions(question, times.get(question.name.trim()) === 1)),
  }
  return { ...pipeline, $defs: definitions }
}
