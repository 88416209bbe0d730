// An entry for the columns that a person chose: how their cells can be read, and what is still open about it.
import type { Option, Question } from "../domain/form.ts"
import type { OwnTime } from "../domain/item.ts"
import { nameOrNumber } from "../domain/row.ts"
import { Fault } from "../kinds/Kind.ts"
import type { MappingEntry } from "../project/Pipeline.ts"
import { commentText, type DraftEntry, type DraftKey } from "../project/PipelineDraft.ts"
import { type ForeignChoice, foreignChoices, unknownOf } from "../suggest/draft/draftChoices.ts"
import { fromOf, ownEntry, questionEntry, samplesFrom } from "../suggest/draft/draftPipeline.ts"
import { type Gap, openIn, ownSettings, readerOf, type Settings, settingsFor } from "../suggest/draft/settings.ts"
import { columnsOf, type Origin, type OwnColumn, type Suggestion, type Suggestions } from "../suggest/Suggestion.ts"
import type { SurveyedSource } from "./suggestMapping.ts"

/** Columns that may answer a question. */
export interface ReviewCandidate extends Suggestion {
  /** The columns' names, or the title of their block. */
  readonly shown: string
  /** A few of the columns' cells. */
  readonly cells: ReadonlyArray<string>
}

/** A choice in the cells that is not an option of its question. */
export interface OpenChoice {
  readonly question: Question
  /** The kind of the question's answers. */
  readonly kind: string | undefined
  readonly choice: string
  readonly count: number
  /** The option that the choice most likely means. */
  readonly likely: Option | undefined
}

/** The entry for the column that a person chose, with the questions that are still open about it. */
export interface ReviewedEntry {
  readonly kind: string | undefined
  /** The keys to ask a person for, each with its values to choose from (any text if there are none), and why the cells don't show it. */
  readonly asks: ReadonlyArray<Required<Omit<Gap, "todo">>>
  /** A sentence that says what is open but can't be settled by an answer. If present, the entry stays a comment. */
  readonly open: string | undefined
  /** A sentence that says why the column's cells don't fit the question. */
  readonly misfit: string | undefined
  readonly choices: ReadonlyArray<OpenChoice>
  /** Returns the entry with the answers to `asks`. The entry stays open if an answer is missing. */
  readonly entry: (answers: ReadonlyMap<string, string>) => DraftEntry
}

/** Makes entries for the columns that a person chose. */
export interface ReviewedEntries {
  readonly entryFor: (question: Question, origin: Origin) => ReviewedEntry
  readonly entryForTime: (time: OpenTime) => ReviewedEntry
}

/** A time with a known column whose cells can be read in several ways. */
export interface OpenTime {
  readonly of: OwnTime
  readonly column: OwnColumn
}

const listedChoices = 50

/** Returns the most frequent choices that are not options. */
export const openChoices = (
  { kind, question }: Pick<OpenChoice, "kind" | "question">,
  choices: ReadonlyArray<ForeignChoice>,
): ReadonlyArray<OpenChoice> =>
  choices.slice(0, listedChoices).map(({ choice, count, likely, option }) => ({
    question,
    kind,
    choice,
    count,
    likely: option ?? likely?.option,
  }))

/** Whether a pipeline can refer to the columns of an origin. */
export const isNamed = (origin: Origin): boolean =>
  (origin._tag === "Block" && origin.known) || columnsOf(origin).every(({ name }) => name !== undefined)

const shownFrom = ({ origin, question }: Suggestion): string => {
  const from = fromOf(origin, nameOrNumber, question)
  if (typeof from === "string") return from
  return origin._tag === "Block"
    ? `the columns of "${commentText(origin.title)}"`
    : columnsOf(origin).map(nameOrNumber).join(" + ")
}

/** Returns what a person needs to know to choose these columns. */
export const candidateOf = (suggestion: Suggestion): ReviewCandidate => ({
  ...suggestion,
  shown: shownFrom(suggestion),
  cells: samplesFrom(suggestion.origin),
})

/** Returns what an entry reads, in words. */
export const shownInput = ({ input }: MappingEntry): string => {
  switch (input._tag) {
    case "Columns":
    case "FirstOf":
      return input.columns.map(({ name }) => name).join(" + ")
    case "Value":
      return input.value
    case "Template":
      return input.pieces.map((piece) => typeof piece === "string" ? piece : `{${piece.name}}`).join("")
    case "Parts":
      return input.parts.map(({ part }) => part).join(" + ")
    case "Block":
      return input.title
  }
}

/**
 * Returns the keys that an answer sets. What is not true is false. The sign that is not the decimal sign separates groups of digits.
 *
 * @param choices the possible answers
 */
const keysOf = (key: string, answer: string, choices: ReadonlyArray<string>): ReadonlyArray<DraftKey> =>
  key === "true"
    ? [{ key, value: [answer] }, { key: "false", value: choices.filter((one) => one !== answer) }]
    : key === "decimal"
    ? [{ key, value: answer }, { key: "group", value: answer === "," ? "." : "," }]
    : [{ key, value: answer }]

