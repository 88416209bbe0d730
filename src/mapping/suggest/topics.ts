import { groupBy } from "effect/Array"
import { commonPhrases, compound, isStopWord, lookUp, stemOf } from "./lexicon.ts"
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
  /** Returns how much a word speaks of each concept whose phrases contain it, by its stem. */
  readonly within: (stem: string) => ReadonlyArray<readonly [concept: number, share: number]>
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

/** The phrases have 200,000 words, so each word is looked at once, and numbers stand for stems and concepts. */
const build = (): Index => {
  const [numbers, stems, stemOfWord] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()]
  const numberIn = (all: Map<string, number>, name: string) => {
    const number = all.get(name) ?? all.size
    if (number === all.size) all.set(name, number)
    return number
  }
  const numberOf = (concept: string) => numberIn(numbers, concept)
  const noStem = -1
  const phrases = new Map<string, Array<number>>()
  const counts: Array<number> = []
  // The concepts of each stem, and the share of the stem in their phrases by both.
  const [conceptsOf, shares]: [Array<Array<number>>, Map<number, number>] = [[], new Map()]
  const both = (stem: number, concept: number) => stem * 8192 + concept
  // Of each phrase: the concept, the number of its telling words, and their stems.
  const parts: Array<number> = []
  let longest = 0
  const put = (concept: number, words: ReadonlyArray<string>) => {
    const phrase = words.join(" ")
    const known = phrases.get(phrase)
    if (known === undefined) phrases.set(phrase, [concept])
    else if (!known.includes(concept)) known.push(concept)
    counts[concept] = (counts[concept] ?? 0) + 1
    longest = Math.max(longest, words.length)
    const start = parts.push(concept, 0)
    for (const word of words) {
      let stem = stemOfWord.get(word)
      if (stem === undefined) stemOfWord.set(word, stem = isTelling(word) ? numberIn(stems, stemOf(word)) : noStem)
      if (stem === noStem) continue
      parts.push(stem)
      const concepts = conceptsOf[stem] ??= []
      if (shares.has(both(stem, concept))) continue
      shares.set(both(stem, concept), 0)
      concepts.push(concept)
    }
    parts[start - 1] = parts.length - start
    return []
  }
  for (const [concept, words] of commonPhrases) put(numberOf(concept), words)
  for (const [concept, list] of Object.entries(file.concepts)) {
    const number = numberOf(concept)
    // One call of `split` for each concept takes a third of the time of one for each phrase.
    let words: Array<string> = []
    for (const word of list.split(" ")) {
      if (word !== "|") words.push(word)
      else words = put(number, words)
    }
    put(number, words)
  }
  const weights = conceptsOf.map(({ length }) => Math.log(numbers.size / length))
  // A word speaks of a phrase's concept as much as it is of the phrase.
  for (let at = 0; at < parts.length;) {
    const [concept, from] = [parts[at]!, at + 2]
    at = from + parts[at + 1]!
    let whole = 0
    for (let of = from; of < at; of++) whole += weights[parts[of]!]!
    for (let of = from; of < at; of++) {
      const [key, share] = [both(parts[of]!, concept), weights[parts[of]!]! / whole]
      if (share > shares.get(key)!) shares.set(key, share)
    }
  }
  const within = (stem: string) => {
    const number = stems.get(stem)
    return number === undefined
      ? []
      : conceptsOf[number]!.map((concept) => [concept, shares.get(both(number, concept))!] as const)
  }
  const weightOf = (stem: string) => weights[stems.get(stem) ?? noStem] ?? 0
  const byStart: Readonly<Record<string, ReadonlyArray<string>>> = groupBy(stems.keys(), (stem) => stem.slice(0, 3))
  const begunBy = (word: string) => {
    const begun = byStart[word.slice(0, 3)]?.filter((stem) => stem.startsWith(word)) ?? []
    return word.length < 3 || begun.length > abbreviated ? [] : begun
  }
  const beside = new Map<number, Map<number, number>>()
  const relate = (concepts: ReadonlyArray<number>, near: (one: number, other: number, before: number) => number) => {
    if (concepts.length < 2) return
    for (const one of concepts) {
      const others = beside.get(one) ?? new Map<number, number>()
      beside.set(one, others)
      for (const other of concepts) if (other !== one) others.set(other, near(one, other, others.get(other) ?? 0))
    }
  }
  for (const concepts of phrases.values()) {
    relate(concepts, (one, other, before) => before + 1 / Math.min(counts[one]!, counts[other]!))
  }
  for (const [pair, near] of Object.entries(vocabulary.related)) relate(pair.split(" ~ ").map(numberOf), () => near)
  for (const topic of file.topics) {
    relate(topic.split("|").map(numberOf), (_one, _other, before) => Math.max(inTopic, before))
  }
  const stemsIn: Array<Array<number>> = []
  for (const [stem, concepts] of conceptsOf.entries()) for (const one of concepts) (stemsIn[one] ??= []).push(stem)
  const known = new Map<number, Topics>()
  const speaksOf = (concept: number): Topics => {
    const before = known.get(concept)
    if (before !== undefined) return before
    const same = new Map<number, number>()
    for (const stem of stemsIn[concept] ?? []) {
      const shared = shares.get(both(stem, concept))! * weights[stem]! ** 2
      for (const other of conceptsOf[stem]!) {
        if (other !== concept) add(same, other, shared * shares.get(both(stem, other))!)
      }
    }
    const all = new Map<number, number>()
    for (const [other, near] of beside.get(concept) ?? []) add(all, other, ofNear * near)
    for (const [other, near] of inDirection(same, alike)) add(all, other, ofAlike * near)
    known.set(concept, all)
    return all
  }
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
      for (const [concept, share] of inDirection(within(one))) add(named, concept, weight * share)
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
