import type { Option } from "../../domain/form.ts"
import { cut } from "../../domain/problem.ts"
import { type Column, optionColumns } from "../../domain/row.ts"
import { counted } from "../../domain/words.ts"
import { loose } from "../../kinds/optionTable.ts"
import { commentText, type DraftKey, type DraftValue, yamlText } from "../../project/PipelineDraft.ts"
import { cellsIn, type ProfiledColumn } from "./ColumnProfile.ts"
import { codesOf } from "./labelled.ts"
import { meaningOfOption, speaksOf } from "./meaning.ts"
import { optionNames, optionsNamed } from "./optionNames.ts"
import { settingsFor } from "./settings.ts"
import { type Block, type BlockMember, columnsOf, type Origin, type Suggestion } from "./Suggestion.ts"
import { translate, type Translation } from "./translate.ts"
import type { Unknown } from "./unknownChoices.ts"
import { isTick, saysYes } from "./words.ts"

/** The maximum number of choices to list. A question with more unknown choices is mapped wrongly, or is not a choice. */
const listed = 50

/** Whether each of several columns contains one of the question's options. */
const isGrid = ({ origin, question }: Suggestion): boolean =>
  origin._tag === "Block" && (question.type === "Matrix" || origin.block.content === "places")

/** Returns the columns whose choices are compared with the form's options, or undefined if the question has no options. */
export const choicesToCount = (suggestion: Suggestion) => {
  const { origin, question } = suggestion
  if (question.options === undefined || question.options.length === 0) return undefined
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

const readsLabels = ({ content }: Block): boolean => content === "labels" || content === "places"

/** Returns the options of a block's columns that the form does not have, with the cells that name them. */
const unknownOptions = ({ origin, question }: Suggestion): Unknown | undefined => {
  if (origin._tag !== "Block" || question.type === "Matrix" || readsLabels(origin.block)) return undefined
  if (question.options === undefined || question.options.length === 0) return undefined
  const names = optionNames(question.options)
  const named = origin.block.content === "ticks"
    ? ({ code, option, profile: { distinct } }: BlockMember) =>
      [...distinct].reduce(
        (sum, [text, times]) => sum + (saysYes(text) || text === (code ?? option) ? times : 0),
        0,
      )
    : ({ profile }: BlockMember) => profile.filled
  const own = optionColumns(origin.block.members)
  const found = optionsNamed(names, own.map(({ option }) => option))
  // If the source names the block, an entry without `values` finds options by their exact names.
  const counts = own.filter(({ code, option }, at) =>
    code === undefined && origin.block.known ? !names.exact.has(loose(option)) : found[at] === undefined
  ).map((member) => [member.code ?? member.option, named(member)] as const)
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

/** A choice that is not the name of an option. */
export interface ForeignChoice {
  readonly choice: string
  /** Its text, if it is a code. */
  readonly label: string | undefined
  /** The number of cells that contain it. */
  readonly count: number
  /** The option that it most likely means. */
  readonly likely: Translation | undefined
}

/** The choices of a suggestion that are not names of options. */
interface ForeignChoices {
  /** Those that name an option in a different spelling, or whose label names one. */
  readonly sure: ReadonlyArray<ForeignChoice & { readonly option: Option }>
  /** Those about which a person must decide. */
  readonly left: ReadonlyArray<ForeignChoice>
  /** Whether there are more than these. */
  readonly more: boolean
}

/** Finds out which options a suggestion's unknown choices mean. Similar names are only proposed, because a wrong option can't be corrected after the import. */
export const foreignChoices = (suggestion: Suggestion, unknown: Unknown | undefined): ForeignChoices => {
  const { counts, more } = unknown ?? { counts: [], more: false }
  const codes = codesOf(suggestion)
  const names = optionNames(suggestion.question.options ?? [])
  const translations = translate(suggestion, counts.map(([choice]) => codes.get(choice) ?? choice))
  const isBlock = suggestion.origin._tag === "Block" && !isGrid(suggestion)
  const sure: Array<ForeignChoice & { readonly option: Option }> = []
  const left: Array<ForeignChoice> = []
  for (const [choice, count] of counts) {
    const label = codes.get(choice)
    const one = { choice, count, label, likely: translations.get(label ?? choice) }
    const [option] = isBlock ? [] : optionsNamed(names, [label ?? choice])
    if (option === undefined) left.push(one)
    else sure.push({ ...one, option })
  }
  return { sure, left, more }
}

/** Returns keys with the options that choices certainly mean, under `values`. */
export const withSure = (keys: ReadonlyArray<DraftKey>, { sure }: ForeignChoices): ReadonlyArray<DraftKey> => {
  if (sure.length === 0) return keys
  const given = keys.find(({ key }) => key === "values")
  const values = Object.fromEntries(sure.map(({ choice, option }) => [choice, option.label]))
  return [...keys.filter((one) => one !== given), {
    key: "values",
    value: { ...typeof given?.value === "object" ? given.value : {}, ...values } as DraftValue,
    isLong: true,
    notes: new Map(sure.map(({ choice, count }) => [choice, `${count} ×`])),
  }]
}

export const scored = (confidence: number): string => `confidence ${Math.min(0.99, confidence).toFixed(2)}`

/** Returns lines under an entry that list choices without a certain option, for a person to fill in. */
export const valuesBelow = (
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
      return `  ${yamlText(choice, true)}: ${likely === undefined ? "" : `${yamlText(likely.option.label)} `}# ${
        notes.join(" · ")
      }`
    }),
    ...(left.length > listed || more
      // This line has a second #, so that it remains a comment after the others are uncommented.
      ? [
        `  # and ${more ? "many" : left.length - listed} more, which \`formferry check\` lists`,
        "otherwise: # or choose what happens to all texts that are not listed: reject, keep, drop or { use: OPTION }",
      ]
      : []),
  ]
}

