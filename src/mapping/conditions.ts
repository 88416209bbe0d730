import { type Cell, DateCell } from "../domain/cell.ts"
import { plainName } from "../domain/form.ts"
import type { Problem } from "../domain/problem.ts"
import type { Cells, Column } from "../domain/row.ts"
import { millisIn } from "../domain/times.ts"
import { oneLine } from "../domain/words.ts"
import { textOf } from "../kinds/cells.ts"
import { compileFormats, type DateFormat, isoFormat } from "../kinds/dateFormats.ts"
import { Fault } from "../kinds/Kind.ts"
import { compilePattern } from "../kinds/pattern.ts"
import { readIso } from "../kinds/wallClock.ts"
import type { Condition } from "../project/Pipeline.ts"
import type { CompileContext, Fixed } from "./CompileContext.ts"
import type { NearCell, UnmetCondition } from "./Mapping.ts"
import { columnProblem } from "./problems.ts"

/** Whether a row's cells meet the conditions. A cell that can't be compared counts as meeting them, and is added to the problems. */
type Holds = (cells: Cells, problems: Array<Problem>) => boolean

export interface Conditions {
  readonly holds: Holds
  /** Returns the cells so far that are nearly the same as a text. */
  readonly near: () => ReadonlyArray<NearCell>
  /** Returns what no row so far has met. */
  readonly unmet: () => ReadonlyArray<UnmetCondition>
  /** Whether the condition compares cells with bounds, which is not possible for every cell. */
  readonly compares: boolean
  readonly columns: ReadonlyArray<Column>
}

type Test = (cell: Cell | undefined, text: string) => boolean | Fault

const plainNumber = /^[-+]?\d+(?:\.\d+)?$/

const numberOf = (cell: Cell | undefined, text: string): number =>
  typeof cell === "number" ? cell : plainNumber.test(text) ? Number(text) : NaN

/** Reads a date or a local time. An offset is used only if both sides of a comparison have one. */
const momentOf = (text: string, format: DateFormat | undefined) => {
  const read = readIso(text)
  if (read !== undefined && read.hasDate) return read
  const wall = format === undefined ? NaN : format.wall(text)
  return Number.isNaN(wall) ? undefined : { wall, hasTime: format?.hasTime === true, offset: NaN }
}

const percentage = /^[-+]?\d+(?:\.\d+)?(?=\s?%$)/

/** Whether a bound is a number or a percentage. */
const isAmount = (bound: string): boolean => plainNumber.test(bound) || percentage.test(bound)

/** Returns a function that compares a cell with a bound. Only percentages can be compared with a percentage. The result is below zero if the cell is less than the bound, or NaN if the two can't be compared. */
const comparison = (
  bound: string,
  format: DateFormat | undefined,
): ((cell: Cell | undefined, text: string) => number) | undefined => {
  if (plainNumber.test(bound)) {
    const least = Number(bound)
    return (cell, text) => numberOf(cell, text) - least
  }
  const [percent] = percentage.exec(bound) ?? []
  if (percent !== undefined) return (_, text) => Number(percentage.exec(text)?.[0] ?? NaN) - Number(percent)
  const moment = momentOf(bound, undefined)
  if (moment === undefined) return undefined
  return (cell, text) => {
    const there = momentOf(cell instanceof DateCell ? cell.iso : text, format)
    if (there === undefined) return NaN
    if (!moment.hasTime) return Math.floor(there.wall / millisIn.day) * millisIn.day - moment.wall
    const offsets = Number.isNaN(moment.offset) || Number.isNaN(there.offset) ? 0 : moment.offset - there.offset
    return there.wall - moment.wall + offsets * 60_000
  }
}

/** The maximum number of distinct cells of a column that are compared with the texts of a condition. */
const mostNear = 1_000

const loosely = (text: string): string => {
  const plain = oneLine(text.normalize("NFKC")).toLowerCase()
  return plain.length <= 15 && plainNumber.test(plain) ? String(Number(plain)) : plain
}

/** Whether a cell is a truth value, which has no letter case. */
type IsTruth = (cell: Cell | undefined, text: string) => boolean

/** Returns a function that finds the truth values of workbooks and JSON files, also as the texts that a corrected rejected.csv contains. */
const typedTruth = (fixed: Fixed): IsTruth => (cell, text) =>
  typeof cell === "boolean" || (fixed === "typed" && /^(?:true|false)$/i.test(text))

/** Like `typedTruth`, for conditions that select rows. A rejected row met them, and a spreadsheet program may have written its `true` in capitals since. */
const selectedTruth = (fixed: Fixed): IsTruth =>
  fixed === "text" ? (cell, text) => typeof cell === "boolean" || /^(?:TRUE|FALSE)$/.test(text) : typedTruth(fixed)

const truthSpellings = (text: string): ReadonlyArray<string> => {
  const lower = text.toLowerCase()
  return [lower, lower.toUpperCase(), lower.replace(/^./, (first) => first.toUpperCase())]
}

