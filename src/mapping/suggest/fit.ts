import type { Question } from "../../domain/form.ts"
import { kindOfType } from "../../kinds/index.ts"
import type { ColumnProfile } from "./ColumnProfile.ts"
import type { Meaning } from "./meaning.ts"
import { meaningOf, speaksOf } from "./meaning.ts"
import type { OptionNames, TextForms } from "./optionNames.ts"
import { likelyOption, optionNames, splitFit } from "./optionNames.ts"
import type { BlockContent, Unit } from "./Suggestion.ts"

/** The kind of answer that a question expects by its type or name: the name of a kind of value, or `longText`, `scale` or `other`, which only suggestions distinguish. */
export type ExpectedKind = string

interface Expected {
  readonly kind: ExpectedKind
  /** Whether the form gives it. Otherwise it is guessed from the name. */
  readonly isGiven: boolean
}

/** Types for which suggestions expect something other than the usual kind. */
const byType: Readonly<Record<string, ExpectedKind>> = {
  LongAnswer: "longText",
  OpinionScale: "scale",
  StarRating: "scale",
  Password: "other",
  DateRange: "other",
}

/** Concepts in a name, with the kind of answer that they suggest. */
const byConcept: ReadonlyArray<readonly [concept: string, kind: ExpectedKind]> = [
  ["email", "email"],
  ["phone", "phone"],
  ["mobile", "phone"],
  ["website", "url"],
  ["birthday", "date"],
]

/** Returns what a question expects: by its type, otherwise by a short name. */
export const expectedOf = ({ type, options }: Question, meaning: Meaning): Expected => {
  if (type !== undefined) {
    return { kind: byType[type] ?? kindOfType(type)?.name ?? "other", isGiven: true }
  }
  if (options !== undefined && options.length > 0) return { kind: "choice", isGiven: false }
  const found = meaning.terms.length > 3 ? undefined : byConcept.find(([concept]) => speaksOf(meaning, concept))
  return { kind: found?.[1] ?? "text", isGiven: false }
}

/** A question with its meaning and what it expects. */
export interface Target {
  readonly question: Question
  readonly meaning: Meaning
  readonly expected: Expected
  readonly options: OptionNames | undefined
}

export const targetOf = (question: Question): Target => {
  const meaning = meaningOf(question.name)
  return {
    question,
    meaning,
    expected: expectedOf(question, meaning),
    options: question.options === undefined || question.options.length === 0
      ? undefined
      : optionNames(question.options),
  }
}

/** How well cells are explained by a question's options. */
export interface Coverage {
  /** Share of the cells that options explain, 0 to 1; of their letters, if a cell contains several choices. */
  readonly covered: number
  /** Number of distinct options that occur. */
  readonly hits: number
}

/**
 * Returns how well the options of a question explain a unit's cells, or undefined if there is nothing to compare.
 *
 * @param forms those of the unit's texts: the same for every question
 */
export const coverage = (unit: Unit, target: Target, forms: TextForms): Coverage | undefined => {
  const { options } = target
  if (options === undefined) return undefined
  if (unit._tag === "Block") {
    const own = unit.members.filter(({ role }) => role === "option")
    // The titles contain the rows of a grid, the cells its answers.
    if (target.expected.kind === "matrix") {
      const answers = [...new Set(own.flatMap(({ profile }) => [...profile.distinct.keys()]))]
      const known = answers.flatMap((text) => likelyOption(options, text, forms)?.value ?? [])
      return answers.length === 0 ? undefined : { covered: known.length / answers.length, hits: new Set(known).size }
    }
    const hits = own.filter(({ option }) => likelyOption(options, option, forms) !== undefined).length
    return { covered: own.length === 0 ? 0 : hits / own.length, hits }
  }
  const { distinct, filled } = unit.profile
  if (filled === 0) return undefined
  if (target.expected.kind === "choices" || target.expected.kind === "ranking") {
    const { covered, hits } = splitFit(distinct, options)
    return { covered, hits }
  }
  const hit = new Set<string>()
  let [cells, all] = [0, 0]
  for (const [text, times] of distinct) {
    const option = likelyOption(options, text, forms)
    all += times
    if (option === undefined) continue
    cells += times
    hit.add(option.value)
  }
  return { covered: cells / all, hits: hit.size }
}

/** Returns the share of a column's cells with the shape that a question expects, or undefined if any text fits. */
export const shapeShare = ({ share, range }: ColumnProfile, kind: ExpectedKind): number | undefined => {
  switch (kind) {
    case "email":
      return share.email
    case "phone":
      return Math.max(share.phone, range !== undefined && range.min >= 1_000_000 ? share.integer : 0)
    case "url":
    case "files":
      return share.url
    case "number":
      return share.number
    case "scale":
      return range !== undefined && range.min >= 0 && range.max <= 10 ? share.integer : 0
    case "date":
      return share.date + 0.95 * share.dateTime
    case "dateTime":
      return share.dateTime + 0.6 * share.date
    case "time":
      return share.time
    case "boolean":
      return share.boolean
    default:
      return undefined
  }
}

