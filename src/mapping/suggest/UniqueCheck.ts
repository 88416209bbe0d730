/** A hash of 53 bits (cyrb53, public domain): two of a million texts have one hash once in 18,000 files. */
export const hashOf = (text: string): number => {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    a = Math.imul(a ^ code, 2654435761)
    b = Math.imul(b ^ code, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return 4294967296 * (2097151 & b) + (a >>> 0)
}

/** Hashes that all columns of a file may keep together, about 50 bytes each. */
export const hashesKept = 3_000_000

/** How many hashes may still be kept. All columns share it. */
export interface Room {
  left: number
}

/** Whether a column never has a text twice. Hashes are kept until the first repetition, or until there is no room. */
export class UniqueCheck {
  private readonly room: Room
  private hashes: Set<number> | undefined = new Set()
  private repeated = false

  constructor(room: Room) {
    this.room = room
  }

  /** Whether what is added still counts. */
  get isOpen(): boolean {
    return this.hashes !== undefined
  }

  add(hash: number): void {
    if (this.hashes === undefined) return
    const isRepeated = this.hashes.has(hash)
    if (isRepeated || this.room.left <= 0) {
      this.repeated = isRepeated
      this.room.left += this.hashes.size
      this.hashes = undefined
      return
    }
    this.hashes.add(hash)
    this.room.left--
  }

  /** Returns undefined if there was no room to find out. */
  unique(): boolean | undefined {
    return this.repeated ? false : this.isOpen ? true : undefined
  }
}
