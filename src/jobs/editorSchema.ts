import * as Effect from "effect/Effect"
import type { Form } from "../domain/form.ts"
import { reasonOf } from "../domain/systemErrors.ts"
import { disk, writeProjectFile } from "../project/disk.ts"
import { inFileName } from "../project/formRecord.ts"
import { pipelineSchemaFor } from "../project/jsonSchemas.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import { ownColumns } from "../source/fixed.ts"
import type { Source } from "../source/Source.ts"
import { openParts } from "./prepare.ts"

/** Returns the path of the JSON Schema that editors use for a pipeline, relative to the project's folder. */
export const editorSchemaFile = (pipeline: string): string => `config/schemas/pipelines/${inFileName(pipeline)}.json`

/** @param aliases the names under `source.columns` */
export const editorSchemaText = (
  source: Pick<Source, "blocks" | "columns">,
  aliases: ReadonlyArray<string>,
  form: Form,
): string => {
  const names = ownColumns(source.columns).flatMap(({ name }) => name ?? [])
  const schema = pipelineSchemaFor({
    columns: [...names, ...aliases],
    blocks: source.blocks.map(({ title }) => title.trim()),
    form,
  })
  return `${JSON.stringify(schema)}\n`
}

/** Returns the text of an existing pipeline's JSON Schema. */
export const pipelineSchemaText = (
  { form, pipeline, source }: {
    readonly pipeline: Pick<Pipeline, "source">
    readonly source: Source
    readonly form: Form
  },
): string => editorSchemaText(source, pipeline.source.columns.map(({ name }) => name), form)

/** Returns a pipeline's JSON Schema, made from its source and its live form. Works even if other parts of the pipeline have mistakes. */
export const editorSchema = (root: string, name: string) =>
  Effect.scoped(Effect.map(openParts(root, name), pipelineSchemaText))

/** Writes the JSON Schema of a pipeline. Returns its path, relative to the project's folder. */
export const writeEditorSchema = (root: string, pipeline: string, text: string) =>
  Effect.gen(function*() {
    const name = editorSchemaFile(pipeline)
    yield* writeProjectFile(root, name, text)
    return name
  })

/** Rewrites the JSON Schema of a pipeline if the file exists and is out of date. Returns a sentence that says what happened. */
export const refreshEditorSchema = (
  root: string,
  pipeline: Pipeline,
  source: Source,
  form: Form,
) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const name = editorSchemaFile(pipeline.name)
    const before = yield* Effect.option(fs.readFileString(path.join(root, name)))
    if (before._tag === "None") return undefined
    const text = pipelineSchemaText({ pipeline, source, form })
    if (before.value === text) return undefined
    return yield* writeEditorSchema(root, pipeline.name, text).pipe(
      Effect.as(`${name}, the schema for editors, was out of date and has been updated.`),
      Effect.catchAll((error) =>
        Effect.succeed(`${name}, the schema for editors, is out of date and can't be written: ${reasonOf(error)}.`)
      ),
    )
  })
