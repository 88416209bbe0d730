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
import { answering } from "./Studio.ts"

/** The maximum number of rows of a preview. */
const rowsShown = 50

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
            rows: Math.min(rowsShown, Math.max(1, rows)),
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
