import { cellText } from "../domain/cell.ts"
import { brief } from "../domain/problem.ts"
import type { Cells, Column } from "../domain/row.ts"
import { listed } from "../domain/words.ts"
import { fewest } from "../source/headerRow.ts"

/** How many cells and columns a warning names. */
const named = 3

/**
 * Finds the titles of a second table directly below the first. Such a row is full of different texts without digits and `@`. All rows that were added before have one of
 * these in several columns, and no row below has one in all of them.
 */
export const findSecondTable = (columns: ReadonlyArray<Column>) => {
  /** The columns in which each row so far has a digit or an @. Empty once no second table can be found. */
  let usual = columns
  let rows = 0
  let found: { readonly row: number; readonly texts: ReadonlyArray<string> } | undefined
  const textsOf = (cells: Cells) => columns.map(({ position }) => cellText(cells[position]).trim())
  const areTitles = (texts: ReadonlyArray<string>) =>
    new Set(texts).size === texts.length && texts.every((text) => text !== "" && !/[\d@]/.test(text))
  return {
    add: (cells: Cells, row: number): void => {
      if (usual.length < 2) return
      const marked = usual.filter(({ position }) => /[\d@]/.test(cellText(cells[position])))
      if (found !== undefined) {
        if (marked.length < usual.length) return
        usual = []
        found = undefined
      } else if (marked.length === 0 && rows >= fewest && areTitles(textsOf(cells))) {
        found = { row, texts: textsOf(cells) }
      } else {
        rows++
        if (marked.length < usual.length) usual = marked
      }
    },
    /** Returns a warning, or undefined if there is no such row. */
    warning: (): string | undefined => {
      if (found === undefined) return undefined
      const texts = found.texts.slice(0, named).map((text) => JSON.stringify(brief(text))).join(", ")
      const names = listed(usual.slice(0, named).map(({ name, title }) => name ?? title.trim()))
      return `Row ${found.row} (${texts}) seems to contain the titles of a second table: unlike all rows above, it has neither digits nor an @ in ${names}. It and the rows below are read like records. If they are not, move them to a separate file.`
    },
  }
}
