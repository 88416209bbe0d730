import { FileSystem, Path } from "@effect/platform"
import { Effect } from "effect"
import { draftPipeline } from "../../mapping/suggest/draftPipeline.ts"
import { unmappedNames } from "../../mapping/suggest/Suggestion.ts"
import { writeFormRecord } from "../../project/formRecord.ts"
import { pipelineText } from "../../project/PipelineDraft.ts"
import type { Project } from "../../project/Project.ts"
import { ownColumns } from "../../source/columns.ts"
import type { Source } from "../../source/Source.ts"
import { fetchForm } from "../form.ts"
import { InitRefused, namesWithChoices, openNames } from "./Initialised.ts"
import type { Initialised } from "./Initialised.ts"
import { surveySource } from "./surveySource.ts"

/** Writes the file of a new pipeline, and the form as it is. */
export const writeNew = (
  project: Project,
  { file, form: formId, made, name, service, source }: {
    readonly name: string
    readonly source: Source
    readonly file: string
    readonly service: string
    readonly form: string
    readonly made: ReadonlyArray<string>
  },
) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const target = `pipelines/${name}.yaml`
    const folder = path.join(project.root, "pipelines")
    if (yield* fs.exists(path.join(project.root, target))) {
      return yield* new InitRefused({
        message:
          `${target} is there already, and holds no pipeline called ${name}. Choose another name, or say in the file \`pipeline: ${name}\`.`,
      })
    }
    const form = yield* fetchForm(project, service, formId)
    const columns = ownColumns(source.columns)
    const { missing, rows, suggestions, unknown } = yield* surveySource(source, form, columns)
    const { complete } = source.tool ?? {}
    const completeColumn = complete === undefined ? undefined : columns[complete.position]?.name
    const draft = draftPipeline(suggestions, {
      name,
      service,
      columns,
      unknown,
      source: {
        file: path.relative(folder, file).split(path.sep).join("/"),
        format: source.format,
        sheet: source.format === "excel" || source.taken.some(({ what }) => what === "sheet")
          ? sheetIn(source.taken)
          : undefined,
        headerRow: headerIn(source),
        taken: [
          ...source.taken.filter(({ what }) => !["format", "sheet", "tool"].includes(what))
            .map(({ value, what }) => `${what} ${value.replace(/ \(.*\)$/s, "")}`),
          `${rows} rows`,
        ].join(", "),
        missing,
        complete: complete === undefined || completeColumn === undefined
          ? undefined
          : { column: completeColumn, is: complete.is },
        uploads: source.tool?.answers.uploads,
      },
    })
    yield* fs.makeDirectory(folder, { recursive: true })
    yield* fs.writeFileString(
      path.join(project.root, target),
      pipelineText(draft, "../config/schemas/pipeline.schema.json"),
    )
    const record = yield* writeFormRecord(project.root, {
      pipeline: name,
      target: undefined,
      service,
      form,
      columns: columns.map(({ title }) => title),
    })
    const entries = [...draft.questions, ...draft.urlParameters, ...draft.own]
    const result: Initialised = {
      root: project.root,
      written: [...made, target, record],
      pipeline: name,
      file: target,
      form,
      mapped: entries.filter(({ open }) => !open).length,
      open: [
        ...(suggestions.rowKey.names.length === 0 ? ["source.rowKey"] : []),
        ...openNames(form, draft.questions),
        ...draft.own.filter(({ open }) => open).map(({ of }) => of),
      ],
      choices: namesWithChoices(suggestions, unknown),
      unmapped: unmappedNames(suggestions),
      rowKey: suggestions.rowKey.names,
      added: false,
      taken: source.taken,
      warnings: source.warnings,
    }
    return result
  })

/** The header's line or row where something stands above it: once the pipeline says it, nobody is warned of it any more. */
const headerIn = ({ warnings }: Source): number | undefined => {
  const [row] = warnings.flatMap((warning) => /`headerRow: (\d+)`/.exec(warning)?.[1] ?? [])
  return row === undefined ? undefined : Number(row)
}

/** What a report of how a file was taken says of its sheet, without its reason. */
const sheetIn = (taken: Source["taken"]): string | undefined => {
  const value = taken.find(({ what }) => what === "sheet")?.value
  return value === undefined ? undefined : value.replace(/ \((?:the |as |by )[^()]*\)$/, "")
}
