import type { AnswerComparison } from "../domain/comparison.ts"
import type { FormList } from "../domain/form.ts"
import type { Item } from "../domain/item.ts"
import { isList, isObject } from "../domain/json.ts"
import type { Json } from "../domain/json.ts"
import type { Submission } from "../domain/submission.ts"
import { both, compareJson, different, equivalent, same, saysNothing } from "./compared.ts"
import type { ElementPart } from "./elements.ts"
import { paymentParts, schedulingParts } from "./elements.ts"
import { kindOfType, kinds } from "./index.ts"
import type { Compared, Kind } from "./Kind.ts"
import { readIso } from "./wallClock.ts"

/** What comparing needs to know of a mapped answer. */
export interface ComparedAnswer {
  /** Id of the question or element; `submissionTime`, `lastUpdatedAt` and `login` stand for themselves. */
  readonly id: string
  readonly name: string
  /** Name of its kind. */
  readonly kind: string
  readonly list: FormList | "own"
}

/** Question types that a form fills itself or from another list. An answer to them that was not sent is not unexpected. */
export const filledByTheForm: ReadonlySet<string> = new Set(["Captcha", "Calcom", "Calendly", "Payment"])

/** Returns the name of the kind that a sent value looks like; undefined for any other JSON. */
const kindOfValue = (sent: Json): string | undefined => {
  if (typeof sent === "number") return "number"
  if (typeof sent === "boolean") return "boolean"
  if (typeof sent === "string") {
    const iso = readIso(sent)
    if (iso?.hasDate && iso.hasTime) return "dateTime"
    return iso === undefined ? "text" : iso.hasDate ? "date" : "time"
  }
  const isFile = (each: Json) => isObject(each) && "url" in each && "filename" in each
  return isList(sent) && sent.length > 0 && sent.every(isFile) ? "files" : undefined
}

/**
 * Returns the kind that compares an answer: the mapping's, otherwise the default of the question's type, otherwise the one that the sent value
 * looks like (the row may have been sent under another mapping). Undefined: any JSON, with lists in order, since they may be a ranking.
 */
const comparingKind = (kind: string | undefined, type: string | undefined, sent: Json): Kind | undefined => {
  const named = kinds.get(kind ?? "") ?? (type === undefined ? undefined : kindOfType(type))
  return named ?? kinds.get(kindOfValue(sent) ?? "")
}

/**
 * Compares a sent and a returned value, neither of which is null, by the kind of that name; without one by the question's type, or by what the
 * value looks like.
 */
export const compareAnswer = (kind: string | undefined, sent: Json, returned: Json, type?: string): Compared =>
  sent === returned ? same : (comparingKind(kind, type, sent)?.compare ?? compareJson)(sent, returned)

interface Returned {
  readonly id: string
  readonly name: string | undefined
  readonly value: Json | undefined
  readonly type?: string | undefined
  readonly known?: boolean
}

interface Sent {
  readonly id: string
  readonly value: Json
}

type Compare = typeof compareAnswer

/** Compares members by the kinds of their parts. Members that the service adds (`eventId`, `status`, …) are no loss, and are named. */
const byParts = (parts: Readonly<Record<string, ElementPart>>): Compare => (_kind, sent, returned) => {
  if (!isObject(sent) || !isObject(returned)) return compareJson(sent, returned)
  let verdict = same
  for (const [part, value] of Object.entries(sent)) {
    if (saysNothing(value)) continue
    const there = Object.hasOwn(returned, part) ? returned[part] : undefined
    if (there === undefined || there === null) return different
    verdict = both(verdict, compareAnswer(parts[part]?.kind, value, there))
  }
  const added = Object.keys(returned).filter((part) => saysNothing(sent[part]) && !saysNothing(returned[part]))
  return added.length === 0 ? verdict : both(verdict, equivalent(`added ${added.toSorted().join(", ")}`))
}

const byScheduling = byParts(schedulingParts)
const byPayment = byParts(paymentParts)
const asText: Compare = (_kind, sent, returned) => compareAnswer("text", sent, returned)

/** A value of our own types as JSON: members that are not there are left out. */
export const asJson = (value: object | null): Json =>
  value === null ? null : Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))

