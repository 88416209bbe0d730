import type { Option } from "../domain/form.ts"
import { type Column, type ColumnBlock, optionColumns } from "../domain/row.ts"
import { oneLine } from "../domain/words.ts"
import { placesOf } from "../kinds/ranking.ts"
import { isTick } from "../profile/cellWords.ts"
import type { ProfiledColumn } from "../profile/ColumnProfile.ts"
import type { Target } from "./fit.ts"
import { meaningOf } from "./meaning.ts"
import { exactOption } from "./optionIndex.ts"
import { type Block, type BlockColumn, type BlockContent, labelledTitle, type Unit } from "./Suggestion.ts"
import { vocabulary, wordsOf } from "./words/words.ts"

/** Patterns of headers that name a question and one of its options or rows. */
const headers = Object.values(vocabulary.blockHeaders).flat().map((pattern) => new RegExp(pattern))

/** The longest header that may name a question and an option, in characters. */
const longest = 2_000

const onlyText = ({ profile: { texts } }: ProfiledColumn): string | undefined =>
  texts.length === 1 ? texts[0] : undefined

const contentOf = (options: ReadonlyArray<BlockColumn>): BlockContent | undefined => {
  const texts = [...new Set(options.flatMap(({ profile }) => profile.texts))]
  if (texts.length === 0) return "empty"
  if (options.every((one) => onlyText(one) === one.option)) return "ticks"
  const most = texts.every((text) => /^\d{1,2}(?:\.0)?$/.test(text)) ? Math.max(...texts.map(Number)) : 0
  if (most > 1) return most <= options.length && texts.length > 1 ? "ranks" : "labels"
  // A column for one option may have a word of its own for a tick.
  const isTicked = ({ option, profile }: BlockColumn) =>
    profile.texts.slice(1).every((text) => text === option || isTick(text))
  if (options.every(isTicked)) return "ticks"
  const rows = Math.max(...options.map(({ profile }) => profile.filled))
  if (texts.length > Math.max(12, rows / 4) || options.some(({ profile }) => profile.more)) return undefined
  return placesOf(options.map(({ option }) => option)) === undefined ? "labels" : "places"
}

/** Returns a column for an option, or for its label if the form tool's own definition has one for it. */
const memberOf = (one: ProfiledColumn, option: string, role: BlockColumn["role"]): BlockColumn => {
  const part = one.labels?.part
  return { ...one, ...part?.code === option ? { option: part.label, code: option } : { option }, role }
}

/**
 * Returns the units of a source: the blocks that its format names, those that can be inferred from headers and cells, and columns. A column belongs to one
 * block at most. A form may have a separate question for the text of "other", for each row of a grid, or for each rank if it has no question of kind
 * ranking, so these columns are also units of their own. So are those of a block that only headers show.
 *
 * @param labels the columns' titles by position, if the form tool shows them
 */
export const unitsOf = (
  columns: ReadonlyArray<ProfiledColumn>,
  named: ReadonlyArray<ColumnBlock>,
  targets: ReadonlyArray<Target>,
  labels: ReadonlyArray<string> = [],
): ReadonlyArray<Unit> => {
  const blocks: Array<Unit & Block> = []
  const [taken, inWhole] = [new Set<Column>(), new Set<Column>()]
  const isRanked = targets.some(({ kind }) => kind === "ranking")
  const add = (title: string, shownBy: "format" | "headers" | "cells", members: ReadonlyArray<BlockColumn>) => {
    const known = shownBy === "format"
    const options = optionColumns(members)
    const content = contentOf(options) ?? (known ? "labels" : undefined)
    if (content === undefined || members.some(({ column }) => taken.has(column))) return
    const asked = members.find(({ labels }) => labels !== undefined && labels.title !== "")?.labels?.title ?? title
    const meaning = meaningOf(asked, members.map(({ option }) => option))
    blocks.push({ _tag: "Block", title, known, content, columns: members, options, meaning })
    for (const { column } of members) taken.add(column)
    if (shownBy === "headers" || content === "labels" || (content === "places" && !isRanked)) return
    for (const { column } of options) inWhole.add(column)
  }
  for (const { title, columns: members } of named) {
    const own = members.flatMap(({ option, position, role }) =>
      columns.filter(({ column }) => column.position === position).map((one) => memberOf(one, option, role))
    )
    add(title, "format", own)
  }
  for (const pattern of headers) {
    const groups = new Map<string, Array<BlockColumn>>()
    for (const one of columns) {
      const { name, title } = one.column
      if (taken.has(one.column) || name === undefined || title.length > longest) continue
      const [, question, option] = pattern.exec(oneLine(title))?.map((part) => part.trim()) ?? []
      if (!question || !option) continue
      // Ticks of "Other" are an option like the others.
      const isText = one.profile.texts.some((text) => text !== option && !isTick(text))
      const role = isText && vocabulary.other.includes(wordsOf(option)[0] ?? "") ? "other" : "option"
      groups.set(question, [...groups.get(question) ?? [], memberOf(one, option, role)])
    }
    for (const [title, members] of groups) if (members.length > 1) add(title, "headers", members)
  }
  // If each column contains only one option, such as in a tool's export without its second header row, titles don't have to name the options.
  for (const { kind, options } of targets) {
    if (kind !== "choices" || options === undefined) continue
    const byOption = new Map<Option, BlockColumn>()
    for (const one of columns) {
      const option = taken.has(one.column) ? undefined : onlyText(one)
      const found = option && exactOption(options, option)
      if (found && !byOption.has(found)) byOption.set(found, { ...one, option, role: "option" })
    }
    const [first, ...others] = byOption.values()
    const title = first?.column.title.trim() || first?.option
    if (title && others.length > 0) add(title, "cells", [...byOption.values()])
  }
  const alone = columns.filter(({ column }) => !inWhole.has(column)).map((one): Unit => {
    const { name, position, title } = one.column
    const asked = labelledTitle(one) ?? (labels[position] || title.trim() || (name ?? ""))
    return { _tag: "Column", ...one, meaning: meaningOf(asked, one.profile.texts) }
  })
  return [...blocks, ...alone]
}
