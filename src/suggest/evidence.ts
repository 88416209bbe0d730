import { cached } from "../domain/cached.ts"
import { cut } from "../domain/problem.ts"
import { percent, present } from "../domain/words.ts"
import { cellWords } from "../profile/cellWords.ts"
import type { ColumnProfile } from "../profile/ColumnProfile.ts"
import { sureFrom } from "../project/pipelineEdits.ts"
import { type OptionFit, optionFit, shapedKinds, type Target } from "./fit.ts"
import { agreement, areInverse, likeness, type Meaning, namesConcept, wordEvidence } from "./meaning.ts"
import type { Unit } from "./Suggestion.ts"
import model from "./words/model.json" with { type: "json" }
import { nearness, topicEvidence, topicsOf } from "./words/topics.ts"
import { sameText, vocabulary } from "./words/words.ts"

/** The words that name only a kind of answer. */
const kindWords = new Set([...vocabulary.bare, ...Object.values(vocabulary.kindsOfNames).flat()])

/** Returns what a title is about, apart from the kind of its answer: "the supervisor" in "the supervisor's email". */
const subjectOf = cached(({ terms }: Meaning) =>
  topicsOf(terms.filter(({ root }) => !kindWords.has(root)).map(({ text }) => text).join(" "))
)

/** Whether one of two titles names a person or an organisation that the other does not: "the supervisor's email" is not "the email". */
const namesOthers = (one: Meaning, { kind, meaning: other }: Target): boolean =>
  // Forms often ask for these kinds about several people.
  ["email", "phone", "date"].includes(kind)
  && vocabulary.people.some((person) => namesConcept(one, person) !== namesConcept(other, person))
  && nearness(subjectOf(one), subjectOf(other)) < 0.1

/** Whether a question takes yes or no, or may take the yes and no of a column because it has no type. */
const takesYesOrNo = ({ isGiven, kind, options }: Target, cells: ColumnProfile | undefined): boolean =>
  kind === "boolean" || options?.ticks !== undefined || (!isGiven && cells !== undefined && cells.share.boolean >= 0.9)

/**
 * Compares a title with a question's by their topics. Words count only if a topic is unknown, or if titles are nearly the same. `isInverse`: a yes to one
 * is a no to the other. `isUnknown`: nothing is known of one. `evidence`: what they prove, for `align`.
 */
export const likenessTo = (target: Target, title: Meaning, cells?: ColumnProfile) => {
  const words = likeness(title, target.meaning)
  const isInverse = takesYesOrNo(target, cells) && areInverse(title, target.meaning)
  const like = { ...words, opposed: words.opposed || isInverse || namesOthers(title, target) }
  const isUnknown = [title, target.meaning].some(({ topics }) => topics.concepts.length === 0)
  const ofTopics = topicEvidence(title.topics, target.meaning.topics) + (like.opposed ? model.ofOpposed : 0)
  const ofWords = isUnknown || like.value >= 0.8 ? wordEvidence(like) : -Infinity
  return { ...like, isInverse, isUnknown, evidence: Math.max(ofTopics, ofWords) }
}

/** Compares a unit with a question. `evidence`: what titles and answers prove, without the kind of the cells and their place. */
export const compare = (unit: Unit, target: Target) => {
  const [one, other] = [unit.meaning, target.meaning]
  const title = likenessTo(target, one, unit._tag === "Column" ? unit.profile : undefined)
  const cover = optionFit(unit, target)
  // A title may be about the answers of the other side.
  const subject = Math.max(nearness(one.topics, other.answers), nearness(one.answers, other.topics))
  const choices = cover !== undefined && cover.covered >= 0.3 ? 0 : nearness(one.answers, other.answers)
  const isOther = namesConcept(one, "other") !== namesConcept(other, "other")
  const ofAnswers = agreement(subject) + model.ofChoices * agreement(choices) + (isOther ? model.ofOther : 0)
  return { title, cover, evidence: title.evidence + ofAnswers }
}

type Comparison = ReturnType<typeof compare>

/** Texts that are options of many questions. */
const usual = new Set([cellWords.yes, cellWords.no, cellWords.noAnswer, vocabulary.other].flat().map(sameText))

/** Whether cells or the headers of a block contain options that hardly any other question has. */
const hasDistinctiveOptions = (cover: OptionFit | undefined, { question: { options = [] } }: Target): boolean =>
  cover !== undefined && cover.covered >= 0.15 && cover.hits >= 2
  && options.filter(({ label }) => /\p{L}/u.test(label) && !usual.has(sameText(label))).length >= 2

/**
 * Returns the confidence in a pair that is probable by all evidence. The kind of the cells and their place prove nothing: the only column of dates may be
 * one that the form doesn't ask for. So titles or answers must prove a pair, or at least make it likely.
 */
export const confidenceIn = (probable: number, target: Target, { cover, evidence, title }: Comparison): number => {
  if (title.same || hasDistinctiveOptions(cover, target)) return probable
  if (title.isUnknown && !title.opposed && probable >= model.certain) return probable
  // `check` and `init --review` ask a person to look at a pair that is only likely.
  return Math.min(probable, title.opposed || evidence < -1 ? model.unproven : evidence < -0.5 ? sureFrom - 0.01 : 1)
}

const ofTitles = ({ evidence, isInverse, same, shared }: Comparison["title"]): string => {
  if (same) return "the titles are the same"
  if (isInverse) return "yes to one title may be no to the other"
  if (shared === undefined) {
    return `the titles ${evidence > 0.8 ? "are about similar things" : "share no specific word"}`
  }
  const [one, other] = shared.map((text) => `"${cut(text, 40)}"`)
  return one === other ? `the titles share ${one}` : `${one} is similar to ${other}`
}

const ofCells = (unit: Unit, { kind, question }: Target, cover: OptionFit | undefined) => {
  if (cover !== undefined && cover.hits > 0) return `${cover.hits} of ${question.options?.length ?? 0} options occur`
  if (unit._tag === "Block") return undefined
  const { filled } = unit.profile
  if (filled === 0) return "the column is empty"
  if (shapedKinds[kind] === undefined) return undefined
  const [cells, shareIn] = shapedKinds[kind]
  const part = shareIn(unit.profile)
  if (part === 0) return `no cell contains ${cells}`
  return `${part < 1 ? `${percent(part)} of the` : "all"} ${filled} cells are ${cells}`
}

/** Returns the reasons for a confidence, in words. */
export const reasonsFor = (unit: Unit, target: Target, { cover, title }: Comparison): ReadonlyArray<string> =>
  present([ofTitles(title), ofCells(unit, target, cover)])
