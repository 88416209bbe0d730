import { distance } from "fastest-levenshtein"
import type { Option } from "../../domain/form.ts"
import { loose } from "../../kinds/optionTable.ts"
import { align } from "./align.ts"
import { likeness, meaningEvidence, meaningOf, weigh } from "./meaning.ts"
import type { Suggestion } from "./Suggestion.ts"
import { sameText, saysNo, saysYes } from "./words.ts"

/** The option that an unknown choice most likely means. */
export interface Translation {
  readonly option: Option
  /** 0 to 1. */
  readonly confidence: number
}

/** The minimum confidence of a translation that is written into an entry. */
export const sureTranslation = 0.85

/** The minimum confidence of a translation that is proposed to a person. */
const proposed = 0.5

/** The maximum number of choices to translate, and of options to compare them with. */
const compared = 50
const optionsCompared = 200

/** Returns the similarity of two spellings, from 0 to 1. Two adjacent letters that are swapped count as one mistake. */
const spelling = (a: string, b: string): number => {
  const longest = Math.max(a.length, b.length)
  if (longest < 5 || a[0] !== b[0]) return 0
  const isExchanged = a.length === b.length
    && [...a].some((letter, at) =>
      letter !== b[at] && a.slice(0, at) + (a[at + 1] ?? "") + letter + a.slice(at + 2) === b
    )
  return 1 - (isExchanged ? 1 : distance(a, b)) / longest
}

/** Returns the options whose names occur in a suggestion's cells or headers. */
const named = ({ origin, question }: Pick<Suggestion, "question"> & Partial<Suggestion>): ReadonlySet<Option> => {
  if (origin === undefined) return new Set()
  const texts = origin._tag === "Column"
    ? [...origin.profile.distinct.keys()].map((text) => loose(text))
    : origin._tag === "Block"
    ? origin.block.members.map(({ option }) => loose(option))
    : []
  const cells = new Set(texts)
  const isIn = (name: string) =>
    cells.has(loose(name))
    || (origin._tag === "Column" && name.length > 3 && texts.some((text) => text.includes(loose(name))))
  return new Set((question.options ?? []).filter(({ label, value }) => isIn(label) || isIn(value)))
}

/**
 * Returns the options that unknown choices probably mean. A choice may differ from the option's name in spelling,
 * language or wording. Matches choices with options in the same way as columns with questions, but ignores their order.
 * Usually one choice belongs to each option, so the last unmatched choice and option probably belong together.
 */
export const translate = (
  suggestion: Pick<Suggestion, "question"> & Partial<Suggestion>,
  texts: ReadonlyArray<string>,
): ReadonlyMap<string, Translation> => {
  const options = (suggestion.question.options ?? []).slice(0, optionsCompared)
  const own = named(suggestion)
  const [from, to] = [texts.slice(0, compared), options.map(({ label }) => label)].map((list) => list.map(meaningOf))
  const weight = weigh([...from ?? [], ...to ?? []])
  const says = [saysYes, saysNo].map((tick) =>
    options.filter(({ label }) => tick(label)).length === 1 ? tick : () => false
  )
  const found = align(
    (from ?? []).map((text) =>
      (to ?? []).map((name, of) => {
        const option = options[of]
        const isTick = says.some((tick) => tick(text.title) && tick(name.title))
        const alike = Math.max(spelling(text.same, name.same), spelling(text.same, sameText(option?.value ?? "")))
        return Math.max(
          isTick ? 6 : -9,
          alike >= 0.75 ? 12 * alike - 6 : -9,
          meaningEvidence(likeness(text, name, weight)),
        )
          - (option !== undefined && own.has(option) ? 2.5 : 0)
      })
    ),
    { alone: 0.2, inOrder: 0, skipped: 0 },
  )
  return new Map(texts.flatMap((text, at) => {
    const best = [...found[at] ?? []].reduce((most, one, of, all) => one > (all[most] ?? 0) ? of : most, 0)
    const [option, confidence = 0] = [options[best], found[at]?.[best]]
    return option === undefined || confidence < proposed ? [] : [[text, { option, confidence }] as const]
  }))
}
