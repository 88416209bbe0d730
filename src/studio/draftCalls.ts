import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import {
  candidatesIn,
  draftState,
  type DraftSurvey,
  editEntry,
  editText,
  loadDraft,
  type OpenDraft,
} from "../jobs/draft.ts"
import { countDraft } from "../jobs/draftCounts.ts"
import { editorSchemaText } from "../jobs/editorSchema.ts"
import { readPipelineFile, savePipelineFile } from "../jobs/pipelineFile.ts"
import { preview } from "../jobs/preview.ts"
import { findPipeline, firstTarget } from "../jobs/target.ts"
import { StudioApi, type Survey } from "./Api.ts"
import { answering, Studio } from "./Studio.ts"

/** The maximum number of rows of a preview. */
const rowsShown = 50

export const draftCalls = HttpApiBuilder.group(StudioApi, "draft", (handlers) =>
  handlers
    .handle("open", ({ payload: { pipeline } }) =>
      answering(Effect.flatMap(Studio, ({ root }) => readPipelineFile(root, pipeline))))
    .handle("survey", ({ payload: { whole, ...draft } }) =>
      answering(Effect.gen(function*() {
        const studio = yield* Studio
        const opened = yield* studio.open(draft)
        return surveyShown(opened, yield* studio.survey(opened, whole))
      })))
    .handle("state", ({ payload }) =>
      answering(Effect.gen(function*() {
        const { guard, root, services } = yield* Studio
        return yield* draftState({ root, guard, services: yield* services }, payload)
      })))
    .handle("edit", ({ payload: { operation, ...draft } }) =>
      answering(Effect.gen(function*() {
        if (operation._tag !== "Map" && operation._tag !== "MapTime" && operation._tag !== "LeaveUnanswered") {
          return yield* editText(draft.text, operation)
        }
        const studio = yield* Studio
        const opened = yield* studio.open(draft)
        return yield* editEntry(opened, yield* studio.survey(opened, false), operation)
      })))
    .handle("preview", ({ payload: { row, rows, ...draft } }) =>
      answering(Effect.gen(function*() {
        const { guard, root, services } = yield* Studio
        const { name, project } = yield* loadDraft({ root, guard }, draft)
        return yield* preview(project, name, {
          to: (yield* firstTarget(yield* findPipeline(project, name))).target,
          source: undefined,
          row: Math.max(1, row),
          rows: Math.min(rowsShown, Math.max(1, rows)),
          services: yield* services,
        })
      })))
    .handle("counts", ({ payload: { whole, ...draft } }) =>
      answering(
        Effect.flatMap(Studio, ({ open }) =>
          Effect.flatMap(open(draft), (opened) => countDraft(opened, whole))),
      ))
    .handle("schema", ({ payload }) =>
      answering(Effect.gen(function*() {
        const { form, pipeline, source } = yield* Effect.flatMap(Studio, ({ open }) => open(payload))
        const text = editorSchemaText(source, pipeline.source.columns.map(({ name }) => name), form)
        return JSON.parse(text) as unknown
      })))
    .handle("save", ({ payload }) => answering(Effect.flatMap(Studio, ({ root }) => savePipelineFile(root, payload)))))

const surveyShown = ({ form, project }: OpenDraft, survey: DraftSurvey): Survey => ({
  ...survey.inspection,
  warnings: survey.inspection.warnings.map((text) => text.replaceAll(project.root, ".")),
  isWhole: survey.isWhole,
  tool: survey.inspection.tool?.title,
  questions: candidatesIn(survey, form),
  rowKeys: survey.inspection.rowKey,
})
