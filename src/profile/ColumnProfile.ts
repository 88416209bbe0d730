import { cached } from "../domain/cached.ts"
import { type Cell, ErrorCell, JsonCell } from "../domain/cell.ts"
import { shapes } from "../domain/inspectedColumn.ts"
import type { Cells, Column } from "../domain/row.ts"
import { hashOf } from "../domain/textHash.ts"
import { present } from "../domain/words.ts"
import { type ColumnLabels, containsCodes, withLabels } from "../formtools/Labels.ts"
import { textOf } from "../kinds/cells.ts"
import { isAddress } from "../kinds/email.ts"
import { isNoAnswer, isTick } from "./cellWords.ts"
import { momentIn, notationOf, numberIn } from "./notations.ts"
import { collectHashes, hashesKept } from "./TextHashes.ts"

/** What a cell may be. One text may be several things: `0301234567` can be a phone number or a plain number. */
const possible = [...shapes, "integer"] as const
type Possible = (typeof possible)[number]

/** Cells of a column with the same text. Beyond the first 1,000 distinct texts, cells with the same notation, or that may be the same. */
interface AlikeCells {
  /** The first of them. */
  readonly cell: Exclude<Cell, null>
  readonly text: string
  /** What they may be, the likeliest first. */
  readonly may: ReadonlyArray<Possible>
  /** How they are written. For web addresses, this is how they begin. */
  readonly notation?: string | undefined
  /** Whether they look like "no answer", or are errors of a workbook. */
  readonly isBlank: boolean
  times: number
}

/** What the cells of a column show. */
export type ColumnProfile = Readonly<ReturnType<ReturnType<typeof collectColumn>["profile"]>>

export interface ProfiledColumn {
  readonly column: Column
  /** The profile of its cells. If `coded` is present, the cells have labels in place of codes. */
  readonly profile: ColumnProfile
  /** What the form tool's own definition says about it. */
  readonly labels?: ColumnLabels | undefined
  /** The profile of its cells as the source contains them, if they contain codes. */
  readonly coded?: ColumnProfile | undefined
}

/** Returns the profile of a column's cells as the source contains them. */
export const cellsIn = ({ coded, profile }: ProfiledColumn): ColumnProfile => coded ?? profile

