import * as Schema from "effect/Schema"
import { type Cell, JsonCell } from "../domain/cell.ts"
import type { Option } from "../domain/form.ts"
import { brief } from "../domain/problem.ts"
import { asListed } from "../domain/words.ts"
import { textOf, textsIn } from "./cells.ts"
import { AsWritten, Fault, FilledText, type KindContext, option, type OptionFault, type Translation } from "./Kind.ts"

/** What to do with a text that is not an option. At least one of `use` and `textTo` is required. */
export const otherAnswer = <const More extends Schema.Struct.Fields>(more: More) =>
  Schema.Struct({
    ...more,
    use: option(Schema.String, "The option to send instead", "Other"),
    textTo: option(
      FilledText.annotations({ identifier: "Question.any" }),
      "The name or id of the question that gets the text as its answer",
      "Other interests",
    ),
  }).pipe(
    Schema.filter(
      (value) => "use" in value || "textTo" in value || "It needs `use` or `textTo`.",
      { jsonSchema: { allOf: [{ anyOf: [{ required: ["use"] }, { required: ["textTo"] }] }] } },
    ),
  )

/** The options for all kinds whose questions have options. */
export const optionOptions = {
  options: option(Schema.NonEmptyArray(AsWritten), "The question's options, if the form does not list them", [
    "Red",
    "Green",
    "Blue",
  ]),
  values: option(
    Schema.Record({ key: Schema.String, value: Schema.NullOr(AsWritten) }),
    "What cells mean, written as `cell: option`. Null means no answer. `{ set: NAME }` alone uses a value set of the project (`valueSets` in config/formferry.yaml)",
    { M: "Male", F: "Female", unknown: null },
    { set: "agree5" },
  ),
  otherwise: option(
    Schema.Union(Schema.Literal("reject", "keep", "drop"), otherAnswer({})),
    "What to do with a choice that is not an option: reject the row (default), keep it as it is, drop it, use an option instead, or answer a different question with its text",
    "keep",
    { use: "Other" },
    { textTo: "Other interests" },
  ),
  matchCase: option(
    Schema.Boolean,
    "Whether upper and lower case are distinguished. By default, options are matched exactly first, then ignoring case and space",
    true,
  ),
}

export type OptionOptions = Schema.Struct.Type<typeof optionOptions>

/** The option for cells that contain several choices. */
export const splitOptions = {
  ...optionOptions,
  split: option(
    FilledText,
    "The separator between the choices in a cell. Whole options are matched first, longest first, so an option may contain the separator. By default, a cell contains one choice",
    ",",
    ";",
    "\n",
  ),
}

export type SplitOptions = Schema.Struct.Type<typeof splitOptions>

/** Several options that a name matches equally well. */
class Several {
  readonly values: ReadonlyArray<string>
  constructor(values: ReadonlyArray<string>) {
    this.values = values
  }
}

/** What a text means: an option's value, null for no answer, or undefined if it is unknown. */
type Found = string | null | Several | undefined

type Names = Map<string, Exclude<Found, undefined>>

/** Returns a name in lower case (unless `matchCase`) and without white space. */
export const loose = (name: string, matchCase = false): string => {
  const text = name.normalize("NFC").replaceAll(/\s+/g, "")
  return matchCase ? text : text.toLowerCase()
}

const put = (names: Names, name: string, value: string | null): void => {
  const known = names.get(name)
  if (known === undefined || known === value) names.set(name, value)
  else {
    const values = known instanceof Several ? known.values : [String(known)]
    names.set(name, values.includes(String(value)) ? known : new Several([...values, String(value)]))
  }
}

