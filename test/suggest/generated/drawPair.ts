// Draws an export and a form, with the expected mapping.
import type { Form, Question } from "../../../src/domain/form.ts"
import { Draws } from "../../faults/Draws.ts"
import { drawField, drawGrid, drawIndex, drawLabels, type Field, optionsOf, otherWords, shuffled } from "./fields.ts"
import { fileOf, type Part, type Sheet, wordsFor } from "./sheet.ts"
import { type Style, tools } from "./tools.ts"
import { type Grid, type Language, languages, type Topic, type TopicKind, type Topics } from "./topics.ts"

/** How a question's title relates to the column's title. `unnamed`: the file does not contain the title. */
export type Relation = "same" | "reworded" | "translated" | "technical" | "unnamed"

/** Columns that answer a question. A suggestion must contain all of `needs`, and may contain some of `allows`. */
export interface Origins {
  readonly needs: ReadonlySet<number>
  readonly allows: ReadonlySet<number>
}

/** A question of the form, with the columns that a person would map to it. */
export interface Asked {
  readonly question: Question
  readonly kind: TopicKind | "grid"
  readonly relation: Relation
  /** The field and the part that the question asks for, or undefined if no column answers it. */
  readonly of: { readonly field: Field; readonly part: Part } | undefined
  /** The correct suggestions. If there are none, the question must stay open. */
  readonly origins: ReadonlyArray<Origins>
  /** The values of the form's options, by their text in the export. */
  readonly meanings: ReadonlyMap<string, string>
}

export interface Pair {
  readonly seed: number
  readonly style: Style
  readonly language: Language
  readonly formLanguage: Language
  readonly isTyped: boolean
  readonly responses: number
  readonly fields: ReadonlyArray<Field>
  readonly sheet: Sheet
  readonly file: { readonly name: string; readonly bytes: Uint8Array }
  readonly form: Form
  readonly asked: ReadonlyArray<Asked>
}

/** The service's question types for each kind. */
const types: Readonly<Record<TopicKind | "grid", readonly [string, ...Array<string>]>> = {
  text: ["ShortAnswer"],
  longText: ["LongAnswer"],
  email: ["EmailInput"],
  phone: ["PhoneNumber"],
  number: ["NumberInput"],
  date: ["DatePicker"],
  time: ["TimePicker"],
  boolean: ["Switch", "Switch", "Checkbox", "MultipleChoice"],
  choice: ["MultipleChoice", "Dropdown"],
  choices: ["Checkboxes", "MultiSelect"],
  scale: ["OpinionScale", "StarRating"],
  address: ["Address"],
  grid: ["Matrix"],
}

/** A topic or grid, and whether the export and the form contain it. */
interface Item {
  readonly subject: { readonly _tag: "Topic"; readonly topic: Topic } | { readonly _tag: "Grid"; readonly grid: Grid }
  readonly inExport: boolean
  readonly inForm: boolean
}

const kindOf = ({ subject }: Item) => (subject._tag === "Topic" ? subject.topic.kind : "grid")

/**
 * Draws the topics of an export and a form. Of the form's questions, 10 to 30% are new, most of them decoys, and of the columns as many are
 * not asked. Half of the decoys have the kind of a column that is not asked, and may take its place.
 */
const drawItems = (draws: Draws, { decoys, grids, topics }: Topics, hasGrids: boolean): ReadonlyArray<Item> => {
  const count = draws.int(8, Math.min(25, Math.floor(topics.length / 1.4)))
  const alone = () => Math.max(1, Math.round(count * draws.int(10, 30) / 100))
  const [columns, questions] = [alone(), alone()]
  const asked = Math.min(Math.floor(questions / 3), topics.length - count - columns)
  const all = shuffled(draws, topics).slice(0, count + columns + asked)
  const items = all.map((topic, at): Item => ({
    subject: { _tag: "Topic", topic },
    inExport: at < count + columns,
    inForm: at < count || at >= count + columns,
  }))
  const grid = hasGrids && draws.chance(0.4) ? grids[drawIndex(draws, grids)] : undefined
  const drawn = [...shuffled(draws, [
    ...items,
    ...(grid === undefined ? [] : [{ subject: { _tag: "Grid", grid }, inExport: true, inForm: true } as const]),
  ])]
  const left = [...shuffled(draws, decoys)]
  for (let decoy = asked; decoy < questions; decoy++) {
    const unasked = draws.chance(0.5) ? shuffled(draws, drawn.filter(({ inForm }) => !inForm)) : []
    const beside = unasked.find((item) => left.some(({ kind }) => kind === kindOf(item)))
    const at = beside === undefined ? 0 : left.findIndex(({ kind }) => kind === kindOf(beside))
    const place = beside !== undefined && draws.chance(0.5) ? drawn.indexOf(beside) : drawIndex(draws, drawn)
    const subjects = left.splice(at, 1).map((topic) => ({ _tag: "Topic", topic }) as const)
    drawn.splice(place + 1, 0, ...subjects.map((subject) => ({ subject, inExport: false, inForm: true })))
  }
  return drawn
}

