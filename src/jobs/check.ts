import type { FileSystem, Path } from "@effect/platform"
import type { PlatformError } from "@effect/platform/Error"
import { Effect, Either } from "effect"
import type { Diagnostic } from "../domain/diagnostic.ts"
import type { Form } from "../domain/form.ts"
import type { SourceFile } from "../domain/report.ts"
import { LedgerRefused } from "../ledger/Ledger.ts"
import { allEntries, entryColumns, nameColumns } from "../mapping/ColumnBook.ts"
import { runExamples } from "../mapping/examples.ts"
import { type ConfigurationInvalid, diagnosticAt } from "../project/errors.ts"
import type { FormChange } from "../project/formDifference.ts"
import { writeFormRecord } from "../project/formRecord.ts"
import { loadProject } from "../project/loadProject.ts"
import type { ColumnName, Pipeline } from "../project/Pipeline.ts"
import { listPipelines } from "../project/pipelineFiles.ts"
import type { Project } from "../project/Project.ts"
import { suggest } from "../project/suggestion.ts"
import { ownColumns } from "../source/columns.ts"
import type { Source, SourceChanged } from "../source/Source.ts"
import { checkData, type CheckedData } from "./checkData.ts"
import { compileFor } from "./compileFor.ts"
import type { AttemptFailure } from "./exitStatus.ts"
import { compareForm, recordedForm, withChanges } from "./formChanges.ts"
import { openPipelineSource } from "./openPipelineSource.ts"
import { missedBy, openIfAny } from "./projectLedger.ts"
import { chooseTarget, openTarget, type Target } from "./target.ts"

/** Why a pipeline can't run, other than its file. */
type CheckFailure = PlatformError | SourceChanged | Exclude<AttemptFailure, ConfigurationInvalid>

/** What checking one pipeline at one of its targets showed. */
export interface CheckedPipeline {
  readonly pipeline: string
  /** Absent when the pipeline has a single `service` and `form`. */
  readonly target: string | undefined
  /** Errors and warnings about its file. */
  readonly diagnostics: ReadonlyArray<Diagnostic>
  /** What is wrong with the source, the form or the service. */
  readonly failures: ReadonlyArray<CheckFailure>
  /** How the source was taken. What people should know about that is among the findings. */
  readonly taken: SourceFile["taken"]
  /** Columns of the source, questions that get answers, what else is filled by its name, and the form, once all of them are known. */
  readonly fits:
    | {
      readonly columns: number
      readonly answers: number
      readonly beside: ReadonlyArray<string>
      readonly form: Form
    }
    | undefined
  /** What is different in the form than it was when the pipeline was made or the form last accepted. */
  readonly changes: ReadonlyArray<FormChange>
  /** What the rows came to; absent when something else must be put right first. */
  readonly data: CheckedData | undefined
  /** The file in which the form was recorded just now. */
  readonly accepted: string | undefined
  /** Whether there is a record of the form as it was. */
  readonly recorded: boolean
}

/** How thoroughly, and against what, pipelines are checked. */
export interface CheckOptions {
  /** Not against the live form, but against the form as it was recorded. */
  readonly offline?: boolean
  /** Records the form and the source's columns as they are now, where nothing is wrong but that they changed. */
  readonly acceptForm?: boolean
}

export interface Checked {
  /** What is wrong with the files themselves. */
  readonly diagnostics: ReadonlyArray<Diagnostic>
  readonly pipelines: ReadonlyArray<CheckedPipeline>
}

/**
 * Lints a project's files, then checks each pipeline that can be read against the live form, the form as it was and the source's header, runs its
 * examples, and reads its whole source through the mapping. A broken file stops none of the others: all problems come at once. Nothing is sent.
 *
 * @param root the project's folder
 * @param names pipelines to check; none: all
 */