/** Whether a text may be a phone number. Digits alone are more likely to be a number of another kind. */
const isPhone = (text: string): boolean => {
  const digits = text.replaceAll(/\D/g, "").length
  return /^['+(]{0,2}\d[\d\s()./-]{5,22}\d$/.test(text) && digits >= 7 && digits <= 15
    && (digits === 10 || /^(?:'?\+|0)|[\s()/-]/.test(text))
}

/** Returns what texts of a notation may be, the likeliest first. */
const meaningsOf = cached((notation: string): ReadonlyArray<Possible> => {
  const moment = momentIn(notation)
  if (moment !== undefined) return [moment]
  const value = numberIn(notation)
  const likely = [value !== undefined && "number", isPhone(notation) && "phone"] as const
  return present<Possible>([
    // A number is more likely a phone number if it begins like one.
    ...(/^['+0]/.test(notation) ? likely.toReversed() : likely),
    Number.isInteger(value) && "integer",
  ])
})

/** The length of the longest text that may be a date or a number, in characters. */
const longestNotation = 40

const readCell = (cell: Cell, text: string): Pick<AlikeCells, "may" | "notation"> => {
  if (cell instanceof JsonCell) return { may: ["json"] }
  if (typeof cell === "number") return { may: Number.isInteger(cell) ? ["number", "integer"] : ["number"] }
  if (typeof cell === "boolean" || cell === null || cell instanceof ErrorCell) return { may: [] }
  if (text.includes("@") && text.length <= 254 && isAddress(text)) return { may: ["email"] }
  const [address] = /^(?:https?:\/\/|www\.)(?=\S+$)/i.exec(text) ?? []
  if (address !== undefined) return { may: ["url"], notation: address }
  // Most ids have letters between digits. Each would have a notation of its own.
  if (text.length > longestNotation || !/\d/.test(text) || /\d(?!T)[A-Za-z]+\d/.test(text)) return { may: [] }
  const notation = notationOf(text)
  const may = meaningsOf(notation)
  return may.length === 0 ? { may } : { may, notation }
}

/** The maximum number of distinct texts kept for a column: a question with more options is not a choice. As many notations are kept of the other cells. */
const kept = 1_000

/** The maximum length of such a text, in characters: a longer text is not an option. */
const longestKept = 1_000

/** Collects a column's profile, cell by cell. */
const collectColumn = (room: { left: number }) => {
  const hashes = collectHashes(room)
  const known = new Map<string, AlikeCells>()
  const others = new Map<string, AlikeCells>()
  let rows = 0

  const alikeOf = (cell: Exclude<Cell, null>, text: string): AlikeCells => {
    hashes.add(hashOf(text))
    const isBlank = cell instanceof ErrorCell || isNoAnswer(text)
    const { may: read, notation } = readCell(cell, text)
    const may = isTick(text) ? [...read, "boolean" as const] : read
    const group = isBlank || (known.size < kept && text.length <= longestKept) ? known : others
    const key = group === known ? text : others.size < kept ? notation ?? may.join() : may.join()
    // A spread would make each of millions of these objects several times larger.
    const alike = group.get(key) ?? { cell, text, may, notation, isBlank, times: 0 }
    group.set(key, alike)
    return alike
  }

  return {
    add: (cell: Cell, times = 1): void => {
      rows += times
      const text = textOf(cell)
      if (cell === null || text === "") return
      const same = known.get(text)
      const alike = same ?? alikeOf(cell, text)
      if (same !== undefined || times > 1) hashes.repeat()
      alike.times += times
    },
    /** Returns what the cells so far show. Its lists of cells change if more cells are added. */
    profile: (isComplete: boolean) => {
      /** All filled cells. */
      const cells: ReadonlyArray<Readonly<AlikeCells>> = [...known.values(), ...others.values()]
        .filter(({ isBlank }) => isComplete || !isBlank)
      const sum = (countOf: (one: Readonly<AlikeCells>) => number) =>
        cells.reduce((total, one) => total + countOf(one), 0)
      const filled = sum(({ times }) => times)
      const share = (count: number) => filled === 0 ? 0 : count / filled
      /** For each possible meaning: the share of the filled cells that may have it, 0 to 1. */
      const shares = possible.map((one) =>
        [one, share(sum(({ may, times }) => may.includes(one) ? times : 0))] as const
      )
      const { unique, ...distinctCount } = hashes.counted()
      const distinct = new Map(cells.flatMap(({ text, times }) => known.has(text) ? [[text, times]] : []))
      return {
        rows,
        filled,
        cells,
        /** Distinct texts with their counts, in the order of their first cells; at most 1,000 of them. */
        distinct,
        texts: [...distinct.keys()],
        /** Whether the column has more distinct texts than that. */
        more: others.size > 0,
        /** Cells that look like "no answer". */
        noAnswer: [...known.values()].filter(({ cell, isBlank }) => isBlank && !(cell instanceof ErrorCell)),
        /** The number of distinct texts. If it is not exact, it is an estimate to within about 3%. */
        distinctCount,
        /** Whether no two filled cells have the same text. Undefined if there were too many texts to find out. */
        unique: filled > 0 && unique,
        /** About how many characters a filled cell has. */
        length: share(sum(({ text, times }) => text.length * times)),
        share: Object.fromEntries(shares) as Readonly<Record<Possible, number>>,
        /** The notations of texts that may be dates, times or numbers. */
        notations: [...new Set(cells.flatMap(({ notation }) => notation ?? []))],
      }
    },
  }
}

/**
 * Collects the profiles of a source's columns row by row. Memory does not grow with the rows.
 *
 * @param labelsOf returns what the form tool's own definition says about a column
 */
export const profiler = (
  columns: ReadonlyArray<Column>,
  labelsOf?: ((column: Column) => ColumnLabels | undefined) | undefined,
) => {
  const room = { left: hashesKept }
  const each = columns.map((column) => ({ column, labels: labelsOf?.(column), collected: collectColumn(room) }))
  return {
    addRow: (cells: Cells): void => {
      for (const { collected, column } of each) collected.add(cells[column.position] ?? null)
    },
    /** @param isComplete whether cells that look like "no answer", and a workbook's errors, count as filled */
    profiles: (isComplete = false): ReadonlyArray<ProfiledColumn> =>
      each.map(({ collected, column, labels }) => {
        const profile = collected.profile(isComplete)
        if (labels === undefined || !containsCodes(labels, profile.distinct.keys())) return { column, labels, profile }
        const labelled = collectColumn({ left: hashesKept })
        for (const [text, times] of profile.distinct) labelled.add(withLabels(labels, text), times)
        return { column, labels, profile: { ...labelled.profile(isComplete), rows: profile.rows }, coded: profile }
      }),
  }
}
