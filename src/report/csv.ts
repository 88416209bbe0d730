import Papa from "papaparse"

/** The cells of a line of a CSV file. */
export type CsvLine = ReadonlyArray<string>

/**
 * Matches what a spreadsheet may read as a formula: the usual first characters, a line feed, and the full-width forms
 * that some spreadsheets convert to them. Also matches such a character after apostrophes, so that a cell's own
 * apostrophe is never mistaken for an added one. papaparse's own pattern misses formulas that contain a line break.
 */
const formula = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/

const write = (lines: ReadonlyArray<CsvLine>, escapeFormulae: RegExp | false): string =>
  lines.length === 0
    ? ""
    : Papa.unparse(lines as Array<Array<string>>, { header: false, newline: "\n", escapeFormulae }) + "\n"

/**
 * Returns lines of a CSV file from which exactly the same cells can be read. Uses commas, `\n`, quotes only where needed, and no byte order mark. Writes a lone surrogate, which only a JSON source can
 * contain, as U+FFFD, because UTF-8 can't encode it.
 */
export const faithfulCsv = (lines: ReadonlyArray<CsvLine>): string => write(lines, false)

/** Returns lines of a CSV file for spreadsheets. A cell that could be a formula gets an additional `'` at the start. */
export const spreadsheetCsv = (lines: ReadonlyArray<CsvLine>): string => write(lines, formula)

/** Removes the `'` that `spreadsheetCsv` added to a cell. */
export const withoutApostrophe = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell
