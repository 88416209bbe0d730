import { type Fate, type FateCounts, fates, type RowCounts } from "../domain/fate.ts"

const codes = Object.fromEntries(fates.map((fate, index) => [fate, index + 1])) as Record<Fate, number>

/**
 * A note about a row in addition to its fate. `replaces`: the row was imported earlier with different content, and is imported again. `resends`: the row was in doubt, and may be resent. `repeats`:
 * the row duplicates another with the same content, so nothing is lost. `final`: the row is skipped, and will not be sent later either. `undone`: the row's submission was deleted, and the row may be
 * sent again.
 */
export type Note = "replaces" | "resends" | "repeats" | "final" | "undone"
const notes: ReadonlyArray<Note | undefined> = [undefined, "replaces", "resends", "repeats", "final", "undone"]

/** The fate of a pending row with a note if it was not sent after all: the one that the ledger says. */
const unsent: { readonly [N in Note]?: Fate } = { resends: "inDoubt", undone: "undone" }

/** The parts of a row's byte: the fate's code in the lower bits, the note in the upper bits. */
const fateBits = 0x0f
const noteAt = 4

/** The fate and the note of every row of a source, in one byte per row. Also counts the rows with each fate and each note. */
export class FateTable {
  private bytes = new Uint8Array(65_536)
  private readonly rows = new Array<number>(fates.length + 1).fill(0)
  private readonly noted = new Array<number>(notes.length).fill(0)
  private last = 0

  /** Sets or changes a row's fate. Row numbers start at 1. The row's note stays. */
  set(row: number, fate: Fate, note?: Note): void {
    if (row >= this.bytes.length) this.bytes = grown(this.bytes, row)
    const byte = this.bytes[row]!
    const code = codes[fate]
    const before = byte & fateBits
    if (before !== 0) this.rows[before]!--
    this.rows[code]!++
    const noted = note === undefined ? byte >> noteAt : notes.indexOf(note)
    if (noted !== byte >> noteAt) this.noted[noted]!++
    this.bytes[row] = code | (noted << noteAt)
    if (row > this.last) this.last = row
  }

  get(row: number): Fate | undefined {
    return fates[((this.bytes[row] ?? 0) & fateBits) - 1]
  }

  has(row: number, note: Note): boolean {
    return notes[(this.bytes[row] ?? 0) >> noteAt] === note
  }

  /** Returns how many rows have this note. */
  countNoted(note: Note): number {
    return this.noted[notes.indexOf(note)]!
  }

  /** Whether the row is sent again, so that its fate is known only at the end. */
  isOpen(row: number): boolean {
    return this.has(row, "resends") || this.has(row, "undone")
  }

  /** Removes the note `undone` of a row that was sent, although nothing was created. */
  keepPending(row: number): void {
    if (!this.has(row, "undone")) return
    this.noted[notes.indexOf("undone")]!--
    this.bytes[row]! &= fateBits
  }

  /** Sets rows that could have been sent again, but were not, to the fate that they had before. */
  endSending(): void {
    if (this.countNoted("resends") + this.countNoted("undone") === 0) return
    for (let row = 1; row <= this.last; row++) {
      const fate = unsent[notes[(this.bytes[row] ?? 0) >> noteAt] ?? "final"]
      if (fate !== undefined && this.get(row) === "pending") this.set(row, fate)
    }
  }

  /** Returns the row numbers of the first rows with this fate. */
  first(fate: Fate, most: number): ReadonlyArray<number> {
    const found: Array<number> = []
    for (let row = 1; row <= this.last && found.length < most; row++) if (this.get(row) === fate) found.push(row)
    return found
  }

  count(fate: Fate): number {
    return this.rows[codes[fate]] ?? 0
  }

  /** Returns the counts by fate. The number of rows that the source returned is counted separately, so that the balance can detect a lost row. */
  counts(read: number): RowCounts {
    return { read, ...this.byFate }
  }

  get byFate(): FateCounts {
    return Object.fromEntries(fates.map((fate) => [fate, this.count(fate)])) as FateCounts
  }
}

/** The rows of the ledger that a source contains, in one byte for each row of the ledger. */
export class SeenLedgerRows {
  private bytes = new Uint8Array(4096)
  private known = 0

  /**
   * @param id the row's number in the ledger
   * @param imported whether an earlier run imported the row
   * @param asSent whether the source contains the row as it was sent
   */
  mark(id: number, imported: boolean, asSent = false): void {
    if (id >= this.bytes.length) this.bytes = grown(this.bytes, id)
    if (imported && this.bytes[id] === 0) this.known++
    this.bytes[id] = asSent ? 2 : this.bytes[id]! || 1
  }

  /** Whether the source contains the row as it was sent. */
  hasAsSent(id: number): boolean {
    return this.bytes[id] === 2
  }

  /** How many of the rows earlier runs had imported. */
  get imported(): number {
    return this.known
  }

  /** One byte for each row of the ledger, 0 if the source lacks the row. May be shorter than the ledger. */
  get marks(): Uint8Array {
    return this.bytes
  }
}

/** Returns a longer copy that has a byte at this index. */
const grown = (bytes: Uint8Array<ArrayBuffer>, index: number): Uint8Array<ArrayBuffer> => {
  const larger = new Uint8Array(Math.max(index + 1, Math.ceil(bytes.length * 1.5)))
  larger.set(bytes)
  return larger
}
