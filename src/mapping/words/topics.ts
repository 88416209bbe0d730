import { isContentWord, isStopWord, lookUp, stemOf } from "./lexicon.ts"
import { readTopicIndex } from "./topicIndex.ts"
import { cosine, directionOf, vectorOf } from "./vectors.ts"
import { vocabulary } from "./vocabulary.ts"
import { comparedWords } from "./words.ts"

export interface Topics {
  /** The numbers of the concepts in ascending order. None if the texts say nothing. */
  readonly concepts: Uint16Array
  /** The weight of each concept. Their squares add up to 1. */
  readonly weights: Float64Array
  readonly direction: Float32Array
}

/** The number of concepts that are compared. Those with less weight add no evidence. */
const compared = 200

/** The number of concepts whose related concepts count. */
const withRelated = 32

/** How much a word counts that names only a kind of answer, and a phrase that has only words without a meaning of their own. */
const [ofKind, ofStopWords] = [0.3, 3]

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

let index: ReturnType<typeof readTopicIndex> | undefined

/** Returns what texts are about together. Each of their words and phrases adds weight to the concepts whose phrases contain it: the more, the fewer they are. */
export const topicsOf = (...texts: ReadonlyArray<string>): Topics => {
  const { find, longest, named: conceptsOf, relatedTo, vectors } = index ??= readTopicIndex()
  const named = new Map<number, number>()
  const shareOf = (word: string) => bare.has(lookUp(word)?.[0] ?? "") ? ofKind : 1
  const all = texts.map(comparedWords)
  for (const words of all) {
    for (const word of words.filter(isContentWord)) {
      const found = find(stemOf(word))
      for (const [concept, share] of found?.concepts() ?? []) add(named, concept, shareOf(word) * found!.weight * share)
    }
    for (let at = 0; at < words.length; at++) {
      for (let length = Math.min(longest, words.length - at); length > 0; length--) {
        const phrase = words.slice(at, at + length)
        const concepts = length === 1 && isStopWord(phrase[0]!) ? [] : conceptsOf(phrase.join(" "))
        if (concepts.length === 0) continue
        const weight = phrase.filter(isContentWord).reduce((sum, word) => sum + (find(stemOf(word))?.weight ?? 0), 0)
        const share = (length === 1 ? shareOf(phrase[0]!) : 1) / Math.sqrt(concepts.length)
        for (const concept of concepts) add(named, concept, share * (weight || ofStopWords))
        at += length - 1
        break
      }
    }
  }
  const related = strongestOf(named, withRelated).flatMap(([concept, weight]) =>
    relatedTo(concept).map(([other, near]) => [other, near * weight] as const)
  )
  for (const [concept, weight] of related) add(named, concept, weight)
  const sorted = [...inDirection(named)].toSorted(([a], [b]) => a - b)
  return {
    concepts: Uint16Array.from(sorted, ([concept]) => concept),
    weights: Float64Array.from(sorted, ([, weight]) => weight),
    direction: directionOf(vectorOf(vectors, all.flat())),
  }
}

/** What a nearness of 1 proves, how evidence grows with the logarithm of a nearness, and what is added to the nearness so that 0 proves no more than -3.4. */
const [ofSame, slope, offset] = [4.7, 1.75, 0.01]

/** The least evidence of words alone. Less may be noise, because short words have few parts. */
const noise = 2.2

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
  return Math.max(0, Math.min(most, (ofConcepts + offset) * Math.exp(ofWords / slope) - offset))
}

/**
 * Returns what the topics of two titles prove: the logarithm of how many times likelier their nearness is for the same topic than for different ones. If
 * the concepts of one are unknown, their words prove it alone (decision 28), or nothing, which is -Infinity.
 */
export const topicEvidence = (one: Topics, other: Topics): number => {
  if (one.concepts.length > 0 && other.concepts.length > 0) {
    return ofSame + slope * Math.log(nearness(one, other) + offset)
  }
  const ofWords = 15 * cosine(one.direction, other.direction) - 2.8
  return ofWords < noise ? -Infinity : Math.min(ofSame, ofWords)
}