const wordingsOf = ({ subject }: Item, language: Language): ReadonlyArray<string> =>
  (subject._tag === "Topic" ? subject.topic : subject.grid).wordings[language]

/** Draws the form's wording. In 40% of the draws it is the export's wording. */
const drawWording = (draws: Draws, wordings: ReadonlyArray<string>, used: number): number => {
  if (wordings.length === 1 || draws.chance(0.4)) return used
  return (used + draws.int(1, wordings.length - 1)) % wordings.length
}

const sidesOf = (draws: Draws) => {
  const language = draws.pick([...languages])
  const others = languages.filter((one) => one !== language)
  return { language, formLanguage: draws.chance(0.8) ? language : others[drawIndex(draws, others)] ?? language }
}

const originsOf = (sheet: Sheet, of: Asked["of"]): ReadonlyArray<Origins> => {
  if (of === undefined) return []
  const positions = (isPart: (part: Part) => boolean) =>
    new Set(
      sheet.columns.flatMap((column, position) =>
        column.of?.field === of.field && isPart(column.of.part) ? [position] : []
      ),
    )
  const { part } = of
  if (part._tag === "Row") {
    return [{ needs: positions((one) => one._tag === "Row" && one.row === part.row), allows: new Set() }]
  }
  if (part._tag === "Other") return [{ needs: positions(({ _tag }) => _tag === "Other"), allows: new Set() }]
  const [whole, options, rows, other] = (["Whole", "Option", "Row", "Other"] as const).map((tag) =>
    positions(({ _tag }) => _tag === tag)
  )
  const none = new Set<number>()
  return [
    { needs: whole ?? none, allows: none },
    { needs: options ?? none, allows: new Set([...other ?? none, ...whole ?? none]) },
    { needs: rows ?? none, allows: none },
  ].filter(({ needs }) => needs.size > 0)
}

interface FormSide {
  readonly draws: Draws
  readonly style: Style
  readonly sheet: Sheet
  readonly language: Language
  readonly formLanguage: Language
  readonly isTyped: boolean
  readonly hasOptions: boolean
}

type Draft = Omit<Asked, "origins" | "question"> & { readonly question: Omit<Question, "id"> }

/** Returns the texts of an option in a file: in cells, and in the header of a column for this option. */
export const namesIn = (sheet: Sheet, field: Field, option: number): ReadonlyArray<string> => {
  const headers = sheet.columns.flatMap(({ of }) =>
    of?.field === field && of.part._tag === "Option" && of.part.option === option ? [of.part.name] : []
  )
  return [...new Set([sheet.speech.option(field, option), ...headers])].filter((text) => text !== "")
}

const topicQuestion = (
  topic: Topic,
  name: string,
  field: Field | undefined,
  relation: Relation,
  side: FormSide,
): Draft => {
  const { draws, formLanguage, hasOptions, isTyped, style } = side
  const type = draws.pick([...types[topic.kind]])
  const made = optionsOf(topic, {
    draws,
    language: formLanguage,
    hasOther: field?.other !== undefined,
    isReworded: draws.chance(0.35),
  })
  const isYesNo = topic.kind === "boolean" && type === "MultipleChoice"
  const knowsCodes = field !== undefined && style.writes !== "label" && draws.chance(0.5)
  const hasIds = draws.chance(0.2)
  const options = isYesNo
    ? wordsFor(formLanguage).map((label) => ({ value: label, label }))
    : made.options.map(({ label }, at) => ({
      value: knowsCodes ? side.sheet.speech.option(field, at) : hasIds ? `opt_${at}${topic.id[0].length}` : label,
      label,
    }))
  const meanings = field === undefined
    ? []
    : options.flatMap(({ value }, at) =>
      isYesNo
        ? [[at === 0 ? side.sheet.speech.yes : side.sheet.speech.no, value] as const]
        : namesIn(side.sheet, field, at).map((text) => [text, value] as const)
    )
  const listed = options.length > 0 && hasOptions
    ? draws.chance(0.15) ? shuffled(draws, options) : options
    : undefined
  return {
    question: { name, type: isTyped ? type : undefined, options: listed },
    kind: topic.kind,
    relation,
    of: field === undefined ? undefined : { field, part: { _tag: "Whole" } },
    meanings: listed === undefined ? new Map() : new Map(meanings),
  }
}

