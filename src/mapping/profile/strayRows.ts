import { cellText } from "../../domain/cell.ts"
import { cut } from "../../domain/problem.ts"
import type { Cells, Column } from "../../domain/row.ts"
import { vocabulary } from "../words/vocabulary.ts"
import { type ColumnProfile, profiler } from "./ColumnProfile.ts"

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

interface Doubtful {
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
  let first: Doubtful | undefined
  const last: Array<Doubtful> = []

  /** Returns why a row is not a record, if a named column shows that: only this row has its text, and `fits` is true. */
  const strayIn = (
    { cells, row }: Doubtful,
    is: StrayRow["is"],
    fits: (text: string, profile: ColumnProfile) => boolean,
  ): ReadonlyArray<StrayRow> => {
    const texts = textsOf(cells)
    return profiles.profiles().flatMap(({ column: { name, position }, profile }) => {
      const text = texts[position] ?? ""
      const isOnly = text !== "" && !profile.distinct.has(text) && !profile.more
      return name !== undefined && isOnly && fits(text, profile) ? [{ row, is, column: name, text }] : []
    }).slice(0, 1)
  }

  const isNumeric = ({ filled, share }: ColumnProfile) => filled >= 2 && share.number >= 0.8

  const totalsIn = (one: Doubtful): ReadonlyArray<StrayRow> => {
    const texts = textsOf(one.cells)
    const label = texts.find((text) => text !== "") ?? ""
    if (!isTotal(label)) return []
    const cells = profiles.profiles().map(({ column, profile }) => [texts[column.position] ?? "", profile] as const)
    // A record would have a cell in every column that the other records fill.
    const isIncomplete = cells.some(([text, { filled, rows }]) => text === "" && filled >= 2 && filled >= 0.9 * rows)
    const hasSums = cells.some(([text, profile]) => isNumeric(profile) && /^[-+]?[\d.,' ]*\d/.test(text))
    return isIncomplete && hasSums ? strayIn(one, "totals", (text) => text === label) : []
  }

  return {
    addRow: (cells: Cells, row: number): void => {
      if (isExport) return profiles.addRow(cells)
      const filled = row === 1 ? textsOf(cells).filter((text) => text !== "") : []
      if (filled.length > 0 && filled.every(isUnit)) first = { cells, row }
      else last.push({ cells, row })
      if (last.length > footers) profiles.addRow(last.shift()?.cells ?? [])
    },
    /**
     * Returns the rows that are not records, the profiles of the columns without these rows, and the values that mean
     * "no answer". Call it after the last row. `complete` returns the profiles with the cells that mean "no answer".
     */
    ended: () => {
      const units = (one: Doubtful) => strayIn(one, "units", (text, profile) => isUnit(text) && isNumeric(profile))
      const doubtful = [...last.map((one) => ({ one, find: totalsIn })), ...first ? [{ one: first, find: units }] : []]
      const stray = doubtful.flatMap(({ find, one }) => {
        const found = find(one)
        if (found.length === 0) profiles.addRow(one.cells)
        return found
      })
      const complete = () => {
        profiles.addMissing()
        return profiles.profiles()
      }
      return {
        stray: stray.toSorted((a, b) => a.row - b.row),
        profiles: profiles.profiles(),
        missing: profiles.missing(),
        complete,
      }
    },
  }
}

export const whereWithout = (stray: ReadonlyArray<StrayRow>) =>
  Object.fromEntries(stray.map(({ column }) => {
    const texts = new Set(stray.flatMap((one) => one.column === column ? [one.text] : []))
    const [one = ""] = texts
    return [column, { not: texts.size === 1 ? one : [...texts] }]
  }))

export const strayWarning = ({ is, row, text }: StrayRow): string =>
  `Row ${row} ("${cut(text, 40)}") looks like ${is}, not like a record.`
