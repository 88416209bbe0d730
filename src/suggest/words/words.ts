import { listed, withoutAccents } from "../../profile/cellWords.ts"
import file from "./vocabulary.json" with { type: "json" }

/** What suggestions know of the words in titles and options. `about` in the file says what each list contains. */
export const vocabulary = listed(file)

/** Removes markup that form tools leave in titles: tags, entities, piped fields. */
const withoutMarkup = (text: string): string =>
  text.replaceAll(/<\/?[a-z][^<>]*>|&(?:nbsp|amp|quot|#\d+);|\{\{[^{}]*\}\}/gi, " ")

/** Letters that Unicode does not decompose into a letter and an accent. */
const letters: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", ø: "o", œ: "oe", ł: "l", đ: "d", ı: "i" }

const numerals: ReadonlyMap<string, string> = new Map(
  Object.entries(vocabulary.numerals).flatMap(([digits, words]) => words.map((word) => [word, digits])),
)

/**
 * Returns the words of a title in lower case, without accents and punctuation. `FirstName`, `first_name` and
 * `first-name` are two words. Numbers are separate words. A number that is written out becomes digits.
 */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  withoutAccents(
    withoutMarkup(text)
      .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
      .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
      .replaceAll(/(\p{L})(\d)|(\d)(\p{L})/gu, "$1$3 $2$4")
      .replaceAll(/['’`´]/g, "'"),
  )
    .replaceAll(/[ßæøœłđı]/g, (letter) => letters[letter] ?? letter)
    .replaceAll(/(\p{L})'(\p{L})/gu, "$1 $2")
    .split(/[^\p{L}\p{N}#]+/u)
    .filter((word) => word !== "")
    .map((word) => numerals.get(word) ?? word)

/** Returns the words of a title that are compared: those at its start, without brackets of three words or more. What follows adds no evidence. */
export const comparedWords = (title: string): ReadonlyArray<string> => {
  const start = title.slice(0, 1_200).replaceAll(/\s+/g, " ").slice(0, 300)
  const words = wordsOf(start.replaceAll(/\((?:[^\s()]+\s+){2,}[^()]*\)/g, " "))
  return (words.length === 0 ? wordsOf(start) : words).slice(0, 50).map((word) => word.slice(0, 40))
}

/**
 * Returns the words of a title, joined by spaces. Equal for titles that differ only in case, accents and punctuation.
 */
export const sameText = (text: string): string => wordsOf(text).join(" ")

const stopWords = new Set(Object.values(vocabulary.stopWords).flat())

export const isStopWord = (word: string): boolean => stopWords.has(word)

/** Whether a word says what a text is about: it is not a stop word, a number or a single letter. */
export const isContentWord = (word: string): boolean => !isStopWord(word) && !/^(?:\d+|[a-z])$/.test(word)

const endings = new RegExp(`^(.{4,}?)(?:${vocabulary.endings.join("|")})$`)

/** Returns a word without its ending, such as those of plurals and verbs. */
export const stemOf = (word: string): string => endings.exec(word)?.[1] ?? word

/** The concepts that each word or phrase of the vocabulary names: several if languages share it. */
export const conceptsOf = new Map<string, ReadonlyArray<string>>()
for (const [concept, phrases] of Object.values(vocabulary.concepts).flatMap(Object.entries<ReadonlyArray<string>>)) {
  for (const phrase of phrases.map(sameText)) {
    conceptsOf.set(phrase, [...new Set([...conceptsOf.get(phrase) ?? [], concept])])
  }
}

/** The number of words of the longest phrase that is looked up. */
export const longestPhrase = 12

/** Cuts words into phrases, with the positions of their first words: at each place the longest phrase that is known, otherwise a single word. */
export const phrasesIn = (words: ReadonlyArray<string>, isKnown: (phrase: string) => boolean) => {
  const phrases: Array<{ readonly at: number; readonly text: string }> = []
  for (let at = 0; at < words.length;) {
    let phrase = words.slice(at, at + longestPhrase)
    while (phrase.length > 1 && !isKnown(phrase.join(" "))) phrase = phrase.slice(0, -1)
    phrases.push({ at, text: phrase.join(" ") })
    at += phrase.length
  }
  return phrases
}

/** Whether two concepts exclude each other. */
export const areContrary = (one: string, other: string): boolean => {
  const contrasts: Readonly<Record<string, ReadonlyArray<string>>> = vocabulary.contrasts
  return contrasts[one]?.includes(other) === true || contrasts[other]?.includes(one) === true
}
