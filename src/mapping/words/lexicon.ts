import { vocabulary } from "./vocabulary.ts"
import { wordsOf } from "./words.ts"

const stopWords = new Set(Object.values(vocabulary.stopWords).flat())

/** Whether a word has no meaning of its own. */
export const isStopWord = (word: string): boolean => stopWords.has(word)

/** Whether a word says what a text is about: it is not a stop word, a number or a single letter. */
export const isContentWord = (word: string): boolean => !isStopWord(word) && !/^(?:\d+|[a-z])$/.test(word)

const endings = new RegExp(`^(.{4,}?)(?:${vocabulary.endings.join("|")})$`)

/** Returns a word without its ending, such as those of plurals and verbs. */
export const stemOf = (word: string): string => endings.exec(word)?.[1] ?? word

/** Returns a number for each pair of concepts, in any order. Concepts are looked up one after the other, because that is faster than joining them. */
const byPair = (pairs: ReadonlyArray<readonly [one: string, other: string, value: number]>) => {
  const all = new Map<string, Map<string, number>>()
  const add = (from: string, to: string, value: number) => {
    const known = all.get(from) ?? new Map<string, number>()
    all.set(from, known.set(to, Math.max(value, known.get(to) ?? 0)))
  }
  for (const [one, other, value] of pairs) {
    add(one, other, value)
    add(other, one, value)
  }
  return (one: string, other: string): number => all.get(one)?.get(other) ?? 0
}

const pairOf = (both: string, value: number) => {
  const [one = "", other = ""] = both.split(" ~ ")
  return [one, other, value] as const
}

const opposition = byPair(vocabulary.contrasts.map((both) => pairOf(both, 1)))

/** Whether concepts exclude each other. */
export const areOpposites = (one: string, other: string): boolean => opposition(one, other) > 0

/** Returns how alike two concepts are, 0 to 1. */
export const conceptNearness = byPair(Object.entries(vocabulary.related).map(([both, value]) => pairOf(both, value)))

export type Phrase = readonly [concept: string, words: ReadonlyArray<string>]

/** The phrases of all concepts, as titles and the texts of options are compared. */
export const commonPhrases: ReadonlyArray<Phrase> = Object.values(vocabulary.concepts)
  .flatMap(Object.entries<ReadonlyArray<string>>)
  .flatMap(([concept, list]) => list.map((phrase): Phrase => [concept, wordsOf(phrase)]))

/** The concepts of each word and phrase. */
const phrases = new Map<string, Array<string>>()

const longest = new Map<string, number>()
for (const [concept, words] of commonPhrases) {
  const key = words.join(" ")
  const [first = ""] = words
  longest.set(first, Math.max(longest.get(first) ?? 1, words.length))
  const known = phrases.get(key)
  if (known === undefined) phrases.set(key, [concept])
  else if (!known.includes(concept)) known.push(concept)
}

/** The number of words in the longest phrase, by its first word. */
export const longestFrom: ReadonlyMap<string, number> = longest

const stems = new Map<string, ReadonlyArray<string>>()
for (const [phrase, concepts] of phrases) {
  if (phrase.length < 5 || phrase.includes(" ")) continue
  const stem = stemOf(phrase)
  stems.set(stem, [...new Set([...stems.get(stem) ?? [], ...concepts])])
}

/** Returns the concepts of a word or phrase, even if its ending differs. */
export const lookUp = (text: string): ReadonlyArray<string> | undefined =>
  phrases.get(text) ?? (text.length < 5 || text.includes(" ") ? undefined : stems.get(stemOf(text)))

/** Returns the two known words of a compound, such as `rechnungsbetrag`. */
export const compound = (word: string): ReadonlyArray<string> | undefined => {
  if (word.length < 8) return undefined
  for (let at = word.length - 3; at >= 4; at--) {
    const rest = lookUp(word.slice(at))
    if (rest === undefined) continue
    const head = word.slice(0, at)
    for (const part of [head, head.replace(/(?:es|s|en|n)$/, ""), `${head}e`]) {
      if (part.length >= 3 && lookUp(part) !== undefined) return [part, word.slice(at)]
    }
  }
  return undefined
}
