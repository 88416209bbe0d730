import type { Cell } from "../domain/cell.ts"
import type { Diagnostic, YamlPath } from "../domain/diagnostic.ts"
import { isList, isObject, type Json } from "../domain/json.ts"
import { brief } from "../domain/problem.ts"
import { type Column, shownName } from "../domain/row.ts"
import { listed } from "../domain/words.ts"
import { plainNumber, textOf } from "../kinds/cells.ts"
import type { Example, Expected, Pipeline } from "../project/Pipeline.ts"
import { oneOf, suggest } from "../project/suggestion.ts"
import { type ColumnBook, columnBook } from "./ColumnBook.ts"
import { meantBy } from "./findElement.ts"
import { type Findings, findingsIn } from "./Findings.ts"
import type { ExplainedAnswer, Mapping } from "./Mapping.ts"

/** Whether a value equals the one in an example. Compares numbers as numbers, true and false as words, lists in order, and objects by member. */
const isExpected = (expected: Expected, value: Json | undefined): boolean => {
  if (expected === null) return value === undefined || value === null
  if (value === undefined || value === null) return false
  if (typeof expected === "string") {
    if (typeof value === "number") return expected.trim() !== "" && Number(expected) === value
    return typeof value === "boolean" ? expected === String(value) : expected === value
  }
  if (isExpectedList(expected)) {
    return isList(value) && value.length === expected.length
      && expected.every((each, at) => isExpected(each, value[at]))
  }
  return isObject(value) && Object.keys(value).length === Object.keys(expected).length
    && Object.entries(expected).every(([member, each]) =>
      Object.hasOwn(value, member) && isExpected(each, value[member])
    )
}

const isExpectedList = (expected: Expected): expected is ReadonlyArray<Expected> => Array.isArray(expected)

const jsonText = (value: Json | Expected | undefined): string => {
  if (value === undefined || value === null) return "no answer"
  if (typeof value === "number") return plainNumber(value)
  return typeof value === "string" ? `"${brief(value)}"` : brief(JSON.stringify(value))
}

const madeOf = (explained: ExplainedAnswer, cells: ReadonlyArray<Cell>): string => {
  const from = explained.columns.map((column) => `${shownName(column)}: ${jsonText(textOf(cells[column.position]))}`)
  return from.length === 0 ? "" : ` It is made from ${from.join(", ")}.`
}

const checkGives = (
  label: string,
  path: YamlPath,
  expected: Readonly<Record<string, Expected>>,
  answers: ReadonlyArray<ExplainedAnswer>,
  cells: ReadonlyArray<Cell>,
  findings: Findings,
): void => {
  for (const [name, value] of Object.entries(expected)) {
    const [first, ...more] = meantBy(name, answers.map(({ answer }) => answer))
    const one = answers.find(({ answer }) => answer === first)
    const at = [...path, "gives", name]
    if (one === undefined) {
      const names = answers.map(({ answer }) => answer.name)
      findings.error(
        at,
        `${label}: no mapped answer is called "${brief(name)}".`,
        suggest(name, names, "Mapped are"),
        "key",
      )
    } else if (more.length > 0) {
      const ids = [one.answer, ...more].map(({ id }) => id)
      findings.error(
        at,
        `${label}: ${ids.length} answers are called "${brief(name)}".`,
        `Name the intended one by its id: ${oneOf(ids)}.`,
      )
    } else if (!isExpected(value, one.value) && !one.problems.some((problem) => problem.dropped !== true)) {
      findings.error(
        at,
        `${label}: "${brief(one.answer.name)}" should be ${jsonText(value)}, but is ${jsonText(one.value)}.${
          madeOf(one, cells)
        }`,
      )
    }
  }
}

/** Runs one example. Adds an error for each difference, at its place. */
const runExample = (
  mapping: Mapping,
  example: Example,
  index: number,
  book: ColumnBook,
  width: number,
  findings: Findings,
): void => {
  const { expected, path, row } = example
  const label = `Example ${index + 1}`
  const cells: Array<Cell> = Array.from({ length: width }, () => null)
  let complete = true
  for (const [name, cell] of Object.entries(row)) {
    const column = book.find({ name, path: [...path, "row", name], at: "key" }, "answers")
    if (column === undefined) complete = false
    else cells[column.position] = cell === "" ? null : cell
  }
  if (!complete) return
  const key = mapping.key(cells)
  const explained = mapping.explain(cells, key)
  const problems = [...explained.problems, ...explained.answers.flatMap((one) => one.problems)]
    .filter((problem) => problem.dropped !== true)
  if (expected._tag === "Gives") {
    for (const { message } of problems) findings.error([...path, "gives"], `${label} should be valid. ${message}`)
    checkGives(label, path, expected.answers, explained.answers, cells, findings)
    return
  }
  const keyless = key === undefined && mapping.keyed === "columns" && expected.codes.includes("missing-key")
  const codes = new Set<string>([...problems.map(({ code }) => code), ...(keyless ? ["missing-key"] : [])])
  const missing = expected.codes.filter((code) => !codes.has(code))
  if (missing.length > 0) {
    findings.error(
      [...path, "fails"],
      `${label} should fail with ${listed(missing)}, but ${
        codes.size === 0 ? "is valid" : `fails with ${listed([...codes])}`
      }.`,
    )
  }
  for (const { code, message } of problems) {
    if (!expected.codes.includes(code)) {
      findings.error([...path, "fails"], `${label} also fails with ${code}. ${message}`)
    }
  }
}

/**
 * Runs a pipeline's examples through its compiled mapping. Ignores `where` and `unique`, because an example is a single row with only some of its cells.
 *
 * @param columns the source's own columns
 * @returns the differences from the examples, each at its place
 */
export const runExamples = (
  mapping: Mapping,
  pipeline: Pipeline,
  columns: ReadonlyArray<Column>,
): ReadonlyArray<Diagnostic> => {
  const findings = findingsIn(pipeline.document)
  const book = columnBook({ columns }, pipeline.source.columns, findings)
  const width = columns.reduce((most, { position }) => Math.max(most, position + 1), 0)
  for (const [index, example] of pipeline.examples.entries()) runExample(mapping, example, index, book, width, findings)
  return findings.errors
}
