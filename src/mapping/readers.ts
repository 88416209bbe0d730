import { type Cell, ErrorCell, isFilled, PercentCell } from "../domain/cell.ts"
import { canonicalJson, type Json } from "../domain/json.ts"
import type { Problem } from "../domain/problem.ts"
import type { Cells, Column } from "../domain/row.ts"
import { errorIn, textOf } from "../kinds/cells.ts"
import { Fault, type Parse } from "../kinds/Kind.ts"
import { type CellNotes, cellUse, type CellUses } from "./CellUses.ts"
import { cellProblem, conflictProblem, requiredProblem, templateProblem } from "./problems.ts"

/** Reads an answer of a row. Returns undefined if there is none or if it has problems, which are added to the list. */
export type Read = (cells: Cells, problems: Array<Problem>) => Json | undefined

/** What is needed to read an answer from cells. */
export interface Reading {
  /** The id of the question or element. */
  readonly id: string
  readonly parse: Parse
  /** The texts that mean "no answer", apart from the empty text. */
  readonly empty: ReadonlySet<string>
  /** The answer to use if all cells are empty. */
  readonly fallback: Json | undefined
  /** How the row's cells are used. */
  readonly uses: CellUses
  /** The kind's notes about the cells that were last given to `parse`. */
  readonly notes: CellNotes
  /** The texts that `parse` has redirected to other questions in this row. */
  readonly redirected: Array<RedirectedText>
}

/** A text that is redirected to a different question (`textTo`). */
export interface RedirectedText {
  readonly text: string
  readonly to: string
}

/** Returns a cell. Null if it means "no answer". */
const given = (cells: Cells, position: number, empty: ReadonlySet<string>): Cell => {
  const cell = cells[position]
  if (cell === undefined || !isFilled(cell)) return null
  return empty.size > 0 && !(cell instanceof ErrorCell) && empty.has(textOf(cell)) ? null : cell
}

/** Copies the cells of the columns to a list. Returns whether any of them is filled. */
const fill = (
  list: Array<Cell>,
  columns: ReadonlyArray<Column>,
  cells: Cells,
  empty: ReadonlySet<string>,
): boolean => {
  let isFilled = false
  for (let index = 0; index < columns.length; index++) {
    const cell = given(cells, columns[index]!.position, empty)
    list[index] = cell
    isFilled ||= cell !== null
  }
  return isFilled
}

const fail = ({ notes }: Reading, problems: Array<Problem>, problem: Problem): undefined => {
  problems.push(problem)
  notes.clear()
}

/** Returns the reader for a column, or for several columns that the kind joins. */
export const readColumns = (columns: ReadonlyArray<Column>, reading: Reading): Read => {
  const { empty, fallback, id, notes, parse, uses } = reading
  const list: Array<Cell> = columns.map(() => null)
  const first = columns[0]!
  // Most answers have one column. Reading it without loops takes a tenth less time.
  if (columns.length === 1) {
    const { position } = first
    return (cells, problems) => {
      const cell = given(cells, position, empty)
      if (cell === null) return fallback
      list[0] = cell
      const value = parse(list)
      if (value instanceof Fault) return fail(reading, problems, cellProblem(id, first, cell, value))
      uses.mark(position, notes.useOf(0, value !== undefined))
      notes.clear()
      return value
    }
  }
  return (cells, problems) => {
    if (!fill(list, columns, cells, empty)) return fallback
    const value = parse(list)
    if (value instanceof Fault) {
      const column = columns[value.cell] ?? first
      return fail(reading, problems, cellProblem(id, column, list[value.cell], value))
    }
    for (let index = 0; index < columns.length; index++) {
      if (list[index] !== null) uses.mark(columns[index]!.position, notes.useOf(index, value !== undefined))
    }
    notes.clear()
    return value
  }
}