const gridQuestions = (
  grid: Grid,
  name: string,
  field: Field,
  relation: Relation,
  side: FormSide,
): ReadonlyArray<Draft> => {
  const { draws, formLanguage, hasOptions, isTyped, language } = side
  const labels = drawLabels(draws, grid.options.map((option) => [option[formLanguage]]), false)
  const options = hasOptions ? labels.map((label) => ({ value: label, label })) : undefined
  const meanings = new Map(labels.map((label, at) => [side.sheet.speech.option(field, at), label] as const))
  if (draws.chance(0.7)) {
    const type = isTyped ? "Matrix" : undefined
    return [{
      question: { name, type, options },
      kind: "grid",
      relation,
      of: { field, part: { _tag: "Whole" } },
      meanings,
    }]
  }
  // The form has a separate question for each row.
  const isLong = draws.chance(0.5)
  const ofRows = language !== formLanguage
    ? "translated"
    : side.style.isTechnical
    ? "technical"
    : isLong
    ? relation
    : "same"
  return grid.rows.map((row, at): Draft => ({
    question: {
      name: isLong ? `${name} ${row[formLanguage]}` : row[formLanguage],
      type: isTyped ? "MultipleChoice" : undefined,
      options,
    },
    kind: "choice",
    relation: ofRows,
    of: { field, part: { _tag: "Row", row: at } },
    meanings,
  }))
}

const relationOf = (side: FormSide, field: Field, isSame: boolean): Relation =>
  side.style.isTechnical
    ? "technical"
    : side.style.tool === "typeform" && field.kind === "choices"
    ? "unnamed"
    : side.language !== side.formLanguage
    ? "translated"
    : isSame
    ? "same"
    : "reworded"

/**
 * Draws a pair. The same seed always gives the same pair, and consecutive seeds use the tools and their layouts in
 * turn.
 */
export const drawPair = (seed: number, topics: Topics): Pair => {
  // Neighbouring seeds would start with similar draws, so the seed is mixed.
  const draws = new Draws(Math.imul(seed, 2_654_435_761) >>> 0)
  const layouts = tools[seed % tools.length] ?? tools[0]
  const style = layouts[Math.floor(seed / tools.length) % layouts.length] ?? layouts[0]
  const { formLanguage, language } = sidesOf(draws)
  const items = drawItems(draws, topics, style.hasGrids)
  const responses = draws.int(12, 60)
  const names = new Set<string>()
  const wordings = new Map(items.map((item) => [item, drawIndex(draws, wordingsOf(item, language))]))
  const made = new Map(
    items.filter(({ inExport }) => inExport).map((item) => {
      const title = wordingsOf(item, language)[wordings.get(item) ?? 0] ?? ""
      const plan = { draws, language, title, responses }
      if (item.subject._tag === "Grid") return [item, drawGrid(item.subject.grid, plan)] as const
      const { topic } = item.subject
      const name = shuffled(draws, topic.id).find((id) => !names.has(id)) ?? `${topic.id[0]}_${names.size}`
      names.add(name)
      const hasOther = (topic.kind === "choice" || topic.kind === "choices") && draws.chance(0.2)
      return [item, drawField(topic, { ...plan, name, hasOther })] as const
    }),
  )
  const inOrder = [...made.values()]
  const fields = draws.chance(0.2) ? shuffled(draws, inOrder) : inOrder
  const sheet = style.write({ draws, language, fields, responses })
  const isTyped = draws.chance(0.8)
  const side: FormSide = {
    draws,
    style,
    sheet,
    language,
    formLanguage,
    isTyped,
    hasOptions: isTyped || draws.chance(0.5),
  }
  const drafts = items.filter(({ inForm }) => inForm).flatMap((item): ReadonlyArray<Draft> => {
    const used = wordings.get(item) ?? 0
    const all = wordingsOf(item, formLanguage)
    const at = drawWording(draws, all, Math.min(used, all.length - 1))
    const name = all[at] ?? ""
    // A decoy with the technical name of a topic asks what that topic asks.
    const same = items.find(({ inForm, subject }) =>
      !inForm && item.subject._tag === "Topic" && subject._tag === "Topic"
      && subject.topic.id.includes(item.subject.topic.topic)
    )
    const field = made.get(item) ?? (same === undefined ? undefined : made.get(same))
    const relation = field === undefined ? "unnamed" : relationOf(side, field, name === field.title)
    if (item.subject._tag === "Grid") {
      return field === undefined ? [] : gridQuestions(item.subject.grid, name, field, relation, side)
    }
    const asked = topicQuestion(item.subject.topic, name, field, relation, side)
    if (field?.other === undefined || !style.hasOtherColumn || !draws.chance(0.35)) return [asked]
    const ask = draws.pick([...otherWords[formLanguage].ask, `${name} – ${otherWords[formLanguage].label}`] as [string])
    return [asked, {
      question: { name: ask, type: isTyped ? "ShortAnswer" : undefined, options: undefined },
      kind: "text",
      relation: relation === "same" ? "reworded" : relation,
      of: { field, part: { _tag: "Other" } },
      meanings: new Map(),
    }]
  })
  const asked = drafts.map((draft, at): Asked => ({
    ...draft,
    question: { id: `q${at + 1}`, ...draft.question },
    origins: originsOf(sheet, draft.of),
  }))
  const form: Form = {
    id: `form-${seed}`,
    name: "Form",
    questions: asked.map(({ question }) => question),
    calculations: [],
    urlParameters: [],
    scheduling: [],
    payments: [],
    quiz: undefined,
  }
  return { seed, style, language, formLanguage, isTyped, responses, fields, sheet, file: fileOf(sheet), form, asked }
}
