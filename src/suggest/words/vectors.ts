import { isContentWord } from "./words.ts"

export const dimensions = 64

export const rowCount = 2 ** 16

/** The FNV-1a hash of a text, 32 bits, with its bits mixed once more because only some of them choose the row. */
const partHash = (text: string): number => {
  let hash = 2166136261
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** Returns the rows of a word: one for each of its parts of three to five letters. So words that have parts in common have similar vectors, in any language. */
export const rowsOf = (word: string): ReadonlyArray<number> => {
  const marked = `<${word}>`
  return [3, 4, 5].flatMap((length) =>
    Array.from(
      { length: Math.max(0, marked.length - length + 1) },
      (_, at) => partHash(marked.slice(at, at + length)) % rowCount,
    )
  )
}

/** Returns the words that count for a text's vector: those with a meaning of their own, or all if there is none. */
export const countingOf = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const content = words.filter(isContentWord)
  return content.length > 0 ? content : words
}

/** Returns the direction of the sum of words' vectors, with length 1, or zeros without words. The more parts a word has, the less each counts. */
export const directionOf = (table: Int8Array, words: ReadonlyArray<string>): Float32Array => {
  const sum = new Float32Array(dimensions)
  for (const rows of countingOf(words).map(rowsOf)) {
    for (const row of rows) {
      for (let at = 0; at < dimensions; at++) sum[at]! += table[row * dimensions + at]! / Math.sqrt(rows.length)
    }
  }
  const length = Math.hypot(...sum) || 1
  return sum.map((value) => value / length)
}

export const cosine = (one: Float32Array, other: Float32Array): number =>
  one.reduce((sum, value, at) => sum + value * other[at]!, 0)
