import type { Cell } from "../domain/cell.ts"
import { cellStates } from "../domain/cells.ts"
import type { CellState, ColumnUse } from "../domain/cells.ts"
import type { Fate } from "../domain/fate.ts"
import type { ColumnCells } from "../domain/report.ts"
import type { Cells, Column } from "../domain/row.ts"
import type { Mapping } from "../mapping/Mapping.ts"
import type { FateTable } from "./FateTable.ts"

const indexOf = Object.fromEntries(cellStates.map((state, index) => [state, index])) as Record<CellState, number>
const states = cellStates.length

/** The state of all cells of a row with this fate. In an imported row each cell has its own. */
const stateOf: Readonly<Record<Exclude<Fate, "imported">, CellState>> = {
  filtered: "skipped",
  duplicate: "rejected",
  alreadyImported: "known",
  changed: "rejected",
  invalid: "rejected",
  refused: "rejected",
  inDoubt: "inDoubt",
  pending: "pending",
}

/** Returns the state of all cells of a row. Undefined: it has no fate yet, or each cell has its own. Nothing is lost if a row repeats a previous one. */
const stateIn = (fates: FateTable, row: number): CellState | undefined => {
  const fate = fates.get(row)
  if (fate === undefined || fate === "imported") return undefined
  return fates.has(row, "repeats") ? "known" : stateOf[fate]
}

/** The state of a cell that produced no answer, by how the pipeline uses its column. */
const unsentOf: Readonly<Record<ColumnUse, CellState>> = {
  answers: "noAnswer",
  keyOrCondition: "keyOrCondition",
  ignored: "ignored",
  notMapped: "notMapped",
}

const isFilled = (cell: Cell | undefined): boolean => {
  if (typeof cell !== "string") return cell !== null && cell !== undefined
  // Nearly all cells begin with an ASCII character that is not white space. For "" this is NaN.
  const first = cell.charCodeAt(0)
  return (first > 32 && first < 127) || cell.trim() !== ""
}

/** The state of a cell that an answer used, by `Mapping.cellUses`; -1: no answer used it. */
const usedAs = [-1, indexOf.dropped, indexOf.sentInPart, indexOf.sent]

/** Marks an empty cell among the states of a row's cells. */
const empty = 0xff

/**
 * Counts, per column, the cells that are not empty by their state: of all rows in the survey, and then of the rows that are sent, by what each cell produced.
 * Two numbers for each state and column, whatever the number of rows; also one byte per column for each row whose fate is undecided or that is being sent.
 */
export class CellTable {
  private readonly columns: ReadonlyArray<Column>
  private readonly uses: ReadonlyArray<ColumnUse>
  /** By column, then by state. The column after the last one counts cells beyond the header. */
  private readonly counts: Float64Array
  private readonly filled: Float64Array
  /** Rows whose fate is known only at the end, and rows that are being sent: for each column, whether its cell is filled, and what it produced. */
  private readonly open = new Map<number, Uint8Array>()
  private readonly sending = new Map<number, Uint8Array>()
  private readonly beyond: number

  /**
   * @param columns the source's own columns, starting with the first
   * @param width of the source, with the columns that a rejected.csv adds: these are not counted
   */
  constructor(columns: ReadonlyArray<Column>, width: number, { columnUses }: Pick<Mapping, "columnUses">) {
    this.columns = columns
    this.beyond = width
    this.uses = columnUses
    this.counts = new Float64Array((columns.length + 1) * states)
    this.filled = new Float64Array(columns.length + 1)
  }

  /** Counts a row of the survey. A row without a fate gets it at the end. Whether one that may be resent is in doubt or imported is also known only then. */
  read(row: number, cells: Cells, fates: FateTable): void {
    const width = this.columns.length
    const settled = fates.has(row, "resends") ? undefined : stateIn(fates, row)
    const state = settled === undefined ? -1 : indexOf[settled]
    const flags = settled === undefined ? new Uint8Array(width).fill(empty) : undefined
    const last = Math.min(width, cells.length)
    const { counts, filled } = this
    for (let at = 0; at < last; at++) {
      if (!isFilled(cells[at])) continue
      filled[at]!++
      if (flags === undefined) counts[at * states + state]!++
      else flags[at] = 0
    }
    if (flags !== undefined) this.open.set(row, flags)
    // A record with cells beyond the header is rejected.
    for (let at = this.beyond; at < cells.length; at++) {
      if (!isFilled(cells[at])) continue
      this.filled[width]!++
      this.counts[width * states + indexOf.rejected]!++
    }
  }

