import { distance } from "fastest-levenshtein"
import { compound, conceptNearness, isStopWord, longestPhrase, lookUp, opposition } from "../words/lexicon.ts"
import { evidenceOf } from "../words/topics.ts"
import { comparedWords, sameText } from "../words/words.ts"

export interface Term {
  /** The text as in the title, but in lower case and without accents. */
  readonly text: string
  /** Its concepts: several if languages share a word, none for a word that is not in the vocabulary. */
  readonly concepts: ReadonlyArray<string>
  readonly root: string
}

export interface Meaning {
  readonly title: string
  /** Its words in their order: equal for titles that differ only in case, accents and punctuation. */
  readonly same: string
  readonly terms: ReadonlyArray<Term>
}

const term = (text: string): Term => {
  const concepts = lookUp(text) ?? []
  return { text, concepts, root: concepts[0] ?? text }
}

/** Letters that number things: `Session A`. */
const labels = (title: string): ReadonlySet<string> =>
  new Set(Array.from(title.matchAll(/(?<=\p{L}[\s_-])[A-Z](?![\p{L}'’])/gu), ([letter]) => letter.toLowerCase()))

const termsOf = (title: string): ReadonlyArray<Term> => {
  const words = comparedWords(title)
  const numbering = labels(title.slice(0, 300))
  const terms: Array<Term> = []
  for (let at = 0; at < words.length;) {
    const word = words[at]!
    const isIgnored = isStopWord(word) && words.length > 1
    const least = isIgnored ? 2 : 1
    let length = Math.min(longestPhrase, words.length - at)
    const phrase = () => words.slice(at, at + length).join(" ")
    while (length >= least && lookUp(phrase()) === undefined) length--
    const left = compound(word) ?? (isIgnored && !numbering.has(word) ? [] : [word])
    terms.push(...(length >= least ? [phrase()] : left).map(term))
    at += Math.max(1, length)
  }
  return terms
}

/** Returns what a title or an option's text means: known phrases and words as concepts, other words as they are, without stop words. */
export const meaningOf = (title: string): Meaning => ({ title, same: sameText(title), terms: termsOf(title) })

export const namesConcept = (meaning: Meaning, concept: string): boolean =>
  meaning.terms.some((each) => each.concepts.includes(concept))

const isNumber = (word: string): boolean => /^\p{N}+$/u.test(word)

const spelling = (a: string, b: string): number => {
  if (a === b) return 1
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  const more = long.length - short.length
  // An abbreviation: `edu`, `avail`.
  if (long.startsWith(short) && short.length > 2 && short.length < 6 && more > 3 && !long.includes(" ")) return 0.6
  // Unhappy is not happy.
  if (short.length < 4 || (more > 1 && long.endsWith(short)) || /\d/.test(a + b)) return 0
  if (long.startsWith(short) && more <= 3) return 0.92
  const ratio = 1 - distance(a, b) / long.length
  return ratio >= 0.8 ? ratio : 0
}

const alike = (a: Term, b: Term): number => {
  let most = a.text.includes(" ") || b.text.includes(" ") ? Number(a.text === b.text) : spelling(a.text, b.text)
  for (const one of a.concepts) {
    for (const other of b.concepts) {
      most = Math.max(most, one === other ? 1 : conceptNearness(one, other))
    }
  }
  return most
}

export interface Likeness {
  /** From 0 (nothing in common) to 1 (the same meaning). */
  readonly value: number
  /** Whether they are the same words in the same order. */
  readonly same: boolean
  /** Whether they contradict each other: most and least, first and last, different numbers. */
  readonly opposed: boolean
  /** How near their topics are, from 0 to 1, if both are known. */
  readonly near: number | undefined
  /** What their words prove if a topic is unknown, as evidence for `align`. -Infinity if nothing. */
  readonly ofWordsAlone: number
  /** The words that agree most: those of the first title, then those of the second. */
  readonly words?: readonly [one: string, other: string] | undefined
}

const areOpposed = (a: Term, b: Term): boolean =>
  (isNumber(a.text) && isNumber(b.text))
  || a.concepts.some((one) => b.concepts.some((other) => opposition(one, other) > 0))

const sumOf = (values: ReadonlyArray<number>): number => values.reduce((sum, one) => sum + one, 0)

/** Compares two lists of terms: how many have a counterpart, and whether the remaining terms contradict each other. */
const compare = (a: ReadonlyArray<Term>, b: ReadonlyArray<Term>): Pick<Likeness, "value" | "opposed" | "words"> => {
  if (a.length === 0 || b.length === 0) return { value: 0, opposed: false }
  const pairs = a.map((one) => b.map((other) => alike(one, other)))
  const there = pairs.map((row) => Math.max(...row))
  const back = b.map((_, of) => Math.max(...pairs.map((row) => row[of]!)))
  const left = b.filter((_, of) => back[of]! < 0.7)
  const best = Math.max(...there)
  const at = there.indexOf(best)
  return {
    value: 0.7 * (sumOf(there) + sumOf(back)) / (a.length + b.length)
      + 0.3 * Math.max(sumOf(there) / a.length, sumOf(back) / b.length),
    opposed: a.some((one, at) => there[at]! < 0.7 && left.some((other) => areOpposed(one, other))),
    words: best < 0.5 ? undefined : [a[at]!.text, b[pairs[at]!.indexOf(best)]!.text],
  }
}

export const likeness = (a: Meaning, b: Meaning, near?: number, ofWordsAlone = -Infinity): Likeness => {
  const same = a.same === b.same && a.same !== ""
  return { ...(same ? { value: 1, opposed: false } : compare(a.terms, b.terms)), same, near, ofWordsAlone }
}

/** Returns a nearness in steps that count alike: 0 for topics without anything in common, 2.4 for the same ones. */
export const agreement = (near: number): number => Math.log1p(10 * near)

/** Returns what a likeness proves, as evidence for `align`. Equal texts are hardly ever wrong. Words count only if a topic is unknown, or if titles are nearly the same. */
export const meaningEvidence = ({ near, ofWordsAlone, opposed, same, value }: Likeness): number => {
  const ofTopics = near === undefined ? ofWordsAlone : evidenceOf(near)
  const ofWords = near === undefined || value >= 0.9 ? 8 * value ** 0.6 - 1.1 : -Infinity
  return (same ? 7 : Math.max(ofTopics, ofWords)) - (opposed ? 5 : 0)
}
