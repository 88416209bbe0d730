import { isFilled } from "../domain/cell.ts"
import { type CellState, cellStates, type ColumnUse } from "../domain/cells.ts"
import type { Fate } from "../domain/fate.ts"
import type { ColumnCells } from "../domain/report.ts"
import type { Cells, Column } from "../domain/row.ts"
import type { Mapping } from "../mapping/Mapping.ts"
import type { FateTable } from "./FateTable.ts"

const indexOf = Object.fromEntries(cellStates.map((state, index) => [state, index])) as Record<CellState, number>
const states = cellStates.length

/** The state of all cells of a row with this fate. In an imported row, each cell has its own state. */
const stateOf: Readonly<Record<Exclude<Fate, "imported">, CellState>> = {
  filtered: "skipped",
  duplicate: "rejected",
  alreadyImported: "known",
  changed: "rejected",
  undone: "skipped",
  invalid: "rejected",
  refused: "rejected",
  inDoubt: "inDoubt",
  pending: "pending",
}

/**
 * Returns the state of all cells of a row. Undefined if the row has no fate yet, or if each cell has its own state. The cells of a row that repeats a previous one count as known, because nothing is
 * lost.
 */
const stateIn = (fates: FateTable, row: number): CellState | undefined => {
  const fate = fates.get(row)
  if (fate === undefined || fate === "imported") return undefined
  return fates.has(row, "repeats") ? "known" : stateOf[fate]
}

/** The state of a cell that produced no answer, by the pipeline's use of its column. */
const unsentOf: Readonly<Record<ColumnUse, CellState>> = {
  answers: "noAnswer",
  keyOrCondition: "keyOrCondition",
  ignored: "ignored",
  notMapped: "notMapped",
}

/** The state of a cell that an answer used, by `Mapping.cellUses`. -1 if no answer used the cell. */
const usedAs = [-1, indexOf.dropped, indexOf.sentInPart, indexOf.sent]

/** Marks an empty cell among the states of a row's cells. */
const empty = 0xff

/**
 * Counts the filled cells of each column by their state: first for all rows of the survey, then for the rows that are sent. Stores one number for each state and column, whatever the number of rows.
 * For each row that is undecided or being sent, also stores one byte per column.
 */
export class CellTable {
  private readonly columns: ReadonlyArray<Column>
  private readonly uses: ReadonlyArray<ColumnUse>
  /** The counts by column, then by state. The column after the last one counts the cells beyond the header. */
  private readonly counts: Float64Array
  private readonly filled: Float64Array
  /** The rows whose fate is known only at the end, and the rows that are being sent. For each column: whether its cell is filled, and what the cell produced. */
  private readonly open = new Map<number, Uint8Array>()
  private readonly sending = new Map<number, Uint8Array>()
  private readonly beyond: number

  /**
   * @param columns the source's own columns, starting with the first
   * @param width the source's width, including the columns that a rejected.csv adds, which are not counted
   */
  constructor(columns: ReadonlyArray<Column>, width: number, { columnUses }: Pick<Mapping, "columnUses">) {
    this.columns = columns
    this.beyond = width
    this.uses = columnUses
    this.counts = new Float64Array((columns.length + 1) * states)
    this.filled = new Float64Array(columns.length + 1)
  }

  /** Counts a row of the survey. A row without a fate, or one that may be sent again, is counted only at the end. */
  read(row: number, cells: Cells, fates: FateTable): void {
    const width = this.columns.length
    const final = fates.isOpen(row) ? undefined : stateIn(fates, row)
    const state = final === undefined ? -1 : indexOf[final]
    const flags = final === undefined ? new Uint8Array(width).fill(empty) : undefined
    const last = Math.min(width, cells.length)
    const { counts, filled } = this
    for (let at = 0; at < last; at++) {
      if (!isFilled(cells[at])) continue
      filled[at]!++
      if (flags === undefined) counts[at * states + state]!++
      else flags[at] = 0
    }
    if (flags !== undefined) this.open.set(row, flags)
    // A row with cells beyond the header is always rejected.
    for (let at = this.beyond; at < cells.length; at++) {
      if (!isFilled(cells[at])) continue
      this.filled[width]!++
      this.counts[width * states + indexOf.rejected]!++
    }
  }

  /** Records what each cell of a row produced. The row was just mapped and is about to be sent. */
  startSending(row: number, cells: Cells, cellUses: Mapping["cellUses"]): void {
    const width = this.columns.length
    const found = new Uint8Array(width).fill(empty)
    for (let at = 0; at < width; at++) {
      if (!isFilled(cells[at])) continue
      const used = usedAs[cellUses[at] ?? 0] ?? -1
      found[at] = used >= 0 ? used : indexOf[unsentOf[this.uses[at] ?? "notMapped"]]
    }
    this.sending.set(row, found)
  }

  /** Changes the state of a row's cells after the row was sent. */
  endSending(row: number, fate: "imported" | "inDoubt" | "refused" | "pending"): void {
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

  /** Counts the rows whose fate was undecided. Must be called after the last row was read and sent. */
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

  /** Whether every filled cell has exactly one state. */
  get holds(): boolean {
    return this.filled.every((cells, column) => {
      const counts = this.counts.subarray(column * states, (column + 1) * states)
      return counts.every((count) => count >= 0) && counts.reduce((sum, count) => sum + count, 0) === cells
    })
  }

  /** All columns in order, then the cells beyond the header, if any. */
  get all(): ReadonlyArray<ColumnCells> {
    return columnCells(
      this.columns,
      this.uses,
      this.filled,
      (column, state) => this.counts[column * states + indexOf[state]]!,
    )
  }
}

/** The counts of a column that a run keeps in case the next run finds the source unchanged: all filled cells, those of rejected rows, and those of skipped rows. */
export type KeptCells = readonly [cells: number, rejected: number, skipped: number]

export const keptCells = (columns: ReadonlyArray<ColumnCells>): ReadonlyArray<KeptCells> =>
  columns.map(({ cells, states }) => [cells, states.rejected, states.skipped])

/** Returns the columns of an unchanged source. Cells that were neither rejected nor skipped count as already imported. */
export const unchangedColumns = (
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
