import type { Form } from "../domain/form.ts"
import type { Item } from "../domain/item.ts"
import type { Cells } from "../domain/row.ts"
import { kindOfType } from "../kinds/index.ts"
import { relate, type Relation, type SentAnswer } from "./settleCell.ts"

/** The header of an export of a form's results. */
export interface ResultsHeader {
  /** Titles of the columns by position. */
  readonly titles: ReadonlyArray<string>
  /** Positions of the tool's own columns, if the tool was detected. They contain no answers. */
  readonly own: ReadonlySet<number>
  /** Position of the column with submission ids, if the tool was detected. */
  readonly id: number | undefined
}

/** Titles of columns that tools write before the answers, except the title of the submission ids. */
const leading = new Set([
  "submission time",
  "last updated",
  "submission started",
  "status",
  "current step",
  "created records",
])

/** The columns of an export by what they contain. */
export interface ResultsColumns {
  readonly id: number
  /** Positions of an element's columns, by `questions ID` or `urlParameters ID`. There are several if each part of the element has a column. */
  readonly elements: ReadonlyMap<string, ReadonlyArray<number>>
}

const plain = (title: string): string => title.normalize("NFC").trim().replaceAll(/\s+/g, " ").toLowerCase()

const idTitle = /^submission ?_?id$/

/** Whether a column's title names a part of a question: `City (Home address)`, `Home address - City` and similar. */
const partOf = (title: string, name: string): boolean =>
  title.endsWith(` (${name})`) || title.startsWith(`${name} [`) || title.startsWith(`${name} - `)
  || title.startsWith(`${name} (`)

/**
 * Finds the columns of a form's questions and URL parameters in an export's header, by their names or ids. If a name occurs several times, and there
 * are as many columns as elements, they are paired in order. An export has the form's order.
 *
 * @param undeclared URL parameters that are sent but that the form does not declare
 * @returns undefined if there is no column of submission ids
 */
export const resultsColumns = (
  header: ResultsHeader,
  form: Form,
  undeclared: ReadonlyArray<string> = [],
): ResultsColumns | undefined => {
  const titles = header.titles.map(plain)
  const id = header.id ?? titles.findIndex((title) => idTitle.test(title))
  if (id < 0) return undefined
  const free = titles.flatMap((_, position) => (position === id || header.own.has(position) ? [] : [position]))
  const lists = ["questions", "calculations", "scheduling", "payments", "urlParameters"] as const
  const elements = [
    ...lists.flatMap((list) => form[list].map(({ id, name }) => ({ key: `${list} ${id}`, id, name }))),
    ...undeclared.map((id) => ({ key: `urlParameters ${id}`, id, name: id })),
  ]
  const found = new Map<string, ReadonlyArray<number>>()
  for (const name of new Set(elements.map((element) => plain(element.name)))) {
    const named = elements.filter((element) => plain(element.name) === name)
    const titled = free.filter((position) => titles[position] === name)
    const columns = titled.length > named.length && leading.has(name) ? titled.slice(1) : titled
    named.forEach((element, nth) => {
      const column = columns[nth]
      if (column !== undefined && columns.length === named.length) found.set(element.key, [column])
    })
    const [only] = named
    if (columns.length > 0 || named.length > 1 || only === undefined || name === "") continue
    const parts = free.filter((position) => partOf(titles[position] ?? "", name))
    if (parts.length > 0) found.set(only.key, parts)
  }
  for (const element of elements) {
    if (found.has(element.key)) continue
    const columns = free.filter((position) => titles[position] === plain(element.id))
    if (columns.length === 1) found.set(element.key, columns)
  }
  return { id, elements: found }
}

/**
 * Whether a submission of an export is an item that was sent. `fits`: it is. `resembles`: it may be, but is altered or can't be read. `no`: it is a
 * different one.
 */
export type Likeness = "fits" | "resembles" | "no"

/** The ids of the URL parameters by which imported submissions are recognised. */
export interface StampIds {
  readonly rowKey: string | undefined
  /** Those with the run's id and the pipeline's name. */
  readonly origin: ReadonlySet<string>
}

/** The kind of a mapped answer. */
export interface AnswerKind {
  readonly id: string
  readonly kind: string
  readonly list: string
}

interface Place {
  readonly columns: ReadonlyArray<number>
  /** The answer that was sent. Undefined if none was sent. */
  readonly sent: SentAnswer | undefined
}

/** Question types that a form fills automatically, so that their cells prove nothing. */
const filledByTheForm = new Set(["Captcha", "Calcom", "Calendly", "Payment"])

/**
 * Returns a function that compares an item with a submission of an export.
 *
 * If the row key was sent and can be compared, the answers are ignored. The origin is the same for all rows of a run, so it never shows which row a
 * submission is, and does not count as an answer. A submission with a different origin was not sent by that run, so it doesn't fit. But it still
 * resembles the row: an earlier run may have sent the same row, and a person may have said that it had not landed. So the row is not counted as absent
 * either, unless that submission belongs to a different row.
 */
export const likenessOf = (
  item: Item,
  where: {
    readonly form: Form
    readonly columns: ResultsColumns
    readonly kinds: ReadonlyArray<AnswerKind>
    readonly stamps: StampIds
  },
): (cells: Cells) => Likeness => {
  const { columns, form, kinds, stamps } = where
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
  const origin: Array<Place> = []
  let rowKey: Place | undefined
  for (const { id, value } of item.urlParameters ?? []) {
    const there = columns.elements.get(`urlParameters ${id}`)
    if (there === undefined) continue
    const place: Place = { columns: there, sent: { value, kind: "text", options: undefined } }
    if (id === stamps.rowKey) rowKey = place
    if (stamps.origin.has(id)) origin.push(place)
    else places.push(place)
  }
  // The longest answers are compared first, so that one or two answers suffice to reject most other submissions.
  places.sort((a, b) => weight(b) - weight(a))

  return (cells) => {
    const key = rowKey === undefined ? undefined : relationOf(rowKey, cells)
    if (key === "differs") return "no"
    const likeness = key === "agrees" ? "fits" : judge(places, cells)
    const fromThere = origin.every((place) => {
      const relation = relationOf(place, cells)
      // Like any other URL parameter, an empty origin keeps a submission from fitting by its answers alone.
      return relation === "agrees" || (relation === "blank" && key === "agrees")
    })
    return likeness === "fits" && !fromThere ? "resembles" : likeness
  }
}

const relationOf = ({ columns, sent }: Place, cells: Cells): Relation =>
  relate(sent ?? nothing, columns.map((position) => cells[position]))

const weight = ({ sent }: Place): number => (sent === undefined ? -1 : JSON.stringify(sent.value).length)

const nothing: SentAnswer = { value: null, kind: undefined, options: undefined }

const judge = (places: ReadonlyArray<Place>, cells: Cells): Likeness => {
  const counts: Record<Relation, number> = { agrees: 0, open: 0, near: 0, blank: 0, differs: 0 }
  let left = places.length
  for (const place of places) {
    left--
    const relation = relationOf(place, cells)
    // An empty cell proves nothing if nothing was sent.
    if (place.sent !== undefined || relation === "differs") counts[relation]++
    if (counts.differs > counts.agrees + counts.near + counts.blank + counts.open + left) return "no"
  }
  const certain = counts.agrees > 0 && counts.agrees >= counts.open
  if (certain && counts.differs + counts.near + counts.blank === 0) return "fits"
  // If no answer is alike and some differ, it is a different submission. Otherwise a person must look: answers can be cut or rewritten.
  if (counts.differs > 0 && counts.agrees + counts.near === 0) return "no"
  return "resembles"
}