export const checkProject = (root: string, names: ReadonlyArray<string>, options: CheckOptions = {}) =>
  Effect.gen(function*() {
    const whole = yield* loadProject(root, { pipelines: names.length === 0 ? "all" : names }).pipe(
      Effect.map((project) => ({ diagnostics: [], projects: [project] })),
      Effect.catchTag(
        "ConfigurationInvalid",
        ({ diagnostics }) =>
          Effect.map(readable(root, names), ({ projects, rest }) => ({
            diagnostics: [...diagnostics, ...rest].toSorted(inFileOrder),
            projects,
          })),
      ),
    )
    const pipelines = yield* Effect.forEach(
      whole.projects.flatMap((project) => [...project.pipelines.values()].map((pipeline) => ({ project, pipeline }))),
      ({ project, pipeline }) =>
        Effect.forEach(pipeline.sink.targets, (target) => checkTarget(project, pipeline, target, options)),
    )
    const unheard = yield* webhooksWithoutAddress(whole.projects[0])
    const checked: Checked = { diagnostics: [...whole.diagnostics, ...unheard], pipelines: pipelines.flat() }
    return checked
  })

/** Webhooks that nobody could be told by. */
const webhooksWithoutAddress = (project: Project | undefined): Effect.Effect<ReadonlyArray<Diagnostic>> =>
  Effect.map(
    Effect.forEach(project?.notify ?? [], ({ address }) =>
      Effect.match(address, { onFailure: ({ diagnostics }) => diagnostics, onSuccess: () => [] })),
    (all) =>
      all.flat(),
  )

const inFileOrder = (a: Diagnostic, b: Diagnostic): number =>
  a.file === b.file ? a.line - b.line || a.column - b.column : a.file < b.file ? -1 : 1

/** A pipeline in a project of its own; or, where its file can't be read, what else is wrong with it. */
interface ReadAlone {
  readonly projects: ReadonlyArray<Project>
  readonly rest: ReadonlyArray<Diagnostic>
}

const readOne = (root: string, name: string): Effect.Effect<ReadAlone, never, FileSystem.FileSystem | Path.Path> =>
  Effect.flatMap(Effect.option(loadProject(root, { pipelines: [name] })), (project) =>
    project._tag === "Some"
      ? Effect.succeed<ReadAlone>({ projects: [project.value], rest: [] })
      : Effect.map(restOfBroken(root, name), (rest): ReadAlone => ({ projects: [], rest })))

/** The pipelines that can be read though something else of the project can't, each in a project of its own; and what else is wrong with the others. */
const readable = (
  root: string,
  names: ReadonlyArray<string>,
): Effect.Effect<ReadAlone, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const { texts } = yield* listPipelines(root)
    const known = texts.flatMap(({ name }) => (name === undefined ? [] : [name]))
    const asked = known.filter((name) => names.length === 0 || names.includes(name))
    const looked = yield* Effect.forEach([...new Set(asked)], (name) => readOne(root, name))
    return { projects: looked.flatMap(({ projects }) => projects), rest: looked.flatMap(({ rest }) => rest) }
  })

const nothing = {
  diagnostics: [],
  failures: [],
  taken: [],
  fits: undefined,
  changes: [],
  data: undefined,
  accepted: undefined,
  recorded: false,
} satisfies Omit<CheckedPipeline, "pipeline" | "target">

const checkTarget = (project: Project, pipeline: Pipeline, target: Target, options: CheckOptions) =>
  Effect.gen(function*() {
    const found = yield* Effect.either(Effect.scoped(lookAt(project, pipeline, target, options)))
    const of = { pipeline: pipeline.name, target: target.target }
    const inOrder = (a: Diagnostic, b: Diagnostic) => a.line - b.line || a.column - b.column
    const checked: CheckedPipeline = Either.isRight(found)
      ? { ...of, ...found.right, diagnostics: found.right.diagnostics.toSorted(inOrder) }
      : { ...of, ...nothing, ...partition([found.left]) }
    return checked
  })

