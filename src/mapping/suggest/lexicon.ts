import * as Record from "effect/Record"
import { vocabulary } from "./vocabulary.ts"
import { sameText } from "./words.ts"

type Concepts = typeof vocabulary.concepts

interface Weights {
  /** How much a phrase means what one of its words means, 0 to 1. */
  readonly ofPart: number
  /** The number of concepts whose phrases may contain a word for it to mean each of them, if it is no phrase itself. */
  readonly within: number
}

/** Words and phrases with their concepts, and how near these concepts are to each other. */
export interface Lexicon extends Weights {
  /** Returns the concepts of a word or phrase, even if its ending differs. */
  readonly lookUp: (text: string) => ReadonlyArray<string> | undefined
  /** Returns the two known words of a compound, such as `rechnungsbetrag`. */
  readonly compound: (word: string) => ReadonlyArray<string> | undefined
  /** The number of words in the longest phrase, by its first word. */
  readonly longestFrom: ReadonlyMap<string, number>
  /** Returns how alike two concepts are, 0 to 1. */
  readonly nearness: (one: string, other: string) => number
}

const stopWords = new Set(Object.values(vocabulary.stopWords).flat())

/** Whether a word has no meaning of its own. */
export const isStopWord = (word: string): boolean => stopWords.has(word)

const endings = new RegExp(`^(.{4,}?)(?:${vocabulary.endings.join("|")})$`)

/** Returns a word without its ending, such as those of plurals and verbs. */
const stemOf = (word: string): string => endings.exec(word)?.[1] ?? word

/** Returns a number for each pair of concepts that are listed together, in any order. Concepts are looked up one after the other, because that is faster than joining them. */
const byPair = (...lists: ReadonlyArray<Readonly<Record<string, number>>>) => {
  const all = new Map<string, Map<string, number>>()
  for (const [together, value] of lists.flatMap(Object.entries<number>)) {
    const concepts = together.split(" ~ ")
    for (const one of concepts) {
      const known = all.get(one) ?? new Map<string, number>()
      all.set(one, known)
      for (const other of concepts) known.set(other, Math.max(value, known.get(other) ?? 0))
    }
  }
  return (one: string, other: string): number => one === other ? 1 : all.get(one)?.get(other) ?? 0
}

const opposition = byPair(Object.fromEntries(vocabulary.contrasts.map((both) => [both, 1])))

/** Whether concepts exclude each other. */
export const areOpposites = (one: string, other: string): boolean => one !== other && opposition(one, other) > 0

const lexiconOf = (
  themes: ReadonlyArray<Concepts>,
  nearness: Lexicon["nearness"],
  weights: Weights,
): Lexicon => {
  // A phrase takes precedence over its words.
  const phrases = new Map<string, Array<string>>()
  const longestFrom = new Map<string, number>()
  const concepts = themes.flatMap((one) => Object.values(one)).flatMap(Object.entries<ReadonlyArray<string>>)
  for (const [concept, list] of concepts) {
    for (const key of list) {
      const [first = "", ...rest] = key.split(" ")
      longestFrom.set(first, Math.max(longestFrom.get(first) ?? 1, rest.length + 1))
      const known = phrases.get(key)
      if (known === undefined) phrases.set(key, [concept])
      else if (!known.includes(concept)) known.push(concept)
    }
  }
  // Words that are phrases themselves, and words that only occur within phrases.
  const [whole, within] = [new Map<string, Set<string>>(), new Map<string, Set<string>>()]
  for (const [phrase, concepts] of phrases) {
    const words = phrase.split(" ")
    if (words.length > 1 && weights.within === 0) continue
    for (const word of words) {
      if (words.length > 1 && isStopWord(word)) continue
      const to = words.length > 1 ? within : whole
      const known = to.get(word) ?? new Set()
      to.set(word, known)
      for (const one of concepts) known.add(one)
    }
  }
  const stems = new Map<string, Array<string>>()
  const addStems = (words: typeof whole, isNew: (stem: string, concepts: ReadonlySet<string>) => boolean) => {
    for (const [word, concepts] of words) {
      if (word.length < 5) continue
      const stem = stemOf(word)
      if (isNew(stem, concepts)) stems.set(stem, [...new Set([...stems.get(stem) ?? [], ...concepts])])
    }
  }
  addStems(whole, () => true)
  const own = new Set(stems.keys())
  addStems(within, (stem, { size }) => !own.has(stem) && size <= weights.within)
  const lookUp = (text: string): ReadonlyArray<string> | undefined =>
    phrases.get(text) ?? (text.length < 5 || text.includes(" ") ? undefined : stems.get(stemOf(text)))
  const compound = (word: string): ReadonlyArray<string> | undefined => {
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
  return { ...weights, lookUp, compound, longestFrom, nearness }
}

/** The phrases as the words of titles are compared. Those of `titles` are written like this, because there are many. */
const plain: Concepts = Record.map(vocabulary.concepts, Record.map((list) => list.map(sameText)))

/** For the texts of options. */
export const optionWords = lexiconOf([plain], byPair(vocabulary.related), { ofPart: 0.6, within: 0 })

/** For the titles of columns and questions: more words, and concepts that are nearer, because different words ask for one thing. */
export const titleWords = lexiconOf(
  [plain, vocabulary.titles.concepts],
  byPair(vocabulary.related, vocabulary.titles.related),
  { ofPart: 0.85, within: 20 },
)
