import type { Schema } from "effect"
import type { Cell } from "../domain/cell.ts"
import type { AnswerVerdict } from "../domain/comparison.ts"
import type { Question } from "../domain/form.ts"
import type { Json } from "../domain/json.ts"
import type { ProblemCode } from "../domain/problem.ts"

/** A cell that can't be turned into a value of its kind. */
export class Fault {
  readonly code: ProblemCode
  /** What was expected, to stand behind "expected": `a date as dd.MM.yyyy`. */
  readonly expected: string
  /** Index of the cell to blame, among those handed to `Parse`. */
  readonly cell: number
  /** The piece of the cell that is wrong, where it is not all of it. */
  readonly piece: string | undefined
  constructor(code: ProblemCode, expected: string, cell = 0, piece?: string) {
    this.code = code
    this.expected = expected
    this.cell = cell
    this.piece = piece
  }
}

/** Cells of the mapped columns → value; `undefined`: no answer. Synchronous, and cheap on the good path: it runs for every row. */
export interface Parse {
  (cells: ReadonlyArray<Cell>): Json | undefined | Fault
  /** The same for one cell that is filled, and trimmed if it is a text: without the list, and without a second look at the cell. Where a kind takes one cell. */
  readonly one?: ParseCell
}

export type ParseCell = (cell: Exclude<Cell, null>) => Json | undefined | Fault

/** Cells of an "Other" beside the options, by their index among the cells handed to `Parse`. */
export interface OtherCells {
  /** A tick, or the text itself. */
  readonly tick: number | undefined
  /** What the tick's column is called, where a cell of it may hold that as its tick. */
  readonly name?: string | undefined
  /** What was written beside it. */
  readonly text: number | undefined
}

/**
 * What becomes of a cell beside the answer's value. `unused`: it gives nothing, though other cells of the answer may. Of a text in it: `nothing`: it means no answer;
 * `dropped`: `otherwise: drop` leaves it out; `part`: something of it is left behind; `handed`: it goes to another question.
 */
export type CellNote = "unused" | "nothing" | "dropped" | "part" | "handed"

/** Where the cells of an answer come from, as far as a kind must know. */
export type InputShape =
  | { readonly _tag: "Columns"; readonly count: number; readonly other?: OtherCells | undefined }
  /**
   * The parts in the order in which their cells are handed to `Parse`. Each was parsed by its own kind (`Kind.partKinds`; text where the parts
   * are options or rows) before: what `Parse` gets is that kind's value, or null.
   */
  | { readonly _tag: "Parts"; readonly parts: ReadonlyArray<string>; readonly other?: OtherCells | undefined }

export interface KindContext {
  readonly question: Question | undefined
  readonly input: InputShape
  /** Cells that mean "no answer" (trimmed); handed over as null unless an option of the question has that name. */
  readonly empty: ReadonlySet<string>
  /** Takes a text that goes to another question (`textTo`: its name or id); called while a cell is parsed. */
  readonly spill?: ((text: string, textTo: string) => void) | undefined
  /** Notes what becomes of a cell, by its index among those handed to `Parse`. Called while cells are parsed; without a note, the cells of an answer with a value are all sent. */
  readonly note?: ((note: CellNote, cell?: number) => void) | undefined
}

/** What is wrong with a kind's options for this question and input: a sentence, and the option to point at. */
export interface OptionFault {
  readonly option: string | undefined
  /** The member or item of the option's value. */
  readonly member?: string | number | undefined
  readonly message: string
  readonly suggestion?: string | undefined
  /** A name that is not among these: whoever shows the fault suggests the nearest. */
  readonly unknown?: { readonly name: string; readonly among: ReadonlyArray<string> } | undefined
}

/** How a sent and a returned value compare; both are there and neither is null. */
export interface Compared {
  readonly verdict: Extract<AnswerVerdict, "same" | "equivalent" | "different">
  /** For `equivalent`: what the service normalised, in a few words. */
  readonly normalised?: string
}

/**
 * A kind of value (configuration.md, "Kinds of value"): its options, how cells are parsed, how a sent and a returned value compare. One file each;
 * `index.ts` lists them.
 */
export interface Kind<Options = never> {
  readonly name: string
  /** For reference pages and editors: what it takes and what it sends. */
  readonly description: string
  /** The keys it adds to a mapping entry, all optional; annotated on the encoded side. */
  readonly options: Schema.Struct.Fields
  /** What it sends, in JSON's words. */
  readonly sends: "string" | "number" | "boolean" | "array" | "object" | "any"
  /** Parts that `from` may give instead of one column; empty: none. `many`: several columns may be joined. */
  readonly parts: ReadonlyArray<string>
  /** The kind of each part: it parses the part's cells, with options of its own. */
  readonly partKinds: Readonly<Record<string, string>>
  readonly many: boolean
  /** What other names than `parts` stand for in `from: { NAME: column }`: options that are ticked, options with their ranks, rows; absent: nothing. */
  readonly named?: "options" | "ranks" | "rows"
  /** Options that say how one cell is written: a default of theirs is for entries without parts. */
  readonly cellOptions?: ReadonlyArray<string>
  /** Whether options of the whole hold for its parts too, where a part does not say otherwise. */
  readonly inherited?: boolean
  /** Question types (service-observations.md) for which it is the default. */
  readonly types: ReadonlyArray<string>
  readonly compile: (options: Options, context: KindContext) => Parse | ReadonlyArray<OptionFault>
  readonly compare: (sent: Json, returned: Json) => Compared
}
