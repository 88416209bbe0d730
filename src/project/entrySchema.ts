import { Schema } from "effect"
import type { Kind } from "../kinds/Kind.ts"
import { expecting, optional, withRules } from "./annotated.ts"
import type { KeyRules } from "./annotated.ts"
import { Conditions } from "./conditionSchema.ts"
import type { EntryFile, PartFile } from "./EntryFile.ts"
import { Column, Columns, Expression, Name } from "./scalars.ts"
import { isTemplate } from "./template.ts"

/** What an entry needs to know of a kind. */
export type KindShape = Pick<
  Kind,
  "name" | "description" | "options" | "parts" | "many" | "sends" | "named"
>
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

const FirstOf = Schema.Struct({
  firstOf: Schema.propertySignature(Columns).annotations({
    description: "The first of these columns that is filled; when others are filled too, they must say the same",
    examples: [["E-mail", "E-mail (old)"]],
  }),
}).annotations({ ...expecting("{ firstOf: [A, B] }"), identifier: "FirstOf" })

const Block = Schema.Struct({
  block: Schema.propertySignature(Name).annotations({
    description: "All columns of a question that a form tool spreads over several, by the question's title",
    examples: ["Which of the following films have you seen?"],
  }),
}).annotations({ ...expecting("{ block: TITLE }"), identifier: "Block" })

const extract = optional(Expression, {
  description:
    "A regular expression (RE2) for the part of the cell that counts: its first group, else all that it matches; named groups fill parts. A filled cell that does not match is an error; a match of nothing is no answer",
  examples: ["(\\d+\\w?)$"],
})

const constant = optional(Schema.String, {
  description: "A constant for every row, as written",
  examples: ["legacy CRM"],
})

const template = optional(Template, {
  description: "Text with columns in braces; empty columns take their space along",
  examples: ["{Title} {First name} {Last name}"],
})

const standIn = optional(Schema.String, {
  description: "What stands in for an empty cell, in the source's format",
  examples: ["unknown"],
})

const partEntry = (kind: KindShape | undefined): FieldsSchema => {
  const many = kind?.many === true
  const own = withRules(
    struct<PartFile>({
      from: optional(union(loose(Column), ...(many ? [loose(Columns)] : []), loose(FirstOf)), {
        description: many ? "A column, or several joined" : one,
      }),
      value: constant,
      template,
      default: standIn,
      extract,
      ...kind?.options,
    }),
    { exactlyOne: ["from", "value", "template"], needs: { extract: ["from"] } },
  ).annotations({
    ...expecting("a column or an entry of its own"),
    identifier: kind === undefined ? "Part" : `Part.${kind.name}`,
    description: kind === undefined ? "A column, or a constant" : `A part that is read as ${kind.name}`,
  })
  return union(loose(Column), ...(many ? [loose(Columns)] : []), loose(own)).annotations({
    ...expecting("a column or an entry of its own, such as { value: … }"),
    identifier: kind === undefined ? "PartInput" : `PartInput.${kind.name}`,
  })
}

/** Columns by names that the form or the pipeline gives: options, ranks, rows. */
const byNames = (part: FieldsSchema, expects: string): FieldsSchema =>
  loose(
    Schema.Record({ key: Schema.String, value: part })
      .pipe(Schema.filter((all) => Object.keys(all).length > 0, { jsonSchema: { minProperties: 1 } }))
      .annotations(expecting(expects)),
  )

const ranks = (part: FieldsSchema): FieldsSchema =>
  loose(
    Schema.Struct({
      ranks: Schema.propertySignature(byNames(part, "options with the columns of their ranks")).annotations({
        description: "Options, each with the column that holds its rank",
        examples: [{ "Film A": "Rank [A]", "Film B": "Rank [B]" }],
      }),
    }).annotations(expecting("{ ranks: { OPTION: column } }")),
  )

const namedColumns = { options: "options with their columns", rows: "rows with their columns" } as const

/** Parts, each a column or an entry of its own. */
const parts = (kinds: Kinds, of: Readonly<Record<string, string>>): FieldsSchema =>
  loose(
    withRules(
      struct<object>(Object.fromEntries(
        Object.entries(of).map(([part, kind]) => [
          part,
          optional(partEntry(kinds.get(kind)), { description: `The part ${part}, read as ${kind}` }),
        ]),
      )),
      { atLeastOne: Object.keys(of) },
    ).annotations(expecting("parts with their columns")),
  )

const fromOf = (kinds: Kinds, kind: KindShape | undefined): FieldsSchema => {
  const inputs = [loose(Column)]
  if (kind === undefined || kind.many) inputs.push(loose(Columns))
  if (kind?.parts !== undefined) inputs.push(parts(kinds, kind.parts))
  if (kind?.named === undefined && kind !== undefined) return union(...inputs, loose(FirstOf))
  const part = partEntry(kind === undefined ? undefined : kinds.get("text"))
  if (kind?.named === undefined || kind.named === "ranks") inputs.push(ranks(part))
  inputs.push(loose(Block), loose(FirstOf))
  if (kind === undefined) inputs.push(byNames(part, "parts with their columns"))
  else if (kind.named === "options" || kind.named === "rows") inputs.push(byNames(part, namedColumns[kind.named]))
  return union(...inputs)
}

const namedFrom = {
  options: "A column; or a column for each option, `option: column`; or a block of the form tool's",
  ranks: "A column; or `ranks`, a column with the rank of each option; or a block of the form tool's",
  rows: "A column for each row, `row: column`; or a block of the form tool's",
} as const

const describedFrom = (kind: KindShape | undefined): string => {
  if (kind === undefined) return "A column, a list of columns, or parts with their columns"
  if (kind.named !== undefined) return namedFrom[kind.named]
  if (kind.parts !== undefined) return `A column, or the parts ${Object.keys(kind.parts).join(", ")} with their columns`
  return kind.many ? "A column, or several joined" : one
}

const names = {
  id: optional(Name, { description: "The element's id in the form" }),
  name: optional(Name, {
    description: "The element's name in the form; with an id both must agree with the live form",
  }),
}

const when = optional(Conditions, {
  description:
    "The entry counts only for rows for which this holds. Several entries may fill one question then: the first that holds is used",
  examples: [{ Status: ["cancelled"] }],
})

const onInvalid = optional(Schema.Literal("reject", "drop"), {
  description:
    "What a bad value does: reject the row, or drop this answer and send the row without it; either way it is counted and reported",
  default: "reject",
})

const common = (kinds: Kinds, kind: KindShape | undefined) => ({
  from: optional(fromOf(kinds, kind), { description: describedFrom(kind) }),
  value: constant,
  template,
  extract,
  when,
  required: optional(Schema.Boolean, { description: "Whether a row without this answer is invalid", default: false }),
  default: standIn,
  onInvalid,
  unique: optional(Schema.Boolean, {
    description: "Whether a row whose answer an earlier row of the source has given is invalid",
    default: false,
  }),
})

const input: KeyRules = { exactlyOne: ["from", "value", "template"], needs: { extract: ["from"] } }
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
      when,
      onInvalid,
    }),
    { atLeastOne: ["id", "name"] },
  ).annotations({ identifier })
