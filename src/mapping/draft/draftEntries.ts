import { optionNamer } from "../../domain/form.ts"
import { ownMembers } from "../../domain/item.ts"
import { cut } from "../../domain/problem.ts"
import { type Column, optionColumns } from "../../domain/row.ts"
import { present } from "../../domain/words.ts"
import { kindOfType } from "../../kinds/index.ts"
import { commentText, type DraftEntry, type DraftKey, type DraftValue } from "../../project/PipelineDraft.ts"
import { scored } from "../../project/pipelineEdits.ts"
import { cellsIn, type ProfiledColumn } from "../profile/ColumnProfile.ts"
import { indexOptions, optionsNamed } from "../suggest/optionIndex.ts"
import {
  type Block,
  hasParts,
  type Origin,
  type OwnColumn,
  profiledOf,
  type SuggestedQuestion,
  type Suggestion,
  type Suggestions,
} from "../suggest/Suggestion.ts"
import { draftChoices, draftOther } from "./draftChoices.ts"
import { openIn, ownSettings, settingsFor } from "./settings.ts"

/** Returns two cells of a column: a code and its label. */
export const samplesOf = (one: ProfiledColumn): ReadonlyArray<string> =>
  [...cellsIn(one).distinct.keys()].slice(0, 2).map((text) => {
    const label = one.coded === undefined ? undefined : one.labels?.options.get(text)
    const [cell, meant] = [text, label ?? ""].map((each) => cut(commentText(each), 40))
    return label === undefined ? `"${cell}"` : `"${cell}" (${meant})`
  })

export const samplesFrom = (origin: Origin): ReadonlyArray<string> => {
  const each = origin._tag === "Joined" ? 1 : 2
  return [...new Set(profiledOf(origin).flatMap((one) => samplesOf(one).slice(0, each)))].slice(0, 2)
}

/** Returns a comment about columns: what they are, a few cells, and the reasons. */
const remark = (about: string, cells: ReadonlyArray<string>, because: ReadonlyArray<string> = []): string =>
  [about, ...cells, ...because.length === 0 ? [] : [commentText(because.join(", "))]].join(" · ")

type Naming = (column: Column) => string

/** Returns the id and name of a question, so that a change of either is noticed. */
const naming = (question: { readonly id: string; readonly name: string }): ReadonlyArray<DraftKey> => [
  { key: "id", value: question.id },
  ...(question.name.trim() === "" ? [] : [{ key: "name", value: question.name }]),
]

const blockFrom = (block: Block, nameOf: Naming, question: Suggestion["question"]): DraftValue => {
  // If the rows of a grid have codes, the entry must list their names, because a row's name in the entry is sent.
  const hasCodedRows = question.type === "Matrix" && block.members.some(({ code }) => code !== undefined)
  if (block.known && !hasCodedRows) return { block: block.title }
  const own = optionColumns(block.members)
  const known = optionsNamed(indexOptions(question.options ?? []), own.map(({ option }) => option))
  const named = optionNamer(question.options ?? [])
  const columns = Object.fromEntries(own.map(({ option, column }, at) => {
    const one = known[at]
    return [one === undefined ? option : named(one), nameOf(column)]
  }))
  const isRanking = block.content === "ranks" || (block.content === "places" && question.type !== "Matrix")
  return isRanking ? { ranks: columns } : columns
}

export const fromOf = (origin: Origin, nameOf: Naming, question: Suggestion["question"]): DraftValue =>
  origin._tag === "Column"
    ? nameOf(origin.column)
    : origin._tag === "Block"
    ? blockFrom(origin, nameOf, question)
    : hasParts(origin)
    ? Object.fromEntries(origin.columns.map(({ part, column }) => [part, nameOf(column)]))
    : origin.columns.map(({ column }) => nameOf(column))

/** Returns how an entry reads the columns of a suggestion, and what is open about that. */
const readingOf = (suggestion: Suggestion, nameOf: Naming) => {
  const { origin, question } = suggestion
  const settings = settingsFor(suggestion)
  const unread = openIn(settings)
  const { kind } = settings
  const other = kind === "choices" ? draftOther(suggestion, nameOf) : { keys: [] }
  const choices = draftChoices(suggestion, settings, [...other.keys, ...settings.keys])
  const { below, keys } = choices
  // A question's default kind is omitted if it has no options. A person who completes an open entry adds some.
  const isSaid = kind !== undefined && kind !== "text"
    && (question.type === undefined || keys.length > 0 || below.length > 0 || unread !== undefined)
  return {
    kind: kind ?? kindOfType(question.type ?? "")?.name,
    keys: [
      { key: "from", value: fromOf(origin, nameOf, question) },
      ...isSaid ? [{ key: "as", value: kind }] : [],
      ...keys,
    ],
    below,
    unread,
    open: unread ?? choices.open ?? other.open,
  }
}

const leftOpen = (why: string | undefined): ReadonlyArray<string> => why === undefined ? [] : [`left open: ${why}`]

/** Returns the entry of a question. If the question is left to a person, lists the columns that may be meant. */
export const questionEntry = (
  { accepted, candidates, question }: SuggestedQuestion,
  nameOf: Naming,
): DraftEntry => {
  const best = accepted ?? candidates[0]
  const read = best && readingOf(best, nameOf)
  const why = best === undefined ? "no column fits" : "no column is certain"
  const open = accepted === undefined ? present([why, read?.unread]).join(". ") : read?.open
  const remarks = candidates.map(({ because, confidence, origin }) => {
    const from = fromOf(origin, nameOf, question)
    const other = origin._tag === "Block" ? `block ${origin.title}` : "several columns"
    // Not shortened, so that it can be copied.
    const shown = commentText(typeof from === "string" ? from : other)
    const about = accepted === undefined ? `candidate ${confidence.toFixed(2)} ${shown}` : scored(confidence)
    return remark(about, samplesFrom(origin), because)
  })
  return {
    of: question.id,
    kind: read?.kind,
    comments: accepted === undefined ? [...leftOpen(open), ...remarks] : [...remarks, ...leftOpen(open)],
    keys: [...naming(question), ...read?.keys ?? [{ key: "from", value: "" }]],
    below: read?.below ?? [],
    open: open !== undefined,
  }
}

/** Returns the entry of a submission's time or login. */
export const ownEntry = (of: string, own: OwnColumn, nameOf: Naming): DraftEntry => {
  const settings = ownSettings(of, own)
  const open = openIn(settings)
  return {
    of,
    comments: [remark(own.because, samplesOf(own)), ...leftOpen(open)],
    keys: [{ key: "from", value: nameOf(own.column) }, ...settings.keys],
    below: [],
    open: open !== undefined,
  }
}

/** Returns the entries for URL parameters, times and the login. */
export const otherEntries = (suggestions: Suggestions, nameOf: Naming) => ({
  urlParameters: suggestions.urlParameters.map(({ element, from }): DraftEntry => ({
    of: element.id,
    comments: [remark(from.because, samplesOf(from))],
    keys: [...naming(element), { key: "from", value: nameOf(from.column) }],
    below: [],
    open: false,
  })),
  own: ownMembers.flatMap((of) => {
    const own = suggestions[of]
    return own === undefined ? [] : [ownEntry(of, own, nameOf)]
  }),
})
