import type { CellNote } from "../kinds/Kind.ts"

/** How an answer uses a cell, in ascending order. */
export const cellUse = { nothing: 0, dropped: 1, part: 2, sent: 3 } as const

/** How the answers of a row use its cells. A mapping reuses one instance for every row, to avoid an allocation per row. */
export class CellUses {
  /** By position: the highest use of the cell by any answer, as in `cellUse`. */
  readonly most: Uint8Array
  /** The number of times that a cell produced an answer or a part of one in this row. */
  given = 0

  /** @param width the last column's position plus 1 */
  constructor(width: number) {
    this.most = new Uint8Array(width)
  }

  /** Starts a row. */
  start(): void {
    this.most.fill(cellUse.nothing)
    this.given = 0
  }

  mark(position: number, use: number): void {
    if (use >= cellUse.part) this.given++
    if (use > (this.most[position] ?? 0)) this.most[position] = use
  }

  /** Removes the use of a cell. */
  forget(position: number): void {
    this.most[position] = cellUse.nothing
  }
}

const bits: Readonly<Record<CellNote, number>> = { unused: 1, nothing: 2, dropped: 4, part: 8, redirected: 16 }
const lossy = bits.nothing | bits.dropped | bits.part

/** A kind's notes about its input cells, by their index. Each input has one instance. */
export class CellNotes {
  private readonly flags: Array<number> = []
  /** Whether anything was noted. For most rows, nothing is. */
  private any = false

  readonly note = (note: CellNote, cell = 0): void => {
    this.any = true
    this.flags[cell] = (this.flags[cell] ?? 0) | bits[note]
  }

  /**
   * Returns how a cell is used, as in `cellUse`.
   *
   * @param answered whether the cell's answer has a value
   */
  useOf(cell: number, answered: boolean): number {
    if (!this.any) return answered ? cellUse.sent : cellUse.nothing
    const flags = this.flags[cell] ?? 0
    const sent = (flags & bits.redirected) !== 0 || (answered && (flags & bits.unused) === 0)
    if (sent) return (flags & lossy) === 0 ? cellUse.sent : cellUse.part
    return (flags & bits.dropped) === 0 ? cellUse.nothing : cellUse.dropped
  }

  clear(): void {
    if (!this.any) return
    this.any = false
    this.flags.length = 0
  }
}
