import * as Schema from "effect/Schema"
import file from "./vocabulary.json" with { type: "json" }

const Phrases = Schema.split("|")
const Words = Schema.split(" ")

const record = <A, I>(value: Schema.Schema<A, I>) => Schema.Record({ key: Schema.String, value })

/** The words and phrases of each concept in English, German, French, Spanish and Portuguese, by theme. */
const Concepts = record(record(Phrases))

const Vocabulary = Schema.Struct({
  concepts: Concepts,
  /** How alike related concepts are, 0 to 1. Two concepts are separated by ` ~ `. */
  related: record(Schema.Number),
  /** Concepts that exclude each other: a name with one and a name with the other are about different things. */
  contrasts: Schema.Array(Schema.String),
  /** Words without a meaning of their own. Words that change a meaning (not, most, least, first) are not among them. */
  stopWords: record(Words),
  /** Numbers as words. Those with a second meaning are omitted: one (an article in most languages), sept, neuf, dos, once. */
  numerals: record(Words),
  yes: Phrases,
  no: Phrases,
  /** Texts for "no answer". */
  noAnswer: Phrases,
  /** Concepts that name only a kind of answer. Titles with more words don't agree by them alone. */
  bare: Phrases,
  /** Concepts of people and organisations, whose contacts and dates are not those of the person who answers. */
  people: Phrases,
  endings: Phrases,
  /** The kinds of answer that concepts of a short title name. */
  kindsOfNames: record(Phrases),
  /** The concepts under which addresses of a kind are expected. */
  addresses: Schema.Struct({ email: Phrases, url: Phrases }),
  /** Parts of a full name, with the concepts that name them. */
  nameParts: record(Phrases),
  /** Parts of the kind `address`, with the concepts that name them. */
  addressParts: record(Phrases),
  /** Concepts of columns whose digits are not a quantity. */
  digitNames: Phrases,
  /** Concepts in the names of id columns. */
  rowKeys: Phrases,
  /** Concepts in the names of columns that contain a record's times. */
  times: Schema.Struct({ submitted: Phrases, updated: Phrases }),
  /** Names of the option for any other answer. */
  other: Phrases,
  units: Words,
  totals: Phrases,
})

export const vocabulary = Schema.decodeUnknownSync(Vocabulary)(file)
