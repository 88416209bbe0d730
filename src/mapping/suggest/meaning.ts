import { distance } from "fastest-levenshtein"
import { compound, conceptNearness, isStopWord, longestPhrase, lookUp, opposition } from "../words/lexicon.ts"
import { evidenceOf } from "../words/topics.ts"
import { comparedWords, sameText } from "../words/words.ts"

/** A word or phrase of a title, and what it may mean. */
export interface Term {
  /** The text as in the title, but in lower case and without accents. */
  readonly text: string
  /** Its concepts: several if languages share a word, none for a word that is not in the vocabulary. */
  readonly concepts: ReadonlyArray<string>
  /** The first concept, or the word. */
  readonly root: string
}

/** The meaning of a title, or of an option's text. */
export interface Meaning {
  readonly title: string
  /** Its words in their order: equal for titles that differ only in case, accents and punctuation. */
  readonly same: string
  readonly terms: ReadonlyArray<Term>
}

const term = (text: string, known: ReadonlyArray<string>): Term => ({
  text,
  concepts: known,
  root: known[0] ?? text,
})

/** Letters that number things: `Session A`. */
const labels = (title: string): ReadonlySet<string> =>
  new Set(Array.from(title.matchAll(/(?<=\p{L}[\s_-])[A-Z](?![\p{L}'’])/gu), ([letter]) => letter.toLowerCase()))

const termsOf = (title: string): ReadonlyArray<Term> => {
  const words = comparedWords(title)
  const numbering = labels(title.slice(0, 300))
  const terms: Array<Term> = []
  for (let at = 0; at < words.length;) {
    const word = words[at] ?? ""
    let known: ReadonlyArray<string> | undefined
    let length = Math.min(longestPhrase, words.length - at)
    for (; length > 0; length--) {
      const phrase = words.slice(at, at + length).join(" ")
      if (length === 1 && words.length > 1 && isStopWord(phrase)) break
      known = lookUp(phrase)
      if (known !== undefined) break
    }
    if (known !== undefined) {
      terms.push(term(words.slice(at, at + length).join(" "), known))
      at += length
      continue
    }
    at++
    const parts = compound(word)
    if (parts !== undefined) { for (const part of parts) terms.push(term(part, lookUp(part) ?? [])) }
    else if (!isStopWord(word) || words.length === 1 || numbering.has(word)) terms.push(term(word, []))
  }
  return terms
}

/** Returns what a title or an option's text means: known phrases and words as concepts, other words as they are, without stop words. */
export const meaningOf = (title: string): Meaning => {
  return { title, same: sameText(title), terms: termsOf(title) }
}

/** Whether a title names a concept. */
export const namesConcept = (meaning: Meaning, concept: string): boolean =>
  meaning.terms.some((each) => each.concepts.includes(concept))

const isNumber = (word: string): boolean => /^\p{N}+$/u.test(word)

/** Returns how alike two spellings are, 0 to 1. A swap of two adjacent letters counts as one mistake. */
const spelling = (a: string, b: string): number => {
  if (a === b) return 1
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  if (short.length < 3 || long.length > 300 || /\d/.test(a + b)) return 0
  const more = long.length - short.length
  // An abbreviation: `edu`, `avail`.
  if (long.startsWith(short) && short.length < 6 && more > 3 && !long.includes(" ")) return 0.6
  // Unhappy is not happy.
  if (short.length < 4 || (more > 1 && long.endsWith(short))) return 0
  if (long.startsWith(short) && more <= 3) return 0.92
  const same = Array.from(short).findIndex((letter, at) => letter !== long[at])
  const swapped = a.slice(0, same) + a.charAt(same + 1) + a.charAt(same) + a.slice(same + 2)
  const ratio = 1 - (same >= 0 && swapped === b ? 1 : distance(a, b)) / long.length
  return ratio >= 0.8 || (ratio >= 0.75 && long.includes(" ")) ? ratio : 0
}

/** Returns how alike two terms are, 0 to 1. */
const alike = (a: Term, b: Term): number => {
  let most = a.text.includes(" ") || b.text.includes(" ") ? Number(a.text === b.text) : spelling(a.text, b.text)
  for (const one of a.concepts) {
    for (const other of b.concepts) {
      most = Math.max(most, one === other ? 1 : conceptNearness(one, other))
    }
  }
  return most
}

/** How alike two titles are. */
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

/** Compares two lists of terms: how many have a counterpart, and whether the remaining terms contradict each other. */
const compare = (a: ReadonlyArray<Term>, b: ReadonlyArray<Term>): Pick<Likeness, "value" | "opposed" | "words"> => {
  if (a.length === 0 || b.length === 0) return { value: 0, opposed: false }
  const pairs = a.map((one) => b.map((other) => alike(one, other)))
  const there = pairs.map((row) => Math.max(...row))
  const back = b.map((_, of) => Math.max(...pairs.map((row) => row[of]!)))
  const left = (terms: typeof a, bests: typeof there) => terms.filter((_, at) => bests[at]! < 0.7)
  const [mine, others] = [left(a, there), left(b, back)]
  const opposed = [mine, others].every((terms) => terms.some(({ text }) => isNumber(text)))
    || mine.some((one) => others.some((other) => areOpposed(one, other)))
  const [sum, otherSum] = [there, back].map((bests) => bests.reduce((all, one) => all + one, 0)) as [number, number]
  const best = Math.max(...there)
  const at = there.indexOf(best)
  return {
    value: 0.7 * (sum + otherSum) / (a.length + b.length) + 0.3 * Math.max(sum / a.length, otherSum / b.length),
    opposed,
    words: best < 0.5 ? undefined : [a[at]!.text, b[pairs[at]!.indexOf(best)]!.text],
  }
}

const areOpposed = (a: Term, b: Term): boolean =>
  a.concepts.some((one) => b.concepts.some((other) => opposition(one, other) > 0))

/** Compares the meaning of two titles, given how near their topics are, and what their words prove if a topic is unknown. */
export const likeness = (a: Meaning, b: Meaning, near?: number, ofWordsAlone = -Infinity): Likeness => {
  const same = a.same === b.same && a.same !== ""
  return { ...(same ? { value: 1, opposed: false } : compare(a.terms, b.terms)), same, near, ofWordsAlone }
}

/** Returns a nearness in steps that count alike: 0 for topics without anything in common, 2.4 for the same ones. */
export const agreement = (near: number): number => Math.log1p(10 * near)

/** From this likeness on, the words of two titles may prove more than their topics: they are nearly the same title. */
const nearlySame = 0.9

/** Returns what a likeness proves, as evidence for `align`. Equal texts are hardly ever wrong. Words count only if a topic is unknown, or if titles are nearly the same. */
export const meaningEvidence = ({ near, ofWordsAlone, opposed, same, value }: Likeness): number => {
  const ofTopics = near === undefined ? ofWordsAlone : evidenceOf(near)
  const ofWords = near === undefined || value >= nearlySame ? 8 * value ** 0.6 - 1.1 : -Infinity
  return (same ? 7 : Math.max(ofTopics, ofWords)) - (opposed ? 5 : 0)
}