/** The share of cells that may contain choices without an option. If there are more, the entry is left open. */
const foreignShare = 0.01

/** Returns why a person must review an entry's choices, as a sentence. Undefined if no review is needed. */
export const foreignFault = ({ origin }: Suggestion, { left, more }: ForeignChoices): string | undefined => {
  if (left.length === 0) return undefined
  const fill = "Complete `values`, then remove the #."
  const isOne = left.length === 1
  if (origin._tag === "Block" && !readsLabels(origin.block)) {
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

/** How an entry reads the "Other" column of a block. */
interface OtherColumn {
  readonly keys: ReadonlyArray<DraftKey>
  /** What a person must decide, as a sentence. */
  readonly open: string | undefined
}

/** Returns how an entry reads a block's "Other" column, and the text next to it.
 *
 * @param answered positions of the columns that answer a question of their own
 */
export const otherColumn = (
  { origin, question }: Suggestion,
  nameOf: (column: Column) => string,
  answered: ReadonlySet<number>,
): OtherColumn => {
  const others = origin._tag === "Block" && origin.block.content === "ticks" && question.type !== "Matrix"
    ? origin.block.members.filter(({ profile, role }) => role !== "option" && profile.filled > 0)
    : []
  const [first] = others
  if (origin._tag !== "Block" || first === undefined) return { keys: [], open: undefined }
  const { options = [] } = question
  const fitting = options.filter(({ label }) => speaksOf(meaningOfOption(label), "other"))
  const likely = optionsNamed(optionNames(options), [first.option])[0]
    ?? (fitting.length === 1 ? fitting[0] : undefined)
  const use = options.length === 0 ? first.option : likely?.label
  const texts = others.filter(({ profile }) => [...profile.distinct.keys()].some((text) => !isTick(text)))
  const left = texts.filter(({ column }) => !answered.has(column.position))
  return {
    keys: [{
      key: "other",
      value: { ...origin.block.known ? {} : { from: nameOf(first.column) }, use: use ?? "" },
      note: left.length === 0 || use === undefined ? undefined : "the texts are not sent",
    }],
    open: use === undefined
      ? `the form has no option for the answers in "${
        cut(commentText(first.column.title), 60)
      }". Say with \`other\` what to send for them, then remove the #.`
      : undefined,
  }
}