/** Everything about one pipeline and one target: the form and the source are asked for whatever is wrong with the other. */
const lookAt = (project: Project, pipeline: Pipeline, target: Target, options: CheckOptions) =>
  Effect.gen(function*() {
    const opened = yield* Effect.either(openPipelineSource(pipeline, undefined))
    const { ledger, refused } = yield* openCheckedLedger(project, pipeline, target)
    const record = yield* recordedForm(project, pipeline, target, ledger)
    const fetched = yield* Effect.either(
      options.offline === true
        ? Effect.succeed(record?.form)
        : Effect.flatMap(openTarget(project, pipeline, target), ({ service }) => service.form(target.form)),
    )
    if (Either.isLeft(opened) || Either.isLeft(fetched)) {
      const errors = [...Either.isLeft(opened) ? [opened.left] : [], ...Either.isLeft(fetched) ? [fetched.left] : []]
      return { ...nothing, recorded: record !== undefined, ...partition([...refused, ...errors]) }
    }
    const source = { ...opened.right, columns: nameColumns(opened.right.columns, pipeline.source.columns) }
    const { taken } = source
    const form = fetched.right
    const known = { ...nothing, failures: refused, taken, recorded: record !== undefined }
    const added = newColumns(pipeline, source, record?.columns)
    const read = source.warnings.map((message) =>
      diagnosticAt(pipeline.document, "warning", ["source", "file"], message)
    )
    if (form === undefined) {
      const note = "There is no record of the form: offline, only the file and the source's header are checked."
      const unchecked = diagnosticAt(pipeline.document, "warning", target.path, note)
      return { ...known, diagnostics: [...read, ...missingColumns(pipeline, source), ...added, unchecked] }
    }
    const changed = yield* compareForm(project, pipeline, target, form, ledger)
    const compiled = yield* Effect.either(compileFor(pipeline, source, form))
    const isAccepted = options.acceptForm === true && options.offline !== true && Either.isRight(compiled)
    const accepted = isAccepted
      ? yield* writeFormRecord(project.root, {
        pipeline: pipeline.name,
        target: target.target,
        service: target.service,
        form,
        columns: ownColumns(source.columns).map(({ title }) => title),
      })
      : undefined
    const changes = isAccepted ? [] : [...changed.diagnostics, ...added]
    if (Either.isLeft(compiled)) {
      return {
        ...known,
        changes: changed.changes,
        diagnostics: [...read, ...withChanges(compiled.left.diagnostics, changed), ...added],
      }
    }
    const { mapping, pipeline: keyed, warnings: noted } = compiled.right
    const data = yield* checkData(keyed, source, mapping, form).pipe(
      Effect.map((checked) => ({ checked, failures: [] })),
      // What is wrong with the source's rows hides nothing of what else was found.
      Effect.catchAll((error) => Effect.succeed({ checked: undefined, failures: [error] })),
    )
    return {
      ...known,
      failures: [...refused, ...data.failures],
      fits: {
        columns: source.columns.length,
        answers: mapping.answers.filter(({ list }) => list === "questions").length,
        beside: mapping.answers.flatMap(({ list, name }) => (list === "questions" ? [] : [name])),
        form,
      },
      changes: changed.changes,
      data: data.checked,
      accepted,
      diagnostics: [
        ...read,
        ...changes,
        ...runExamples(mapping, keyed, ownColumns(source.columns)),
        ...noted,
        ...data.checked?.diagnostics ?? [],
      ],
    }
  })

/** Opens the ledger. Also returns why runs would be refused, if the ledger is missing or not the newest. */
const openCheckedLedger = (project: Project, { name }: Pipeline, { target }: Target) =>
  openIfAny(project, { pipeline: name, target }).pipe(
    Effect.bindTo("ledger"),
    Effect.bind(
      "missed",
      ({ ledger }) => ledger === undefined ? Effect.succeed([]) : missedBy(project, [name], ledger),
    ),
    Effect.map(({ ledger, missed }) => ({
      ledger,
      refused: missed.map(({ message }) => new LedgerRefused({ message })),
    })),
    Effect.catchTag("LedgerRefused", (refused) => Effect.succeed({ ledger: undefined, refused: [refused] })),
  )

