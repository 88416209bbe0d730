import type { Cell } from "../domain/cell.ts"
import { brief, type Problem } from "../domain/problem.ts"
import { briefName, type Column } from "../domain/row.ts"
import { listed } from "../domain/words.ts"
import { textOf } from "../kinds/cells.ts"
import type { Fault } from "../kinds/Kind.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import { keyColumns } from "../project/sourceSection.ts"

/** Returns the name by which a report refers to a column: its title if that is not a name. */
const named = (column: Column | undefined): string | undefined => column?.name ?? column?.title

const quotedName = (column: Column): string => `"${briefName(column)}"`

/** Returns the problem with a cell that should answer a question. */
export const cellProblem = (question: string, column: Column, cell: Cell | undefined, fault: Fault): Problem => ({
  ...columnProblem(column, cell, fault),
  question,
})

/** Returns the problem with a cell. */
export const columnProblem = (column: Column, cell: Cell | undefined, fault: Fault): Problem => {
  const name = quotedName(column)
  const whole = brief(textOf(cell))
  const piece = fault.piece === undefined ? whole : brief(fault.piece)
  const within = piece === whole ? "" : ` in "${whole}"`
  return {
    code: fault.code,
    column: named(column),
    value: piece,
    message: whole === ""
      ? `Column ${name} is empty; expected ${fault.expected}.`
      : `Column ${name} contains "${piece}"${within}; expected ${fault.expected}.`,
  }
}

/** Returns the problem with a template's text. */
export const templateProblem = (question: string, text: string, fault: Fault): Problem => ({
  code: fault.code,
  question,
  value: brief(text),
  message: `The template gives "${brief(text)}"; expected ${fault.expected}.`,
})

/** Returns the problem with a row that lacks a required answer. */
export const requiredProblem = (question: string, name: string, columns: ReadonlyArray<Column>): Problem => ({
  code: "required",
  column: named(columns[0]),
  question,
  message: `Column${columns.length > 1 ? "s" : ""} ${listed(columns.map(quotedName))} ${
    columns.length > 1 ? "contain" : "contains"
  } no answer; "${brief(name)}" is required.`,
})

/** The problem with a row that has no answer from a cell. */
export const blankProblem: Problem = {
  code: "blank-row",
  message:
    "No cell of the row gives an answer: the mapped cells are empty or mean no answer. Skip such rows with `source.where`, or send them with `sink.blankRows: allow`.",
}

/** Returns the problem with a row whose key columns are empty. */
export const missingKeyProblem = ({ source }: Pick<Pipeline, "source">): Problem => {
  const names = keyColumns(source).map(({ name }) => name)
  return {
    code: "missing-key",
    column: names[0],
    message: `${listed(names)} ${
      names.length > 1 ? "are" : "is"
    } empty, so the row could not be recognised in later runs. Give ${
      names.length > 1 ? "them values" : "it a value"
    }.`,
  }
}

/** Returns the problem with columns that should contain the same answer but don't. */
export const conflictProblem = (
  question: string,
  columns: ReadonlyArray<readonly [Column, Cell | undefined]>,
): Problem => {
  const [, last] = columns.map(([column]) => column)
  const said = columns.map(([column, cell]) => `${quotedName(column)} contains "${brief(textOf(cell))}"`)
  return {
    code: "conflict",
    column: named(last),
    question,
    value: brief(textOf(columns[1]?.[1])),
    message: `Column ${said.join(" and ")}; expected the same answer, or one of them empty.`,
  }
}

/** Returns the problem with an answer that must be unique but is not. */
export const notUniqueProblem = (
  question: string,
  name: string,
  column: Column | undefined,
  value: string,
  before: number,
): Problem => ({
  code: "not-unique",
  column: named(column),
  question,
  value: brief(value),
  message: `${column === undefined ? `"${brief(name)}"` : `Column ${quotedName(column)}`} contains "${
    brief(value)
  }", like row ${before}; expected an answer that no other row has.`,
})