/** How much a shape proves, in logits: an e-mail address is nothing else, a number may be anything. */
const proof: Readonly<Record<ExpectedKind, number>> = {
  email: 2.5,
  phone: 2,
  url: 1.5,
  files: 1,
  date: 1,
  dateTime: 1,
  time: 1.2,
  boolean: 0.8,
  scale: 0.4,
  number: 0.4,
}

/** How rare something is in this source and form. If only one column and one question have it, they belong together. */
interface Rarity {
  /** Of a shape, 0 to 1. */
  readonly shape: (kind: ExpectedKind) => number
  /** Of a question's options in a unit, 0 to 1. */
  readonly options: number
}

const fitOptions = (
  { covered, hits }: Coverage,
  profile: ColumnProfile | undefined,
  target: Target,
  rare: number,
): number => {
  const count = target.options?.options.length ?? 0
  if (covered >= 0.5) return (covered * 2 - 0.5) * (0.4 + 2.2 * rare * Math.min(1, hits / Math.min(3, count)))
  if (profile === undefined) return covered > 0 ? 0 : -1
  // Few words that are not options: another language, or codes.
  const few = !profile.more && profile.distinct.size <= Math.max(4, count * 2)
  if (target.expected.kind === "choices" || few) return covered * 2 - 0.8
  return profile.filled < 4 ? -1.5 : -4
}

/** Rates a column for a question that expects text, in logits. */
const fitText = (profile: ColumnProfile, { meaning, expected }: Target): number => {
  const { share } = profile
  let fit = 0
  if (share.email >= 0.8 && !speaksOf(meaning, "email")) fit -= 4
  if (
    share.url >= 0.8
    && !["website", "link", "file", "photo", "screenshot", "linkedin"].some((one) => speaksOf(meaning, one))
  ) fit -= 2
  if (expected.isGiven) {
    if (share.dateTime >= 0.8) fit -= 1.5
    else if (share.date >= 0.8) fit -= 0.8
    if (expected.kind === "longText" && profile.filled > 3) {
      if (share.number >= 0.9 || share.boolean >= 0.9) fit -= 1.5
      else if (profile.length > 40) fit += 0.7
    }
  }
  return fit
}

/**
 * Rates a column's cells for a question, in logits. 0 if they could be anything.
 */
export const fitColumn = (
  profile: ColumnProfile,
  target: Target,
  covered: Coverage | undefined,
  rarity: Rarity,
): number => {
  const { kind, isGiven } = target.expected
  // A single column is neither an address nor a grid.
  if (kind === "address" || kind === "matrix") return -9
  if (profile.filled === 0) return -0.3
  const sure = profile.filled / (profile.filled + 1)
  const share = shapeShare(profile, kind)
  if (covered !== undefined) return fitOptions(covered, profile, target, rarity.options) * sure
  if (share === undefined) {
    if (kind === "text" || kind === "longText") return fitText(profile, target)
    if (kind === "other" || kind === "location") return -3
    // A choice with unknown options has few distinct texts.
    return profile.more ? -2 : 0
  }
  if (share >= 0.6) return (proof[kind] ?? 0) * share * (1 + rarity.shape(kind)) * sure
  if (kind === "boolean") return !profile.more && profile.distinct.size <= 3 ? -0.5 : -4
  if (kind === "scale") return profile.share.number >= 0.9 ? -2 : profile.distinct.size <= 11 ? -1.5 : -4
  const against = kind === "email" || kind === "date" || kind === "dateTime" || kind === "time" ? -6 : -4
  return isGiven ? against * (1 - share) : -2.5 * (1 - share)
}

/** The kinds of question that a block may answer, by its content. */
const answered: Readonly<Record<BlockContent, ReadonlyArray<ExpectedKind>>> = {
  empty: ["choices", "ranking", "matrix"],
  ticks: ["choices"],
  ranks: ["ranking", "matrix"],
  labels: ["matrix"],
}

/** Whether a block may answer a question of a kind. */
export const blockFits = (content: BlockContent, kind: ExpectedKind): boolean => answered[content].includes(kind)

/** Rates a block's columns for a question, in logits. */
export const fitBlock = (
  content: BlockContent,
  target: Target,
  covered: Coverage | undefined,
  rarity: Rarity,
): number => {
  const { kind, isGiven } = target.expected
  if (isGiven && !blockFits(content, kind)) return -8
  // Without a type, only options can show that a block of ticks fits.
  if (!isGiven) {
    return content === "ticks" && covered !== undefined ? fitOptions(covered, undefined, target, rarity.options) : -8
  }
  // A grid's answers may use different words from the form's. That doesn't count against it.
  if (kind === "matrix") return 0.5 + 2.5 * rarity.shape(kind) + (covered?.covered ?? 0) * 1.5
  return 0.5 + (covered === undefined ? 0.5 : fitOptions(covered, undefined, target, rarity.options))
}
