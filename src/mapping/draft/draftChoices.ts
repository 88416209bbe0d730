import type { Option } from "../../domain/form.ts"
import { cut } from "../../domain/problem.ts"
import { type Column, optionColumns } from "../../domain/row.ts"
import { counted } from "../../domain/words.ts"
import { loose } from "../../kinds/optionTable.ts"
import { commentText, type DraftKey, type DraftValue, yamlText } from "../../project/PipelineDraft.ts"
import { scored } from "../../project/pipelineEdits.ts"
import { cellsIn } from "../profile/ColumnProfile.ts"
import { codesOf } from "../suggest/labelled.ts"
import { meaningOf, namesConcept } from "../suggest/meaning.ts"
import { indexOptions, optionsNamed } from "../suggest/optionIndex.ts"
import { type Block, type BlockMember, profiledOf, type Suggestion } from "../suggest/Suggestion.ts"
import { translate, type Translation } from "../suggest/translate.ts"
import { isTick, saysYes } from "../words/words.ts"
import { isGrid, type TriedEntries } from "./tryEntry.ts"
import type { Unknown } from "./unknownChoices.ts"

/** The maximum number of choices to list. A question with more unknown choices is mapped wrongly, or is not a choice. */
const listed = 50

const readsLabels = ({ content }: Block): boolean => content === "labels" || content === "places"

/** Returns the options of a block's columns that the form does not have, with the cells that name them. */
const unknownOptions = ({ origin, question: { options = [], type } }: Suggestion): Unknown | undefined => {
  if (origin._tag !== "Block" || type === "Matrix" || readsLabels(origin) || options.length === 0) return undefined
  const names = indexOptions(options)
  const timesNamed = ({ code, option, profile: { distinct, filled } }: BlockMember) =>
    origin.content !== "ticks"
      ? filled
      : [...distinct].reduce((sum, [text, times]) => saysYes(text) || text === (code ?? option) ? sum + times : sum, 0)
  const own = optionColumns(origin.members)
  const found = optionsNamed(names, own.map(({ option }) => option))
  // If the source names the block, an entry without `values` finds options by their exact names.
  const counts = own.filter(({ code, option }, at) =>
    code === undefined && origin.known ? !names.exact.has(loose(option)) : found[at] === undefined
  ).map((member) => [member.code ?? member.option, timesNamed(member)] as const)
  return counts.length === 0 ? undefined : { counts, more: false }
}

/** Returns the choices to list under `values` of an entry. */
export const unknownOf = (suggestion: Suggestion, tried: TriedEntries): Unknown | undefined => {
  const cells = tried.get(suggestion.question.id)
  return cells === undefined || cells.counts.length === 0 ? unknownOptions(suggestion) : cells
}

export interface ForeignChoice {
  readonly choice: string
  readonly label: string | undefined
  readonly count: number
  /** The option that it names in a different spelling, or that its label names. */
  readonly option: Option | undefined
  readonly likely: Translation | undefined
}

/** Finds out which options a suggestion's unknown choices mean. Similar names are only proposed, because a wrong option can't be corrected after the import. */
export const foreignChoices = (
  suggestion: Suggestion,
  { counts, more }: Unknown = { counts: [], more: false },
) => {
  const codes = codesOf(suggestion)
  const names = indexOptions(suggestion.question.options ?? [])
  const translations = translate(suggestion, counts.map(([choice]) => codes.get(choice) ?? choice))
  const isBlock = suggestion.origin._tag === "Block" && !isGrid(suggestion)
  const all = counts.map(([choice, count]): ForeignChoice => {
    const label = codes.get(choice)
    const [option] = isBlock ? [] : optionsNamed(names, [label ?? choice])
    return { choice, count, label, option, likely: translations.get(label ?? choice) }
  })
  return {
    /** Those that mean an option for certain. */
    sure: all.flatMap(({ option, ...one }) => option === undefined ? [] : [{ ...one, option }]),
    left: all.filter(({ option }) => option === undefined),
    more,
  }
}

type ForeignChoices = ReturnType<typeof foreignChoices>

