import { commonPhrases, isStopWord, lexicon, type Phrase, stemOf } from "./lexicon.ts"
import file from "./topics.json" with { type: "json" }
import { vocabulary } from "./vocabulary.ts"
import { wordsOf } from "./words.ts"

/** What texts are about: the weight of each concept, by its number. As a vector, its length is 1, or 0 if the texts say nothing. */
export type Topics = ReadonlyMap<number, number>

/** The phrases of the concepts, by word. */
interface Index {
  /** How much a word speaks of each concept, by stem. */
  readonly words: ReadonlyMap<string, Topics>
  /** How telling a word is: the logarithm of how few concepts' phrases contain it. */
  readonly weights: ReadonlyMap<string, number>
  readonly phrases: ReadonlyMap<string, ReadonlyArray<number>>
  /** The number of words in the longest phrase. */
  readonly longest: number
  /** Concepts that are asked for with each other's words. */
  readonly beside: ReadonlyMap<number, Topics>
}

/** The number of concepts that are compared. Those with less weight add no evidence. */
const compared = 64

/** How much a concept speaks of one that is beside it. */
const besides = 0.3

/** How near concepts are that different wordings of one question name. */
const ofTopic = 0.5

const inDirection = (weights: Iterable<readonly [number, number]>): Topics => {
  const strongest = [...weights].toSorted((a, b) => b[1] - a[1]).slice(0, compared)
  const length = Math.hypot(...strongest.map(([, weight]) => weight))
  return new Map(strongest.map(([concept, weight]) => [concept, weight / length]))
}

const bare = new Set(vocabulary.bare)

/** How much a word counts that names only a kind of answer. */
const ofKind = 0.3

const add = <K>(to: Map<K, number>, key: K, weight: number) => to.set(key, (to.get(key) ?? 0) + weight)

const telling = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.filter((word) => !isStopWord(word) && !/^\d+$/.test(word)).map(stemOf)

const build = (): Index => {
  const all: ReadonlyArray<Phrase> = [
    ...commonPhrases,
    ...Object.entries(file.concepts).flatMap(([concept, list]) =>
      list.split("|").map((phrase): Phrase => [concept, phrase.split(" ")])
    ),
  ]
  const numbers = new Map<string, number>()
  const numberOf = (concept: string) => {
    const number = numbers.get(concept) ?? numbers.size
    numbers.set(concept, number)
    return number
  }
  const [phrases, within] = [new Map<string, Array<number>>(), new Map<string, Map<number, number>>()]
  const split = all.map(([concept, words]) => {
    const number = numberOf(concept)
    const key = words.join(" ")
    const known = phrases.get(key)
    if (known === undefined) phrases.set(key, [number])
    else if (!known.includes(number)) known.push(number)
    const stems = telling(words)
    for (const stem of stems) within.set(stem, (within.get(stem) ?? new Map<number, number>()).set(number, 0))
    return [number, stems] as const
  })
  const weights = new Map([...within].map(([stem, { size }]) => [stem, Math.log(numbers.size / size)]))
  // A word speaks of a phrase's concept as much as it is of the phrase.
  for (const [number, stems] of split) {
    const whole = stems.reduce((sum, stem) => sum + weights.get(stem)!, 0)
    for (const stem of stems) {
      const of = within.get(stem)!
      of.set(number, Math.max(of.get(number)!, weights.get(stem)! / (whole || 1)))
    }
  }
  const beside = new Map<number, Map<number, number>>()
  const put = (concepts: ReadonlyArray<number>, near: (one: number, other: number, before: number) => number) => {
    for (const one of concepts) {
      const others = beside.get(one) ?? new Map<number, number>()
      beside.set(one, others)
      for (const other of concepts) if (other !== one) others.set(other, near(one, other, others.get(other) ?? 0))
    }
  }
  const counts = new Map<number, number>()
  for (const [number] of split) add(counts, number, 1)
  for (const concepts of phrases.values()) {
    put(concepts, (one, other, before) => before + 1 / Math.min(counts.get(one)!, counts.get(other)!))
  }
  for (const [both, near] of Object.entries(vocabulary.related)) put(both.split(" ~ ").map(numberOf), () => near)
  for (const topic of file.topics) {
    put(topic.split("|").map(numberOf), (_one, _other, before) => Math.max(ofTopic, before))
  }
  return {
    words: new Map([...within].map(([stem, of]) => [stem, inDirection(of)])),
    weights,
    phrases,
    longest: all.reduce((most, [, words]) => Math.max(most, words.length), 0),
    beside,
  }
}

let built: Index | undefined

/** Returns what a text is about. Each of its words and phrases speaks of the concepts whose phrases contain it, the more the fewer they are. */
export const topicsOf = (text: string): Topics => {
  const { beside, longest, phrases, weights, words } = built ??= build()
  const own = wordsOf(text.slice(0, 300)).slice(0, 50)
  const sums = new Map<number, number>()
  for (const word of own) {
    if ((own.length > 1 && isStopWord(word)) || /^\d+$/.test(word)) continue
    const share = bare.has(lexicon.lookUp(word)?.[0] ?? "") ? ofKind : 1
    for (const stem of words.has(stemOf(word)) ? [stemOf(word)] : (lexicon.compound(word) ?? []).map(stemOf)) {
      for (const [concept, weight] of words.get(stem) ?? []) add(sums, concept, share * weight * weights.get(stem)!)
    }
  }
  for (let at = 0; at < own.length; at++) {
    for (let length = Math.min(longest, own.length - at); length > 0; length--) {
      const phrase = own.slice(at, at + length)
      const concepts = phrases.get(phrase.join(" "))
      if (concepts === undefined || (length === 1 && isStopWord(phrase[0]!))) continue
      const share = length === 1 && bare.has(lexicon.lookUp(phrase[0]!)?.[0] ?? "") ? ofKind : 1
      const weight = share * (telling(phrase).reduce((sum, stem) => sum + weights.get(stem)!, 0) || 3)
      for (const concept of concepts) add(sums, concept, weight / Math.sqrt(concepts.length))
      at += length - 1
      break
    }
  }
  const all = new Map(sums)
  for (const [concept, weight] of sums) {
    for (const [other, near] of beside.get(concept) ?? []) add(all, other, besides * near * weight)
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
