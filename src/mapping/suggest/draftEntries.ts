import { cut } from "../../domain/problem.ts"
import { type Column, optionColumns } from "../../domain/row.ts"
import { kindOfType } from "../../kinds/index.ts"
import {
  commentText,
  type DraftEntry,
  type DraftKey,
  type DraftValue,
  type PipelineDraft,
} from "../../project/PipelineDraft.ts"
import { cellsIn, type ProfiledColumn } from "./ColumnProfile.ts"
import { foreignChoices, foreignFault, otherColumn, scored, unknownOf, valuesBelow, withSure } from "./draftChoices.ts"
import { type Misread, type Reading, settingsThatRead } from "./misread.ts"
import { optionNames, optionsNamed } from "./optionNames.ts"
import { dateTimeSettings, type Settings, settingsFor } from "./settings.ts"
import {
  type Block,
  likelyOf,
  type OpenQuestion,
  type Origin,
  type OwnColumn,
  type Suggestion,
  type Suggestions,
} from "./Suggestion.ts"
import type { Unknown } from "./unknownChoices.ts"

/** Returns the settings of suggestions and of the columns for times, to try them on the cells. */
export const readingsOf = (
  suggestions: ReadonlyArray<Suggestion>,
  { lastUpdatedAt, submissionTime, uploads }: Pick<Suggestions, "lastUpdatedAt" | "submissionTime"> & {
    readonly uploads: string | undefined
  },
): ReadonlyArray<Reading> => [
  ...suggestions.flatMap((suggestion) =>
    suggestion.origin._tag === "Column"
      ? [{
        of: suggestion.question.id,
        column: suggestion.origin.column,
        question: suggestion.question,
        settings: settingsFor(suggestion, uploads),
      }]
      : []
  ),
  ...Object.entries({ submissionTime, lastUpdatedAt }).flatMap(([of, own]) =>
    own === undefined
      ? []
      : [{
        of,
        column: own.column,
        question: { id: of, name: of, type: undefined, options: undefined },
        settings: ownSettings(of, own),
      }]
  ),
]

const quotes = (text: string): string => `"${cut(commentText(text), 40)}"`

/** Returns two cells of a column: a code and its label. */
export const samplesOf = (one: ProfiledColumn): ReadonlyArray<string> =>
  [...cellsIn(one).distinct.keys()].slice(0, 2).map((text) => {
    const label = one.coded === undefined ? undefined : one.labels?.options.get(text)
    return label === undefined ? quotes(text) : `${quotes(text)} (${cut(commentText(label), 40)})`
  })

/** Returns reasons as the end of a comment. */
const becauseOf = (reasons: ReadonlyArray<string>): string =>
  reasons.length === 0 ? "" : ` · ${commentText(reasons.join(", "))}`

/** Returns the comment above a suggestion: its confidence, two cells and the reasons. */
const confidenceLine = ({ because, confidence, origin }: Suggestion): string => {
  const samples = samplesFrom(origin)
  return [scored(confidence), ...(samples.length === 0 ? ["the column is empty"] : samples)].join(" · ")
    + becauseOf(because)
}

/** Returns a column's name in the pipeline. */
type Naming = (column: Column) => string

/** Returns the id and name of a question, so that a change of either is noticed. */
const naming = (question: { readonly id: string; readonly name: string }): ReadonlyArray<DraftKey> => [
  { key: "id", value: question.id },
  ...(question.name.trim() === "" ? [] : [{ key: "name", value: question.name }]),
]

const blockFrom = (block: Block, nameOf: Naming, question: Suggestion["question"]): DraftValue => {
  // If the rows of a grid have codes, the entry must list their names, because a row's name in the entry is sent.
  const hasCodedRows = question.type === "Matrix" && block.members.some(({ code }) => code !== undefined)
  if (block.known && block.title !== undefined && !hasCodedRows) return { block: block.title }
  const names = question.options === undefined ? undefined : optionNames(question.options)
  const own = optionColumns(block.members)
  const known = names === undefined ? [] : optionsNamed(names, own.map(({ option }) => option))
  const members = own.map(({ option, column }, at) => [known[at]?.label ?? option, nameOf(column)] as const)
  const columns = Object.fromEntries(members)
  const isRanking = block.content === "ranks" || (block.content === "places" && question.type !== "Matrix")
  return isRanking ? { ranks: columns } : columns
}

