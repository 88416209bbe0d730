import { cut } from "../../domain/problem.ts"
import { conceptNearness } from "../words/lexicon.ts"
import { evidenceOfWords, nearness, type Topics, topicsOf } from "../words/topics.ts"
import { vocabulary } from "../words/vocabulary.ts"
import { sameText } from "../words/words.ts"
import { type Coverage, type ExpectedKind, shapeShare, type Target } from "./fit.ts"
import { type Likeness, likeness, type Meaning } from "./meaning.ts"
import type { Unit } from "./Suggestion.ts"

/** Kinds of answer that forms often ask about several people. */
const personal: ReadonlySet<ExpectedKind> = new Set(["email", "phone", "date"])

/** Texts that are options of many questions. */
const usual = new Set([vocabulary.yes, vocabulary.no, vocabulary.other, vocabulary.noAnswer].flat().map(sameText))

/** Whether cells or the headers of a block contain options that hardly any other question has. */
const hasDistinctiveOptions = (cover: Coverage | undefined, { question }: Target): boolean =>
  cover !== undefined && cover.covered >= 0.15 && cover.hits >= 2
  && (question.options ?? []).filter(({ label }) => /\p{L}/u.test(label) && !usual.has(sameText(label))).length >= 2

const peopleIn = ({ terms }: Meaning) =>
  vocabulary.people.filter((person) => terms.some(({ concepts }) => concepts.includes(person)))

/** The words that name only a kind of answer. */
const kindWords = new Set([...vocabulary.bare, ...Object.values(vocabulary.kindsOfNames).flat()])

/** Returns what a title is about, apart from the kind of its answer: "the supervisor" in "the supervisor's email". */
const subjectOf = ({ terms }: Meaning): Topics =>
  topicsOf(terms.filter(({ root }) => !kindWords.has(root)).map(({ text }) => text).join(" "))

/** Whether one of two titles names a person or an organisation that the other does not: "the supervisor's email" is not "the email". */
const namesOthers = (one: Meaning, { expected, meaning: other }: Target): boolean => {
  if (!personal.has(expected.kind)) return false
  const [a, b] = [peopleIn(one), peopleIn(other)]
  const lacks = (all: ReadonlyArray<string>) => (person: string) =>
    !all.some((same) => person === same || conceptNearness(person, same) >= 0.5)
  return (a.some(lacks(b)) || b.some(lacks(a))) && (nearness(subjectOf(one), subjectOf(other)) ?? 0) < 0.1
}

/** Compares a title with a question's, given their topics. Titles that name different people are opposed. */
export const likenessTo = (target: Target, title: Meaning, topics: Topics, asked: Topics): Likeness => {
  const near = nearness(topics, asked)
  const like = likeness(title, target.meaning, near, near === undefined ? evidenceOfWords(topics, asked) : undefined)
  return like.opposed || !namesOthers(title, target) ? like : { ...like, opposed: true }
}

/**
 * Returns whether titles and answers prove a pair, or at least make it likely. The kind of the cells and their place prove nothing: the only column of
 * dates may be one that the form doesn't ask for.
 *
 * @param evidence what titles and answers say, without the kind of the cells and their place
 */
export const proofOf = (
  target: Target,
  title: Likeness,
  evidence: number,
  cover: Coverage | undefined,
): "proven" | "likely" | undefined => {
  if (title.same || hasDistinctiveOptions(cover, target)) return "proven"
  if (title.opposed || evidence < -1) return undefined
  return evidence < -0.5 ? "likely" : "proven"
}

const kinds: Readonly<Record<ExpectedKind, string>> = {
  email: "email addresses",
  phone: "phone numbers",
  url: "links",
  files: "links",
  number: "numbers",
  scale: "whole numbers up to 10",
  date: "dates",
  dateTime: "times with a date",
  time: "times of day",
  boolean: "yes or no",
}

const ofTitles = ({ near = 0, ofWordsAlone, same, words }: Likeness): string => {
  if (same) return "the titles are the same"
  if (words === undefined) {
    const isNear = near >= 0.1 || ofWordsAlone > 0
    return isNear ? "the titles are about similar things" : "the titles share no specific word"
  }
  const [one, other] = words.map((text) => `"${cut(text, 40)}"`)
  return one === other ? `the titles share ${one}` : `${one} is similar to ${other}`
}

const ofCells = (unit: Unit, { expected: { kind }, question }: Target, cover: Coverage | undefined) => {
  if (cover !== undefined && cover.hits > 0) return `${cover.hits} of ${question.options?.length ?? 0} options occur`
  if (unit._tag === "Block") return undefined
  const { filled } = unit.profile
  if (filled === 0) return "the column is empty"
  const [part, named] = [shapeShare(unit.profile, kind), kinds[kind]]
  if (part === undefined || named === undefined) return undefined
  if (part === 0) return `no cell contains ${named}`
  return `${part >= 0.995 ? "all" : `${Math.floor(part * 100)}% of the`} ${filled} cells are ${named}`
}

/** Returns what a confidence follows from, in words. */
export const reasonsFor = (
  unit: Unit,
  target: Target,
  title: Likeness,
  cover: Coverage | undefined,
): ReadonlyArray<string> => [ofTitles(title), ofCells(unit, target, cover)].filter((reason) => reason !== undefined)
