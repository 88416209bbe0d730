import type { Cells, Column } from "../../domain/row.ts"

/** Whether a row holds the titles once more, as files have that were put together of several. */
export const headerAgain = (columns: ReadonlyArray<Column>) => {
  const titled = columns.filter(({ title }) => title.trim() !== "")
  const [first] = titled
  return (cells: Cells): boolean =>
    first !== undefined && titled.length > 1 && cells[first.position] === first.title
    && titled.every(({ position, title }) => cells[position] === title)
}

/** What is said of rows that hold the titles. */
export const repeatedHeader = (rows: ReadonlyArray<number>): ReadonlyArray<string> =>
  rows.length === 0 ? [] : [
    `${
      rows.length === 1 ? `Row ${rows[0]} holds` : `${rows.length} rows, the first of them row ${rows[0]}, hold`
    } the titles again: the file `
    + "seems to be put together of several. Take such rows out, or leave them out with `where`.",
  ]
