import type { Option } from "../domain/form.ts"
import { align } from "./align.ts"
import { likeness, meaningOf, wordEvidence } from "./meaning.ts"
import { byName, exactOption, indexOptions, only, optionNamed } from "./optionIndex.ts"
import type { Suggestion } from "./Suggestion.ts"
import model from "./words/model.json" with { type: "json" }
import { topicEvidence } from "./words/topics.ts"
import { sameText, wordsOf } from "./words/words.ts"

/** Returns a function that finds the only option with given initials: `F` for Female, `SD` for Strongly disagree. If most short texts are not initials, all of them count as codes. */
const byInitials = (texts: ReadonlyArray<string>, options: ReadonlyArray<Option>) => {
  const named = byName(options, (name) => wordsOf(name).map((word) => word[0]).join(""))
  const optionOf = (text: string) => only(named.get(sameText(text)))
  const short = texts.filter((text) => text.trim().length <= 4)
  return short.filter(optionOf).length * 2 <= short.length ? () => undefined : optionOf
}

/**
 * Returns the options that unknown choices probably mean. A choice may differ from the option's name in spelling,
 * language or wording. Usually one choice belongs to each option, so the last unmatched choice and option probably
 * belong together. The columns of a block are options of the question, mostly in the form's order. Choices in cells have no order.
 */
export const translate = ({ origin, question }: Suggestion, texts: ReadonlyArray<string>) => {
  const isPerOption = origin._tag === "Block" && question.type !== "Matrix"
  const names = isPerOption ? origin.options.map(({ option }) => option) : []
  const isBlock = texts.every((text) => names.includes(text))
  const rows = (isBlock ? names : texts).slice(0, model.choicesCompared)
  const options = (question.options ?? []).slice(0, model.optionsCompared)
  const meanings = options.map(({ label }) => meaningOf(label))
  const [index, initials] = [indexOptions(options), byInitials(rows, options)]
  const cells = !isBlock && origin._tag === "Column" ? origin.profile.texts : []
  const named = new Set(cells.map((text) => exactOption(index, text)))
  const found = align(
    rows.map((text) => {
      const [meaning, same, initial] = [meaningOf(text), optionNamed(index, text), initials(text)]
      return options.map((option, of) => {
        const like = likeness(meaning, meanings[of]!)
        return Math.max(
          same === option ? model.ofName : -9,
          initial === option ? model.ofInitials : -9,
          // Less than for titles, because the options of one question are about the same topic.
          like.opposed ? -9 : topicEvidence(meaning.topics, meanings[of]!.topics, model.nearestText) - 1,
          // Between few options, that both are left over does not show that they belong together.
          like.opposed ? -9 : wordEvidence(like) * 0.85 - (like.value === 0 && options.length < 4 ? 2 : 0),
        ) + (named.has(option) ? model.ofAgain : 0)
      })
    }),
    isBlock,
  )
  return new Map(texts.flatMap((text) => {
    const row = found[rows.indexOf(text)] ?? new Float64Array()
    const confidence = Math.max(...row)
    const option = options[row.indexOf(confidence)]
    return option === undefined || confidence < model.proposed ? [] : [[text, { option, confidence }] as const]
  }))
}
