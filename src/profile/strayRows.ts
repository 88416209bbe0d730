import { cellText, isFilled } from "../domain/cell.ts"
import { groupBy } from "../domain/groupBy.ts"
import { cut } from "../domain/problem.ts"
import type { Cells, Column } from "../domain/row.ts"
import { firstOf } from "../domain/words.ts"
import { cellWords } from "./cellWords.ts"
import { cellsIn, type ColumnProfile, type ProfiledColumn, profiler } from "./ColumnProfile.ts"

const isUnit = (text: string): boolean =>
  cellWords.units.includes(text.toLowerCase().replace(/^[([](.*)[)\]]$/, "$1").trim())

const sums = cellWords.totals.filter((name) => /tot|sum(?!ma)|som/.test(name)).join("|")

/** Matches the name of totals, or totals of something: `subtotal a`, `a total`. */
const totals = new RegExp(`^(?:${cellWords.totals.join("|")})\\s*:?$|^(?:${sums}) | (?:${sums})\\s*:?$`, "iu")

/** Matches the name of a note, such as `Exported on`. */
const notes = new RegExp(`^(?:${cellWords.notes.join("|")})\\s*:?$`, "iu")

const isNumeric = ({ filled, share }: ColumnProfile) => filled >= 2 && share.number >= 0.8

/** A row that may not be a record. */
interface Doubtful {
  readonly cells: Cells
  readonly row: number
}

/** Whether a row contains only units. */
const isUnits = (cells: Cells, row: number): boolean =>
  row === 1 && cells.map((cell) => cellText(cell).trim()).every((text) => text === "" || isUnit(text))

/** Whether a row may be units, totals or a note: it contains only units, begins with the name of totals or of a note, or has a single cell. */
export const mayBeStray = (cells: Cells, row: number): boolean => {
  const filled = cells.filter(isFilled)
  if (filled.length < 2) return filled.length === 1
  const label = cellText(filled[0]).trim()
  return totals.test(label) || (filled.length === 2 && notes.test(label)) || isUnits(cells, row)
}

/**
 * Returns a row that is not a record, and a column that distinguishes it from the records. Undefined if the row may be a record.
 *
 * @param profiles the columns without the doubtful rows
 * @param records the doubtful rows that are read like records
 */
