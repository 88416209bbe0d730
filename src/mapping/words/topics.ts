import { compound, isStopWord, lookUp, stemOf } from "./lexicon.ts"
import { readTopicIndex, type TopicIndex } from "./topicIndex.ts"
import { vocabulary } from "./vocabulary.ts"
import { wordsOf } from "./words.ts"

/** What texts are about: the weight of each concept, by its number. A vector of length 1, or without any concept if the texts say nothing. */
export type Topics = ReadonlyMap<number, number>

/** The number of concepts that are compared. Those with less weight add no evidence. */
const compared = 200

/** The number of concepts that speak of others. */
const speaking = 32

/** How much a word counts that names only a kind of answer. */
const ofKind = 0.3

/** How much a phrase counts that has only words without a meaning of their own. */
const ofStopWords = 3

const bare = new Set(vocabulary.bare)

export const add = <K>(to: Map<K, number>, key: K, weight: number) => to.set(key, (to.get(key) ?? 0) + weight)

const strongestOf = (weights: Iterable<readonly [number, number]>, most: number) =>
  [...weights].toSorted((a, b) => b[1] - a[1]).slice(0, most)

export const inDirection = (weights: Iterable<readonly [number, number]>, most = compared): Topics => {
  const strongest = strongestOf(weights, most)
  const length = Math.hypot(...strongest.map(([, weight]) => weight))
  return new Map(strongest.map(([concept, weight]) => [concept, weight / length]))
}

export const isTelling = (word: string): boolean => !isStopWord(word) && !/^(?:\d+|[a-z])$/.test(word)

let index: TopicIndex | undefined

/** Returns what a text is about. Each of its words and phrases speaks of the concepts whose phrases contain it, the more the fewer they are. */
export const topicsOf = (text: string): Topics => {
  const { begunBy, find, longest, named: conceptsOf, spokenBy } = index ??= readTopicIndex()
  const weightOf = (stem: string) => find(stem)?.weight ?? 0
  const words = wordsOf(text.slice(0, 300)).slice(0, 50)
  const [named, all] = [new Map<number, number>(), new Map<number, number>()]
  const shareOf = (word: string) => bare.has(lookUp(word)?.[0] ?? "") ? ofKind : 1
  for (const word of words.filter(isTelling)) {
    const stem = stemOf(word)
    const parts = find(stem) === undefined ? compound(word)?.map(stemOf) : [stem]
    const stems = parts ?? begunBy(word)
    for (const one of stems) {
      const found = find(one)
      if (found === undefined) continue
      const weight = shareOf(word) * found.weight / (parts === undefined ? stems.length : 1)
      for (const [concept, share] of found.concepts()) add(named, concept, weight * share)
    }
  }
  for (let at = 0; at < words.length; at++) {
    for (let length = Math.min(longest, words.length - at); length > 0; length--) {
      const phrase = words.slice(at, at + length)
      const concepts = length === 1 && isStopWord(phrase[0]!) ? [] : conceptsOf(phrase.join(" "))
      if (concepts.length === 0) continue
      const weight = phrase.filter(isTelling).reduce((sum, word) => sum + weightOf(stemOf(word)), 0) || ofStopWords
      const share = length === 1 ? shareOf(phrase[0]!) : 1
      for (const concept of concepts) add(named, concept, share * weight / Math.sqrt(concepts.length))
      at += length - 1
      break
    }
  }
  for (const [concept, weight] of named) add(all, concept, weight)
  for (const [concept, weight] of strongestOf(named, speaking)) {
    for (const [other, near] of spokenBy(concept)) add(all, other, near * weight)
  }
  return inDirection(all)
}

/** Returns what several texts are about together. */
export const topicsOfAll = (texts: ReadonlyArray<string>): Topics => {
  const sums = new Map<number, number>()
  for (const text of texts) for (const [concept, weight] of topicsOf(text)) add(sums, concept, weight)
  return inDirection(sums)
}

/** Returns how near two topics are, from 0 (nothing in common) to 1: the cosine of their angle. Undefined if one is unknown. */
export const nearness = (one: Topics, other: Topics): number | undefined => {
  if (one.size === 0 || other.size === 0) return undefined
  let sum = 0
  for (const [concept, weight] of one) sum += weight * (other.get(concept) ?? 0)
  return sum
}