/** The options of a question, by all of their names. */
export interface OptionTable {
  /** Whether the text is the name of an option or a key of `values`. */
  readonly has: (text: string) => boolean
  /**
   * Returns what is sent for a choice. Returns undefined if `values` or `otherwise` say that there is no answer. `otherwise` may redirect the text to a different question.
   *
   * @param cell the cell's index among those given to `Parse`
   */
  readonly read: (text: string, cell?: number) => string | undefined | Fault
  /** Returns the value for a name in the pipeline. A name that is not an option is a fault of `option`, even if `otherwise` would accept it. */
  readonly resolve: (name: string, option: string, faults: Array<OptionFault>, member?: string) => string | undefined
  /** Returns the names of a value: the value itself and its label. */
  readonly namesOf: (value: string) => ReadonlyArray<string>
  /** Returns the position of a value among the form's options. For any other value, returns the number of options. */
  readonly order: (value: string) => number
  /** All names, to find whole options in a cell with several choices. */
  readonly names: ReadonlyArray<string>
}

/** Returns the names of options in a pipeline, and the cells of `values`. */
export const optionWords = ({ options, values }: OptionOptions): ReadonlyArray<string> => [
  ...options ?? [],
  ...Object.keys(values ?? {}),
]

/** Returns the cells of `values` with their answers, then the labels of the form's options with what is sent for them. */
export const optionTranslations = (
  { matchCase, values = {} }: OptionOptions,
  listed: ReadonlyArray<Option>,
): ReadonlyArray<Translation> => {
  const cells = new Set(Object.keys(values).map((cell) => loose(cell, matchCase)))
  return [
    ...Object.entries(values),
    ...listed.flatMap(({ label, value }): ReadonlyArray<Translation> =>
      label === value || cells.has(loose(label, matchCase)) ? [] : [[label, value]]
    ),
  ]
}

/** Returns the names of options. */
export const optionNames = (options: ReadonlyArray<Option>): ReadonlyArray<string> =>
  options.flatMap(({ label, value }) => [value, label])

const someOf = (names: ReadonlyArray<string>): string => {
  const first = names.slice(0, 8).map((name) => asListed(brief(name))).join(", ")
  return names.length <= 8 ? first : `${first} or another of its ${names.length} options`
}

/**
 * Returns the table of a question's options.
 *
 * @param names the options if neither the form nor the pipeline lists them
 */
export const optionTable = (
  options: OptionOptions,
  context: KindContext,
  names: ReadonlyArray<string> = [],
): OptionTable | ReadonlyArray<OptionFault> => {
  const listed = context.question?.options ?? []
  const fromForm = listed.length > 0
  const list: ReadonlyArray<Option> = fromForm
    ? listed
    : (options.options ?? names).map((name) => ({ value: name, label: name }))
  const otherwise = options.otherwise ?? "reject"
  if (list.length === 0 && otherwise !== "keep") {
    return [{
      message: "The form does not list the options of this question.",
      suggestion: "List them under `options`, or set `otherwise: keep`.",
    }]
  }

  const matchCase = options.matchCase === true
  const exact: Names = new Map()
  const near: Names = new Map()
  for (const option of list) {
    for (const name of new Set([option.value, option.label])) {
      put(exact, name.trim(), option.value)
      put(near, loose(name, matchCase), option.value)
    }
  }
  const find = (text: string): Found => {
    const found = exact.get(text)
    return found === undefined ? near.get(loose(text, matchCase)) : found
  }

  const among = list.map((option) => option.label)
  const resolve = (
    name: string,
    option: string,
    into: Array<OptionFault>,
    member?: string | number,
  ): string | undefined => {
    const found = find(name.trim())
    if (typeof found === "string") return found
    if (found === null || (found === undefined && list.length === 0)) return found === null ? undefined : name
    into.push({
      option,
      member,
      message: found instanceof Several
        ? `"${brief(name)}" is the name of several options: ${found.values.map(brief).join(", ")}.`
        : `"${brief(name)}" is not an option of this question.`,
      unknown: found instanceof Several ? undefined : { name, among },
    })
    return undefined
  }
  const faults: Array<OptionFault> = []
  if (fromForm) {
    for (const [index, name] of (options.options ?? []).entries()) resolve(name, "options", faults, index)
  }
  const values = Object.entries(options.values ?? {}).map(([cell, name]) =>
    [cell, name === null ? null : resolve(name, "values", faults, cell)] as const
  )
  const elsewhere = typeof otherwise === "object" ? otherwise : undefined
  const use = elsewhere?.use === undefined ? undefined : resolve(elsewhere.use, "otherwise", faults, "use")
  const textTo = context.redirect === undefined ? undefined : elsewhere?.textTo
  if (faults.length > 0) return faults

  // `values` takes precedence over the names in the form.
  const nearValues: Names = new Map()
  for (const [cell, value] of values) {
    if (value === undefined) continue
    exact.set(cell.trim(), value)
    put(nearValues, loose(cell, matchCase), value)
  }
  for (const [name, value] of nearValues) near.set(name, value)

  const expected = list.length === 0 ? "an option" : `one of: ${someOf(among)}`
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
        return new Fault("not-an-option", `one option; it may be ${found.values.map(asListed).join(" or ")}`, 0, text)
      }
      if (otherwise === "reject") return new Fault("not-an-option", expected, 0, text)
      if (otherwise === "keep") return text
      context.note?.(otherwise === "drop" ? "dropped" : textTo === undefined ? "part" : "redirected", cell)
      if (textTo !== undefined) context.redirect?.(text, textTo)
      return otherwise === "drop" ? undefined : use
    },
    resolve,
    namesOf: (value) => [value, ...list.filter((option) => option.value === value).map((option) => option.label)],
    order: (value) => positions.get(value) ?? list.length,
    names: [...optionNames(list), ...optionWords(options)].map((name) => name.trim()),
  }
}

