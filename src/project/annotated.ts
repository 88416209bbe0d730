import { Schema, SchemaAST } from "effect"

/** Annotation: what a value must be, to stand behind "expects": `a whole number from 1 to 10`. */
export const Expects = Symbol.for("formferry/project/Expects")

/** Annotation: rules about which keys of a struct stand together. */
export const Rules = Symbol.for("formferry/project/Rules")

export interface KeyRules {
  /** Exactly one of these. */
  readonly exactlyOne?: ReadonlyArray<string>
  /** At least one of these. */
  readonly atLeastOne?: ReadonlyArray<string>
  /** A key, and those that it can't do without. */
  readonly needs?: Readonly<Record<string, ReadonlyArray<string>>>
  /** A key, and those that it makes senseless. */
  readonly excludes?: Readonly<Record<string, ReadonlyArray<string>>>
}

/** Whether a struct's keys keep its rules. */
const keeps = (rules: KeyRules, has: (key: string) => boolean): boolean =>
  (rules.exactlyOne === undefined || rules.exactlyOne.filter(has).length === 1)
  && (rules.atLeastOne === undefined || rules.atLeastOne.some(has))
  && Object.entries(rules.needs ?? {}).every(([key, needed]) => !has(key) || needed.every(has))
  && Object.entries(rules.excludes ?? {}).every(([key, excluded]) => !has(key) || !excluded.some(has))

const required = (key: string) => ({ required: [key] })

const ruleSchemas = (rules: KeyRules): ReadonlyArray<object> => [
  ...(rules.exactlyOne === undefined ? [] : [{ oneOf: rules.exactlyOne.map(required) }]),
  ...(rules.atLeastOne === undefined ? [] : [{ anyOf: rules.atLeastOne.map(required) }]),
  ...Object.entries(rules.needs ?? {}).map(([key, needed]) => ({ dependencies: { [key]: needed } })),
  ...Object.entries(rules.excludes ?? {}).flatMap(([key, excluded]) =>
    excluded.map((other) => ({ not: { required: [key, other] } }))
  ),
]

/** A struct whose keys keep rules: in the decoder, in the diagnostics and in the JSON Schema. */
export const withRules = <A extends object, I, R>(
  schema: Schema.Schema<A, I, R>,
  rules: KeyRules,
): Schema.refine<A, Schema.Schema<A, I, R>> =>
  schema.pipe(
    Schema.filter((value) => keeps(rules, (key) => Object.hasOwn(value, key)), {
      [Rules]: rules,
      // Checked although a member is wrong: the rule speaks of keys alone.
      [Symbol.for("effect/annotation/StableFilter")]: true,
      jsonSchema: { allOf: ruleSchemas(rules) },
    }),
  )

interface Documentation<A> {
  readonly description: string
  readonly default?: A
  readonly examples?: readonly [A, ...ReadonlyArray<A>]
}

/** An optional key, described for editors; its default is filled in by the code that reads the decoded file. */
export const optional = <A, I>(schema: Schema.Schema<A, I>, documentation: Documentation<NoInfer<A>>) =>
  Schema.optionalWith(schema, { exact: true }).annotations(documented(documentation))

/** A key that must be there, described for editors. */
export const needed = <A, I>(schema: Schema.Schema<A, I>, documentation: Documentation<NoInfer<A>>) =>
  Schema.propertySignature(schema).annotations(documented(documentation))

const documented = <A>({ default: standard, ...rest }: Documentation<A>): Schema.PropertySignature.Annotations<A> => ({
  ...rest,
  ...(standard === undefined ? {} : { default: standard }),
})

/** The annotation of a node, where it has one of its own. */
export const annotation = <A>(annotated: SchemaAST.Annotated, key: symbol): A | undefined =>
  annotated.annotations[key] as A | undefined

/** The rules of a struct's refinements. */
export const ruleSets = (ast: SchemaAST.AST): ReadonlyArray<KeyRules> => {
  const found: Array<KeyRules> = []
  for (let at = ast; at._tag === "Refinement"; at = at.from) {
    const rules = annotation<KeyRules>(at, Rules)
    if (rules !== undefined) found.push(rules)
  }
  return found
}

/** Names what a value must be. */
export const expecting = (expected: string) => ({ [Expects]: expected })
