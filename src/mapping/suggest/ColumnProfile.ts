import { type Cell, ErrorCell, JsonCell } from "../../domain/cell.ts"
import { type Shape, shapes } from "../../domain/inspectedColumn.ts"
import type { Cells, Column } from "../../domain/row.ts"
import { type ColumnLabels, containsCodes, withLabels } from "../../formtools/Labels.ts"
import { textOf } from "../../kinds/cells.ts"
import { isAddress } from "../../kinds/email.ts"
import { collectDates, type DateEvidence } from "./dateEvidence.ts"
import { DistinctTexts, hashesKept, hashOf, type Room, UniqueCheck } from "./distinctTexts.ts"
import { collectNumbers, type NumberEvidence } from "./numberEvidence.ts"
import { isNoAnswer, saysNo, saysYes } from "./words.ts"

/** What a cell may be. One text may be several things: `0301234567` can be a phone number or a plain number. */
const possible = ["email", "url", "phone", "number", "integer", "boolean", "date", "dateTime", "time"] as const
type Possible = (typeof possible)[number]

/** What is known about a column after all its cells were read. */
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
  /** The first two distinct texts. */
  readonly samples: ReadonlyArray<string>
  /** The average number of characters in a filled cell. */
  readonly length: number
  /** For each possible meaning: the share of the filled cells that may have it, 0 to 1. */
  readonly share: Readonly<Record<Possible, number>>
  /** For each shape: the number of cells that most likely have it. */
  readonly shapes: Readonly<Record<Shape, number>>
  /** The first text of each shape. The key `undefined` contains the first text without a shape. */
  readonly examples: ReadonlyMap<Shape | undefined, string>
  /** Whether its cells contain yes, and whether they contain no. */
  readonly ticks: ReadonlySet<"yes" | "no">
  readonly dates: DateEvidence
  readonly numbers: NumberEvidence
  /** The smallest and the largest number. */
  readonly range: { readonly min: number; readonly max: number } | undefined
  /** Whether all its phone numbers begin with a country code. */
  readonly international: boolean
  /** Share of cells that equal the column's own title: ticks in an option's column. */
  readonly ownTitle: number
}

/** A column and its profile. */
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

const isUrl = (text: string): boolean => /^(?:https?:\/\/|www\.)\S+$/i.test(text)

const isEmail = (text: string): boolean => text.includes("@") && text.length <= 254 && isAddress(text)

/** The evidence of equal cells. */
interface Reading {
  /** How many of these cells were not counted yet. */
  left: number
  readonly text: string
  readonly hash: number
  readonly shape: Shape | undefined
  readonly day: "date" | "dateTime" | "time" | undefined
  readonly tick: "yes" | "no" | undefined
  readonly number: { readonly integer: boolean; readonly value: number } | undefined
  readonly contact: "email" | "url" | "phone" | undefined
}

/** How many texts of a column are cached with their readings, because most columns repeat a few texts. */
const cached = 1_000

/**
 * Collects a column's profile, cell by cell.
 *
 * @param noteMissing is called with each text for "no answer", which is then omitted from the profile. If it is undefined, these texts and a
 * workbook's error cells count like any other cell.
 */
