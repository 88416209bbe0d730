import type { Cell } from "../domain/cell.ts"
import type { Json } from "../domain/json.ts"
import { cut, type Problem } from "../domain/problem.ts"
import { addedColumns } from "../domain/rejectedLine.ts"
import { type Column, nameOrPosition } from "../domain/row.ts"
import { oneLine } from "../domain/words.ts"
import { addedAt } from "./fixed.ts"
import { extentOf } from "./headerRow.ts"

/**
 * Makes columns from a header's titles, by position. A title, trimmed and with collapsed white space, names its column if no other title gives the
 * same name. The columns that a rejected.csv adds always have names.
 */
export const toColumns = (titles: ReadonlyArray<string>): ReadonlyArray<Column> => {
  const first = addedAt(titles)
  const added = first < 0 ? titles.length : first
  const times = new Map<string, number>()
  for (const title of titles) {
    const name = oneLine(title)
    times.set(name, (times.get(name) ?? 0) + 1)
  }
  const reserved = new Set<string>(added < titles.length ? addedColumns : [])
  return titles.map((title, position) => {
    const name = oneLine(title)
    const unique = position >= added || (times.get(name) === 1 && !reserved.has(name))
    return { position, title, name: name !== "" && unique ? name : undefined }
  })
}

/** Returns the names that identify columns in a content digest: each column's name, or its position if it has none. */
export const columnNames = (columns: ReadonlyArray<Column>): ReadonlyArray<string> => columns.map(nameOrPosition)

/** How many cells a record may have. */
export interface Width {
  readonly header: number
  /** The number of cells up to the header's last title. A record may end there, because it then lacks only cells without a title. */
  readonly titled: number
  /** Whether a record may have fewer cells than `titled`. */
  readonly pad: boolean
}

/** Returns how many cells a record below a header may have. */
export const widthOf = (titles: ReadonlyArray<string>, pad: boolean): Width => ({
  header: titles.length,
  pad,
  titled: extentOf(titles),
})

/** Whether a record has all its cells in their positions, and its cells beyond the header's width are empty. */
export const fits = (row: ReadonlyArray<Cell>, width: Width): boolean => {
  if (row.length < width.titled && !width.pad) return false
  for (let at = width.header; at < row.length; at++) if (row[at] !== null && row[at] !== "") return false
  return true
}

/**
 * Whether records end with delimiters that the header lacks, as half of the first ones do. If not, a record with one more cell has a delimiter inside a
 * cell, although its last cell is empty.
 *
 * @param first the first records below the header
 */
export const endsWithDelimiters = (first: ReadonlyArray<ReadonlyArray<string>>, width: Width): boolean => {
  const filled = first.filter((record) => record.some((cell) => cell !== ""))
  return filled.filter((record) => record.length > width.header && fits(record, width)).length >= filled.length / 2
}

/**
 * Finds the first string in a value, or the first name of a member, that contains half of a surrogate pair. UTF-8 can't
 * encode it, so different strings would be sent and read back as the same one. Sources limit how deep values are
 * nested, so the recursion is safe.
 */
const inJson = (value: Json): string | undefined => {
  if (typeof value === "string") return value.isWellFormed() ? undefined : value
  if (typeof value !== "object" || value === null) return undefined
  if (Array.isArray(value)) {
    for (const each of value) {
      const found = inJson(each as Json)
      if (found !== undefined) return found
    }
    return undefined
  }
  for (const [key, each] of Object.entries(value)) {
    const found = key.isWellFormed() ? inJson(each as Json) : key
    if (found !== undefined) return found
  }
  return undefined
}

/** What is wrong with a text that contains half of a surrogate pair, as the end of a sentence. */
export const unpaired = "half of a character (an unpaired surrogate), which can't be sent."

const problem = (row: number, text: string): Problem => ({
  code: "damaged-text",
  value: cut(text.toWellFormed()),
  message: `Row ${row} contains ${unpaired} Correct it in the system that writes the file.`,
})

/** Returns the problem of a record with a string that can't be sent, or undefined if there is none. */
export const unpairedInJson = (row: number, record: Json): Problem | undefined => {
  const found = inJson(record)
  return found === undefined ? undefined : problem(row, found)
}

/** Returns the problem of a row with a string that can't be sent, or undefined if there is none. */
export const unpairedInCells = (row: number, cells: ReadonlyArray<Cell>): Problem | undefined => {
  const found = cells.find((cell): cell is string => typeof cell === "string" && !cell.isWellFormed())
  return found === undefined ? undefined : problem(row, found)
}
