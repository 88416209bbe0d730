import type { Option } from "../../domain/form.ts"
import { cut } from "../../domain/problem.ts"
import type { Column } from "../../domain/row.ts"
import { counted } from "../../domain/words.ts"
import { loose } from "../../kinds/optionTable.ts"
import type { DraftEntry, DraftKey, DraftValue, PipelineDraft } from "../../project/PipelineDraft.ts"
import { commentText, yamlText } from "../../project/PipelineDraft.ts"
import { cellsIn, type ProfiledColumn } from "./ColumnProfile.ts"
import { codesOf } from "./labelled.ts"
import type { Misread, Reading } from "./misread.ts"
import { settingsThatRead } from "./misread.ts"
import { likelyOption, optionNames } from "./optionNames.ts"
import type { Settings } from "./settings.ts"
import { dateTimeSettings, settingsFor } from "./settings.ts"
import type { Block, BlockMember, OpenQuestion, Origin, OwnColumn, Suggestion, Suggestions } from "./Suggestion.ts"
import { columnsOf, likelyOf } from "./Suggestion.ts"
import type { Translation } from "./translate.ts"
import { sureTranslation, translate } from "./translate.ts"
import type { Unknown } from "./unknownChoices.ts"
import { saysYes } from "./words.ts"

/** The maximum number of choices to list. A question with more unknown choices is mapped wrongly, or is not a choice. */
const listed = 50

const isGrid = ({ origin, question }: Suggestion): boolean => origin._tag === "Block" && question.type === "Matrix"

/** Returns the columns whose choices are compared with the form's options, or undefined if the question has no options. */
export const choicesToCount = (suggestion: Suggestion) => {
  const { origin, question } = suggestion
  if (question.options === undefined || question.options.length === 0) return undefined
  // Each cell of a grid contains one of the question's options.
  if (isGrid(suggestion)) return { question, columns: columnsOf(origin), kind: "choice", options: {} }
  if (origin._tag !== "Column") return undefined
  const { kind, keys } = settingsFor(suggestion, undefined)
  return kind === "choice" || kind === "choices" || kind === "ranking"
    ? {
      question,
      columns: [origin.column],
      kind,
      options: Object.fromEntries(keys.map(({ key, value }) => [key, value])),
    }
    : undefined
}

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

/** Returns the options of a block's columns that the form does not have, with the cells that name them. */
const unknownOptions = ({ origin, question }: Suggestion): Unknown | undefined => {
  if (origin._tag !== "Block" || origin.block.content === "labels") return undefined
  if (question.options === undefined || question.options.length === 0) return undefined
  const names = optionNames(question.options)
  const named = origin.block.content === "ticks"
    ? ({ code, option, profile: { distinct } }: BlockMember) =>
      [...distinct].reduce(
        (sum, [text, times]) => sum + (saysYes(text) || text === (code ?? option) ? times : 0),
        0,
      )
    : ({ profile }: BlockMember) => profile.filled
  // If the source names the block, an entry without `values` finds options by their exact names.
  const known = ({ code, option }: BlockMember) =>
    code === undefined && origin.block.known
      ? names.exact.has(loose(option))
      : likelyOption(names, option) !== undefined
  const counts = origin.block.members.filter((member) => member.role === "option" && !known(member))
    .map((member) => [member.code ?? member.option, named(member)] as const)
  return counts.length === 0 ? undefined : { counts, more: false }
}

/** Returns the choices to list under `values` of an entry. */
export const unknownOf = (suggestion: Suggestion, counted: ReadonlyMap<string, Unknown>): Unknown | undefined => {
  const cells = counted.get(suggestion.question.id)
  return cells === undefined || cells.counts.length === 0 ? unknownOptions(suggestion) : cells
}

/** Returns a comment with the options to choose from. */
const optionLines = (options: ReadonlyArray<Option>): ReadonlyArray<string> =>
  options.length === 0
    ? []
    : [
      `  # options: ${options.slice(0, listed).map(({ label }) => cut(commentText(label))).join(" · ")}${
        options.length > listed ? ` and ${options.length - listed} more` : ""
      }`,
    ]

/** A choice that is no option's name. */
export interface ForeignChoice {
  readonly choice: string
  /** Its text, if it is a code. */
  readonly label: string | undefined
  /** The number of cells that contain it. */
  readonly count: number
  /** The option that it most likely means. */
  readonly likely: Translation | undefined
}

/** The choices of a suggestion that are no option's name. */
interface ForeignChoices {
  /** Those that certainly mean an option. */
  readonly sure: ReadonlyArray<ForeignChoice & { readonly likely: Translation }>
  /** Those that a person must decide. */
  readonly left: ReadonlyArray<ForeignChoice>
  /** Whether there are more than these. */
  readonly more: boolean
}

const hasOption = (one: ForeignChoice): one is ForeignChoice & { readonly likely: Translation } =>
  one.likely !== undefined && one.likely.confidence >= sureTranslation

/** Finds out which options a suggestion's unknown choices mean. */
export const foreignChoices = (suggestion: Suggestion, unknown: Unknown | undefined): ForeignChoices => {
  const { counts, more } = unknown ?? { counts: [], more: false }
  const codes = codesOf(suggestion)
  const translations = translate(suggestion, counts.map(([choice]) => codes.get(choice) ?? choice))
  const all = counts.map(([choice, count]): ForeignChoice => {
    const label = codes.get(choice)
    return { choice, count, label, likely: translations.get(label ?? choice) }
  })
  return { sure: all.filter(hasOption), left: all.filter((one) => !hasOption(one)), more }
}

