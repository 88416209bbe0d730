import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { identity } from "effect/Function"
import type { CheckedData } from "../domain/checkedData.ts"
import { allFindings, byFile, byPlace, type Diagnostic, withCells } from "../domain/diagnostic.ts"
import { exits } from "../domain/exit.ts"
import { type Form, names } from "../domain/form.ts"
import type { SourceFile } from "../domain/report.ts"
import { messageOf } from "../domain/systemErrors.ts"
import { LedgerRefused } from "../ledger/errors.ts"
import { runExamples } from "../mapping/examples.ts"
import { type ConfigurationInvalid, diagnosticAt } from "../project/errors.ts"
import { type FormChange, recordOf, writeFormRecord } from "../project/formRecord.ts"
import { listPipelines, loadProject, type PipelineDraftText } from "../project/loadProject.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import { confidencesIn, scored, sureFrom } from "../project/pipelineEdits.ts"
import type { Project } from "../project/Project.ts"
import type { FateTable } from "../run/FateTable.ts"
import { ownColumns } from "../source/fixed.ts"
import { type AttemptFailure, exitStatus } from "./attempt.ts"
import { checkData } from "./checkData.ts"
import { missingColumns, newColumns, uncounted } from "./checkSource.ts"
import { refreshEditorSchema } from "./editorSchema.ts"
import { compareForm, recordedForm, withChanges } from "./formChanges.ts"
import { openKeys } from "./openKeys.ts"
import { compileFor, openParts, openPipelineSource, type PartsOptions } from "./prepare.ts"
import { missedBy, openIfAny, placeOf } from "./projectLedger.ts"
import { pullFrom } from "./pullFrom.ts"
import { openTarget, type PipelineTarget } from "./target.ts"
import { type TranslatedQuestion, translationsOf } from "./translations.ts"

/** A reason why a pipeline can't run, apart from mistakes in its file. */
type CheckFailure = Exclude<AttemptFailure, ConfigurationInvalid>

/** Returns the exit code of a check. */
export const checkStatus = (checked: Checked): number => {
  const failures = checked.pipelines.flatMap((one) => one.failures.map(({ _tag }) => exitStatus[_tag]))
  if (allFindings(checked).some(({ severity }) => severity === "error") || failures.includes(exits.wrong.code)) {
    return exits.wrong.code
  }
  if (failures.includes(exits.internalError.code)) return exits.internalError.code
  return failures.length > 0 ? exits.unavailable.code : exits.complete.code
}

export interface CheckedPipeline {
  readonly pipeline: string
  /** The target's name. Undefined if the pipeline has a single `service` and `form`. */
  readonly target: string | undefined
  /** Errors and warnings about the pipeline's file. */
  readonly diagnostics: ReadonlyArray<Diagnostic>
  /** What is wrong with the source, the form, the service or the ledger. */
  readonly failures: ReadonlyArray<Pick<CheckFailure, "_tag" | "message">>
  /** How the source was read. Warnings about the reading are among the diagnostics. */
  readonly taken: SourceFile["taken"]
  /** The source's columns, the questions that get answers, the filled elements of other lists, and the form. Undefined if the mapping doesn't compile. */
  readonly fits:
    | {
      readonly columns: number
      readonly answers: number
      readonly beside: ReadonlyArray<string>
      readonly form: Form
    }
    | undefined
  /** The cells that the pipeline translates. Empty if the mapping doesn't compile. */
  readonly translations: ReadonlyArray<TranslatedQuestion>
  /** How the form differs from the recorded one. */
  readonly changes: ReadonlyArray<FormChange>
  /** The result of reading the rows. Undefined if the rows could not be read through the mapping. */
  readonly data: CheckedData | undefined
  /** The file in which this check recorded the form. Undefined if it recorded none. */
  readonly accepted: string | undefined
  /** Whether the form was recorded before. */
  readonly recorded: boolean
  /** A sentence that says how an outdated editor schema was handled. */
  readonly editor: string | undefined
}

