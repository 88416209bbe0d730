import type { YamlPath } from "../domain/diagnostic.ts"
import type { Question } from "../domain/form.ts"
import type { Json } from "../domain/json.ts"
import { kinds } from "../kinds/index.ts"
import type { InputShape, Kind, KindContext, Parse } from "../kinds/Kind.ts"
import { Fault } from "../kinds/Kind.ts"
import { loose, optionNames } from "../kinds/optionTable.ts"
import type { Input } from "../project/Pipeline.ts"
import { shown } from "./problems.ts"
import type { Workshop } from "./Workshop.ts"

export type KindOptions = Readonly<Record<string, unknown>>

/** One answer, or one part of it, that is to be compiled. */
export interface Asked {
  /** Id and name of the question or element. */
  readonly id: string
  readonly name: string
  readonly kind: Kind
  /** The entry's own options. */
  readonly options: KindOptions
  readonly question: Question | undefined
  readonly path: YamlPath
  readonly extract?: string | undefined
  /** Options that the whole hands down to this part. */
  readonly inherited?: KindOptions | undefined
  /** Whether the kind's defaults hold here: not for cells that are ticks, ranks or rows. */
  readonly plain?: boolean
}

const texts = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : []

const members = (value: unknown): object | undefined => typeof value === "object" && value !== null ? value : undefined

/** All options that hold for an entry: its own, then the whole's, then the pipeline's defaults for the kind. */
export const optionsOf = (asked: Asked, input: Input | undefined, { defaults }: Workshop): KindOptions => {
  const standard = asked.plain === true ? {} : defaults[asked.kind.name] ?? {}
  const inParts = input?._tag === "Parts" || input?._tag === "Block"
  const usable = inParts && asked.kind.cellOptions !== undefined
    ? Object.fromEntries(Object.entries(standard).filter(([key]) => asked.kind.cellOptions?.includes(key) === false))
    : standard
  return { ...usable, ...asked.inherited, ...asked.options }
}

/**
 * The cells that mean no answer to an entry: an empty cell's name is an answer where an option, a key of `values`, a token of `true`,
 * `false` or `checked`, or an option with a column of its own has it.
 */
export const emptyFor = (
  { question }: Asked,
  options: KindOptions,
  input: Input | undefined,
  empty: ReadonlySet<string>,
): ReadonlySet<string> => {
  if (empty.size === 0) return empty
  const named = input?._tag === "Parts" ? input.parts.map(({ part }) => part) : []
  const names = [
    ...optionNames({ options: texts(options.options), values: members(options.values) }, question?.options),
    ...texts(options.true),
    ...texts(options.false),
    ...texts(options.checked),
    ...named,
  ]
  const kept = new Set(names.map((name) => loose(name)))
  return new Set([...empty].filter((name) => !kept.has(loose(name))))
}

/** The place of an option: in the entry, or in the pipeline's defaults where the entry does not say it. */
const placeOf =
  (asked: Asked, input: Input | undefined, workshop: Workshop) =>
  ({ option, member }: { readonly option?: string | undefined; readonly member?: string | number | undefined }) => {
    if (option === undefined) return undefined
    const tail = member === undefined ? [] : [member]
    if (option === "from") {
      const ranks = input?._tag === "Parts" && input.ranks ? ["ranks"] : []
      return input?._tag === "Block" ? input.path : [...asked.path, "from", ...ranks, ...tail]
    }
    const standard = workshop.defaults[asked.kind.name]
    return Object.hasOwn(asked.options, option) || standard === undefined || !Object.hasOwn(standard, option)
      ? undefined
      : ["mapping", "defaults", asked.kind.name, option, ...tail]
  }

/** What reads an input, or the faults of the options: those were decoded by the kind's own Schema, which is where their type was lost. */
const parseOf = ({ kind }: Asked, options: KindOptions, context: KindContext) => kind.compile(options as never, context)

/** Compiles a kind for one input; faults of its options are found, and give undefined. */
export const compileKind = (
  asked: Asked,
  options: KindOptions,
  input: Input | undefined,
  shape: InputShape,
  more: Pick<KindContext, "empty" | "redirect" | "note">,
  workshop: Workshop,
): Parse | undefined => {
  const parse = parseOf(asked, options, { question: asked.question, input: shape, ...more })
  if (typeof parse === "function") return parse
  workshop.findings.faults(asked.path, parse, placeOf(asked, input, workshop))
  return undefined
}

/** A constant of the pipeline, turned into a value once. */
export const constant = (
  asked: Asked,
  options: KindOptions,
  text: string,
  place: "value" | "default",
  workshop: Workshop,
  report: boolean,
): Json | undefined => {
  const context = { question: asked.question, input: { _tag: "Columns", count: 1 } as const, empty: new Set<string>() }
  const parse = parseOf(asked, options, context)
  if (typeof parse !== "function") {
    if (report) workshop.findings.faults(asked.path, parse, placeOf(asked, undefined, workshop))
    return undefined
  }
  const value = parse([text])
  const path = [...asked.path, place]
  if (value instanceof Fault) {
    workshop.findings.error(path, `"${shown(text)}" can't be sent; expected ${value.expected}.`)
    return undefined
  }
  if (value === undefined) workshop.findings.error(path, `\`${place}\` is empty.`, "Leave it out, or say what it is.")
  return value
}

/** A kind by its name. */
export const kindNamed = (name: string | undefined): Kind | undefined => kinds.get(name ?? "")
