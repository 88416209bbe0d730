import { parsePhoneNumberFromString } from "libphonenumber-js/min"
import validator from "validator"
import type { Cell } from "../../domain/cell.ts"
import { ErrorCell, JsonCell } from "../../domain/cell.ts"
import type { Cells, Column, RowChunk } from "../../domain/row.ts"
import { textOf } from "../../kinds/cells.ts"
import type { DateEvidence } from "./dateEvidence.ts"
import { collectDates } from "./dateEvidence.ts"
import type { NumberEvidence } from "./numberEvidence.ts"
import { collectNumbers } from "./numberEvidence.ts"
import type { Room } from "./UniqueCheck.ts"
import { hashesKept, hashOf, UniqueCheck } from "./UniqueCheck.ts"
import { isTick, sameText } from "./words.ts"

/** What a cell's text may be. One text may be several of them. */
const shapes = ["email", "url", "phone", "number", "integer", "boolean", "date", "dateTime", "time"] as const

type Shape = (typeof shapes)[number]

/** What is known of a column after all its cells were read. */
export interface ColumnProfile {
  readonly rows: number
  readonly filled: number
  /** Distinct texts with their counts, at most `distinctKept` of them. */
  readonly distinct: ReadonlyMap<string, number>
  /** Whether there were more than these. */
  readonly more: boolean
  /** Whether no two rows have the same text. Undefined: there were too many to find out. */
  readonly unique: boolean | undefined
  /** The first two distinct texts. */
  readonly samples: ReadonlyArray<string>
  /** Characters of a filled cell, on average. */
  readonly length: number
  /** Share of the filled cells by what they may be, 0 to 1. */
  readonly share: Readonly<Record<Shape, number>>
  readonly dates: DateEvidence
  readonly numbers: NumberEvidence
  /** Smallest and greatest of the numbers. */
  readonly range: { readonly min: number; readonly max: number } | undefined
  /** Share of phone numbers with a country code, 0 to 1. */
  readonly international: number
  /** Share of cells that equal the column's own title: ticks in an option's column. */
  readonly ownTitle: number
}

/** The most distinct texts of a column that are kept: a question with more options is not a choice. */
const distinctKept = 1_000

/** The most characters of such a text: a longer one is not an option. */
const longestKept = 1_000

/** Matches texts that may be phone numbers. Digits alone are more likely another number. */
const phoneLike = /^['+(]?[+(]?\d[\d\s()./-]{5,22}\d$/

const isPhone = (text: string): boolean => {
  if (!phoneLike.test(text)) return false
  const digits = text.replaceAll(/\D/g, "").length
  if (digits < 7 || digits > 15 || /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}$/.test(text)) return false
  return text.startsWith("+") || text.startsWith("'+") || text.startsWith("00") || text.startsWith("0")
    || /[\s()/-]/.test(text) || digits === 10
}