export interface CheckOptions extends Pick<PartsOptions, "guard" | "services"> {
  /** Whether to check against the recorded form, without sending a request to a service. */
  readonly offline?: boolean
  /** Whether to record the current form and the source's current columns, if the mapping fits them. */
  readonly acceptForm?: boolean
  /** A text to check instead of a pipeline's file. Its rows are not read, and nothing is written. */
  readonly draft?: PipelineDraftText | undefined
}

export interface Checked {
  /** Mistakes in the files themselves. */
  readonly diagnostics: ReadonlyArray<Diagnostic>
  readonly pipelines: ReadonlyArray<CheckedPipeline>
}

/**
 * Checks a project's files, and each pipeline that can be read. Checks a pipeline against the live form, the recorded form and the source's header,
 * with its examples and with all rows of its source. Reports all problems at once, even if some parts can't be read. Sends no rows.
 *
 * @param root the project's folder
 * @param names the pipelines to check; if empty, all pipelines
 */
export const checkProject = (root: string, names: ReadonlyArray<string>, options: CheckOptions = {}) =>
  Effect.gen(function*() {
    const { diagnostics, projects } = yield* loadProject(root, {
      pipelines: names.length === 0 ? "all" : names,
      draft: options.draft,
    }).pipe(
      Effect.map((project) => ({ diagnostics: [], projects: [project] })),
      Effect.catchTag("ConfigurationInvalid", (invalid) => loadEach(root, names, invalid.diagnostics, options)),
    )
    const pipelines = yield* Effect.all(
      projects.map(options.guard ?? identity).flatMap((project) =>
        Array.from(project.pipelines.values()).flatMap((pipeline) =>
          pipeline.sink.targets.map((target) => checkTarget({ project, pipeline, target }, options))
        )
      ),
    )
    const addresses = yield* Effect.forEach(projects[0]?.notify ?? [], ({ address }) => Effect.either(address))
    return {
      diagnostics: [...diagnostics, ...addresses.flatMap((one) => (Either.isLeft(one) ? one.left.diagnostics : []))],
      pipelines,
    } satisfies Checked
  })

/** Loads each readable pipeline in a separate project, so that mistakes in one file don't affect another. Adds the findings about the files that can't be read. */
const loadEach = (
  root: string,
  names: ReadonlyArray<string>,
  wrong: ReadonlyArray<Diagnostic>,
  options: CheckOptions,
) =>
  Effect.gen(function*() {
    const { texts } = yield* listPipelines(root, options.draft)
    const asked = texts.flatMap(({ name = "" }) =>
      name !== "" && (names.length === 0 || names.includes(name)) ? name : []
    )
    const projects: Array<Project> = []
    const diagnostics = [...wrong]
    for (const name of new Set(asked)) {
      const project = yield* Effect.either(loadProject(root, { pipelines: [name], draft: options.draft }))
      if (Either.isRight(project)) projects.push(project.right)
      else diagnostics.push(...(yield* restOfBroken(root, name, options)))
    }
    return { diagnostics: diagnostics.toSorted(byFile), projects }
  })

const nothing = {
  diagnostics: [],
  failures: [],
  taken: [],
  fits: undefined,
  translations: [],
  changes: [],
  data: undefined,
  accepted: undefined,
  recorded: false,
  editor: undefined,
} satisfies Omit<CheckedPipeline, "pipeline" | "target">

const checkTarget = (at: PipelineTarget, options: CheckOptions) =>
  Effect.map(
    Effect.either(Effect.scoped(findingsOf(at, options))),
    (found): CheckedPipeline => {
      const findings = Either.isRight(found) ? found.right : { ...nothing, ...partition([found.left]) }
      const diagnostics = findings.diagnostics.toSorted(byPlace)
      const failures = findings.failures.map((error) => ({ _tag: error._tag, message: messageOf(error) }))
      return { pipeline: at.pipeline.name, target: at.target.target, ...findings, diagnostics, failures }
    },
  )

