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

const textsOf = ({ profile }: ProfiledColumn): ReadonlyArray<string> => [...profile.distinct.keys()]

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

const block = (title: string, known: boolean, members: ReadonlyArray<BlockMember>): Block | undefined => {
  const content = contentOf(members)
  if (content === undefined && !known) return undefined
  const asked = members.find(({ labels }) => labels !== undefined && labels.title !== "")?.labels?.title ?? title
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
  for (const pattern of headers) {
    const groups = new Map<string, Array<BlockMember>>()
    for (const one of columns) {
      const { name, position, title } = one.column
      const isFree = !taken.has(position) && name !== undefined && title.length <= longest
      const [question, option] = (isFree ? pattern.exec(oneLine(title)) ?? [] : []).slice(1).map((part) => part.trim())
      if (!question || !option) continue
      // Ticks of "Other" are an option like the others.
      const isText = textsOf(one).some((text) => text !== option && !isTick(text))
      const role = isText && vocabulary.other.includes(wordsOf(option)[0] ?? "") ? "other" : "option"
      groups.set(question, [...groups.get(question) ?? [], { ...one, ...labelled(one, option), role }])
    }
    for (const [title, members] of groups) if (members.length > 1) add(block(title, false, members))
  }
  return found
}
