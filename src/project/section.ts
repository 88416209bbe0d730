import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type * as Types from "effect/Types"
import type { YamlPath } from "../domain/diagnostic.ts"
import { originOf } from "./yamlText.ts"

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
