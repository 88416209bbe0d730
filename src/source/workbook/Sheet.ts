import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Cell } from "../../domain/cell.ts"
import { columnName } from "../../domain/words.ts"
import { cellRange } from "../../project/sourceSection.ts"
import { refusing, type SourceChanged, type SourceError } from "../Source.ts"

/** A row of a sheet: its number from 0, and its cells by column. Columns without a cell have no element. */
export interface SheetRow {
  readonly row: number
  readonly cells: ReadonlyArray<Cell | undefined>
}

/** What is known about a sheet, apart from its rows. */
export class SheetNotes {
  hiddenRows = 0
  /** The first and the last column of each group of hidden columns, numbered from 0. */
  readonly hiddenColumns: Array<readonly [first: number, last: number]> = []
  /** The merged cells that start in the first rows, where the header may be. */
  readonly merges: Array<CellRange> = []
  /** How many merged cells cover several rows. */
  tallMerges = 0
  readonly #first: number

  /** @param first the number of first rows */
  constructor(first: number) {
    this.#first = first
  }

  addMerge(range: CellRange): void {
    if (range.from.row <= this.#first) this.merges.push(range)
    if (range.from.row < range.to.row) this.tallMerges++
  }
}

/** A sheet of a workbook: its index and its name, and the names of all sheets and of the hidden ones. */
export interface ChosenSheet {
  readonly at: number
  readonly name: string
  readonly names: ReadonlyArray<string>
  readonly hidden: ReadonlyArray<string>
}

/** A sheet that can be read. */
export interface OpenSheet extends ChosenSheet {
  readonly date1904: boolean
  /**
   * Why some of the sheet may be missing, as the end of a sentence. Set if what the file states about its content is
   * inconsistent.
   */
  readonly doubt?: string | undefined
  /** The sheet's first rows: enough to find the header, or all of them. */
  readonly first: ReadonlyArray<SheetRow>
  /** Returns the merged cells that start in the first rows. */
  readonly merges: Effect.Effect<ReadonlyArray<CellRange>, SourceError>
  /** Reads all rows of the sheet in order. Verifies that the file is the one that was opened. */
  readonly rows: Stream.Stream<ReadonlyArray<SheetRow>, SourceError | SourceChanged>
  /** For a large sheet, this is known after `rows` has ended. */
  readonly notes: () => SheetNotes
}

/**
 * Chooses the sheet to read: the requested one (a name, or a number counting from 1), otherwise the first visible one. Fails if there is none.
 *
 * @param isHidden whether the sheet with this index is hidden
 */
export const chooseSheet = (
  file: string,
  names: ReadonlyArray<string>,
  isHidden: (index: number) => boolean,
  asked: string | number | undefined,
): Effect.Effect<ChosenSheet, SourceError> => {
  const refuse = refusing(file)
  if (names.length === 0) return refuse("can't be read as a workbook: it lists no sheets.")
  const at = asked === undefined
    ? names.findIndex((_, index) => !isHidden(index))
    : typeof asked === "number"
    ? asked - 1
    : sheetNamed(names, asked)
  const name = names[at]
  if (name !== undefined) {
    return Effect.succeed({ at, name, names, hidden: names.filter((_, index) => isHidden(index)) })
  }
  const all = names.map((each) => `"${each}"`).join(", ")
  return refuse(
    asked === undefined
      ? `has no visible sheet, only ${all}. Name the one to read: \`source.sheet\`.`
      : `has no sheet ${JSON.stringify(asked)}, only ${all}. Correct \`source.sheet\`.`,
  )
}

/** Why an encrypted workbook is refused, as the end of a sentence. */
export const hasPassword = "is protected by a password. Save it without one."

/** The failure of a workbook whose chosen sheet is a chart or a macro sheet. */
export const withoutRows = (file: string, name: string): SourceError =>
  refusing(file)(`has no rows in "${name}", which is not a sheet with cells. Name a different one: \`source.sheet\`.`)

/** Finds a sheet by its name. Excel ignores case in names. */
const sheetNamed = (names: ReadonlyArray<string>, asked: string) => {
  const exactly = names.indexOf(asked)
  return exactly !== -1 ? exactly : names.findIndex((name) => name.toLowerCase() === asked.toLowerCase())
}

/** A range of rows and columns, numbered from 0. Both ends are included. */
export interface CellRange {
  readonly from: { readonly row: number; readonly column: number }
  readonly to: { readonly row: number; readonly column: number }
}

export const wholeSheet: CellRange = { from: { row: 0, column: 0 }, to: { row: Infinity, column: Infinity } }

const columnNumber = (letters: string) =>
  [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1

/** Parses a range such as `B3:H400`, `B3:H` or `B:H`. Returns undefined if the text is not a range, or ends before it starts. */
export const parseRange = (text: string): CellRange | undefined => {
  const match = cellRange.exec(text)
  if (match === null) return undefined
  const [, left = "", top, right = "", bottom] = match
  const from = { row: top === undefined ? 0 : Number(top) - 1, column: columnNumber(left) }
  const to = { row: bottom === undefined ? Infinity : Number(bottom) - 1, column: columnNumber(right) }
  return from.row <= to.row && from.column <= to.column ? { from, to } : undefined
}

/** Returns a range as in a formula: `B3:H400`, or `B3` for one cell. */
export const rangeName = ({ from, to }: CellRange): string => {
  const [first, last] = [from, to].map(({ column, row }) => `${columnName(column)}${row + 1}`)
  return first === last ? `${first}` : `${first}:${last}`
}
