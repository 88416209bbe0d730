/** The maximum number of hashes kept for all columns of a file together, apart from a few for each column: 8 bytes each. */
export const hashesKept = 6_000_000

/** How many of the smallest hashes are kept to estimate how many there are, to within about 3%. */
const smallest = 1_024

/** The number of hashes that a column may keep without taking room. */
const free = 2 * smallest

/**
 * Collects the hashes of a column's texts. Finds out whether any text occurs twice, and how many are different. All hashes are kept until a repetition is found,
 * or until there is no room, and then only the smallest. For a million different texts, sorting them takes a fraction of the time and memory of a Set.
 *
 * @param room how many more hashes may be kept. All columns share this limit
 */
export const collectHashes = (room: { left: number }) => {
  let hashes: Array<number> = []
  let most = free
  let isUnique: boolean | undefined = true
  /** Larger hashes are no longer kept. */
  let largest = Infinity

  /** @param more how many more hashes to keep if none occurs twice */
  const sort = (more: number): void => {
    const all = Float64Array.from(hashes).sort()
    const different = all.filter((hash, at) => hash !== all[at - 1])
    if (different.length < all.length) isUnique = false
    else if (isUnique === true && more > room.left) isUnique = undefined
    const taken = isUnique === true ? more : free - most
    room.left -= taken
    most += taken
    if (isUnique === true) return
    hashes = [...different.subarray(0, smallest)]
    largest = different[smallest - 1] ?? largest
  }

  return {
    add: (hash: number): void => {
      if (hash > largest) return
      hashes.push(hash)
      if (hashes.length === most) sort(most)
    },
    /** Notes that a text occurs twice. */
    repeat: (): void => {
      isUnique = false
    },
    /** Returns the number of different texts, whether it is exact, and whether all texts are different: undefined if there was no room to find out. */
    counted: () => {
      sort(0)
      const exact = largest === Infinity
      const count = exact ? hashes.length : Math.round((smallest - 1) / largest * 2 ** 53)
      return { count, exact, unique: isUnique }
    },
  }
}
