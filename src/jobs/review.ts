import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import { type Form, names, type Question } from "../domain/form.ts"
import { type OwnTime, ownTimes } from "../domain/item.ts"
import { reasonOf } from "../domain/systemErrors.ts"
import { optionSplitter } from "../kinds/optionTable.ts"
import { meantBy } from "../mapping/findElement.ts"
import { redirectingEntries } from "../mapping/textRedirects.ts"
import { type ProfiledColumn, profiler } from "../profile/ColumnProfile.ts"
import { type Disk, disk } from "../project/disk.ts"
import { loadProject } from "../project/loadProject.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import { confidencesIn, isOpen, proposals, type SourceProposal, sureFrom } from "../project/pipelineEdits.ts"
import { ownColumns } from "../source/fixed.ts"
import type { Source } from "../source/Source.ts"
import { foreignChoices } from "../suggest/draft/draftChoices.ts"
import { samplesOf } from "../suggest/draft/draftPipeline.ts"
import type { Origin, Suggestion } from "../suggest/Suggestion.ts"
import { suggestRowKey } from "../suggest/toolColumns.ts"
import { choiceQuestions } from "./checkData.ts"
import { type AnyEdit, editText } from "./editText.ts"
import type { JobRefused } from "./JobRefused.ts"
import { replaceFile, versionOf } from "./pipelineFile.ts"
import { openPipelineSource } from "./prepare.ts"
import {
  candidateOf,
  isNamed,
  type OpenChoice,
  openChoices,
  type OpenTime,
  type ReviewCandidate,
  type ReviewedEntries,
  reviewedEntries,
  shownInput,
} from "./reviewedEntry.ts"
import { fetchForm } from "./services.ts"
import { eachRow, type InitOptions, initRefused, labelsFor, type SourceLabels, surveySource } from "./suggestMapping.ts"
import { findFirstTarget } from "./target.ts"
import { compileUnkeyed } from "./translations.ts"
import { unusedColumns } from "./unusedColumns.ts"

/** Something in a pipeline that is open or unsure. */
export type ReviewItem =
  | {
    readonly _tag: "RowKey"
    readonly candidates: ReadonlyArray<{ readonly names: ReadonlyArray<string>; readonly cells: ReadonlyArray<string> }>
    readonly columns: ReadonlyArray<string>
  }
  | ({ readonly _tag: "Proposal" } & SourceProposal)
  | {
    readonly _tag: "Question"
    readonly question: Question
    /** What the file currently says, and how certain that is. Undefined if the file has no entry. */
    readonly written: { readonly from: string; readonly confidence: number } | undefined
    /** The columns that certainly answer it, when the only open point is how to read their cells. */
    readonly sure: Origin | undefined
    readonly candidates: ReadonlyArray<ReviewCandidate>
  }
  | ({ readonly _tag: "Time" } & OpenTime)
  | ({ readonly _tag: "Choice" } & OpenChoice)

/** A pipeline and the decisions in it that are left to a person. */
export interface Review extends ReviewedEntries {
  /** The path of the pipeline's file, relative to the project's folder. */
  readonly file: string
  readonly form: Form
  readonly items: ReadonlyArray<ReviewItem>
  /** Columns that no entry uses. */
  readonly free: ReadonlyArray<ProfiledColumn>
  /** Changes the pipeline's file at once. Fails if the file's layout doesn't allow its lines to be changed. */
  readonly write: (edit: AnyEdit) => Effect.Effect<void, JobRefused, Disk>
}

/** Returns the choices in the cells of existing entries that are not options, the most frequent first. Empty if the mapping doesn't compile. */
const choicesInData = (pipeline: Pipeline, source: Source, form: Form, labels: SourceLabels | undefined) =>
  Effect.gen(function*() {
    const mapping = yield* compileUnkeyed(pipeline, source, form)
    if (mapping === undefined) return []
    const counted = choiceQuestions(pipeline, mapping, form, source)
    if (counted.length === 0) return []
    const profiles = profiler(counted.flatMap(({ columns }) => columns), labels?.of)
    yield* eachRow(source, (cells) => {
      for (const { addRow } of counted) addRow(cells)
      profiles.addRow(cells)
    })
    const byPosition = new Map(profiles.profiles().map((one) => [one.column.position, one]))
    return counted.flatMap(({ columns, counter, kind, question }) => {
      const [one] = columns.flatMap(({ position }) => byPosition.get(position) ?? [])
      if (one === undefined) return []
      // The columns of a grid have the same options, and mostly the same cells.
      const suggestion: Suggestion = { question, origin: { _tag: "Column", ...one }, confidence: 1, because: [] }
      return openChoices({ question, kind }, foreignChoices(suggestion, counter.unknown().counts))
    })
  })

/** Returns the names in a list that a person typed, separated by commas. A column's name may contain commas. */
export const columnsTyped = (text: string, columns: ReadonlyArray<string>): ReadonlyArray<string> => {
  const split = optionSplitter(",", { has: (name) => columns.includes(name), names: columns })
  return typeof split === "function" ? split(text) : []
}

