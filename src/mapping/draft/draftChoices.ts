import { type Option, optionNamer } from "../../domain/form.ts"
import { cut } from "../../domain/problem.ts"
import { type Column, optionColumns } from "../../domain/row.ts"
import { counted, present } from "../../domain/words.ts"
import { loose } from "../../kinds/optionTable.ts"
import { commentText, type DraftKey, type DraftValue, yamlText } from "../../project/PipelineDraft.ts"
import { scored } from "../../project/pipelineEdits.ts"
import { cellsIn, type ColumnProfile } from "../profile/ColumnProfile.ts"
import { codesOf } from "../suggest/labelled.ts"
import { meaningOf, namesConcept } from "../suggest/meaning.ts"
import { exactOption, indexOptions, isShared, optionsNamed } from "../suggest/optionIndex.ts"
import { type Block, type BlockMember, profiledOf, type Suggestion, wouldFit } from "../suggest/Suggestion.ts"
import { translate, type Translation } from "../suggest/translate.ts"
import { isTick, saysNo } from "../words/cellWords.ts"
import type { Settings } from "./settings.ts"
import { collectUnknown, type Unknown } from "./unknownChoices.ts"

/** Returns the block of a suggestion if each of its columns is for an option. Otherwise, the cells contain the options. */
const optionBlock = ({ origin, question }: Suggestion): Block | undefined =>
  origin._tag === "Block" && question.type !== "Matrix" && origin.content !== "labels" && origin.content !== "places"
    ? origin
    : undefined

/** Returns the options of a block's columns that the form does not have, with the number of cells that name them. */
const unknownOptions = ({ known, members }: Block, options: ReadonlyArray<Option>): Unknown["counts"] => {
  const names = indexOptions(options)
  const timesNamed = ({ profile: { distinct, filled } }: BlockMember) =>
    [...distinct].reduce((sum, [text, times]) => saysNo(text) ? sum - times : sum, filled)
  const own = optionColumns(members)
  const found = optionsNamed(names, own.map(({ option }) => option))
  // If the source names the block, an entry without `values` finds options by their exact names.
  return own.filter(({ code, option }, at) =>
    code === undefined && known ? exactOption(names, option) === undefined : found[at] === undefined
  ).map((member) => [member.code ?? member.option, timesNamed(member)])
}

/** Returns the filled cells whose texts are kept. The others are counted together, although their choices differ. */
const keptIn = ({ cells, distinct }: ColumnProfile) => cells.filter(({ text }) => distinct.has(text))

/**
 * Returns the choices in a suggestion's cells that are not options of its question. Returns none for a column that is unlikely to fit (`wouldFit`).
 *
 * @param settings how the suggestion's entry reads its cells
 */
export const unknownOf = (suggestion: Suggestion, settings: Settings): Unknown => {
  const { confidence, origin, question: { options = [] }, question } = suggestion
  const none = { counts: [], more: false }
  if (options.length === 0 || confidence < wouldFit) return none
  const block = optionBlock(suggestion)
  if (block !== undefined) return { counts: unknownOptions(block, options), more: false }
  const isGrid = origin._tag === "Block" && (question.type === "Matrix" || origin.content === "places")
  const { keys, kind = "text" } = isGrid ? { keys: [], kind: "choice" } : settings
  if (!["choice", "choices", "ranking"].includes(kind)) return none
  const names = indexOptions(options)
  // The form may use the same codes with other meanings. So a code whose label names no option is not the option with this code.
  const unnamed = [...codesOf(suggestion)].flatMap(([code, label]) =>
    optionsNamed(names, [label])[0] === undefined ? code : []
  )
  const written = Object.fromEntries(keys.map(({ key, value }) => [key, value]))
  const counter = collectUnknown(kind, written, question, new Set(), new Set(unnamed))
  const profiles = profiledOf(origin).map(cellsIn)
  // An option may be called "n/a".
  for (const { cell, times } of profiles.flatMap((one) => [...keptIn(one), ...one.noAnswer])) counter?.add(cell, times)
  const { counts, more } = counter?.unknown() ?? none
  return { counts, more: more || profiles.some((one) => one.more) }
}

/** A choice in the cells, or an option of a block's columns, that is not an option of the question. */
export interface ForeignChoice {
  readonly choice: string
  readonly label: string | undefined
  readonly count: number
  /** The option that it names in a different spelling, or that its label names. */
  readonly option: Option | undefined
  readonly likely: Translation | undefined
}

/** Returns which options a suggestion's unknown choices mean. Similar names are only likely, because a wrong option can't be corrected after the import. */
export const foreignChoices = (suggestion: Suggestion, { counts }: Unknown): ReadonlyArray<ForeignChoice> => {
  const codes = codesOf(suggestion)
  const names = indexOptions(suggestion.question.options ?? [])
  const translations = translate(suggestion, counts.map(([choice]) => codes.get(choice) ?? choice))
  const isBlock = optionBlock(suggestion) !== undefined
  return counts.map(([choice, count]) => {
    const label = codes.get(choice)
    const [option] = isBlock ? [] : optionsNamed(names, [label ?? choice])
    return { choice, count, label, option, likely: translations.get(label ?? choice) }
  })
}

/** The maximum number of choices to list. A question with more unknown choices is mapped wrongly, or is not a choice. */
const listed = 50