export const fromOf = (origin: Origin, nameOf: Naming, question: Suggestion["question"]): DraftValue => {
  switch (origin._tag) {
    case "Column":
      return nameOf(origin.column)
    case "Joined":
      return origin.columns.map(({ column }) => nameOf(column))
    case "Parts":
      return Object.fromEntries(origin.parts.map(({ part, column }) => [part, nameOf(column)]))
    case "Block":
      return blockFrom(origin.block, nameOf, question)
  }
}

export const samplesFrom = (origin: Origin): ReadonlyArray<string> => {
  switch (origin._tag) {
    case "Column":
      return samplesOf(origin)
    case "Joined":
      return origin.columns.flatMap((column) => samplesOf(column).slice(0, 1))
    case "Parts":
      return origin.parts.slice(0, 2).flatMap((part) => samplesOf(part).slice(0, 1))
    case "Block":
      return [...new Set(origin.block.members.flatMap(samplesOf))].slice(0, 2)
  }
}

/** Returns the keys for a kind and its options. A question's default kind is omitted if there are no options. */
const settingKeys = (suggestion: Suggestion, { keys, kind }: Settings, hasBelow: boolean): ReadonlyArray<DraftKey> => {
  const isSaid = suggestion.question.type === undefined || keys.length > 0 || hasBelow
  return [...(kind !== undefined && isSaid && kind !== "text" ? [{ key: "as", value: kind }] : []), ...keys]
}

/** Returns the entry of an accepted suggestion. */
export const suggestedEntry = (
  suggestion: Suggestion,
  options: {
    readonly nameOf: Naming
    readonly unknown: Unknown | undefined
    readonly misread?: Misread | undefined
    readonly uploads?: string | undefined
    /** Positions of the columns that answer a question of their own. */
    readonly answered: ReadonlySet<number>
  },
): DraftEntry => {
  const { origin, question } = suggestion
  const settings = settingsThatRead(settingsFor(suggestion, options.uploads), options.misread)
  const choices = foreignChoices(suggestion, options.unknown)
  const other = otherColumn(suggestion, options.nameOf, options.answered)
  const keys = withSure([...other.keys, ...settings.keys], choices)
  const open = settings.open ?? foreignFault(suggestion, choices) ?? other.open
  const below = valuesBelow(suggestion, choices, keys)
  return {
    of: question.id,
    kind: settings.kind ?? kindOfType(question.type ?? "")?.name,
    comments: [
      confidenceLine(suggestion),
      ...(open === undefined ? [] : [`left open: ${open}`]),
    ],
    keys: [
      ...naming(question),
      { key: "from", value: fromOf(origin, options.nameOf, question) },
      ...settingKeys(suggestion, { ...settings, keys }, below.length > 0),
    ],
    below,
    open: open !== undefined,
  }
}

const whyOpen: Readonly<Record<OpenQuestion["why"], string>> = {
  "nothing-fits": "left open: no column fits",
  unsure: "left open: no column is certain",
  "several-fit": "left open: more than one column would fit",
}

/** Returns the keys for reading the likeliest column. If its cells show no separator of choices, that of the other columns is proposed. */
const settingsOfBest = (best: Suggestion, split: DraftValue | undefined, settings: Settings, hasBelow: boolean) => {
  const { keys, kind } = settings
  const isCut = split !== undefined && best.origin._tag === "Column" && (best.question.options ?? []).length > 0
    && (kind === "choices" || kind === "ranking") && keys.every(({ key }) => key !== "split")
  const more = isCut ? [{ key: "split", value: split, note: "as in the other columns" }] : []
  // `values` stays the last key, above the choices to fill in.
  return settingKeys(best, { ...settings, keys: [...more, ...keys] }, hasBelow)
}

