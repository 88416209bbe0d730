import { cellText } from "../../domain/cell.ts"
import { cut } from "../../domain/problem.ts"
import type { Cells, Column } from "../../domain/row.ts"
import { type ProfiledColumn, profiler } from "./ColumnProfile.ts"
import { vocabulary } from "./vocabulary.ts"

/** A row that is not a record: units below the header, or totals at the end. */
export interface StrayRow {
  /** The row's number, counting from 1. */
  readonly row: number
  readonly is: "units" | "totals"
  /** A column in which only this row has the value `text`, so that `where` can skip the row. */
  readonly column: string
  readonly text: string
}

const units = new Set(vocabulary.units)
const totals = new Set(vocabulary.totals)

const isUnit = (text: string): boolean =>
  text.length < 40 && units.has(text.toLowerCase().replace(/^[([](.*)[)\]]$/, "$1").trim())

const isTotal = (text: string): boolean => text.length < 40 && totals.has(text.toLowerCase().replace(/\s*:$/, ""))

const textsOf = (cells: Cells): ReadonlyArray<string> => cells.map((cell) => cellText(cell).trim())

interface Numbered {
  readonly cells: Cells
  readonly row: number
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
  let first: Numbered | undefined
  const last: Array<Numbered> = []

  /**
   * Returns the first named column in which only this row has such a value. If `isNumeric`, most of the column's other
   * cells must be numbers.
   */
  const findColumn = (texts: ReadonlyArray<string>, is: (text: string) => boolean, isNumeric: boolean) => {
    for (const { column: { name, position }, profile } of profiles.profiles()) {
      const text = texts[position] ?? ""
      if (name === undefined || text === "" || !is(text) || profile.distinct.has(text) || profile.more) continue
      if (!isNumeric || (profile.filled >= 2 && profile.share.number >= 0.8)) return { column: name, text }
    }
    return undefined
  }

  const unitsIn = ({ cells, row }: Numbered): StrayRow | undefined => {
    const found = findColumn(textsOf(cells), isUnit, true)
    return found === undefined ? undefined : { row, is: "units", ...found }
  }

  const totalsIn = ({ cells, row }: Numbered): StrayRow | undefined => {
    const texts = textsOf(cells)
    const label = texts.find((text) => text !== "") ?? ""
    if (!isTotal(label)) return undefined
    const all = profiles.profiles()
    // A record would have a cell in every column that the other records fill.
    const isIncomplete = all.some(({ column: { position }, profile }) =>
      profile.filled >= 2 && profile.filled >= 0.9 * profile.rows && (texts[position] ?? "") === ""
    )
    const sums = all.some(({ column: { position }, profile }) =>
      profile.share.number >= 0.8 && /^[-+]?[\d.,' ]*\d/.test(texts[position] ?? "")
    )
    const found = isIncomplete && sums ? findColumn(texts, (text) => text === label, false) : undefined
    return found === undefined ? undefined : { row, is: "totals", ...found }
  }

  return {
    addRow: (cells: Cells, row: number): void => {
      if (isExport) return profiles.addRow(cells)
      const filled = row === 1 ? textsOf(cells).filter((text) => text !== "") : []
      if (filled.length > 0 && filled.every(isUnit)) {
        first = { cells, row }
        return
      }
      last.push({ cells, row })
      if (last.length > footers) profiles.addRow(last.shift()?.cells ?? [])
    },
    /**
     * Returns the rows that are not records, the profiles of the columns without these rows, and the values that mean
     * "no answer". Call it after the last row. `complete` returns the profiles with the cells that mean "no answer".
     */
    ended: () => {
      const stray: Array<StrayRow> = []
      for (const one of last) {
        const found = totalsIn(one)
        if (found === undefined) profiles.addRow(one.cells)
        else stray.push(found)
      }
      const found = first === undefined ? undefined : unitsIn(first)
      if (found !== undefined) stray.unshift(found)
      else if (first !== undefined) profiles.addRow(first.cells)
      const complete = (): ReadonlyArray<ProfiledColumn> => {
        profiles.addMissing()
        return profiles.profiles()
      }
      return { stray, profiles: profiles.profiles(), missing: profiles.missing(), complete }
    },
  }
}

/** Returns the `where` that skips these rows. */
export const whereWithout = (stray: ReadonlyArray<StrayRow>) => {
  const texts = new Map<string, ReadonlyArray<string>>()
  for (const { column, text } of stray) texts.set(column, [...texts.get(column) ?? [], text])
  return Object.fromEntries([...texts].map(([column, not]) => [column, { not: not.length === 1 ? not[0] ?? "" : not }]))
}

/** Returns the warning about a row that is not a record. */
export const strayWarning = ({ is, row, text }: StrayRow): string =>
  `Row ${row} ("${cut(text, 40)}") looks like ${is}, not like a record.`
