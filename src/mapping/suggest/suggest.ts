import * as Effect from "effect/Effect"
import type { Form, Question } from "../../domain/form.ts"
import { type Column, type ColumnBlock, optionColumns } from "../../domain/row.ts"
import type { ProfiledColumn } from "../profile/ColumnProfile.ts"
import { vocabulary } from "../words/vocabulary.ts"
import { findBlocks } from "./findBlocks.ts"
import { type Target, targetOf } from "./fit.ts"
import { labelledTitle } from "./labelled.ts"
import { likeness, type Meaning, meaningOf, namesConcept } from "./meaning.ts"
import { rank, type Ranked } from "./rank.ts"
import { suggestOwn, suggestRowKey } from "./recordColumns.ts"
import {
  type Block,
  columnsOf,
  mayAnswer,
  type SuggestedQuestion,
  type Suggestion,
  type Suggestions,
  type ToolHints,
  type Unit,
  wouldFit,
} from "./Suggestion.ts"
import { suggestFromTemplate } from "./template.ts"

/** Returns a title's terms, except those that name given concepts. The columns of one address or person have the same remaining terms. */
const rest = ({ terms }: Meaning, concepts: ReadonlyArray<string>): string =>
  terms.flatMap((term) => term.concepts.some((one) => concepts.includes(one)) ? [] : term.root).toSorted().join(" ")

/** Returns columns that together answer a question: first and last name for a full name, its parts for an address. */
const joined = (
  { expected: { kind }, meaning, question }: Target,
  free: ReadonlyArray<ProfiledColumn>,
): Suggestion | undefined => {
  if (kind !== "text" && kind !== "address") return undefined
  const isName = kind === "text"
  const whole = isName ? ["full name", "name"] : ["address"]
  const parts = Object.entries(isName ? vocabulary.nameParts : vocabulary.addressParts)
  const beside = new Set([rest(meaning, whole)])
  if (isName && beside.has("") && whole.every((one) => !namesConcept(meaning, one))) return undefined
  // Columns that name nobody are not the address of someone else.
  if (!isName && vocabulary.people.every((person) => !namesConcept(meaning, person))) beside.add("")
  const titles = free.map((one) => ({ one, title: meaningOf(labelledTitle(one) ?? one.column.title) }))
  const columns = parts.flatMap(([part, concepts]) => {
    const named = concepts.map((concept) =>
      titles.filter(({ title }) => namesConcept(title, concept) && beside.has(rest(title, [concept])))
    )
    const [only, ...others] = named.find((found) => found.length > 0) ?? []
    return only === undefined || others.length > 0 ? [] : [isName ? only.one : { part, ...only.one }]
  })
  if (columns.length < 2 || new Set(columns.map(({ column }) => column)).size < columns.length) return undefined
  return {
    question,
    origin: { _tag: "Joined", columns },
    confidence: isName ? 0.93 : columns.length > 2 ? 0.95 : 0.85,
    because: [`their titles name ${isName ? "the first and the last name" : "parts of an address"}`],
  }
}

interface SuggestInput {
  readonly form: Form
  readonly columns: ReadonlyArray<ProfiledColumn>
  /** Questions that are spread over several columns, if the file's format shows this. */
  readonly blocks: ReadonlyArray<ColumnBlock>
  readonly tool?: ToolHints | undefined
}

const suggestionOf = ({ because, confidence, target, unit }: Ranked): Suggestion => ({
  question: target.question,
  origin: unit,
  confidence,
  because,
})

