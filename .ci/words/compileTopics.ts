import { readFileSync } from "node:fs"
import { serialize } from "node:v8"
import { commonPhrases, isContentWord, stemOf } from "../../src/mapping/words/lexicon.ts"
import { type Compiled, keyOf, weightUnit } from "../../src/mapping/words/topicIndex.ts"
import file from "../../src/mapping/words/topics.json" with { type: "json" }
import { add, inDirection } from "../../src/mapping/words/topics.ts"
import { dimensions, rowCount } from "../../src/mapping/words/vectors.ts"
import { vocabulary } from "../../src/mapping/words/vocabulary.ts"

/** How much one concept counts that is related or asked for together with a concept, and all those together whose phrases have the same words. */
const [ofNear, ofAlike] = [0.3, 0.8]

/** The number of concepts that are alike. */
const alike = 30

/** A word in the phrases of more concepts than this makes none of them alike. */
const inMany = 150

/** How near concepts are that different wordings of one question name. */
const inTopic = 0.5

/** Returns the phrases of each concept. */
export const phrasesOfConcepts = (): ReadonlyMap<string, ReadonlySet<string>> => {
  const all = new Map<string, Set<string>>()
  const put = (concept: string, phrase: string) => all.set(concept, (all.get(concept) ?? new Set()).add(phrase))
  for (const [concept, list] of Object.entries<string>(file.concepts)) {
    for (const phrase of list.split(" | ")) put(concept, phrase)
  }
  for (const [concept, words] of commonPhrases) put(concept, words.join(" "))
  return all
}

/** Returns lists of concepts with weights, one after the other, as the arrays of `Compiled`. */
const listsOf = (lists: ReadonlyArray<Iterable<readonly [concept: number, weight: number]>>) => {
  const all = lists.map((list) => [...list])
  let end = 0
  return {
    starts: Uint32Array.from([0, ...all.map((list) => end += list.length)]),
    concepts: Uint16Array.from(all.flat(), ([concept]) => concept),
    weights: Uint8Array.from(all.flat(), ([, weight]) => Math.round(weight * weightUnit)),
  }
}

/**
 * Returns what suggestions know of words, for `topics.ts`. Concepts are numbered, and phrases are hashed, because building these lists from all phrases takes
 * seconds.
 */
export const compileTopics = (): Uint8Array => {
  const vectors = new Int8Array(readFileSync("src/mapping/words/vectors.bin"))
  if (vectors.length !== rowCount * dimensions) {
    throw new Error(
      "src/mapping/words/vectors.bin has a different size than vectors.ts says. Run npm run learn-vectors.",
    )
  }
  const phrasesOf = phrasesOfConcepts()
  const numbers = new Map([...phrasesOf.keys()].map((concept, number) => [concept, number]))
  const phrases = [...phrasesOf.values()].map((all) => [...all])
  const stems = phrases.map((all) => all.map((phrase) => phrase.split(" ").filter(isContentWord).map(stemOf)))

  const count = new Map<string, number>()
  for (const own of stems) for (const stem of new Set(own.flat())) add(count, stem, 1)
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

  const beside = phrases.map(() => new Map<number, number>())
  const relate = (concepts: ReadonlyArray<string>, near: number) => {
    const known = concepts.flatMap((concept) => numbers.get(concept) ?? [])
    for (const one of known) for (const other of known) if (other !== one) beside[one]!.set(other, near)
  }
  for (const topic of file.topics) relate(topic.split("|"), inTopic)
  for (const [pair, near] of Object.entries(vocabulary.related)) relate(pair.split(" ~ "), near)
  const related = stems.map((own, concept) => {
    const same = new Map<number, number>()
    for (const stem of new Set(own.flat())) {
      const [of, weight] = [shares.get(stem)!, weights.get(stem)!]
      if (of.size > inMany) continue
      for (const [other, share] of of) if (other !== concept) add(same, other, of.get(concept)! * share * weight ** 2)
    }
    const all = new Map<number, number>()
    for (const [other, near] of beside[concept]!) add(all, other, ofNear * near)
    for (const [other, weight] of inDirection(same, alike)) add(all, other, ofAlike * weight)
    return all
  })

  const known = [...count.keys()].toSorted()
  const keyed = phrases.flatMap((all, concept) => all.map((phrase) => [keyOf(phrase), concept] as const))
    .toSorted((a, b) => a[0] - b[0] || a[1] - b[1])
  return serialize(
    {
      stems: known.join(" "),
      weights: Float32Array.from(known, (stem) => weights.get(stem)!),
      shares: listsOf(known.map((stem) => inDirection(shares.get(stem)!))),
      related: listsOf(related),
      longest: phrases.flat().reduce((most, phrase) => Math.max(most, phrase.split(" ").length), 0),
      phrases: Float64Array.from(keyed, ([key]) => key),
      named: Uint16Array.from(keyed, ([, concept]) => concept),
      vectors,
    } satisfies Compiled,
  )
}
