import { groupBy } from "effect/Array"
import { commonPhrases, compound, isStopWord, lookUp, type Phrase, stemOf } from "./lexicon.ts"
import file from "./topics.json" with { type: "json" }
import { vocabulary } from "./vocabulary.ts"
import { wordsOf } from "./words.ts"

/** What texts are about: the weight of each concept, by its number. A vector of length 1, or without any concept if the texts say nothing. */
export type Topics = ReadonlyMap<number, number>

/** The concepts of all words and phrases. */
interface Index {
  readonly phrases: ReadonlyMap<string, ReadonlyArray<number>>
  /** The number of words in the longest phrase. */
  readonly longest: number
  /** How much a word speaks of each concept whose phrases contain it, by its stem. */
  readonly within: ReadonlyMap<string, Topics>
  /** Returns how telling a word is, by its stem: the logarithm of how few concepts' phrases contain it. */
  readonly weightOf: (stem: string) => number
  /** Returns the stems that begin with a word, which may abbreviate them. Too many mean nothing. */
  readonly begunBy: (word: string) => ReadonlyArray<string>
  /** Returns how much a concept speaks of others: those that share its phrases or a topic, and those whose phrases have the same words. */
  readonly speaksOf: (concept: number) => Topics
}

/** The number of concepts that are compared. Those with less weight add no evidence. */
const compared = 128

/** How much a concept speaks of one that shares its phrases or a topic, and of all those together whose phrases have the same words. */
const [ofNear, ofAlike] = [0.3, 0.5]

/** The number of concepts that are alike. */
const alike = 30

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

const inDirection = (weights: Iterable<readonly [number, number]>, most = compared): Topics => {
  const strongest = [...weights].toSorted((a, b) => b[1] - a[1]).slice(0, most)
  const length = Math.hypot(...strongest.map(([, weight]) => weight))
  return new Map(strongest.map(([concept, weight]) => [concept, weight / length]))
}

const isTelling = (word: string): boolean => !isStopWord(word) && !/^\d+$/.test(word)

/** Returns the value of a key, which is made when it is first needed. */
const valueOf = <K, V>(of: Map<K, V>, key: K, make: () => V): V => {
  const known = of.get(key)
  if (known !== undefined) return known
  const made = make()
  of.set(key, made)
  return made
}

const build = (): Index => {
  const numbers = new Map<string, number>()
  const numberOf = (concept: string) => valueOf(numbers, concept, () => numbers.size)
  const phrases = new Map<string, Array<number>>()
  const within = new Map<string, Map<number, number>>()
  const stemsIn: Array<Set<string>> = []
  const sizes: Array<number> = []
  let longest = 0
  const tellingStems = new Map<string, string>()
  const parts = [
    ...commonPhrases,
    ...Object.entries(file.concepts).flatMap(([concept, list]) =>
      list.split(" | ").map((phrase): Phrase => [concept, phrase.split(" ")])
    ),
  ].map(([name, words]) => {
    const concept = numberOf(name)
    const concepts = valueOf(phrases, words.join(" "), () => [])
    if (!concepts.includes(concept)) concepts.push(concept)
    sizes[concept] = (sizes[concept] ?? 0) + 1
    longest = Math.max(longest, words.length)
    const stems = words.map((word) => valueOf(tellingStems, word, () => isTelling(word) ? stemOf(word) : ""))
      .filter((stem) => stem !== "")
    for (const stem of stems) {
      valueOf(within, stem, () => new Map()).set(concept, 0)
      ;(stemsIn[concept] ??= new Set()).add(stem)
    }
    return [concept, stems] as const
  })
  const weightOf = (stem: string) => Math.log(numbers.size / (within.get(stem)?.size ?? numbers.size))
  // A word speaks of a phrase's concept as much as it is of the phrase.
  for (const [concept, stems] of parts) {
    const weights = stems.map(weightOf)
    const whole = weights.reduce((sum, one) => sum + one, 0)
    for (const [at, stem] of stems.entries()) {
      const shares = within.get(stem)!
      shares.set(concept, Math.max(shares.get(concept)!, weights[at]! / whole))
    }
  }
  const byStart: Readonly<Record<string, ReadonlyArray<string>>> = groupBy(within.keys(), (stem) => stem.slice(0, 3))
  const begunBy = (word: string) => {
    const begun = byStart[word.slice(0, 3)]?.filter((stem) => stem.startsWith(word)) ?? []
    return word.length < 3 || begun.length > abbreviated ? [] : begun
  }
  const beside = new Map<number, Map<number, number>>()
  const relate = (concepts: ReadonlyArray<number>, near: (one: number, other: number, before: number) => number) => {
    for (const one of concepts.length < 2 ? [] : concepts) {
      const others = valueOf(beside, one, () => new Map<number, number>())
      for (const other of concepts) if (other !== one) others.set(other, near(one, other, others.get(other) ?? 0))
    }
  }
  for (const concepts of phrases.values()) {
    relate(concepts, (one, other, before) => before + 1 / Math.min(sizes[one]!, sizes[other]!))
  }
  for (const [pair, near] of Object.entries(vocabulary.related)) relate(pair.split(" ~ ").map(numberOf), () => near)
  for (const topic of file.topics) {
    relate(topic.split("|").map(numberOf), (_one, _other, before) => Math.max(inTopic, before))
  }
  const near = new Map<number, Topics>()
  const speaksOf = (concept: number) =>
    valueOf(near, concept, () => {
      const [all, same] = [new Map<number, number>(), new Map<number, number>()]
      for (const stem of stemsIn[concept] ?? []) {
        const shares = within.get(stem)!
        const shared = shares.get(concept)! * weightOf(stem) ** 2
        for (const [other, share] of shares) if (other !== concept) add(same, other, shared * share)
      }
      for (const [other, weight] of beside.get(concept) ?? []) add(all, other, ofNear * weight)
      for (const [other, weight] of inDirection(same, alike)) add(all, other, ofAlike * weight)
      return all
    })
  return { phrases, longest, within, weightOf, begunBy, speaksOf }
}

let built: Index | undefined

/** Returns what a text is about. Each of its words and phrases speaks of the concepts whose phrases contain it, the more the fewer they are. */
export const topicsOf = (text: string): Topics => {
  const { begunBy, longest, phrases, speaksOf, weightOf, within } = built ??= build()
  const words = wordsOf(text.slice(0, 300)).slice(0, 50)
  const [named, all] = [new Map<number, number>(), new Map<number, number>()]
  const shareOf = (word: string) => bare.has(lookUp(word)?.[0] ?? "") ? ofKind : 1
  for (const word of words.filter(isTelling)) {
    const stem = stemOf(word)
    const parts = weightOf(stem) > 0 ? [stem] : compound(word)?.map(stemOf)
    const known = parts ?? begunBy(word)
    for (const one of known) {
      const weight = shareOf(word) * weightOf(one) / (parts === undefined ? known.length : 1)
      for (const [concept, share] of inDirection(within.get(one) ?? [])) add(named, concept, weight * share)
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
  for (const [concept, weight] of named) {
    add(all, concept, weight)
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
