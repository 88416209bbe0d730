import type { Question } from "../domain/form.ts"
import { kindOfType } from "../kinds/index.ts"
import type { ColumnProfile } from "../profile/ColumnProfile.ts"
import { meaningOf, namesConcept, type Wording } from "./meaning.ts"
import { indexOptions, likelySeparator, splitFit, splitTexts } from "./optionIndex.ts"
import type { BlockContent, Unit } from "./Suggestion.ts"
import model from "./words/model.json" with { type: "json" }
import { vocabulary } from "./words/words.ts"

/** Returns the kind of answer that a question expects, or `other`. `isGiven`: the form determines it. Otherwise, it is guessed from the question's options or name. */
export const expectedOf = ({ type, options = [] }: Question, meaning: Wording) => {
  if (type !== undefined) return { kind: kindOfType(type)?.name ?? "other", isGiven: true }
  if (options.length > 0) return { kind: "choice", isGiven: false }
  const named = Object.entries(vocabulary.kindsOfNames).find(([, concepts]) => namesConcept(meaning, ...concepts))
  return { kind: named === undefined || meaning.terms.length > 3 ? "text" : named[0], isGiven: false }
}

/** Returns a question with what is known about its answers. */
export const targetOf = (question: Question) => {
  const { name, options = [] } = question
  const meaning = meaningOf(name, options.map(({ label }) => label))
  const index = options.length === 0 ? undefined : indexOptions(options)
  return { question, meaning, options: index, ...expectedOf(question, meaning) }
}

export type Target = ReturnType<typeof targetOf>

export type OptionFit = Pick<ReturnType<typeof splitFit>, "covered" | "hits">

/** Returns how well the options of a question explain a unit's cells or, except in a grid, its columns' titles. Undefined if there is nothing to compare. */
export const optionFit = (unit: Unit, { kind, options }: Target): OptionFit | undefined => {
  const texts: ReadonlyArray<readonly [string, number]> = unit._tag === "Column"
    ? [...unit.profile.distinct].slice(0, model.textsCompared)
    : kind === "matrix"
    ? unit.options.flatMap(({ profile }) => [...profile.distinct])
    : unit.options.map(({ option }) => [option, 1])
  if (options === undefined || texts.length === 0) return undefined
  return splitFit(new Map(texts), options, unit._tag === "Column" && (kind === "choices" || kind === "ranking"))
}

/** Kinds of answers whose cells have a shape: what such cells are called, and the share of a column's cells that have it. */
export const shapedKinds: Readonly<
  Record<string, readonly [cells: string, shareIn: (profile: ColumnProfile) => number]>
> = {
  email: ["email addresses", ({ share }) => share.email],
  phone: ["phone numbers", ({ length, share }) => Math.max(share.phone, length < 7 ? 0 : share.integer)],
  url: ["links", ({ share }) => share.url],
  files: ["links", ({ share }) => share.url],
  number: ["numbers", ({ share }) => share.number],
  date: ["dates", ({ share }) => share.date + 0.95 * share.dateTime],
  dateTime: ["times with a date", ({ share }) => share.dateTime + 0.6 * share.date],
  time: ["times of day", ({ share }) => share.time],
  boolean: ["yes or no", ({ distinct, share }) => distinct.size > 4 ? 0 : share.boolean],
}

/** The kinds that a block may answer. The first is that of a question without a type. */
export const blockKinds: Readonly<Record<BlockContent, readonly [string, ...ReadonlyArray<string>]>> = {
  empty: ["choices", "ranking", "matrix"],
  ticks: ["choices"],
  ranks: ["ranking", "matrix"],
  places: ["ranking", "matrix"],
  labels: ["matrix"],
}

/** Returns how much a column's cells look like what a question expects, 0 to 1, or undefined if they could be anything. */
const looks = (profile: ColumnProfile, { isGiven, kind }: Target): number | undefined => {
  const { boolean, date, dateTime, number, time } = profile.share
  return kind === "text" && isGiven
    ? 1 - Math.max(number, date + dateTime, time, boolean)
    : shapedKinds[kind]?.[1](profile)
}

/** Returns what cells of the kind that a question expects prove: the more, the fewer units have such cells. */
export const kindEvidence = (units: ReadonlyArray<Unit>, target: Target): number => {
  const shows = units.filter((unit) =>
    unit._tag === "Column" && unit.profile.filled > 0 && (looks(unit.profile, target) ?? 0) >= 0.6
  )
  // Among the others: the unit itself is one of those that show it.
  return Math.log((units.length + 1) / Math.max(0.7, shows.length - 0.3))
}

/**
 * Rates cells as evidence: the logarithm of how many times likelier they are if a unit answers a question than if it does not.
 *
 * @param ofKind what cells of the expected kind prove
 */
export const cellEvidence = (unit: Unit, target: Target, cover: OptionFit | undefined, ofKind: number): number => {
  const { isGiven, kind } = target
  if (unit._tag === "Block" && isGiven && !blockKinds[unit.content].includes(kind)) return -Infinity
  if (unit._tag === "Column" && (kind === "address" || kind === "matrix")) return -9
  if (cover !== undefined && cover.covered >= 0.3) return model.ofOptions * Math.min(1, cover.covered + 0.2)
  if (unit._tag === "Block") return isGiven ? model.ofBlock : unit.content === "ticks" ? -0.5 : -2
  const { distinct, filled, texts } = unit.profile
  if (filled === 0) return -1.5
  if (cover !== undefined) {
    // As many texts as options may be their codes, or the options worded differently.
    const separator = kind === "choice" && isGiven ? undefined : likelySeparator(distinct)
    const lacking = (target.question.options?.length ?? 0) - new Set(splitTexts(texts, separator)).size
    return lacking === 0 ? 0 : lacking < -1 ? -3.5 : -1.5
  }
  const share = looks(unit.profile, target)
  if (share === undefined) return 0
  if (share >= 0.6) return ofKind * share
  return kind === "text" ? -3 * (1 - share) : isGiven ? -6 : -3
}