/** Returns lines that list choices without a certain option, for a person to fill in. */
const linesBelow = (
  options: ReadonlyArray<Option>,
  left: ReadonlyArray<ForeignChoice>,
  more: boolean,
  start: string,
): ReadonlyArray<string> => {
  const nameOf = optionNamer(options)
  const index = indexOptions(options)
  const names = options.slice(0, listed).map((option) => cut(commentText(nameOf(option)))).join(" · ")
  const others = options.length > listed ? ` and ${options.length - listed} more` : ""
  return [
    `${start} these are not options: write one after each, or null for no answer, and remove the #`,
    `  # options: ${names}${others}`,
    ...left.slice(0, listed).map(({ choice, count, label, likely }) => {
      const notes = present([
        label && commentText(label),
        label === undefined && isShared(index, choice) && "the name of several options",
        likely && scored(likely.confidence),
        `${count} ×`,
      ])
      return `  ${yamlText(choice, true)}: ${likely ? `${yamlText(nameOf(likely.option))} ` : ""}# ${notes.join(" · ")}`
    }),
    ...left.length > listed || more
      // This line has a second #, so that it remains a comment after the others are uncommented.
      ? [
        `  # and ${more ? "many" : left.length - listed} more, which \`formferry check\` lists`,
        "otherwise: # or choose what happens to all texts that are not listed: reject, keep, drop or { use: OPTION }",
      ]
      : [],
  ]
}

/** The share of cells that may contain choices without an option. If there are more, the entry is left open. So it is if the form uses a code with a different meaning, because the run would read it as that option. */
const foreignShare = 0.01

/** Returns why a person must review an entry's choices, as a sentence. Undefined if no review is needed. */
const foreignFault = (
  suggestion: Suggestion,
  left: ReadonlyArray<ForeignChoice>,
  more: boolean,
): string | undefined => {
  const isOne = left.length === 1
  const fill = "Complete `values`, then remove the #."
  if (left.length > 0 && optionBlock(suggestion) !== undefined) {
    const which = isOne ? "one column is for an option" : `${left.length} columns are for options`
    return `${which} that the form does not have. ${fill}`
  }
  const kept = profiledOf(suggestion.origin).map(cellsIn).flatMap(keptIn)
  const filled = kept.reduce((sum, { times }) => sum + times, 0)
  const cells = left.reduce((sum, { count }) => sum + count, 0)
  const { exact } = indexOptions(suggestion.question.options ?? [])
  if (cells <= filled * foreignShare && !left.some(({ choice }) => exact.has(loose(choice)))) return undefined
  const which = isOne ? "one choice" : `${left.length}${more ? " and more" : ""} choices`
  const are = isOne ? "is not an option" : "are not options"
  const within = `${more ? "at least " : ""}${counted(Math.min(cells, filled), "cell")}`
  return `${which} in ${within} ${are} of the question. ${fill}`
}

/** Returns an entry's keys with the options that choices certainly mean, under `values`. `below`: lines for the other choices. `open`: why a person must review them, as a sentence. */
export const draftChoices = (suggestion: Suggestion, settings: Settings, keys: ReadonlyArray<DraftKey>) => {
  const unknown = unknownOf(suggestion, settings)
  const choices = foreignChoices(suggestion, unknown)
  const left = choices.filter(({ option }) => option === undefined)
  const sure = choices.flatMap(({ choice, count, option }) => option === undefined ? [] : [{ choice, count, option }])
  const given = keys.find(({ key }) => key === "values")?.value
  const nameOf = optionNamer(suggestion.question.options ?? [])
  const value = {
    ...typeof given === "object" ? given : {},
    ...Object.fromEntries(sure.map(({ choice, option }) => [choice, nameOf(option)])),
  } as DraftValue
  const notes = new Map(sure.map(({ choice, count }) => [choice, `${count} ×`]))
  const start = given === undefined && sure.length === 0 ? "values: #" : "  #"
  return {
    keys: sure.length === 0
      ? keys
      : [...keys.filter(({ key }) => key !== "values"), { key: "values", value, isLong: true, notes }],
    below: left.length === 0 ? [] : linesBelow(suggestion.question.options ?? [], left, unknown.more, start),
    open: foreignFault(suggestion, left, unknown.more),
  }
}

/** Returns how an entry reads a block's "Other" column and the text next to it, and what a person must decide, as a sentence. */
export const draftOther = (
  { origin, question: { options = [] } }: Suggestion,
  nameOf: (column: Column) => string,
): { readonly keys: ReadonlyArray<DraftKey>; readonly open?: string | undefined } => {
  if (origin._tag !== "Block" || origin.content !== "ticks") return { keys: [] }
  const others = origin.members.filter(({ profile, role }) => role !== "option" && profile.filled > 0)
  const [first] = others
  if (first === undefined) return { keys: [] }
  const fitting = options.filter(({ label }) => namesConcept(meaningOf(label), "other"))
  const likely = optionsNamed(indexOptions(options), [first.option])[0]
    ?? (fitting.length === 1 ? fitting[0] : undefined)
  const use = options.length === 0 ? first.option : likely && optionNamer(options)(likely)
  const hasTexts = others.some(({ profile }) => [...profile.distinct.keys()].some((text) => !isTick(text)))
  const value = { ...origin.known ? {} : { from: nameOf(first.column) }, use: use ?? "" }
  const title = cut(commentText(first.column.title), 60)
  return {
    keys: [{ key: "other", value, note: use && hasTexts ? "sent without the texts" : undefined }],
    open: use === undefined
      ? `the form has no option for the answers in "${title}". Say with \`other\` what to send for them, then remove the #.`
      : undefined,
  }
}
