import type { CellNote } from "../kinds/Kind.ts"

/** What an answer made of a cell, the least first. */
export const made = { nothing: 0, dropped: 1, part: 2, sent: 3 } as const

/** What the answers of a row made of its cells. One for a mapping, used for one row after the other: nothing is allocated for a row. */
export class CellUses {
  /** By position: the most that any answer made of the cell, as in `made`. */
  readonly most: Uint8Array
  /** How often a cell gave an answer, or a part of one, since the row began. */
  given = 0

  /** @param width the last column's position plus 1 */
  constructor(width: number) {
    this.most = new Uint8Array(width)
  }

  /** Starts with another row. */
  begin(): void {
    this.most.fill(made.nothing)
    this.given = 0
  }

  mark(position: number, use: number): void {
    if (use >= made.part) this.given++
    if (use > (this.most[position] ?? 0)) this.most[position] = use
  }

  /** Forgets what was made of a cell. */
  forget(position: number): void {
    this.most[position] = made.nothing
  }
}

const bits: Readonly<Record<CellNote, number>> = { unused: 1, nothing: 2, dropped: 4, part: 8, redirected: 16 }
const lossy = bits.nothing | bits.dropped | bits.part

/** What a kind noted of the cells that it was given, by their index. One for each input. */
export class CellNotes {
  private readonly flags: Array<number> = []
  /** Whether anything was noted: for most rows nothing is. */
  private any = false

  readonly note = (note: CellNote, cell = 0): void => {
    this.any = true
    this.flags[cell] = (this.flags[cell] ?? 0) | bits[note]
  }

  /**
   * What was made of a cell, as in `made`.
   *
   * @param answered whether the answer that it is for has a value
   */
  madeOf(cell: number, answered: boolean): number {
    if (!this.any) return answered ? made.sent : made.nothing
    const flags = this.flags[cell] ?? 0
    const sent = (flags & bits.redirected) !== 0 || (answered && (flags & bits.unused) === 0)
    if (sent) return (flags & lossy) === 0 ? made.sent : made.part
    return (flags & bits.dropped) === 0 ? made.nothing : made.dropped
  }

  clear(): void {
    if (!this.any) return
    this.any = false
    this.flags.length = 0
  }
}
