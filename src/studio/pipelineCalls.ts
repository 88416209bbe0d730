// Calls about the project, and about drafts of its pipelines.
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import { draftState, editEntry, loadDraft, type OpenDraft, shownSurvey } from "../jobs/draft.ts"
import { pipelineSchemaText } from "../jobs/editorSchema.ts"
import { editText } from "../jobs/editText.ts"
import { initialise } from "../jobs/init.ts"
import { copySource, discardSource, keepSource } from "../jobs/newSource.ts"
import { overview } from "../jobs/overview.ts"
import { readPipelineFile, savePipelineFile } from "../jobs/pipelineFile.ts"
import { preview } from "../jobs/preview.ts"
import { fetchForms } from "../jobs/services.ts"
import { initRefused } from "../jobs/suggestMapping.ts"
import { findFirstTarget } from "../jobs/target.ts"
import { listPipelines } from "../project/loadProject.ts"
import { decodeSource } from "../project/sourceSection.ts"
import { type Calls, StudioApi } from "./Api.ts"
import { answering, answeringOf, projectWith, Studio } from "./Studio.ts"

export const projectCalls = HttpApiBuilder.group(StudioApi, "project", (handlers) =>
  handlers
    .handle("home", () =>
      answering(({ isDemo }) =>
        Effect.map(Effect.flatMap(projectWith([]), overview), (shown) => ({ ...shown, isDemo }))
      ))
    .handle("forms", ({ payload: { service } }) =>
      answeringOf((project) =>
        fetchForms(project, service)
      ))
    .handle("create", ({ payload }) => answering(create(payload), true))
    .handle("discard", ({ payload: { file } }) =>
      answering(({ root, uploaded }) =>
        Effect.as(uploaded.delete(file) ? discardSource(root, file) : Effect.void, {})
      ))
    .handle(
      "reading",
      ({ payload }) => Effect.map(Studio, ({ rowsRead }) => ({ rows: rowsRead.get(payload.pipeline) })),
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
        return shownSurvey(opened, yield* survey(opened, whole))
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
        const { target } = yield* findFirstTarget(project, name)
        const about = { pipeline: name, to: target.target, source: undefined, services: options.services }
        const { read, rows: shown } = yield* preview(project, { ...about, row: Math.max(1, row), rows })
        return { read, rows: shown }
      })))
    .handle("counts", ({ payload: { whole, ...draft } }) =>
      answering(({ counts, open }) =>
        Effect.flatMap(open(draft), (opened) =>
          counts(opened, whole))
      ))
    .handle("schema", ({ payload }) =>
      answering(({ open }) => Effect.map(open(payload), schemaOf)))
    .handle("save", ({ payload }) => answering(({ root }) => savePipelineFile(root, payload), true)))

const create = ({ form, pipeline, service, source }: Calls["project"]["create"]["payload"]) =>
  Effect.fn(function*({ guard, open, root, surveyNew, uploaded }: Studio["Type"]) {
    const path = yield* Path.Path
    const { texts } = yield* listPipelines(root)
    const isTaken = texts.some(({ called }) => called === pipeline)
    if (isTaken) return yield* initRefused(`The pipeline ${pipeline} already exists. Choose a different name.`)
    if (!uploaded.has(source)) return yield* initRefused(`There is no uploaded file ${source}. Drop it again.`)
    const config = decodeSource({ file: path.join(root, source) }, {})
    if ("key" in config) return yield* initRefused(config.message)
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

const schemaOf = (draft: OpenDraft): unknown => JSON.parse(pipelineSchemaText(draft))
