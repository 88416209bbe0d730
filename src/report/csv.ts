import Papa from "papaparse"

/** One line of a CSV file, cell by cell. */
export type CsvLine = ReadonlyArray<string>

/**
 * Matches what a spreadsheet may read as a formula: the usual starts, a line feed, and the full-width forms that some
 * spreadsheets fold to them; and the same after apostrophes of the cell's own, so that an added one can be distinguished. papaparse's own pattern lets a formula through that holds
 * a line break.
 */
const formula = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/

const write = (lines: ReadonlyArray<CsvLine>, escapeFormulae: RegExp | false): string =>
  lines.length === 0
    ? ""
    : Papa.unparse(lines as Array<Array<string>>, { header: false, newline: "\n", escapeFormulae }) + "\n"

/**
 * Lines of a CSV that gives back exactly the cells it was given: comma, `\n`, quotes only where needed, no byte order mark.
 * A lone surrogate, which only a JSON source can hold, has no form in UTF-8: it is written as U+FFFD.
 */
export const faithfulCsv = (lines: ReadonlyArray<CsvLine>): string => write(lines, false)

/** The same for a CSV that is opened in a spreadsheet: a cell that could be a formula gets a `'` in front, even if it has some already. */
export const spreadsheetCsv = (lines: ReadonlyArray<CsvLine>): string => write(lines, formula)

/** A cell as it was before `spreadsheetCsv` put a `'` in front of it. */
export const withoutApostrophe = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell
