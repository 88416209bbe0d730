import type { Cell } from "../domain/cell.ts"
import { ErrorCell } from "../domain/cell.ts"
import { canonicalJson } from "../domain/json.ts"
import type { Json } from "../domain/json.ts"
import type { Problem } from "../domain/problem.ts"
import type { Cells, Column } from "../domain/row.ts"
import { errorIn, textOf } from "../kinds/cells.ts"
import type { Parse } from "../kinds/Kind.ts"
import { Fault } from "../kinds/Kind.ts"
import { made } from "./CellUses.ts"
import type { CellNotes, CellUses } from "./CellUses.ts"
import { cellProblem, conflictProblem, requiredProblem, templateProblem } from "./problems.ts"
import type { Template } from "./template.ts"
import { fillTemplate } from "./template.ts"

/**
 * Reads one answer of a row; undefined: there is none, or it has problems, which are added to the list.
 *
 * @param key the row's key, for what carries it
 */
export type Read = (cells: Cells, problems: Array<Problem>, key?: string) => Json | undefined

/** What is needed to read an answer from cells. */
export interface Reading {
  /** Id of the question or element. */
  readonly id: string
  readonly parse: Parse
  /** Cells that mean: no answer; without the empty text, which always does. */
  readonly empty: ReadonlySet<string>
  /** What stands in for an answer whose cells are all empty. */
  readonly fallback: Json | undefined
  /** Takes what is made of the row's cells. */
  readonly uses: CellUses
  /** What the kind notes of the cells that `parse` was given last. */
  readonly notes: CellNotes
}

/** A cell, trimmed; null when it means that there is no answer. */
const given = (cells: Cells, position: number, empty: ReadonlySet<string>): Cell => {
  const cell = cells[position]
  if (typeof cell === "string") {
    const text = cell.trim()
    // A look-up needs the text's hash, also in a set that is empty.
    return text === "" || (empty.size > 0 && empty.has(text)) ? null : text
  }
  if (cell === undefined || cell === null) return null
  return empty.size > 0 && !(cell instanceof ErrorCell) && empty.has(textOf(cell)) ? null : cell
}

/** One column. */
export const readColumn = (column: Column, { id, parse, empty, fallback, uses, notes }: Reading): Read => {
  const { position } = column
  return (cells, problems) => {
    const cell = given(cells, position, empty)
    if (cell === null) return fallback
    const value = parse([cell])
    if (typeof value === "object" && value instanceof Fault) {
      problems.push(cellProblem(id, column, cell, value))
      notes.clear()
      return undefined
    }
    uses.mark(position, notes.madeOf(0, value !== undefined))
    notes.clear()
    return value
  }
}

/** Several columns, for kinds that join them. */
export const readColumns = (
  columns: ReadonlyArray<Column>,
  { id, parse, empty, fallback, uses, notes }: Reading,
): Read => {
  const list: Array<Cell> = columns.map(() => null)
  return (cells, problems) => {
    let any = false
    for (let index = 0; index < columns.length; index++) {
      const cell = given(cells, columns[index]!.position, empty)
      list[index] = cell
      any ||= cell !== null
    }
    if (!any) return fallback
    const value = parse(list)
    if (!(value instanceof Fault)) {
      for (let index = 0; index < columns.length; index++) {
        if (list[index] !== null) uses.mark(columns[index]!.position, notes.madeOf(index, value !== undefined))
      }
      notes.clear()
      return value
    }
    notes.clear()
    const column = columns[value.cell] ?? columns[0]
    if (column !== undefined) problems.push(cellProblem(id, column, list[value.cell], value))
    return undefined
  }
}

/** The first column that is filled; others that are filled must give the same. */
export const readFirstOf =
  (columns: ReadonlyArray<Column>, { id, parse, empty, fallback, uses, notes }: Reading): Read => (cells, problems) => {
    let first: { readonly column: Column; readonly cell: Cell; readonly value: Json | undefined } | undefined
    for (const column of columns) {
      const cell = given(cells, column.position, empty)
      if (cell === null) continue
      const value = parse([cell])
      if (value instanceof Fault) {
        problems.push(cellProblem(id, column, cell, value))
        notes.clear()
        return undefined
      }
      const use = notes.madeOf(0, value !== undefined)
      notes.clear()
      uses.mark(column.position, first === undefined ? use : Math.min(use, made.part))
      if (value === undefined) continue
      if (first === undefined) first = { column, cell, value }
      else if (canonicalJson(value) !== canonicalJson(first.value)) {
        problems.push(conflictProblem(id, [[first.column, first.cell], [column, cell]]))
        return undefined
      }
    }
    return first === undefined ? fallback : first.value
  }

