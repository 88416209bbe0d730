import { type Cell, cellText, isFilled } from "../domain/cell.ts"
import type { Problem } from "../domain/problem.ts"
import type { Cells } from "../domain/row.ts"
import { aboveRow } from "../domain/run.ts"
import { count } from "../domain/words.ts"
import type { SourceConfig } from "../project/Pipeline.ts"
import type { Head } from "./Source.ts"

/** Returns a title without what differs between programs: letter case, spaces and a byte order mark around it, and quotes, which are characters after a byte order mark. */
const plainTitle = (cell: Cell | undefined): string => cellText(cell).replaceAll('"', "").trim().toLowerCase()

/** Returns the warning about lines or rows above a detected header. None if there are no such rows. */
export const aboveHeader = (
  of: string,
  place: "on line" | "in row",
  row: number,
  above: number,
): ReadonlyArray<string> => {
  if (above === 0) return []
  const one = place.slice(3)
  return [
    `${of} seems to have its header ${place} ${row}: ${
      above === 1 ? `one ${one} above is` : `${above} ${one}s above are`
    } not read. If so, write \`headerRow: ${row}\` under \`source\`; otherwise give the right ${one}.`,
  ]
}

const isLine = (cell: Cell | undefined): cell is string =>
  typeof cell === "string" && /^\s*:?[-=_]{2,}:?\s*$/.test(cell)

/** Whether all filled cells of a row are lines, such as `-----`, which some programs write below the header or between pages. */
const isSeparator = (row: ReadonlyArray<Cell>): boolean => {
  const first = row.find(isFilled)
  if (!isLine(first)) return false
  const filled = row.filter(isFilled)
  return filled.every(isLine) && (filled.length > 1 || first.trim().length > 4)
}

/** Returns the problem of a row, if it has one. `where` returns the row's place for messages, and `isAfterEmpty` says whether an empty row is above it. */
type ProblemOf = (row: ReadonlyArray<Cell>, where: () => string, isAfterEmpty?: boolean) => Problem | undefined

const isWide = (titles: ReadonlyArray<string>) => titles.filter((title) => title !== "").length > 1

/** Returns the problem of a row that is not a record. */
export const notARecord = (message: string): Problem => ({ code: "header-row", message })

/** Returns a function that returns the problem of a row that repeats a header of several columns, as in joined exports. */
export const repeatedHeader = (header: ReadonlyArray<Cell>): ProblemOf => {
  const titles = header.map(plainTitle)
  if (!isWide(titles)) return () => undefined
  return (row, where) =>
    titles.every((title, at) => plainTitle(row[at]) === title)
      ? notARecord(
        `${where()} repeats the header, as if two exports had been joined. Remove it from the file, or skip it with \`where\`.`,
      )
      : undefined
}

/** A column that each of the first records fills alike. */
interface Typical {
  readonly at: number
  readonly pattern: RegExp
}

/** In fewer records, columns may be alike by chance. */
export const fewest = 5

/** Returns the columns in which each of these records has an @ or a digit. A row without all of them is hardly a record. */
const typicalOf = (records: ReadonlyArray<Cells>, width: number): ReadonlyArray<Typical> =>
  records.length < fewest ? [] : Array.from({ length: width }, (_, at) => at).flatMap((at) => {
    const pattern = [/@/, /\d/].find((one) => records.every((row) => one.test(cellText(row[at]))))
    return pattern === undefined ? [] : [{ at, pattern }]
  })

/** Whether a row has such a cell in a column that the first records fill alike. */
const isLikeFirst = (row: Cells) => ({ at, pattern }: Typical): boolean => pattern.test(cellText(row[at]))

/** Returns the first records below a header, up to an empty row. */
const firstRecords = (below: ReadonlyArray<Cells>, repeats: ProblemOf): ReadonlyArray<Cells> => {
  const rows = below.slice(below.findIndex((row) => row.some(isFilled)))
  const gap = rows.findIndex((row) => !row.some(isFilled))
  const first = rows.slice(0, gap < 0 ? rows.length : gap)
  return first.filter((row) => !isSeparator(row) && repeats(row, () => "") === undefined)
}

const isLetterOrDigit = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)

/** Whether a row is a header of other columns: it is full, without repeated cells, and at least half of its cells are among these titles. */
const isOtherHeader = (row: ReadonlyArray<Cell>, titles: ReadonlySet<string>): boolean => {
  const cells = row.map(plainTitle)
  const familiar = cells.filter((cell) => titles.has(cell)).length
  return familiar > 1 && familiar >= cells.length / 2 && !cells.includes("") && new Set(cells).size === cells.length
}

