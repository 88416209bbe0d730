import type { AnswerComparison } from "../domain/comparison.ts"
import { eachAnswered } from "../domain/item.ts"
import type { Json } from "../domain/json.ts"
import type { RunReport, SampledAnswer } from "../domain/report.ts"
import { type Column, shownName } from "../domain/row.ts"
import { saysNothing } from "../kinds/compared.ts"
import type { IntendedRow } from "../ledger/rows.ts"
import type { RunPlan } from "./RunContext.ts"

/** The maximum number of rows that a report shows in full. */
const mostSamples = 3

/** The maximum number of translations that a report shows for a question. */
const mostTranslations = 50

/** A row that was sent or would be sent. */
type SampledRow = Pick<IntendedRow, "row" | "key" | "cells" | "item">

interface Sample {
  readonly row: SampledRow
  readonly submissionId: string | undefined
  /** How each answer came back. Undefined if the row was not read back. */
  comparisons: ReadonlyArray<AnswerComparison> | undefined
}

/** The first rows that a run sends, which its report shows in full. */
export class Samples {
  private readonly byRow = new Map<number, Sample>()

  /** Whether there is space for another row. */
  get hasRoom(): boolean {
    return this.byRow.size < mostSamples
  }

  /** Adds a row if there is space for it. */
  add(row: SampledRow, submissionId?: string): void {
    if (this.hasRoom) this.byRow.set(row.row, { row, submissionId, comparisons: undefined })
  }

  /** Records how a row came back, if the row is a sample. */
  compared(row: number, comparisons: ReadonlyArray<AnswerComparison>): void {
    const sample = this.byRow.get(row)
    if (sample !== undefined) sample.comparisons = comparisons
  }

  /** Returns the answers of these rows: first those with a cell or a value, then those that came back without having been sent. */
  answers({ columns, mapping }: Pick<RunPlan, "columns" | "mapping">): ReadonlyArray<SampledAnswer> {
    const indexes = new Map(columns.map(({ position }, index) => [position, index]))
    const known = new Set(mapping.answers.map(({ id }) => id))
    const rows = [...this.byRow.values()].sort((a, b) => a.row.row - b.row.row)
    return rows.flatMap(({ comparisons = [], row: { cells: texts, item, key, row }, submissionId }) => {
      const sent = new Map<string, Json>()
      eachAnswered(item, (id, value) => sent.set(id, value as Json))
      const compared = new Map(comparisons.map((one) => [one.question, one]))
      const answerOf = (question: string, name: string, columns: ReadonlyArray<Column> = []): SampledAnswer => {
        const { returned, verdict } = compared.get(question) ?? {}
        const cells = columns.map(({ position }) => texts[indexes.get(position) ?? -1] ?? "")
        const of = { row, key, submissionId, columns: columns.map(shownName), cells, question, name }
        return { ...of, sent: sent.get(question), returned, verdict }
      }
      const mapped = mapping.answers.map(({ columns, id, name }) => answerOf(id, name, columns))
      const unexpected = comparisons.filter(({ question }) => !known.has(question))
        .map(({ name, question }) => answerOf(question, name))
      const isSomething = ({ cells, returned, sent }: SampledAnswer) =>
        sent !== undefined || !saysNothing(returned) || cells.some((cell) => cell !== "")
      return [...mapped, ...unexpected].filter(isSomething)
    })
  }
}

/** Returns how each question is filled, for the report. */
export const mappedQuestions = ({ answers }: RunPlan["mapping"]): NonNullable<RunReport["mapping"]> =>
  answers.map(({ columns, id, name, translations }) => ({
    columns: columns.map(shownName),
    question: id,
    name,
    values: translations.slice(0, mostTranslations).map(([cell, answer]) => ({ cell, answer: answer ?? undefined })),
    translated: translations.length,
  }))
