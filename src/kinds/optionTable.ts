import { Schema } from "effect"
import type { Option } from "../domain/form.ts"
import { AsWritten } from "./asWritten.ts"
import type { KindContext, OptionFault } from "./Kind.ts"
import { Fault } from "./Kind.ts"

/** The options that `choice` and `choices` share. */
export const optionOptions = {
  options: Schema.optional(
    Schema.NonEmptyArray(AsWritten).annotations({
      description: "The question's options, where the form does not tell them",
      examples: [["Red", "Green", "Blue"]],
    }),
  ),
  values: Schema.optional(
    Schema.Record({ key: Schema.String, value: Schema.NullOr(AsWritten) }).annotations({
      description: "What a cell stands for: cell: option; null means no answer",
      examples: [{ M: "Male", F: "Female", unknown: null }],
    }),
  ),
  otherwise: Schema.optional(
    Schema.Union(Schema.Literal("reject", "keep", "drop"), Schema.Struct({ use: AsWritten })).annotations({
      description:
        "What happens to a choice that is no option: reject the row (when left out), keep it as it is, drop it, or use an option in its place",
      examples: ["keep", { use: "Other" }],
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
  /** What a choice is sent as; undefined: no answer, by `values` or `otherwise`. */
  readonly read: (text: string) => string | undefined | Fault
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

/** Makes the table of a question's options ready. */
export const optionTable = (options: OptionOptions, context: KindContext): OptionTable | ReadonlyArray<OptionFault> => {
  const told = context.question?.options
  const fromForm = told !== undefined && told.length > 0
  const list: ReadonlyArray<Option> = fromForm
    ? told
    : (options.options ?? []).map((name) => ({ value: name, label: name }))
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
  const resolve = (name: string, option: string): string | undefined => {
    const found = inForm(name)
    if (typeof found === "string") return found
    if (found === undefined && list.length === 0) return name
    faults.push({
      option,
      message: found instanceof Several
        ? `"${name}" is the name of several options: ${found.values.join(", ")}.`
        : `"${name}" is no option of this question.`,
      unknown: found instanceof Several ? undefined : { name, among },
    })
    return undefined
  }
  if (fromForm) { for (const name of options.options ?? []) resolve(name, "options") }
  const values = Object.entries(options.values ?? {}).map(([cell, name]) =>
    [cell, name === null ? null : resolve(name, "values")] as const
  )
  const use = typeof otherwise === "object" ? resolve(otherwise.use, "otherwise") : undefined
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
  const find = (text: string): Found => {
    const found = exact.get(text)
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
    read: (text) => {
      const found = find(text)
      if (typeof found === "string") return found
      if (found === null) return undefined
      if (found instanceof Several) {
        return new Fault("not-an-option", `one option; it may be ${found.values.join(" or ")}`, 0, text)
      }
      if (otherwise === "reject") return new Fault("not-an-option", expected, 0, text)
      return otherwise === "keep" ? text : otherwise === "drop" ? undefined : use
    },
    order: (value) => positions.get(value) ?? list.length,
    names: [...optionNames(options, list)].map((name) => name.trim()),
  }
}