/** Returns the reader for the first column that is filled. Any other filled column must give the same answer. */
export const readFirstOf = (columns: ReadonlyArray<Column>, reading: Reading): Read => (cells, problems) => {
  const { empty, fallback, id, notes, parse, redirected, uses } = reading
  let first: { readonly column: Column; readonly cell: Cell; readonly value: Json | undefined } | undefined
  let answer = ""
  for (const column of columns) {
    const cell = given(cells, column.position, empty)
    if (cell === null) continue
    const before = redirected.length
    const value = parse([cell])
    if (value instanceof Fault) return fail(reading, problems, cellProblem(id, column, cell, value))
    const use = notes.useOf(0, value !== undefined)
    notes.clear()
    uses.mark(column.position, first === undefined ? use : Math.min(use, cellUse.part))
    const texts = redirected.splice(before)
    if (value === undefined && texts.length === 0) continue
    const same = canonicalJson([value ?? null, texts.map(({ text, to }) => [text, to])])
    if (first === undefined) {
      first = { column, cell, value }
      answer = same
      redirected.push(...texts)
    } else if (same !== answer) {
      return fail(reading, problems, conflictProblem(id, [[first.column, first.cell], [column, cell]]))
    }
  }
  return first === undefined ? fallback : first.value
}

/**
 * Fills in a template. If a part is empty, keeps the spaces before it and removes those after it. Also removes spaces at both ends.
 *
 * @returns undefined if all parts are empty
 */
const fillTemplate = (pieces: ReadonlyArray<string | number>, texts: ReadonlyArray<string>): string | undefined => {
  let result = ""
  let gap = false
  for (const piece of pieces) {
    const isText = typeof piece === "string"
    const text: string = isText ? (gap ? piece.trimStart() : piece) : texts[piece] ?? ""
    gap = !isText && text === "" && (result === "" || /\s$/.test(result))
    result += text
  }
  return texts.some((text) => text !== "") ? result.trim() : undefined
}

/**
 * Makes the function that writes the text of a template. Returns undefined if all cells are empty.
 *
 * @param pieces literal texts, and indexes of the cells between them
 * @param decimal the decimal sign for numbers
 */
export const templateText =
  (pieces: ReadonlyArray<string | number>, decimal: string) => (cells: ReadonlyArray<Cell>): string | undefined =>
    fillTemplate(
      pieces,
      cells.map((cell) =>
        typeof cell === "number" || cell instanceof PercentCell ? textOf(cell).replace(".", decimal) : textOf(cell)
      ),
    )

/** Returns the reader for a template over several columns. `write` returns its text. */
export const readTemplate = (
  write: (cells: ReadonlyArray<Cell>) => string | undefined,
  columns: ReadonlyArray<Column>,
  reading: Reading,
): Read => {
  const { empty, fallback, id, notes, parse, uses } = reading
  const list: Array<Cell> = columns.map(() => null)
  return (cells, problems) => {
    if (!fill(list, columns, cells, empty)) return fallback
    const error = errorIn(list)
    if (error !== undefined) {
      return fail(reading, problems, cellProblem(id, columns[error.cell]!, list[error.cell], error))
    }
    const text = write(list)
    if (text === undefined) return fallback
    const value = parse(list)
    if (value instanceof Fault) return fail(reading, problems, templateProblem(id, text, value))
    const use = notes.useOf(0, value !== undefined)
    for (let index = 0; index < columns.length; index++) {
      if (list[index] !== null) uses.mark(columns[index]!.position, use)
    }
    notes.clear()
    return value
  }
}

/** A part of an answer: its reader and its columns. A constant has no columns. */
export interface ReadPart {
  readonly part: string
  readonly read: Read
  readonly columns: ReadonlyArray<Column>
}

/** Marks the cells of parts as used by the answer. A cell is used only as much as the part uses it, and as the answer uses the part. */
export const useParts = (
  parts: ReadonlyArray<ReadPart>,
  partUses: CellUses,
  uses: CellUses,
  useOf: (part: number) => number,
): void => {
  for (let index = 0; index < parts.length; index++) {
    for (const { position } of parts[index]!.columns) {
      const use = partUses.most[position] ?? cellUse.nothing
      if (use !== cellUse.nothing) uses.mark(position, Math.min(use, useOf(index)))
    }
  }
}

