import { type ColumnBlock, optionColumns } from "../../domain/row.ts"
import { oneLine } from "../../domain/words.ts"
import { placesOf } from "../../kinds/ranking.ts"
import type { ProfiledColumn } from "../profile/ColumnProfile.ts"
import { vocabulary } from "../words/vocabulary.ts"
import { isTick, wordsOf } from "../words/words.ts"
import { meaningOf } from "./meaning.ts"
import type { Block, BlockContent, BlockMember } from "./Suggestion.ts"

/** Patterns of headers that name a question and one of its options or rows. */
const headers: ReadonlyArray<RegExp> = [
  // Google Forms, LimeSurvey: Question [Row]
  /^(.*)\[([^[\]]+)\]$/,
  // REDCap with labels: Question (choice=Option)
  /^(.*)\(choice=(.+)\)$/,
  // Jotform: Question >> Row
  /^(.+?)>>(.+)$/,
  // KoboToolbox, ODK: question/option
  /^([^\s/]+(?:\/[^\s/]+)*)\/([^\s/]+)$/,
  // REDCap: question___option. Databases with shorter names: question__option
  /^(.+?)_{2,3}(.+)$/,
  // Question - Option, Question: Option
  /^(.{4,}?) [-–] (.+)$/,
  /^(.{4,}?[^\s:]): (.+)$/,
]

/** The longest header that may name a question and an option, in characters. */
const longest = 2_000

/** Returns the question and the option that a column's title names, if it fits a pattern. */
const namedBy = (pattern: RegExp, { column }: ProfiledColumn): ReadonlyArray<string> =>
  column.title.length > longest ? [] : pattern.exec(oneLine(column.title))?.slice(1) ?? []

const textsOf = ({ profile }: ProfiledColumn): ReadonlyArray<string> => [...profile.distinct.keys()]

/** Each returns the question and the option that a column is for, with the least number of such columns in a block. */
const finders: ReadonlyArray<readonly [least: number, find: (one: ProfiledColumn) => ReadonlyArray<string>]> = [
  ...headers.map((pattern) => [2, (one: ProfiledColumn) => namedBy(pattern, one)] as const),
  // Cells that contain only their own title: ticks for a question that the file does not name.
  [2, (one) => {
    const { title } = one.column
    const texts = textsOf(one)
    return texts.length === 1 && texts[0]?.toLowerCase() === title.trim().toLowerCase() ? ["", title] : []
  }],
  // Ticks whose titles begin with the same words: lang_en, lang_de, lang_fr.
  [3, (one) => textsOf(one).length <= 2 && textsOf(one).every(isTick) ? namedBy(/^(.+)[\s_.-]([^\s_.-]+)$/, one) : []],
]

/** Returns what a block's columns contain. */
const contentOf = (members: ReadonlyArray<BlockMember>): BlockContent | undefined => {
  const options = optionColumns(members)
  const texts = new Set(options.flatMap(textsOf))
  if (texts.size === 0) return "empty"
  const own = options.every((one) => textsOf(one).slice(1).every((text) => text === one.option || isTick(text)))
  const all = [...texts]
  const numbers = all.every((text) => /^\d{1,2}(?:\.0)?$/.test(text))
  if (numbers && all.some((text) => Number(text) > 1)) {
    return Math.max(...all.map(Number)) <= options.length && texts.size > 1 ? "ranks" : "labels"
  }
  if (all.every((text) => isTick(text)) || own) return "ticks"
  const rows = options.reduce((most, { profile }) => Math.max(most, profile.filled), 0)
  if (texts.size > Math.max(12, rows / 4) || options.some(({ profile }) => profile.more)) return undefined
  return placesOf(options.map(({ option }) => option)) === undefined ? "labels" : "places"
}

const block = (
  title: string | undefined,
  known: boolean,
  members: ReadonlyArray<BlockMember>,
): Block | undefined => {
  const content = contentOf(members)
  if (content === undefined && !known) return undefined
  const asked = members.find(({ labels }) => labels !== undefined && labels.title !== "")?.labels?.title ?? title ?? ""
  return { _tag: "Block", title, known, content: content ?? "labels", members, meaning: meaningOf(asked) }
}

/** Returns an option or its label, if the form tool's own definition has one for it. */
const labelled = ({ labels }: ProfiledColumn, option: string): Pick<BlockMember, "code" | "option"> =>
  labels?.part?.code === option ? { option: labels.part.label, code: option } : { option }

/**
 * Finds the blocks of a source: those that its format names, and those that can be inferred from headers and cells. A column belongs to one block at most.
 */
export const findBlocks = (
  columns: ReadonlyArray<ProfiledColumn>,
  named: ReadonlyArray<ColumnBlock>,
): ReadonlyArray<Block> => {
  const byPosition = new Map(columns.map((one) => [one.column.position, one]))
  const found: Array<Block> = []
  const taken = new Set<number>()
  const add = (one: Block | undefined) => {
    if (one === undefined || one.members.some(({ column }) => taken.has(column.position))) return
    found.push(one)
    for (const { column } of one.members) taken.add(column.position)
  }
  for (const { title, columns: members } of named) {
    add(block(
      title,
      true,
      members.flatMap(({ position, option, role }) => {
        const one = byPosition.get(position)
        return one === undefined ? [] : [{ ...one, ...labelled(one, option), role }]
      }),
    ))
  }
  for (const [least, find] of finders) {
    const groups = new Map<string, { readonly title: string | undefined; readonly members: Array<BlockMember> }>()
    let run = 0
    for (const one of columns) {
      const { column } = one
      const isFree = !taken.has(column.position) && column.name !== undefined
      const [question = "", option = ""] = isFree ? find(one).map((part) => part.trim()) : []
      if (option === "") {
        run++
        continue
      }
      // Ticks of "Other" are an option like the others.
      const isText = textsOf(one).some((text) => text !== option && !isTick(text))
      const role = isText && vocabulary.other.includes(wordsOf(option)[0] ?? "") ? "other" : "option"
      // Consecutive columns without a question are a block, too.
      const title = question === "" ? undefined : question
      const key = title ?? `\n${run}`
      const group = groups.get(key) ?? { title, members: [] }
      group.members.push({ ...one, ...labelled(one, option), role })
      groups.set(key, group)
    }
    for (const { members, title } of groups.values()) {
      if (members.length >= least) add(block(title, false, members))
    }
  }
  return found
}
