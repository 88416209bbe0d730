import type { AnswerComparison } from "../domain/comparison.ts"
import type { FormList } from "../domain/form.ts"
import { groupBy } from "../domain/groupBy.ts"
import { type Answer, type Item, ownKinds, ownMembers, ownValue } from "../domain/item.ts"
import { canonicalJson, isList, isObject, type Json } from "../domain/json.ts"
import type { Submission } from "../domain/submission.ts"
import { namesOf } from "../domain/words.ts"
import { both, compareJson, different, equivalent, same, saysNothing } from "./compared.ts"
import { type ElementPart, paymentParts, schedulingParts } from "./elements.ts"
import { isFile } from "./files.ts"
import { kindNamed, kindOfType } from "./index.ts"
import type { Compared, Kind } from "./Kind.ts"
import { readIso } from "./wallClock.ts"

/** What the comparison needs to know about a mapped answer. */
export interface ComparedAnswer {
  /** The id of the question or element, or `submissionTime`, `lastUpdatedAt` or `login`. */
  readonly id: string
  readonly name: string
  /** The name of the answer's kind. */
  readonly kind: string
  readonly list: FormList | "own"
  /** Whether formferry knows the type that the form gives the question, or the form gives none. */
  readonly known?: boolean
}

/**
 * The types of questions that the form itself fills in, or that are filled in from a different list of the item. If no answer to such a question was sent,
 * a returned answer is not unexpected.
 */
export const filledByTheForm: ReadonlySet<string> = new Set(["Captcha", "Calcom", "Calendly", "Payment"])

/** Returns the name of the kind that a sent value probably has. Undefined for any other JSON. */
const kindOfValue = (sent: Json): string | undefined => {
  if (typeof sent === "number") return "number"
  if (typeof sent === "boolean") return "boolean"
  if (typeof sent === "string") {
    const iso = readIso(sent)
    if (iso?.hasDate && iso.hasTime) return "dateTime"
    return iso === undefined ? "text" : iso.hasDate ? "date" : "time"
  }
  return isList(sent) && sent.length > 0 && sent.every(isFile) ? "files" : undefined
}

/**
 * Returns the kind that compares an answer: the mapping's, otherwise the default of the question's type, otherwise the one that the sent value
 * probably has. The last case occurs if the row was sent under a different mapping. Returns undefined for any other JSON. Lists in such JSON are
 * compared in order, because they may be rankings.
 */
const comparingKind = (kind: string | undefined, type: string | undefined, sent: Json): Kind | undefined =>
  kindNamed(kind) ?? kindOfType(type) ?? kindNamed(kindOfValue(sent))

/** Compares a sent and a returned value by the named kind, otherwise by the question's type or the form of the value. Neither value may be null. */
export const compareAnswer = (kind: string | undefined, sent: Json, returned: Json, type?: string): Compared =>
  sent === returned ? same : (comparingKind(kind, type, sent)?.compare ?? compareJson)(sent, returned)

interface Returned {
  readonly id: string
  readonly name: string | undefined
  readonly value: Json | undefined
  readonly type?: string | undefined
  readonly known?: boolean
}

type Compare = typeof compareAnswer

/** Compares members by the kinds of their parts. Members that the service adds (`eventId`, `status`, …) are named, but don't count as differences. */
const byParts = (parts: Readonly<Record<string, ElementPart>>): Compare => (_kind, sent, returned) => {
  if (!isObject(sent) || !isObject(returned)) return compareJson(sent, returned)
  let verdict = same
  for (const [part, value] of Object.entries(sent)) {
    if (saysNothing(value)) continue
    const other = Object.hasOwn(returned, part) ? returned[part] : undefined
    if (other === undefined || other === null) return different
    verdict = both(verdict, compareAnswer(parts[part]?.kind, value, other))
  }
  const added = Object.keys(returned).filter((part) => saysNothing(sent[part]) && !saysNothing(returned[part]))
  return added.length === 0 ? verdict : both(verdict, equivalent(`added ${added.toSorted().join(", ")}`))
}

