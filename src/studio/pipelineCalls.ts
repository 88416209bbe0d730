// Calls about the project, and about drafts of its pipelines.
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import { candidatesIn, draftState, type DraftSurvey, editEntry, editText } from "../jobs/draft.ts"
import { loadDraft, type OpenDraft } from "../jobs/draft.ts"
import { editorSchemaText } from "../jobs/editorSchema.ts"
import { initialise } from "../jobs/init.ts"
import { copySource, discardSource, keepSource } from "../jobs/newSource.ts"
import { readPipelineFile, savePipelineFile } from "../jobs/pipelineFile.ts"
import { preview } from "../jobs/preview.ts"
import { addressesOf } from "../jobs/projectLedger.ts"
import { fetchForms } from "../jobs/services.ts"
import { type ProjectStatus, projectStatus } from "../jobs/status.ts"
import { findPipeline, firstTarget } from "../jobs/target.ts"
import { listPipelines, type PipelineText } from "../project/loadProject.ts"
import { decodePipeline } from "../project/Pipeline.ts"
import type { Project } from "../project/Project.ts"
import { decodeSource } from "../project/sourceSection.ts"
import { type Calls, type PipelineCard, Refused, StudioApi, type Survey } from "./Api.ts"
import { answering, projectWith, Studio } from "./Studio.ts"

const barsShown = 14

const refused = (message: string) => new Refused({ code: "InitRefused", message })

export const projectCalls = HttpApiBuilder.group(StudioApi, "project", (handlers) =>
  handlers
    .handle("home", () => answering(home))
    .handle("forms", ({ payload: { service } }) =>
      answering(() =>
        Effect.flatMap(projectWith([]), (project) => fetchForms(project, service))
      ))
    .handle("create", ({ payload }) => answering((studio) => create(studio, payload), true))
    .handle("discard", ({ payload: { file } }) =>
      answering(({ root, uploaded }) =>
        Effect.as(uploaded.delete(file) ? discardSource(root, file) : Effect.void, {})
      ))
    .handle(
      "reading",
      ({ payload: { pipeline } }) =>
        Effect.map(Studio, ({ rowsRead }) => ({ rows: rowsRead.get(pipeline) })),
    )
    .handleRaw("upload", ({ request, urlParams: { name } }) =>
      answering(({ maxUpload, root, uploaded }) =>
        Effect.map(copySource(root, request.stream, name, maxUpload), (file) => {
          uploaded.add(file)
          return { file }
        })
      )))

export const draftCalls = HttpApiBuilder.group(StudioApi, "draft", (handlers) =>
  handlers
    .handle("open", ({ payload: { pipeline } }) => answering(({ root }) => readPipelineFile(root, pipeline), true))
    .handle("survey", ({ payload: { whole, ...draft } }) =>
      answering(Effect.fn(function*({ open, survey }) {
        const opened = yield* open(draft)
        return surveyShown(opened, yield* survey(opened, whole))
      })))
    .handle("state", ({ payload }) =>
      answering(({ drafting }) => Effect.flatMap(drafting, (options) => draftState(options, payload))))
    .handle("edit", ({ payload: { operation, ...draft } }) =>
      answering(
        Effect.fn(function*({ open, survey }) {
          if (operation._tag !== "Map" && operation._tag !== "MapTime" && operation._tag !== "LeaveUnanswered") {
            return yield* editText(draft.text, operation)
          }
          const opened = yield* open(draft)
          return yield* editEntry(opened, yield* survey(opened, false), operation)
        }),
        true,
      ))
    .handle("preview", ({ payload: { row, rows, ...draft } }) =>
      answering(Effect.fn(function*({ drafting }) {
        const options = yield* drafting
        const { name, project } = yield* loadDraft(options, draft)
        const to = (yield* firstTarget(yield* findPipeline(project, name))).target
        const { services } = options
        return yield* preview(project, name, { to, source: undefined, row: Math.max(1, row), rows, services })
      })))
    .handle("counts", ({ payload: { whole, ...draft } }) =>
      answering(({ counts, open }) =>
        Effect.flatMap(open(draft), (opened) =>
          counts(opened, whole))
      ))
    .handle("schema", ({ payload }) =>
      answering(({ open }) => Effect.map(open(payload), schemaOf)))
    .handle("save", ({ payload }) => answering(({ root }) => savePipelineFile(root, payload), true)))

