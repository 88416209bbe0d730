import { concepts } from "./concepts.ts"
import { stopWords } from "./stopWords.ts"
import { sameText, wordsOf } from "./words.ts"

/** A word or phrase of a title, and what it may mean. */
export interface Term {
  /** As in the title, folded. */
  readonly text: string
  /** Concepts that it stands for; several where languages share a word; none for a word that the table does not know. */
  readonly concepts: ReadonlyArray<string>
  /** What occurrences are counted by: the first concept, or the word. */
  readonly root: string
}

/** What a title says. */
export interface Meaning {
  readonly title: string
  /** Its words in their order: equal for titles that differ in case, accents and punctuation only. */
  readonly same: string
  readonly terms: ReadonlyArray<Term>
}

const phrases = new Map<string, Array<string>>()
let longest = 1
for (const [concept, list] of Object.entries(concepts)) {
  for (const phrase of list.split("|")) {
    const words = wordsOf(phrase)
    const key = words.join(" ")
    longest = Math.max(longest, words.length)
    const known = phrases.get(key)
    if (known === undefined) phrases.set(key, [concept])
    else if (!known.includes(concept)) known.push(concept)
  }
}

/** Umlauts written as two letters. */
const unspelled = (word: string): string => word.replaceAll(/([aou])e/g, "$1")

const lookUp = (text: string): ReadonlyArray<string> | undefined => phrases.get(text) ?? phrases.get(unspelled(text))

/** A compound of two words that the table knows: `rechnungsbetrag`. */
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

const term = (text: string, known: ReadonlyArray<string>): Term => ({ text, concepts: known, root: known[0] ?? text })

/** What a title means: phrases and words of the table as concepts, other words as they are, words that say nothing left out. */
export const meaningOf = (title: string): Meaning => {
  const words = wordsOf(title)
  const terms: Array<Term> = []
  for (let at = 0; at < words.length;) {
    let length = Math.min(longest, words.length - at)
    let known: ReadonlyArray<string> | undefined
    for (; length > 0; length--) {
      const phrase = words.slice(at, at + length).join(" ")
      if (length === 1 && words.length > 1 && stopWords.has(phrase)) break
      known = lookUp(phrase)
      if (known !== undefined) break
    }
    const word = words[at] ?? ""
    if (known !== undefined) {
      terms.push(term(words.slice(at, at + length).join(" "), known))
      at += length
      continue
    }
    at++
    const parts = compound(word)
    if (parts !== undefined) { for (const part of parts) terms.push(term(part, lookUp(part) ?? [])) }
    else if (!stopWords.has(word) || words.length === 1) terms.push(term(word, []))
  }
  return { title, same: sameText(title), terms }
}

/** Whether a title speaks of a concept. */
export const speaksOf = (meaning: Meaning, concept: string): boolean =>
  meaning.terms.some((each) => each.concepts.includes(concept))
