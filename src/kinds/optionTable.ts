import { Schema } from "effect"
import type { Option } from "../domain/form.ts"
import { AsWritten } from "./asWritten.ts"
import type { KindContext, OptionFault } from "./Kind.ts"
import { Fault } from "./Kind.ts"

/** What another text than an option may become. */
export const otherFields = {
  use: Schema.optional(Schema.String.annotations({
    description: "The option that is sent in its place",
    examples: ["Other"],
  })),
  textTo: Schema.optional(Schema.NonEmptyString.annotations({
    description: "The question, by name or id, that gets the text as its answer",
    examples: ["Other interests"],
  })),
}

/** Says where a text goes: at least one of both. */
export const saysWhere = {
  filter: (value: { readonly use?: string | undefined; readonly textTo?: string | undefined }) =>
    value.use !== undefined || value.textTo !== undefined || "It needs `use` or `textTo`.",
  annotations: { jsonSchema: { allOf: [{ anyOf: [{ required: ["use"] }, { required: ["textTo"] }] }] } },
}

const elsewhere = Schema.Struct(otherFields).pipe(Schema.filter(saysWhere.filter, saysWhere.annotations))

/** The options that all kinds with options share. */
export const optionOptions = {
  options: Schema.optional(
    Schema.NonEmptyArray(AsWritten).annotations({
      description: "The question's options, where the form does not tell them",
      examples: [["Red", "Green", "Blue"]],
    }),
  ),
  values: Schema.optional(
    Schema.Record({ key: Schema.String, value: Schema.NullOr(AsWritten) }).annotations({
      description:
        "What a cell stands for: cell: option; null means no answer. `{ set: NAME }` alone takes a value set of the project (`valueSets` in config/formferry.yaml)",
      examples: [{ M: "Male", F: "Female", unknown: null }, { set: "agree5" }],
    }),
  ),
  otherwise: Schema.optional(
    Schema.Union(Schema.Literal("reject", "keep", "drop"), elsewhere).annotations({
      description:
        "What happens to a choice that is no option: reject the row (when left out), keep it as it is, drop it, use an option in its place, or answer another question with its text",
      examples: ["keep", { use: "Other" }, { textTo: "Other interests" }],
    }),
  ),
  matchCase: Schema.optional(Schema.Boolean.annotations({
    description:
      "Whether upper and lower case are told apart; when left out, an option is found exactly, then ignoring case and space",
    examples: [true],
  })),
}

export type OptionOptions = Schema.Struct.Type<typeof optionOptions>

/** Options that a name fits equally well. */
class Several {
  readonly values: ReadonlyArray<string>
  constructor(values: ReadonlyArray<string>) {
    this.values = values
  }
}

/** What a text stands for: an option's value, null for no answer, undefined for nothing known. */
type Found = string | null | Several | undefined

/** A name without case and space. */
export const loose = (name: string, matchCase = false): string => {
  const text = name.normalize("NFC").replaceAll(/\s+/g, "")
  return matchCase ? text : text.toLowerCase()
}

const put = (names: Map<string, string | null | Several>, name: string, value: string | null): void => {
  const there = names.get(name)
  if (there === undefined || there === value) names.set(name, value)
  else {
    const values = there instanceof Several ? there.values : [String(there)]
    names.set(name, values.includes(String(value)) ? there : new Several([...values, String(value)]))
  }
}

const remembered = 10_000

/** The options of a question, by all their names. */
export interface OptionTable {
  /** Whether the text is the name of an option or stands under `values`. */
  readonly has: (text: string) => boolean
  /**
   * Returns what a choice is sent as; undefined: no answer, by `values` or `otherwise`, which may hand the text to another question.
   *
   * @param cell its index among those handed to `Parse`
   */
  readonly read: (text: string, cell?: number) => string | undefined | Fault
  /** The same for a name of the pipeline; what is no option is found as a fault of `option`, `otherwise` or not. */
  readonly resolve: (name: string, option: string, faults: Array<OptionFault>, member?: string) => string | undefined
  /** Whether reading a text may hand it on. */
  readonly spills: boolean
  /** The names of a value: itself and its label. */
  readonly namesOf: (value: string) => ReadonlyArray<string>
  /** Position of a value among the form's options; behind them all when it is none. */
  readonly order: (value: string) => number
  /** All names, for finding whole options in a cell that holds several. */
  readonly names: ReadonlyArray<string>
}

/** The names under which a cell may mean something for an answer: these are never taken for an empty cell. */
export const optionNames = (
  options: { readonly options?: ReadonlyArray<string> | undefined; readonly values?: object | undefined },
  known: ReadonlyArray<Option> | undefined,
): ReadonlyArray<string> => [
  ...(known ?? []).flatMap((option) => [option.value, option.label]),
  ...(options.options ?? []),
  ...Object.keys(options.values ?? {}),
]

