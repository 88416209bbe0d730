import * as Arr from "effect/Array"
import * as Record from "effect/Record"
import { cellText } from "../../domain/cell.ts"
import { cut } from "../../domain/problem.ts"
import type { Cells, Column } from "../../domain/row.ts"
import { vocabulary } from "../words/vocabulary.ts"
import { cellsIn, type ColumnProfile, type ProfiledColumn, profiler } from "./ColumnProfile.ts"

/** A row that is not a record: units below the header, or totals at the end. */
export interface StrayRow {
  readonly row: number
  readonly is: "units" | "totals"
  /** A column in which only this row has the value `text`, so that `where` can skip the row. */
  readonly column: string
  readonly text: string
}

const isUnit = (text: string): boolean =>
  vocabulary.units.includes(text.toLowerCase().replace(/^[([](.*)[)\]]$/, "$1").trim())

const isTotal = (text: string): boolean => vocabulary.totals.includes(text.toLowerCase().replace(/\s*:$/, ""))

const textsOf = (cells: Cells): ReadonlyArray<string> => cells.map((cell) => cellText(cell).trim())

const isNumeric = ({ filled, share }: ColumnProfile) => filled >= 2 && share.number >= 0.8

/** A row that may not be a record. */
interface Doubtful extends Pick<StrayRow, "is" | "row"> {
  readonly cells: Cells
}

/** Returns a row that is not a record, and a column that distinguishes it from the records. Undefined if the row may be a record. */
const strayIn = (
  { cells, is, row }: Doubtful,
  profiles: () => ReadonlyArray<ProfiledColumn>,
): StrayRow | undefined => {
  const texts = textsOf(cells)
  const label = texts.find((text) => text !== "") ?? ""
  if (is === "totals" && !isTotal(label)) return undefined
  const each = profiles().map(({ column, profile }) => ({ column, profile, text: texts[column.position] ?? "" }))
  // A record would have a cell in every column that the other records fill.
  const isIncomplete = each.some(({ profile: { filled, rows }, text }) =>
    text === "" && filled >= 2 && filled >= 0.9 * rows
  )
  const hasSums = each.some(({ profile, text }) => isNumeric(profile) && /^[-+]?[\d.,' ]*\d/.test(text))
  return each.flatMap(({ column: { name }, profile, text }) => {
    const fits = is === "units" ? isUnit(text) && isNumeric(profile) : isIncomplete && hasSums && text === label
    return fits && name !== undefined && !profile.distinct.has(text) && !profile.more
      ? [{ row, is, column: name, text }]
      : []
  })[0]
}

/** The number of rows at the end that may be totals. */
const footers = 3

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
  const first: Array<Doubtful> = []
  const last: Array<Doubtful> = []
  return {
    addRow: (cells: Cells, row: number): void => {
      if (isExport) return profiles.addRow(cells)
      const filled = row === 1 ? textsOf(cells).filter((text) => text !== "") : []
      if (filled.length > 0 && filled.every(isUnit)) first.push({ cells, row, is: "units" })
      else last.push({ cells, row, is: "totals" })
      if (last.length > footers) profiles.addRow(last.shift()!.cells)
    },
    /**
     * Returns the rows that are not records, the profiles of the columns without these rows, and the texts that look like "no answer". Call it after the
     * last row. `complete` returns the profiles with these texts.
     */
    ended: () => {
      const stray = [...last, ...first].flatMap((one) => {
        const found = strayIn(one, profiles.profiles)
        if (found === undefined) profiles.addRow(one.cells)
        return found ?? []
      })
      const profiled = profiles.profiles()
      const missing = new Map<string, number>()
      for (const { text, times } of profiled.flatMap((one) => cellsIn(one).noAnswer)) {
        missing.set(text, (missing.get(text) ?? 0) + times)
      }
      return {
        stray: stray.toSorted((a, b) => a.row - b.row),
        profiles: profiled,
        missing,
        complete: () => profiles.profiles(true),
      }
    },
  }
}

/** Returns the `where` that skips rows. */
export const whereWithout = (stray: ReadonlyArray<StrayRow>) =>
  Record.map(Arr.groupBy(stray, ({ column }) => column), (rows) => {
    const [text = "", ...others] = new Set(rows.map((one) => one.text))
    return { not: others.length === 0 ? text : [text, ...others] }
  })

export const strayWarning = ({ is, row, text }: StrayRow): string =>
  `Row ${row} ("${cut(text, 40)}") looks like ${is}, not like a record.`