/** A text made of several columns by a template, read as one cell. */
export const readTemplate = (
  template: Template,
  columns: ReadonlyArray<Column>,
  { id, parse, empty, fallback, uses, notes }: Reading,
): Read => {
  const list: Array<Cell> = columns.map(() => null)
  return (cells, problems) => {
    for (let index = 0; index < columns.length; index++) list[index] = given(cells, columns[index]!.position, empty)
    const error = errorIn(list)
    if (error !== undefined) {
      problems.push(cellProblem(id, columns[error.cell]!, list[error.cell], error))
      return undefined
    }
    const text = fillTemplate(template, list.map(textOf))
    if (text === undefined) return fallback
    const value = parse([text])
    if (value instanceof Fault) {
      problems.push(templateProblem(id, text, value))
      notes.clear()
      return undefined
    }
    const use = notes.madeOf(0, value !== undefined)
    for (let index = 0; index < columns.length; index++) {
      if (list[index] !== null) uses.mark(columns[index]!.position, use)
    }
    notes.clear()
    return value
  }
}

/** One part of an answer: how it is read, and its columns; none for a constant. */
export interface ReadPart {
  readonly part: string
  readonly read: Read
  readonly columns: ReadonlyArray<Column>
}

/** What the parts made of their cells becomes the answer's own, as far as the answer used each part. */
export const useParts = (
  parts: ReadonlyArray<ReadPart>,
  { partUses, uses }: { readonly uses: CellUses; readonly partUses: CellUses },
  useOf: (part: number) => number,
): void => {
  for (let index = 0; index < parts.length; index++) {
    const { columns } = parts[index]!
    for (let at = 0; at < columns.length; at++) {
      const { position } = columns[at]!
      const use = partUses.most[position] ?? made.nothing
      if (use !== made.nothing) uses.mark(position, Math.min(use, useOf(index)))
    }
  }
}

/**
 * Reads all parts. Constants alone make no answer: when every part that comes from a column is empty, there is none.
 *
 * @param partUses takes what the parts make of their cells
 * @returns the values in the order of the parts; undefined: no answer, or a part has problems
 */
export const readAll = (parts: ReadonlyArray<ReadPart>, partUses: CellUses) => {
  const positions = [...new Set(parts.flatMap(({ columns }) => columns.map(({ position }) => position)))]
  const onlyConstants = parts.every((part) => part.columns.length === 0)
  return (cells: Cells, problems: Array<Problem>): ReadonlyArray<Json | undefined> | undefined => {
    const before = problems.length
    for (let at = 0; at < positions.length; at++) partUses.forget(positions[at]!)
    let any = onlyConstants
    const values = parts.map(({ read, columns }) => {
      const value = read(cells, problems)
      any ||= value !== undefined && columns.length > 0
      return value
    })
    return any && problems.length === before ? values : undefined
  }
}

/** An answer of several parts, each read by its own kind, put together by the answer's kind. */
export const readParts = (
  parts: ReadonlyArray<ReadPart>,
  { id, parse, fallback, uses, notes }: Reading,
  partUses: CellUses,
): Read => {
  const all = readAll(parts, partUses)
  return (cells, problems) => {
    const before = problems.length
    const values = all(cells, problems)
    if (values === undefined) return problems.length === before ? fallback : undefined
    const value = parse(values.map(asCell))
    if (!(value instanceof Fault)) {
      useParts(parts, { uses, partUses }, (part) => notes.madeOf(part, value !== undefined))
      notes.clear()
      return value
    }
    notes.clear()
    const column = parts[value.cell]?.columns[0] ?? parts.flatMap((part) => part.columns)[0]
    if (column !== undefined) problems.push(cellProblem(id, column, cells[column.position], value))
    return undefined
  }
}

/** Parts are of kinds that give texts, numbers or booleans. */
const asCell = (value: Json | undefined): Cell => value === undefined || typeof value === "object" ? null : value

/** Marks the problems of an answer as such that leave out only the answer. */
export const readDropping =
  (read: Read, columns: ReadonlyArray<Column>, uses: CellUses): Read => (cells, problems, key) => {
    const own: Array<Problem> = []
    const value = read(cells, own, key)
    if (own.length === 0) return value
    for (const { position } of columns) uses.mark(position, made.dropped)
    for (const problem of own) {
      problems.push({
        ...problem,
        message: `${problem.message} This answer is left out; the row goes on without it.`,
        dropped: true,
      })
    }
    return undefined
  }

/** The first of several entries that holds for a row. */
export const readWhen = (
  entries: ReadonlyArray<{ readonly holds: (cells: Cells, problems: Array<Problem>) => boolean; readonly read: Read }>,
): Read =>
(cells, problems, key) => {
  for (const { holds, read } of entries) {
    const before = problems.length
    if (!holds(cells, problems)) continue
    // What can't be compared decides nothing: the row has a problem already.
    return problems.length > before ? undefined : read(cells, problems, key)
  }
  return undefined
}

/** Adds the problem of an answer that must be there. */
export const readRequired = (read: Read, id: string, name: string, columns: ReadonlyArray<Column>): Read => {
  const problem = requiredProblem(id, name, columns)
  return (cells, problems) => {
    const before = problems.length
    const value = read(cells, problems)
    if (value === undefined && problems.length === before) problems.push(problem)
    return value
  }
}
