// Reads the topics of generated questions, worded in five languages.
import { Either, ParseResult, Schema } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"

export const languages = ["en", "de", "fr", "es", "pt"] as const
export type Language = (typeof languages)[number]

const Text = Schema.transform(Schema.Union(Schema.String, Schema.Number, Schema.Boolean), Schema.String, {
  strict: true,
  decode: String,
  encode: (text) => text,
})

const Texts = Schema.NonEmptyArray(Text)

const inLanguages = <A, I>(value: Schema.Schema<A, I>) =>
  Schema.Struct({ en: value, de: value, fr: value, es: value, pt: value })

const Kind = Schema.Literal(
  "text",
  "longText",
  "email",
  "phone",
  "number",
  "date",
  "time",
  "boolean",
  "choice",
  "choices",
  "scale",
  "address",
)
export type TopicKind = typeof Kind.Type

/** A topic that a form can ask about. The first text of an option is the usual one. */
const Topic = Schema.Struct({
  topic: Text,
  kind: Kind,
  wordings: inLanguages(Texts),
  /** Technical names. */
  id: Texts,
  options: Schema.optional(Schema.NonEmptyArray(Schema.Struct({ ...inLanguages(Texts).fields, code: Text }))),
  cells: Schema.optional(Schema.Union(
    Schema.Struct({ from: Text, to: Text, decimals: Schema.optional(Schema.Number) }),
    Schema.Record({ key: Schema.Literal(...languages), value: Texts }).pipe(Schema.partial),
  )),
})
export type Topic = typeof Topic.Type

/** A grid, whose rows are answered with the same options. */
const Grid = Schema.Struct({
  wordings: inLanguages(Texts),
  rows: Schema.NonEmptyArray(inLanguages(Text)),
  options: Schema.NonEmptyArray(inLanguages(Text)),
  id: Text,
})
export type Grid = typeof Grid.Type

/** A question that no column answers. It lists the options of each language in the same order. */
const Decoy = Schema.Struct({
  decoy: Text,
  kind: Kind,
  wordings: inLanguages(Texts),
  options: Schema.optional(inLanguages(Texts)),
})

const topicOf = ({ decoy, kind, options, wordings }: typeof Decoy.Type): Topic => {
  const at = (option: number) => (language: Language) => [options?.[language][option] ?? ""] as const
  const [first, ...others] = (options?.en ?? []).map((_, option): NonNullable<Topic["options"]>[number] => {
    const of = at(option)
    return { en: of("en"), de: of("de"), fr: of("fr"), es: of("es"), pt: of("pt"), code: String(option + 1) }
  })
  return { topic: decoy, kind, wordings, id: [decoy], options: first === undefined ? undefined : [first, ...others] }
}

/**
 * The sets of topics. Suggestions may be adapted to the `known` set only. For the others, only figures are shown.
 *
 * The `fresh` set was written later than the suggestions, by someone who had seen neither them nor their vocabulary. The `fourth` set, with its own
 * grids and decoys, was written before the vocabulary was extended, the `fifth` after that. The weights of topics were fitted to the `unseen`, `fourth`,
 * `fifth` and `sixth` sets, without words for their open questions. The `seventh` to `eleventh` are independent: they are for the last figures only.
 */
export const topicSets = [
  "known",
  "unseen",
  "fresh",
  "fourth",
  "fifth",
  "sixth",
  "seventh",
  "eighth",
  "ninth",
  "tenth",
  "eleventh",
] as const
export type TopicSet = (typeof topicSets)[number]

const decoded = <A, I>(schema: Schema.Schema<A, I>, file: string): A => {
  const result = Schema.decodeUnknownEither(schema, { onExcessProperty: "ignore" })(
    parse(readFileSync(join("test/suggest/generated", file), "utf8")),
  )
  if (Either.isRight(result)) return result.right
  // Only the place is shown, because the texts of the unseen half must stay unseen.
  const places = ParseResult.ArrayFormatter.formatErrorSync(result.left).map(({ path }) => path.join("."))
  throw new Error(`${file} can't be used: ${places.slice(0, 5).join(", ")}`)
}

/** Reads the topics, grids and decoys of a set. */
export const topicsOf = (set: TopicSet) => {
  const others = set === "known" || set === "unseen" ? set : set === "fresh" ? "unseen" : "fourth"
  const grids = decoded(
    Schema.Record({ key: Schema.Literal(...topicSets), value: Schema.Array(Grid) }).pipe(Schema.partial),
    "grids.yaml",
  )
  const decoys = decoded(
    Schema.Record({ key: Schema.Literal("known", "later", "fourth"), value: Schema.Array(Decoy) }),
    "decoys.yaml",
  )
  return {
    topics: decoded(Schema.Array(Topic), `${set}.yaml`),
    grids: grids[set] ?? grids[others] ?? [],
    decoys: decoys[others === "unseen" ? "later" : others].map(topicOf),
  }
}
export type Topics = ReturnType<typeof topicsOf>