/** Returns an entry with the answers to the questions that its settings leave open. */
const withAnswers = (
  entry: DraftEntry,
  { gaps }: Settings,
  answers: ReadonlyMap<string, string>,
): DraftEntry => {
  if (gaps.some(({ key }) => key === undefined || !answers.has(key))) return { ...entry, open: true }
  const others = gaps.flatMap(({ choices = [], key = "" }) => {
    const answer = answers.get(key)
    return answer === undefined ? [] : keysOf(key, answer, choices)
  })
  const decided = new Map(others.map((key) => [key.key, key]))
  const has = (name: string) => entry.keys.some(({ key }) => key === name)
  return {
    ...entry,
    comments: [["reviewed", ...entry.comments[0]?.split(" · ").slice(1) ?? []].join(" · ")],
    keys: [
      ...entry.keys.map((key) => decided.get(key.key) ?? key),
      ...others.filter(({ key }) => !has(key)),
    ],
    open: false,
  }
}

/** Returns a function that reads a cell with a key of a kind set to this value. Undefined if the value can't be the key. */
const readingWith = (kind: string | undefined, key: string, value: string, choices: ReadonlyArray<string> = []) =>
  kind === undefined ? undefined : readerOf(kind, keysOf(key, value, choices))

/** A value of each key that a person types, as an example. */
const typedExamples: Readonly<Record<string, string>> = { zone: "Europe/Berlin", country: "DE" }

/** Returns why a value can't be a key of a kind. Undefined if it can. */
export const settingFault = (kind: string | undefined, key: string, value: string): string | undefined =>
  kind === undefined || readingWith(kind, key, value) !== undefined
    ? undefined
    : `"${value}" can't be the ${key}.${
      typedExamples[key] === undefined ? "" : ` Type one such as ${typedExamples[key]}.`
    }`

/** The number of cells that show what the possible answers to a question mean. */
const cellsRead = 6

/** Returns what some cells mean with each possible answer, first those cells whose meanings differ. A meaning is undefined if the cell can't be read in this way. */
export const readingsOf = (
  kind: string | undefined,
  { choices, key }: ReviewedEntry["asks"][number],
  cells: ReadonlyArray<string>,
) => {
  const reads = choices.map((value) => readingWith(kind, key, value, choices))
  const meanings = cells.map((cell) => ({
    cell,
    values: reads.map((read) => {
      const found = read?.([cell])
      return found instanceof Fault ? undefined : found
    }),
  }))
  const differ = ({ values }: (typeof meanings)[number]) => new Set(values.map((one) => JSON.stringify(one))).size > 1
  const shown = meanings.toSorted((a, b) => Number(differ(b)) - Number(differ(a))).slice(0, cellsRead)
  return choices.map((value, at) => ({
    value,
    samples: shown.map(({ cell, values }) => ({ cell, value: values[at] })),
  }))
}

/** Returns what a person must still decide about an entry. */
const leftIn = ({ gaps }: Settings) => {
  const asks = gaps.flatMap(({ choices = [], key, why }) => key === undefined ? [] : [{ choices, key, why }])
  return { asks, open: asks.length === 0 ? openIn({ gaps }) : undefined }
}

/** Makes entries from columns whose cells were all read once. */
export const reviewedEntries: ReviewedEntries = {
  entryFor: (question, origin) => {
    const suggestion = { question, origin, confidence: 1, because: [] }
    const settings = settingsFor(suggestion)
    const reviewed = { question, accepted: suggestion, candidates: [suggestion] }
    const entry = questionEntry(reviewed, nameOrNumber)
    return {
      kind: settings.kind,
      ...leftIn(settings),
      misfit: settings.misfit?.why,
      choices: openChoices(
        { question, kind: settings.kind },
        foreignChoices(suggestion, unknownOf(suggestion, settings).counts).filter(({ option }) => option === undefined),
      ),
      entry: (answers) => withAnswers(entry, settings, answers),
    }
  },
  entryForTime: ({ column, of }) => {
    const settings = ownSettings(of, column)
    return {
      kind: "dateTime",
      ...leftIn(settings),
      misfit: undefined,
      choices: [],
      entry: (answers) => withAnswers(ownEntry(of, column, nameOrNumber), settings, answers),
    }
  },
}

/** Returns the columns that are suggested for a question, the likeliest first. */
export const suggestedFor = ({ questions }: Pick<Suggestions, "questions">, { id }: Question) =>
  questions.find(({ question }) => question.id === id)?.candidates ?? []

/** Returns the suggested origin with these columns, otherwise a column, a block or joined columns. Undefined if a column is unknown. */
export const originWith = (
  { profiles, suggestions }: Pick<SurveyedSource, "profiles" | "suggestions">,
  question: Question,
  positions: ReadonlyArray<number>,
): Origin | undefined => {
  const isThese = (origin: Origin) => {
    const own = columnsOf(origin)
    return own.length === positions.length && own.every(({ position }) => positions.includes(position + 1))
  }
  const suggested = suggestedFor(suggestions, question).find(({ origin }) => isThese(origin))
  if (suggested !== undefined) return suggested.origin
  const block = suggestions.blocks.find(isThese)
  if (block !== undefined) return block
  const columns = positions.flatMap((position) => profiles.find(({ column }) => column.position === position - 1) ?? [])
  const [only] = columns
  if (only === undefined || columns.length < positions.length) return undefined
  return columns.length === 1 ? { _tag: "Column", ...only } : { _tag: "Joined", columns }
}
