import type { Form } from "../domain/form.ts"
import type { Item } from "../domain/item.ts"
import type { Cells } from "../domain/row.ts"
import { kindOfType } from "../kinds/index.ts"
import { relate, type Relation, type SentAnswer } from "./settleCell.ts"
import type { ResultsColumns } from "./settleColumns.ts"

/**
 * Whether a submission of an export is an item that was sent: it is (`fits`), it may be, altered or not to be read (`resembles`), or it is another one
 * (`no`).
 */
export type Likeness = "fits" | "resembles" | "no"

/** What tells a mapped answer's kind. */
export interface AnswerKind {
  readonly id: string
  readonly kind: string
  readonly list: string
}

interface Place {
  readonly columns: ReadonlyArray<number>
  /** What was sent there; undefined: nothing was. */
  readonly sent: SentAnswer | undefined
}

/** Question types that a form fills by itself: what stands there speaks neither for nor against. */
const filledByTheForm = new Set(["Captcha", "Calcom", "Calendly", "Payment"])

/**
 * Makes an item ready to be looked for in an export.
 *
 * @param stamp the URL parameter that carries the row key, where the pipeline has one: it decides alone
 */
export const likenessOf = (
  item: Item,
  where: {
    readonly form: Form
    readonly columns: ResultsColumns
    readonly kinds: ReadonlyArray<AnswerKind>
    readonly stamp: string | undefined
  },
): (cells: Cells) => Likeness => {
  const { columns, form, kinds } = where
  const kindOf = (list: string, id: string) => kinds.find((one) => one.list === list && one.id === id)?.kind
  const places: Array<Place> = []
  for (const question of form.questions) {
    const there = columns.elements.get(`questions ${question.id}`)
    if (there === undefined || filledByTheForm.has(question.type ?? "")) continue
    const answer = item.questions.find((one) => one.id === question.id)
    const typed = question.type === undefined ? undefined : kindOfType(question.type)?.name
    places.push({
      columns: there,
      sent: answer === undefined
        ? undefined
        : { value: answer.value, kind: kindOf("questions", question.id) ?? typed, options: question.options },
    })
  }
  for (const parameter of item.urlParameters ?? []) {
    const there = columns.elements.get(`urlParameters ${parameter.id}`)
    if (there === undefined) continue
    places.push({ columns: there, sent: { value: parameter.value, kind: "text", options: undefined } })
  }
  // What tells most comes first, so that most submissions of others are told apart by an answer or two.
  places.sort((a, b) => weight(b) - weight(a))
  const stamped = where.stamp === undefined
    ? undefined
    : item.urlParameters?.find((one) => one.id === where.stamp || one.name === where.stamp)
  const stampColumn = stamped === undefined ? undefined : columns.elements.get(`urlParameters ${stamped.id}`)?.[0]

  return (cells) => {
    if (stamped !== undefined && stampColumn !== undefined) {
      const relation = relate({ value: stamped.value, kind: "text", options: undefined }, [cells[stampColumn]])
      if (relation === "agrees") return "fits"
      if (relation === "differs") return "no"
    }
    return judge(places, cells)
  }
}

const weight = ({ sent }: Place): number => (sent === undefined ? -1 : JSON.stringify(sent.value).length)

const nothing: SentAnswer = { value: null, kind: undefined, options: undefined }

const judge = (places: ReadonlyArray<Place>, cells: Cells): Likeness => {
  const counts: Record<Relation, number> = { agrees: 0, open: 0, near: 0, blank: 0, differs: 0 }
  let left = places.length
  for (const { columns, sent } of places) {
    left--
    const relation = relate(sent ?? nothing, columns.map((position) => cells[position]))
    // That nothing stands where nothing was sent is no sign of anything.
    if (sent !== undefined || relation === "differs") counts[relation]++
    if (counts.differs > counts.agrees + counts.near + counts.blank + counts.open + left) return "no"
  }
  const certain = counts.agrees > 0 && counts.agrees >= counts.open
  if (certain && counts.differs + counts.near + counts.blank === 0) return "fits"
  // Nothing alike, and something else: another one. Else a person must look: answers can be cut, dropped or rewritten on their way.
  if (counts.differs > 0 && counts.agrees + counts.near === 0) return "no"
  return "resembles"
}