const scored = (confidence: number): string => `confidence ${Math.min(0.99, confidence).toFixed(2)}`

/** Returns keys with the options that choices certainly mean, under `values`. */
const withSure = (keys: ReadonlyArray<DraftKey>, { sure }: ForeignChoices): ReadonlyArray<DraftKey> => {
  if (sure.length === 0) return keys
  const given = keys.find(({ key }) => key === "values")
  const values = Object.fromEntries(sure.map(({ choice, likely }) => [choice, likely.option.label]))
  return [...keys.filter((one) => one !== given), {
    key: "values",
    value: { ...typeof given?.value === "object" ? given.value : {}, ...values } as DraftValue,
    isLong: true,
    notes: new Map(sure.map(({ choice, count, likely }) => [choice, `${scored(likely.confidence)} · ${count} ×`])),
  }]
}

/** Returns lines under an entry that list choices without a certain option, for a person to fill in. */
const valuesBelow = (
  { question }: Suggestion,
  { left, more }: ForeignChoices,
  keys: ReadonlyArray<DraftKey>,
): ReadonlyArray<string> => {
  if (left.length === 0) return []
  const why = "these are not options: write one after each, or null for no answer, and remove the #"
  return [
    ...(keys.some(({ key }) => key === "values") ? [`  # ${why}`] : [`values: # ${why}`]),
    ...optionLines(question.options ?? []),
    ...left.slice(0, listed).map(({ choice, count, label, likely }) => {
      const notes = [
        ...(label === undefined ? [] : [commentText(label)]),
        ...(likely === undefined ? [] : [scored(likely.confidence)]),
        `${count} ×`,
      ]
      return `  ${yamlText(choice, true)}: ${
        likely === undefined ? "" : `${yamlText(likely.option.label)} `
      }# ${notes.join(" · ")}`
    }),
    ...(left.length > listed || more
      // With a second #, so that it remains a comment after the others are uncommented.
      ? [
        `  # and ${more ? "many" : left.length - listed} more, which \`formferry check\` lists`,
        "otherwise: # or choose what happens to all texts that are not listed: reject, keep, drop or { use: OPTION }",
      ]
      : []),
  ]
}

/** The share of cells that may contain choices without an option. If there are more, the entry is left open. */
const foreignShare = 0.01

/** Returns why an entry's choices need a person, as a sentence. Undefined: they don't. */
const foreignFault = ({ origin }: Suggestion, { left, more }: ForeignChoices): string | undefined => {
  if (left.length === 0) return undefined
  const fill = "Complete `values`, then remove the #."
  const isOne = left.length === 1
  if (origin._tag === "Block" && origin.block.content !== "labels") {
    return `${
      isOne ? "one column is for an option" : `${left.length} columns are for options`
    } that the form does not have. ${fill}`
  }
  const filled = columnsProfiled(origin).reduce((sum, one) => sum + cellsIn(one).filled, 0)
  const cells = left.reduce((sum, { count }) => sum + count, 0)
  return cells <= filled * foreignShare
    ? undefined
    : `${isOne ? "one choice" : `${left.length}${more ? " and more" : ""} choices`} in ${
      counted(Math.min(cells, filled), "cell")
    } ${isOne ? "is not an option" : "are not options"} of the question. ${fill}`
}

const columnsProfiled = (origin: Origin): ReadonlyArray<ProfiledColumn> =>
  origin._tag === "Column" ? [origin] : origin._tag === "Block" ? origin.block.members : []

const quotes = (text: string): string => `"${cut(commentText(text), 40)}"`

/** Returns two cells of a column, a code with its label. */
export const samplesOf = (one: ProfiledColumn): ReadonlyArray<string> =>
  cellsIn(one).samples.map((text) => {
    const label = one.coded === undefined ? undefined : one.labels?.options.get(text)
    return label === undefined ? quotes(text) : `${quotes(text)} (${cut(commentText(label), 40)})`
  })

/** Returns the comment above a suggestion: its confidence and two cells. */
const confidenceLine = (confidence: number, samples: ReadonlyArray<string>): string =>
  [scored(confidence), ...(samples.length === 0 ? ["the column is empty"] : samples)]
    .join(" · ")

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
  const members = block.members.filter(({ role }) => role === "option").map(({ option, column }) => {
    const known = names === undefined ? undefined : likelyOption(names, option)
    return [known?.label ?? option, nameOf(column)] as const
  })
  const columns = Object.fromEntries(members)
  return block.content === "ranks" ? { ranks: columns } : columns
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
      return origin.columns.map(({ profile }) => profile.samples[0]).flatMap((text) =>
        text === undefined ? [] : [quotes(text)]
      )
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
  },
): DraftEntry => {
  const { confidence, origin, question } = suggestion
  const settings = settingsThatRead(settingsFor(suggestion, options.uploads), options.misread)
  const choices = foreignChoices(suggestion, options.unknown)
  const keys = withSure(settings.keys, choices)
  const open = settings.open ?? foreignFault(suggestion, choices)
  const below = valuesBelow(suggestion, choices, keys)
  return {
    of: question.id,
    comments: [
      confidenceLine(confidence, samplesFrom(origin)),
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
      ...candidates.map(({ confidence, origin }) => {
        const from = fromOf(origin, nameOf, question)
        const shown = typeof from === "string"
          ? from
          : origin._tag === "Block" && origin.block.title !== undefined
          ? `block ${origin.block.title}`
          : "several columns"
        // Not shortened, so that it can be copied.
        return `candidate ${confidence.toFixed(2)} ${commentText(shown)}${
          samplesFrom(origin).map((sample) => ` · ${sample}`).join("")
        }`
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
