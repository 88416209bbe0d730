import type { Question } from "../../domain/form.ts"
import { optionColumns } from "../../domain/row.ts"
import { kindOfType } from "../../kinds/index.ts"
import type { ColumnProfile } from "../profile/ColumnProfile.ts"
import { vocabulary } from "../words/vocabulary.ts"
import { cached } from "../words/words.ts"
import { type Meaning, meaningOf, namesConcept } from "./meaning.ts"
import { indexOptions, likelyOption, likelySeparator, type OptionIndex, splitFit } from "./optionIndex.ts"
import type { BlockContent, Unit } from "./Suggestion.ts"

/** The kind of answer that a question expects by its type or name: the name of a kind of value, or `longText`, `scale` or `other`, which only suggestions distinguish. */
export type ExpectedKind = string

interface Expected {
  readonly kind: ExpectedKind
  /** Whether the form determines the kind. If it does not, the kind is guessed from the question's options or name. */
  readonly isGiven: boolean
}

const byType: Readonly<Record<string, ExpectedKind>> = {
  LongAnswer: "longText",
  OpinionScale: "scale",
  StarRating: "scale",
  Password: "other",
  DateRange: "other",
}

/** Returns what a question expects, judging by its type or, if it has none, by its options or name. */
export const expectedOf = ({ type, options }: Question, meaning: Meaning): Expected => {
  if (type !== undefined) {
    return { kind: byType[type] ?? kindOfType(type)?.name ?? "other", isGiven: true }
  }
  if (options !== undefined && options.length > 0) return { kind: "choice", isGiven: false }
  const [kind = "text"] = meaning.terms.length > 3
    ? []
    : Object.keys(vocabulary.kindsOfNames).filter((kind) =>
      meaning.terms.some(({ concepts }) => concepts.some((one) => vocabulary.kindsOfNames[kind]?.includes(one)))
    )
  return { kind, isGiven: false }
}

export interface Target {
  readonly question: Question
  readonly meaning: Meaning
  readonly expected: Expected
  readonly options: OptionIndex | undefined
}

export const targetOf = (question: Question): Target => {
  const meaning = meaningOf(question.name)
  return {
    question,
    meaning,
    expected: expectedOf(question, meaning),
    options: question.options === undefined || question.options.length === 0
      ? undefined
      : indexOptions(question.options),
  }
}

export interface Coverage {
  /** Share of the cells that are options, 0 to 1. If a cell contains several choices, the share of the cells' letters that belong to options. */
  readonly covered: number
  readonly hits: number
}

/** The number of distinct texts that are compared with options. More add no evidence. */
const compared = 200

/** Returns how well the options of a question explain a unit's cells, or undefined if there is nothing to compare. */
export const optionCoverage = (unit: Unit, { expected, options }: Target): Coverage | undefined => {
  if (options === undefined) return undefined
  if (unit._tag === "Block") {
    const own = optionColumns(unit.members)
    // In a grid, the columns' titles are its rows, and the cells are its answers.
    if (expected.kind === "matrix") {
      const answers = [...new Set(own.flatMap(({ profile }) => [...profile.distinct.keys()]))]
      const known = answers.flatMap((text) => likelyOption(options, text)?.value ?? [])
      return answers.length === 0 ? undefined : { covered: known.length / answers.length, hits: new Set(known).size }
    }
    const hits = own.filter(({ option }) => likelyOption(options, option) !== undefined).length
    return { covered: own.length === 0 ? 0 : hits / own.length, hits }
  }
  if (unit.profile.filled === 0) return undefined
  const distinct = new Map([...unit.profile.distinct].slice(0, compared))
  if (expected.kind === "choices" || expected.kind === "ranking") return splitFit(distinct, options)
  const read = [...distinct].map(([text, times]) => ({ option: likelyOption(options, text)?.value, times }))
  const named = read.filter(({ option }) => option !== undefined)
  const sumOf = (cells: typeof read) => cells.reduce((sum, { times }) => sum + times, 0)
  return { covered: sumOf(named) / sumOf(read), hits: new Set(named.map(({ option }) => option)).size }
}

/** Returns the share of a column's cells with the shape that a question expects, or undefined if any text fits. */
export const shapeShare = ({ distinct, share, range }: ColumnProfile, kind: ExpectedKind): number | undefined => {
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
      return distinct.size > 4 ? 0 : share.boolean
    default:
      return undefined
  }
}

