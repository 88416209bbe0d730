import { distance } from "fastest-levenshtein"
import type { Option } from "../../domain/form.ts"
import { optionColumns } from "../../domain/row.ts"
import { loose } from "../../kinds/optionTable.ts"
import { nearness, topicsOf } from "../words/topics.ts"
import { sameText, wordsOf } from "../words/words.ts"
import { align } from "./align.ts"
import { agreement, likeness, type Meaning, meaningEvidence, meaningOf } from "./meaning.ts"
import { indexOptions, likelyOption } from "./optionIndex.ts"
import type { Suggestion } from "./Suggestion.ts"

export interface Translation {
  readonly option: Option
  readonly confidence: number
}

/** The minimum confidence of a translation that is proposed to a person. */
const proposed = 0.5

/** The maximum number of choices to translate, and of options to compare them with. */
const compared = 50
const optionsCompared = 200

/**
 * How near texts are at most. The options of one question are often about the same, so the words that they share count more than those of titles, but less
 * than equal texts.
 */
const nearestText = 4

/**
 * Returns options by the texts that are their initials: `F` for Female, `SD` for Strongly disagree. Omits initials that
 * several options share. If most short texts are not initials, all of them count as codes, and nothing is returned.
 */
const byInitials = (
  texts: ReadonlyArray<string>,
  options: ReadonlyArray<Option>,
): ReadonlyMap<string, Option> => {
  const named = new Map<string, Set<Option>>()
  for (const option of options) {
    const letters = wordsOf(option.label).map((word) => word.slice(0, 1)).join("")
    for (const initials of [letters, letters.slice(0, 1)]) {
      named.set(initials, new Set([...named.get(initials) ?? [], option]))
    }
  }
  const short = texts.filter((text) => /^\p{L}{1,4}$/u.test(text.trim()))
  const found = short.flatMap((text) => {
    const [option, ...others] = named.get(sameText(text)) ?? []
    return option === undefined || others.length > 0 ? [] : [[text, option] as const]
  })
  return new Map(found.length * 2 > short.length ? found : [])
}

/** Returns the options that texts are compared with, in their order. If there are many, returns only those with the most similar spelling. */
const optionsNear = (options: ReadonlyArray<Option>, texts: ReadonlyArray<string>): ReadonlyArray<Option> => {
  if (options.length <= optionsCompared) return options
  const startOf = (text: string) => sameText(text.slice(0, 100))
  const starts = texts.map(startOf)
  const mistakes = options.map(({ label }) => {
    const name = startOf(label)
    return Math.min(...starts.map((text) => distance(text, name) / Math.max(text.length, name.length, 1)))
  })
  const most = mistakes.toSorted((a, b) => a - b)[optionsCompared]!
  return options.filter((_, at) => mistakes[at]! < most)
}

/** Returns the options whose names occur in a suggestion's cells or headers. */
const named = ({ origin, question }: Pick<Suggestion, "question"> & Partial<Suggestion>): ReadonlySet<Option> => {
  if (origin === undefined) return new Set()
  const texts = origin._tag === "Column"
    ? [...origin.profile.distinct.keys()].map((text) => loose(text))
    : origin._tag === "Block"
    ? origin.members.map(({ option }) => loose(option))
    : []
  const cells = new Set(texts)
  const isIn = (name: string) =>
    cells.has(loose(name))
    || (origin._tag === "Column" && name.length > 3 && texts.some((text) => text.includes(loose(name))))
  return new Set((question.options ?? []).filter(({ label, value }) => isIn(label) || isIn(value)))
}

/** The evidence against a second choice for an option. */
const again = 2.5

const isKnown = ({ terms }: Meaning): boolean => terms.every(({ concepts }) => concepts.length > 0)

/** Returns the names of a block's options in the order of their columns. */
const columnNames = ({ origin, question }: Partial<Suggestion>): ReadonlyArray<string> =>
  origin?._tag === "Block" && question?.type !== "Matrix"
    ? optionColumns(origin.members).map(({ option }) => option)
    : []

/** The columns of a block are options of the question, mostly in the form's order. Choices in cells have no order. */
const [blockHabits, cellHabits] = [{ alone: 0.1, inOrder: 0.8 }, { alone: 0.2, inOrder: 0 }]

const comparable = (text: string) => ({ meaning: meaningOf(text), topics: topicsOf(text) })

/** Evidence that decides alone which option a column is for. */
const decisive = 4

/**
 * Returns the options that unknown choices probably mean. A choice may differ from the option's name in spelling,
 * language or wording. Usually one choice belongs to each option, so the last unmatched choice and option probably
 * belong together. The columns of a block are matched in their order if at least half of them, and three, are certain
 * and in the form's order.
 */
export const translate = (
  suggestion: Pick<Suggestion, "question"> & Partial<Suggestion>,
  texts: ReadonlyArray<string>,
): ReadonlyMap<string, Translation> => {
  const own = named(suggestion)
  const names = columnNames(suggestion).slice(0, compared)
  const isBlock = texts.every((text) => names.includes(text))
  const rows = isBlock ? names : texts.slice(0, compared)
  const options = optionsNear(suggestion.question.options ?? [], rows)
  const [from, to] = [rows.map(comparable), options.map(({ label }) => comparable(label))]
  const initials = byInitials(rows, options)
  const index = indexOptions(options)
  const evidence = from.map((text, at) => {
    const [same, initial] = [likelyOption(index, rows[at]!), initials.get(rows[at]!)]
    return to.map((name, of) => {
      const alike = likeness(text.meaning, name.meaning)
      const near = nearness(text.topics, name.topics, nearestText) ?? 0
      // Between few options, or if the vocabulary knows both, what is left over does not belong together by that alone.
      const isOther = alike.value === 0 && (options.length < 4 || (isKnown(text.meaning) && isKnown(name.meaning)))
      return Math.max(
        same === options[of] ? 6 : -9,
        initial === options[of] ? 4 : -9,
        alike.opposed ? -9 : 2 * agreement(near) - 1.5,
        meaningEvidence(alike) * 0.85 - (isOther ? 2 : 0),
      )
    })
  })
  const certain = evidence.flatMap((row) => row.some((one) => one >= decisive) ? [row.indexOf(Math.max(...row))] : [])
  const isInOrder = isBlock && certain.length >= Math.max(3, names.length / 2)
    && certain.every((of, at) => at === 0 || of > certain[at - 1]!)
  const found = isInOrder
    ? align(evidence, blockHabits)
    : align(evidence.map((row) => row.map((one, of) => one - (own.has(options[of]!) ? again : 0))), cellHabits)
  return new Map(texts.flatMap((text) => {
    const at = rows.indexOf(text)
    const best = [...found[at] ?? []].reduce((most, one, of, all) => one > (all[most] ?? 0) ? of : most, 0)
    const [option, confidence = 0] = [options[best], found[at]?.[best]]
    return option === undefined || confidence < proposed ? [] : [[text, { option, confidence }] as const]
  }))
}
