import { type ColumnBlock, optionColumns } from "../domain/row.ts"
import { oneLine } from "../domain/words.ts"
import type { ColumnFacts, MetaColumn, Sample } from "./FormTool.ts"
import { cellsOf } from "./sample.ts"

export type BlockColumn = ColumnBlock["columns"][number]

/** A column as a part of a question. */
export interface PartOf {
  readonly position: number
  readonly question: string
  readonly option: string
  readonly role?: BlockColumn["role"]
}

/**
 * Makes blocks from groups of columns. A group with fewer options than `least` is not a block. Adds a number to distinguish blocks with the same
 * title.
 */
export const titled = (
  groups: ReadonlyArray<{ readonly question: string; readonly columns: ReadonlyArray<BlockColumn> }>,
  least = 2,
): ReadonlyArray<ColumnBlock> => {
  const times = new Map<string, number>()
  return groups.filter(({ columns }) => optionColumns(columns).length >= least).map(({ columns, question }) => {
    const title = oneLine(question)
    const nth = (times.get(title) ?? 0) + 1
    times.set(title, nth)
    return { title: nth === 1 ? title : `${title} (${nth})`, columns }
  })
}

/**
 * Returns the questions that have several columns, in the order of their first column. Unless `apart`, the parts of a question must be next to each
 * other. A question with fewer options than `least` is not a block.
 */
export const blocksOf = (
  parts: ReadonlyArray<PartOf>,
  { apart = false, least = 2 }: { readonly apart?: boolean; readonly least?: number } = {},
): ReadonlyArray<ColumnBlock> => {
  const groups: Array<{ readonly question: string; readonly columns: Array<BlockColumn> }> = []
  for (const { option, position, question, role = "option" } of parts) {
    const last = apart ? groups.find((group) => group.question === question) : groups.at(-1)
    const column = { position, option, role }
    const next = apart || last?.columns.at(-1)?.position === position - 1
    if (last !== undefined && last.question === question && next) last.columns.push(column)
    else groups.push({ question, columns: [column] })
  }
  return titled(groups, least)
}

/** Matches ticks that can't be a value of a scale or a comment. */
const tick = /^(?:[01](?:\.0)?|x|(?:un|not )?checked|(?:not |un)?selected)$/i

/**
 * Finds the text columns of blocks, because these are not options. If the columns of a block contain ticks or their own option, a column with other
 * words contains the texts of "Other". If several columns are called "Other", one contains the ticks and the rest contain texts.
 *
 * @param cells returns the filled cells of a column
 */
export const withTexts = (
  blocks: ReadonlyArray<ColumnBlock>,
  cells: (position: number) => ReadonlyArray<string>,
): ReadonlyArray<ColumnBlock> =>
  blocks.map(({ columns, title }) => {
    const looked = columns.map((column) => {
      const found = cells(column.position)
      const own = oneLine(column.option).toLowerCase()
      const others = found.filter((cell) => !tick.test(cell) && oneLine(cell).toLowerCase() !== own)
      return {
        column,
        isTick: found.length > 0 && others.length === 0,
        words: others.length < found.length ? [] : others.filter((cell) => /\p{L}/u.test(cell)),
      }
    })
    const options = looked.filter(({ column }) => column.role === "option")
    const shared = (word: string) => options.filter(({ words }) => words.includes(word)).length > 1
    const worded = options.filter(({ words }) => words.length > 0)
    const isTicked = options.filter(({ isTick }) => isTick).length > worded.length
    const texts = new Set(isTicked ? worded.filter(({ words }) => !words.some(shared)).map(({ column }) => column) : [])
    const called = looked.filter(({ column }) => column.role === "other")
    const other = called.find(({ isTick }) => isTick) ?? called[0] ?? looked.find(({ column }) => texts.has(column))
    return {
      title,
      columns: columns.map((column): BlockColumn =>
        column === other?.column
          ? { ...column, role: "other" }
          : column.role === "other" || texts.has(column)
          ? { ...column, role: "text" }
          : column
      ),
    }
  })

/** Splits `Question [Option]` at the last balanced pair of brackets. Returns undefined if the title does not end in one. */
export const bracketed = (title: string): { readonly question: string; readonly option: string } | undefined => {
  const text = title.trimEnd()
  if (!text.endsWith("]")) return undefined
  let depth = 0
  for (let at = text.length - 1; at >= 0; at--) {
    const character = text.charAt(at)
    if (character === "]") depth++
    else if (character === "[" && --depth === 0) {
      return { question: text.slice(0, at).trim(), option: text.slice(at + 1, -1).trim() }
    }
  }
  return undefined
}

