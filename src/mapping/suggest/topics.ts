import { groupBy } from "effect/Array"
import { commonPhrases, compound, isStopWord, lookUp, stemOf } from "./lexicon.ts"
import file from "./topics.json" with { type: "json" }
import { vocabulary } from "./vocabulary.ts"
import { wordsOf } from "./words.ts"

/** What texts are about: the weight of each concept, by its number. A vector of length 1, or without any concept if the texts say nothing. */
export type Topics = ReadonlyMap<number, number>

/** The beginning that several words share, and what they speak of. */
interface Stem {
  /** The concepts whose phrases contain the words, in ascending order. */
  readonly concepts: Array<number>
  /** How much the words speak of each of these concepts. */
  readonly shares: Array<number>
  /** How telling the words are: the logarithm of how few concepts' phrases contain them. */
  weight: number
  /** While the shares are computed: the place of the current concept. */
  at: number
}

/** The concepts of all words and phrases. */
interface Index {
  readonly phrases: ReadonlyMap<string, ReadonlyArray<number>>
  /** The number of words in the longest phrase. */
  readonly longest: number
  readonly stems: ReadonlyMap<string, Stem>
  /** Returns the stems that begin with a word, which may abbreviate them. Too many mean nothing. */
  readonly begunBy: (word: string) => ReadonlyArray<string>
  /** Returns how much a concept speaks of others: those that are related or asked for together, and those whose phrases have the same words. */
  readonly speaksOf: (concept: number) => Topics
}

/** The number of concepts that are compared. Those with less weight add no evidence. */
const compared = 200

/** How much a concept speaks of one that is related or asked for together with it, and of all those together whose phrases have the same words. */
const [ofNear, ofAlike] = [0.3, 0.8]

/** The number of concepts that are alike. */
const alike = 30

/** A word in the phrases of more concepts than this makes none of them alike. */
const inMany = 150

/** The number of concepts that speak of others. */
const speaking = 32

/** How near concepts are that different wordings of one question name. */
const inTopic = 0.5

/** How much a word counts that names only a kind of answer. */
const ofKind = 0.3

/** The maximum number of words that an abbreviation may stand for. */
const abbreviated = 12

/** How much a phrase counts that has only words without a meaning of their own. */
const ofStopWords = 3

const bare = new Set(vocabulary.bare)

const add = <K>(to: Map<K, number>, key: K, weight: number) => to.set(key, (to.get(key) ?? 0) + weight)

const strongestOf = (weights: Iterable<readonly [number, number]>, most: number) =>
  [...weights].toSorted((a, b) => b[1] - a[1]).slice(0, most)

const inDirection = (weights: Iterable<readonly [number, number]>, most = compared): Topics => {
  const strongest = strongestOf(weights, most)
  const length = Math.hypot(...strongest.map(([, weight]) => weight))
  return new Map(strongest.map(([concept, weight]) => [concept, weight / length]))
}

const isTelling = (word: string): boolean => !isStopWord(word) && !/^(?:\d+|[a-z])$/.test(word)

/** Returns the value of a key, which is made when it is first needed. */
const valueOf = <K, V>(of: Map<K, V>, key: K, make: () => V): V => {
  const known = of.get(key)
  if (known !== undefined) return known
  const made = make()
  of.set(key, made)
  return made
}

