import { isContentWord, isStopWord, lookUp, stemOf } from "./lexicon.ts"
import { readTopicIndex, type TopicIndex } from "./topicIndex.ts"
import { cosine, dimensions, type Direction, directionOf, vectorOf } from "./vectors.ts"
import { vocabulary } from "./vocabulary.ts"
import { comparedWords } from "./words.ts"

export interface Topics {
  /** The weight of each concept, by its number. Their squares add up to 1. Without any concept if the texts say nothing. */
  readonly concepts: ReadonlyMap<number, number>
  readonly direction: Direction
}

/** The number of concepts that are compared. Those with less weight add no evidence. */
const compared = 200

/** The number of concepts whose related concepts count. */
const withRelated = 32

/** How much a word counts that names only a kind of answer. */
const ofKind = 0.3

/** How much a phrase counts that has only words without a meaning of their own. */
const ofStopWords = 3

const bare = new Set(vocabulary.bare)

export const add = <K>(to: Map<K, number>, key: K, weight: number) => to.set(key, (to.get(key) ?? 0) + weight)

const strongestOf = (weights: Iterable<readonly [number, number]>, most: number) =>
  [...weights].toSorted((a, b) => b[1] - a[1]).slice(0, most)

export const inDirection = (
  weights: Iterable<readonly [number, number]>,
  most = compared,
): ReadonlyMap<number, number> => {
  const strongest = strongestOf(weights, most)
  const length = Math.hypot(...strongest.map(([, weight]) => weight))
  return new Map(strongest.map(([concept, weight]) => [concept, weight / length]))
}

let index: TopicIndex | undefined

/** Returns what a text is about. Each of its words and phrases adds weight to the concepts whose phrases contain it: the more, the fewer they are. */
export const topicsOf = (text: string): Topics => {
  const { find, longest, named: conceptsOf, relatedTo, vectors } = index ??= readTopicIndex()
  const weightOf = (stem: string) => find(stem)?.weight ?? 0
  const words = comparedWords(text)
  const named = new Map<number, number>()
  const shareOf = (word: string) => bare.has(lookUp(word)?.[0] ?? "") ? ofKind : 1
  for (const word of words.filter(isContentWord)) {
    const found = find(stemOf(word))
    for (const [concept, share] of found?.concepts() ?? []) add(named, concept, shareOf(word) * found!.weight * share)
  }
  for (let at = 0; at < words.length; at++) {
    for (let length = Math.min(longest, words.length - at); length > 0; length--) {
      const phrase = words.slice(at, at + length)
      const concepts = length === 1 && isStopWord(phrase[0]!) ? [] : conceptsOf(phrase.join(" "))
      if (concepts.length === 0) continue
      const weight = phrase.filter(isContentWord).reduce((sum, word) => sum + weightOf(stemOf(word)), 0) || ofStopWords
      const share = length === 1 ? shareOf(phrase[0]!) : 1
      for (const concept of concepts) add(named, concept, share * weight / Math.sqrt(concepts.length))
      at += length - 1
      break
    }
  }
  const all = new Map(named)
  for (const [concept, weight] of strongestOf(named, withRelated)) {
    for (const [other, near] of relatedTo(concept)) add(all, other, near * weight)
  }
  return { concepts: inDirection(all), direction: directionOf(vectorOf(vectors, words)) }
}

/** Returns what several texts are about together. */
export const topicsOfAll = (texts: ReadonlyArray<string>): Topics => {
  const sums = new Map<number, number>()
  const vector = new Float32Array(dimensions)
  for (const { concepts, direction } of texts.map(topicsOf)) {
    for (const [concept, weight] of concepts) add(sums, concept, weight)
    for (const [at, value] of direction.entries()) vector[at]! += value
  }
  return { concepts: inDirection(sums), direction: directionOf(vector) }
}

/** What a nearness of 1 proves, how evidence grows with the logarithm of a nearness, and what is added to the nearness so that 0 proves no more than -3.4. */
const [ofSame, slope, offset] = [4.7, 1.75, 0.01]

/** What a nearness proves: the logarithm of how many times likelier it is for the same topic than for different ones. */
export const evidenceOf = (near: number): number => ofSame + slope * Math.log(near + offset)

/** What the nearness of two titles' words adds to the evidence of their concepts, by a logistic regression (decision 28). */
const ofNearWords = (near: number): number => 7.1 * near - 2.5

/** The least evidence of words alone. Less may be noise, because short words have few parts. */
const noise = 2.2

/** Returns what titles prove by their words alone, for when the concepts of one are unknown (decision 28). -Infinity if nothing. */
export const evidenceOfWords = (one: Topics, other: Topics): number => {
  const evidence = 15 * cosine(one.direction, other.direction) - 2.8
  return evidence < noise ? -Infinity : Math.min(ofSame, evidence)
}

/**
 * Returns how near two topics are, from 0 (nothing in common) to 1 (surely the same): the value whose evidence is that of the cosine of their concepts and
 * of the cosine of their words together. Undefined if the concepts of one are unknown.
 *
 * @param most the largest result, more than 1 if texts that have concepts and words in common should be nearer than others
 */
export const nearness = (one: Topics, other: Topics, most = 1): number | undefined => {
  if (one.concepts.size === 0 || other.concepts.size === 0) return undefined
  let ofConcepts = 0
  for (const [concept, weight] of one.concepts) ofConcepts += weight * (other.concepts.get(concept) ?? 0)
  const factor = Math.exp(ofNearWords(cosine(one.direction, other.direction)) / slope)
  return Math.max(0, Math.min(most, (ofConcepts + offset) * factor - offset))
}