/**
 * Returns the reader of all parts. There is no answer if every part that comes from a column is empty, because constants and defaults alone don't make one.
 *
 * @param partUses how the parts use their cells
 * @returns a function that returns the values in the order of the parts, or undefined if there is no answer or a part has problems
 */
export const readAll = (parts: ReadonlyArray<ReadPart>, partUses: CellUses) => {
  const positions = [...new Set(parts.flatMap(({ columns }) => columns.map(({ position }) => position)))]
  const onlyConstants = parts.every((part) => part.columns.length === 0)
  return (cells: Cells, problems: Array<Problem>): ReadonlyArray<Json | undefined> | undefined => {
    const before = problems.length
    for (const position of positions) partUses.forget(position)
    const values = parts.map(({ read }) => read(cells, problems))
    const isAnswer = onlyConstants || values.some((value, at) =>
      value !== undefined
      && parts[at]!.columns.some(({ position }) => (partUses.most[position] ?? cellUse.nothing) >= cellUse.part)
    )
    return isAnswer && problems.length === before ? values : undefined
  }
}

/** Returns the reader for several parts. The answer's kind combines the values of the parts. */
export const readParts = (parts: ReadonlyArray<ReadPart>, reading: Reading, partUses: CellUses): Read => {
  const { fallback, id, notes, parse, uses } = reading
  const all = readAll(parts, partUses)
  return (cells, problems) => {
    const before = problems.length
    const values = all(cells, problems)
    if (values === undefined) return problems.length === before ? fallback : undefined
    const value = parse(values.map(asCell))
    if (value instanceof Fault) {
      const column = parts[value.cell]?.columns[0] ?? parts.flatMap((part) => part.columns)[0]
      notes.clear()
      if (column !== undefined) problems.push(cellProblem(id, column, cells[column.position], value))
      return undefined
    }
    useParts(parts, partUses, uses, (part) => notes.useOf(part, value !== undefined))
    notes.clear()
    return value
  }
}

/** The kinds of parts produce only texts, numbers or booleans. */
const asCell = (value: Json | undefined): Cell => value === undefined || typeof value === "object" ? null : value

/** Returns what is wrong with an answer of which every part is a constant. Undefined if nothing is wrong, or if a part comes from a column. */
export const faultOfConstants = (parts: ReadonlyArray<ReadPart>, parse: Parse): Fault | undefined => {
  if (parts.some(({ columns }) => columns.length > 0)) return undefined
  const value = parse(parts.map(({ read }) => asCell(read([], []))))
  return value instanceof Fault ? value : undefined
}

/** Returns a reader that drops an answer with problems, so that the row is not rejected. */
export const readDropping = (read: Read, columns: ReadonlyArray<Column>, uses: CellUses): Read => (cells, problems) => {
  const own: Array<Problem> = []
  const value = read(cells, own)
  if (own.length === 0) return value
  for (const { position } of columns) uses.mark(position, cellUse.dropped)
  for (const problem of own) {
    problems.push({
      ...problem,
      message: `${problem.message} This answer is dropped; the row is sent without it.`,
      dropped: true,
    })
  }
  return undefined
}

/** Returns the reader of several entries for an answer. It uses the first entry whose condition the row meets. */
export const readWhen = (
  entries: ReadonlyArray<{ readonly holds: (cells: Cells, problems: Array<Problem>) => boolean; readonly read: Read }>,
): Read =>
(cells, problems) => {
  for (const { holds, read } of entries) {
    const before = problems.length
    if (!holds(cells, problems)) continue
    // If a cell can't be compared, no entry is chosen, and the row has a problem.
    return problems.length > before ? undefined : read(cells, problems)
  }
  return undefined
}

/** Returns a reader that reports a missing answer as a problem. */
export const readRequired = (read: Read, id: string, name: string, columns: ReadonlyArray<Column>): Read => {
  const problem = requiredProblem(id, name, columns)
  return (cells, problems) => {
    const before = problems.length
    const value = read(cells, problems)
    if (value === undefined && problems.length === before) problems.push(problem)
    return value
  }
}
