import * as Schema from "effect/Schema"
import { type Json, valueText } from "./json.ts"

// The kinds of fields of report.json: their descriptions, their defaults for reports of other versions, and what `--redact` does to them.

/** Replaces a text. The same text always has the same replacement, and an empty text stays empty. */
export type Mask = (text: string) => string

/**
 * Returns a function that masks values with keyed digests. With the ledger's secret, a person can check whether a value is the masked one (docs/review.md). Without the secret, values can't be
 * guessed.
 *
 * @param digest returns the ledger's keyed digest of a value
 */
export const maskOf = (digest: (value: string) => Buffer): Mask => (text) =>
  text === "" ? "" : `hmac:${digest(text).toString("hex")}`

/** The title of the last column of a masked file with a source's cells. Such a file is never a source. */
export const maskedTitle = "_masked"

/** An annotation of texts and other values without members. It is a function that returns the replacement for a masked report. */
export const Redaction = Symbol.for("formferry/Redaction")

/** An annotation of lists about single rows. These lists are emptied after a person has asked to forget a row. */
export const OfRows = Symbol.for("formferry/OfRows")

/** An annotation of a field that the page shows unchanged in a separate section. */
export const Section = Symbol.for("formferry/Section")
export interface Section {
  readonly title: string
  readonly intro?: string
  /** The titles of columns that differ from their fields' names. False if the field has no column. */
  readonly columns?: { readonly [field: string]: string | false }
  /** The fields that are shown in small print above another field, in its column. */
  readonly above?: { readonly [field: string]: string }
  /** For each field that shows only the first of many: the field that counts all of them. */
  readonly all?: { readonly [field: string]: string }
  /** The fields that are shown in a heading instead of a column. Each heading applies to the lines with the same values. */
  readonly heading?: ReadonlyArray<string>
}

export const Text = (description: string) => Schema.String.annotations({ description })
export const Count = (description: string) => Schema.Number.annotations({ description })
export const Flag = (description: string) => Schema.Boolean.annotations({ description })

/** A text that a masked report replaces with its digest. */
export const Digested = (description: string) =>
  Text(description).annotations({ [Redaction]: (text: string, mask: Mask) => mask(text) })

/** A link for editing a submission. It shows the whole submission, so it is omitted when masked. */
export const EditLink = (description: string) => Text(description).annotations({ [Redaction]: () => undefined })

/** Any JSON value. */
export const Value = (description: string) =>
  (Schema.Unknown as unknown as Schema.Schema<Json>).annotations({
    description,
    [Redaction]: (value: Json, mask: Mask) => mask(valueText(value)),
  })

/** A field that may be empty. If so, report.json contains null. */
export const maybe = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optionalWith(Schema.UndefinedOr(schema), { nullable: true })

/** A field with a default value, for reports of versions that lack the field. */
export const withDefault = <A, I>(schema: Schema.Schema<A, I>, value: () => A) =>
  Schema.optionalWith(schema, { nullable: true, default: value })

export const TextOrEmpty = (description: string) => withDefault(Text(description), () => "")
export const CountOrZero = (description: string) => withDefault(Count(description), () => 0)

/** A list. Members that don't fit its schema, such as those of a newer version, are not read. */
export const List = <A, I>(member: Schema.Schema<A, I>, about: Schema.Annotations.Schema<ReadonlyArray<A>> = {}) => {
  const decode = Schema.decodeUnknownOption(member)
  return Schema.transform(
    Schema.Array(Schema.Unknown),
    Schema.Array(Schema.typeSchema(member)).annotations(about),
    {
      strict: true,
      decode: (members) =>
        members.flatMap((one) => {
          const found = decode(one)
          return found._tag === "Some" ? [found.value] : []
        }),
      encode: (members) => members,
    },
  )
}
export const ListOrEmpty = <A, I>(member: Schema.Schema<A, I>, about?: Schema.Annotations.Schema<ReadonlyArray<A>>) =>
  withDefault(List(member, about), () => [])

/** A group of fields that all have default values. */
export const group = <Fields extends Schema.Struct.Fields>(fields: Fields) => {
  const schema = Schema.Struct(fields) as unknown as Schema.Schema<Schema.Struct.Type<Fields>, unknown>
  return withDefault(schema, () => Schema.decodeUnknownSync(schema)({}))
}

type Counts<K extends string> = { readonly [N in K]: ReturnType<typeof CountOrZero> }

/** Counts by name. */
export const counts = <K extends string>(names: ReadonlyArray<K>, about: (name: K) => string) =>
  Object.fromEntries(names.map((name) => [name, CountOrZero(about(name))])) as Counts<K>
