import { oneLine } from "../domain/words.ts"
import { collectLabels, type ColumnLabels, type DefinitionFormat, labelsOf, plainText } from "./Labels.ts"

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members => typeof value === "object" && value !== null

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : ""

/** A choice of a question, or an answer of a grid. */
interface Choice {
  readonly id: string
  /** Its code in cells and in names of columns: its recode value, otherwise its id. */
  readonly code: string
  readonly label: string
  /** Whether a respondent can write a text next to it. */
  readonly text: boolean
}

/** Reads choices or answers: members by id, or a list whose ids are the indexes. If there are none, Qualtrics writes an empty list. */
const choicesOf = (value: unknown, recoded: unknown): ReadonlyArray<Choice> =>
  Object.entries(isMembers(value) ? value : {}).map(([id, choice]) => ({
    id,
    code: (isMembers(recoded) ? textOf(recoded[id]) : "") || id,
    label: isMembers(choice) ? plainText(textOf(choice["Display"])) : "",
    text: isMembers(choice) && choice["TextEntry"] !== undefined && String(choice["TextEntry"]) !== "false",
  }))

const labelsIn = (choices: ReadonlyArray<Choice>): ReadonlyMap<string, string> =>
  labelsOf(choices.filter(({ label }) => label !== "").map(({ code, label }) => [code, label] as const))

/** Selectors of questions with several answers. */
const several = new Set(["MAVR", "MAHR", "MACOL", "MSB"])

type Column = readonly [title: string, labels: ColumnLabels]

/** Types of questions without answers. */
const unanswered = new Set(["DB", "Timing", "Meta"])

/** Returns the columns that a question may have: one for the whole question, then one for each of its parts. */
const columnsOf = (question: Members): ReadonlyArray<Column> => {
  const tag = oneLine(textOf(question["DataExportTag"]))
  const type = textOf(question["QuestionType"])
  if (tag === "" || unanswered.has(type)) return []
  const title = plainText(textOf(question["QuestionText"]))
  const recoded = question["RecodeValues"]
  const isGrid = type === "Matrix"
  const choices = choicesOf(question["Choices"], isGrid ? undefined : recoded)
  const answers = isGrid ? choicesOf(question["Answers"], recoded) : []
  const named = question["ChoiceDataExportTags"]
  const part = (name: string, code: string, label: string, options: ColumnLabels["options"] = new Map()): Column => [
    name,
    { title, part: { code, label }, options },
  ]
  const isSingle = type === "MC" && !several.has(textOf(question["Selector"]))
  const parts = choices.flatMap(({ code, id, label, text }): ReadonlyArray<Column> => {
    const own = isGrid && isMembers(named) ? oneLine(textOf(named[id])) : ""
    const name = own === "" ? `${tag}_${code}` : own
    const ticked = isGrid && textOf(question["SubSelector"]) === "MultipleAnswer"
    return [
      ...(ticked
        ? answers.map((one) => part(`${name}_${one.code}`, `${code}_${one.code}`, `${label} - ${one.label}`))
        : isSingle
        ? []
        : [part(name, code, label, labelsIn(answers))]),
      ...(text ? [part(`${name}_TEXT`, code, `${label} - Text`)] : []),
    ]
  })
  return [
    [tag, {
      title,
      options: labelsIn(type === "MC" ? choices : []),
      ...(type === "MC" && !isSingle ? { split: "," } : {}),
    }],
    ...parts,
  ]
}

/** A survey that was exported from Qualtrics: a .qsf file, which is JSON. */
export const qualtricsSurvey: DefinitionFormat = {
  title: "Qualtrics survey",
  read: (definition) => {
    if (definition._tag !== "Json" || !isMembers(definition.value)) return undefined
    const elements = definition.value["SurveyElements"]
    if (elements === undefined) return undefined
    const found = Object.values(isMembers(elements) ? elements : {}).filter(isMembers)
    const payloads = (element: string) =>
      found.filter((one) => one["Element"] === element).flatMap(({ Payload }) => isMembers(Payload) ? [Payload] : [])
    const questions = payloads("SQ")
    if (questions.length === 0) {
      return "Its `SurveyElements` contain no question (`Element: SQ`). Export the survey again."
    }
    const trashed = new Set(
      payloads("BL").flatMap((blocks) => Object.values(blocks)).filter(isMembers)
        .filter(({ Type }) => Type === "Trash")
        .flatMap(({ BlockElements }) => isMembers(BlockElements) ? Object.values(BlockElements) : [])
        .flatMap((one) => isMembers(one) ? [textOf(one["QuestionID"])] : []),
    )
    const all = questions.filter(({ QuestionID }) => !trashed.has(textOf(QuestionID))).map(columnsOf)
    // A question may have the same name as a part of another question. Then the question comes first.
    return collectLabels([
      ...all.flatMap((columns) => columns.slice(0, 1)),
      ...all.flatMap((columns) => columns.slice(1)),
    ])
  },
}