const positionsOf = (columns: ReadonlyArray<MetaColumn>) => new Set(columns.map(({ position }) => position))

/** Whether an option is called "Other". */
export const isOther = (title: string): boolean => /^other\b/i.test(title.trim())

const fewest = 2

/**
 * Returns the questions in the export of a tool that writes one column per option, with only the option as its header, and repeats a chosen option in the cell.
 * Because the file does not contain the question, a block is named after its options, `First … Last`. An option that was never chosen belongs to the
 * block around it. A column called "Other" directly after a block contains its free text.
 *
 * @param facts facts about all cells, by position
 * @param own the tool's own columns, none of which is an option
 */
export const blocksByCells = (
  titles: ReadonlyArray<string>,
  facts: ReadonlyArray<ColumnFacts>,
  own: ReadonlyArray<MetaColumn>,
): ReadonlyArray<ColumnBlock> => {
  const names = titles.map(oneLine)
  const owned = positionsOf(own)
  const kindOf = (position: number): "chosen" | "empty" | "other" | "none" => {
    const title = names[position] ?? ""
    if (title === "" || owned.has(position)) return "none"
    const { filled = 0, ownTitle = 0 } = facts[position] ?? {}
    if (filled > 0 && ownTitle === filled) return "chosen"
    if (isOther(title)) return "other"
    return filled === 0 ? "empty" : "none"
  }
  const groups: Array<{ readonly question: string; readonly columns: ReadonlyArray<BlockColumn> }> = []
  let run: Array<number> = []
  let last = 0
  const flush = () => {
    const columns = run.slice(0, last)
    const chosen = columns.filter((position) => kindOf(position) === "chosen")
    if (chosen.length >= fewest) {
      const options = columns.filter((position) => kindOf(position) !== "other")
      const [first = 0] = options
      groups.push({
        question: `${names[first]} … ${names[options.at(-1) ?? first]}`,
        columns: columns.map((position) => ({
          position,
          option: names[position] ?? "",
          role: kindOf(position) === "other" ? "other" : "option",
        })),
      })
    }
    run = []
    last = 0
  }
  for (const position of names.keys()) {
    const kind = kindOf(position)
    // Two questions with the same options may follow each other, so a repeated title starts a new block.
    if (kind === "chosen" && run.some((one) => names[one] === names[position])) flush()
    if (kind === "chosen" || (run.length > 0 && kind !== "none")) run.push(position)
    if (kind === "chosen" || kind === "other") last = run.length
    if (kind === "none" || kind === "other") flush()
  }
  flush()
  return titled(groups)
}

/**
 * Returns the blocks of tools that are based on XForms. Their columns are `question/option` with 1 or 0, sometimes with a column `question` that
 * contains all choices. A slash also separates a group from its question. A column is therefore a part only if its question also has a column or its
 * cells are ticks.
 *
 * @param headerRows the number of the sample's records that contain no answers
 */
export const slashedBlocks = (sample: Sample, headerRows: number, own: ReadonlyArray<MetaColumn>) => {
  const titles = (sample.records[0] ?? []).map(oneLine)
  const known = new Set(titles)
  const owned = positionsOf(own)
  const ticked = (position: number) =>
    cellsOf(sample, position, headerRows).every((cell) => /^(?:0|1|0\.0|1\.0|true|false)$/i.test(cell))
  const parts = titles.flatMap((title, position): ReadonlyArray<PartOf> => {
    if (owned.has(position) || !title.includes("/")) return []
    // Finds the longest prefix that is a question, because labels of options may contain slashes.
    for (let at = title.lastIndexOf("/"); at > 0; at = title.lastIndexOf("/", at - 1)) {
      const question = title.slice(0, at)
      if (known.has(question)) return [partOf(position, question, title.slice(at + 1))]
    }
    if (!ticked(position)) return []
    const at = title.lastIndexOf("/")
    return [partOf(position, title.slice(0, at), title.slice(at + 1))]
  })
  const texts = parts.flatMap(({ question, role }): ReadonlyArray<PartOf> => {
    const position = role === "other" ? titles.indexOf(`${question}_other`) : -1
    return position < 0 ? [] : [{ position, question, option: `${question}_other`, role: "text" }]
  })
  return blocksOf([...parts, ...texts], { apart: true })
}

const partOf = (position: number, question: string, option: string): PartOf => ({
  position,
  question,
  option,
  role: option.toLowerCase() === "other" ? "other" : "option",
})
