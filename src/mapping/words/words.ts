import { firstIndex } from "../../domain/firstIndex.ts"
import { vocabulary } from "./vocabulary.ts"

const numerals: ReadonlyMap<string, string> = new Map(
  Object.entries(vocabulary.numerals).flatMap(([digits, words]) => words.map((word) => [word, digits])),
)

/** Removes markup that form tools leave in titles: tags, entities, piped fields. */
const withoutMarkup = (text: string): string =>
  text.replaceAll(/<\/?[a-z][^<>]*>/gi, " ")
    .replaceAll(/&(?:nbsp|amp|quot|#\d+);/gi, " ")
    .replaceAll(/\{\{[^{}]*\}\}/g, " ")

const withoutAccents = (text: string): string => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase()

/** Letters that Unicode does not decompose into a letter and an accent. */
const letters: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", ø: "o", œ: "oe", ł: "l", đ: "d", ı: "i" }

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

/** Returns a function that checks whether a cell is one of these texts, apart from case, accents and space around it. */
const isOneOf = (texts: ReadonlyArray<string>) => {
  const known = new Set(texts)
  return (text: string): boolean => {
    if (text.length > 20) return false
    const word = text.trim()
    // Most cells have no accents, which is cheap to find out.
    return known.has(/[^\0-\x7f]/.test(word) ? withoutAccents(word) : word.toLowerCase())
  }
}

export const saysYes = isOneOf(vocabulary.yes)

export const saysNo = isOneOf(vocabulary.no)

export const isTick = (text: string): boolean => saysYes(text) || saysNo(text)

const noAnswer = isOneOf(vocabulary.noAnswer)

/** Whether a cell means "no answer". */
export const isNoAnswer = (text: string): boolean => noAnswer(text) || (text.length <= 12 && /^[-–—]+$/.test(text))

/** A hash of 53 bits (cyrb53, public domain): with a million texts, one file in 18,000 has two with the same hash. */
export const hashOf = (text: string): number => {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    a = Math.imul(a ^ code, 2654435761)
    b = Math.imul(b ^ code, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return 4294967296 * (2097151 & b) + (a >>> 0)
}

/** Returns the position of the first value that is not less than a given one. */
export const firstFrom = <A extends number | string>(sorted: ArrayLike<A>, value: A): number =>
  firstIndex(0, sorted.length, (at) => sorted[at]! < value)

/** Returns a function that caches its results, for the texts or cells that occur most recently. */
export const cached = <A, B>(compute: (one: A) => B): (one: A) => B => {
  const known = new Map<A, B>()
  return (one) => {
    if (known.has(one)) return known.get(one) as B
    const result = compute(one)
    if (known.size >= 20_000) known.clear()
    known.set(one, result)
    return result
  }
}
