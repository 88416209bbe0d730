import { distance } from "fastest-levenshtein"
import { brief } from "../domain/problem.ts"
import { listed } from "../domain/words.ts"

const plain = (word: string): string => word.toLowerCase().replace(/[\s_-]+/g, "")

const sorted = (word: string): string => Array.from(word).toSorted().join("")

/** Returns the number of edits between two words. Two swapped letters count as one edit, because that is the likeliest mistake. */
const steps = (a: string, b: string): number => {
  const count = distance(a, b)
  return count === 2 && a.length === b.length && sorted(a) === sorted(b) ? 0.9 : count
}

/** Returns the candidate that is most similar to `word`. Undefined if none is similar enough. */
export const nearest = (word: string, candidates: Iterable<string>): string | undefined => {
  const wanted = plain(word)
  let best: string | undefined
  let least = Infinity
  for (const candidate of candidates) {
    const away = steps(wanted, plain(candidate))
    if (away < least) {
      best = candidate
      least = away
    }
  }
  // The beginning of a long name is a good match: `E-Mail` for `E-Mail address (work)`. Only a name that differs in one or two letters is a better match.
  const begun = wanted.length < 4
    ? []
    : Array.from(candidates).filter((candidate) => plain(candidate).startsWith(wanted))
  if (begun.length === 1 && least > 2) return begun[0]
  const longest = Math.max(wanted.length, best === undefined ? 0 : plain(best).length)
  if (least <= Math.max(1, Math.floor(longest / 3)) && least < longest) return best
  return begun.length === 1 ? begun[0] : undefined
}

/** Joins alternatives as `a, b or c`. */
export const oneOf = (words: ReadonlyArray<string>): string => listed(words, "or")

/** Returns a name in quotes for a message. Shortens a long name. */
export const quoted = (word: string): string => "`" + brief(word) + "`"

/** Returns a sentence that names the nearest candidate, or all candidates if there are few. */
export const suggest = (word: string, candidates: ReadonlyArray<string>, what: string): string | undefined => {
  const near = nearest(word, candidates)
  if (near !== undefined) return `Did you mean ${quoted(near)}?`
  return candidates.length > 0 && candidates.length <= 24
    ? `${what}: ${listed(candidates.map(quoted))}.`
    : undefined
}