/** One list of an item: everything sent in its order, then what came back unasked. */
const compareList = (
  answers: ReadonlyMap<string, ComparedAnswer>,
  list: ComparedAnswer["list"],
  sent: ReadonlyArray<Sent>,
  returned: ReadonlyArray<Returned>,
  compare: Compare,
  found: (comparison: AnswerComparison) => void,
): void => {
  const positions = positionsOf(list, returned)
  const asked = new Uint8Array(returned.length)
  for (const { id, value } of sent) {
    const mapped = answers.get(id)
    const at = positions.get(id)
    const there = at === undefined ? undefined : returned[at]
    if (at !== undefined) asked[at] = 1
    const name = mapped?.name ?? there?.name ?? id
    if (there?.known === false) {
      found({ question: id, name, verdict: "not comparable", sent: value, returned: undefined, type: there.type })
    } else if (there?.value === value) {
      // Nearly all; what was sent as nothing and came back as just that is the same, too.
      found({ question: id, name, verdict: "same", sent: value, returned: value })
    } else if (there === undefined || there.value === undefined || saysNothing(there.value)) {
      // What was sent as nothing (an empty list of JSON) may well come back as nothing.
      const verdict = saysNothing(value) ? compareEmpty(value, there?.value) : "absent"
      found({
        question: id,
        name,
        verdict,
        sent: value,
        returned: there?.value,
        ...(verdict === "equivalent" ? { normalised: "no answer" } : {}),
      })
    } else {
      const compared = compare(mapped?.kind, value, there.value, there.type)
      found({ question: id, name, ...compared, sent: value, returned: there.value })
    }
  }
  returned.forEach((each, at) => {
    if (asked[at] === 1 || each.known === false || saysNothing(each.value)) return
    // One of several with this id, of which the last was compared.
    if (asked[positions.get(each.id) ?? -1] === 1) return
    if (each.type !== undefined && filledByTheForm.has(each.type)) return
    const name = answers.get(each.id)?.name ?? each.name ?? each.id
    found({ question: each.id, name, verdict: "unexpected", sent: undefined, returned: each.value })
  })
}

/** Which of a list's returned answers were asked for: one for all, as comparing is never interrupted. */
let askedFor = new Uint8Array(256)

/** Whether a list came back as it was sent, value by value, and what nobody sent is empty. Where it is not so easily told: false. */
const isAsSent = (list: string, sent: ReadonlyArray<Sent>, returned: ReadonlyArray<Returned>): boolean => {
  const positions = positionsOf(list, returned)
  if (askedFor.length < returned.length) askedFor = new Uint8Array(returned.length * 2)
  else askedFor.fill(0, 0, returned.length)
  for (const { id, value } of sent) {
    const at = positions.get(id)
    const there = at === undefined ? undefined : returned[at]
    if (at === undefined || there === undefined || there.known === false || there.value !== value) return false
    askedFor[at] = 1
  }
  for (let at = 0; at < returned.length; at++) {
    if (askedFor[at] === 0 && !saysNothing(returned[at]?.value)) return false
  }
  return true
}

/**
 * Whether each answer came back as the very value that was sent, and nothing else came back but what is empty, as nearly all do: then every comparison that `compareSubmission`
 * gives is `same`, and there is one for each member of the item. Makes no object for each answer. False: compare them.
 */
export const cameBackAsSent = (item: Item, submission: Submission): boolean =>
  isAsSent("questions", item.questions, submission.questions)
  && isAsSent("urlParameters", item.urlParameters ?? [], submission.urlParameters)
  && (item.submissionTime === undefined || item.submissionTime === submission.submissionTime)
  && (item.lastUpdatedAt === undefined || item.lastUpdatedAt === submission.lastUpdatedAt)
  && (item.login === undefined
    ? saysNothing(submission.login?.email)
    : item.login.email === submission.login?.email)
  && (item.scheduling ?? []).length + (item.payments ?? []).length === 0
  && submission.scheduling.length + submission.payments.length === 0

/** Where each id stood in the list that came back last, by list: all submissions of a form come in one order. */
const layouts = new Map<string, { readonly ids: ReadonlyArray<string>; readonly at: ReadonlyMap<string, number> }>()

/** Index of each id; of one that stands there several times the last. */
const positionsOf = (list: string, returned: ReadonlyArray<Returned>): ReadonlyMap<string, number> => {
  const known = layouts.get(list)
  if (known?.ids.length === returned.length && returned.every(({ id }, at) => id === known.ids[at])) return known.at
  const ids = returned.map(({ id }) => id)
  const at = new Map(ids.map((id, index) => [id, index]))
  layouts.set(list, { ids, at })
  return at
}

type ByList = Readonly<Record<ComparedAnswer["list"], ReadonlyMap<string, ComparedAnswer>>>