const comparing: Readonly<Record<ComparedAnswer["list"], Compare>> = {
  questions: compareAnswer,
  urlParameters: (_kind, sent, returned) => compareAnswer("text", sent, returned),
  scheduling: byParts(schedulingParts),
  payments: byParts(paymentParts),
  own: compareAnswer,
}

/** Returns a value of our own types as JSON, omitting undefined members. */
const asJson = (value: object | null): Json =>
  value === null ? null : Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))

/** Compares a sent value with the returned one. */
const compareOne = (
  { id, value }: Answer,
  answer: ComparedAnswer | undefined,
  returned: Found<Returned> | undefined,
  compare: Compare,
): AnswerComparison => {
  const name = answer?.name ?? returned?.name ?? id
  const other = returned?.value
  // The mapping was made for the type that the form gives.
  if (returned?.known === false && answer?.known !== true) {
    return { question: id, name, verdict: "not comparable", sent: value, returned: undefined, type: returned.type }
  }
  const compared = returned?.conflicts === true
    ? different
    : other === value
    ? same
    : other !== undefined && !saysNothing(other)
    ? compare(answer?.kind, value, other, returned?.type)
    : saysNothing(value)
    ? compareNothing(value, other)
    : { verdict: "absent" as const, normalised: undefined }
  return {
    question: id,
    name,
    verdict: compared.verdict,
    sent: value,
    returned: other,
    normalised: compared.normalised,
  }
}

/** Compares an empty sent value, such as an empty list. The response may omit it. */
const compareNothing = (sent: Json, returned: Json | undefined): Compared =>
  returned !== undefined && compareJson(sent, returned).verdict === "same" ? same : equivalent("no answer")

type ByList = Readonly<Record<ComparedAnswer["list"], ReadonlyMap<string, ComparedAnswer>>>

const tables = new WeakMap<ReadonlyArray<ComparedAnswer>, ByList>()

/** Returns the answers of a mapping by list and id. They are the same for every submission of a run. */
const byList = (mapped: ReadonlyArray<ComparedAnswer>): ByList => {
  const known = tables.get(mapped)
  if (known !== undefined) return known
  const of = (list: ComparedAnswer["list"]) =>
    new Map(mapped.filter((answer) => answer.list === list).map((answer) => [answer.id, answer]))
  const table = Object.fromEntries(namesOf(comparing).map((list) => [list, of(list)])) as unknown as ByList
  tables.set(mapped, table)
  return table
}

type ReturnedElement = Pick<Returned, "id" | "value" | "known">

/** `conflicts`: the submission has different values for this id, so it is unknown which of them is right, and the value is their list. */
type Found<A> = A & { readonly conflicts?: boolean }

/** Returns one element for elements with the same id. Ignores empty elements if another one has a value. */
const joinedElement = <A extends ReturnedElement>(alike: readonly [A, ...ReadonlyArray<A>]): Found<A> => {
  const filled = alike.filter(({ value }) => !saysNothing(value))
  const values = new Map(filled.map(({ value = null }) => [canonicalJson(value), value]))
  const isKnown = ({ known }: A) => known !== false
  const one = filled.find(isKnown) ?? alike.find(isKnown) ?? filled[0] ?? alike[0]
  return values.size < 2 ? one : { ...one, value: [...values.values()], conflicts: true }
}

/** Returns the elements of a list by id. */
export const elementsById = <A extends ReturnedElement>(elements: ReadonlyArray<A>): ReadonlyMap<string, Found<A>> => {
  const byId = new Map<string, Found<A>>(elements.map((each) => [each.id, each]))
  if (byId.size === elements.length) return byId
  return new Map(Array.from(groupBy(elements, ({ id }) => id), ([id, alike]) => [id, joinedElement(alike)]))
}

