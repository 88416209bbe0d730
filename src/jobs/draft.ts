// A pipeline whose text is being edited: what its columns mean, what is wrong and open, and edits that keep comments and order.
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import { allFindings } from "../domain/diagnostic.ts"
import type { Candidate, DraftState, Edited, QuestionState, ShownSurvey } from "../domain/draft.ts"
import { calledName, type Form, names, optionNamer, type Question } from "../domain/form.ts"
import type { Json } from "../domain/json.ts"
import { blockNamed } from "../domain/row.ts"
import { entryColumns } from "../mapping/ColumnBook.ts"
import { redirectingEntries } from "../mapping/textRedirects.ts"
import { cellsIn } from "../profile/ColumnProfile.ts"
import { loadProject, type PipelineDraftText } from "../project/loadProject.ts"
import type { MappingEntry } from "../project/Pipeline.ts"
import { confidencesIn, isOpen, proposals, shownConfidence } from "../project/pipelineEdits.ts"
import { parseYaml, textAt } from "../project/yamlText.ts"
import { ownColumns } from "../source/fixed.ts"
import { columnsOf, type Origin } from "../suggest/Suggestion.ts"
import { checkProject } from "./check.ts"
import type { Answers, FormEdit } from "./draftEdit.ts"
import { editText } from "./editText.ts"
import { firstRows } from "./firstRows.ts"
import { inspecting } from "./inspect.ts"
import { type OpenParts, openParts, type PartsOptions } from "./prepare.ts"
import { ignoredQuestions, openTimes } from "./review.ts"
import {
  candidateOf,
  isNamed,
  originWith,
  readingsOf,
  reviewedEntries,
  type ReviewedEntry,
  shownInput,
  suggestedFor,
} from "./reviewedEntry.ts"
import { initRefused, surveySource } from "./suggestMapping.ts"
import { unusedColumns } from "./unusedColumns.ts"

export interface DraftOptions extends Pick<PartsOptions, "guard" | "services"> {
  readonly root: string
}

/** Returns the name of a draft's pipeline: as its text says, otherwise as its file does. */
const nameIn = ({ pipeline, text }: PipelineDraftText): string => textAt(parseYaml("", text), ["pipeline"]) ?? pipeline

export interface OpenDraft extends OpenParts {
  readonly text: string
}

/** Loads the project with a draft in place of its file. */
export const loadDraft = ({ guard = identity, root }: DraftOptions, draft: PipelineDraftText) =>
  Effect.map(loadProject(root, { pipelines: [nameIn(draft)], draft }), (project) => ({
    name: nameIn(draft),
    project: guard(project),
  }))

/** Opens a draft's source and fetches its form. Omits entries with mistakes. */
export const openDraft = ({ guard, root, services }: DraftOptions, draft: PipelineDraftText) =>
  Effect.map(
    openParts(root, nameIn(draft), { draft, guard, services }),
    (parts): OpenDraft => ({ ...parts, text: draft.text }),
  )

/** Reads a draft's source: its columns, and which of them may answer the form's questions. The result doesn't depend on the draft's mapping. */
export const surveyDraft = (
  { form, source }: Pick<OpenDraft, "form" | "source">,
  whole: boolean,
  note?: (row: number) => void,
) =>
  Effect.gen(function*() {
    const { isCut, source: first } = firstRows(source, whole, note)
    const columns = ownColumns(source.columns)
    const own = { ...first, columns }
    const inspector = inspecting(own)
    const { complete, ...surveyed } = yield* surveySource(own, form, columns, undefined, inspector.add)
    const inspection = yield* inspector.ended({ stray: surveyed.stray, profiles: complete() })
    return { inspection, ...surveyed, isWhole: !isCut() }
  })

export type DraftSurvey = Effect.Effect.Success<ReturnType<typeof surveyDraft>>

/** Returns a form's questions with the columns that may answer each. Positions count from 1. */
const candidatesIn = ({ suggestions }: Pick<DraftSurvey, "suggestions">, form: Form) =>
  form.questions.map((question) => ({
    ...question,
    name: calledName(question),
    candidates: suggestedFor(suggestions, question).filter(({ origin }) => isNamed(origin)).map((one): Candidate => {
      const { because, cells, confidence, shown } = candidateOf(one)
      const columns = columnsOf(one.origin).map(({ position }) => position + 1)
      return { because, cells, confidence: shownConfidence(confidence), shown, columns }
    }),
  }))

/** Returns what a survey has found, as it is shown. */
export const shownSurvey = ({ form, source: { changedAt } }: OpenDraft, survey: DraftSurvey): ShownSurvey => {
  const { columns, rowKey, rows, tool, warnings } = survey.inspection
  const questions = candidatesIn(survey, form)
  return { rows, isWhole: survey.isWhole, changedAt, warnings, tool: tool?.title, columns, questions, rowKeys: rowKey }
}

