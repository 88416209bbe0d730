import * as Effect from "effect/Effect"
import type { Element, Form, Question } from "../domain/form.ts"
import { groupBy } from "../domain/groupBy.ts"
import type { Column, ColumnBlock } from "../domain/row.ts"
import type { Role, ToolColumns } from "../formtools/FormTool.ts"
import { templateOf } from "../kinds/template.ts"
import type { ProfiledColumn } from "../profile/ColumnProfile.ts"
import { type Target, targetOf } from "./fit.ts"
import { namesConcept, type Wording, wordingOf } from "./meaning.ts"
import { rank } from "./rank.ts"
import { columnsOf, labelledTitle, type Suggestion, type Suggestions } from "./Suggestion.ts"
import { suggestOwn, suggestRowKey } from "./toolColumns.ts"
import { unitsOf } from "./units.ts"
import { sameText, vocabulary } from "./words/words.ts"

/** Returns a title's terms, except those that name given concepts. The columns of one address or person have the same remaining terms. */
const termsExcept = ({ terms }: Wording, concepts: ReadonlyArray<string>): string =>
  terms.flatMap((term) => term.concepts.some((one) => concepts.includes(one)) ? [] : term.root).toSorted().join(" ")

/** Returns columns that together answer a question: first and last name for a full name, its parts for an address. */
const joined = ({ kind, meaning, question }: Target, free: ReadonlyArray<ProfiledColumn>): Suggestion | undefined => {
  if (kind !== "text" && kind !== "address") return undefined
  const isName = kind === "text"
  const [whole, parts] = isName
    ? [["full name", "name"], vocabulary.nameParts]
    : [["address"], vocabulary.addressParts]
  const subjects = new Set([termsExcept(meaning, whole)])
  if (isName && subjects.has("") && !namesConcept(meaning, ...whole)) return undefined
  // If the titles of columns name no person, the columns are not the address of someone else.
  if (!isName && !namesConcept(meaning, ...vocabulary.people)) subjects.add("")
  const titles = free.map((one) => ({ one, title: wordingOf(labelledTitle(one) ?? one.column.title) }))
  const columns = Object.entries(parts).flatMap(([part, concepts]) => {
    const [named = []] = concepts.map((concept) =>
      titles.filter(({ title }) => namesConcept(title, concept) && subjects.has(termsExcept(title, [concept])))
    ).filter(({ length }) => length > 0)
    return named.length === 1 ? named.map(({ one }) => isName ? one : { part, ...one }) : []
  })
  if (columns.length < 2 || new Set(columns.map(({ column }) => column)).size < columns.length) return undefined
  const because = [`their titles name ${isName ? "the first and the last name" : "parts of an address"}`]
  const confidence = isName || columns.length > 2 ? 0.95 : 0.85
  return { question, origin: { _tag: "Joined", columns }, confidence, because }
}

/** Returns a URL parameter with the only column whose title has the terms of its name. Prefers a column with the same words. */
const urlColumn = (element: Element, named: ReadonlyArray<ProfiledColumn>) => {
  const { name } = element
  const [found = []] = [sameText, (text: string) => termsExcept(wordingOf(text), [])].map((form) =>
    named.filter(({ column }) => form(column.title) === form(name) && form(name) !== "")
  ).filter(({ length }) => length > 0)
  return found.length > 1 ? [] : found.map((one) => ({ element, from: { ...one, because: "the same name" } }))
}

/**
 * Returns suggestions for a source that has all columns of a form's template. Each column answers the question that it
 * was made for. Empty for any other source.
 */
const suggestFromTemplate = (form: Form, columns: ReadonlyArray<ProfiledColumn>): ReadonlyArray<Suggestion> => {
  const template = templateOf(form)
  const byTitle = new Map(columns.map((one) => [one.column.name, one]))
  const found = template.columns.flatMap(({ part, question, title }) => {
    // In a CSV template, an apostrophe prevents spreadsheets from reading a title as a formula.
    const one = byTitle.get(title) ?? byTitle.get(`'${title}`)
    return one === undefined ? [] : [{ ...one, part, question }]
  })
  const isComplete = new Set(found.map(({ column }) => column)).size === template.columns.length
  if (!byTitle.has(template.rowKey) || !isComplete) return []
  return [...groupBy(found, ({ question }) => question).values()].map((own): Suggestion => ({
    question: own[0].question,
    origin: own[0].part === undefined ? { _tag: "Column", ...own[0] } : { _tag: "Joined", columns: own },
    confidence: 1,
    because: ["the template has this column for the question"],
  }))
}