/** Returns the element of a list that has an id. Joins several of them only if there are any, because settling compares many submissions. */
export const elementWith = <A extends ReturnedElement>(
  elements: ReadonlyArray<A>,
  id: string,
): Found<A> | undefined => {
  const has = (one: A) => one.id === id
  const first = elements.find(has)
  return first === undefined || elements.findLast(has) === first
    ? first
    : joinedElement([first, ...elements.filter((one) => one !== first && has(one))])
}

/** Compares a list of an item: first everything that was sent, in order, then anything that came back without being sent. */
const compareList = (
  answers: ReadonlyMap<string, ComparedAnswer>,
  list: ComparedAnswer["list"],
  sent: ReadonlyArray<Answer>,
  returned: ReadonlyArray<Returned>,
): ReadonlyArray<AnswerComparison> => {
  const compare = comparing[list]
  const byId = elementsById(returned)
  const comparisons = sent.map((each) => compareOne(each, answers.get(each.id), byId.get(each.id), compare))
  const asked = new Set(sent.map(({ id }) => id))
  for (const { id, known, name, type, value } of byId.values()) {
    if (asked.has(id) || known === false || saysNothing(value)) continue
    if (type !== undefined && filledByTheForm.has(type)) continue
    const called = answers.get(id)?.name ?? name ?? id
    comparisons.push({ question: id, name: called, verdict: "unexpected", sent: undefined, returned: value })
  }
  return comparisons
}

/** Returns elements with their values as JSON. */
export const withJson = <A extends { readonly value: object | null }>(elements: ReadonlyArray<A>) =>
  elements.map((each) => ({ ...each, value: asJson(each.value) }))

/**
 * Compares what was sent with what came back, answer by answer. Every member of the item has exactly one comparison. A value that came back without
 * being sent is `unexpected`, unless it is empty, is a time set by the service, or was filled by the form itself. Calculations belong to the form and
 * are never compared.
 *
 * @param mapped the mapped answers, with their kinds and names; for an answer that is missing because its row was sent under a different mapping, the
 * question's type or the form of the value is used
 */
export const compareSubmission = (
  mapped: ReadonlyArray<ComparedAnswer>,
  item: Item,
  submission: Submission,
): ReadonlyArray<AnswerComparison> => {
  const answers = byList(mapped)
  return [
    ...compareList(answers.questions, "questions", item.questions, submission.questions),
    ...compareList(answers.urlParameters, "urlParameters", item.urlParameters ?? [], submission.urlParameters),
    ...ownMembers.flatMap((id) => {
      const [sent, returned] = [ownValue(item, id), ownValue(submission, id)]
      // The service sets the times of every submission, so they are never unexpected.
      if (sent === undefined && (id !== "login" || saysNothing(returned))) return []
      return compareList(
        new Map([[id, { id, name: id, kind: ownKinds[id], list: "own" }]]),
        "own",
        sent === undefined ? [] : [{ id, value: sent }],
        [{ id, name: id, value: returned }],
      )
    }),
    ...compareList(
      answers.scheduling,
      "scheduling",
      withJson(item.scheduling ?? []),
      withJson(submission.scheduling),
    ),
    ...compareList(answers.payments, "payments", withJson(item.payments ?? []), withJson(submission.payments)),
  ]
}

/**
 * Returns how well a created submission fits an item: `exact` if everything came back as sent, `equivalent` if all differences are equivalent,
 * otherwise `no`. Used to match submissions with items. Ignores answers that are not comparable. A value that came back without being sent makes the fit
 * worse, because it may belong to a different item.
 */
export const fit = (
  item: Item,
  submission: Submission,
  answers: ReadonlyArray<ComparedAnswer> = [],
): "exact" | "equivalent" | "no" => {
  let result: "exact" | "equivalent" = "exact"
  for (const { normalised, verdict } of compareSubmission(answers, item, submission)) {
    if (verdict === "same" || verdict === "not comparable") continue
    if (verdict !== "equivalent") return "no"
    // Members that the service adds to a scheduling or payment value don't change what was sent.
    if (normalised?.startsWith("added ") !== true) result = "equivalent"
  }
  return result
}
