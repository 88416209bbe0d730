import * as Duration from "effect/Duration"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type * as Types from "effect/Types"
import type { YamlPath } from "../domain/diagnostic.ts"
import { compilePattern } from "../kinds/pattern.ts"
import { originOf } from "./yamlText.ts"

// Annotations of this project

/** An annotation that says what a value must be, as text that follows "expects": `a whole number from 1 to 10`. */
export const Expects = Symbol.for("formferry/project/Expects")

/** An annotation with rules about which keys of a section may or must be given together. */
export const Rules = Symbol.for("formferry/project/Rules")

/** Annotates a schema with what a value must be. */
export const expecting = (expected: string) => ({ [Expects]: expected })

/** Returns an annotation that a node itself has, or undefined. */
export const annotation = <A>(annotated: SchemaAST.Annotated, key: symbol): A | undefined =>
  annotated.annotations[key] as A | undefined

export interface KeyRules {
  /** Exactly one of these keys must be given. */
  readonly exactlyOne?: ReadonlyArray<string>
  /** At least one of these keys must be given. */
  readonly atLeastOne?: ReadonlyArray<string>
  /** Maps a key to the other keys that must be given with it. */
  readonly needs?: Readonly<Record<string, ReadonlyArray<string>>>
  /** Maps a key to the other keys that must not be given with it. */
  readonly excludes?: Readonly<Record<string, ReadonlyArray<string>>>
  /** Maps a key to sentences that say why it must, or must not, be given with other keys. */
  readonly why?: Readonly<Record<string, string>>
}

/** Returns the rules for a section's keys. */
export const ruleSets = (ast: SchemaAST.AST): ReadonlyArray<KeyRules> => {
  const found: Array<KeyRules> = []
  for (let at = ast; at._tag === "Refinement" || at._tag === "Transformation"; at = at.from) {
    const rules = annotation<KeyRules>(at, Rules)
    if (rules !== undefined) found.push(rules)
  }
  return found
}

/** A broken rule about keys: none of several keys is given, two are given that can't be used together, or a key lacks one that it needs. */
type BrokenRule =
  | { readonly _tag: "NoneOf"; readonly keys: ReadonlyArray<string> }
  | {
    readonly _tag: "Excluded"
    readonly key: string
    readonly by: string
    readonly keys: ReadonlyArray<string> | undefined
  }
  | { readonly _tag: "Lacks"; readonly key: string; readonly other: string }

/** Returns the rules that the given keys break. */
export const brokenRules = (rules: KeyRules, has: (key: string) => boolean): ReadonlyArray<BrokenRule> => {
  const { atLeastOne, exactlyOne, excludes = {}, needs = {} } = rules
  const none = [exactlyOne, atLeastOne].flatMap((keys): ReadonlyArray<BrokenRule> =>
    keys === undefined || keys.some(has) ? [] : [{ _tag: "NoneOf", keys }]
  )
  const [by = "", ...more] = exactlyOne?.filter(has) ?? []
  // If several keys of `exactlyOne` are given, keys that one of them needs are not also reported as missing.
  if (more.length > 0) {
    return [
      ...none,
      ...more.map((key) => ({ _tag: "Excluded", key, by, keys: exactlyOne }) as const),
    ]
  }
  const given = (of: Readonly<Record<string, ReadonlyArray<string>>>) =>
    Object.entries(of).filter(([key]) => has(key)).flatMap(([key, others]) =>
      others.map((other) => [key, other] as const)
    )
  return [
    ...none,
    ...given(needs).filter(([, other]) => !has(other)).map(([key, other]) => ({ _tag: "Lacks", key, other }) as const),
    ...given(excludes).filter(([, other]) => has(other)).map(([by, key]) =>
      ({ _tag: "Excluded", key, by, keys: undefined }) as const
    ),
  ]
}

const required = (key: string) => ({ required: [key] })

const ruleSchemas = (rules: KeyRules): ReadonlyArray<object> => [
  ...(rules.exactlyOne === undefined ? [] : [{ oneOf: rules.exactlyOne.map(required) }]),
  ...(rules.atLeastOne === undefined ? [] : [{ anyOf: rules.atLeastOne.map(required) }]),
  ...Object.entries(rules.needs ?? {}).map(([key, needed]) => ({ dependencies: { [key]: needed } })),
  ...Object.entries(rules.excludes ?? {}).flatMap(([key, excluded]) =>
    excluded.map((other) => ({ not: { required: [key, other] } }))
  ),
]

// Keys and sections

/** A schema for the content of a file, which is untyped until it is decoded. */
export type FileSchema<A> = Schema.Schema<A, unknown>

/** What editors and the reference page say about a key. Examples and the default are written as in the file. */
interface Documentation {
  readonly description: string
  readonly examples?: readonly [unknown, ...ReadonlyArray<unknown>]
}