const partition = (
  errors: ReadonlyArray<CheckFailure | ConfigurationInvalid>,
): Pick<CheckedPipeline, "diagnostics" | "failures"> => ({
  diagnostics: errors.flatMap((error) => (error._tag === "ConfigurationInvalid" ? error.diagnostics : [])),
  failures: errors.flatMap((error) => (error._tag === "ConfigurationInvalid" ? [] : [error])),
})

/**
 * What else is wrong with a pipeline whose file can't be read as a whole: its sound entries against the form and the source's header. Nothing where that can't be
 * told; the rest is then said once the file is right.
 *
 * @param root the project's folder
 * @param name the pipeline's
 */
const restOfBroken = (root: string, name: string) =>
  Effect.scoped(Effect.gen(function*() {
    const project = yield* loadProject(root, { pipelines: [name], withoutBroken: true })
    const pipeline = project.pipelines.get(name)
    if (pipeline === undefined) return []
    const [only] = pipeline.sink.targets
    const target = yield* chooseTarget(pipeline, pipeline.sink.targets.length > 1 ? only?.target : undefined)
    const opened = yield* openPipelineSource(pipeline, undefined)
    const source = { ...opened, columns: nameColumns(opened.columns, pipeline.source.columns) }
    const { service } = yield* openTarget(project, pipeline, target)
    const compiled = yield* Effect.either(compileFor(pipeline, source, yield* service.form(target.form)))
    // Columns of broken entries only look as if nothing used them.
    const isAbout = ({ message, severity }: Diagnostic) =>
      severity === "error" && !/columns? (?:is|are) not mapped/.test(message)
    return Either.isLeft(compiled) ? compiled.left.diagnostics.filter(isAbout) : []
  })).pipe(Effect.orElseSucceed((): ReadonlyArray<Diagnostic> => []))

/** Columns that a pipeline names and its source does not have: what can be told without any form. */
const missingColumns = (pipeline: Pipeline, source: Source): ReadonlyArray<Diagnostic> => {
  const { rowKey, where } = pipeline.source
  const names = source.columns.flatMap(({ name }) => name ?? [])
  const asked: ReadonlyArray<ColumnName> = [
    ...allEntries(pipeline).flatMap(entryColumns),
    ...(rowKey === undefined || rowKey === "content" ? [] : rowKey),
    ...where.map(({ column }) => column),
  ]
  return asked.filter(({ name }) => !names.includes(name) && !names.includes(name.trim())).map(({ name, path }) => {
    const message = `The source has no column "${name}".`
    return diagnosticAt(pipeline.document, "error", path, message, suggest(name, names, "Its columns are"))
  })
}

/** Columns that a source did not have when the pipeline was made. */
const newColumns = (
  pipeline: Pipeline,
  source: Source,
  before: ReadonlyArray<string> | undefined,
): ReadonlyArray<Diagnostic> => {
  if (before === undefined) return []
  const known = new Set(before)
  const added = source.columns.filter(({ title }) => title.trim() !== "" && !known.has(title)).map(({ title }) =>
    title.trim()
  )
  return added.length === 0 ? [] : [diagnosticAt(
    pipeline.document,
    "warning",
    ["source", "file"],
    `The source has ${
      added.length === 1 ? "a column" : `${added.length} columns`
    } that it did not have when the pipeline was made: ${added.slice(0, 12).join(", ")}${
      added.length > 12 ? ` and ${added.length - 12} more` : ""
    }.`,
    `Suggestions for what is new: formferry init ${pipeline.name}. Or accept it: formferry check ${pipeline.name} --accept-form.`,
  )]
}
