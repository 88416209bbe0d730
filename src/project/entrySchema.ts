import { Schema } from "effect"
import type { Kind } from "../kinds/Kind.ts"
import { expecting, optional, withRules } from "./annotated.ts"
import type { KeyRules } from "./annotated.ts"
import { Column, Columns, Name } from "./scalars.ts"
import { isTemplate } from "./template.ts"

/** A part that is an entry of its own: a constant, or columns with options of the part's kind. */
export interface PartFile {
  readonly from?: string | ReadonlyArray<string>
  readonly value?: string
  readonly [option: string]: unknown
}

/** Where cells come from, as a file says it. */
export type FromFile = string | ReadonlyArray<string> | { readonly [part: string]: string | PartFile }

/** An entry of the mapping as a file says it. */
export interface EntryFile {
  readonly id?: string
  readonly name?: string
  readonly as?: string
  readonly from?: FromFile
  readonly value?: string
  readonly template?: string
  readonly required?: boolean
  readonly default?: string
  readonly [option: string]: unknown
}

/** What an entry needs to know of a kind. */
export type KindShape = Pick<Kind, "name" | "description" | "options" | "parts" | "partKinds" | "many" | "sends">
export type Kinds = ReadonlyMap<string, KindShape>

type FieldsSchema = Schema.Schema<unknown, unknown>

/** The kinds' options are known at run time only: their struct is typed by what reads it. */
const struct = <A extends object>(fields: Schema.Struct.Fields): Schema.Schema<A, unknown> =>
  Schema.Struct(fields) as unknown as Schema.Schema<A, unknown>

const loose = <A, I>(schema: Schema.Schema<A, I>): FieldsSchema => schema as unknown as FieldsSchema

const union = (...members: ReadonlyArray<FieldsSchema>): FieldsSchema => Schema.Union(...members)

const Template = Schema.String.pipe(
  Schema.filter((text) => isTemplate(text), { jsonSchema: { pattern: "^[^{}]*(\\{[^{}]+\\}[^{}]*)+$" } }),
).annotations(expecting("text with columns in braces, such as `{First name} {Last name}`"))

const one = "A column"

const partEntry = (kinds: Kinds, kind: KindShape | undefined): FieldsSchema => {
  const from = kind?.many === true ? union(loose(Column), loose(Columns)) : loose(Column)
  const own = withRules(
    struct<PartFile>({
      from: optional(from, { description: kind?.many === true ? "A column, or several joined" : one }),
      value: optional(Schema.String, { description: "A constant, as written" }),
      ...kind?.options,
    }),
    { exactlyOne: ["from", "value"] },
  ).annotations({
    ...expecting("a column or an entry of its own"),
    identifier: kind === undefined ? "Part" : `Part.${kind.name}`,
    description: kind === undefined ? "A column, or a constant" : `A part that is read as ${kind.name}`,
  })
  return union(loose(Column), loose(own)).annotations({
    ...expecting("a column or an entry of its own, such as { value: … }"),
    identifier: kind === undefined ? "PartInput" : `PartInput.${kind.name}`,
  })
}

/** Parts, each a column or an entry of its own. */
const parts = (kinds: Kinds, of: Readonly<Record<string, string>>): FieldsSchema =>
  loose(
    withRules(
      struct<object>(Object.fromEntries(
        Object.entries(of).map(([part, kind]) => [
          part,
          optional(partEntry(kinds, kinds.get(kind)), { description: `The part ${part}, read as ${kind}` }),
        ]),
      )),
      { atLeastOne: Object.keys(of) },
    ).annotations(expecting("parts with their columns")),
  )