/** A key of a section. */
interface Key<A, IsAlways extends boolean> {
  readonly property: Schema.Struct.Field
  /** Returns the value for a key that the file does not contain. */
  readonly standard: (() => A) | undefined
  /** Whether the decoded section always has the key. */
  readonly isAlways: IsAlways
}

/** Decodes a default or an example that is written as in a file. */
const decoded = <A, I>(schema: Schema.Schema<A, I>, given: unknown): A => Schema.decodeUnknownSync(schema)(given)

/** Returns the value of a section if the file contains none of its keys. */
export const allDefaults = <A, I>(section: Schema.Schema<A, I>): A => decoded(section, {})

/** A key that a file must contain. */
export const needed = <A, I>(schema: Schema.Schema<A, I>, documentation: Documentation): Key<A, true> => ({
  property: Schema.propertySignature(schema).annotations(documentation as Schema.PropertySignature.Annotations<A>),
  standard: undefined,
  isAlways: true,
})

/** An optional key. If the file does not contain it, the value is the `default` as written in a file, or the decoded value `absent`, or undefined. */
export const optional: {
  <A, I>(schema: Schema.Schema<A, I>, documentation: Documentation & { readonly default: unknown }): Key<A, true>
  <A, I>(schema: Schema.Schema<A, I>, documentation: Documentation & { readonly absent: NoInfer<A> }): Key<A, true>
  <A, I>(schema: Schema.Schema<A, I>, documentation: Documentation): Key<A, false>
} = <A, I>(
  schema: Schema.Schema<A, I>,
  { absent, ...documentation }: Documentation & { readonly default?: unknown; readonly absent?: A },
) => ({
  property: Schema.optionalWith(schema, { exact: true }).annotations(
    documentation as Schema.PropertySignature.Annotations<A>,
  ),
  standard: documentation.default !== undefined
    ? () => decoded(schema, documentation.default)
    : absent !== undefined
    ? () => absent
    : undefined,
  isAlways: (documentation.default ?? absent) !== undefined,
} as never)

export type Keys = Readonly<Record<string, Key<unknown, boolean>>>
/** The decoded type of a section. */
export type Section<K extends Keys> = Types.Simplify<
  & {
    readonly [N in keyof K as K[N] extends Key<unknown, true> ? N : never]: K[N] extends Key<infer A, true> ? A : never
  }
  & {
    readonly [N in keyof K as K[N] extends Key<unknown, true> ? never : N]?: K[N] extends Key<infer A, boolean>
      ? A | undefined
      : never
  }
>

/**
 * A mapping with known keys and defaults. The decoder, the diagnostics and the JSON Schema apply its rules.
 *
 * @param more.options further keys, whose types only the caller knows: the options of a kind
 */
export const section = <const K extends Keys>(
  keys: K,
  { options = {}, rules }: { readonly rules?: KeyRules; readonly options?: Schema.Struct.Fields } = {},
): FileSchema<Section<K>> => {
  const all = Object.entries(keys)
  const struct = Schema.Struct({
    ...Object.fromEntries(all.map(([name, { property }]) => [name, property])),
    ...options,
  }) as unknown as FileSchema<Section<K>>
  const kept: FileSchema<Section<K>> = rules === undefined ? struct : struct.pipe(
    Schema.filter((value) => brokenRules(rules, (key) => Object.hasOwn(value as object, key)).length === 0, {
      [Rules]: rules,
      // Checks the rules even if a member is wrong, because they concern only keys.
      [Symbol.for("effect/annotation/StableFilter")]: true,
      jsonSchema: { allOf: ruleSchemas(rules) },
    }),
  )
  if (all.every(([, { standard }]) => standard === undefined)) return kept
  const standards = lazily(() =>
    Object.fromEntries(all.flatMap(([name, { standard }]) => standard === undefined ? [] : [[name, standard()]]))
  )
  return becoming(kept, (given) => ({ ...standards(), ...given as object } as Section<K>))
}

/** The options of a kind, decoded with the kind's schema, but without its defaults. */
export type KindOptions = Readonly<Record<string, unknown>>

/** A section that contains the options of a kind among its keys. They are decoded to `options`. */
export const sectionWithOptions = <const K extends Keys>(
  keys: K,
  options: Schema.Struct.Fields = {},
  rules: KeyRules = {},
): FileSchema<Section<K> & { readonly options: KindOptions }> =>
  becoming(section(keys, { options, rules }), (all) => {
    const isOption = ([key]: readonly [string, unknown]) => Object.hasOwn(options, key)
    const given = Object.entries(all as object)
    const own = given.filter((member) => !isOption(member))
    return Object.fromEntries([...own, ["options", Object.fromEntries(given.filter(isOption))]]) as
      & Section<K>
      & { readonly options: KindOptions }
  })