/** The phrases have 500,000 words, so each word is looked at once, and numbers stand for concepts. */
const build = (): Index => {
  const lists = new Map(Object.entries<string>(file.concepts))
  for (const [concept, words] of commonPhrases) {
    const list = lists.get(concept)
    lists.set(concept, list === undefined ? words.join(" ") : `${list} | ${words.join(" ")}`)
  }
  const numbers = new Map([...lists.keys()].map((concept, number) => [concept, number]))
  const [phrases, stems, stemOfWord] = [
    new Map<string, Array<number>>(),
    new Map<string, Stem>(),
    new Map<string, Stem>(),
  ]
  const newStem = (): Stem => ({ concepts: [], shares: [], weight: 0, at: 0 })
  const none = newStem()
  const stemIn = (word: string): Stem => isTelling(word) ? valueOf(stems, stemOf(word), newStem) : none
  let longest = 0
  const parts = [...lists.values()].map((list, concept) => {
    for (const phrase of list.split(" | ")) {
      const concepts = valueOf(phrases, phrase, () => [])
      if (concepts.at(-1) !== concept) concepts.push(concept)
    }
    const all: Array<Array<Stem>> = []
    let own: Array<Stem> = []
    let length = 0
    // One call of `split` for each concept takes a third of the time of one for each phrase.
    for (const word of `${list} |`.split(" ")) {
      if (word === "|") {
        all.push(own)
        longest = Math.max(longest, length)
        ;[own, length] = [[], 0]
        continue
      }
      length++
      const stem = valueOf(stemOfWord, word, () => stemIn(word))
      if (stem === none) continue
      own.push(stem)
      if (stem.concepts.at(-1) !== concept) {
        stem.concepts.push(concept)
        stem.shares.push(0)
      }
    }
    return all
  })
  for (const stem of stems.values()) stem.weight = Math.log(numbers.size / stem.concepts.length)
  // A word speaks of a phrase's concept as much as it is of the phrase. Concepts come in the same order as above.
  for (const [concept, own] of parts.entries()) {
    for (const phrase of own) {
      const whole = phrase.reduce((sum, { weight }) => sum + weight, 0)
      for (const stem of phrase) {
        while (stem.concepts[stem.at] !== concept) stem.at++
        stem.shares[stem.at] = Math.max(stem.shares[stem.at]!, stem.weight / whole)
      }
    }
  }
  const byStart: Readonly<Record<string, ReadonlyArray<string>>> = groupBy(stems.keys(), (stem) => stem.slice(0, 3))
  const begunBy = (word: string) => {
    const begun = byStart[word.slice(0, 3)]?.filter((stem) => stem.startsWith(word)) ?? []
    return word.length < 3 || begun.length > abbreviated ? [] : begun
  }
  const beside = new Map<number, Map<number, number>>()
  const relate = (concepts: ReadonlyArray<string>, near: number) => {
    const known = concepts.flatMap((concept) => numbers.get(concept) ?? [])
    for (const one of known) {
      const others = valueOf(beside, one, () => new Map<number, number>())
      for (const other of known) if (other !== one) others.set(other, near)
    }
  }
  for (const topic of file.topics) relate(topic.split("|"), inTopic)
  for (const [pair, near] of Object.entries(vocabulary.related)) relate(pair.split(" ~ "), near)
  const spoken = new Map<number, Topics>()
  const speaksOf = (concept: number) =>
    valueOf(spoken, concept, () => {
      const [all, same] = [new Map<number, number>(), new Map<number, number>()]
      for (const { concepts, shares, weight } of new Set(parts[concept]!.flat())) {
        if (concepts.length > inMany) continue
        const shared = shares[concepts.indexOf(concept)]! * weight ** 2
        for (const [at, other] of concepts.entries()) if (other !== concept) add(same, other, shared * shares[at]!)
      }
      for (const [other, weight] of beside.get(concept) ?? []) add(all, other, ofNear * weight)
      for (const [other, weight] of inDirection(same, alike)) add(all, other, ofAlike * weight)
      return all
    })
  return { phrases, longest, stems, begunBy, speaksOf }
}

let built: Index | undefined

/** Returns what a text is about. Each of its words and phrases speaks of the concepts whose phrases contain it, the more the fewer they are. */
export const topicsOf = (text: string): Topics => {
  const { begunBy, longest, phrases, speaksOf, stems } = built ??= build()
  const weightOf = (stem: string) => stems.get(stem)?.weight ?? 0
  const words = wordsOf(text.slice(0, 300)).slice(0, 50)
  const [named, all] = [new Map<number, number>(), new Map<number, number>()]
  const shareOf = (word: string) => bare.has(lookUp(word)?.[0] ?? "") ? ofKind : 1
  for (const word of words.filter(isTelling)) {
    const stem = stemOf(word)
    const parts = weightOf(stem) > 0 ? [stem] : compound(word)?.map(stemOf)
    const known = parts ?? begunBy(word)
    for (const one of known) {
      const found = stems.get(one)
      if (found === undefined) continue
      const weight = shareOf(word) * found.weight / (parts === undefined ? known.length : 1)
      for (const [concept, share] of inDirection(found.concepts.map((concept, at) => [concept, found.shares[at]!]))) {
        add(named, concept, weight * share)
      }
    }
  }
  for (let at = 0; at < words.length; at++) {
    for (let length = Math.min(longest, words.length - at); length > 0; length--) {
      const phrase = words.slice(at, at + length)
      const concepts = phrases.get(phrase.join(" "))
      if (concepts === undefined || (length === 1 && isStopWord(phrase[0]!))) continue
      const weight = phrase.filter(isTelling).reduce((sum, word) => sum + weightOf(stemOf(word)), 0) || ofStopWords
      const share = length === 1 ? shareOf(phrase[0]!) : 1
      for (const concept of concepts) add(named, concept, share * weight / Math.sqrt(concepts.length))
      at += length - 1
      break
    }
  }
  for (const [concept, weight] of named) add(all, concept, weight)
  for (const [concept, weight] of strongestOf(named, speaking)) {
    for (const [other, near] of speaksOf(concept)) add(all, other, near * weight)
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
