import { type Cell, JsonCell } from "../domain/cell.ts"
import type { Form } from "../domain/form.ts"
import type { Item } from "../domain/item.ts"
import type { Json } from "../domain/json.ts"
import type { Cells } from "../domain/row.ts"
import { type Submission, submissionLists } from "../domain/submission.ts"
import { millisIn } from "../domain/times.ts"
import { oneLine } from "../domain/words.ts"
import { saysNothing } from "../kinds/compared.ts"
import { kindOfType } from "../kinds/index.ts"
import { compareAnswer, type ComparedAnswer, elementWith, filledByTheForm, fit } from "../kinds/submission.ts"
import { relate, type Relation, type SentAnswer } from "./answerRelation.ts"

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

const plain = (title: string): string => oneLine(title.normalize("NFC")).toLowerCase()

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
  undeclared: ReadonlyArray<string>,
): ResultsColumns | undefined => {
  const titles = header.titles.map(plain)
  const id = header.id ?? titles.findIndex((title) => idTitle.test(title))
  if (id < 0) return undefined
  const free = titles.flatMap((_, position) => (position === id || header.own.has(position) ? [] : [position]))
  const elements = [
    ...submissionLists.flatMap((list) => form[list].map(({ id, name }) => ({ key: `${list} ${id}`, id, name }))),
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
 * Whether a submission of an export or of a list is an item that was sent. `fits`: it is. `resembles`: it may be that item, but it was altered or can't be read. `older`: it may be, and has the same answers, but is much older than the request.
 * `sameAnswers`: it may be, and has the same answers, but something else is different. `no`: it is a different one.
 */
export type Likeness = "fits" | "resembles" | "older" | "sameAnswers" | "no"

/** The ids of the URL parameters by which imported submissions are recognised. */
export interface StampIds {
  readonly rowKey: string | undefined
  /** The ids of those with the run's id and the pipeline's name. */
  readonly origin: ReadonlySet<string>
}

/** The kind of a mapped answer. */
export type AnswerKind = Pick<ComparedAnswer, "id" | "kind" | "list">

/** A sent answer, and how a submission relates to it. */
interface Place<S> {
  /** Undefined if no answer was sent. */
  readonly sent: SentAnswer | undefined
  readonly relationOf: (submission: S) => Relation
}

/** Returns the questions of a form that prove something, with the answers of an item. Omits those that the form fills automatically. */
const questionsOf = (
  item: Item,
  form: Form,
  kinds: ReadonlyArray<AnswerKind>,
): ReadonlyArray<{ readonly id: string; readonly sent: SentAnswer | undefined }> =>
  form.questions.flatMap(({ id, options, type }): ReturnType<typeof questionsOf> => {
    if (type !== undefined && filledByTheForm.has(type)) return []
    const answer = item.questions.find((one) => one.id === id)
    if (answer === undefined) return [{ id, sent: undefined }]
    const kind = kinds.find((one) => one.list === "questions" && one.id === id)?.kind
      ?? kindOfType(type)?.name
    return [{ id, sent: { value: answer.value, kind, options } }]
  })

const parameter = (value: Json): SentAnswer => ({ value, kind: "text", options: undefined })

/** An export of a form's results, and how the pipeline's answers appear in it. */
export interface Results {
  readonly form: Form
  readonly columns: ResultsColumns
  /** The kinds of the pipeline's answers. Empty if the mapping doesn't compile. */
  readonly kinds: ReadonlyArray<AnswerKind>
  readonly stamps: StampIds
}

/**
 * Returns a function that compares an item with a submission of an export.
 *
 * If the row key was sent and is the same, a submission fits unless most of its answers contradict the item's: a different pipeline may have sent the same key. The origin is the same for all rows of a run, so it never shows which row a
 * submission belongs to, and does not count as an answer. A submission with a different origin was not sent by that run, so it doesn't fit. But it still
 * resembles the row: an earlier run may have sent the same row, and a person may have said that it had not landed. So the row is not counted as absent
 * either, unless that submission belongs to a different row.
 */
export const likenessOf = (
  item: Item,
  { columns, form, kinds, stamps }: Results,
): (cells: Cells) => Likeness => {
  const placeOf = (element: string, sent: SentAnswer | undefined): ReadonlyArray<Place<Cells>> => {
    const there = columns.elements.get(element)
    if (there === undefined) return []
    return [{ sent, relationOf: (cells) => relate(sent ?? nothing, there.map((position) => cells[position])) }]
  }
  const places = questionsOf(item, form, kinds).flatMap(({ id, sent }) => placeOf(`questions ${id}`, sent))
  const origin: Array<Place<Cells>> = []
  let rowKey: Place<Cells> | undefined
  for (const { id, value } of item.urlParameters ?? []) {
    for (const place of placeOf(`urlParameters ${id}`, parameter(value))) {
      if (id === stamps.rowKey) rowKey = place
      if (stamps.origin.has(id)) origin.push(place)
      else places.push(place)
    }
  }
  const byAnswers = likenessByAnswers(places)

  return (cells) => {
    const key = rowKey?.relationOf(cells)
    if (key === "differs") return "no"
    const alike = byAnswers(cells)
    const likeness = key !== "agrees" ? alike : alike === "no" ? "resembles" : "fits"
    const fromThere = origin.every((place) => {
      const relation = place.relationOf(cells)
      // A submission with an empty origin does not fit by its answers alone. The same applies to any other empty URL parameter.
      return relation === "agrees" || (relation === "blank" && key === "agrees")
    })
    return likeness === "fits" && !fromThere ? "sameAnswers" : likeness
  }
}

/** How far the service's times may differ from this computer's: a day, which includes every time zone. */
const clockTolerance = millisIn.day

/**
 * Returns a function that compares an item with a submission that the service returned.
 *
 * Is stricter than for an export, because the answers are complete: a submission fits only if reading it back would find no difference from the item.
 * So the row's key does not suffice, since a different pipeline may send the same key. Otherwise, is as tolerant as for an export: an altered
 * submission still resembles the item, and one with the row's key always does. A submission that is much older than the row's request resembles the
 * item at most: someone else may have given the same answers. It is never excluded by its age, because the service's times may be wrong.
 */
export const listedLikenessOf = (
  item: Item,
  where: {
    readonly form: Form
    readonly answers: ReadonlyArray<ComparedAnswer>
    readonly stamps: StampIds
    /** Milliseconds: when the item was first sent. Undefined if that is unknown. Ignored if the item sends a submission time. */
    readonly sentAt: number | undefined
  },
): (submission: Submission) => Likeness => {
  const { answers, form, sentAt, stamps } = where
  const earliest = item.submissionTime === undefined && sentAt !== undefined ? sentAt - clockTolerance : -Infinity
  const places: Array<Place<Submission>> = questionsOf(item, form, answers).map(({ id, sent }) => ({
    sent,
    relationOf: ({ questions }) => relateReturned(sent, elementWith(questions, id)),
  }))
  const { urlParameters: sentParameters = [], ...rest } = item
  const declared = new Set(form.urlParameters.map(({ id }) => id))
  const returnedAs = ({ urlParameters }: Submission, id: string) => elementWith(urlParameters, id)
  /** Whether a parameter is absent and the form does not declare it. The service may drop such parameters, so the absence proves nothing. */
  const isDropped = (submission: Submission, id: string) =>
    !declared.has(id) && saysNothing(returnedAs(submission, id)?.value)
  for (const { id, value } of sentParameters) {
    if (stamps.origin.has(id)) continue
    const sent = parameter(value)
    places.push({
      sent,
      relationOf: (submission) => isDropped(submission, id) ? "open" : relateReturned(sent, returnedAs(submission, id)),
    })
  }
  const byAnswers = likenessByAnswers(places)
  const rowKey = sentParameters.find(({ id }) => id === stamps.rowKey)

  /** Whether reading the submission back as the row's would find no difference. An origin that was not sent doesn't count: see `withoutParameters`. */
  const isUnchanged = (submission: Submission) =>
    fit(
      { ...rest, urlParameters: sentParameters.filter(({ id }) => !isDropped(submission, id)) },
      {
        ...submission,
        urlParameters: submission.urlParameters.filter(({ id }) =>
          !stamps.origin.has(id) || sentParameters.some((one) => one.id === id)
        ),
      },
      answers,
    ) !== "no"

  return (submission) => {
    const key = rowKey === undefined || isDropped(submission, rowKey.id)
      ? undefined
      : relateReturned(parameter(rowKey.value), returnedAs(submission, rowKey.id))
    if (key === "differs") return "no"
    const likeness = byAnswers(submission)
    if (likeness === "fits") {
      const isOlder = Date.parse(submission.submissionTime ?? "") < earliest
      return isUnchanged(submission) ? (isOlder ? "older" : "fits") : "sameAnswers"
    }
    return key === "agrees" ? "resembles" : likeness
  }
}

/**
 * Returns how a returned answer relates to a sent one. It agrees only if reading back would accept it. If not, the tolerance for exports shows whether
 * it may be the sent answer, altered.
 */
const relateReturned = (
  sent: SentAnswer | undefined,
  returned:
    | {
      readonly value: Json
      readonly type?: string | undefined
      readonly known?: boolean
      readonly conflicts?: boolean
    }
    | undefined,
): Relation => {
  if (returned?.known === false) return "open"
  if (returned?.conflicts === true) return "near"
  if (returned === undefined || saysNothing(returned.value)) return relate(sent ?? nothing, [])
  const { type, value } = returned
  if (sent !== undefined && compareAnswer(sent.kind, sent.value, value, type).verdict !== "different") return "agrees"
  const relation = relate(sent ?? nothing, [isPlain(value) ? value : new JsonCell(value)])
  return relation === "agrees" ? "near" : relation
}

const isPlain = (value: Json): value is Extract<Json & Cell, string | number | boolean> =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

const weight = ({ sent }: { readonly sent: SentAnswer | undefined }): number =>
  sent === undefined ? -1 : JSON.stringify(sent.value).length

const nothing: SentAnswer = { value: null, kind: undefined, options: undefined }

/** Returns a function that determines from all answers whether a submission is an item. */
const likenessByAnswers = <S>(unsorted: ReadonlyArray<Place<S>>): (submission: S) => Likeness => {
  // The longest answers are compared first, so that one or two answers suffice to reject most other submissions.
  const places = unsorted.toSorted((a, b) => weight(b) - weight(a))
  return (submission) => {
    const counts: Record<Relation, number> = { agrees: 0, open: 0, near: 0, blank: 0, differs: 0 }
    let left = places.length
    for (const { relationOf, sent } of places) {
      left--
      const relation = relationOf(submission)
      // An empty cell proves nothing if nothing was sent.
      if (sent !== undefined || relation === "differs") counts[relation]++
      if (counts.differs > counts.agrees + counts.near + counts.blank + counts.open + left) return "no"
    }
    const certain = counts.agrees > 0 && counts.agrees >= counts.open
    if (certain && counts.differs + counts.near + counts.blank === 0) return "fits"
    // If no answer is alike and some differ, it is a different submission. Otherwise a person must look: answers can be cut or rewritten.
    if (counts.differs > 0 && counts.agrees + counts.near === 0) return "no"
    return "resembles"
  }
}