/** Compares cells with texts. */
const compareTexts = (texts: ReadonlyArray<string>, isTruth: IsTruth) => {
  const all = new Set(texts.map(plainName))
  const inLowerCase = new Map([...all].map((text) => [text.toLowerCase(), text]))
  const loose = new Map([...all].map((text) => [loosely(text), text]))
  const unmet = new Set(all)
  const others = new Set<string>()
  return {
    has: (cell: Cell | undefined, text: string): boolean => {
      const equal = all.has(text)
        ? text
        : isTruth(cell, text)
        ? inLowerCase.get(text.toLowerCase())
        : undefined
      if (equal !== undefined) {
        if (unmet.size > 0) unmet.delete(equal)
        return true
      }
      if (text !== "" && others.size < mostNear) others.add(text)
      return false
    },
    unmet: () => [...unmet],
    others: () => [...others],
    near: () =>
      [...others].flatMap((cell) => {
        const text = loose.get(loosely(cell))
        return text === undefined ? [] : [{ cell, text }]
      }),
  }
}

/** Returns the fault of a cell that can't be compared with a bound. */
const incomparable = (bound: string, format: string | undefined): Fault =>
  isAmount(bound.trim())
    ? new Fault(
      "not-a-number",
      bound.includes("%")
        ? `a percentage such as 12.5% to compare with ${bound}`
        : `a number to compare with ${bound}; if the cells are percentages, add % to ${bound}`,
    )
    : new Fault(
      "not-a-date",
      `a date as ${format === undefined ? "" : `${format} or `}${isoFormat} to compare with ${bound}`,
    )

/**
 * Compiles conditions. Adds an error for a missing column, and for a bound that is neither a number nor a date.
 *
 * @param section the key of the pipeline that contains them
 */
export const compileConditions = (
  section: "where" | "when",
  conditions: ReadonlyArray<Condition>,
  { columns: book, empty, findings, fixed }: Pick<CompileContext, "columns" | "empty" | "findings" | "fixed">,
): Conditions => {
  const isTruth = typedTruth(fixed)
  const isSelectedTruth = section === "where" ? selectedTruth(fixed) : isTruth
  let compares = false
  const found: Array<Column> = []
  const near: Array<Conditions["near"]> = []
  const unmet: Array<() => UnmetCondition> = []
  const all = conditions.map(({ column: name, path, ...asked }): Holds => {
    const column = book.find(name, "keyOrCondition")
    if (column !== undefined) found.push(column)
    const tests: Array<Test> = []
    let selected: ReturnType<typeof compareTexts> | undefined
    for (const [texts, skips] of [[asked.is, true], [asked.not, false]] as const) {
      if (texts === undefined) continue
      const compared = compareTexts(texts, skips ? isSelectedTruth : isTruth)
      if (skips) selected = compared
      tests.push((cell, text) => compared.has(cell, text) === skips)
      if (column !== undefined) near.push(() => compared.near().map((one) => ({ ...one, column, path, skips })))
    }
    if (asked.empty !== undefined) {
      const wanted = asked.empty
      tests.push((_, text) => (text === "" || empty.has(text)) === wanted)
    }
    const pattern = asked.matches === undefined ? undefined : compilePattern(asked.matches)
    if (typeof pattern === "object") {
      tests.push((cell, text) =>
        pattern.test(text) || (isSelectedTruth(cell, text) && truthSpellings(text).some(pattern.test))
      )
    }
    const formats = compileFormats({ format: asked.format }, "date", isoFormat)
    if (!("formats" in formats)) findings.faults(path, formats)
    const format = "formats" in formats ? formats.formats[0] : undefined
    for (const bound of ["atLeast", "atMost"] as const) {
      const given = asked[bound]
      if (given === undefined) continue
      const compare = comparison(given.trim(), format)
      if (compare === undefined) {
        findings.error(
          [...path, bound],
          `"${given}" is neither a number, a percentage nor an ISO date or time.`,
          "Write it as 10.5, 10%, 2024-01-31 or 2024-01-31T08:00.",
        )
        continue
      }
      compares = true
      const fault = incomparable(given, asked.format)
      tests.push((cell, text) => {
        if (text === "" || empty.has(text)) return false
        const order = compare(cell, text)
        return Number.isNaN(order) ? fault : bound === "atLeast" ? order >= 0 : order <= 0
      })
    }
    if (column === undefined) return () => true
    const { position } = column
    let compared = 0
    let isMet = false
    unmet.push(() => ({
      column,
      path,
      compared,
      isMet,
      unmet: selected?.unmet() ?? [],
      others: selected?.others() ?? [],
    }))
    return (cells, problems) => {
      compared++
      const cell = cells[position]
      const text = textOf(cell).normalize()
      for (const test of tests) {
        const result = test(cell, text)
        if (result instanceof Fault) {
          problems.push(columnProblem(column, cell, result))
          isMet = true
          return true
        }
        if (!result) return false
      }
      isMet = true
      return true
    }
  })
  return {
    compares,
    columns: found,
    near: () => near.flatMap((one) => one()),
    unmet: () => unmet.map((one) => one()),
    holds: (cells, problems) => {
      const before = problems.length
      if (all.every((holds) => holds(cells, problems))) return true
      // That a cell can't be compared doesn't matter, because the row doesn't meet a different condition.
      problems.length = before
      return false
    },
  }
}