const answered: Readonly<Record<BlockContent, ReadonlyArray<ExpectedKind>>> = {
  empty: ["choices", "ranking", "matrix"],
  ticks: ["choices"],
  ranks: ["ranking", "matrix"],
  places: ["ranking", "matrix"],
  labels: ["matrix"],
}

/** Returns how much a column's cells look like what a question expects, 0 to 1, or undefined if they could be anything. */
const looks = (profile: ColumnProfile, { expected: { isGiven, kind }, meaning }: Target): number | undefined => {
  const { length, share } = profile
  if (kind !== "text" && kind !== "longText") return shapeShare(profile, kind)
  for (const shape of ["email", "url"] as const) {
    if (share[shape] >= 0.8 && !vocabulary.addresses[shape].some((one) => namesConcept(meaning, one))) return 0
  }
  if (!isGiven) return undefined
  if (share.number >= 0.9) return 0.2
  if (share.date + share.dateTime >= 0.8 || share.time >= 0.8 || share.boolean >= 0.9) return 0
  if (kind === "text") return length > 60 ? 0.4 : 1
  return length > 40 ? 1 : length > 25 ? 0.8 : length > 15 ? undefined : 0.4
}

/** Returns whether a column without any of a question's options may contain its codes, or the options worded differently: 0 if not, 1 if it has no more texts than options, 2 if as many. */
const codesFit = ({ distinct, more, share }: ColumnProfile, { expected, question }: Target): 0 | 1 | 2 => {
  const count = question.options?.length ?? 0
  if (more || share.date + share.dateTime + share.time + share.email >= 0.5) return 0
  const separator = expected.kind === "choice" && expected.isGiven ? undefined : likelySeparator(distinct)
  const texts = [...distinct.keys()].flatMap((text) => separator === undefined ? [text] : text.split(separator))
  const codes = new Set(texts.map((text) => text.trim()).filter((text) => text !== "")).size
  return codes > count + 1 ? 0 : codes === count ? 2 : 1
}

/** What the options of a question in the cells prove, and a block of columns for a question that takes one. */
const [ofOptions, ofBlock] = [4.5, 2]

/** Returns what cells of the expected kind prove: the more, the fewer columns have such cells. */
export const kindEvidence = (units: ReadonlyArray<Unit>) =>
  cached((target: Target) => {
    const shows = units.filter((unit) =>
      unit._tag === "Column" && unit.profile.filled > 0 && (looks(unit.profile, target) ?? 0) >= 0.6
    )
    // Among the others: the unit itself is one of those that show it.
    return Math.log((units.length + 1) / Math.max(0.7, shows.length - 0.3))
  })

/** Rates cells as evidence: the logarithm of how many times likelier they are if a unit answers a question than if it does not. */
export const cellEvidence = (
  unit: Unit,
  target: Target,
  cover: Coverage | undefined,
  ofKind: (target: Target) => number,
): number => {
  const { isGiven, kind } = target.expected
  if (unit._tag === "Block") {
    if (isGiven && !answered[unit.content].includes(kind)) return -Infinity
    if (cover !== undefined && cover.covered >= 0.3) return ofOptions * Math.min(1, cover.covered + 0.2)
    if (!isGiven) return unit.content === "ticks" ? -0.5 : -2
    return cover === undefined ? ofBlock : ofBlock - 0.8
  }
  const { profile } = unit
  if (kind === "address" || kind === "matrix") return -9
  if (profile.filled === 0) return -2
  if (cover !== undefined) {
    const fits = codesFit(profile, target)
    if (cover.covered >= 0.3 || (cover.covered >= 0.15 && fits > 0)) return ofOptions * Math.min(1, cover.covered + 0.2)
    return fits === 0 ? (isGiven ? -4 : -2.5) : fits === 1 ? -1.5 : 0
  }
  if (kind === "other" || kind === "location") return -3
  const share = looks(profile, target)
  if (share === undefined) return kind === "text" || kind === "longText" ? 0 : profile.more ? -2 : 0
  if (share >= 0.6) return (isGiven ? 1 : 0.6) * ofKind(target) * share
  if (kind === "boolean") return !profile.more && profile.distinct.size <= 3 ? -0.8 : -5
  if (kind === "text" || kind === "longText") return isGiven ? -3 * (1 - share) : -4
  return isGiven ? -6 : -3
}