/** Computes a value on first use. */
export const lazily = <A>(compute: () => A): () => A => {
  let value: { readonly of: A } | undefined
  return () => (value ??= { of: compute() }).of
}

/**
 * Adds a decoding function, which receives the path of a list or mapping in the file. Encoding changes nothing, because
 * examples and defaults are written as in the file.
 */
export const becoming = <A, I, B>(
  from: Schema.Schema<A, I>,
  decode: (value: A, path: YamlPath) => B,
): FileSchema<B> =>
  Schema.transform(from as FileSchema<A>, Schema.Any as Schema.Schema<B, unknown>, {
    strict: false,
    decode: (value, given) =>
      decode(value, typeof given === "object" && given !== null ? originOf(given)?.path ?? [] : []),
    encode: (value: unknown) => value,
  })

/** Combines schemas. The first one that accepts a value decodes it. */
export const oneOfThese = <S extends ReadonlyArray<Schema.Schema.All>>(
  ...members: S
): FileSchema<Schema.Schema.Type<S[number]>> =>
  Schema.Union(...members) as unknown as FileSchema<Schema.Schema.Type<S[number]>>

// Names, text, numbers

/** A string that is not empty, such as a name or an id. */
export const Name = Schema.String.pipe(Schema.minLength(1)).annotations(expecting("a name"))

/**
 * This is a refinement, so that the JSON Schema contains a definition that keys also refer to. The schema of a single
 * pipeline lists its columns in that definition.
 */
export const Column = Schema.String.pipe(Schema.filter(() => true, { jsonSchema: {} })).annotations({
  ...expecting("a column"),
  identifier: "Column",
  description: "A column, by its header",
})

export const Columns = Schema.NonEmptyArray(Column).annotations(expecting("a list of columns"))

/** A column as a pipeline names it, and its place in the file. */
export interface ColumnName {
  readonly name: string
  readonly path: YamlPath
  /** Set if the name is a key in the file, and not a value. */
  readonly at?: "key"
}

/** Adds to each name its place in the list that contains it. */
export const placed = (names: ReadonlyArray<string>, path: YamlPath): ReadonlyArray<ColumnName> =>
  names.map((name, index) => ({ name, path: [...path, index] }))

/** A regular expression in the syntax of RE2. */
export const Expression = Schema.String.pipe(
  Schema.minLength(1),
  Schema.filter((text) => {
    const compiled = compilePattern(text)
    return typeof compiled === "string" ? compiled : true
  }, { jsonSchema: {} }),
).annotations(expecting("a regular expression"))

/** The name of a pipeline, a service or a target. It becomes part of file names and addresses. */
export const Identifier = Schema.String.pipe(
  Schema.pattern(/^[A-Za-z0-9][A-Za-z0-9._-]*$/),
  Schema.maxLength(100),
).annotations({
  ...expecting("a name of letters, digits, `.`, `_` and `-` that begins with a letter or digit"),
  description: "A name of letters, digits, `.`, `_` and `-`",
})

/** A pattern of the scheme of an address, such as `https://`. */
export const scheme = "[A-Za-z][A-Za-z0-9+.-]+://"

const address = `^${scheme}`

/** Whether a file that a pipeline names is an address. */
export const isAddress = (file: string): boolean => new RegExp(address).test(file)

export const Path = Schema.String.pipe(
  Schema.minLength(1),
  Schema.filter((path) => !isAddress(path), { jsonSchema: { not: { pattern: address } } }),
).annotations(expecting("a path, relative to this file"))

/** A record that has at least one key. */
export const filled = <A, I>(key: Schema.Schema<string>, value: Schema.Schema<A, I>) =>
  Schema.Record({ key, value }).pipe(
    Schema.filter((all) => Object.keys(all).length > 0, { jsonSchema: { minProperties: 1 } }),
  )

/** A pattern of the host names of this machine. */
export const loopbackHosts = String.raw`(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])`

/** Matches the host names of this machine. */
export const loopback = new RegExp(`^${loopbackHosts}$`)

/** Whether only the server can read what is sent to an address: it uses https, or http to this machine. */
export const isSecure = ({ hostname, protocol }: URL): boolean =>
  protocol === "https:" || (protocol === "http:" && loopback.test(hostname))

