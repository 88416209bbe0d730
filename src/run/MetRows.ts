/** Which rows of the ledger a source holds, by their numbers there: a byte each, whatever the source's own size. */
export class MetRows {
  private bytes = new Uint8Array(4096)

  mark(id: number): void {
    if (id >= this.bytes.length) {
      const larger = new Uint8Array(Math.max(id + 1, Math.ceil(this.bytes.length * 1.5)))
      larger.set(this.bytes)
      this.bytes = larger
    }
    this.bytes[id] = 1
  }

  /** Not 0 at the numbers that were met; it ends at some number. */
  get marks(): Uint8Array {
    return this.bytes
  }
}