/** Makes a pipeline from an uploaded file. */
const create = (
  { guard, open, root, surveyNew, uploaded }: Studio["Type"],
  { form, pipeline, service, source }: Calls["project"]["create"]["payload"],
) =>
  Effect.gen(function*() {
    const path = yield* Path.Path
    const { texts } = yield* listPipelines(root)
    const isTaken = texts.some(({ file, name = file }) => name === pipeline)
    if (isTaken) return yield* refused(`The pipeline ${pipeline} already exists. Choose a different name.`)
    if (!uploaded.has(source)) return yield* refused(`There is no uploaded file ${source}. Drop it again.`)
    const config = decodeSource({ file: path.join(root, source) }, {})
    if ("key" in config) return yield* refused(config.message)
    const { keep, survey } = surveyNew(pipeline)
    const about = { root, guard, name: pipeline, newService: undefined, source: config, service, form, survey }
    // While the file is read, no other call may remove it.
    uploaded.delete(source)
    const written = Effect.zipLeft(readPipelineFile(root, pipeline), keepSource(root, source))
    // Someone may cancel after the pipeline was written.
    const removed = Effect.ignore(Effect.orElse(written, () => discardSource(root, source)))
    const file = yield* Effect.zipRight(initialise(about), written).pipe(
      Effect.onInterrupt(() => removed),
      Effect.tapError(() => Effect.sync(() => uploaded.add(source))),
    )
    yield* Effect.ignore(Effect.flatMap(open(file), keep))
    return file
  })

const home = ({ isDemo, root }: Studio["Type"]) =>
  Effect.gen(function*() {
    const path = yield* Path.Path
    const project = yield* projectWith([])
    const { texts, unreadable } = yield* listPipelines(root)
    const status = yield* projectStatus(project, [], { verify: false, runs: barsShown })
    const targets = new Map(texts.map(({ file, name = file, yaml }) => [name, targetsIn(yaml)]))
    // The ledger also knows pipelines whose files were removed.
    const names = new Set([...targets.keys(), ...status.pipelines.map(({ pipeline }) => pipeline)])
    return {
      folder: path.basename(path.resolve(root)),
      isDemo,
      pipelines: [...names].map((name) => cardOf(project, status, name, targets.get(name))),
      services: [...project.services.keys()],
      diagnostics: unreadable,
    }
  })

/** Returns a pipeline's targets that have a name. */
const targetsIn = (yaml: PipelineText["yaml"]): PipelineCard["targets"] => {
  const read = decodePipeline(yaml, { isPartial: true })
  const { targets } = read._tag === "Read" ? read.value.sink : { targets: [] }
  return targets.flatMap(({ form, service, target: to }) => to === undefined ? [] : [{ to, service, form }])
}

const cardOf = (
  project: Project,
  status: ProjectStatus,
  name: string,
  targets: PipelineCard["targets"] = [],
): PipelineCard => {
  const own = <A extends { readonly pipeline: string }>(all: ReadonlyArray<A>) =>
    all.filter(({ pipeline }) => pipeline === name)
  const standings = own(status.pipelines).map((standing) => ({
    ...standing,
    to: targets.find(({ form, service }) =>
      form === standing.destination.form && addressesOf(project, service).includes(standing.destination.service)
    )?.to,
  }))
  return {
    name,
    targets,
    standings,
    nextRun: [...standings, ...own(status.waiting)].find(({ nextRun }) => nextRun !== undefined)?.nextRun?.at,
    notBegun: own(status.notBegun)[0]?.at,
    problem: own(status.missed)[0]?.message,
  }
}

/** Returns the JSON Schema of a draft's file. */
const schemaOf = ({ form, pipeline, source }: OpenDraft): unknown =>
  JSON.parse(editorSchemaText(source, pipeline.source.columns.map(({ name }) => name), form))

const surveyShown = ({ form, project }: OpenDraft, survey: DraftSurvey): Survey => ({
  ...survey.inspection,
  warnings: survey.inspection.warnings.map((text) => text.replaceAll(project.root, ".")),
  isWhole: survey.isWhole,
  tool: survey.inspection.tool?.title,
  questions: candidatesIn(survey, form),
  rowKeys: survey.inspection.rowKey,
})
