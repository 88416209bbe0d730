import { existsSync, readFileSync } from "node:fs"
import { deserialize } from "node:v8"
import { firstIndex } from "../../domain/firstIndex.ts"
import { hashOf } from "../../domain/textHash.ts"
import model from "./model.json" with { type: "json" }
import { cosine, directionOf } from "./vectors.ts"
import { comparedWords, conceptsOf, isContentWord, phrasesIn, stemOf, vocabulary } from "./words.ts"

/**
 * What is known of words, as `.ci/words/compileTopics.ts` writes it: for each phrase and stem the concepts that it votes for, and for each concept those that
 * are near, because they are related or asked for together, or because their phrases have the same words.
 */
export interface Compiled {
  /** The key of a phrase or a stem, or the number of a concept, in ascending order: once for each of its concepts. */
  readonly keys: Float64Array
  readonly concepts: Uint16Array
  /** The votes of a stem, and how near a concept is, in units of `1 / weightUnit`. A phrase votes for its concepts with the weight of its stems. */
  readonly weights: Uint8Array
  /** The table of `vectors.ts`. */
  readonly vectors: Int8Array
}

/** A weight is less than 9.8. */
export const weightUnit = 26

/** Returns a number for a phrase. It has 40 bits, so of 320,000 texts, one is mistaken for one in three million others. */
export const keyOf = (phrase: string): number => hashOf(phrase) % 2 ** 40

/** Returns the key of a stem, the beginning that several words share. */
export const stemKey = (stem: string): number => keyOf(`${stem}-`)

/** Reads the compiled words from `dist`, next to the first `package.json` above this module. The module is in `src`, in `dist` or in a bundle of a checkout. */
const compiled = (folder = new URL(".", import.meta.url)): Compiled => {
  const [above, file] = [new URL("..", folder), new URL("dist/topics.bin", folder)]
  if (existsSync(file)) return deserialize(readFileSync(file))
  if (!existsSync(new URL("package.json", folder)) && above.href !== folder.href) return compiled(above)
  const missing = `The words of suggestions are missing (${file.href}).`
  throw new Error(`${missing} Install formferry again, or in a checkout, run npm run build.`)
}

/** Read when it is first needed. */
let known: Compiled | undefined

/** Returns the concepts of a phrase, a stem or a concept, with their weights. */
const listOf = (key: number): ReadonlyArray<readonly [concept: number, weight: number]> => {
  const { concepts, keys, weights } = known ??= compiled()
  const [start = 0, end] = [key, key + 1].map((from) => firstIndex(0, keys.length, (at) => keys[at]! < from))
  return Array.from(concepts.subarray(start, end), (concept, at) => [concept, weights[start + at]! / weightUnit])
}

const lengthOf = (weights: Iterable<readonly [number, number]>) =>
  Math.hypot(...Array.from(weights, ([, weight]) => weight))

export interface Topics {
  /** The numbers of the concepts in ascending order. None if the texts say nothing. */
  readonly concepts: Uint16Array
  /** The weight of each concept. Their squares add up to 1. */
  readonly weights: Float64Array
  /** The direction of the words' vectors. */
  readonly direction: Float32Array
}

const bare = new Set(vocabulary.bare)

export const add = <K>(to: Map<K, number>, key: K, weight: number) => to.set(key, (to.get(key) ?? 0) + weight)

const strongestOf = (weights: Iterable<readonly [number, number]>, most: number) =>
  [...weights].toSorted((a, b) => b[1] - a[1]).slice(0, most)

/** Returns the largest weights, in such a unit that their squares add up to 1. */
export const inDirection = (weights: Iterable<readonly [number, number]>, most = model.conceptsCompared) => {
  const strongest = strongestOf(weights, most)
  const length = lengthOf(strongest)
  return new Map(strongest.map(([concept, weight]) => [concept, weight / length]))
}

/** Returns what texts are about together. Each of their words and phrases votes for the concepts whose phrases contain it: the more, the fewer they are. */
export const topicsOf = (...texts: ReadonlyArray<string>): Topics => {
  const votes = new Map<number, number>()
  const vote = (text: string, concepts: ReturnType<typeof listOf>, times: number) => {
    const isKind = !text.includes(" ") && bare.has(conceptsOf.get(text)?.[0] ?? "")
    for (const [concept, weight] of concepts) add(votes, concept, times * weight * (isKind ? model.ofKind : 1))
  }
  const all = texts.map(comparedWords)
  for (const words of all) {
    const stems = new Map(words.filter(isContentWord).map((word) => [word, listOf(stemKey(stemOf(word)))]))
    for (const word of words) vote(word, stems.get(word) ?? [], 1)
    for (const { text } of phrasesIn(words, (phrase) => listOf(keyOf(phrase)).length > 0)) {
      const [concepts, own] = [listOf(keyOf(text)), text.split(" ").map((word) => lengthOf(stems.get(word) ?? []))]
      const weight = own.reduce((sum, one) => sum + one, 0) || model.ofStopWords
      vote(text, concepts, weight / Math.sqrt(concepts.length))
    }
  }
  for (const [concept, weight] of strongestOf(votes, model.conceptsRelating)) {
    for (const [other, near] of listOf(concept)) add(votes, other, model.ofRelated * near * weight)
  }
  const sorted = [...inDirection(votes)].toSorted(([a], [b]) => a - b)
  return {
    concepts: Uint16Array.from(sorted, ([concept]) => concept),
    weights: Float64Array.from(sorted, ([, weight]) => weight),
    direction: directionOf((known ??= compiled()).vectors, all.flat()),
  }
}

/**
 * Returns how near two topics are, from 0 (nothing in common, or unknown) to 1 (surely the same): the value whose evidence is that of the cosine of their
 * concepts, and of the cosine of their words by a logistic regression (decision 28).
 *
 * @param most the largest result, more than 1 if texts that have concepts and words in common should be nearer than others
 */
export const nearness = (one: Topics, other: Topics, most = 1): number => {
  if (one.concepts.length === 0 || other.concepts.length === 0) return 0
  let ofConcepts = 0
  for (let at = 0, of = 0; at < one.concepts.length; at++) {
    while (other.concepts[of]! < one.concepts[at]!) of++
    if (other.concepts[of] === one.concepts[at]) ofConcepts += one.weights[at]! * other.weights[of]!
  }
  const ofWords = 7.1 * cosine(one.direction, other.direction) - 2.5
  return Math.max(0, Math.min(most, (ofConcepts + model.offset) * Math.exp(ofWords / model.slope) - model.offset))
}

/**
 * Returns what the topics of two titles prove: the logarithm of how many times likelier their nearness is for the same topic than for different ones. If
 * the concepts of one are unknown, their words prove it alone (decision 28), or nothing, which is -Infinity.
 *
 * @param most the largest nearness
 */
export const topicEvidence = (one: Topics, other: Topics, most?: number): number => {
  if (one.concepts.length > 0 && other.concepts.length > 0) {
    return model.sameTopic + model.slope * Math.log(nearness(one, other, most) + model.offset)
  }
  const ofWords = 15 * cosine(one.direction, other.direction) - 2.8
  return ofWords < model.noise ? -Infinity : Math.min(model.sameTopic, ofWords)
}
