import { ErrorCell } from "../domain/cell.ts"
import type { Answer, ElementValue, Item, OwnTime, UrlParameterValue } from "../domain/item.ts"
import { canonicalJson, type Json } from "../domain/json.ts"
import { joinedKey } from "../domain/looseKey.ts"
import type { Problem } from "../domain/problem.ts"
import type { Cells, Column } from "../domain/row.ts"
import { textOf } from "../kinds/cells.ts"
import { cellUse, type CellUses } from "./CellUses.ts"
import type { CompiledAnswer, TextRedirects } from "./CompileContext.ts"
import type { Conditions } from "./conditions.ts"
import type { MappedAnswer, Mapping, UniqueAnswer } from "./Mapping.ts"
import { notUniqueProblem } from "./problems.ts"
import { type Stamp, theRunsId } from "./stamps.ts"

/** Returns the function that makes a row's key from the trimmed texts of the key columns. A cell with a workbook error is not a key. */
export const rowKey = (columns: ReadonlyArray<Column>, empty: ReadonlySet<string>) => {
  const partOf = (cells: Cells, { position }: Column): string => {
    const cell = cells[position]
    const text = cell instanceof ErrorCell ? "" : textOf(cell)
    return empty.has(text) ? "" : text
  }
  return (cells: Cells) => joinedKey(columns.map((column) => partOf(cells, column)))
}

/** The lists whose members a respondent answers. Nearly every row has URL parameters and times, so a row with only these counts as blank. */
const answered: ReadonlySet<MappedAnswer["list"]> = new Set(["questions", "scheduling", "payments"])

/** Whether an answer is given by a respondent. */
export const isRespondents = ({ answer }: { readonly answer: Pick<MappedAnswer, "list"> }): boolean =>
  answered.has(answer.list)

/** The rules for a row as a whole. */
export interface RowRules {
  readonly where: Conditions
  readonly uses: CellUses
  readonly redirects: Pick<TextRedirects, "start">
  /** The problem with a row that has no answer from a cell. Undefined if such rows are sent. */
  readonly blank: Problem | undefined
}

const uniqueAnswer = (
  answer: CompiledAnswer["answer"],
  { columns, read }: NonNullable<CompiledAnswer["unique"]>,
): UniqueAnswer => ({
  id: answer.id,
  value: (cells) => {
    const value = read(cells, [])
    return value === undefined ? undefined : typeof value === "string" ? value : canonicalJson(value)
  },
  problem: (value, before) => notUniqueProblem(answer.id, answer.name, columns[0], value, before),
})

/** Makes an item from the values of a row. Omits members without content. */
const itemOf = (answers: ReadonlyArray<CompiledAnswer>, values: ReadonlyArray<Json | undefined>) => {
  const questions: Array<Answer> = []
  const parameters: Array<UrlParameterValue> = []
  const item: { -readonly [M in keyof Item]: Item[M] } = { questions }
  for (let index = 0; index < answers.length; index++) {
    const { id, list, name } = answers[index]!.answer
    const value = values[index]
    if (value === undefined) continue
    if (list === "questions") questions.push({ id, value })
    else if (list === "urlParameters") parameters.push({ id, name, value: String(value) })
    // The members were made by `compileElement`, from the interface's list of parts.
    else if (list === "scheduling" || list === "payments") {
      item[list] = [...item[list] ?? [], { id, value: value as ElementValue }]
    } else if (id === "login") item.login = { email: String(value) }
    else item[id as OwnTime] = String(value)
  }
  return { item, parameters }
}

/** Joins the compiled answers into the functions that read a row. */
export const rowMap = (
  answers: ReadonlyArray<CompiledAnswer>,
  { blank, redirects, uses, where }: RowRules,
  stamps: ReadonlyArray<Stamp & { readonly answer: MappedAnswer }>,
): Pick<Mapping, "check" | "explain" | "map" | "uniques"> => {
  const reads = answers.map(({ read }) => read)
  const count = answers.map(isRespondents)
  const values: Array<Json | undefined> = answers.map(() => undefined)

  /** Reads all answers into `values`. Returns the problems that reject the row. */
  const read = (cells: Cells, problems: Array<Problem>): ReadonlyArray<Problem> | undefined => {
    uses.start()
    redirects.start()
    if (where.compares) where.holds(cells, problems)
    let isBlank = blank !== undefined
    for (let index = 0; index < reads.length; index++) {
      const before = uses.given
      values[index] = reads[index]!(cells, problems)
      if (uses.given > before && count[index] === true) isBlank = false
    }
    const rejecting = problems.length === 0 ? problems : problems.filter(({ dropped }) => dropped !== true)
    return rejecting.length > 0 ? rejecting : isBlank && blank !== undefined ? [blank] : undefined
  }

  return {
    map: (cells, key, run) => {
      const problems: Array<Problem> = []
      const rejecting = read(cells, problems)
      if (rejecting !== undefined) return { problems: rejecting }
      const { item, parameters } = itemOf(answers, values)
      for (const { answer: { columns, id, name }, value: valueOf } of stamps) {
        const value = valueOf(key, run)
        if (value === undefined) continue
        parameters.push({ id, name, value })
        for (const { position } of columns) uses.mark(position, cellUse.sent)
      }
      if (parameters.length > 0) item.urlParameters = parameters
      return problems.length === 0 ? { item } : { item, dropped: problems }
    },
    check: (cells, answered, dropped) => {
      const problems: Array<Problem> = []
      const rejecting = read(cells, problems)
      for (let index = 0; index < values.length; index++) answered[index] = values[index] === undefined ? 0 : 1
      if (rejecting === undefined && problems.length > 0) dropped?.push(...problems)
      return rejecting
    },
    explain: (cells, key) => {
      redirects.start()
      const whole: Array<Problem> = []
      if (where.compares) where.holds(cells, whole)
      let isBlank = true
      // Each answer has its own list of problems, so that one answer doesn't hide the problems of others.
      const explained = answers.map((one) => {
        const { answer, columns, read } = one
        const problems: Array<Problem> = []
        const before = uses.given
        const value = read(cells, problems)
        if (isRespondents(one) && (uses.given > before || problems.some(({ dropped }) => dropped !== true))) {
          isBlank = false
        }
        return { answer, columns, value, problems }
      })
      if (isBlank && blank !== undefined && whole.length === 0) whole.push(blank)
      const stamped = stamps.map(({ answer, value }) => ({
        answer,
        columns: [],
        value: value(key, theRunsId),
        problems: [],
      }))
      return { answers: [...explained, ...stamped], problems: whole }
    },
    uniques: answers.flatMap(({ answer, unique }) => unique === undefined ? [] : [uniqueAnswer(answer, unique)]),
  }
}
