import * as Schema from "effect/Schema"
import type { Cell } from "../domain/cell.ts"
import type { AnswerVerdict } from "../domain/comparison.ts"
import type { Option, Question } from "../domain/form.ts"
import type { Json } from "../domain/json.ts"
import type { ProblemCode } from "../domain/problem.ts"

/** A kind of value: its options, how it parses cells, and how it compares a sent with a returned value. Each kind is a file and a line in `index.ts`. */
export interface Kind<Options = never> {
  readonly name: string
  /** The text for the reference page and for editors: what the kind accepts and what it sends. */
  readonly description: string
  /** The keys that the kind adds to a mapping entry. All are optional, and annotated on the encoded side. */
  readonly options: Schema.Struct.Fields
  readonly sends: "string" | "number" | "boolean" | "array" | "object" | "any"
  /** The parts that `from` may name instead of a single column, each with the kind that parses it. */
  readonly parts?: Readonly<Record<string, string>>
  /** Whether the kind can join several columns. */
  readonly many?: true
  /** What names other than `parts` mean in `from: { NAME: column }`. If undefined, such names are errors. */
  readonly named?: "options" | "ranks" | "rows"
  /** Options that say how a single cell is written. A pipeline's defaults for these options don't apply to entries with parts. */
  readonly cellOptions?: ReadonlyArray<string>
  /** Whether the parts inherit options that they don't set themselves. */
  readonly inherited?: true
  /** Returns the cell texts to which the options give a meaning. `source.empty` doesn't apply to these texts. */
  readonly words?: (options: Options) => ReadonlyArray<string>
  /**
   * Returns the cells for which a different text is sent, each with its answer as written in the options. Null means no answer.
   *
   * @param listed the form's options
   */
  readonly translations?: (options: Options, listed: ReadonlyArray<Option>) => ReadonlyArray<Translation>
  /** The types of questions for which this is the default kind. */
  readonly types: ReadonlyArray<string>
  /** Runs once for an entry. The returned function runs for every row. */
  readonly compile: (options: Options, context: KindContext) => Parse | ReadonlyArray<OptionFault>
  /** Compares a sent and a returned value. Neither may be null. */
  readonly compare: (sent: Json, returned: Json) => Compared
}

/** A cell and its answer. Null means no answer. */
export type Translation = readonly [cell: string, answer: string | null]

/** Converts the cells of an entry's columns to a value. `undefined` means no answer. */
export type Parse = (cells: ReadonlyArray<Cell>) => Json | undefined | Fault

/** Why a cell can't become a value of its kind. */
export class Fault {
  readonly code: ProblemCode
  /** The text that follows "expected": `a date as dd.MM.yyyy`. */
  readonly expected: string
  /** The index of the faulty cell among the cells given to `Parse`. */
  readonly cell: number
  /** The wrong piece of the cell. Undefined if the whole cell is wrong. */
  readonly piece: string | undefined
  constructor(code: ProblemCode, expected: string, cell = 0, piece?: string) {
    this.code = code
    this.expected = expected
    this.cell = cell
    this.piece = piece
  }

  /** Returns the same fault for a different cell or piece. */
  at(cell: number, piece = this.piece): Fault {
    return new Fault(this.code, this.expected, cell, piece)
  }
}

/** What a kind needs to know about the entry for which it is compiled. */
export interface KindContext {
  readonly question: Question | undefined
  readonly input: InputShape
  /** The trimmed texts that mean "no answer". They are passed as null, unless an option of the question has the same name. */
  readonly empty: ReadonlySet<string>
  /** Redirects a text to a different question. `textTo` is its name or id. Called while a cell is parsed. */
  readonly redirect?: ((text: string, textTo: string) => void) | undefined
  /** Notes how a cell is used, by its index among the cells given to `Parse`. Without notes, an answer uses all of its cells. */
  readonly note?: ((note: CellNote, cell?: number) => void) | undefined
}

/** The origin of an answer's cells. */
export type InputShape =
  | { readonly _tag: "Columns"; readonly other?: OtherCells | undefined }
  /** The parts in the order of their cells. The part's kind has already parsed each cell, so each is a value of that kind, or null. */
  | { readonly _tag: "Parts"; readonly parts: ReadonlyArray<string>; readonly other?: OtherCells | undefined }

/** The input of an answer without an "Other" option whose cells are not parts. */
export const ofColumns = { _tag: "Columns" } as const

/** The cells of an "Other" option, by their index among the cells given to `Parse`. */
export interface OtherCells {
  /** The cell with the tick, or with the text itself. */
  readonly tick: number | undefined
  /** The name of the tick column, if a cell may be ticked by containing that name. */
  readonly name?: string | undefined
  readonly text: number | undefined
}

/**
 * How a cell is used, apart from giving the answer's value. `unused`: not at all, although other cells of the answer may be used. `nothing`: a text
 * in it means no answer. `dropped`: `otherwise: drop` removes a text. `part`: a part of the cell is not sent. `redirected`: a text is sent to a
 * different question.
 */
export type CellNote = "unused" | "nothing" | "dropped" | "part" | "redirected"

/** A fault in a kind's options for this question and input. */
export interface OptionFault {
  /** The option to point at. */
  readonly option?: string | undefined
  /** The member or item of the option's value. */
  readonly member?: string | number | undefined
  readonly message: string
  readonly suggestion?: string | undefined
  /** A value that is not one of the allowed names, and the allowed names. The nearest name is suggested. */
  readonly unknown?: { readonly name: string; readonly among: ReadonlyArray<string> } | undefined
}

/** The result of comparing a sent value with the returned one. */
export interface Compared {
  readonly verdict: Extract<AnswerVerdict, "same" | "equivalent" | "different">
  /** A few words that say what the service normalised, if the verdict is `equivalent`. */
  readonly normalised?: string
}

/** Returns a fault for each part that a kind needs but `from` doesn't name. */
export const missingParts = (
  given: ReadonlyArray<string>,
  needed: ReadonlyArray<string>,
): ReadonlyArray<OptionFault> =>
  needed.filter((part) => !given.includes(part)).map((part) => ({
    option: "from",
    message: `The part \`${part}\` is missing.`,
  }))

/**
 * Makes an option of a kind.
 *
 * @param examples examples as written in a file
 */
export const option = <A, I>(schema: Schema.Schema<A, I>, description: string, ...examples: ReadonlyArray<I>) =>
  Schema.optional(schema).annotations({
    description,
    ...(examples.length === 0 ? {} : { examples: examples as never }),
  })

/** Text that is not empty. */
export const FilledText = Schema.NonEmptyString.annotations({ description: "text, not empty" })

/** A setting's value that stands for a cell or an answer. It is text as written, so that `007`, `yes` and `1.50` remain unchanged. */
export const AsWritten = Schema.String.annotations({
  description: "Text as written. Numbers, yes and no need no quotes",
  jsonSchema: { type: ["string", "number", "boolean"] },
})