export type ReviewOptions = Pick<InitOptions, "guard" | "labels">

/** Returns the questions that a pipeline leaves unanswered on purpose. */
export const ignoredQuestions = (
  { ignoreQuestions }: Pipeline["mapping"],
  questions: ReadonlyArray<Question>,
): ReadonlySet<Question> => new Set(ignoreQuestions.flatMap(({ name }) => meantBy(name, questions)))

export const openTimes = (mapping: Pipeline["mapping"], text: string): ReadonlyArray<OwnTime> => {
  const isCommented = isOpen(text)
  return ownTimes.filter((of) => mapping[of] === undefined && isCommented(of))
}

/** Returns the question about the row key if the pipeline has none. Reads the source. */
const rowKeyItems = (pipeline: Pipeline, source: Source) =>
  Effect.gen(function*() {
    if (pipeline.source.rowKey !== undefined || source.tool?.defaultRowKey !== undefined) return []
    const keyed = profiler(source.columns)
    yield* eachRow(source, keyed.addRow)
    const item: ReviewItem = {
      _tag: "RowKey",
      candidates: suggestRowKey(keyed.profiles(), source.tool).candidates.flatMap((one) =>
        one.column.name === undefined ? [] : [{ names: [one.column.name], cells: samplesOf(one) }]
      ),
      columns: source.columns.flatMap(({ name }) => name ?? []),
    }
    return [item]
  })

/** Opens a pipeline, and finds the decisions in it that are open or unsure. */
export const openReview = (root: string, name: string, { guard = identity, labels }: ReviewOptions = {}) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const project = guard(yield* loadProject(root, { pipelines: [name] }))
    const { pipeline, target } = yield* findFirstTarget(project, name)
    const opened = yield* openPipelineSource(pipeline, undefined)
    const columns = ownColumns(opened.columns)
    const source: Source = { ...opened, columns }
    const form = yield* fetchForm(project, target.service, target.form)
    const file = path.join(root, pipeline.document.file)
    const { text } = pipeline.document
    const { mapping } = pipeline
    const entryOf = (question: Question) => mapping.questions.find((entry) => names(entry, question))
    const redirecting = redirectingEntries(mapping.questions, form.questions)
    const ignored = ignoredQuestions(mapping, form.questions)
    const asked = form.questions.filter((question) => !ignored.has(question) && !redirecting.has(question.id))
    const described = yield* labelsFor(labels, columns, pipeline.source.combine !== undefined)
    const { profiles, suggestions } = yield* surveySource(
      source,
      { ...form, questions: asked.filter((question) => entryOf(question) === undefined) },
      unusedColumns(pipeline, source),
      described,
    )
    const confidenceOf = confidencesIn(text)
    const questionItems = (question: Question): ReadonlyArray<ReviewItem> => {
      const entry = entryOf(question)
      const confidence = confidenceOf(question)
      if (entry !== undefined && (confidence === undefined || confidence >= sureFrom)) return []
      const { accepted, candidates = [] } = suggestions.questions.find((one) => one.question.id === question.id) ?? {}
      const isSure = accepted !== undefined && accepted.confidence >= sureFrom && isNamed(accepted.origin)
      return [{
        _tag: "Question",
        question,
        written: entry === undefined || confidence === undefined ? undefined : { confidence, from: shownInput(entry) },
        sure: isSure ? accepted.origin : undefined,
        candidates: candidates.filter(({ origin }) => isNamed(origin)).map(candidateOf),
      }]
    }
    const items: ReadonlyArray<ReviewItem> = [
      ...(yield* rowKeyItems(pipeline, source)),
      ...proposals(text).map((one) => ({ _tag: "Proposal" as const, ...one })),
      ...asked.flatMap(questionItems),
      ...openTimes(mapping, text).flatMap((of): ReadonlyArray<ReviewItem> => {
        const column = suggestions[of]
        return column === undefined ? [] : [{ _tag: "Time", of, column }]
      }),
      ...(yield* choicesInData(pipeline, source, form, described)).map((one) => ({ _tag: "Choice" as const, ...one })),
    ]

    return {
      file: pipeline.document.file,
      form,
      items,
      free: profiles.filter(({ column }) => column.name !== undefined),
      ...reviewedEntries,
      write: (edit) =>
        Effect.gen(function*() {
          const now = yield* fs.readFileString(file)
          const shown = pipeline.document.file
          const changed = yield* editText(now, edit, shown)
          yield* replaceFile({ file, shown, text: changed.text, version: versionOf(now) })
        }).pipe(Effect.catchTags({
          BadArgument: Effect.die,
          FileChanged: ({ message }) => initRefused(`${message} Run \`init --review\` again.`),
          SystemError: (error) => initRefused(`${pipeline.document.file} can't be written: ${reasonOf(error)}.`),
        })),
    } satisfies Review
  })