/** Returns why a string can't be the base address of a service or connection, or undefined if it can. */
export const addressFault = (text: string): string | undefined => {
  if (!URL.canParse(text)) return "The base address is a URL such as https://forms.example.com/v1/api."
  const url = new URL(text)
  const { hash, password, protocol, search, username } = url
  if (username !== "" || password !== "") {
    return "The base address contains a user name or password. Put the secret in `apiKey` of a service, or `auth` of a connection."
  }
  if (search !== "" || hash !== "") return "The base address must end with its path, without `?` and `#`."
  if (isSecure(url)) return undefined
  return protocol === "http:"
    ? "Plain http is allowed only to this machine (localhost), because it would send the key unencrypted. Write https://."
    : "The base address must begin with https://."
}

/**
 * Checks an address in editors, because they can't parse a URL. Allows https, or http to loopback, without user, query
 * and fragment.
 */
const addressPattern = `^(https://[^?#@/]+(/[^?#]*)?|http://${loopbackHosts}(:\\d+)?(/[^?#]*)?)$`

/** An address to which secrets may be sent. */
export const BaseUrl = Schema.String.pipe(Schema.filter(addressFault, { jsonSchema: { pattern: addressPattern } }))
  .annotations(expecting("an address such as https://forms.example.com/v1/api"))

/** Returns an address without slashes at its end. */
export const withoutSlash = (address: string): string => address.replace(/\/+$/, "")

/** A maximum number of requests per second. */
export const rate = (most: number) =>
  Schema.Number.pipe(Schema.greaterThan(0), Schema.lessThanOrEqualTo(most))
    .annotations(expecting(`a number above 0 and at most ${most}`))

/** The place of a value in JSON, as a JSON pointer. */
export const Pointer = Schema.String.pipe(Schema.pattern(/^\/./)).annotations(expecting("a place such as `/next`"))

/** A pattern of a header's name (RFC 9110, section 5.6.2). */
export const headerName = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"

/** The path of a request to a connection. */
export const RequestPath = Schema.String.pipe(Schema.pattern(/^\/[^?#\s]*$/))
  .annotations(expecting("a path such as /forms/abc/responses"))

const span = (least: number, most: number): string =>
  most === Number.MAX_SAFE_INTEGER ? (least === 0 ? "" : `, ${least} or more`) : ` from ${least} to ${most}`

/** A whole number between `least` and `most`, inclusive. */
export const whole = (least: number, most = Number.MAX_SAFE_INTEGER) =>
  Schema.Number.pipe(Schema.int(), Schema.between(least, most)).annotations({
    ...expecting(`a whole number${span(least, most)}`),
    description: `A whole number${span(least, most)}`,
    jsonSchema: { type: "integer", minimum: least, ...(most === Number.MAX_SAFE_INTEGER ? {} : { maximum: most }) },
  })

// Times and shares

/** Decodes text with a function that returns undefined if the text does not fit. Encoding changes nothing. */
const fromText = <A>(pattern: string, decode: (text: string) => A | undefined): FileSchema<A> =>
  Schema.transformOrFail(
    Schema.String.annotations({ jsonSchema: { type: "string", pattern } }) as FileSchema<string>,
    Schema.Any as Schema.Schema<A, unknown>,
    {
      strict: false,
      decode: (text, _options, ast) => {
        const value = decode(text)
        return value === undefined ? ParseResult.fail(new ParseResult.Type(ast, text)) : ParseResult.succeed(value)
      },
      encode: (value: unknown) => ParseResult.succeed(value),
    },
  )

const units: Readonly<Record<string, number>> = {
  milli: 1,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
}

const durationIn = (text: string): Duration.Duration | undefined => {
  const [, count, word] = /^(\d+(?:\.\d+)?) ?([a-z]+?)s?$/.exec(text) ?? []
  const unit = units[word ?? ""]
  return count === undefined || unit === undefined ? undefined : Duration.millis(Number(count) * unit)
}

const timePattern = "\\d+(\\.\\d+)? ?(millis?|seconds?|minutes?|hours?|days?)$"

/** A duration: `500 millis`, `30 seconds`, `2 minutes`. */
export const Time = fromText(`^${timePattern}`, durationIn).annotations(
  expecting("a number and a unit, such as `500 millis`, `30 seconds` or `2 minutes`"),
)

/** A duration above zero. */
export const PositiveTime = fromText(`^(?!0+(\\.0+)? ?[a-z])${timePattern}`, (text) => {
  const duration = durationIn(text)
  return duration !== undefined && Duration.toMillis(duration) > 0 ? duration : undefined
}).annotations(expecting("a time above zero, such as `30 seconds`"))

/** A share of rows, written as `5%` and decoded to a number from 0 to 1. */
export const Share = fromText("^(100(\\.0+)?|\\d{1,2}(\\.\\d+)?) ?%$", (text) => {
  const percent = Number(/^(\d+(?:\.\d+)?) ?%$/.exec(text)?.[1] ?? NaN)
  return percent >= 0 && percent <= 100 ? percent / 100 : undefined
}).annotations(expecting("a share such as `5%`"))