/** Returns the candidates for a question that a person must decide. Columns that already answer a different question come last. */
const openQuestion = (
  question: Question,
  ranked: ReadonlyArray<Ranked>,
  used: ReadonlySet<number>,
): SuggestedQuestion => {
  const isUsed = ({ unit }: Ranked) => columnsOf(unit).some(({ position }) => used.has(position))
  const own = ranked.filter((one) => one.target.question === question && !(isUsed(one) && one.confidence < 0.1))
    .toSorted((a, b) => Number(isUsed(a)) - Number(isUsed(b)) || b.confidence - a.confidence).slice(0, 3)
  const [best, next] = own
  const isUnclear = best !== undefined && next !== undefined && best.confidence >= wouldFit
    && next.confidence >= best.confidence / 2
  return {
    question,
    why: best === undefined ? "nothing-fits" : isUnclear ? "several-fit" : "unsure",
    candidates: own.map(suggestionOf),
  }
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
  const candidates = columns.filter((one) => mayAnswer(tool, one) && !used.has(one.column.position))
  const found = findBlocks(candidates, blocks)

  const placeOf = new Map(
    found.flatMap((block) => block.members.map(({ column, role }) => [column.position, { block, role }] as const)),
  )
  // A form may have a separate question for the text of "other", for each row of a grid, or for each rank if it has no question of kind ranking. A
  // block that the file's format does not show may be separate columns.
  const isAskedAlone = ({ column }: ProfiledColumn): boolean => {
    const { block, role } = placeOf.get(column.position) ?? {}
    return !block?.known || role !== "option" || block.content === "labels"
      || (block.content === "places" && targets.every(({ expected }) => expected.kind !== "ranking"))
  }
  const titleOf = ({ position, title, name }: Column) => tool?.labels[position] || title.trim() || (name ?? "")
  const alone = candidates.filter(isAskedAlone).map((one): Unit => ({
    _tag: "Column",
    ...one,
    meaning: meaningOf(labelledTitle(one) ?? titleOf(one.column)),
  }))
  const ranked = yield* rank([...found, ...alone], targets)

  // Either a block answers one question, or each of its columns answers its own question.
  const certain = ranked.filter(({ isAccepted }) => isAccepted)
  const single = new Set(certain.flatMap(({ unit }) => unit._tag === "Column" ? [unit.column.position] : []))
  const rowsOf = ({ members }: Block) => optionColumns(members).map(({ column }) => column.position)
  const isWhole = (block: Block) => rowsOf(block).filter((position) => single.has(position)).length <= 1
  const inWhole = new Set(certain.flatMap(({ unit }) => unit._tag === "Block" && isWhole(unit) ? rowsOf(unit) : []))
  for (const one of certain) {
    const { unit } = one
    if (unit._tag === "Block" ? isWhole(unit) : !inWhole.has(unit.column.position)) accept(suggestionOf(one))
  }
  for (const target of targets.filter(({ question }) => isOpen(question))) {
    const one = joined(
      target,
      candidates.filter(({ column: { name, position } }) => name !== undefined && !used.has(position)),
    )
    if (one !== undefined) accept(one)
  }

  const urlParameters = form.urlParameters.flatMap((element) => {
    const named = columns.filter(({ column }) => column.name !== undefined)
    const likenesses = named.map(({ column }) => likeness(meaningOf(column.title), meaningOf(element.name)))
    const alike = named.filter((_, at) => likenesses[at]!.value >= 0.99 && !likenesses[at]!.opposed)
    const same = named.filter((_, at) => likenesses[at]!.same)
    const [only, ...others] = same.length > 0 ? same : alike
    return only === undefined || others.length > 0 ? [] : [{ element, from: { ...only, because: "the same name" } }]
  })
  for (const { from } of urlParameters) used.add(from.column.position)

  const questions = form.questions.map((question) => {
    const one = accepted.find((one) => one.question === question)
    return one === undefined ? openQuestion(question, ranked, used) : { question, accepted: one, candidates: [one] }
  })
  const own = suggestOwn({ columns, tool, used })
  const rowKey = suggestRowKey(columns, tool)
  const taken = new Set([...used, ...Object.values(own).flatMap((one) => one?.column.position ?? [])])
  const rest = columns.filter(({ column: { name, position } }) =>
    !taken.has(position) && (name === undefined || !rowKey.names.includes(name))
  )
  const isAnswer = (one: ProfiledColumn) => mayAnswer(tool, one)
  const suggestions: Suggestions = {
    form,
    tool: tool?.title,
    questions,
    urlParameters,
    ...own,
    rowKey,
    left: rest.filter((one) => !isAnswer(one) && one.column.name !== undefined).map(({ column }) => column),
    unmapped: rest.filter(isAnswer).map(({ column }) => column),
    blocks: found.filter(({ known }) => known),
  }
  return suggestions
})
