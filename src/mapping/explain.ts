import { canonicalJson } from "../domain/json.ts"
import type { Problem } from "../domain/problem.ts"
import type { CompiledAnswer } from "./CompiledAnswer.ts"
import { isAnswer } from "./coverage.ts"
import type { MappedAnswer, Mapping, UniqueAnswer } from "./Mapping.ts"
import { notUniqueProblem } from "./problems.ts"
import type { RowRules } from "./rowMap.ts"
import { asText } from "./rowMap.ts"

/** Reads every answer of a row by itself, so that one with problems hides nothing of the others. */
export const explainRow = (
  answers: ReadonlyArray<CompiledAnswer>,
  { blank, uses, where }: RowRules,
  stamp: MappedAnswer | undefined,
): Mapping["explain"] =>
(cells, key) => {
  const whole: Array<Problem> = []
  if (where.compares) where.holds(cells, whole)
  let isBlank = true
  const explained = answers.map((one) => {
    const { answer, columns, read } = one
    const problems: Array<Problem> = []
    const before = uses.given
    const value = read(cells, problems, key)
    if (isAnswer(one) && (uses.given > before || problems.some(({ dropped }) => dropped !== true))) isBlank = false
    const sent = value !== undefined && answer.list === "urlParameters" ? asText(value) : value
    return { answer, columns, value: sent, problems }
  })
  const stamped = stamp === undefined ? [] : [{ answer: stamp, columns: [], value: key, problems: [] }]
  if (isBlank && blank !== undefined && whole.length === 0) whole.push(blank)
  return { answers: [...explained, ...stamped], problems: whole }
}

/** The answers of which no two rows may give the same. */
export const uniqueAnswers = (answers: ReadonlyArray<CompiledAnswer>): ReadonlyArray<UniqueAnswer> =>
  answers.filter(({ entries }) => entries.some((entry) => entry.unique)).map(({ answer, columns, read }) => ({
    id: answer.id,
    value: (cells) => {
      const value = read(cells, [])
      return value === undefined ? undefined : typeof value === "string" ? value : canonicalJson(value)
    },
    problem: (value, before) => notUniqueProblem(answer.id, answer.name, columns[0], value, before),
  }))
