import { vocabulary } from "./vocabulary.ts"
import { wordsOf } from "./words.ts"

const stopWords = new Set(Object.values(vocabulary.stopWords).flat())

export const isStopWord = (word: string): boolean => stopWords.has(word)

/** Whether a word says what a text is about: it is not a stop word, a number or a single letter. */
export const isContentWord = (word: string): boolean => !isStopWord(word) && !/^(?:\d+|[a-z])$/.test(word)

const endings = new RegExp(`^(.{4,}?)(?:${vocabulary.endings.join("|")})$`)

/** Returns a word without its ending, such as those of plurals and verbs. */
export const stemOf = (word: string): string => endings.exec(word)?.[1] ?? word

/** Returns a function that looks up the value of a pair of concepts, which are written as `one ~ other`. */
const byPair = (pairs: ReadonlyArray<readonly [both: string, value: number]>) => {
  const all = new Map<string, Map<string, number>>()
  for (const [both, value] of pairs) {
    const [one = "", other = ""] = both.split(" ~ ")
    all.set(one, (all.get(one) ?? new Map<string, number>()).set(other, value))
    all.set(other, (all.get(other) ?? new Map<string, number>()).set(one, value))
  }
  return (one: string, other: string): number => all.get(one)?.get(other) ?? 0
}

/** Returns 1 for concepts that exclude each other, 0 for others. */
export const opposition = byPair(vocabulary.contrasts.map((both) => [both, 1]))

/** Returns how alike two concepts are, 0 to 1. */
export const conceptNearness = byPair(Object.entries(vocabulary.related))

/** The phrases of all concepts, as titles and the texts of options are compared. */
export const commonPhrases = Object.values(vocabulary.concepts).flatMap(Object.entries<ReadonlyArray<string>>)
  .flatMap(([concept, list]) => list.map((phrase) => [concept, wordsOf(phrase)] as const))

const phrases = new Map<string, ReadonlyArray<string>>()
export let longestPhrase = 1
for (const [concept, words] of commonPhrases) {
  const phrase = words.join(" ")
  phrases.set(phrase, [...new Set([...phrases.get(phrase) ?? [], concept])])
  longestPhrase = Math.max(longestPhrase, words.length)
}

export const lookUp = (text: string): ReadonlyArray<string> | undefined => phrases.get(text)

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
