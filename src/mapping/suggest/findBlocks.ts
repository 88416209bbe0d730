import type { Option } from "../../domain/form.ts"
import { type Column, type ColumnBlock, optionColumns } from "../../domain/row.ts"
import { oneLine } from "../../domain/words.ts"
import { placesOf } from "../../kinds/ranking.ts"
import type { ProfiledColumn } from "../profile/ColumnProfile.ts"
import { isTick } from "../words/cellWords.ts"
import { vocabulary, wordsOf } from "../words/words.ts"
import type { Target } from "./fit.ts"
import { meaningOf } from "./meaning.ts"
import { exactOption } from "./optionIndex.ts"
import type { Block, BlockContent, BlockMember } from "./Suggestion.ts"

/** Patterns of headers that name a question and one of its options or rows. */
const headers = Object.values(vocabulary.blockHeaders).flat().map((pattern) => new RegExp(pattern))

/** The longest header that may name a question and an option, in characters. */
const longest = 2_000

const textsOf = ({ profile }: ProfiledColumn): ReadonlyArray<string> => [...profile.distinct.keys()]

const contentOf = (members: ReadonlyArray<BlockMember>): BlockContent | undefined => {
  const options = optionColumns(members)
  const texts = [...new Set(options.flatMap(textsOf))]
  if (texts.length === 0) return "empty"
  const most = texts.every((text) => /^\d{1,2}(?:\.0)?$/.test(text)) ? Math.max(...texts.map(Number)) : 0
  if (most > 1) return most <= options.length && texts.length > 1 ? "ranks" : "labels"
  // A column for one option may have a word of its own for a tick.
  if (options.every((one) => textsOf(one).slice(1).every((text) => text === one.option || isTick(text)))) return "ticks"
  const rows = Math.max(...options.map(({ profile }) => profile.filled))
  if (texts.length > Math.max(12, rows / 4) || options.some(({ profile }) => profile.more)) return undefined
  return placesOf(options.map(({ option }) => option)) === undefined ? "labels" : "places"
}

/** Returns a column for an option, or for its label if the form tool's own definition has one for it. */
const memberOf = (one: ProfiledColumn, option: string, role: BlockMember["role"]): BlockMember => {
  const part = one.labels?.part
  return { ...one, ...part?.code === option ? { option: part.label, code: option } : { option }, role }
}

/**
 * Finds the blocks of a source: those that its format names, and those that can be inferred from headers and cells. A column belongs to one block at most.
 */
export const findBlocks = (
  columns: ReadonlyArray<ProfiledColumn>,
  named: ReadonlyArray<ColumnBlock>,
): ReadonlyArray<Block> => {
  const found: Array<Block> = []
  const taken = new Set<number>()
  const add = (title: string, known: boolean, members: ReadonlyArray<BlockMember>) => {
    const content = contentOf(members) ?? (known ? "labels" : undefined)
    if (content === undefined || members.some(({ column }) => taken.has(column.position))) return
    const asked = members.find(({ labels }) => labels !== undefined && labels.title !== "")?.labels?.title ?? title
    found.push({
      _tag: "Block",
      title,
      known,
      content,
      members,
      meaning: meaningOf(asked, members.map(({ option }) => option)),
    })
    for (const { column } of members) taken.add(column.position)
  }
  for (const { title, columns: members } of named) {
    const own = members.flatMap(({ option, position, role }) =>
      columns.filter(({ column }) => column.position === position).map((one) => memberOf(one, option, role))
    )
    add(title, true, own)
  }
  for (const pattern of headers) {
    const groups = new Map<string, Array<BlockMember>>()
    for (const one of columns) {
      const { name, position, title } = one.column
      if (taken.has(position) || name === undefined || title.length > longest) continue
      const [, question, option] = pattern.exec(oneLine(title))?.map((part) => part.trim()) ?? []
      if (!question || !option) continue
      // Ticks of "Other" are an option like the others.
      const isText = textsOf(one).some((text) => text !== option && !isTick(text))
      const role = isText && vocabulary.other.includes(wordsOf(option)[0] ?? "") ? "other" : "option"
      groups.set(question, [...groups.get(question) ?? [], memberOf(one, option, role)])
    }
    for (const [title, members] of groups) if (members.length > 1) add(title, false, members)
  }
  return found
}

/**
 * Finds the blocks of columns of which each contains only one option of a question, such as those of a tool's export without its second header row. Their
 * titles don't have to name the options.
 */
export const findOptionBlocks = (
  columns: ReadonlyArray<ProfiledColumn>,
  targets: ReadonlyArray<Target>,
): ReadonlyArray<Block> => {
  const taken = new Set<Column>()
  return targets.flatMap(({ kind, options }): ReadonlyArray<Block> => {
    if (kind !== "choices" || options === undefined) return []
    const named = new Map<Option, BlockMember>()
    for (const one of columns) {
      const [option = "", ...others] = textsOf(one)
      const found = others.length > 0 || taken.has(one.column) ? undefined : exactOption(options, option)
      if (found !== undefined && !named.has(found)) named.set(found, { ...one, option, role: "option" })
    }
    const [first, ...others] = named.values()
    if (first === undefined || others.length === 0) return []
    const members = [first, ...others]
    for (const { column } of members) taken.add(column)
    const title = first.column.title.trim() || first.option
    const meaning = meaningOf(title, members.map(({ option }) => option))
    return [{ _tag: "Block", title, known: false, content: "ticks", members, meaning }]
  })
}
