import { type Cell, ErrorCell, JsonCell } from "../../domain/cell.ts"
import { type Shape, shapes } from "../../domain/inspectedColumn.ts"
import type { Cells, Column } from "../../domain/row.ts"
import { type ColumnLabels, containsCodes, withLabels } from "../../formtools/Labels.ts"
import { textOf } from "../../kinds/cells.ts"
import { isAddress } from "../../kinds/email.ts"
import { hashOf, isNoAnswer, isTick } from "../words/words.ts"
import { collectDates, type DateEvidence } from "./dateEvidence.ts"
import { DistinctTexts, hashesKept, type Room, UniqueCheck } from "./distinctTexts.ts"
import { collectNumbers, type NumberEvidence } from "./numberEvidence.ts"

/** What a cell may be. One text may be several things: `0301234567` can be a phone number or a plain number. */
const possible = [...shapes, "international", "integer"] as const
type Possible = (typeof possible)[number]

export interface ColumnProfile {
  readonly rows: number
  readonly filled: number
  /** Distinct texts with their counts, in the order of their first cells; at most 1,000 of them. */
  readonly distinct: ReadonlyMap<string, number>
  /** Whether the column has more distinct texts than that. */
  readonly more: boolean
  /** The number of distinct texts. If it is not exact, it is an estimate to within about 3%. */
  readonly distinctCount: { readonly count: number; readonly exact: boolean }
  /** Whether no two rows have the same text. Undefined if there were too many texts to find out. */
  readonly unique: boolean | undefined
  /** The average number of characters in a filled cell. */
  readonly length: number
  /** For each possible meaning: the share of the filled cells that may have it, 0 to 1. */
  readonly share: Readonly<Record<Possible, number>>
  /** For each shape: the number of cells that most likely have it. */
  readonly shapes: Readonly<Record<Shape, number>>
  /** The first text of each shape. The key `undefined` contains the first text without a shape. */
  readonly examples: ReadonlyMap<Shape | undefined, string>
  readonly dates: DateEvidence
  readonly numbers: NumberEvidence
  readonly range: { readonly min: number; readonly max: number } | undefined
}

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