/** Returns keys with the options that choices certainly mean, under `values`. */
export const withSure = (keys: ReadonlyArray<DraftKey>, { sure }: ForeignChoices): ReadonlyArray<DraftKey> => {
  if (sure.length === 0) return keys
  const given = keys.find(({ key }) => key === "values")?.value
  const values = Object.fromEntries(sure.map(({ choice, option }) => [choice, option.label]))
  return [...keys.filter(({ key }) => key !== "values"), {
    key: "values",
    value: { ...typeof given === "object" ? given : {}, ...values } as DraftValue,
    isLong: true,
    notes: new Map(sure.map(({ choice, count }) => [choice, `${count} ×`])),
  }]
}

/** Returns lines under an entry that list choices without a certain option, for a person to fill in. */
export const valuesBelow = (
  { question: { options = [] } }: Suggestion,
  { left, more }: ForeignChoices,
  keys: ReadonlyArray<DraftKey>,
): ReadonlyArray<string> => {
  if (left.length === 0) return []
  const start = keys.some(({ key }) => key === "values") ? "  #" : "values: #"
  const names = options.slice(0, listed).map(({ label }) => cut(commentText(label))).join(" · ")
  const others = options.length > listed ? ` and ${options.length - listed} more` : ""
  return [
    `${start} these are not options: write one after each, or null for no answer, and remove the #`,
    ...(options.length === 0 ? [] : [`  # options: ${names}${others}`]),
    ...left.slice(0, listed).map(({ choice, count, label, likely }) => {
      const notes = [label && commentText(label), likely && scored(likely.confidence), `${count} ×`]
      const option = likely === undefined ? "" : `${yamlText(likely.option.label)} `
      return `  ${yamlText(choice, true)}: ${option}# ${notes.filter((note) => note !== undefined).join(" · ")}`
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

/** The share of cells that may contain choices without an option. If there are more, the entry is left open. So it is if the form uses a code with a different meaning, because the run would read it as that option. */
const foreignShare = 0.01

/** Returns why a person must review an entry's choices, as a sentence. Undefined if no review is needed. */
export const foreignFault = ({ origin, question }: Suggestion, { left, more }: ForeignChoices): string | undefined => {
  if (left.length === 0) return undefined
  const fill = "Complete `values`, then remove the #."
  const isOne = left.length === 1
  if (origin._tag === "Block" && !readsLabels(origin)) {
    const which = isOne ? "one column is for an option" : `${left.length} columns are for options`
    return `${which} that the form does not have. ${fill}`
  }
  const filled = profiledOf(origin).reduce((sum, one) => sum + cellsIn(one).filled, 0)
  const cells = left.reduce((sum, { count }) => sum + count, 0)
  const { exact } = indexOptions(question.options ?? [])
  if (cells <= filled * foreignShare && !left.some(({ choice }) => exact.has(loose(choice)))) return undefined
  const which = isOne ? "one choice" : `${left.length}${more ? " and more" : ""} choices`
  const are = isOne ? "is not an option" : "are not options"
  return `${which} in ${counted(Math.min(cells, filled), "cell")} ${are} of the question. ${fill}`
}

/**
 * Returns how an entry reads a block's "Other" column and the text next to it, and what a person must decide, as a sentence.
 *
 * @param answered positions of the columns that answer a question of their own
 */
export const draftOther = (
  { origin, question: { options = [] } }: Suggestion,
  nameOf: (column: Column) => string,
  answered: ReadonlySet<number>,
): { readonly keys: ReadonlyArray<DraftKey>; readonly open?: string } => {
  if (origin._tag !== "Block" || origin.content !== "ticks") return { keys: [] }
  const others = origin.members.filter(({ profile, role }) => role !== "option" && profile.filled > 0)
  const [first] = others
  if (first === undefined) return { keys: [] }
  const fitting = options.filter(({ label }) => namesConcept(meaningOf(label), "other"))
  const likely = optionsNamed(indexOptions(options), [first.option])[0]
    ?? (fitting.length === 1 ? fitting[0] : undefined)
  const use = options.length === 0 ? first.option : likely?.label
  const from = origin.known ? {} : { from: nameOf(first.column) }
  if (use === undefined) {
    return {
      keys: [{ key: "other", value: { ...from, use: "" } }],
      open: `the form has no option for the answers in "${
        cut(commentText(first.column.title), 60)
      }". Say with \`other\` what to send for them, then remove the #.`,
    }
  }
  const isLeft = others.some(({ column, profile }) =>
    !answered.has(column.position) && [...profile.distinct.keys()].some((text) => !isTick(text))
  )
  return { keys: [{ key: "other", value: { ...from, use }, note: isLeft ? "the texts are not sent" : undefined }] }
}
