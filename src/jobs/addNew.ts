import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import { calledName, type Form, names } from "../domain/form.ts"
import { type OwnMember, ownMembers } from "../domain/item.ts"
import { canonicalJson } from "../domain/json.ts"
import { type Column, nameOrNumber } from "../domain/row.ts"
import { disk } from "../project/disk.ts"
import { type FormRecord, readFormRecord, recordOf, writeFormRecord } from "../project/formRecord.ts"
import { loadProject } from "../project/loadProject.ts"
import { addToPipeline } from "../project/PipelineDraft.ts"
import { isOpen, proposedSourceKey } from "../project/pipelineEdits.ts"
import { keyColumns } from "../project/sourceSection.ts"
import { ownColumns } from "../source/fixed.ts"
import { draftEntries } from "../suggest/draft/draftPipeline.ts"
import { columnsOf, type Suggestions } from "../suggest/Suggestion.ts"
import { refreshEditorSchema } from "./editorSchema.ts"
import { replaceFile, versionOf } from "./pipelineFile.ts"
import { openPipelineSource } from "./prepare.ts"
import { openTimes } from "./review.ts"
import { isNamed } from "./reviewedEntry.ts"
import { fetchForm } from "./services.ts"
import {
  type Initialised,
  type InitOptions,
  initRefused,
  labelsFor,
  openNames,
  summaryOf,
  surveySource,
} from "./suggestMapping.ts"
import { findFirstTarget } from "./target.ts"
import { translationsIn } from "./translations.ts"
import { unusedColumns } from "./unusedColumns.ts"

/** Returns the suggestions for questions and columns that the record lacks. */
const newOnly = (suggestions: Suggestions, record: FormRecord | undefined): Suggestions => {
  if (record === undefined) return suggestions
  const known = new Set(record.form.questions.map(({ id }) => id))
  const titles = record.columns === undefined ? undefined : new Set(record.columns)
  const isNew = (columns: ReadonlyArray<Column>) =>
    titles === undefined || columns.some(({ title }) => !titles.has(title))
  const own = <O extends { readonly column: Column }>(one: O | undefined) =>
    one === undefined || !isNew([one.column]) ? undefined : one
  return {
    ...suggestions,
    questions: suggestions.questions.filter(({ accepted, question }) =>
      !known.has(question.id) || (accepted !== undefined && isNew(columnsOf(accepted.origin)))
    ),
    urlParameters: suggestions.urlParameters.filter(({ element, from }) =>
      record.form.urlParameters.every(({ id }) => id !== element.id) || isNew([from.column])
    ),
    submissionTime: own(suggestions.submissionTime),
    lastUpdatedAt: own(suggestions.lastUpdatedAt),
    login: own(suggestions.login),
  }
}

/** Adds what is new in the form to the record. The form's other changes are still reported until a person accepts them. */
const withNew = (record: FormRecord, form: Form, columns: ReadonlyArray<Column>): FormRecord => {
  const more = <E extends { readonly id: string }>(was: ReadonlyArray<E>, is: ReadonlyArray<E>) => [
    ...was,
    ...is.filter(({ id }) => was.every((one) => one.id !== id)),
  ]
  return {
    ...record,
    form: {
      ...record.form,
      questions: more(record.form.questions, form.questions),
      urlParameters: more(record.form.urlParameters, form.urlParameters),
    },
    columns: columns.map(({ title }) => title),
  }
}

/**
 * Adds what is new to a pipeline's file: questions that no entry fills, and columns that no entry uses. Keeps the file's existing content.
 *
 * @param file the pipeline's file, relative to the project's folder
 */