  /** Notes what each cell of a row produced. The row has just been mapped and is about to be sent. */
  send(row: number, cells: Cells, cellUses: Mapping["cellUses"]): void {
    const width = this.columns.length
    const found = new Uint8Array(width).fill(empty)
    for (let at = 0; at < width; at++) {
      if (!isFilled(cells[at])) continue
      const used = usedAs[cellUses[at] ?? 0] ?? -1
      found[at] = used >= 0 ? used : indexOf[unsentOf[this.uses[at] ?? "notMapped"]]
    }
    this.sending.set(row, found)
  }

  /** Moves the cells of a row that was sent to their present state. */
  settle(row: number, fate: "imported" | "inDoubt" | "refused" | "pending"): void {
    const found = this.sending.get(row)
    this.sending.delete(row)
    if (found === undefined || fate === "pending") return
    const wasOpen = this.open.delete(row)
    const whole = fate === "imported" ? undefined : indexOf[stateOf[fate]]
    for (let at = 0; at < found.length; at++) {
      if (found[at] === empty) continue
      if (!wasOpen) this.counts[at * states + indexOf.pending]!--
      this.counts[at * states + (whole ?? found[at]!)]!++
    }
  }

  /** Counts the rows whose fate was undecided. No row is read or sent afterwards. */
  close(fates: FateTable): void {
    for (const [row, flags] of this.open) {
      const state = stateIn(fates, row)
      if (state === undefined) continue
      for (let at = 0; at < flags.length; at++) {
        if (flags[at] !== empty) this.counts[at * states + indexOf[state]]!++
      }
    }
    this.open.clear()
  }

  /** Whether every cell that is not empty has exactly one state. */
  get holds(): boolean {
    return this.filled.every((cells, column) => {
      const counts = this.counts.subarray(column * states, (column + 1) * states)
      return counts.every((count) => count >= 0) && counts.reduce((sum, count) => sum + count, 0) === cells
    })
  }

  /** All columns in their order; after them the cells beyond the header, if there are any. */
  get all(): ReadonlyArray<ColumnCells> {
    return columnCells(
      this.columns,
      this.uses,
      this.filled,
      (column, state) => this.counts[column * states + indexOf[state]]!,
    )
  }
}

/** Counts kept of a column for a run that finds the source unchanged: all filled cells, those of rejected rows, and those of skipped rows. */
export type KeptCells = readonly [cells: number, rejected: number, skipped: number]

export const kept = (columns: ReadonlyArray<ColumnCells>): ReadonlyArray<KeptCells> =>
  columns.map(({ cells, states }) => [cells, states.rejected, states.skipped])

/** Returns the columns of an unchanged source: cells that were neither rejected nor skipped are already imported. */
export const columnsAgain = (
  columns: ReadonlyArray<Column>,
  { columnUses }: Pick<Mapping, "columnUses">,
  cells: ReadonlyArray<KeptCells>,
): ReadonlyArray<ColumnCells> =>
  columnCells(columns, columnUses, cells.map(([all]) => all), (column, state) => {
    const [all, rejected, skipped] = cells[column] ?? [0, 0, 0]
    return state === "rejected"
      ? rejected
      : state === "skipped"
      ? skipped
      : state === "known"
      ? all - rejected - skipped
      : 0
  })

const columnCells = (
  columns: ReadonlyArray<Column>,
  uses: ReadonlyArray<ColumnUse>,
  filled: ArrayLike<number>,
  count: (column: number, state: CellState) => number,
): ReadonlyArray<ColumnCells> => {
  const beyond = (filled[columns.length] ?? 0) > 0 ? [{ title: "", position: columns.length }] : []
  return [...columns, ...beyond].map(({ position, title }, column) => ({
    title,
    position: position + 1,
    use: uses[column] ?? "notMapped",
    cells: filled[column] ?? 0,
    states: Object.fromEntries(cellStates.map((state) => [state, count(column, state)])) as Record<CellState, number>,
  }))
}
