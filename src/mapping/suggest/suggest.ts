import * as Effect from "effect/Effect"
import type { Form, Question } from "../../domain/form.ts"
import { type ColumnBlock, optionColumns } from "../../domain/row.ts"
import type { ProfiledColumn } from "../profile/ColumnProfile.ts"
import { vocabulary } from "../words/words.ts"
import { type Target, targetOf } from "./fit.ts"
import { labelledTitle } from "./labelled.ts"
import { type Meaning, meaningOf, namesConcept } from "./meaning.ts"
import { rank, type Ranked } from "./rank.ts"
import { suggestOwn, suggestRowKey } from "./recordColumns.ts"
import {
  columnsOf,
  mayAnswer,
  type SuggestedQuestion,
  type Suggestion,
  type Suggestions,
  type ToolHints,
} from "./Suggestion.ts"
import { suggestFromTemplate } from "./template.ts"
import { unitsOf } from "./units.ts"

/** Returns a title's terms, except those that name given concepts. The columns of one address or person have the same remaining terms. */
const termsExcept = ({ terms }: Meaning, concepts: ReadonlyArray<string>): string =>
  terms.flatMap((term) => term.concepts.some((one) => concepts.includes(one)) ? [] : term.root).toSorted().join(" ")

/** Returns columns that together answer a question: first and last name for a full name, its parts for an address. */
const joined = (
  { kind, meaning, question }: Target,
  free: ReadonlyArray<ProfiledColumn>,
): ReadonlyArray<Suggestion> => {
  if (kind !== "text" && kind !== "address") return []
  const isName = kind === "text"
  const [whole, parts] = isName
    ? [["full name", "name"], vocabulary.nameParts]
    : [["address"], vocabulary.addressParts]
  const beside = new Set([termsExcept(meaning, whole)])
  if (isName && beside.has("") && !namesConcept(meaning, ...whole)) return []
  // Columns that name nobody are not the address of someone else.
  if (!isName && !namesConcept(meaning, ...vocabulary.people)) beside.add("")
  const titles = free.map((one) => ({ one, title: meaningOf(labelledTitle(one) ?? one.column.title) }))
  const columns = Object.entries(parts).flatMap(([part, concepts]) => {
    const [named = []] = concepts.map((concept) =>
      titles.filter(({ title }) => namesConcept(title, concept) && beside.has(termsExcept(title, [concept])))
    ).filter(({ length }) => length > 0)
    return named.length === 1 ? named.map(({ one }) => isName ? one : { part, ...one }) : []
  })
  if (columns.length < 2 || new Set(columns.map(({ column }) => column)).size < columns.length) return []
  const because = [`their titles name ${isName ? "the first and the last name" : "parts of an address"}`]
  const confidence = isName || columns.length > 2 ? 0.95 : 0.85
  return [{ question, origin: { _tag: "Joined", columns }, confidence, because }]
}

/** Returns the likeliest candidates for a question that a person must decide. Columns that already answer a different question come last. */
const openQuestion = (
  question: Question,
  ranked: ReadonlyArray<Ranked>,
  used: ReadonlySet<number>,
): SuggestedQuestion => {
  const isUsed = ({ origin }: Ranked) => Number(columnsOf(origin).some(({ position }) => used.has(position)))
  const own = ranked.filter((one) => one.question === question)
  return {
    question,
    candidates: own.toSorted((a, b) => isUsed(a) - isUsed(b) || b.confidence - a.confidence).slice(0, 3),
  }
}

interface SuggestInput {
  readonly form: Form
  readonly columns: ReadonlyArray<ProfiledColumn>
  /** Questions that are spread over several columns, if the file's format shows this. */
  readonly blocks: ReadonlyArray<ColumnBlock>
  readonly tool?: ToolHints | undefined
}

/** Suggests columns for the questions of a form. Leaves uncertain or ambiguous questions open, with their candidates. */
export const suggest = Effect.fn("suggest")(function*({ form, columns, blocks, tool }: SuggestInput) {
  const accepted: Array<Suggestion> = []
  const used = new Set<number>()
  const accept = (one: Suggestion) => {
    accepted.push(one)
    for (const { position } of columnsOf(one.origin)) used.add(position)
  }
  for (const one of suggestFromTemplate(form, columns)) accept(one)
  const isOpen = (question: Question) => accepted.every((one) => one.question !== question)
  const targets = form.questions.filter(isOpen).map(targetOf)
  const isFree = ({ column: { position } }: ProfiledColumn) => !used.has(position)
  const candidates = columns.filter((one) => mayAnswer(tool, one) && isFree(one))
  const units = unitsOf(candidates, blocks, targets, tool?.labels)
  const ranked = yield* rank(units, targets)

  // Either a block answers one question, or each of its columns answers its own question.
  const rows = new Set<number>()
  for (const one of ranked.filter(({ isAccepted }) => isAccepted).toSorted((a, b) => b.confidence - a.confidence)) {
    const own = one.origin._tag === "Block" ? optionColumns(one.origin.members) : [one.origin]
    if (own.some(({ column }) => rows.has(column.position))) continue
    for (const { column } of own) rows.add(column.position)
    accept(one)
  }
  for (const target of targets.filter(({ question }) => isOpen(question))) {
    const free = candidates.filter((one) => one.column.name !== undefined && isFree(one))
    for (const one of joined(target, free)) accept(one)
  }

  const named = columns.filter(({ column }) => column.name !== undefined)
  const urlParameters = form.urlParameters.flatMap((element) => {
    const asked = meaningOf(element.name)
    const alike = named.map((one) => ({ one, meaning: meaningOf(one.column.title) }))
      .filter(({ meaning }) => asked.same !== "" && termsExcept(meaning, []) === termsExcept(asked, []))
    const same = alike.filter(({ meaning }) => meaning.same === asked.same)
    const [only, ...others] = same.length > 0 ? same : alike
    return only === undefined || others.length > 0 ? [] : [{ element, from: { ...only.one, because: "the same name" } }]
  })
  for (const { from } of urlParameters) used.add(from.column.position)

  const own = suggestOwn({ columns, tool, used })
  const rowKey = suggestRowKey(columns, tool)
  const taken = new Set([...used, ...Object.values(own).flatMap((one) => one?.column.position ?? [])])
  const rest = columns.filter(({ column: { name, position } }) =>
    !taken.has(position) && (name === undefined || !rowKey.names.includes(name))
  )
  const suggestions: Suggestions = {
    form,
    tool: tool?.title,
    questions: form.questions.map((question) => {
      const one = accepted.find((one) => one.question === question)
      return one === undefined
        ? openQuestion(question, ranked, used)
        : { question, accepted: one, candidates: [one] }
    }),
    urlParameters,
    ...own,
    rowKey,
    left: rest.filter((one) => !mayAnswer(tool, one) && one.column.name !== undefined).map(({ column }) => column),
    unmapped: rest.filter((one) => mayAnswer(tool, one)).map(({ column }) => column),
    blocks: units.flatMap((unit) => unit._tag === "Block" && unit.known ? unit : []),
  }
  return suggestions
})