const shown = (names: ReadonlyArray<string>): string =>
  names.length <= 8 ? names.join(", ") : `${names.slice(0, 8).join(", ")} or another of its ${names.length} options`

/**
 * Makes the table of a question's options ready.
 *
 * @param names options where neither the form nor the pipeline tells them
 */
export const optionTable = (
  options: OptionOptions,
  context: KindContext,
  names: ReadonlyArray<string> = [],
): OptionTable | ReadonlyArray<OptionFault> => {
  const told = context.question?.options
  const fromForm = told !== undefined && told.length > 0
  const list: ReadonlyArray<Option> = fromForm
    ? told
    : (options.options ?? names).map((name) => ({ value: name, label: name }))
  const otherwise = options.otherwise ?? "reject"
  if (list.length === 0 && otherwise !== "keep") {
    return [{
      option: undefined,
      message: "The form does not tell the options of this question.",
      suggestion: "List them under `options`, or set `otherwise: keep`.",
    }]
  }

  const matchCase = options.matchCase === true
  const exact = new Map<string, string | null | Several>()
  const near = new Map<string, string | null | Several>()
  for (const option of list) {
    for (const name of new Set([option.value, option.label])) {
      put(exact, name.trim(), option.value)
      put(near, loose(name, matchCase), option.value)
    }
  }
  const inForm = (name: string): Found => {
    const text = name.trim()
    const found = exact.get(text)
    return found === undefined ? near.get(loose(text, matchCase)) : found
  }

  const faults: Array<OptionFault> = []
  const among = list.map((option) => option.label)
  const resolve = (
    name: string,
    option: string,
    member?: string | number,
    into = faults,
    look = inForm,
  ): string | undefined => {
    const found = look(name)
    if (typeof found === "string") return found
    if (found === null || (found === undefined && list.length === 0)) return found === null ? undefined : name
    into.push({
      option,
      member,
      message: found instanceof Several
        ? `"${name}" is the name of several options: ${found.values.join(", ")}.`
        : `"${name}" is no option of this question.`,
      unknown: found instanceof Several ? undefined : { name, among },
    })
    return undefined
  }
  if (fromForm) { for (const [index, name] of (options.options ?? []).entries()) resolve(name, "options", index) }
  const values = Object.entries(options.values ?? {}).map(([cell, name]) =>
    [cell, name === null ? null : resolve(name, "values", cell)] as const
  )
  const elsewhere = typeof otherwise === "object" ? otherwise : undefined
  const use = elsewhere?.use === undefined ? undefined : resolve(elsewhere.use, "otherwise", "use")
  const textTo = context.spill === undefined ? undefined : elsewhere?.textTo
  if (faults.length > 0) return faults

  const nearValues = new Map<string, string | null | Several>()
  for (const [cell, value] of values) {
    if (value === undefined) continue
    exact.set(cell.trim(), value)
    put(nearValues, loose(cell, matchCase), value)
  }
  for (const [name, value] of nearValues) near.set(name, value)

  const nearly = (text: string): Found => near.get(loose(text, matchCase))
  const memory = new Map<string, Found>()
  const known = [...exact.keys()]
  const meant = [...exact.values()]
  // A look-up in a map needs the text's hash, which no cell has yet: a few names are compared in less time.
  const few = known.length <= 8
  const exactly = (text: string): Found => {
    if (!few) return exact.get(text)
    for (let at = 0; at < known.length; at++) if (known[at] === text) return meant[at]
    return undefined
  }
  const find = (text: string): Found => {
    const found = exactly(text)
    if (found !== undefined) return found
    if (memory.has(text)) return memory.get(text)
    if (memory.size >= remembered) memory.clear()
    const result = nearly(text)
    memory.set(text, result)
    return result
  }
  const expected = list.length === 0 ? "an option" : `one of: ${shown(among)}`
  const positions = new Map(list.map((option, position) => [option.value, position]))
  return {
    has: (text) => find(text) !== undefined,
    read: (text, cell = 0) => {
      const found = find(text)
      if (typeof found === "string") return found
      if (found === null) {
        context.note?.("nothing", cell)
        return undefined
      }
      if (found instanceof Several) {
        return new Fault("not-an-option", `one option; it may be ${found.values.join(" or ")}`, 0, text)
      }
      if (otherwise === "reject") return new Fault("not-an-option", expected, 0, text)
      if (otherwise === "keep") return text
      context.note?.(otherwise === "drop" ? "dropped" : textTo === undefined ? "part" : "handed", cell)
      if (textTo !== undefined) context.spill?.(text, textTo)
      return otherwise === "drop" ? undefined : use
    },
    resolve: (name, option, into, member) => resolve(name, option, member, into, (text) => find(text.trim())),
    spills: textTo !== undefined,
    namesOf: (value) => [value, ...list.filter((option) => option.value === value).map((option) => option.label)],
    order: (value) => positions.get(value) ?? list.length,
    names: [...optionNames(options, list)].map((name) => name.trim()),
  }
}
