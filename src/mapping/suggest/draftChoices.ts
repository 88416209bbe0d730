import type { Option } from "../../domain/form.ts"
import { loose } from "../../kinds/optionTable.ts"
import { commentText, yamlText } from "../../project/yamlLines.ts"
import type { ColumnProfile } from "./ColumnProfile.ts"
import { likelyOption, optionNames } from "./optionNames.ts"
import { settingsFor } from "./settingsFor.ts"
import { columnsOf } from "./Suggestion.ts"
import type { Suggestion } from "./Suggestion.ts"
import { saysYes } from "./ticks.ts"

/** Choices of a column that are no option, with their counts. */
export interface Unknown {
  readonly counts: ReadonlyArray<readonly [choice: string, count: number]>
  readonly more: boolean
}

/** Choices that are listed at most: a question with more of them in doubt is mapped wrongly, or is no choice. */
const listed = 50

const isGrid = ({ origin, question }: Suggestion): boolean => origin._tag === "Block" && question.type === "Matrix"

/** The choices of columns that are to be held against the form's options; undefined: the question has none. */
export const choicesToCount = (suggestion: Suggestion) => {
  const { origin, question } = suggestion
  if (question.options === undefined || question.options.length === 0) return undefined
  // Each cell of a grid holds one of the question's options.
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

/** Options of a block's columns that the form does not have, with the cells that name them: its codes are read through `values`. */
const unknownOptions = ({ origin, question }: Suggestion): Unknown | undefined => {
  if (origin._tag !== "Block" || !origin.block.known || origin.block.content === "labels") return undefined
  if (question.options === undefined || question.options.length === 0) return undefined
  const { exact } = optionNames(question.options)
  const named = origin.block.content === "ticks"
    ? ({ distinct }: ColumnProfile, option: string) =>
      [...distinct].reduce((sum, [text, times]) => sum + (saysYes(text) || text === option ? times : 0), 0)
    : ({ filled }: ColumnProfile) => filled
  const counts = origin.block.members.filter(({ option, role }) => role === "option" && !exact.has(loose(option)))
    .map(({ option, profile }) => [option, named(profile, option)] as const)
  return counts.length === 0 ? undefined : { counts, more: false }
}

/** What stands under `values` of an entry, to be filled in. */
export const unknownOf = (suggestion: Suggestion, counted: ReadonlyMap<string, Unknown>): Unknown | undefined => {
  const cells = counted.get(suggestion.question.id)
  return cells === undefined || cells.counts.length === 0 ? unknownOptions(suggestion) : cells
}

/** The options to choose from, as a comment of its own, ready to be copied. */
const optionLines = (options: ReadonlyArray<Option>): ReadonlyArray<string> =>
  options.length === 0
    ? []
    : [
      `  # options: ${options.slice(0, listed).map(({ label }) => commentText(label)).join(" · ")}${
        options.length > listed ? ` and ${options.length - listed} more` : ""
      }`,
    ]

/** Lines under an entry that list the choices without an option, ready to be filled in. */
export const valuesBelow = ({ question }: Suggestion, unknown: Unknown | undefined): ReadonlyArray<string> => {
  if (unknown === undefined || unknown.counts.length === 0) return []
  const names = optionNames(question.options ?? [])
  const all = unknown.counts.length
  return [
    "values: # these are no option: put one behind each, or null for no answer, and take the # away",
    ...optionLines(question.options ?? []),
    ...unknown.counts.slice(0, listed).map(([choice, count]) => {
      const option = likelyOption(names, choice)
      const key = yamlText(choice, true)
      return `  ${key}: ${option === undefined ? "" : `${yamlText(option.label)} `}# ${count} ×`
    }),
    ...(all > listed || unknown.more
      // Behind a # of its own: it stays a comment when the others' is taken away.
      ? [
        `  # and ${unknown.more ? "many" : all - listed} more, which \`formferry check\` lists`,
        "otherwise: # or say what becomes of all that are not listed: reject, keep, drop or { use: OPTION }",
      ]
      : []),
  ]
}