/**
 * Returns a function that returns the problem of a row that is not a record: it repeats a header of several columns, is a line that separates rows, or
 * begins a second table. The rows below a different header have a problem, too.
 *
 * @param header the cells of a header row
 * @param below the first rows below it
 */
export const notRecords = (header: ReadonlyArray<Cell>, below: ReadonlyArray<Cells> = []): ProblemOf => {
  const titles = header.map(plainTitle)
  if (!isWide(titles)) return () => undefined
  const repeats = repeatedHeader(header)
  const known = new Set(titles.filter((title) => title !== ""))
  const starts = new Set([...known].flatMap((title) => [title.charCodeAt(0), title.toUpperCase().charCodeAt(0)]))
  /** Whether a row's first cell begins with a letter or digit with which no title begins. This rules out most rows in a fifth of the time. */
  const isUnlikeTitles = (cell: Cell | undefined): boolean => {
    const code = typeof cell === "string" ? cell.charCodeAt(0) : NaN
    return isLetterOrDigit(code) && !starts.has(code)
  }
  let found: ReadonlyArray<Typical> | undefined
  /** Called only for rows below a gap, because the first call takes long if there are thousands of columns. */
  const typical = () => (found ??= typicalOf(firstRecords(below, repeats), titles.length))
  /** The place of a different header. `ends`: whether a row like the first ones is not below it. */
  let other: { readonly where: string; readonly ends: boolean } | undefined
  /** Whether the next row is directly below the header. It may be a form tool's second header. */
  let isFirst = true
  /** Whether only single cells are between this row and an empty one. They may be the title of a second table, such as a legend. */
  let isBelowTitle = false
  const isUnlikeFirst = (row: Cells) => typical().length > 1 && !typical().some(isLikeFirst(row))
  return (row, where, isAfterEmpty = false) => {
    const mayBeHeader = !isFirst
    isFirst = false
    const isAfterGap = isAfterEmpty || isBelowTitle
    const isTitle = isAfterGap && row.filter(isFilled).length === 1 && isUnlikeFirst(row)
    isBelowTitle = isTitle
    if (!isAfterGap && other === undefined && isUnlikeTitles(row[0])) return undefined
    const first = plainTitle(row[0])
    const repeated = first === titles[0] ? repeats(row, where) : undefined
    if (repeated !== undefined) {
      other = undefined
      return repeated
    }
    if (isSeparator(row)) {
      return notARecord(
        `${where()} is a separator line, not a record. Remove it from the file, or skip it with \`where\`.`,
      )
    }
    if (mayBeHeader && known.has(first) && isOtherHeader(row, known)) {
      other = { where: where(), ends: false }
      return notARecord(
        `${other.where} contains the header's titles in a different order, as if two exports had been joined. The rows below it are not sent. Move it and them to a separate file.`,
      )
    }
    if (isAfterGap && !isTitle && isUnlikeFirst(row)) {
      // A table without cells in a column of the first table has no rows like those of the first.
      other = { where: where(), ends: typical().some(({ at }) => !isFilled(row[at])) }
      return notARecord(
        `${other.where} seems to begin a second table: it is below an empty row${
          isAfterEmpty ? "" : " and what may be a title"
        }, and its cells are unlike those above. The rows of that table are not sent. Move it to a separate file. If it is a record, remove that empty row.`,
      )
    }
    if (other?.ends === true && typical().every(isLikeFirst(row))) other = undefined
    return other === undefined ? undefined : {
      code: "other-table",
      message:
        `${where()} is below a different header (${other.where}), so its cells may belong to other columns. Move both to a separate file.`,
    }
  }
}

/** Returns where the header is. It was detected if it is below other records. */
export const headerPlace = (asked: SourceConfig["headerRow"], where: string, above: number): string =>
  asked === "none" ? asked : where + (above === 0 ? "" : " (detected)")

/**
 * Returns how empty records were read. None if there are none.
 *
 * @param below the first row below one of them, because a table of texts that begins there can't be distinguished from the rows above
 */
export const emptyTaken = (what: string, empty: number, below: number | undefined) =>
  empty === 0
    ? []
    : [{ what, value: `${count(empty)} omitted${below === undefined ? "" : `, ${aboveRow} ${below}`}` }]