/** Matches texts that may be phone numbers. Digits alone are more likely to be a number of another kind. */
const phoneLike = /^['+(]?[+(]?\d[\d\s()./-]{5,22}\d$/

const isPhone = (text: string): boolean => {
  if (!phoneLike.test(text)) return false
  const digits = text.replaceAll(/\D/g, "").length
  if (digits < 7 || digits > 15 || /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}$/.test(text)) return false
  return /^(?:'?\+|0)/.test(text) || /[\s()/-]/.test(text) || digits === 10
}

const contactIn = (text: string): "email" | "url" | "phone" | undefined => {
  if (text.includes("@") && text.length <= 254 && isAddress(text)) return "email"
  return /^(?:https?:\/\/|www\.)\S+$/i.test(text) ? "url" : isPhone(text) ? "phone" : undefined
}

interface EqualCells {
  /** How many of these cells were not counted yet. */
  left: number
  readonly text: string
  readonly hash: number
  readonly shape: Shape | undefined
  /** Everything that the cell may be. */
  readonly may: ReadonlyArray<Possible>
  readonly number: number | undefined
}

/** How many texts of a column are cached with their readings, because most columns repeat a few texts. */
const cached = 1_000

/** Collects a column's profile, cell by cell. Texts for "no answer" and a workbook's errors are left out until `addMissing` is called. */
const collectColumn = (room: Room) => {
  const dates = collectDates()
  const numbers = collectNumbers()
  const distinct = new DistinctTexts()
  const uniqueCheck = new UniqueCheck(room)
  const counts = Object.fromEntries(possible.map((one) => [one, 0])) as Record<Possible, number>
  const found = Object.fromEntries(shapes.map((shape) => [shape, 0])) as Record<Shape, number>
  const examples = new Map<Shape | undefined, string>()
  const readings = new Map<string, EqualCells>()
  const missing = new Map<string, { readonly cell: Exclude<Cell, null>; readonly times: number }>()
  let [rows, filled, length] = [0, 0, 0]
  let [min, max] = [Infinity, -Infinity]

  const read = (cell: Cell, text: string): EqualCells => {
    const hash = hashOf(text)
    if (cell instanceof JsonCell) return { left: 0, text, hash, shape: "json", may: ["json"], number: undefined }
    const isText = typeof cell === "string"
    const day = dates.add(cell, text)
    const amount = typeof cell === "number" ? cell : isText && day === undefined ? numbers.add(text) : undefined
    const contact = isText ? contactIn(text) : undefined
    const may: Array<Possible> = []
    if (day !== undefined) may.push(day)
    if (contact !== undefined) may.push(contact)
    if (contact === "phone" && /^'?\+/.test(text)) may.push("international")
    if (amount !== undefined) may.push("number")
    if (Number.isInteger(amount)) may.push("integer")
    if (typeof cell === "boolean" || isTick(text)) may.push("boolean")
    // A number is more likely a phone number if it begins like one.
    const isNumber = amount !== undefined && (contact === undefined || !/^['+0]/.test(text))
    const shape = typeof cell === "boolean" ? "boolean" : day ?? (isNumber ? "number" : contact)
    return { left: 0, text, hash, shape, may, number: amount }
  }

  const count = ({ hash, may, number, shape, text }: EqualCells, times: number): void => {
    filled += times
    length += text.length * times
    distinct.add(text, hash, times)
    uniqueCheck.add(hash)
    if (times > 1) uniqueCheck.add(hash)
    if (shape !== undefined) found[shape] += times
    for (const one of may) counts[one] += times
    if (number === undefined) return
    min = Math.min(min, number)
    max = Math.max(max, number)
  }

  const addText = (cell: Exclude<Cell, null>, text: string, times: number): void => {
    const reading = read(cell, text)
    if (!examples.has(reading.shape)) examples.set(reading.shape, text)
    if (typeof cell === "string" && readings.size < cached) readings.set(cell, reading)
    count(reading, times)
  }

  return {
    add: (cell: Cell, times = 1): void => {
      rows += times
      if (cell === null) return
      const known = typeof cell === "string" ? readings.get(cell) : undefined
      if (known !== undefined) {
        known.left += times
        if (uniqueCheck.isOpen) uniqueCheck.add(known.hash)
        return
      }
      const text = textOf(cell)
      if (text === "") return
      if (!(cell instanceof ErrorCell) && !isNoAnswer(text)) return addText(cell, text, times)
      missing.set(text, { cell, times: (missing.get(text)?.times ?? 0) + times })
    },
    /** The texts for "no answer", with their counts. */
    missing: () =>
      [...missing].flatMap(([text, { cell, times }]) => cell instanceof ErrorCell ? [] : [{ text, times }]),
    addMissing: (): void => {
      for (const [text, { cell, times }] of missing) addText(cell, text, times)
      missing.clear()
    },
    /** Returns what the cells so far show. It doesn't change if more cells are added. */
    profile: (): ColumnProfile => {
      for (const reading of readings.values()) {
        if (reading.left > 0) count(reading, reading.left)
        reading.left = 0
      }
      const share = (count: number) => filled === 0 ? 0 : count / filled
      const unique = filled === 0 ? false : uniqueCheck.unique()
      return {
        rows,
        filled,
        distinct: new Map(distinct.texts),
        more: distinct.more,
        distinctCount: unique === true ? { count: filled, exact: true } : distinct.count(),
        unique,
        length: share(length),
        share: Object.fromEntries(possible.map((one) => [one, share(counts[one])])) as Record<Possible, number>,
        shapes: { ...found },
        examples: new Map(examples),
        dates: dates.evidence(),
        numbers: numbers.evidence(),
        range: min > max ? undefined : { min, max },
      }
    },
  }
}

const rowsAtOnce = 128

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
  /** Rows that are not counted yet. Column by column, the texts of a column stay in the processor's cache: for 300 columns, this takes about half the time. */
  const waiting: Array<Cells> = []
  const countRows = () => {
    for (const { collected, column } of each) {
      for (const cells of waiting) collected.add(cells[column.position] ?? null)
    }
    waiting.length = 0
  }
  return {
    addRow: (cells: Cells): void => {
      if (waiting.push(cells) === rowsAtOnce) countRows()
    },
    /** Returns texts of any column that look like "no answer", with their counts. */
    missing: (): ReadonlyMap<string, number> => {
      countRows()
      const counts = new Map<string, number>()
      for (const { text, times } of each.flatMap(({ collected }) => collected.missing())) {
        counts.set(text, (counts.get(text) ?? 0) + times)
      }
      return counts
    },
    /** Adds the cells that look like "no answer", and a workbook's errors, to the profiles. */
    addMissing: (): void => {
      countRows()
      for (const { collected } of each) collected.addMissing()
    },
    profiles: (): ReadonlyArray<ProfiledColumn> => {
      countRows()
      return each.map(({ collected, column, labels }) => {
        const profile = collected.profile()
        if (labels === undefined || !containsCodes(labels, profile.distinct.keys())) return { column, labels, profile }
        const labelled = collectColumn({ left: hashesKept })
        for (const [text, times] of profile.distinct) labelled.add(withLabels(labels, text), times)
        return { column, labels, profile: { ...labelled.profile(), rows: profile.rows }, coded: profile }
      })
    },
  }
}
