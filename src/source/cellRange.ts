/** Rows and columns from 0, both ends included. */
export interface CellRange {
  readonly from: { readonly row: number; readonly column: number }
  readonly to: { readonly row: number; readonly column: number }
}

export const wholeSheet: CellRange = { from: { row: 0, column: 0 }, to: { row: Infinity, column: Infinity } }

const columnNumber = (letters: string) =>
  [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1

/** Reads a range such as `B3:H400`, `B3:H` or `B:H`; undefined when it is none. */
export const parseRange = (text: string): CellRange | undefined => {
  const match = /^\$?([a-z]{1,3})\$?([1-9]\d*)?:\$?([a-z]{1,3})\$?([1-9]\d*)?$/i.exec(text.trim())
  if (match === null) return undefined
  const [, left = "", top, right = "", bottom] = match
  const from = { row: top === undefined ? 0 : Number(top) - 1, column: columnNumber(left) }
  const to = { row: bottom === undefined ? Infinity : Number(bottom) - 1, column: columnNumber(right) }
  return from.row <= to.row && from.column <= to.column ? { from, to } : undefined
}
