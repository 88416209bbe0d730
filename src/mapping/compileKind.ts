import type { YamlPath } from "../domain/diagnostic.ts"
import type { Question } from "../domain/form.ts"
import type { Json } from "../domain/json.ts"
import { brief } from "../domain/problem.ts"
import { kindNamed, kindNames, kindOfType } from "../kinds/index.ts"
import { Fault, type InputShape, type Kind, type KindContext, ofColumns, type Parse } from "../kinds/Kind.ts"
import { loose, optionNames } from "../kinds/optionTable.ts"
import type { Input, KindOptions, MappingEntry } from "../project/Pipeline.ts"
import { isKnownType } from "../service/wire.ts"
import type { CompileContext } from "./CompileContext.ts"
import type { Findings } from "./Findings.ts"

/**
 * Returns the kind of a question's answers: the one that the entry names, otherwise the default for the question's type. If the form gives no type,
 * the kind is text without options.
 */
export const chooseKind = (entry: MappingEntry, question: Question, findings: Findings): Kind | undefined => {
  const { path } = entry
  const { type } = question
  const usual = kindOfType(type)
  if (entry.as !== undefined) {
    const kind = kindNamed(entry.as)
    if (kind === undefined) return undefined
    if (!isKnownType(type)) {
      findings.warning(
        path,
        `"${
          brief(question.name)
        }" is of the type ${type}, which formferry does not know: its answers can be sent, but not compared.`,
      )
    } else if (usual !== undefined && usual.sends !== kind.sends && kind.sends !== "any") {
      findings.warning(
        [...path, "as"],
        `"${brief(question.name)}" is of the type ${type}, which takes ${words[usual.sends]}; ${kind.name} sends ${
          words[kind.sends]
        }.`,
        `The default kind is ${usual.name}.`,
      )
    }
    return kind
  }
  if (type === undefined) return kindNamed("text")
  if (usual === undefined) {
    findings.error(
      path,
      isKnownType(type)
        ? `"${brief(question.name)}" is of the type ${type}, which has no default kind.`
        : `"${brief(question.name)}" is of the type ${type}, which formferry does not know.`,
      `Set the kind with \`as\`: ${kindNames.join(", ")}.`,
    )
  }
  return usual
}

const words = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  any: "any value",
} as const

/** An answer to compile, or a part of one. */
export interface AnswerSpec {
  /** The id and name of the question or element. */
  readonly id: string
  readonly name: string
  readonly kind: Kind
  /** The entry's own options. */
  readonly options: KindOptions
  readonly question: Question | undefined
  readonly path: YamlPath
  readonly extract?: string | undefined
  /** Options of the whole answer that also apply to this part. */
  readonly inherited?: KindOptions | undefined
  /** Whether to ignore the pipeline's defaults for the kind, because the cells are ticks, ranks or rows. */
  readonly plain?: boolean
}

/** Returns the options of an entry. Its own come first, then those of the whole answer, then the pipeline's defaults for the kind. */
export const optionsOf = (asked: AnswerSpec, input: Input | undefined, { defaults }: CompileContext): KindOptions => {
  const standard = asked.plain === true ? {} : defaults[asked.kind.name] ?? {}
  const inParts = input?._tag === "Parts" || input?._tag === "Block"
  const usable = inParts && asked.kind.cellOptions !== undefined
    ? Object.fromEntries(Object.entries(standard).filter(([key]) => asked.kind.cellOptions?.includes(key) === false))
    : standard
  return { ...usable, ...asked.inherited, ...asked.options }
}

/** Returns the texts that mean "no answer" for an entry: those of `source.empty`, except names of the entry's own options, values or words. */
export const emptyFor = (
  { kind, question }: AnswerSpec,
  options: KindOptions,
  input: Input | undefined,
  empty: ReadonlySet<string>,
): ReadonlySet<string> => {
  if (empty.size === 0) return empty
  const kept = new Set(
    [
      ...optionNames(question?.options ?? []),
      ...kind.words?.(options as never) ?? [],
      ...(input?._tag === "Parts" ? input.parts.map(({ part }) => part) : []),
    ].map((name) => loose(name)),
  )
  return new Set([...empty].filter((name) => !kept.has(loose(name))))
}

/** Returns the place of an option: in the entry if the entry sets it, otherwise in the pipeline's defaults. */
const placeOf =
  (asked: AnswerSpec, input: Input | undefined, context: CompileContext) =>
  ({ option, member }: { readonly option?: string | undefined; readonly member?: string | number | undefined }) => {
    if (option === undefined) return undefined
    const tail = member === undefined ? [] : [member]
    if (option === "from") {
      const ranks = input?._tag === "Parts" && input.ranks ? ["ranks"] : []
      return input?._tag === "Block" ? input.path : [...asked.path, "from", ...ranks, ...tail]
    }
    const standard = context.defaults[asked.kind.name]
    return Object.hasOwn(asked.options, option) || standard === undefined || !Object.hasOwn(standard, option)
      ? undefined
      : ["mapping", "defaults", asked.kind.name, option, ...tail]
  }

/** Calls the kind. The kind's own schema has decoded the options, but their type is lost here. */
const parseOf = ({ kind }: AnswerSpec, options: KindOptions, context: KindContext) =>
  kind.compile(options as never, context)

/** Compiles a kind for an input. Returns undefined if its options have faults, which are added to the findings. */
export const compileKind = (
  asked: AnswerSpec,
  options: KindOptions,
  input: Input | undefined,
  shape: InputShape,
  more: Pick<KindContext, "empty" | "redirect" | "note">,
  context: CompileContext,
): Parse | undefined => {
  const parse = parseOf(asked, options, { question: asked.question, input: shape, ...more })
  if (typeof parse === "function") return parse
  context.findings.faults(asked.path, parse, placeOf(asked, input, context))
  return undefined
}

/** Converts a constant of the pipeline to a value, once. */
export const constant = (
  asked: AnswerSpec,
  options: KindOptions,
  text: string,
  place: "value" | "default",
  context: CompileContext,
): Json | undefined => {
  const parse = parseOf(asked, options, { question: asked.question, input: ofColumns, empty: new Set() })
  if (typeof parse !== "function") {
    // The faults of a default are reported by the entry itself.
    if (place === "value") context.findings.faults(asked.path, parse, placeOf(asked, undefined, context))
    return undefined
  }
  const value = parse([text])
  const path = [...asked.path, place]
  if (value instanceof Fault) {
    context.findings.error(path, `"${brief(text)}" can't be sent; expected ${value.expected}.`)
    return undefined
  }
  if (value === undefined) context.findings.error(path, `\`${place}\` is empty.`, "Remove it, or give it a value.")
  return value
}

/** Returns those options of a whole answer that also apply to a part. */
export const inheritedBy = (part: Kind, whole: Kind | undefined, options: KindOptions): KindOptions =>
  whole?.inherited === true
    ? Object.fromEntries(Object.entries(options).filter(([key]) => Object.hasOwn(part.options, key)))
    : {}