/** Returns all findings about a pipeline at a target. Reads the source even if the form can't be fetched, and the form even if the source can't be read. */
const findingsOf = (at: PipelineTarget, options: CheckOptions) =>
  Effect.gen(function*() {
    const { pipeline, project, target } = at
    const { ledger, refused } = yield* openCheckedLedger(at)
    const from = yield* pullFrom(at, Effect.succeed(ledger), "next")
    const opened = yield* Effect.either(openPipelineSource(pipeline, undefined, { from }))
    const record = yield* recordedForm(at, Effect.succeed(ledger))
    const fetched = yield* Effect.either(
      options.offline === true
        ? Effect.succeed(record?.form)
        : Effect.flatMap(openTarget(at, options.services), (service) => service.form(target.form)),
    )
    if (Either.isLeft(opened) || Either.isLeft(fetched)) {
      const errors = [...Either.isLeft(opened) ? [opened.left] : [], ...Either.isLeft(fetched) ? [fetched.left] : []]
      return { ...nothing, recorded: record !== undefined, ...partition([...refused, ...errors]) }
    }
    const source = opened.right
    const form = fetched.right
    const editor = form === undefined || options.offline === true || options.draft !== undefined
        || target !== pipeline.sink.targets[0]
      ? undefined
      : yield* refreshEditorSchema(project.root, pipeline, source, form)
    const known = { ...nothing, failures: refused, taken: source.taken, recorded: record !== undefined, editor }
    const added = newColumns(pipeline, source, record?.columns)
    const read = source.warnings.map((message) => {
      const finding = diagnosticAt(pipeline.document, "warning", ["source", "file"], message)
      return withCells(pipeline.name, finding, "It is not certain that the source is read correctly.")
    })
    if (form === undefined) {
      const note = "The form is not recorded yet, so --offline checks only the file and the source's header."
      const unchecked = diagnosticAt(pipeline.document, "warning", target.path, note)
      return { ...known, diagnostics: [...read, ...missingColumns(pipeline, source), ...added, unchecked] }
    }
    const changed = yield* compareForm(at, form, Effect.succeed(ledger))
    const compiled = yield* Effect.either(compileFor(pipeline, source, form))
    if (Either.isLeft(compiled)) {
      const diagnostics = [...read, ...withChanges(compiled.left.diagnostics, changed), ...added]
      return { ...known, changes: changed.changes, diagnostics }
    }
    const accepted = options.acceptForm !== true || options.offline === true
      ? undefined
      : yield* writeFormRecord(project.root, recordOf(pipeline.name, target, form, ownColumns(source.columns)))
    const { mapping, pipeline: keyed, warnings } = compiled.right
    const keys = ledger === undefined || refused.length > 0 || options.draft !== undefined
      ? undefined
      : yield* openKeys({ project, target, pipeline: keyed }, { form, mapping, source }, ledger)
    // Unreadable rows must not hide the other findings.
    const data = yield* Effect.either(
      options.draft === undefined
        ? checkData(keyed, source, mapping, form, { lookUp: keys?.look })
        : Effect.succeed(undefined),
    )
    const counted = Either.getOrUndefined(data)
    const isFirst = ledger === undefined && refused.length === 0
    const ended = counted !== undefined && keys?.isComparable === true ? keys.end() : undefined
    const checkedData = counted && { ...counted, ...(isFirst ? { known: 0 } : ended && countsOf(ended)) }
    const unknownKeys = ended === undefined ? [] : yield* ended.refusal
    const misplaced = yield* ledger?.refusalOf(placeOf(at, form.id)) ?? Effect.void
    return {
      ...known,
      failures: [
        ...refused,
        ...(misplaced === undefined ? [] : [misplaced]),
        ...Either.isLeft(data) ? [data.left] : [],
        ...unknownKeys,
      ],
      fits: {
        columns: source.columns.length,
        answers: mapping.answers.filter(({ list }) => list === "questions").length,
        beside: mapping.answers.flatMap(({ list, name }) => (list === "questions" ? [] : [name])),
        form,
      },
      translations: translationsOf(mapping, form),
      changes: changed.changes,
      data: checkedData,
      accepted,
      diagnostics: [
        ...read,
        ...accepted === undefined ? [...changed.diagnostics, ...added] : [],
        ...uncounted(pipeline),
        ...runExamples(mapping, keyed, ownColumns(source.columns)),
        ...warnings,
        ...unsureEntries(pipeline, form),
        ...checkedData?.diagnostics ?? [],
      ],
    }
  })

