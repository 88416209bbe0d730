import { cellText } from "../domain/cell.ts"
import { brief } from "../domain/problem.ts"
import { type Cells, type Column, shownName } from "../domain/row.ts"
import { listed } from "../domain/words.ts"
import type { whereWithout } from "../profile/strayRows.ts"
import { fewest } from "../source/headerRow.ts"

/** How many cells and columns a warning names. */
const named = 3

const isMarked = (text: string): boolean => /[\d@]/.test(text)

const isTitle = (text: string): boolean => text !== "" && !isMarked(text)

const areDistinct = (texts: ReadonlyArray<string>): boolean => new Set(texts).size === texts.length

const shown = (texts: ReadonlyArray<string>): string =>
  texts.slice(0, named).map((text) => JSON.stringify(brief(text))).join(", ")

const namesOf = (columns: ReadonlyArray<Column>): string => listed(columns.slice(0, named).map(shownName))

/**
 * Finds rows of titles among the records. The titles of a second table directly below the first fill the row with different texts without digits and
 * `@`. All rows that were added before have one of these in several columns, and no row below has one in all of them. A first row of titles, such as
 * labels below a header of codes, has different texts without digits and `@` in several columns in which all rows below have one.
 */
export const findTitleRows = (columns: ReadonlyArray<Column>) => {
  /** The columns in which each row so far has a digit or an @. Empty once no second table can be found. */
  let usual = columns
  let rows = 0
  let found: { readonly row: number; readonly texts: ReadonlyArray<string> } | undefined
  /** The columns in which the source's first row has titles, unlike each row below so far, and these titles. */
  let unlike: ReadonlyArray<{ readonly column: Column; readonly title: string }> = []
  let below = 0
  const textIn = (cells: Cells, { position }: Column) => cellText(cells[position]).trim()
  const textsOf = (cells: Cells) => columns.map((column) => textIn(cells, column))
  const secondTable = (cells: Cells, row: number): void => {
    if (usual.length < 2) return
    const marked = usual.filter((column) => isMarked(textIn(cells, column)))
    if (found !== undefined) {
      if (marked.length < usual.length) return
      usual = []
      found = undefined
    } else if (marked.length === 0 && rows >= fewest && textsOf(cells).every(isTitle) && areDistinct(textsOf(cells))) {
      found = { row, texts: textsOf(cells) }
    } else {
      rows++
      if (marked.length < usual.length) usual = marked
    }
  }
  return {
    add: (cells: Cells, row: number): void => {
      if (row === 1) {
        unlike = columns.map((column) => ({ column, title: textIn(cells, column) })).filter(({ title }) =>
          isTitle(title)
        )
      } else if (unlike.length > 0) {
        below++
        unlike = unlike.filter(({ column }) => isMarked(textIn(cells, column)))
      }
      secondTable(cells, row)
    },
    /**
     * Returns a warning for each row of titles.
     *
     * @param skip returns how to skip the rows that this `where` skips
     */
    warnings: (skip: (where: ReturnType<typeof whereWithout>) => string): ReadonlyArray<string> => {
      const titles = unlike.map(({ title }) => title)
      const sign = unlike.find(({ column }) => column.name !== undefined)
      return [
        ...(unlike.length < 2 || below < fewest || !areDistinct(titles) ? [] : [
          `Row 1 (${
            shown(titles)
          }) seems to contain titles, not a record: unlike all rows below, it has neither digits nor an @ in ${
            namesOf(unlike.map(({ column }) => column))
          }. If so, ${
            sign?.column.name === undefined
              ? "remove it from the file."
              : skip({ [sign.column.name]: { not: sign.title } })
          }`,
        ]),
        ...(found === undefined ? [] : [
          `Row ${found.row} (${
            shown(found.texts)
          }) seems to contain the titles of a second table: unlike all rows above, it has neither digits nor an @ in ${
            namesOf(usual)
          }. It and the rows below are read like records. If they are not, move them to a separate file.`,
        ]),
      ]
    },
  }
}
