import { type Fate, fates, type RowCounts } from "../domain/fate.ts"

const codes = Object.fromEntries(fates.map((fate, index) => [fate, index + 1])) as Record<Fate, number>

/** Stands in a row's byte beside its fate. */
const again = 0x80

/** The fate of every row of a source, one byte a row, and how many rows have each. */
export class FateTable {
  private bytes = new Uint8Array(65_536)
  private readonly tally = new Array<number>(fates.length + 1).fill(0)
  private last = 0
  private marks = 0

  /** Sets or changes a row's fate; rows count from 1. */
  set(row: number, fate: Fate): void {
    if (row >= this.bytes.length) {
      const larger = new Uint8Array(Math.max(row + 1, Math.ceil(this.bytes.length * 1.5)))
      larger.set(this.bytes)
      this.bytes = larger
    }
    const byte = this.bytes[row] ?? 0
    const before = byte & ~again
    if (before !== 0) this.tally[before] = (this.tally[before] ?? 0) - 1
    const code = codes[fate]
    this.bytes[row] = code | (byte & again)
    this.tally[code] = (this.tally[code] ?? 0) + 1
    if (row > this.last) this.last = row
  }

  get(row: number): Fate | undefined {
    return fates[((this.bytes[row] ?? 0) & ~again) - 1]
  }

  /** Notes that a row, which has its fate, was imported before with other content and goes in again. */
  mark(row: number): void {
    this.bytes[row] = (this.bytes[row] ?? 0) | again
    this.marks++
  }

  marked(row: number): boolean {
    return ((this.bytes[row] ?? 0) & again) !== 0
  }

  /** How many rows are marked. */
  get markedRows(): number {
    return this.marks
  }

  /** The first rows with a fate. */
  first(fate: Fate, most: number): ReadonlyArray<number> {
    const found: Array<number> = []
    for (let row = 1; row <= this.last && found.length < most; row++) if (this.get(row) === fate) found.push(row)
    return found
  }

  count(fate: Fate): number {
    return this.tally[codes[fate]] ?? 0
  }

  /** Counts by fate beside the number of rows that the source gave out, which is counted apart so that the balance can fail. */
  counts(read: number): RowCounts {
    return { read, ...(Object.fromEntries(fates.map((fate) => [fate, this.count(fate)])) as Record<Fate, number>) }
  }
}