export const addNew = (root: string, file: string, options: InitOptions) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const whole = path.join(root, file)
    const text = yield* fs.readFileString(whole)
    const project = (options.guard ?? identity)(yield* loadProject(root, { pipelines: [options.name] }))
    const { pipeline, target } = yield* findFirstTarget(project, options.name)
    const given = [["--service", options.service, target.service], ["--form", options.form, target.form]] as const
    for (const [option, asked, own] of given) {
      if (asked !== undefined && asked !== own) {
        return yield* initRefused(
          `The pipeline ${options.name} already exists with ${option} ${own}, not ${asked}. Choose a different name. Or omit ${option} to add what is new to this pipeline.`,
        )
      }
    }
    const place = options.source?.file
    const opened = yield* openPipelineSource(pipeline, typeof place === "string" ? place : undefined)
    const columns = ownColumns(opened.columns)
    const source = { ...opened, columns }
    const form = yield* fetchForm(project, target.service, target.form)
    const record = yield* readFormRecord(root, options.name, target.target)
    const { mapping } = pipeline
    const open = isOpen(text)
    const rest: Form = {
      ...form,
      questions: form.questions.filter((question) =>
        !mapping.questions.some((entry) => names(entry, question)) && !open(question.id)
      ),
      urlParameters: form.urlParameters.filter((element) =>
        !mapping.urlParameters.some((entry) => names(entry, element)) && !open(element.id)
      ),
    }
    const unused = unusedColumns(pipeline, source)
    const labels = yield* labelsFor(options.labels, columns, pipeline.source.combine !== undefined)
    const survey = yield* (options.survey ?? surveySource)(source, rest, unused, labels)
    const { suggestions: all } = survey
    const known = newOnly(all, record)
    const left = (of: OwnMember) => mapping[of] === undefined && !open(of) ? known[of] : undefined
    const suggestions = {
      ...known,
      // Columns without a name are left to a person.
      questions: known.questions.filter(({ accepted }) => accepted === undefined || isNamed(accepted.origin)),
      submissionTime: left("submissionTime"),
      lastUpdatedAt: left("lastUpdatedAt"),
      login: left("login"),
    }
    const additions = draftEntries(suggestions)
    const entries = [...additions.questions, ...additions.urlParameters, ...additions.own]
    const changed = entries.length === 0 ? text : addToPipeline(text, additions)
    if (changed === undefined) {
      return yield* initRefused(
        `Nothing can be added to ${file} without changing its other lines: write each entry of \`mapping\`, and each list in it, on a line of its own. `
          + `New: ${[...openNames(form, entries.map((entry) => ({ ...entry, open: true })))].join(", ")}.`,
      )
    }
    const written: Array<string> = []
    if (changed !== text) {
      yield* replaceFile({ file: whole, shown: file, text: changed, version: versionOf(text) }).pipe(
        Effect.catchTag("FileChanged", ({ message }) => initRefused(`${message} Run \`init\` again.`)),
      )
      written.push(file)
    }
    const seen: FormRecord = record === undefined
      ? recordOf(options.name, target, form, columns)
      : withNew(record, form, columns)
    if (canonicalJson(seen) !== canonicalJson(record)) written.push(yield* writeFormRecord(root, seen))
    yield* refreshEditorSchema(root, pipeline, opened, form)
    const taken = new Set([
      ...suggestions.questions.flatMap(({ accepted }) => accepted === undefined ? [] : columnsOf(accepted.origin)),
      ...suggestions.urlParameters.map(({ from }) => from.column),
      ...ownMembers.flatMap((of) => suggestions[of]?.column ?? []),
    ].map(({ position }) => position))
    return {
      root,
      written,
      pipeline: options.name,
      file,
      ...summaryOf(source, form, entries),
      stillOpen: [
        ...["rowKey", "empty"].flatMap((key) => proposedSourceKey(text, key) === undefined ? [] : `source.${key}`),
        ...[...form.questions, ...form.urlParameters].flatMap((one) => open(one.id) ? calledName(one) : []),
        ...openTimes(mapping, text),
      ],
      translations: yield* translationsIn(root, options.name, opened, form),
      unmapped: unused.filter(({ position }) => !taken.has(position)).map(nameOrNumber),
      rowKey: keyColumns(pipeline.source).map(({ name }) => name),
      added: true,
    } satisfies Initialised
  })
