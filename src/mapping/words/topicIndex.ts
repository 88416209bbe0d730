import { existsSync, readFileSync } from "node:fs"
import { deserialize } from "node:v8"
import { hashOf } from "../../domain/textHash.ts"
import { firstFrom } from "./words.ts"

/** Lists of concepts with weights, one after the other. List n begins at `starts[n]`. */
interface Lists {
  readonly starts: Uint32Array
  readonly concepts: Uint16Array
  /** In units of `1 / weightUnit`. */
  readonly weights: Uint8Array
}

/** A weight is less than 2. */
export const weightUnit = 2 ** 7

/** Returns a number for a phrase. It has 40 bits, so of 270,000 phrases, one is mistaken for one in four million other texts. */
export const keyOf = (phrase: string): number => hashOf(phrase) % 2 ** 40

/** The words and phrases of all concepts, as `.ci/words/compileTopics.ts` writes them. A stem is the beginning that several words share. */
export interface Compiled {
  /** In ascending order, with spaces between them. */
  readonly stems: string
  /** The weight of each stem: the logarithm of how few concepts' phrases contain it. */
  readonly weights: Float32Array
  /** The shares of each stem in the concepts whose phrases contain it. */
  readonly shares: Lists
  /** How near others are to each concept: those that are related or asked for together, and those whose phrases have the same words. */
  readonly related: Lists
  readonly longest: number
  /** The key of each phrase, in ascending order, and a concept that the phrase names. */
  readonly phrases: Float64Array
  readonly named: Uint16Array
  /** The table of `vectors.ts`. */
  readonly vectors: Int8Array
}

/** Reads the compiled words from `dist`, next to the first `package.json` above this module. The module is in `src`, in `dist` or in a bundle of a checkout. */
const compiled = (folder = new URL(".", import.meta.url)): Compiled => {
  const above = new URL("..", folder)
  if (!existsSync(new URL("package.json", folder)) && above.href !== folder.href) return compiled(above)
  const file = new URL("dist/topics.bin", folder)
  if (existsSync(file)) return deserialize(readFileSync(file))
  throw new Error(
    `The words of suggestions are missing (${file.href}). Install formferry again, or in a checkout, run npm run build.`,
  )
}

export const readTopicIndex = () => {
  const { longest, named, phrases, shares, related, stems: joined, vectors, weights } = compiled()
  const stems = joined.split(" ")
  const listAt = ({ concepts, starts, weights }: Lists, at: number) =>
    [...concepts.subarray(starts[at], starts[at + 1])].map((concept, of) =>
      [concept, weights[starts[at]! + of]! / weightUnit] as const
    )
  const find = (stem: string) => {
    const at = firstFrom(stems, stem)
    return stems[at] === stem ? { weight: weights[at]!, concepts: () => listAt(shares, at) } : undefined
  }
  return {
    longest,
    find,
    vectors,
    named: (phrase: string): ReadonlyArray<number> => {
      const key = keyOf(phrase)
      return [...named.subarray(firstFrom(phrases, key), firstFrom(phrases, key + 1))]
    },
    /** Returns the concepts that are related to a concept, and how near they are. */
    relatedTo: (concept: number) => listAt(related, concept),
  }
}