const isInternational = (text: string): boolean =>
  parsePhoneNumberFromString(text.replace(/^'/, ""), { extract: false })?.isValid() === true

const isUrl = (text: string): boolean => /^(?:https?:\/\/|www\.)\S+$/i.test(text)

const isEmail = (text: string): boolean => text.includes("@") && text.length <= 254 && validator.isEmail(text)

/** Texts for "no answer". They are counted, and left out of the profile. */
const noAnswer = /^(?:[-–—]+|n\/?a|#n\/a|null|nil|k\. ?a\.?|keine angabe|s\/d|n\/d|n\. ?d\.)$/i

/** Collects a column's profile, cell by cell. */
const collectColumn = (
  column: Column,
  empty: ReadonlySet<string>,
  noteMissing: (text: string) => void,
  room: Room,
) => {
  const dates = collectDates()
  const numbers = collectNumbers()
  const counts: Record<Shape, number> = {
    email: 0,
    url: 0,
    phone: 0,
    number: 0,
    integer: 0,
    boolean: 0,
    date: 0,
    dateTime: 0,
    time: 0,
  }
  const title = sameText(column.title)
  const distinct = new Map<string, number>()
  const samples: Array<string> = []
  const uniqueCheck = new UniqueCheck(room)
  let [rows, filled, length, international, own] = [0, 0, 0, 0, 0]
  let [min, max] = [Infinity, -Infinity]
  let more = false

  const shapesOf = (cell: Cell, text: string): void => {
    const day = dates.add(cell, text)
    if (day !== undefined) counts[day.day ? (day.time ? "dateTime" : "date") : "time"]++
    if (typeof cell === "boolean" || isTick(text)) counts.boolean++
    const number = typeof cell === "number"
      ? { integer: Number.isInteger(cell), value: cell }
      : day === undefined && typeof cell === "string"
      ? numbers.add(text)
      : undefined
    if (number !== undefined) {
      counts.number++
      if (number.integer) counts.integer++
      min = Math.min(min, number.value)
      max = Math.max(max, number.value)
    }
    if (typeof cell !== "string") return
    if (isEmail(text)) counts.email++
    else if (isUrl(text)) counts.url++
    else if (isPhone(text)) {
      counts.phone++
      if (isInternational(text)) international++
    }
  }

  return {
    add: (cell: Cell): void => {
      rows++
      if (cell instanceof ErrorCell) return
      const text = textOf(cell)
      if (text === "" || empty.has(text)) return
      if (text.length <= 12 && noAnswer.test(text)) return noteMissing(text)
      filled++
      length += text.length
      const times = distinct.get(text)
      if (times !== undefined) distinct.set(text, times + 1)
      else if (distinct.size < distinctKept && text.length <= longestKept) distinct.set(text, 1)
      else more = true
      if (samples.length < 2 && !samples.includes(text)) samples.push(text)
      if (uniqueCheck.isOpen) uniqueCheck.add(hashOf(text))
      if (title !== "" && sameText(text) === title) own++
      if (!(cell instanceof JsonCell)) shapesOf(cell, text)
    },
    profile: (): ColumnProfile => {
      const share = (count: number) => filled === 0 ? 0 : count / filled
      return {
        rows,
        filled,
        distinct,
        more,
        unique: filled === 0 ? false : uniqueCheck.unique(),
        samples,
        length: filled === 0 ? 0 : length / filled,
        share: Object.fromEntries(shapes.map((shape) => [shape, share(counts[shape])])) as Record<Shape, number>,
        dates: dates.evidence(),
        numbers: numbers.evidence(),
        range: min > max ? undefined : { min, max },
        international: counts.phone === 0 ? 0 : international / counts.phone,
        ownTitle: share(own),
      }
    },
  }
}

/**
 * Collects the profiles of a source's columns row by row. Memory does not grow with the rows.
 *
 * @param empty cells that mean no answer
 */
export const profiler = (columns: ReadonlyArray<Column>, empty: ReadonlySet<string> = new Set()) => {
  const missing = new Map<string, number>()
  const room = { left: hashesKept }
  const noteMissing = (text: string): void => {
    missing.set(text, (missing.get(text) ?? 0) + 1)
  }
  const each = columns.map((column) => ({
    position: column.position,
    collected: collectColumn(column, empty, noteMissing, room),
  }))
  const addRow = (cells: Cells): void => {
    for (const { position, collected } of each) collected.add(cells[position] ?? null)
  }
  return {
    addRow,
    add: (chunk: RowChunk): void => {
      for (const [index, cells] of chunk.rows.entries()) if (!chunk.faults.has(index)) addRow(cells)
    },
    /** Returns texts of any column that look like "no answer", with their counts. */
    missing: (): ReadonlyMap<string, number> => missing,
    /** Returns the profiles by the columns' positions. */
    profiles: (): ReadonlyMap<number, ColumnProfile> =>
      new Map(each.map(({ position, collected }) => [position, collected.profile()])),
  }
}
