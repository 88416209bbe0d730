import { distance } from "fastest-levenshtein"
import type { Meaning, Term } from "./meaning.ts"
import vocabulary from "./vocabulary.json" with { type: "json" }

const pair = (a: string, b: string): string => (a < b ? `${a} ~ ${b}` : `${b} ~ ${a}`)
const sorted = (both: string): string => pair(...(both.split(" ~ ") as [string, string]))
/** Related concepts, with their likeness. */
const nearness = new Map(Object.entries(vocabulary.related).map(([both, likeness]) => [sorted(both), likeness]))
/** Concepts that exclude each other: names with one and the other are about different things. */
const opposing = new Set(vocabulary.contrasts.map(sorted))

const isNumber = (word: string): boolean => /^\p{N}+$/u.test(word)

/** Returns how alike two spellings are, 0 to 1. Inflections and typing errors are alike, different words are not. */
const spelling = (a: string, b: string): number => {
  if (a === b) return 1
  if (a.includes(" ") || b.includes(" ")) return 0
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  if (short.length < 4 || isNumber(a) || isNumber(b)) return 0
  if (long.startsWith(short) && long.length - short.length <= 3) return 0.92
  const ratio = 1 - distance(a, b) / long.length
  if (ratio >= 0.8) return ratio
  let stem = 0
  while (stem < short.length && short[stem] === long[stem]) stem++
  return stem >= 5 && stem >= long.length * 0.65 ? 0.85 : 0
}

/** Returns how alike two terms are, 0 to 1. */
const alike = (a: Term, b: Term): number => {
  let most = spelling(a.text, b.text)
  for (const one of a.concepts) {
    for (const other of b.concepts) {
      most = Math.max(most, one === other ? 1 : nearness.get(pair(one, other)) ?? 0)
    }
  }
  return most
}

/** Concepts that add little: some titles have them, and others with the same meaning don't. */
const light = new Set(["current", "live", "identify", "use", "know", "opinion", "choice", "question", "answer", "yes"])

/** Makes the weight of terms: those that occur in many titles weigh less. */
export const weigh = (titles: ReadonlyArray<Meaning>): (term: Term) => number => {
  const counts = new Map<string, number>()
  for (const { terms } of titles) {
    for (const root of new Set(terms.map((term) => term.root))) counts.set(root, (counts.get(root) ?? 0) + 1)
  }
  const all = titles.length + 1
  return ({ root }) => Math.log(1 + all / (1 + (counts.get(root) ?? 0))) * (light.has(root) ? 0.4 : 1)
}

/** How alike two titles are. */
export interface Likeness {
  /** From 0 (nothing in common) to 1 (the same meaning). */
  readonly value: number
  /** Whether they are the same words in the same order. */
  readonly same: boolean
  /** Whether they contradict each other: most and least, first and last, different numbers. */
  readonly opposed: boolean
}

interface Matched {
  readonly sum: number
  readonly total: number
  readonly left: ReadonlyArray<Term>
}

const matched = (from: ReadonlyArray<Term>, to: ReadonlyArray<Term>, weight: (term: Term) => number): Matched => {
  let sum = 0
  let total = 0
  const left: Array<Term> = []
  for (const term of from) {
    const own = weight(term)
    const best = to.reduce((most, other) => Math.max(most, alike(term, other)), 0)
    sum += own * best
    total += own
    if (best < 0.7) left.push(term)
  }
  return { sum, total, left }
}

const compare = (a: ReadonlyArray<Term>, b: ReadonlyArray<Term>, weight: (term: Term) => number) => {
  const there = matched(a, b, weight)
  const back = matched(b, a, weight)
  if (there.total === 0 || back.total === 0) return { value: 0, opposed: false }
  const numbers = [there.left, back.left].map((left) => left.filter((term) => isNumber(term.text)))
  const opposed = numbers.every((list) => list.length > 0)
    || there.left.some((one) => back.left.some((other) => areOpposed(one, other)))
  const dice = (there.sum + back.sum) / (there.total + back.total)
  const contained = Math.max(there.sum / there.total, back.sum / back.total)
  return { value: 0.7 * dice + 0.3 * contained, opposed }
}

const areOpposed = (a: Term, b: Term): boolean =>
  a.concepts.some((one) => b.concepts.some((other) => opposing.has(pair(one, other))))

/** Compares the meaning of two titles, with weighted words. In titles with explanations, the questions alone may match. */
export const likeness = (a: Meaning, b: Meaning, weight: (term: Term) => number): Likeness => {
  const same = a.same === b.same && a.same !== ""
  if (same) return { value: 1, same, opposed: false }
  const whole = compare(a.terms, b.terms, weight)
  const core = compare(a.core, b.core, weight)
  return { value: Math.max(whole.value, core.value), same, opposed: core.opposed }
}