/**
 * Returns the entry of a question that is left to a person, with the columns that may be meant.
 *
 * @param options `split`: the separator of choices in the source's other columns
 */
export const openEntry = (
  one: OpenQuestion,
  options: {
    readonly nameOf: Naming
    readonly unknown: ReadonlyMap<string, Unknown>
    readonly misread: ReadonlyMap<string, Misread>
    readonly uploads: string | undefined
    readonly split: DraftValue | undefined
  },
): DraftEntry => {
  const { candidates, question, why } = one
  const { nameOf } = options
  const [best] = candidates
  const likely = likelyOf(one)
  const settings = best === undefined
    ? undefined
    : settingsThatRead(settingsFor({ ...best, question }, options.uploads), options.misread.get(question.id))
  const choices = likely === undefined ? undefined : foreignChoices(likely, unknownOf(likely, options.unknown))
  const keys = choices === undefined ? settings?.keys ?? [] : withSure(settings?.keys ?? [], choices)
  const below = likely === undefined || choices === undefined ? [] : valuesBelow(likely, choices, keys)
  return {
    of: question.id,
    comments: [
      [whyOpen[why], ...(settings?.open === undefined ? [] : [settings.open])].join(". "),
      ...candidates.map(({ because, confidence, origin }) => {
        const from = fromOf(origin, nameOf, question)
        const shown = typeof from === "string"
          ? from
          : origin._tag === "Block" && origin.block.title !== undefined
          ? `block ${origin.block.title}`
          : "several columns"
        // Not shortened, so that it can be copied.
        return `candidate ${confidence.toFixed(2)} ${commentText(shown)}${
          samplesFrom(origin).map((sample) => ` · ${sample}`).join("")
        }${becauseOf(because)}`
      }),
    ],
    keys: [
      ...naming(question),
      { key: "from", value: best === undefined ? "" : fromOf(best.origin, nameOf, question) },
      ...(best === undefined || settings === undefined
        ? []
        : settingsOfBest({ ...best, question }, options.split, { ...settings, keys }, below.length > 0)),
    ],
    below,
    open: true,
  }
}

export const ownSettings = (of: string, own: OwnColumn): Settings =>
  of === "login"
    ? { kind: undefined, keys: [], open: undefined, asks: [] }
    : dateTimeSettings(own.profile, own.column.title, { format: own.format, zone: own.zone })

export const ownEntry = (of: string, own: OwnColumn, nameOf: Naming, misread: Misread | undefined): DraftEntry => {
  const settings = settingsThatRead(ownSettings(of, own), misread)
  return {
    of,
    comments: [
      [own.because, ...samplesOf(own)].join(" · "),
      ...(settings.open === undefined ? [] : [`left open: ${settings.open}`]),
    ],
    keys: [{ key: "from", value: nameOf(own.column) }, ...settings.keys],
    below: [],
    open: settings.open !== undefined,
  }
}

/** Returns the entries for URL parameters, times and the login. */
export const otherEntries = (
  suggestions: Suggestions,
  nameOf: Naming,
  misread: ReadonlyMap<string, Misread>,
): Pick<PipelineDraft, "urlParameters" | "own"> => ({
  urlParameters: suggestions.urlParameters.map(({ element, from }) => ({
    of: element.id,
    comments: [[from.because, ...samplesOf(from)].join(" · ")],
    keys: [...naming(element), { key: "from", value: nameOf(from.column) }],
    below: [],
    open: false,
  })),
  own: (["submissionTime", "lastUpdatedAt", "login"] as const).flatMap((of) => {
    const own = suggestions[of]
    return own === undefined ? [] : [ownEntry(of, own, nameOf, misread.get(of))]
  }),
})
