import { type ColumnBlock, optionColumns } from "../../domain/row.ts"
import { oneLine } from "../../domain/words.ts"
import { placesOf } from "../../kinds/ranking.ts"
import type { ProfiledColumn } from "./ColumnProfile.ts"
import { meaningOf } from "./meaning.ts"
import type { Block, BlockContent, BlockMember } from "./Suggestion.ts"
import { vocabulary } from "./vocabulary.ts"
import { isTick, wordsOf } from "./words.ts"

/** Patterns of headers that name a question and one of its options or rows. Each returns the question and the option. */
const headers: ReadonlyArray<(title: string) => readonly [question: string, option: string] | undefined> = [
  // Google Forms, LimeSurvey: Question [Row]
  (title) => split(title, /^(.*)\[([^[\]]+)\]$/),
  // REDCap with labels: Question (choice=Option)
  (title) => split(title, /^(.*)\(choice=(.+)\)$/),
  // Jotform: Question >> Row
  (title) => split(title, /^(.+?)>>(.+)$/),
  // KoboToolbox, ODK: question/option
  (title) => split(title, /^([^\s/]+(?:\/[^\s/]+)*)\/([^\s/]+)$/),
  // REDCap: question___option. Databases with shorter names: question__option
  (title) => split(title, /^(.+?)_{2,3}(.+)$/),
  // Question - Option, Question: Option
  (title) => split(title, /^(.{4,}?) [-–] (.+)$/),
  (title) => split(title, /^(.{4,}?[^\s:]): (.+)$/),
]

/** The longest header that may name a question and an option, in characters. */
const longest = 2_000

const split = (title: string, pattern: RegExp): readonly [string, string] | undefined => {
  if (title.length > longest) return undefined
  const [, question = "", option = ""] = pattern.exec(oneLine(title)) ?? []
  return option === "" ? undefined : [question.trim(), option.trim()]
}

/** Returns what a block's columns contain. */
const contentOf = (members: ReadonlyArray<BlockMember>): BlockContent | undefined => {
  const options = optionColumns(members)
  const texts = new Set(options.flatMap(({ profile }) => [...profile.distinct.keys()]))
  if (texts.size === 0) return "empty"
  const own = options.every(({ option, profile }) =>
    [...profile.distinct.keys()].slice(1).every((text) => text === option || isTick(text))
  )
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

/** Returns columns whose cells contain only their own title: ticks for a question that the file does not name. */
const ownTitled = (columns: ReadonlyArray<ProfiledColumn>): ReadonlyArray<ReadonlyArray<BlockMember>> => {
  const runs: Array<Array<BlockMember>> = []
  let run: Array<BlockMember> = []
  for (const one of columns) {
    const option = one.column.title.trim()
    const [text = "", ...others] = one.profile.distinct.keys()
    if (others.length === 0 && text !== "" && text.toLowerCase() === option.toLowerCase()) {
      if (run.length === 0) runs.push(run)
      run.push({ ...one, option, role: "option" })
    } else run = []
  }
  return runs.filter((members) => members.length > 1)
}

/** Returns consecutive columns of ticks whose titles begin with the same words: `lang_en`, `lang_de`, `lang_fr`. */
const samePrefix = (columns: ReadonlyArray<ProfiledColumn>): ReadonlyArray<readonly [string, Array<BlockMember>]> => {
  const isTicked = ({ profile }: ProfiledColumn) =>
    profile.distinct.size <= 2 && [...profile.distinct.keys()].every((text) => isTick(text))
  const runs: Array<readonly [string, Array<BlockMember>]> = []
  for (let at = 0; at < columns.length;) {
    let shared = wordsOf(columns[at]?.column.title ?? "").slice(0, -1)
    let end = at
    for (; end < columns.length; end++) {
      const [one, before] = [columns[end], columns[end - 1]]
      if (one === undefined || !isTicked(one)) break
      if (end > at && before !== undefined && one.column.position !== before.column.position + 1) break
      const words = wordsOf(one.column.title)
      const other = shared.findIndex((word, place) => word !== words[place] || place === words.length - 1)
      const left = other < 0 ? shared : shared.slice(0, other)
      if (left.length === 0) break
      shared = left
    }
    const members = columns.slice(at, end).map((one): BlockMember => ({
      ...one,
      option: wordsOf(one.column.title).slice(shared.length).join(" "),
      role: "option",
    }))
    if (members.length > 2) runs.push([shared.join(" "), members])
    at = Math.max(end, at + 1)
  }
  return runs
}

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
  for (const header of headers) {
    const groups = new Map<string, Array<BlockMember>>()
    for (const one of columns) {
      const { column } = one
      const parts = taken.has(column.position) || column.name === undefined ? undefined : header(column.title)
      if (parts === undefined) continue
      const [question, option] = parts
      // Ticks of "Other" are an option like the others.
      const isText = [...one.profile.distinct.keys()].some((text) => text !== option && !isTick(text))
      const role = isText && vocabulary.other.includes(wordsOf(option)[0] ?? "") ? "other" : "option"
      groups.set(question, [...groups.get(question) ?? [], { ...one, ...labelled(one, option), role }])
    }
    for (const [question, members] of groups) {
      if (members.length > 1) add(block(question === "" ? undefined : question, false, members))
    }
  }
  const rest = () => columns.filter(({ column }) => !taken.has(column.position) && column.name !== undefined)
  for (const members of ownTitled(rest())) add(block(undefined, false, members))
  for (const [question, members] of samePrefix(rest())) add(block(question, false, members))
  return found
}