const strayIn = (
  { cells, row }: Doubtful,
  profiles: ReadonlyArray<ProfiledColumn>,
  records: ReadonlyArray<Doubtful> = [],
) => {
  const textIn = (of: Cells, { position }: Column) => cellText(of[position]).trim()
  const each = profiles.map(({ column, profile }) => ({ column, profile, text: textIn(cells, column) }))
  const given = each.filter(({ text }) => text !== "")
  const label = given[0]?.text ?? ""
  const stray = (is: "units" | "totals" | "a note", signs: typeof given) => {
    const sign = signs.find(({ column, profile: { distinct, more }, text }) =>
      column.name !== undefined && !more && !distinct.has(text)
      && records.every((one) => textIn(one.cells, column) !== text)
    )
    return { row, is, column: sign?.column.name, text: sign?.text ?? label }
  }
  if (isUnits(cells, row)) {
    const units = stray("units", given.filter(({ profile, text }) => isUnit(text) && isNumeric(profile)))
    return units.column === undefined ? undefined : units
  }
  // A record would have a cell in every column that the other records fill.
  const lacking =
    each.filter(({ profile: { filled, rows }, text }) => text === "" && filled >= 2 && filled >= 0.9 * rows).length
  const hasSums = given.some(({ profile, text }) => isNumeric(profile) && /^[-+]?[\d.,' ]*\d/.test(text))
  const isPair = lacking > 1 && given.length === 2
  const isCount = isPair && /^\d[\d.,' ]*$/.test(given[1]?.text ?? "")
  if (lacking > 0 && (hasSums || isCount) && totals.test(label)) {
    return stray("totals", given.filter(({ text }) => text === label))
  }
  return (lacking > 1 && given.length === 1) || (isPair && notes.test(label)) ? stray("a note", []) : undefined
}

/**
 * A row that is not a record: units below the header, totals, or a note such as `Page 2`. `column`: a column in which only such rows have the value `text`,
 * so that `where` can skip the row. Undefined if it should not be skipped without a person's decision.
 */
export type StrayRow = Readonly<NonNullable<ReturnType<typeof strayIn>>>

/** The maximum number of rows that are kept because they may be totals or notes. If there are more, such rows are most likely records. */
export const mostDoubtful = 100

/**
 * Profiles a source's columns, without the rows that are not records. Memory does not grow with the number of rows.
 *
 * @param isExport whether a form tool wrote the file, whose rows are all records
 * @param labelsOf returns what the form tool's own definition says about a column
 */
export const recordProfiler = (
  columns: ReadonlyArray<Column>,
  isExport: boolean,
  labelsOf?: Parameters<typeof profiler>[1],
) => {
  const profiles = profiler(columns, labelsOf)
  const doubtful: Array<Doubtful> = []
  return {
    addRow: (cells: Cells, row: number): void => {
      if (!isExport && doubtful.length < mostDoubtful && mayBeStray(cells, row)) doubtful.push({ cells, row })
      else profiles.addRow(cells)
    },
    /**
     * Returns the rows that are not records, the profiles of the columns without these rows, and the texts that look like "no answer". Call it after the
     * last row. `complete` returns the profiles with these texts.
     */
    ended: () => {
      const known = doubtful.length === 0 ? [] : profiles.profiles()
      const records = doubtful.filter((one) => strayIn(one, known)?.column === undefined)
      const stray = doubtful.flatMap((one) => strayIn(one, known, records) ?? [])
      const skipped = new Set(stray.flatMap(({ column, row }) => column === undefined ? [] : [row]))
      for (const { cells, row } of doubtful) if (!skipped.has(row)) profiles.addRow(cells)
      const profiled = profiles.profiles()
      const missing = new Map<string, number>()
      for (const { text, times } of profiled.flatMap((one) => cellsIn(one).noAnswer)) {
        missing.set(text, (missing.get(text) ?? 0) + times)
      }
      return { stray, profiles: profiled, missing, complete: () => profiles.profiles(true) }
    },
  }
}

/** Returns the `where` that skips rows, if they have a column. */
export const whereWithout = (stray: ReadonlyArray<StrayRow>) =>
  Object.fromEntries([...groupBy(stray, ({ column }) => column)].flatMap(([column, rows]) => {
    const [text = "", ...others] = new Set(rows.map((one) => one.text))
    return column === undefined ? [] : [[column, { not: others.length === 0 ? text : [text, ...others] }]]
  }))

/**
 * Returns a warning for each kind of rows that are not records.
 *
 * @param next returns what to do about rows that this `where` skips. It also gets the pronoun for them
 */
export const strayWarnings = (
  stray: ReadonlyArray<StrayRow>,
  next: (where: ReturnType<typeof whereWithout>, them: "it" | "them") => string,
): ReadonlyArray<string> =>
  [...groupBy(stray, ({ column, is }) => `${is} ${column !== undefined}`).values()].map((rows) => {
    const [{ column, is }] = rows
    const isOne = rows.length === 1
    const kept = isOne
      ? "It is read like all rows. If it is not a record, remove it from the file."
      : "They are read like all rows. If they are not records, remove them from the file."
    const shown = firstOf(rows.map(({ row, text }) => `${row} ("${cut(text, 40)}")`), 5)
    const which = isOne
      ? `Row ${shown} looks like ${is}, not like a record.`
      : `Rows ${shown} look like ${is === "a note" ? "notes" : is}, not like records.`
    return `${which} ${column === undefined ? kept : next(whereWithout(rows), isOne ? "it" : "them")}`
  })