/** Returns a warning if the row below a detected header may contain its titles: that row is full, and has cells in several columns without a title. */
export const titlesBelow = (
  of: string,
  titles: Line,
  { header, records, skipped }: Head,
): ReadonlyArray<string> => {
  const below = records.slice(header + 1).map((row) => row.map((cell) => cellText(cell)))
  const [next = []] = below
  const lacking = next.filter((cell, at) => cell.trim() !== "" && (titles[at] ?? "").trim() === "").length
  const usual = usualWidth(below.slice(0, lookedAt).map(extentOf))
  if (lacking < 2 || filledIn(titles) < 2 || filledIn(next) < usual) return []
  // Below names of groups, a title may be repeated.
  const isNamed = 2 * lacking > usual && !next.some((cell) => number.test(cell.trim()))
  if (!isNamed && !isTitles(next, usual, titles)) return []
  const row = skipped + header + 1
  return [
    `${of} has ${lacking} columns without titles in row ${row}. If row ${
      row + 1
    } contains the titles, write \`headerRow: ${row + 1}\` under \`source\`. Otherwise, write \`headerRow: ${row}\`.`,
  ]
}

/** Returns the titles of a table without a header. */
export const numberedTitles = (width: number): ReadonlyArray<string> =>
  Array.from({ length: width }, (_, at) => `column ${at + 1}`)

/** Texts that are answers, and hardly ever titles. */
const answers: ReadonlyArray<readonly [what: string, pattern: RegExp]> = [
  ["an email address", /^[^\s@]+@[^\s@]+\.\p{L}{2,}$/u],
  ["a web address", /^https?:\/\/\S+$/i],
  ["a phone number", /^\+\d[\d ()/.-]{6,}$/],
  ["a number", /^[-+]?\d+[.,]\d{2,}$/],
  ["a date", /^(?:\d{4}([-./])\d{1,2}\1\d{1,2}|\d{1,2}([-./])\d{1,2}\2(?:\d{2}|\d{4}))(?:[ T]\d.*)?$/],
]

/** Whether numbers count upwards, such as the ids of rows. */
const isSequence = (texts: ReadonlyArray<string>): boolean =>
  texts.length > 2 && texts.every((text, at) => /^\d{1,15}$/.test(text) && Number(text) === Number(texts[0]) + at)

/**
 * Returns a sentence if a detected header seems to be a row, whose answers would be lost: a title is an answer like the cells below it, or several titles
 * are also cells of their columns. Headers among the rows don't count.
 */
export const noHeader = ({ header, records, skipped }: Head): string | undefined => {
  const textAt = (row: Cells, at: number) => cellText(row[at]).trim()
  const titles = records[header] ?? []
  const problemOf = notRecords(titles)
  const rows = records.slice(header + 1).filter((row) => problemOf(row, () => "") === undefined)
  const columns = titles.map((_, at) => ({
    at,
    title: textAt(titles, at),
    cells: rows.map((row) => textAt(row, at)).filter((text) => text !== ""),
  }))
  const alike = columns.flatMap(({ at, cells, title }) => {
    const answer = answers.find(([, pattern]) =>
      cells.length > 0 && pattern.test(title)
      && cells.filter((text) => pattern.test(text)).length >= 0.8 * cells.length
    )?.[0] ?? (isSequence([title, ...cells]) ? "a number" : undefined)
    return answer === undefined ? [] : [{ at, what: `${answer}, as in the rows below` }]
  })
  const numbers = columns.filter(({ cells, title }) => /^\d+$/.test(title) && cells.every((text) => number.test(text)))
  // Titles such as years or the numbers of questions count upwards.
  const isCounting = columns.every(({ title }, at) => at === 0 || Number(columns[at - 1]!.title) < Number(title))
  if (columns.length > 1 && rows.length > 0 && numbers.length === columns.length && !isCounting) {
    alike.push({ at: 0, what: "a number, as all cells in this row and below" })
  }
  // The column of one option contains only its title.
  const repeated = columns.filter(({ cells, title }) => cells.includes(title) && new Set(cells).size > 1)
  const [first, second] = repeated.map(({ at }) => ({ at, what: "a text that is also in a row below" }))
  const one = alike[0] ?? (second && first)
  if (one === undefined) return undefined
  const row = skipped + header + 1
  const why = `in row ${row}, column ${one.at + 1} contains ${one.what}`
  return `seems to have no header: ${why}. If so, write \`headerRow: none\` under \`source\`, or pass \`--header-row none\` to \`inspect\` and \`init\`. Otherwise, state the header: \`headerRow: ${row}\`.`
}

/** A record or row that may be above the data. Its cells are text, and empty cells are "". */
type Line = ReadonlyArray<string>