const fromOf = (kinds: Kinds, kind: KindShape | undefined): FieldsSchema => {
  const inputs = [loose(Column)]
  if (kind === undefined || kind.many) inputs.push(loose(Columns))
  if (kind === undefined) {
    inputs.push(
      loose(
        Schema.Record({ key: Schema.String, value: partEntry(kinds, undefined) })
          .pipe(Schema.filter((all) => Object.keys(all).length > 0, { jsonSchema: { minProperties: 1 } }))
          .annotations(expecting("parts with their columns")),
      ),
    )
  } else if (kind.parts.length > 0) {
    inputs.push(parts(kinds, Object.fromEntries(kind.parts.map((part) => [part, kind.partKinds[part] ?? "text"]))))
  }
  return union(...inputs)
}

const names = {
  id: optional(Name, { description: "The element's id in the form" }),
  name: optional(Name, {
    description: "The element's name in the form; with an id both must agree with the live form",
  }),
}

const common = (kinds: Kinds, kind: KindShape | undefined) => ({
  from: optional(fromOf(kinds, kind), {
    description: kind === undefined
      ? "A column, a list of columns, or parts with their columns"
      : kind.parts.length > 0
      ? `A column, or the parts ${kind.parts.join(", ")} with their columns`
      : kind.many
      ? "A column, or several joined"
      : one,
  }),
  value: optional(Schema.String, { description: "A constant for every row, as written" }),
  template: optional(Template, {
    description: "Text with columns in braces; empty columns take their space along",
    examples: ["{Title} {First name} {Last name}"],
  }),
  required: optional(Schema.Boolean, { description: "Whether a row without this answer is invalid", default: false }),
  default: optional(Schema.String, { description: "What stands in for an empty cell, in the source's format" }),
})

const input: KeyRules = { exactlyOne: ["from", "value", "template"] }
const named: KeyRules = { ...input, atLeastOne: ["id", "name"] }

/** An entry that is named and may say its kind. */
const namedEntry = (kinds: Kinds, kind: KindShape | undefined, told: boolean, prefix: string) =>
  withRules(
    struct<EntryFile>({
      ...names,
      ...(kind !== undefined && told
        ? { as: Schema.propertySignature(Schema.Literal(kind.name)).annotations({ description: kind.description }) }
        : {}),
      ...common(kinds, kind),
      ...kind?.options,
    }),
    named,
  ).annotations({
    identifier: kind === undefined ? prefix : `${prefix}.${told ? kind.name : "entry"}`,
    description: kind === undefined
      ? "An answer whose kind the form's metadata tells"
      : kind.description,
  })

/** An answer to a question: its kind is told by `as`, or by the form. */
export const questionEntry = (kinds: Kinds): Schema.Schema<EntryFile, unknown> =>
  Schema.Union(
    ...[...kinds.values()].map((kind) => namedEntry(kinds, kind, true, "Question")),
    namedEntry(kinds, undefined, false, "Question"),
  )

/** A URL parameter: text, or a kind that is sent as text. */
export const urlParameterEntry = (kinds: Kinds): Schema.Schema<EntryFile, unknown> =>
  Schema.Union(
    ...[...kinds.values()].filter((kind) => kind.sends === "string")
      .map((kind) => namedEntry(kinds, kind, true, "UrlParameter")),
    namedEntry(kinds, kinds.get("text"), false, "UrlParameter"),
  )

/** An entry that is there once and always of one kind: a time, the login. */
export const ownEntry = (kinds: Kinds, kind: string): Schema.Schema<EntryFile, unknown> =>
  withRules(struct<EntryFile>({ ...common(kinds, kinds.get(kind)), ...kinds.get(kind)?.options }), input)
    .annotations({ identifier: `Own.${kind}` })

/** A scheduling or payment field: parts, each of its own kind. */
export const elementEntry = (
  kinds: Kinds,
  of: Readonly<Record<string, string>>,
  identifier: string,
): Schema.Schema<EntryFile, unknown> =>
  withRules(
    struct<EntryFile>({
      ...names,
      from: Schema.propertySignature(parts(kinds, of)).annotations({
        description: "Its parts, each a column or an entry of its own",
      }),
      required: optional(Schema.Boolean, { description: "Whether a row without it is invalid", default: false }),
    }),
    { atLeastOne: ["id", "name"] },
  ).annotations({ identifier })
