import { type Fate, fates, type RowCounts } from "../domain/fate.ts"

const codes = Object.fromEntries(fates.map((fate, index) => [fate, index + 1])) as Record<Fate, number>

/** The bit of a row's byte next to its fate. */
const again = 0x80

/** The fate of every row of a source, one byte a row, and how many rows have each. */
export class FateTable {
  private bytes = new Uint8Array(65_536)
  private readonly rows = new Array<number>(fates.length + 1).fill(0)
  private last = 0
  private marks = 0

  /** Sets or changes a row's fate; rows count from 1. */
  set(row: number, fate: Fate): void {
    if (row >= this.bytes.length) this.bytes = grown(this.bytes, row)
    const byte = this.bytes[row] ?? 0
    const before = byte & ~again
    if (before !== 0) this.rows[before] = (this.rows[before] ?? 0) - 1
    const code = codes[fate]
    this.bytes[row] = code | (byte & again)
    this.rows[code] = (this.rows[code] ?? 0) + 1
    if (row > this.last) this.last = row
  }

  get(row: number): Fate | undefined {
    return fates[((this.bytes[row] ?? 0) & ~again) - 1]
  }

  /** Notes that a row, which has its fate, was imported before with different content and is imported again. */
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
    return this.rows[codes[fate]] ?? 0
  }

  /** Returns the counts by fate. The number of rows that the source returned is counted separately, so that the balance can fail. */
  counts(read: number): RowCounts {
    return { read, ...(Object.fromEntries(fates.map((fate) => [fate, this.count(fate)])) as Record<Fate, number>) }
  }
}

/** The rows of the ledger that a source has, by their numbers there: a byte each, whatever the source's own size. */
export class SeenLedgerRows {
  private bytes = new Uint8Array(4096)
  private known = 0

  /** @param imported whether the row is imported */
  mark(id: number, imported: boolean): void {
    if (id >= this.bytes.length) this.bytes = grown(this.bytes, id)
    if (imported && this.bytes[id] === 0) this.known++
    this.bytes[id] = 1
  }

  /** How many of them are imported. */
  get imported(): number {
    return this.known
  }

  /** By the number of a row in the ledger, not 0 if it was seen. May be shorter than the ledger. */
  get marks(): Uint8Array {
    return this.bytes
  }
}

/** Returns a longer copy that has a place for this index. */
const grown = (bytes: Uint8Array<ArrayBuffer>, index: number): Uint8Array<ArrayBuffer> => {
  const larger = new Uint8Array(Math.max(index + 1, Math.ceil(bytes.length * 1.5)))
  larger.set(bytes)
  return larger
}
