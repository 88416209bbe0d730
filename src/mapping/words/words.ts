import { firstIndex } from "../../domain/firstIndex.ts"
import { withoutAccents } from "./cellWords.ts"
import { vocabulary } from "./vocabulary.ts"

const numerals: ReadonlyMap<string, string> = new Map(
  Object.entries(vocabulary.numerals).flatMap(([digits, words]) => words.map((word) => [word, digits])),
)

/** Removes markup that form tools leave in titles: tags, entities, piped fields. */
const withoutMarkup = (text: string): string =>
  text.replaceAll(/<\/?[a-z][^<>]*>|&(?:nbsp|amp|quot|#\d+);|\{\{[^{}]*\}\}/gi, " ")

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

/** Returns the position of the first value that is not less than a given one. */
export const firstFrom = <A extends number | string>(sorted: ArrayLike<A>, value: A): number =>
  firstIndex(0, sorted.length, (at) => sorted[at]! < value)
