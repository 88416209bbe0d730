import { Schema } from "effect"
import type { Cell } from "../domain/cell.ts"
import type { AnswerVerdict } from "../domain/comparison.ts"
import type { Option, Question } from "../domain/form.ts"
import type { Json } from "../domain/json.ts"
import type { ProblemCode } from "../domain/problem.ts"

/**
 * A kind of value: its options, how cells are parsed, how a sent and a returned value compare. A kind is one file and its line in `index.ts`.
 */
export interface Kind<Options = never> {
  readonly name: string
  /** Says what it takes and what it sends, in the reference page and in editors. */
  readonly description: string
  /** The keys it adds to a mapping entry, all optional, annotated on the encoded side. */
  readonly options: Schema.Struct.Fields
  readonly sends: "string" | "number" | "boolean" | "array" | "object" | "any"
  /** Parts that `from` may name instead of one column, each with the kind that parses it. */
  readonly parts?: Readonly<Record<string, string>>
  /** Whether several columns may be joined. */
  readonly many?: true
  /** What names other than `parts` mean in `from: { NAME: column }`. If absent, such names are errors. */
  readonly named?: "options" | "ranks" | "rows"
  /** Options that say how one cell is written. A pipeline's default for them doesn't apply to entries with parts. */
  readonly cellOptions?: ReadonlyArray<string>
  /** Whether the parts take over options that they don't set themselves. */
  readonly inherited?: true
  /** Returns the cell texts to which the options give a meaning: `source.empty` doesn't apply to them. */
  readonly words?: (options: Options) => ReadonlyArray<string>
  /**
   * Returns the cells for which something else is sent, each with its answer as the options write it; null: no answer.
   *
   * @param listed the form's options
   */
  readonly translations?: (options: Options, listed: ReadonlyArray<Option>) => ReadonlyArray<Translation>
  /** Question types for which it is the default. */
  readonly types: ReadonlyArray<string>
  /** Runs once for an entry. The function that it returns runs for every row. */
  readonly compile: (options: Options, context: KindContext) => Parse | ReadonlyArray<OptionFault>
  /** Compares two values, neither of which is null. */
  readonly compare: (sent: Json, returned: Json) => Compared
}

/** A cell, and the answer that it stands for. */
export type Translation = readonly [cell: string, answer: string | null]

/** Turns the cells of an entry's columns into a value. `undefined` means no answer. */
export type Parse = (cells: ReadonlyArray<Cell>) => Json | undefined | Fault

/** Why a cell can't become a value of its kind. */
export class Fault {
  readonly code: ProblemCode
  /** Completes "expected …": `a date as dd.MM.yyyy`. */
  readonly expected: string
  /** Index of the cell at fault among those given to `Parse`. */
  readonly cell: number
  /** The wrong piece of the cell. Undefined: the whole cell. */
  readonly piece: string | undefined
  constructor(code: ProblemCode, expected: string, cell = 0, piece?: string) {
    this.code = code
    this.expected = expected
    this.cell = cell
    this.piece = piece
  }
}

/** What a kind knows about the entry for which it is compiled. */
export interface KindContext {
  readonly question: Question | undefined
  readonly input: InputShape
  /** Trimmed cells that mean "no answer". They arrive as null, unless an option of the question has that name. */
  readonly empty: ReadonlySet<string>
  /** Redirects a text to another question: `textTo` is its name or id. Called while a cell is parsed. */
  readonly redirect?: ((text: string, textTo: string) => void) | undefined
  /** Notes how a cell is used, by its index among those given to `Parse`. Without notes, an answer uses all of its cells. */
  readonly note?: ((note: CellNote, cell?: number) => void) | undefined
}

/** The origin of an answer's cells. */
export type InputShape =
  | { readonly _tag: "Columns"; readonly count: number; readonly other?: OtherCells | undefined }
  /** The parts in the order of their cells. The part's kind has already parsed each cell: it is a value of that kind, or null. */
  | { readonly _tag: "Parts"; readonly parts: ReadonlyArray<string>; readonly other?: OtherCells | undefined }

/** Cells of an "Other" next to the options, by their index among the cells given to `Parse`. */
export interface OtherCells {
  /** A tick, or the text itself. */
  readonly tick: number | undefined
  /** The name of the tick's column, if a cell may contain it as its tick. */
  readonly name?: string | undefined
  readonly text: number | undefined
}

/**
 * How a cell is used, apart from giving the answer's value.
 * `unused`: not at all, though other cells of the answer may be used. `nothing`: a text in it means no answer. `dropped`: `otherwise: drop` removes a text.
 * `part`: some of it is not sent. `redirected`: a text goes to another question.
 */
export type CellNote = "unused" | "nothing" | "dropped" | "part" | "redirected"

/** What is wrong with a kind's options for this question and input. */
export interface OptionFault {
  /** The option to point at. */
  readonly option?: string | undefined
  /** The member or item of the option's value. */
  readonly member?: string | number | undefined
  readonly message: string
  readonly suggestion?: string | undefined
  /** The names allowed for a value that is not one of them. The nearest one is suggested. */
  readonly unknown?: { readonly name: string; readonly among: ReadonlyArray<string> } | undefined
}

/** The result of comparing a sent value with the returned one. */
export interface Compared {
  readonly verdict: Extract<AnswerVerdict, "same" | "equivalent" | "different">
  /** For `equivalent`: what the service normalised, in a few words. */
  readonly normalised?: string
}

/** Returns a fault for each part that a kind needs and `from` doesn't name. */
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
 * @param examples as written in a file
 */
export const option = <A, I>(schema: Schema.Schema<A, I>, description: string, ...examples: ReadonlyArray<I>) =>
  Schema.optional(schema).annotations({
    description,
    ...(examples.length === 0 ? {} : { examples: examples as never }),
  })

/** Text that is not empty. */
export const FilledText = Schema.NonEmptyString.annotations({ description: "text, not empty" })

/** An option's value that stands for a cell or an answer: text as written, so that `007`, `yes` and `1.50` stay as they are. */
export const AsWritten = Schema.String.annotations({
  description: "Text as written: quotes are not needed for numbers or yes and no",
  jsonSchema: { type: ["string", "number", "boolean"] },
})