const collectColumn = (column: Column, room: Room, noteMissing: ((text: string) => void) | undefined) => {
  const dates = collectDates()
  const numbers = collectNumbers()
  const distinct = new DistinctTexts()
  const uniqueCheck = new UniqueCheck(room)
  const counts = Object.fromEntries(possible.map((one) => [one, 0])) as Record<Possible, number>
  const found = Object.fromEntries(shapes.map((shape) => [shape, 0])) as Record<Shape, number>
  const examples = new Map<Shape | undefined, string>()
  const ticks = new Set<"yes" | "no">()
  const readings = new Map<string, Reading>()
  const missing = new Map<string, { readonly cell: Exclude<Cell, null>; times: number }>()
  const title = column.title.trim().toLowerCase()
  let [rows, filled, length, own] = [0, 0, 0, 0]
  let [min, max] = [Infinity, -Infinity]
  let international = true

  const tickOf = (cell: Cell, text: string): Reading["tick"] => {
    if (typeof cell === "boolean") return cell ? "yes" : "no"
    return saysYes(text) ? "yes" : saysNo(text) ? "no" : undefined
  }

  const dayOf = (cell: Cell, text: string): Reading["day"] => {
    const found = dates.add(cell, text)
    return found === undefined ? undefined : found.day ? (found.time ? "dateTime" : "date") : "time"
  }

  const numberOf = (cell: Cell, text: string): Reading["number"] =>
    typeof cell === "number"
      ? { integer: Number.isInteger(cell), value: cell }
      : typeof cell === "string"
      ? numbers.add(text)
      : undefined

  const read = (cell: Cell, text: string): Reading => {
    const hash = hashOf(text)
    const none = undefined
    if (cell instanceof JsonCell) {
      return { left: 0, text, hash, shape: "json", day: none, tick: none, number: none, contact: none }
    }
    const day = dayOf(cell, text)
    const number = day === undefined ? numberOf(cell, text) : none
    const contact = typeof cell !== "string"
      ? none
      : isEmail(text)
      ? "email"
      : isUrl(text)
      ? "url"
      : isPhone(text)
      ? "phone"
      : none
    // A number is more likely a phone number if it begins like one.
    const isNumber = number !== undefined && (contact === undefined || !/^['+0]/.test(text))
    const shape = typeof cell === "boolean" ? "boolean" : day ?? (isNumber ? "number" : contact)
    return { left: 0, text, hash, shape, day, tick: tickOf(cell, text), number, contact }
  }

  const count = ({ contact, day, hash, number, shape, text, tick }: Reading, times: number): void => {
    filled += times
    length += text.length * times
    distinct.add(text, hash, times)
    uniqueCheck.add(hash)
    if (times > 1) uniqueCheck.add(hash)
    if (text.length === title.length && text.toLowerCase() === title) own += times
    if (shape !== undefined) found[shape] += times
    if (day !== undefined) counts[day] += times
    if (contact !== undefined) counts[contact] += times
    if (contact === "phone" && international) international = /^'?\+/.test(text)
    if (tick !== undefined) {
      ticks.add(tick)
      counts.boolean += times
    }
    if (number === undefined) return
    counts.number += times
    if (number.integer) counts.integer += times
    if (number.value < min) min = number.value
    if (number.value > max) max = number.value
  }

  const addText = (cell: Exclude<Cell, null>, text: string, times = 1): void => {
    const reading = read(cell, text)
    if (!examples.has(reading.shape)) examples.set(reading.shape, text)
    if (typeof cell === "string" && readings.size < cached) readings.set(cell, reading)
    count(reading, times)
  }

  return {
    add: (cell: Cell): void => {
      rows++
      if (cell === null) return
      const known = typeof cell === "string" ? readings.get(cell) : undefined
      if (known !== undefined) {
        known.left++
        if (uniqueCheck.isOpen) uniqueCheck.add(known.hash)
        return
      }
      const text = textOf(cell)
      if (text === "") return
      const isMissing = noteMissing !== undefined && (cell instanceof ErrorCell || isNoAnswer(text))
      if (!isMissing) return addText(cell, text)
      if (!(cell instanceof ErrorCell)) noteMissing(text)
      const before = missing.get(text)
      if (before === undefined) missing.set(text, { cell, times: 1 })
      else before.times++
    },
    /** Adds the cells that were left out. */
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
        samples: [...distinct.texts.keys()].slice(0, 2),
        length: share(length),
        share: Object.fromEntries(possible.map((one) => [one, share(counts[one])])) as Record<Possible, number>,
        shapes: { ...found },
        examples: new Map(examples),
        ticks: new Set(ticks),
        dates: dates.evidence(),
        numbers: numbers.evidence(),
        range: min > max ? undefined : { min, max },
        international: counts.phone > 0 && international,
        ownTitle: share(own),
      }
    },
  }
}

/** How many rows are counted at once. */
const rowsAtOnce = 128

/**
 * Collects the profiles of a source's columns row by row. Memory does not grow with the rows.
 *
 * @param options.keepMissing whether texts for "no answer" and a workbook's errors count as cells like any other
 * @param options.labels what the form tool's own definition says about a column
 */
export const profiler = (
  columns: ReadonlyArray<Column>,
  options: {
    readonly keepMissing?: boolean
    readonly labels?: ((column: Column) => ColumnLabels | undefined) | undefined
  } = {},
) => {
  const missing = new Map<string, number>()
  const room = { left: hashesKept }
  const noteMissing = options.keepMissing === true ? undefined : (text: string): void => {
    missing.set(text, (missing.get(text) ?? 0) + 1)
  }
  const each = columns.map((column) => {
    const labels = options.labels?.(column)
    return {
      column,
      labels,
      collected: collectColumn(column, room, noteMissing),
      labelled: labels === undefined || labels.options.size === 0
        ? undefined
        : { labels, collected: collectColumn(column, room, () => undefined) },
    }
  })
  /** Rows that are not counted yet. Column by column, the texts of a column stay in the processor's cache: for 300 columns, this takes about half the time. */
  const waiting: Array<Cells> = []
  const countRows = () => {
    for (const { collected, column, labelled } of each) {
      for (const cells of waiting) {
        const cell = cells[column.position] ?? null
        collected.add(cell)
        labelled?.collected.add(withLabels(labelled.labels, cell))
      }
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
      return missing
    },
    /** Adds the cells that look like "no answer", and a workbook's errors, to the profiles. */
    addMissing: (): void => {
      countRows()
      for (const { collected } of each) collected.addMissing()
    },
    profiles: (): ReadonlyArray<ProfiledColumn> => {
      countRows()
      return each.map(({ collected, column, labelled, labels }) => {
        const profile = collected.profile()
        return labelled !== undefined && containsCodes(labelled.labels, profile.distinct.keys())
          ? { column, labels, profile: labelled.collected.profile(), coded: profile }
          : { column, labels, profile }
      })
    },
  }
}
