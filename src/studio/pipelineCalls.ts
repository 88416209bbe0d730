// Calls about the project, and about drafts of its pipelines.
import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import { candidatesIn, draftState, type DraftSurvey, editEntry, editText } from "../jobs/draft.ts"
import { loadDraft, type OpenDraft } from "../jobs/draft.ts"
import { countDraft } from "../jobs/draftCounts.ts"
import { editorSchemaText } from "../jobs/editorSchema.ts"
import { initialise } from "../jobs/init.ts"
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
import { discardUpload, receiveUpload } from "./uploads.ts"

const barsShown = 14

const refused = (message: string) => new Refused({ code: "InitRefused", message })

export const projectCalls = HttpApiBuilder.group(StudioApi, "project", (handlers) =>
  handlers
    .handle("home", () => answering(home))
    .handle("forms", ({ payload: { service } }) =>
      answering(() =>
        Effect.flatMap(projectWith([]), (project) => fetchForms(project, service))
      ))
    .handle("create", ({ payload }) => answering((studio) => create(studio, payload)))
    .handle("discard", ({ payload: { file } }) => answering(() => Effect.as(discardUpload(file), {})))
    .handle(
      "reading",
      ({ payload: { pipeline } }) => Effect.map(Studio, ({ rowsRead }) => ({ rows: rowsRead.get(pipeline) })),
    )
    .handleRaw("upload", ({ request, urlParams: { name } }) =>
      answering(({ root, uploaded }) =>
        Effect.gen(function*() {
          const fs = yield* FileSystem.FileSystem
          const path = yield* Path.Path
          const folder = path.join(root, uploads)
          yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
          // People's answers don't belong in a repository.
          yield* fs.writeFileString(path.join(folder, ".gitignore"), "*\n")
          const file = `${uploads}/${yield* receiveUpload(request, folder, name)}`
          uploaded.add(file)
          return { file }
        })
      )))

export const draftCalls = HttpApiBuilder.group(StudioApi, "draft", (handlers) =>
  handlers
    .handle("open", ({ payload: { pipeline } }) => answering(({ root }) => readPipelineFile(root, pipeline)))
    .handle("survey", ({ payload: { whole, ...draft } }) =>
      answering((studio) =>
        Effect.gen(function*() {
          const opened = yield* studio.open(draft)
          return surveyShown(opened, yield* studio.survey(opened, whole))
        })
      ))
    .handle("state", ({ payload }) =>
      answering(({ drafting }) => Effect.flatMap(drafting, (options) => draftState(options, payload))))
    .handle("edit", ({ payload: { operation, ...draft } }) =>
      answering((studio) =>
        Effect.gen(function*() {
          if (operation._tag !== "Map" && operation._tag !== "MapTime" && operation._tag !== "LeaveUnanswered") {
            return yield* editText(draft.text, operation)
          }
          const opened = yield* studio.open(draft)
          return yield* editEntry(opened, yield* studio.survey(opened, false), operation)
        })
      ))
    .handle("preview", ({ payload: { row, rows, ...draft } }) =>
      answering(({ drafting }) =>
        Effect.gen(function*() {
          const options = yield* drafting
          const { name, project } = yield* loadDraft(options, draft)
          return yield* preview(project, name, {
            to: (yield* firstTarget(yield* findPipeline(project, name))).target,
            source: undefined,
            row: Math.max(1, row),
            rows,
            services: options.services,
          })
        })
      ))
    .handle("counts", ({ payload: { whole, ...draft } }) =>
      answering(({ open }) =>
        Effect.flatMap(open(draft), (opened) =>
          countDraft(opened, whole))
      ))
    .handle("schema", ({ payload }) =>
      answering(({ open }) => Effect.map(open(payload), schemaOf)))
    .handle("save", ({ payload }) => answering(({ root }) => savePipelineFile(root, payload))))

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
    const written = Effect.tap(readPipelineFile(root, pipeline), () => uploaded.delete(source))
    // Someone may cancel after the pipeline was written.
    const removed = Effect.ignore(Effect.orElse(written, () => discardUpload(source)))
    const file = yield* Effect.zipRight(Effect.onInterrupt(initialise(about), () => removed), written)
    yield* Effect.ignore(Effect.flatMap(open(file), keep))
    return file
  })

/** The folder for uploaded sources, in the project's folder. */
const uploads = "sources"

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
  const standings = status.pipelines.filter(({ pipeline }) => pipeline === name)
  const nextRun = standings.find((one) => one.nextRun !== undefined)?.nextRun
    ?? status.waiting.find(({ pipeline }) => pipeline === name)?.nextRun
  return {
    name,
    targets,
    // The schemas leave out what the page doesn't show.
    standings: standings.map(({ destination, going, runs, standing }) => ({
      ...destination,
      ...standing,
      to: targets.find(({ form, service }) =>
        form === destination.form && addressesOf(project, service).includes(destination.service)
      )?.to,
      isGoing: going !== undefined,
      runs: runs.map((run) => ({ ...run, ...run.facts })),
    })),
    nextRun: nextRun?.at,
    notBegun: status.notBegun.find(({ pipeline }) => pipeline === name)?.at,
    problem: status.missed.find(({ pipeline }) => pipeline === name)?.message,
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