/** Roles of columns that a respondent fills, and that may answer a question. */
const answers: ReadonlySet<Role> = new Set(["email", "name", "url"])

/** Suggests columns for the questions of a form. Leaves uncertain or ambiguous questions open, with their candidates. */
export const suggest = Effect.fn("suggest")(function*({ form, columns, blocks, tool }: {
  readonly form: Form
  readonly columns: ReadonlyArray<ProfiledColumn>
  /** Questions that are spread over several columns, if the file's format shows this. */
  readonly blocks: ReadonlyArray<ColumnBlock>
  readonly tool?: ToolColumns | undefined
}) {
  // The tool's own times, ids and addresses answer nothing, and neither do its own columns that have fewer than two distinct texts.
  const mayAnswer = ({ column, profile }: ProfiledColumn): boolean => {
    const own = tool?.meta.find(({ position }) => position === column.position)
    return own === undefined || (answers.has(own.role) && profile.distinct.size > 1)
  }
  const accepted = new Map<Question, Suggestion>()
  const used = new Set<Column>()
  const accept = (one: Suggestion) => {
    accepted.set(one.question, one)
    for (const column of columnsOf(one.origin)) used.add(column)
  }
  for (const one of suggestFromTemplate(form, columns)) accept(one)
  const isOpen = (question: Question) => !accepted.has(question)
  const targets = form.questions.filter(isOpen).map(targetOf)
  const isFree = ({ column }: ProfiledColumn) => !used.has(column)
  const candidates = columns.filter((one) => mayAnswer(one) && isFree(one))
  const units = unitsOf(candidates, blocks, targets, tool?.labels)
  const ranked = (yield* rank(units, targets)).toSorted((a, b) => b.confidence - a.confidence)

  // Either a block answers one question, or each of its columns answers its own question.
  const rows = new Set<Column>()
  for (const one of ranked.filter(({ isAccepted }) => isAccepted)) {
    const own = one.origin._tag === "Block" ? one.origin.options : [one.origin]
    if (own.some(({ column }) => rows.has(column))) continue
    for (const { column } of own) rows.add(column)
    accept(one)
  }
  const named = columns.filter(({ column }) => column.name !== undefined)
  for (const target of targets.filter(({ question }) => isOpen(question))) {
    const one = joined(target, named.filter((one) => mayAnswer(one) && isFree(one)))
    if (one !== undefined) accept(one)
  }
  const urlParameters = form.urlParameters.flatMap((element) => urlColumn(element, named))
  for (const { from } of urlParameters) used.add(from.column)
  // Columns that already answer a different question come last.
  const isUsed = ({ origin }: Suggestion) => Number(columnsOf(origin).some((column) => used.has(column)))
  const candidatesFor = (question: Question) =>
    ranked.filter((one) => one.question === question).toSorted((a, b) => isUsed(a) - isUsed(b)).slice(0, 3)
  // The columns of a submission's own times answer no question, so they don't count as used here.
  const questions = form.questions.map((question) => {
    const one = accepted.get(question)
    return { question, accepted: one, candidates: one === undefined ? candidatesFor(question) : [one] }
  })

  const own = suggestOwn(columns, tool, used)
  const rowKey = suggestRowKey(columns, tool)
  for (const one of Object.values(own)) if (one !== undefined) used.add(one.column)
  const rest = columns.filter((one) => isFree(one) && rowKey.names.every((name) => name !== one.column.name))
  return {
    form,
    tool: tool?.title,
    questions,
    urlParameters,
    ...own,
    rowKey,
    left: rest.filter((one) => !mayAnswer(one) && one.column.name !== undefined).map(({ column }) => column),
    unmapped: rest.filter(mayAnswer).map(({ column }) => column),
    blocks: units.flatMap((unit) => unit._tag === "Block" && unit.known ? unit : []),
  } satisfies Suggestions
})
