/** Which rows of the ledger a source holds, by their numbers there: a byte each, whatever the source's own size. */
export class MetRows {
  private bytes = new Uint8Array(4096)
  private known = 0

  /** @param imported whether the row is */
  mark(id: number, imported: boolean): void {
    if (id >= this.bytes.length) {
      const larger = new Uint8Array(Math.max(id + 1, Math.ceil(this.bytes.length * 1.5)))
      larger.set(this.bytes)
      this.bytes = larger
    }
    if (imported && this.bytes[id] === 0) this.known++
    this.bytes[id] = 1
  }

  /** How many of them are imported. */
  get imported(): number {
    return this.known
  }

  /** Not 0 at the numbers that were met; it ends at some number. */
  get marks(): Uint8Array {
    return this.bytes
  }
}
