import { readFileSync } from "node:fs"
import { serialize } from "node:v8"
import file from "../../src/suggest/words/topics.json" with { type: "json" }
import { add, type Compiled, inDirection, keyOf, stemKey, weightUnit } from "../../src/suggest/words/topics.ts"
import { dimensions, rowCount } from "../../src/suggest/words/vectors.ts"
import {
  conceptsOf,
  isContentWord,
  isStopWord,
  longestPhrase,
  stemOf,
  vocabulary,
} from "../../src/suggest/words/words.ts"

/** How much one concept counts that is related or asked for together with a concept, and all those together whose phrases have the same words. */
const [ofNear, ofAlike] = [1.2, 3.2]

/** The number of concepts that are alike. */
const alike = 30

/** A word in the phrases of more concepts than this makes none of them alike. */
const inMany = 150

/** How near concepts are that different wordings of one question name. */
const inTopic = 0.5

/** Returns the phrases of each concept: those of a list, separated by ` | `, and those of the vocabulary. */
export const phrasesOfConcepts = (
  lists: Readonly<Record<string, string>> = file.concepts,
): ReadonlyMap<string, ReadonlySet<string>> => {
  const all = new Map<string, Set<string>>()
  const put = (concept: string, phrase: string) => all.set(concept, (all.get(concept) ?? new Set()).add(phrase))
  for (const [concept, list] of Object.entries(lists)) {
    for (const phrase of list.split(" | ")) put(concept, phrase)
  }
  for (const [phrase, concepts] of conceptsOf) for (const concept of concepts) put(concept, phrase)
  return all
}

/**
 * Returns what suggestions know of words, for `topics.ts`. Concepts are numbered, and phrases are hashed, because building these lists from all phrases takes
 * seconds. Throws if a phrase or a weight exceeds what `topics.ts` can look up.
 */
export const compileTopics = (lists?: Readonly<Record<string, string>>): Uint8Array => {
  const vectors = new Int8Array(readFileSync("src/suggest/words/vectors.bin"))
  if (vectors.length !== rowCount * dimensions) {
    throw new Error(
      "src/suggest/words/vectors.bin has a different size than vectors.ts says. Run npm run learn-vectors.",
    )
  }
  const phrasesOf = phrasesOfConcepts(lists)
  const numbers = new Map([...phrasesOf.keys()].map((concept, number) => [concept, number]))
  const phrases = [...phrasesOf.values()].map((all) => [...all])
  const long = phrases.flat().find((phrase) => phrase.split(" ").length > longestPhrase)
  if (long !== undefined) throw new Error(`"${long}" has more than ${longestPhrase} words (longestPhrase in words.ts).`)
  const stems = phrases.map((all) => all.map((phrase) => phrase.split(" ").filter(isContentWord).map(stemOf)))

  const count = new Map<string, number>()
  for (const own of stems) for (const stem of new Set(own.flat())) add(count, stem, 1)
  // The fewer concepts' phrases contain a stem, the more it weighs.
  const weights = new Map([...count].map(([stem, concepts]) => [stem, Math.log(phrases.length / concepts)]))
  // A word's share in a concept is its share of the concept's phrase.
  const shares = new Map([...count.keys()].map((stem) => [stem, new Map<number, number>()]))
  for (const [concept, own] of stems.entries()) {
    for (const phrase of own) {
      const whole = phrase.reduce((sum, stem) => sum + weights.get(stem)!, 0)
      for (const stem of phrase) {
        const share = shares.get(stem)!
        share.set(concept, Math.max(share.get(concept) ?? 0, weights.get(stem)! / whole))
      }
    }
  }

  const entries: Array<readonly [key: number, concept: number, weight: number]> = []
  for (const [stem, share] of shares) {
    for (const [concept, of] of inDirection(share)) entries.push([stemKey(stem), concept, weights.get(stem)! * of])
  }
  for (const [concept, own] of phrases.entries()) {
    for (const phrase of own) if (!isStopWord(phrase)) entries.push([keyOf(phrase), concept, 1])
  }

  const beside = phrases.map(() => new Map<number, number>())
  const relate = (concepts: ReadonlyArray<string>, near: number) => {
    const known = concepts.flatMap((concept) => numbers.get(concept) ?? [])
    for (const one of known) for (const other of known) if (other !== one) beside[one]!.set(other, near)
  }
  for (const topic of file.topics) relate(topic.split("|"), inTopic)
  for (const [pair, near] of Object.entries(vocabulary.related)) relate(pair.split(" ~ "), near)
  for (const [concept, own] of stems.entries()) {
    const same = new Map<number, number>()
    for (const stem of new Set(own.flat())) {
      const [of, weight] = [shares.get(stem)!, weights.get(stem)!]
      if (of.size > inMany) continue
      for (const [other, share] of of) if (other !== concept) add(same, other, of.get(concept)! * share * weight ** 2)
    }
    for (const [other, near] of beside[concept]!) entries.push([concept, other, ofNear * near])
    for (const [other, near] of inDirection(same, alike)) entries.push([concept, other, ofAlike * near])
  }

  entries.sort((a, b) => a[0] - b[0])
  const weightOf = (weight: number): number => {
    const units = Math.round(weight * weightUnit)
    if (units > 255) throw new Error(`A weight of ${weight} does not fit into a byte (weightUnit in topics.ts).`)
    return units
  }
  return serialize(
    {
      keys: Float64Array.from(entries, ([key]) => key),
      concepts: Uint16Array.from(entries, ([, concept]) => concept),
      weights: Uint8Array.from(entries, ([, , weight]) => weightOf(weight)),
      vectors,
    } satisfies Compiled,
  )
}
