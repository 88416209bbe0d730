import { type Option, optionNamer, type Question } from "../../domain/form.ts"
import { cut } from "../../domain/problem.ts"
import type { Column } from "../../domain/row.ts"
import { firstOf, present } from "../../domain/words.ts"
import { loose } from "../../kinds/optionTable.ts"
import { isTick, saysNo } from "../../profile/cellWords.ts"
import { cellsIn, type ColumnProfile } from "../../profile/ColumnProfile.ts"
import { collectUnknown } from "../../profile/UnknownChoices.ts"
import { commentText, type DraftKey, yamlText } from "../../project/PipelineDraft.ts"
import { scored } from "../../project/pipelineEdits.ts"
import { namesConcept, wordingOf } from "../meaning.ts"
import { exactOption, indexOptions, isShared, only, optionNamed, optionsNamed } from "../optionIndex.ts"
import { type Block, codesOf, profiledOf, type Suggestion, wouldFit } from "../Suggestion.ts"
import { translate } from "../translate.ts"
import { optionsOf, type Settings } from "./settings.ts"

// Choices that are not options

/** Returns the columns of a block that are for options, each with the question's option that it names. */
export const optionsIn = (block: Block, { options = [] }: Question) => {
  const named = optionsNamed(indexOptions(options), block.options.map(({ option }) => option))
  return block.options.map((column, at) => [column, named[at]] as const)
}

/** Returns the block of a suggestion if each of its columns is for an option. Otherwise, the cells contain the options. */
const optionBlock = ({ origin, question }: Suggestion): Block | undefined =>
  origin._tag === "Block" && question.type !== "Matrix" && origin.content !== "labels" && origin.content !== "places"
    ? origin
    : undefined

/** Returns the filled cells whose texts are kept. The others are counted together, although their choices differ. */
const keptIn = ({ cells, distinct }: ColumnProfile) => cells.filter(({ text }) => distinct.has(text))

/**
 * Returns the choices in a suggestion's cells, or the options of a block's columns, that are not options of its question. Returns none for a column that
 * is unlikely to fit (`wouldFit`).
 *
 * @param settings how the suggestion's entry reads its cells
 */
export const unknownOf = (suggestion: Suggestion, settings: Settings) => {
  const { confidence, origin, question: { options = [] }, question } = suggestion
  const none = { counts: [], more: false }
  if (options.length === 0 || confidence < wouldFit) return none
  const names = indexOptions(options)
  const block = optionBlock(suggestion)
  if (block !== undefined) {
    // If the source names the block, an entry without `values` finds options by their exact names.
    const unknown = optionsIn(block, question).filter(([{ code, option }, named]) =>
      (code === undefined && block.known ? exactOption(names, option) : named) === undefined
    )
    const ticked = ({ distinct, filled }: ColumnProfile) =>
      [...distinct].reduce((sum, [text, times]) => saysNo(text) ? sum - times : sum, filled)
    const counts = unknown.map(([{ code, option, profile }]) => [code ?? option, ticked(profile)] as const)
    return { counts, more: false }
  }
  const isGrid = origin._tag === "Block" && (settings.kind === "matrix" || origin.content === "places")
  const { keys, kind = "text" } = isGrid ? { keys: [], kind: "choice" } : settings
  if (!["choice", "choices", "ranking"].includes(kind)) return none
  // The form may use the same codes with other meanings. So a code whose label names no option is not the option with this code.
  const unnamed = [...codesOf(suggestion)].flatMap(([code, label]) =>
    optionNamed(names, label) === undefined ? code : []
  )
  const counter = collectUnknown(kind, optionsOf(keys), question, new Set(), new Set(unnamed))
  const profiles = profiledOf(origin).map(cellsIn)
  // An option may be called "n/a".
  for (const { cell, times } of profiles.flatMap((one) => [...keptIn(one), ...one.noAnswer])) counter?.add(cell, times)
  const { counts, more } = counter?.unknown() ?? none
  return { counts, more: more || profiles.some((one) => one.more) }
}

/**
 * Returns which options a suggestion's unknown choices mean. `option`: the one that a choice names in a different spelling, or that its label names.
 * Similar names are only `likely`, because a wrong option can't be corrected after the import.
 */
export const foreignChoices = (suggestion: Suggestion, counts: ReadonlyArray<readonly [string, number]>) => {
  const codes = codesOf(suggestion)
  const names = indexOptions(suggestion.question.options ?? [])
  const translations = translate(suggestion, counts.map(([choice]) => codes.get(choice) ?? choice))
  const isBlock = optionBlock(suggestion) !== undefined
  return counts.map(([choice, count]) => {
    const label = codes.get(choice)
    const option = isBlock ? undefined : optionNamed(names, label ?? choice)
    return { choice, count, label, option, likely: translations.get(label ?? choice) }
  })
}

