import { FileSystem, Path } from "@effect/platform"
import { Effect, Either } from "effect"
import type { Diagnostic } from "../domain/diagnostic.ts"
import type { Form } from "../domain/form.ts"
import type { SourceFile } from "../domain/run.ts"
import { runExamples } from "../mapping/examples.ts"
import type { ConfigurationInvalid } from "../project/errors.ts"
import { loadProject } from "../project/loadProject.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import { listPipelines } from "../project/pipelineFiles.ts"
import type { Project } from "../project/Project.ts"
import { ownColumns } from "../source/columns.ts"
import { openTarget, prepare, type Target } from "./prepare.ts"

/** Why a pipeline could not be checked to its end, or what is wrong beside its file. */
export type CheckFailure = Exclude<
  Effect.Effect.Error<ReturnType<typeof prepare>> | Effect.Effect.Error<ReturnType<typeof openTarget>>,
  ConfigurationInvalid
>

/** What checking one pipeline at one of its targets showed. */
export interface CheckedPipeline {
  readonly pipeline: string
  /** Absent when the pipeline has a single `service` and `form`. */
  readonly target: string | undefined
  /** Errors and warnings about its file. */
  readonly diagnostics: ReadonlyArray<Diagnostic>
  /** What is wrong with the source, the form or the service. */
  readonly failures: ReadonlyArray<CheckFailure>
  /** How the source was taken, and what people should know about that. */
  readonly taken: SourceFile["taken"]
  readonly warnings: ReadonlyArray<string>
  /** Columns of the source, mapped answers and questions of the form, once all of them are known. */
  readonly fits: { readonly columns: number; readonly answers: number; readonly form: Form } | undefined
}

export interface Checked {
  /** What is wrong with the files themselves. */
  readonly diagnostics: ReadonlyArray<Diagnostic>
  readonly pipelines: ReadonlyArray<CheckedPipeline>
}

/**
 * Lints a project's files, then checks each pipeline that can be read against the live form and the source's header, and runs its
 * examples. A broken file stops none of the others: all problems
 * come at once.
 *
 * @param root the project's folder
 * @param names pipelines to check; none: all
 */
export const checkProject = (root: string, names: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const whole = yield* loadProject(root, { pipelines: names.length === 0 ? "all" : names }).pipe(
      Effect.map((project) => ({ diagnostics: [], projects: [project] })),
      Effect.catchTag("ConfigurationInvalid", ({ diagnostics }) =>
        Effect.map(readable(root, names), (projects) => ({ diagnostics, projects }))),
    )
    const pipelines = yield* Effect.forEach(
      whole.projects.flatMap((project) =>
        [...project.pipelines.values()].map((pipeline) => ({ project, pipeline }))
      ),
      ({ project, pipeline }) =>
        Effect.forEach(pipeline.sink.targets, (target) => checkTarget(project, pipeline, target)),
    )
    const checked: Checked = { diagnostics: whole.diagnostics, pipelines: pipelines.flat() }
    return checked
  })

/** The pipelines that can be read though something else of the project can't, each in a project of its own. */
const readable = (
  root: string,
  names: ReadonlyArray<string>,
): Effect.Effect<ReadonlyArray<Project>, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const { texts } = yield* listPipelines(root)
    const known = texts.flatMap(({ name }) => (name === undefined ? [] : [name]))
    const asked = known.filter((name) => names.length === 0 || names.includes(name))
    const projects = yield* Effect.forEach(
      [...new Set(asked)],
      (name) => Effect.option(loadProject(root, { pipelines: [name] })),
    )
    return projects.flatMap((project) => (project._tag === "Some" ? [project.value] : []))
  })

const checkTarget = (project: Project, pipeline: Pipeline, target: Target) =>
  Effect.gen(function*() {
    const result = yield* Effect.either(
      Effect.scoped(Effect.map(
        prepare(project, pipeline, { to: target.target, source: undefined }),
        ({ source, form, mapping, warnings, pipeline: prepared }) => ({
          diagnostics: [...runExamples(mapping, prepared, ownColumns(source.columns)), ...warnings],
          failures: [],
          taken: source.taken,
          warnings: source.warnings,
          fits: { columns: source.columns.length, answers: mapping.answers.length, form },
        }),
      )),
    )
    const of = { pipeline: pipeline.name, target: target.target }
    if (Either.isRight(result)) return { ...of, ...result.right }
    const nothing = { taken: [], warnings: [], fits: undefined }
    const error = result.left
    if (error._tag === "ConfigurationInvalid") {
      return { ...of, ...nothing, diagnostics: error.diagnostics, failures: [] }
    }
    // A source that can't be opened hides nothing of what is wrong with the service.
    const alsoForm = error._tag === "SourceError" ? yield* formOf(project, pipeline, target) : []
    const [diagnostics, failures] = partition([error, ...alsoForm])
    return { ...of, ...nothing, diagnostics, failures }
  })

const formOf = (project: Project, pipeline: Pipeline, target: Target) =>
  Effect.scoped(
    Effect.flatMap(openTarget(project, pipeline, target), ({ service }) => service.form(target.form)),
  ).pipe(
    Effect.match({ onFailure: (error) => [error], onSuccess: () => [] }),
  )

const partition = (
  errors: ReadonlyArray<CheckFailure | ConfigurationInvalid>,
): readonly [ReadonlyArray<Diagnostic>, ReadonlyArray<CheckFailure>] => [
  errors.flatMap((error) => (error._tag === "ConfigurationInvalid" ? error.diagnostics : [])),
  errors.flatMap((error) => (error._tag === "ConfigurationInvalid" ? [] : [error])),
]
