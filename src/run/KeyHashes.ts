import type { KeyTable } from "./KeyTable.ts"
import type { RowHash } from "./RowHash.ts"

const words = 3

/**
 * The hashes of the keys of a chunk of rows, taken before its rows are gone through. A table of many keys is larger than the processor's caches: asked for one key after
 * another it has to wait for each; its places, fetched one right after the other, come side by side.
 */
export class KeyHashes {
  private all = new Int32Array(words * 512)

  /**
   * Takes the hashes of these keys, and has a table fetch the places where they belong.
   *
   * @param hash is filled with each of them in turn
   */
  take(keys: ReadonlyArray<string | undefined>, hash: RowHash, table: KeyTable): void {
    if (keys.length * words > this.all.length) this.all = new Int32Array(keys.length * words)
    const { all } = this
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index]
      if (key === undefined) continue
      hash.key(key)
      const to = index * words
      all[to] = hash.a
      all[to + 1] = hash.b
      all[to + 2] = hash.c
    }
    table.fetch(all, words, keys.length)
  }

  /** Fills a hash with that of the key of this index. */
  into(hash: RowHash, index: number): void {
    const from = index * words
    hash.a = this.all[from]!
    hash.b = this.all[from + 1]!
    hash.c = this.all[from + 2]!
  }
}