/**
 * Returns the function that splits a cell at its separators, but never within a name of the table. If several pieces together are a name, the longest such sequence counts as one choice. Without a separator, a cell is one piece.
 */
export const optionSplitter = (
  separator: string | undefined,
  table: Pick<OptionTable, "has" | "names">,
): ((text: string) => ReadonlyArray<string>) | ReadonlyArray<OptionFault> => {
  if (separator === undefined) return (text) => [text]
  if (table.names.length === 0) {
    return [{
      option: "split",
      message: "A cell can only be split if the options are known.",
      suggestion: "List them under `options`.",
    }]
  }
  const longest = table.names.reduce((most, name) => Math.max(most, name.split(separator).length), 1)
  return (text) => {
    const pieces = text.split(separator)
    const found: Array<string> = []
    let start = 0
    while (start < pieces.length) {
      let end = Math.min(pieces.length, start + longest)
      let piece = ""
      for (; end > start + 1; end--) {
        piece = pieces.slice(start, end).join(separator).trim()
        if (table.has(piece)) break
      }
      if (end === start + 1) piece = (pieces[start] ?? "").trim()
      if (piece !== "") found.push(piece)
      start = end
    }
    return found
  }
}

const notAList = new Fault("not-an-option", "a list of options")

/** Returns the pieces of a cell: the members of a JSON list, or the pieces of a text. */
export const piecesIn = (cell: Cell, split: (text: string) => ReadonlyArray<string>): ReadonlyArray<string> | Fault =>
  (cell instanceof JsonCell ? textsIn(cell.value) : split(textOf(cell))) ?? notAList

/** Reads one of several cells. A cell whose text gives no value is noted as unused. */
export const readCell = <A>(
  cells: ReadonlyArray<Cell>,
  index: number,
  read: (text: string, cell: number) => A | undefined | Fault,
  note: KindContext["note"],
): A | undefined | Fault => {
  const text = textOf(cells[index])
  const value = text === "" ? undefined : read(text, index)
  if (value === undefined && text !== "") note?.("unused", index)
  return value instanceof Fault ? value.at(index) : value
}

/**
 * Reads the pieces of a cell that contains several choices. Returns their values without repetition.
 *
 * @param isOnce whether a repeated value is an error
 */
export const readPieces = (
  pieces: ReadonlyArray<string>,
  read: (piece: string) => string | undefined | Fault,
  isOnce = false,
): Array<string> | Fault => {
  const values: Array<string> = []
  for (const piece of pieces) {
    const value = piece === "" ? undefined : read(piece)
    if (value instanceof Fault) return value
    if (value === undefined) continue
    if (!values.includes(value)) values.push(value)
    else if (isOnce) return new Fault("not-an-option", "each option once", 0, piece)
  }
  return values
}
