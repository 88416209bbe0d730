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

/** How near the subjects of titles are that may be about the same person. */
const sameSubject = 0.1

/** Whether one of two titles names a person or an organisation that the other does not: "the supervisor's email" is not "the email". */
const namesOthers = (one: Meaning, { expected, meaning: other }: Target): boolean => {
  if (!personal.has(expected.kind)) return false
  const [a, b] = [peopleIn(one), peopleIn(other)]
  const lacks = (all: ReadonlyArray<string>) => (person: string) =>
    !all.some((same) => person === same || conceptNearness(person, same) >= 0.5)
  return (a.some(lacks(b)) || b.some(lacks(a))) && (nearness(subjectOf(one), subjectOf(other)) ?? 0) < sameSubject
}

/** Compares a title with a question's, given their topics. Titles that name different people are opposed. */
export const likenessTo = (target: Target, title: Meaning, topics: Topics, asked: Topics): Likeness => {
  const near = nearness(topics, asked)
  const like = likeness(title, target.meaning, near, near === undefined ? evidenceOfWords(topics, asked) : undefined)
  return like.opposed || !namesOthers(title, target) ? like : { ...like, opposed: true }
}

/** The least evidence from titles and answers of a pair that is accepted. */
const enough = -0.5

/**
 * Whether titles and answers prove a pair. The kind of the cells and their place prove nothing: the only column of dates may be one that the form
 * doesn't ask for.
 *
 * @param evidence what titles and answers say, without the kind of the cells and their place
 */
export const isProven = (
  target: Target,
  title: Likeness,
  evidence: number,
  cover: Coverage | undefined,
): boolean => title.same || hasDistinctiveOptions(cover, target) || (!title.opposed && evidence >= enough)

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

const quoted = (text: string) => `"${cut(text, 40)}"`

const ofTitles = ({ near = 0, ofWordsAlone, same, words }: Likeness): ReadonlyArray<string> => {
  if (same) return ["the titles are the same"]
  if (words === undefined && (near >= 0.1 || ofWordsAlone > 0)) return ["the titles are about similar things"]
  if (words === undefined) return ["the titles share no specific word"]
  const [one, other] = words
  return [one === other ? `the titles share ${quoted(one)}` : `${quoted(one)} is similar to ${quoted(other)}`]
}

const share = (part: number, all: string): string =>
  part >= 0.995 ? `all ${all}` : `${Math.floor(part * 100)}% of the ${all}`

const ofCells = (
  unit: Unit,
  { expected: { kind }, question }: Target,
  cover: Coverage | undefined,
): ReadonlyArray<string> => {
  const count = question.options?.length ?? 0
  if (cover !== undefined && cover.hits > 0) {
    return [`${cover.hits} of ${count} options occur`]
  }
  if (unit._tag === "Block") return []
  const { profile } = unit
  if (profile.filled === 0) return ["the column is empty"]
  const part = shapeShare(profile, kind)
  const named = kinds[kind]
  if (part === undefined || named === undefined) return []
  return [part === 0 ? `no cell contains ${named}` : `${share(part, `${profile.filled} cells`)} are ${named}`]
}

/** Returns what a confidence follows from, in words. */
export const reasonsFor = (
  unit: Unit,
  target: Target,
  title: Likeness,
  cover: Coverage | undefined,
): ReadonlyArray<string> => [
  ...ofTitles(title),
  ...ofCells(unit, target, cover),
]
