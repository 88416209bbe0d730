import type { Answer, Item, PaymentValue, SchedulingValue, UrlParameterValue } from "../domain/item.ts"
import type { Json } from "../domain/json.ts"
import type { Problem } from "../domain/problem.ts"
import type { Column } from "../domain/row.ts"
import { plainNumber } from "../kinds/cells.ts"
import type { CellUses } from "./CellUses.ts"
import { made } from "./CellUses.ts"
import type { CompiledAnswer } from "./CompiledAnswer.ts"
import type { Conditions } from "./conditions.ts"
import { isAnswer } from "./coverage.ts"
import type { MappedAnswer, MappedRow, Mapping } from "./Mapping.ts"
import type { Read } from "./readers.ts"

/** URL parameters are texts. */
export const asText = (value: Json): string => typeof value === "number" ? plainNumber(value) : String(value)

/** What holds for a row as a whole. */
export interface RowRules {
  readonly where: Conditions
  readonly uses: CellUses
  /** The problem of a row of which no answer stems from a cell; undefined: it is none. */
  readonly blank: Problem | undefined
}

interface Slot {
  readonly id: string
  readonly name: string
  readonly read: Read
}

/**
 * Joins the compiled answers into the function that turns a row into an item. Members without content are left out; when anything is wrong, all
 * that is wrong is given instead.
 */
export const rowMap = (
  answers: ReadonlyArray<CompiledAnswer>,
  { blank, uses, where }: RowRules,
  stamp: Stamp | undefined,
): Mapping["map"] => {
  const slots = (list: MappedAnswer["list"]): ReadonlyArray<Slot> =>
    answers.filter(({ answer }) => answer.list === list)
      .map(({ answer, read }) => ({ id: answer.id, name: answer.name, read }))
  const questions = slots("questions")
  const urlParameters = slots("urlParameters")
  const scheduling = slots("scheduling")
  const payments = slots("payments")
  const own = slots("own")
  const plain = urlParameters.length + scheduling.length + payments.length + own.length === 0 && stamp === undefined
  const compares = where.compares

  return (cells, key) => {
    const problems: Array<Problem> = []
    uses.begin()
    if (compares) where.holds(cells, problems)
    const filled: Array<Answer> = []
    for (let index = 0; index < questions.length; index++) {
      const { id, read } = questions[index]!
      const value = read(cells, problems)
      if (value !== undefined) filled.push({ id, value })
    }
    const questionsGiven = uses.given
    if (plain) return judged({ questions: filled }, problems, questionsGiven > 0 ? undefined : blank)

    const item: { -readonly [M in keyof Item]: Item[M] } = { questions: filled }
    const parameters: Array<UrlParameterValue> = []
    for (const { id, name, read } of urlParameters) {
      const value = read(cells, problems)
      if (value !== undefined) parameters.push({ id, name, value: asText(value) })
    }
    if (stamp !== undefined && key !== undefined) {
      parameters.push({ id: stamp.id, name: stamp.name, value: key })
      for (const { position } of stamp.of) uses.mark(position, made.sent)
    }
    if (parameters.length > 0) item.urlParameters = parameters
    for (const { id, read } of own) {
      const value = read(cells, problems)
      if (typeof value !== "string") continue
      if (id === "login") item.login = { email: value }
      else if (id === "submissionTime") item.submissionTime = value
      else item.lastUpdatedAt = value
    }
    const before = uses.given
    const schedulings = elements<SchedulingValue>(scheduling, cells, problems)
    if (schedulings.length > 0) item.scheduling = schedulings
    const paid = elements<PaymentValue>(payments, cells, problems)
    if (paid.length > 0) item.payments = paid
    return judged(item, problems, questionsGiven > 0 || uses.given > before ? undefined : blank)
  }
}

/** The URL parameter that carries the row key. */
export interface Stamp {
  readonly id: string
  readonly name: string
  /** The key's columns. */
  readonly of: ReadonlyArray<Column>
}

/** The problems that reject a row; those that leave out only an answer do not. */
const rejecting = (problems: ReadonlyArray<Problem>): ReadonlyArray<Problem> =>
  problems.length === 0 ? problems : problems.filter((problem) => problem.dropped !== true)

/** A row all of whose problems leave out only an answer goes on; any other is rejected, for all else that is wrong with it. */
const judged = (item: Item, problems: ReadonlyArray<Problem>, blank: Problem | undefined): MappedRow => {
  const serious = rejecting(problems)
  if (serious.length > 0) return { problems: serious }
  if (blank !== undefined) return { problems: [blank] }
  return problems.length === 0 ? { item } : { item, dropped: problems }
}

const elements = <Value extends object>(
  slots: ReadonlyArray<Slot>,
  cells: Parameters<Read>[0],
  problems: Array<Problem>,
): Array<{ readonly id: string; readonly value: Value }> => {
  const found: Array<{ readonly id: string; readonly value: Value }> = []
  for (const { id, read } of slots) {
    const value = read(cells, problems)
    // compileElement makes its members by the interface's own list of parts.
    if (typeof value === "object") found.push({ id, value: value as Value })
  }
  return found
}

/** The same without an item: what a survey, which sends nothing, asks of every row. */
export const rowCheck = (
  answers: ReadonlyArray<CompiledAnswer>,
  { blank, uses, where }: RowRules,
): Mapping["check"] => {
  const reads = answers.map(({ read }) => read)
  const answering = answers.map(isAnswer)
  const compares = where.compares
  const blanks = blank === undefined ? undefined : [blank]
  let problems: Array<Problem> = []
  return (cells, answered, dropped) => {
    if (compares) where.holds(cells, problems)
    let isBlank = blank !== undefined
    for (let index = 0; index < reads.length; index++) {
      const before = uses.given
      answered[index] = reads[index]!(cells, problems) === undefined ? 0 : 1
      if (uses.given > before && answering[index] === true) isBlank = false
    }
    if (problems.length === 0) return isBlank ? blanks : undefined
    const found = problems
    problems = []
    const serious = rejecting(found)
    if (serious.length > 0) return serious
    if (isBlank) return blanks
    dropped?.push(...found)
    return undefined
  }
}