/** A choice in the cells, or an option of a block's columns, that is not an option of the question. */
export type ForeignChoice = ReturnType<typeof foreignChoices>[number]

// What an entry says about them

/** The maximum number of choices to list. A question with more unknown choices is mapped wrongly, or is not a choice. */
const listed = 50

/** Returns lines that list choices without a certain option, for a person to fill in. */
const linesBelow = (
  options: ReadonlyArray<Option>,
  left: ReadonlyArray<ForeignChoice>,
  more: boolean,
  start: string,
): ReadonlyArray<string> => {
  const [nameOf, index] = [optionNamer(options), indexOptions(options)]
  const names = options.map((option) => cut(commentText(nameOf(option))))
  return [
    `${start} these are not options: write one after each, or null for no answer, and remove the #`,
    `  # options: ${firstOf(names, listed, " · ")}`,
    ...left.slice(0, listed).map(({ choice, count, label, likely }) => {
      const notes = present([
        label === undefined ? isShared(index, choice) && "the name of several options" : commentText(label),
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

/** The share of cells that may contain choices without an option. If there are more, the entry is left open. The same applies if the form uses a code with a different meaning, because the run would read it as that option. */
const foreignShare = 0.01

/** Whether a person must review an entry, because too many choices have no option. */
const isForeign = (suggestion: Suggestion, left: ReadonlyArray<ForeignChoice>): boolean => {
  if (optionBlock(suggestion) !== undefined) return left.length > 0
  const kept = profiledOf(suggestion.origin).map(cellsIn).flatMap(keptIn)
  const filled = kept.reduce((sum, { times }) => sum + times, 0)
  const { exact } = indexOptions(suggestion.question.options ?? [])
  return left.reduce((sum, { count }) => sum + count, 0) > filled * foreignShare
    || left.some(({ choice }) => exact.has(loose(choice)))
}

/** Returns how an entry reads a block's "Other" column and the text next to it, and what a person must decide, as a sentence. */
const draftOther = (
  { origin, question: { options = [] } }: Suggestion,
  nameOf: (column: Column) => string,
): { readonly keys: ReadonlyArray<DraftKey>; readonly open?: string | undefined } => {
  if (origin._tag !== "Block" || origin.content !== "ticks") return { keys: [] }
  const others = origin.columns.filter(({ profile, role }) => role !== "option" && profile.filled > 0)
  const [first] = others
  if (first === undefined) return { keys: [] }
  const fitting = options.filter(({ label }) => namesConcept(wordingOf(label), "other"))
  const likely = optionNamed(indexOptions(options), first.option) ?? only(fitting)
  const use = options.length === 0 ? first.option : likely && optionNamer(options)(likely)
  const hasTexts = others.some(({ profile }) => profile.texts.some((text) => !isTick(text)))
  const value = { ...origin.known ? {} : { from: nameOf(first.column) }, use: use ?? "" }
  const title = cut(commentText(first.column.title), 60)
  return {
    keys: [{ key: "other", value, note: use && hasTexts ? "sent without the texts" : undefined }],
    open: use === undefined
      ? `the form has no option for the answers in "${title}". Say with \`other\` what to send for them, then remove the #.`
      : undefined,
  }
}

/**
 * Returns an entry's keys with the options that choices certainly mean, under `values`. `below`: lines for the other choices. `open`: why a person must
 * review them, as a sentence.
 */
export const draftChoices = (suggestion: Suggestion, settings: Settings, nameOf: (column: Column) => string) => {
  const { question: { options = [] } } = suggestion
  const other = settings.kind === "choices" ? draftOther(suggestion, nameOf) : { keys: [] }
  const unknown = unknownOf(suggestion, settings)
  const choices = foreignChoices(suggestion, unknown.counts)
  const left = choices.filter(({ option }) => option === undefined)
  const named = optionNamer(options)
  const sure = choices.flatMap(({ choice, option }) => option === undefined ? [] : [[choice, named(option)] as const])
  const given = optionsOf(settings.keys)["values"] as Readonly<Record<string, string>> | undefined
  const value = { ...given, ...Object.fromEntries(sure) }
  const notes = new Map(choices.map(({ choice, count }) => [choice, `${count} ×`]))
  const isGiven = Object.keys(value).length > 0
  const which = left.length === 1
    ? "one choice is not an option"
    : `${left.length}${unknown.more ? " and more" : ""} choices are not options`
  return {
    keys: [
      ...other.keys,
      ...settings.keys.filter(({ key }) => key !== "values"),
      ...isGiven ? [{ key: "values", value, isLong: true, notes }] : [],
    ],
    below: left.length === 0 ? [] : linesBelow(options, left, unknown.more, isGiven ? "  #" : "values: #"),
    open: isForeign(suggestion, left)
      ? `${which} of the question. Complete \`values\`, then remove the #.`
      : other.open,
  }
}
