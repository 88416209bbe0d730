import model from "./words/model.json" with { type: "json" }
import { type Topics, topicsOf } from "./words/topics.ts"
import {
  areContrary,
  comparedWords,
  conceptsOf,
  isStopWord,
  phrasesIn,
  sameText,
  stemOf,
  vocabulary,
} from "./words/words.ts"

export interface Term {
  /** The text as in the title, but in lower case and without accents. */
  readonly text: string
  /** Its concepts: several if languages share a word, none for a word that is not in the vocabulary. */
  readonly concepts: ReadonlyArray<string>
  readonly root: string
  /** Whether the title denies it: it is a negation or follows one. */
  readonly isDenied: boolean
}

/** What a title or an option's text means. */
export interface Meaning {
  /** Its words in their order: the same for titles that differ only in case, accents and punctuation. */
  readonly same: string
  /** Known phrases and words as concepts, other words as they are, without stop words. */
  readonly terms: ReadonlyArray<Term>
  readonly topics: Topics
  /** What its answers are about together. */
  readonly answers: Topics
}

export type Wording = Pick<Meaning, "same" | "terms">

const negation = new RegExp(`(?:^| )(?:${vocabulary.negations.join("|")})(?= |$)`)

/** Returns the position of the first word that is denied: a negation, or 0 if the negation is the last word. Infinity if there is no negation. */
const deniedFrom = (words: ReadonlyArray<string>): number => {
  const [before = "", ...after] = words.join(" ").split(negation)
  if (after.length === 0) return Infinity
  return before === "" || after.join("") === "" ? 0 : before.split(" ").length
}

const termsOf = (title: string): ReadonlyArray<Term> => {
  const words = comparedWords(title)
  const denied = deniedFrom(words)
  // Letters that number things count, although some are stop words: `Session A`.
  const numbering: ReadonlyArray<string> = title.slice(0, 300).match(/(?<=\p{L}[\s_-])[A-Z](?![\p{L}'’])/gu) ?? []
  const isIgnored = (text: string) => words.length > 1 && isStopWord(text) && !numbering.includes(text.toUpperCase())
  return phrasesIn(words, (phrase) => conceptsOf.has(phrase)).flatMap(({ at, text }) => {
    const concepts = conceptsOf.get(text) ?? []
    return isIgnored(text) ? [] : { text, concepts, root: concepts[0] ?? text, isDenied: at >= denied }
  })
}

/** Returns the words of a title. Does not need the file of all words, which few commands read. */
export const wordingOf = (title: string): Wording => ({ same: sameText(title), terms: termsOf(title) })

/** Returns what a title means, and what the answers to it are about. */
export const meaningOf = (title: string, answers: ReadonlyArray<string> = []): Meaning => ({
  ...wordingOf(title),
  topics: topicsOf(title),
  answers: topicsOf(...answers.slice(0, model.answersCompared)),
})

export const namesConcept = ({ terms }: Wording, ...concepts: ReadonlyArray<string>): boolean =>
  terms.some((term) => term.concepts.some((one) => concepts.includes(one)))

/** Whether terms mean the same. */
const areAlike = (a: Term, b: Term): boolean => a.text === b.text || a.concepts.some((one) => b.concepts.includes(one))

const isNumber = ({ text }: Term): boolean => /^\p{N}+$/u.test(text)

const areOpposed = (a: Term, b: Term): boolean =>
  (isNumber(a) && isNumber(b)) || a.concepts.some((one) => b.concepts.some((other) => areContrary(one, other)))

/**
 * Compares two titles by their words. `value`: the share of their terms that they have in common, 0 to 1. It counts more for the title with the larger
 * share. `same`: whether they are the same words in the same order. `opposed`: whether they contradict each other: most and least, first and last, different
 * numbers. `shared`: the first term that they have in common, as in each title.
 */
export const likeness = (a: Meaning, b: Meaning) => {
  const same = a.same === b.same && a.same !== ""
  const counterpart = (term: Term, { terms }: Meaning) => terms.find((other) => areAlike(term, other))
  const left = a.terms.filter((term) => counterpart(term, b) === undefined)
  const others = b.terms.filter((term) => counterpart(term, a) === undefined)
  const [ofA, ofB] = [1 - left.length / a.terms.length, 1 - others.length / b.terms.length]
  const [shared] = a.terms.filter((term) => !left.includes(term))
  return {
    value: same ? 1 : shared === undefined ? 0 : 0.35 * Math.min(ofA, ofB) + 0.65 * Math.max(ofA, ofB),
    same,
    opposed: !same && left.some((one) => others.some((other) => areOpposed(one, other))),
    shared: shared && [shared.text, counterpart(shared, b)!.text] as const,
  }
}

const deniedShare = ({ terms }: Meaning): number => terms.filter(({ isDenied }) => isDenied).length / terms.length

/** Whether a word begins with a negation of another one: inactive, active. */
const isNegationOf = (one: Term, other: Term): boolean =>
  vocabulary.negatingPrefixes.some((prefix) => stemOf(one.text) === prefix + stemOf(other.text))

/** Whether a yes to one title is a no to the other: "do not contact me" is not "contact me". Either only one denies what both name, or one denies all that it says and the other nothing. */
export const areInverse = (a: Meaning, b: Meaning): boolean =>
  Math.abs(deniedShare(a) - deniedShare(b)) === 1
  || a.terms.some((one) =>
    b.terms.some((other) =>
      areAlike(one, other) ? one.isDenied !== other.isDenied : isNegationOf(one, other) || isNegationOf(other, one)
    )
  )

/** Returns a nearness in steps that count alike: 0 for topics without anything in common, 2.4 for the same ones. */
export const agreement = (near: number): number => Math.log1p(10 * near)

/** Returns what the words of two texts prove, as evidence for `align`. Equal texts are hardly ever wrong. */
export const wordEvidence = ({ opposed, same, value }: Omit<ReturnType<typeof likeness>, "shared">): number =>
  same ? 9 : 8 * value ** 0.6 - 1.1 + (opposed ? model.ofOpposed : 0)
