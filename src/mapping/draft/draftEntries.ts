import { ownMembers } from "../../domain/item.ts"
import { cut } from "../../domain/problem.ts"
import { type Column, optionColumns } from "../../domain/row.ts"
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
  wouldFit,
} from "../suggest/Suggestion.ts"
import { draftOther, foreignChoices, foreignFault, valuesBelow, withSure } from "./draftChoices.ts"
import { ownSettings, settingsFor } from "./settings.ts"
import { settingsThatRead, type TriedEntries, type TriedEntry } from "./tryEntry.ts"
import type { Unknown } from "./unknownChoices.ts"

/** Returns two cells of a column: a code and its label. */
export const samplesOf = (one: ProfiledColumn): ReadonlyArray<string> =>
  [...cellsIn(one).distinct.keys()].slice(0, 2).map((text) => {
    const label = one.coded === undefined ? undefined : one.labels?.options.get(text)
    const [cell, meant] = [text, label ?? ""].map((each) => cut(commentText(each), 40))
    return label === undefined ? `"${cell}"` : `"${cell}" (${meant})`
  })

/** Returns a comment about columns: what they are, a few cells, and the reasons. */
const remark = (about: string, cells: ReadonlyArray<string>, because: ReadonlyArray<string> = []): string =>
  [about, ...cells, ...because.length === 0 ? [] : [commentText(because.join(", "))]].join(" · ")

const leftOpen = (why: string | undefined): ReadonlyArray<string> => why === undefined ? [] : [`left open: ${why}`]

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
  const columns = Object.fromEntries(own.map(({ option, column }, at) => [known[at]?.label ?? option, nameOf(column)]))
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

export const samplesFrom = (origin: Origin): ReadonlyArray<string> => {
  const each = origin._tag === "Joined" ? 1 : 2
  return [...new Set(profiledOf(origin).flatMap((one) => samplesOf(one).slice(0, each)))].slice(0, 2)
}

interface EntryOptions {
  readonly nameOf: Naming
  readonly unknown: Unknown | undefined
  readonly tried?: TriedEntry | undefined
  /** Positions of the columns that answer a question of their own. */
  readonly answered: ReadonlySet<number>
  /** The separator of choices in the source's other columns, to propose it if the cells show none. */
  readonly split?: DraftValue | undefined
}

const readingKeys = (suggestion: Suggestion, { answered, nameOf, split, tried, unknown }: EntryOptions) => {
  const { origin, question } = suggestion
  const settings = settingsThatRead(settingsFor(suggestion), tried)
  const { kind } = settings
  const choices = foreignChoices(suggestion, unknown)
  const other = kind === "choices" ? draftOther(suggestion, nameOf, answered) : { keys: [] }
  const isCut = split !== undefined && origin._tag === "Column" && (question.options ?? []).length > 0
    && (kind === "choices" || kind === "ranking") && settings.keys.every(({ key }) => key !== "split")
  const proposed = isCut ? [{ key: "split", value: split, note: "as in the other columns" }] : []
  const keys = withSure([...other.keys, ...proposed, ...settings.keys], choices)
  const below = valuesBelow(suggestion, choices, keys)
  // A question's default kind is omitted if it has no options. A person who completes an open entry adds some.
  const isSaid = kind !== undefined && kind !== "text"
    && (question.type === undefined || keys.length > 0 || below.length > 0 || settings.open !== undefined)
  return {
    kind: kind ?? kindOfType(question.type ?? "")?.name,
    keys: [
      { key: "from", value: fromOf(origin, nameOf, question) },
      ...isSaid ? [{ key: "as", value: kind }] : [],
      ...keys,
    ],
    below,
    unread: settings.open,
    open: settings.open ?? foreignFault(suggestion, choices) ?? other.open,
  }
}

export const suggestedEntry = (suggestion: Suggestion, options: EntryOptions): DraftEntry => {
  const { because, confidence, origin, question } = suggestion
  const { below, keys, kind, open } = readingKeys(suggestion, options)
  const samples = samplesFrom(origin)
  const cells = samples.length === 0 ? ["the column is empty"] : samples
  return {
    of: question.id,
    kind,
    comments: [remark(scored(confidence), cells, because), ...leftOpen(open)],
    keys: [...naming(question), ...keys],
    below,
    open: open !== undefined,
  }
}

const whyOpen: Readonly<Record<NonNullable<SuggestedQuestion["why"]>, string>> = {
  "nothing-fits": "no column fits",
  unsure: "no column is certain",
  "several-fit": "more than one column would fit",
}

/** Returns the entry of a question that is left to a person, with the columns that may be meant. */
export const openEntry = (
  { candidates, question, why = "unsure" }: SuggestedQuestion,
  options: Omit<EntryOptions, "unknown"> & { readonly unknown: (suggestion: Suggestion) => Unknown | undefined },
): DraftEntry => {
  const { nameOf } = options
  const [best] = candidates
  const unknown = best === undefined || best.confidence < wouldFit ? undefined : options.unknown(best)
  const made = best === undefined ? undefined : readingKeys(best, { ...options, unknown })
  return {
    of: question.id,
    comments: [
      ...leftOpen([whyOpen[why], ...made?.unread === undefined ? [] : [made.unread]].join(". ")),
      ...candidates.map(({ because, confidence, origin }) => {
        const from = fromOf(origin, nameOf, question)
        const shown = typeof from === "string"
          ? from
          : origin._tag === "Block"
          ? `block ${origin.title}`
          : "several columns"
        // Not shortened, so that it can be copied.
        return remark(`candidate ${confidence.toFixed(2)} ${commentText(shown)}`, samplesFrom(origin), because)
      }),
    ],
    keys: [...naming(question), ...made?.keys ?? [{ key: "from", value: "" }]],
    below: made?.below ?? [],
    open: true,
  }
}

export const ownEntry = (of: string, own: OwnColumn, nameOf: Naming, tried: TriedEntry | undefined): DraftEntry => {
  const settings = settingsThatRead(ownSettings(of, own), tried)
  return {
    of,
    comments: [remark(own.because, samplesOf(own)), ...leftOpen(settings.open)],
    keys: [{ key: "from", value: nameOf(own.column) }, ...settings.keys],
    below: [],
    open: settings.open !== undefined,
  }
}

/** Returns the entries for URL parameters, times and the login. */
export const otherEntries = (suggestions: Suggestions, nameOf: Naming, tried: TriedEntries) => ({
  urlParameters: suggestions.urlParameters.map(({ element, from }): DraftEntry => ({
    of: element.id,
    comments: [remark(from.because, samplesOf(from))],
    keys: [...naming(element), { key: "from", value: nameOf(from.column) }],
    below: [],
    open: false,
  })),
  own: ownMembers.flatMap((of) => {
    const own = suggestions[of]
    return own === undefined ? [] : [ownEntry(of, own, nameOf, tried.get(of))]
  }),
})