/** Says what is wrong and what is open in a draft. Reads the source's header, not its rows. Writes nothing. */
export const draftState = (options: DraftOptions, draft: PipelineDraftText) =>
  Effect.gen(function*() {
    const { guard, root, services } = options
    const checked = yield* checkProject(root, [nameIn(draft)], { draft, guard, services })
    const opened = yield* Effect.option(openDraft(options, draft))
    return {
      diagnostics: allFindings(checked),
      failures: checked.pipelines.flatMap(({ failures }) => failures.map(({ message }) => message)),
      ...(opened._tag === "Some"
        ? stateOf(opened.value)
        : { questions: [], unused: [], rowKey: "open", proposals: [], openTimes: [] }),
    } satisfies DraftState
  })

const stateOf = ({ form, pipeline, source, text }: OpenDraft): Omit<DraftState, "diagnostics" | "failures"> => {
  const { mapping } = pipeline
  const positions = new Map(
    source.columns.flatMap(({ name, position }) => name === undefined ? [] : [[name, position + 1]]),
  )
  const isCommented = isOpen(text)
  const confidenceOf = confidencesIn(text)
  const columnsIn = (entry: MappingEntry): ReadonlyArray<number> => {
    const { input } = entry
    const block = input._tag === "Block"
      ? blockNamed(source.blocks, input.title)?.columns ?? []
      : []
    return [
      ...block.map(({ position }) => position + 1),
      ...entryColumns(entry).flatMap(({ name }) => positions.get(name) ?? positions.get(name.trim()) ?? []),
    ]
  }
  const redirecting = redirectingEntries(mapping.questions, form.questions)
  const ignored = ignoredQuestions(mapping, form.questions)
  const question = (question: Question): QuestionState => {
    const entry = mapping.questions.find((one) => names(one, question))
    const redirect = redirecting.get(question.id)
    const written = entry ?? redirect
    return {
      id: question.id,
      state: entry !== undefined
        ? "mapped"
        : redirect !== undefined
        ? "redirected"
        : ignored.has(question)
        ? "unanswered"
        : isCommented(question.id)
        ? "open"
        : "missing",
      from: entry === undefined ? [] : [...new Set(columnsIn(entry))],
      shown: entry !== undefined
        ? shownInput(entry)
        : redirect && form.questions.find((one) => names(redirect, one))?.name,
      as: entry?.as,
      confidence: entry === undefined ? undefined : confidenceOf(question),
      required: entry?.required === true,
      // As they are in the file.
      options: (entry?.options ?? {}) as { readonly [key: string]: Json },
      line: written === undefined ? undefined : pipeline.document.at(written.path, "key").line,
    }
  }
  const { rowKey = source.tool?.defaultRowKey } = pipeline.source
  return {
    questions: form.questions.map(question),
    unused: unusedColumns(pipeline, source).map(({ position }) => position + 1),
    rowKey: rowKey === undefined
      ? "open"
      : rowKey === "content"
      ? rowKey
      : rowKey.map((one) => typeof one === "string" ? one : one.name),
    proposals: proposals(text),
    openTimes: openTimes(mapping, text),
  }
}

/** Changes the entry of a question or a time. Tries it on the first rows, and says what is open about it. */
export const editEntry = (
  { form, text }: Pick<OpenDraft, "form" | "text">,
  survey: Pick<DraftSurvey, "profiles" | "suggestions">,
  edit: FormEdit,
) =>
  Effect.gen(function*() {
    if (edit._tag === "MapTime") {
      const column = survey.suggestions[edit.of]
      if (column === undefined) {
        return yield* initRefused(`No column seems to contain the ${edit.of}: write it in the text.`)
      }
      const made = reviewedEntries.entryForTime({ of: edit.of, column })
      return yield* withEntry(text, "own", made, cellsOf({ _tag: "Column", ...column }), edit.answers)
    }
    const question = form.questions.find(({ id }) => id === edit.question)
    if (question === undefined) return yield* initRefused(`The form has no question with the id ${edit.question}.`)
    if (edit._tag === "LeaveUnanswered") return yield* editText(text, { _tag: "LeaveUnanswered", question })
    const origin = originWith(survey, question, edit.columns)
    if (origin === undefined || !isNamed(origin)) {
      return yield* initRefused("A column has no name. Name it under `source.columns` by its position.")
    }
    const made = reviewedEntries.entryFor(question, origin)
    return yield* withEntry(text, "questions", made, cellsOf(origin), edit.answers)
  })

const cellsOf = (origin: Origin): ReadonlyArray<string> => origin._tag === "Column" ? cellsIn(origin).texts : []

const withEntry = (
  text: string,
  list: "questions" | "own",
  made: ReviewedEntry,
  cells: ReadonlyArray<string>,
  answers: Answers,
) => {
  const given = new Map(Object.entries(answers))
  const entry = made.entry(given)
  return Effect.map(editText(text, { _tag: "PutEntry", list, entry }), ({ text }): Edited => ({
    text,
    entry: {
      kind: made.kind,
      asks: made.asks.map((ask) => ({ ...ask, choices: readingsOf(made.kind, ask, cells) })),
      open: made.open,
      misfit: made.misfit,
      choices: entry.open
        ? []
        : made.choices.map(({ choice, count, likely, question: { options = [] } }) => ({
          choice,
          count,
          likely: likely && optionNamer(options)(likely),
        })),
    },
  }))
}