/** How many records below the header are kept to recognise a form tool. */
export const headKept = 200
/** How many records are used to find the usual width. */
const lookedAt = 200
/** The maximum number of records that may precede a header. */
const mostAbove = 30

const filledIn = (line: Line) => line.reduce((count, cell) => (cell.trim() === "" ? count : count + 1), 0)

/** Returns the number of cells up to the last filled one. */
export const extentOf = (line: Line) => line.findLastIndex((cell) => cell.trim() !== "") + 1

/** Returns the width that most records have. */
export const usualWidth = (widths: ReadonlyArray<number>): number => {
  const times = new Map<number, number>()
  let usual = 0
  for (const width of widths) {
    const count = (times.get(width) ?? 0) + 1
    times.set(width, count)
    if (width > 0 && count >= (times.get(usual) ?? 0)) usual = width
  }
  return usual
}

const number = /^[+-]?[\d.,\s/:%€$£-]+$/

/**
 * Whether a record consists of titles: nearly every column has one, no title is a number or a date, and none is repeated.
 *
 * @param groups the record above, if it names groups of columns: a title may be repeated in another group
 */
const isTitles = (line: Line, usual: number, groups: Line = []) => {
  const titles = line.map((cell) => cell.trim()).filter((cell) => cell !== "")
  let group = ""
  const names = line.map((cell, at) => `${group = groups[at]?.trim() || group}\n${cell.trim()}`)
    .filter((name) => !name.endsWith("\n"))
  return titles.length >= Math.max(2, 0.8 * usual) && titles.every((title) => !number.test(title))
    && new Set(names).size === titles.length
}

/** Whether a record names groups of columns, and the next record names the columns. Only the first column of a group is filled in the former, and numbers are below the latter. */
const isGroups = (line: Line, [titles = [], ...rows]: ReadonlyArray<Line>, usual: number) => {
  const filled = filledIn(line)
  if (filled < 2 || filled > 0.7 * usual || (line[0] ?? "").trim() === "") return false
  if (filledIn(titles) < usual || !isTitles(titles, usual, line)) return false
  return titles.some((_, at) => {
    const cells = rows.map((row) => (row[at] ?? "").trim()).filter((cell) => cell !== "")
    return cells.length > 0 && cells.filter((cell) => number.test(cell)).length >= 0.8 * cells.length
  })
}

/** Returns records without the columns that are empty in all of them, as between the columns of a printed list. */
const withoutEmptyColumns = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> => {
  const used = new Set(lines.flatMap((line) => line.flatMap((cell, at) => (cell.trim() === "" ? [] : at))))
  return lines.map((line) => line.filter((_, at) => used.has(at)))
}

/**
 * Returns the index of the header, or -1 if all records are empty. The header is the first record that is not empty, unless that is obviously a
 * heading of the whole table and a record of titles follows. A heading is a single filled cell above records of at least three columns, or of two if
 * the record has only one cell. It may also be a name and its value with an empty record below, cells that are all merged over several columns, or names of groups of columns.
 *
 * @param merged whether all filled cells of the record with this index are merged, and one of them over several columns
 */
export const placeHeader = (
  records: ReadonlyArray<Line>,
  merged: (at: number) => boolean = () => false,
): number => {
  const lines = withoutEmptyColumns(records)
  const first = lines.findIndex((line) => filledIn(line) > 0)
  if (first === -1) return -1
  const usual = usualWidth(lines.slice(first, first + lookedAt).map(extentOf))
  let emptyBelow = false
  const isHeading = (line: Line) => {
    const filled = filledIn(line)
    return filled === 1 && line[0]?.trim() !== "" && (usual >= 3 || (usual === 2 && line.length === 1))
  }
  const isNamedValue = (line: Line) => usual >= 4 && extentOf(line) === 2 && filledIn(line) === 2
  let named = false
  let allMerged = true
  for (let at = first; at < Math.min(lines.length, first + mostAbove); at++) {
    const line = lines[at]!
    if (filledIn(line) === 0) emptyBelow = true
    else if (merged(at)) continue
    else if (isGroups(line, lines.slice(at + 1, at + lookedAt), usual)) return at + 1
    else if (at > first && isTitles(line, usual, merged(at - 1) ? lines[at - 1] : [])) {
      const below = allMerged || lines.slice(at + 1, at + 3).some((next) => filledIn(next) >= 2)
      return below && (!named || emptyBelow) ? at : first
    } else if (isNamedValue(line)) named = true
    else if (!isHeading(line)) return first
    allMerged &&= filledIn(line) === 0
  }
  return first
}