/** Finds entries that `init` was not sure of and that nobody has reviewed, because what a wrong one sends can't be undone. */
const unsureEntries = ({ document, mapping, name }: Pipeline, form: Form): ReadonlyArray<Diagnostic> => {
  const confidenceOf = confidencesIn(document.text)
  return mapping.questions.flatMap((entry, at) => {
    const question = form.questions.find((one) => names(entry, one))
    const confidence = question && confidenceOf(question)
    if (confidence === undefined || confidence >= sureFrom) return []
    const message = "It was not certain that this entry is right when it was suggested, and nobody has reviewed it."
    const suggestion = `If it is right, write \`# reviewed\` instead of \`# ${
      scored(confidence)
    }\`, or run: formferry init ${name} --review`
    return [diagnosticAt(document, "warning", ["mapping", "questions", at], message, suggestion)]
  })
}

/** Opens the ledger. Also returns why runs would be refused if the ledger is missing or is not the newest copy. */
const openCheckedLedger = ({ project, ...at }: PipelineTarget) =>
  Effect.gen(function*() {
    const ledger = yield* openIfAny(project, at)
    const missed = ledger === undefined ? [] : yield* missedBy(project, [at.pipeline.name], ledger)
    return { ledger, refused: missed.map(({ message }) => new LedgerRefused({ message })) }
  }).pipe(
    Effect.catchTag("LedgerRefused", (refused) => Effect.succeed({ ledger: undefined, refused: [refused] })),
  )

/** Returns the counts of a source's rows as a run would count them. */
const countsOf = ({ acknowledged, fates }: { readonly acknowledged: number; readonly fates: FateTable }) => {
  const { alreadyImported, changed, duplicate, filtered, inDoubt, invalid, refused, undone } = fates.byFate
  return {
    filtered,
    invalid: invalid + refused,
    duplicate,
    changed,
    known: alreadyImported + inDoubt + undone,
    again: fates.countNoted("replaces"),
    acknowledged,
  }
}

const partition = (
  errors: ReadonlyArray<CheckFailure | ConfigurationInvalid>,
): Pick<CheckedPipeline, "diagnostics"> & { readonly failures: ReadonlyArray<CheckFailure> } => ({
  diagnostics: errors.flatMap((error) => (error._tag === "ConfigurationInvalid" ? error.diagnostics : [])),
  failures: errors.flatMap((error) => (error._tag === "ConfigurationInvalid" ? [] : [error])),
})

/**
 * Checks a pipeline whose file has mistakes: compares the entries that can be read with the form and the source's header. Returns no findings if the
 * form or the source can't be read.
 */
const restOfBroken = (root: string, name: string, options: CheckOptions) =>
  Effect.scoped(Effect.gen(function*() {
    const { form, pipeline, source } = yield* openParts(root, name, options)
    // A column that seems unused may belong to an entry that can't be read.
    const certain: Pipeline = { ...pipeline, mapping: { ...pipeline.mapping, unmapped: "ignore" } }
    const compiled = yield* Effect.either(compileFor(certain, source, form))
    return Either.isLeft(compiled) ? compiled.left.diagnostics.filter(({ severity }) => severity === "error") : []
  })).pipe(Effect.orElseSucceed((): ReadonlyArray<Diagnostic> => []))
