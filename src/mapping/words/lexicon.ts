import { vocabulary } from "./vocabulary.ts"
import { wordsOf } from "./words.ts"

const stopWords = new Set(Object.values(vocabulary.stopWords).flat())

export const isStopWord = (word: string): boolean => stopWords.has(word)

/** Whether a word says what a text is about: it is not a stop word, a number or a single letter. */
export const isContentWord = (word: string): boolean => !isStopWord(word) && !/^(?:\d+|[a-z])$/.test(word)

const endings = new RegExp(`^(.{4,}?)(?:${vocabulary.endings.join("|")})$`)

/** Returns a word without its ending, such as those of plurals and verbs. */
export const stemOf = (word: string): string => endings.exec(word)?.[1] ?? word

const contrasts = new Set(vocabulary.contrasts)

/** Whether two concepts exclude each other. */
export const areContrary = (one: string, other: string): boolean =>
  contrasts.has(`${one} ~ ${other}`) || contrasts.has(`${other} ~ ${one}`)

/** The phrases of all concepts, as titles and the texts of options are compared. */
export const commonPhrases = Object.values(vocabulary.concepts).flatMap(Object.entries<ReadonlyArray<string>>)
  .flatMap(([concept, list]) => list.map((phrase) => [concept, wordsOf(phrase)] as const))

const phrases = new Map<string, ReadonlyArray<string>>()
for (const [concept, words] of commonPhrases) {
  const phrase = words.join(" ")
  phrases.set(phrase, [...new Set([...phrases.get(phrase) ?? [], concept])])
}

export const longestPhrase = commonPhrases.reduce((most, [, { length }]) => Math.max(most, length), 1)

/** Returns the concepts that a word or phrase names: several if languages share it. */
export const lookUp = (text: string): ReadonlyArray<string> | undefined => phrases.get(text)