const tables = new WeakMap<ReadonlyArray<ComparedAnswer>, ByList>()

/** The answers of a mapping by list and id, made once. */
const byList = (mapped: ReadonlyArray<ComparedAnswer>): ByList => {
  const known = tables.get(mapped)
  if (known !== undefined) return known
  const of = (list: ComparedAnswer["list"]) =>
    new Map(mapped.filter((answer) => answer.list === list).map((answer) => [answer.id, answer]))
  const table: ByList = {
    questions: of("questions"),
    urlParameters: of("urlParameters"),
    scheduling: of("scheduling"),
    payments: of("payments"),
    own: of("own"),
  }
  tables.set(mapped, table)
  return table
}

const compareEmpty = (sent: Json, returned: Json | undefined): "same" | "equivalent" =>
  returned !== undefined && compareJson(sent, returned).verdict === "same" ? "same" : "equivalent"

const visit = (
  mapped: ReadonlyArray<ComparedAnswer>,
  item: Item,
  submission: Submission,
  found: (comparison: AnswerComparison) => void,
): void => {
  const answers = byList(mapped)
  compareList(answers.questions, "questions", item.questions, submission.questions, compareAnswer, found)
  compareList(answers.urlParameters, "urlParameters", item.urlParameters ?? [], submission.urlParameters, asText, found)
  const own = (
    question: string,
    kind: string,
    sent: string | undefined,
    returned: string | undefined,
    asked: boolean,
  ) => {
    if (sent === undefined && (asked || saysNothing(returned))) return
    compareList(
      new Map([[question, { id: question, name: question, kind, list: "own" }]]),
      "own",
      sent === undefined ? [] : [{ id: question, value: sent }],
      [{ id: question, name: question, value: returned }],
      compareAnswer,
      found,
    )
  }
  // The service gives every submission its times: they are nothing unexpected.
  own("submissionTime", "dateTime", item.submissionTime, submission.submissionTime, true)
  own("lastUpdatedAt", "dateTime", item.lastUpdatedAt, submission.lastUpdatedAt, true)
  own("login", "email", item.login?.email, submission.login?.email, false)
  compareElements(answers, "scheduling", item.scheduling ?? [], submission.scheduling, byScheduling, found)
  compareElements(answers, "payments", item.payments ?? [], submission.payments, byPayment, found)
}

type Elements = ReadonlyArray<{ readonly id: string; readonly value: object | null }>

const compareElements = (
  answers: ByList,
  list: "scheduling" | "payments",
  sent: Elements,
  returned: Elements,
  compare: Compare,
  found: (comparison: AnswerComparison) => void,
): void => {
  // Of nearly all forms.
  if (sent.length === 0 && returned.length === 0) return
  const members = (elements: Elements) =>
    elements.map((each) => ({ name: undefined, ...each, value: asJson(each.value) }))
  compareList(answers[list], list, members(sent), members(returned), compare, found)
}

/**
 * Compares what was sent with what came back, answer by answer (product.md, "Comparing"): every member of the item has exactly one comparison;
 * what came back unasked and not empty is `unexpected`, but not times, which the service sets, nor what a form fills by itself. Calculations are
 * the form's own and never compared.
 *
 * @param answers the mapped answers: their kinds and names. Where one is missing (a row sent under another mapping) the question's type or
 *   the value's own shape decides.
 */
export const compareSubmission = (
  answers: ReadonlyArray<ComparedAnswer>,
  item: Item,
  submission: Submission,
): ReadonlyArray<AnswerComparison> => {
  const comparisons: Array<AnswerComparison> = []
  visit(answers, item, submission, (comparison) => comparisons.push(comparison))
  return comparisons
}

/**
 * How well a created submission fits an item, to tell which is which: exactly (everything sent is there, as sent), by equivalence, or not.
 * Questions of an unknown type can't tell; what came back unasked speaks against it, for it may be another item's.
 */
export const fit = (
  item: Item,
  submission: Submission,
  answers: ReadonlyArray<ComparedAnswer> = [],
): "exact" | "equivalent" | "no" => {
  if (cameBackAsSent(item, submission)) return "exact"
  let result: "exact" | "equivalent" | "no" = "exact"
  visit(answers, item, submission, ({ verdict, normalised }) => {
    if (verdict === "same" || verdict === "not comparable" || result === "no") return
    const added = normalised?.startsWith("added ") === true
    // What the service adds to a scheduling or payment value leaves all that was sent as it was.
    result = verdict !== "equivalent" ? "no" : added ? result : "equivalent"
  })
  return result
}
