import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { brief } from "../domain/problem.ts"
import { isPresent } from "../domain/systemErrors.ts"
import { counted } from "../domain/words.ts"
import { strayWarnings } from "../profile/strayRows.ts"
import { decodeYaml } from "../project/decodeYaml.ts"
import { createFile, disk, relativePath, writeProjectFile } from "../project/disk.ts"
import { Identifier } from "../project/fields.ts"
import { recordOf, writeFormRecord } from "../project/formRecord.ts"
import { jsonSchemas } from "../project/jsonSchemas.ts"
import { listPipelines, loadProject } from "../project/loadProject.ts"
import { type DraftKey, pipelineText } from "../project/PipelineDraft.ts"
import { presetNamed } from "../project/preset.ts"
import { type Project, projectOf, projectSchema } from "../project/Project.ts"
import { environmentExample, gitIgnoreWith, type NewService, projectText } from "../project/projectText.ts"
import { isPull, keyColumns, readKeys, type SourceConfig } from "../project/sourceSection.ts"
import { parseYaml } from "../project/yamlText.ts"
import { ownColumns } from "../source/fixed.ts"
import type { Source } from "../source/Source.ts"
import { draftPipeline } from "../suggest/draft/draftPipeline.ts"
import { unmappedNames } from "../suggest/Suggestion.ts"
import { addNew } from "./addNew.ts"
import { editorSchemaFile, editorSchemaText, writeEditorSchema } from "./editorSchema.ts"
import { openShown } from "./prepare.ts"
import { fetchForm, openService } from "./services.ts"
import {
  type Initialised,
  type InitOptions,
  initRefused,
  labelsFor,
  openNames,
  type SourceLabels,
  summaryOf,
  type Surveying,
  surveySource,
  unreadSheets,
} from "./suggestMapping.ts"
import { translationsIn } from "./translations.ts"

const isName = Schema.is(Identifier)

/** Returns why a text can't be a pipeline's name, or undefined if it can. */
export const nameFault = (name: string): string | undefined =>
  isName(name)
    ? undefined
    : `"${
      brief(name)
    }" can't be a pipeline's name. It must begin with a letter from A to Z or a digit, contain only these letters, digits, \`.\`, \`_\` and \`-\`, and have at most 100 characters.`

/** The maximum time to wait for a service that checks a key. */
const askedFor = Duration.seconds(15)

/**
 * Sends a new service a request for a form with a key. Returns why the service refuses the key, or undefined. Ignores any other failure, which
 * `initialise` reports later. Writes nothing.
 */
export const keyFault = (service: NewService & { readonly _tag: "Live" }, apiKey: Redacted.Redacted, form: string) =>
  Effect.gen(function*() {
    const read = decodeYaml(parseYaml("config/formferry.yaml", projectText(service)), projectSchema, "The project file")
    const config = read._tag === "Read"
      ? projectOf(read.value, identity, () => Effect.never).services.get(service.name)
      : undefined
    if (config?._tag !== "Live") return undefined
    const opened = yield* openService({ ...config, apiKey: Effect.succeed(apiKey) })
    yield* Effect.timeoutOption(opened.form(form), askedFor)
    return undefined
  }).pipe(
    Effect.scoped,
    Effect.catchAll((error) =>
      Effect.succeed(
        error._tag === "ServiceUnusable" && error.reason === "credentials"
          ? `${service.baseUrl} does not accept this key${
            error.status === undefined ? "" : ` (status ${error.status})`
          }. Nothing was written.`
          : undefined,
      )
    ),
  )

/**
 * Writes a pipeline: the source as detected, and a mapping suggested from the form and all of the source's cells. Creates a project first if there is
 * none. If the pipeline already exists, adds only what is new.
 */
export const initialise = (options: InitOptions) =>
  Effect.scoped(
    Effect.gen(function*() {
      const { name, root } = options
      const fault = nameFault(name)
      if (fault !== undefined) return yield* initRefused(fault)
      const opened = options.source === undefined
        ? undefined
        : yield* openShown({ ...options.source, empty: [] })
      // Reads the labels before anything is written, because this may fail.
      const labels = opened === undefined
        ? undefined
        : yield* labelsFor(options.labels, ownColumns(opened.columns))
      const made = options.newService === undefined ? [] : yield* makeProject(root, options.newService, options.apiKey)
      if (made.length > 0) options.onProjectMade?.(made)
      const { texts } = yield* listPipelines(root)
      const existing = texts.find((text) => text.name === name)
      if (existing !== undefined) return yield* addNew(root, existing.yaml.file, options)
      const project = (options.guard ?? identity)(yield* loadProject(root, { pipelines: [] }))
      if (
        options.source === undefined || opened === undefined || options.service === undefined
        || options.form === undefined
      ) {
        return yield* initRefused(
          `There is no pipeline ${name} yet: a new one needs --source FILE or --connection NAME, --service SERVICE and --form ID.`,
        )
      }
      return yield* writeNew(project, {
        name,
        source: opened,
        config: options.source,
        service: options.service,
        form: options.form,
        labels,
        made,
        survey: options.survey ?? surveySource,
      })
    }),
  )

/**
 * Creates a project: config/formferry.yaml, the schemas for editors, .env.example, and .gitignore for the ledger, reports and keys. Keeps existing
 * files, but adds missing lines to .gitignore. Returns the paths of the written files, relative to the folder.
 */
const makeProject = (root: string, service: NewService, apiKey: Redacted.Redacted | undefined) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const written: Array<string> = []
    const write = (name: string, text: string) =>
      Effect.map(writeProjectFile(root, name, text), () => void written.push(name))
    const writeNew = (name: string, text: string) =>
      Effect.flatMap(fs.exists(path.join(root, name)), (exists) => exists ? Effect.void : write(name, text))
    yield* writeNew("config/formferry.yaml", projectText(service))
    const schemas = jsonSchemas()
    yield* writeNew("config/schemas/project.schema.json", `${JSON.stringify(schemas.project, null, 2)}\n`)
    yield* writeNew("config/schemas/pipeline.schema.json", `${JSON.stringify(schemas.pipeline, null, 2)}\n`)
    yield* writeNew(".env.example", environmentExample(service))
    const ignore = path.join(root, ".gitignore")
    const before = (yield* fs.exists(ignore)) ? yield* fs.readFileString(ignore) : ""
    const after = gitIgnoreWith(before)
    if (after !== undefined) yield* write(".gitignore", after)
    const environment = path.join(root, ".env")
    if (apiKey !== undefined && service._tag === "Live" && !(yield* fs.exists(environment))) {
      // Writes .gitignore before the file with the key. That file is created with permissions for its owner only, so that the key is never readable by others.
      const line = `${service.keyVariable}=${JSON.stringify(Redacted.value(apiKey))}\n`
      yield* createFile(environment, (append) => append(new TextEncoder().encode(line)), 0o600)
      written.push(".env")
    }
    return written
  })

/** Writes the file of a new pipeline, and records the form. */
const writeNew = (
  project: Project,
  { config, form: formId, labels, made, name, service, source, survey: surveying }: {
    readonly name: string
    readonly source: Source
    readonly config: SourceConfig
    readonly service: string
    readonly form: string
    readonly labels: SourceLabels | undefined
    readonly made: ReadonlyArray<string>
    readonly survey: Surveying
  },
) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const target = `pipelines/${name}.yaml`
    const folder = path.join(project.root, "pipelines")
    if (yield* fs.exists(path.join(project.root, target))) {
      return yield* initRefused(
        `${target} already exists, and contains no pipeline called ${name}. Choose a different name, or write \`pipeline: ${name}\` in the file.`,
      )
    }
    const form = yield* fetchForm(project, service, formId)
    const columns = ownColumns(source.columns)
    const survey = yield* surveying(source, form, columns, labels)
    const { missing, rows, stray, suggestions } = survey
    const { complete } = source.tool ?? {}
    const given = keyColumns(config)
    const taken = labels === undefined ? source.taken : [...source.taken, labels.taken]
    const completeColumn = complete === undefined ? undefined : columns[complete.position]?.name
    const draft = draftPipeline(suggestions, {
      columns,
      keys: [
        ...placeKeys(
          config,
          source,
          (file) => relativePath(path, folder, file),
          [
            ...taken.filter(({ what }) => !["format", "sheet", "tool"].includes(what))
              .map(({ value, what }) => `${what} ${value.replace(/ \(.*\)$/s, "")}`),
            counted(rows, "row"),
          ].join(", "),
        ),
        ...keysOfReading(config, source),
      ],
      isKeyed: config.rowKey !== undefined,
      missing,
      finished: complete === undefined || completeColumn === undefined
        ? undefined
        : { [completeColumn]: complete.is === "filled" ? { empty: false } : complete.is },
      stray,
    }, { name, service })
    yield* writeProjectFile(project.root, target, pipelineText(draft, `../${editorSchemaFile(name)}`), "wx").pipe(
      Effect.catchIf(
        isPresent,
        () =>
          initRefused(
            `${target} was created by someone else while the source was read. It was not overwritten. Choose a different name. Or run \`init\` again to add what is new to that file.`,
          ),
      ),
    )
    const aliases = Object.keys(draft.source.find(({ key }) => key === "columns")?.value ?? {})
    const schema = yield* writeEditorSchema(project.root, name, editorSchemaText(source, aliases, form))
    const record = yield* writeFormRecord(project.root, recordOf(name, { service, target: undefined }, form, columns))
    const entries = [...draft.questions, ...draft.urlParameters, ...draft.own]
    return {
      root: project.root,
      written: [...made, target, schema, record],
      pipeline: name,
      file: target,
      ...summaryOf(source, form, entries),
      taken,
      warnings: [
        ...source.warnings,
        ...config.sheet === undefined ? unreadSheets(yield* source.files) : [],
        ...strayWarnings(
          stray,
          (_, them) => `\`where\` skips ${them}, and reports count ${them} as skipped on purpose.`,
        ),
      ],
      open: [
        ...(suggestions.rowKey.names.length === 0 && config.rowKey === undefined ? ["source.rowKey"] : []),
        ...(missing.size === 0 ? [] : ["source.empty"]),
        ...openNames(form, entries),
      ],
      stillOpen: [],
      translations: yield* translationsIn(project.root, name, source, form),
      unmapped: unmappedNames(suggestions),
      rowKey: given.length === 0 ? suggestions.rowKey.names : given.map(({ name }) => name),
      added: false,
    } satisfies Initialised
  })

/**
 * Returns the keys of `source` that say where the rows are, and their format unless the connection's preset says it.
 *
 * @param relative makes a path relative to the pipeline's folder
 * @param taken how the source was detected, as text
 */
const placeKeys = (
  { file, format }: SourceConfig,
  source: Source,
  relative: (file: string) => string,
  taken: string,
): ReadonlyArray<DraftKey> => {
  if (typeof file === "string") {
    return [{ key: "file", value: relative(file) }, { key: "format", value: source.format, note: taken }]
  }
  if (!isPull(file)) return []
  const { account, connection, form, variables } = file
  const isOwn = format !== undefined && format !== presetNamed(account?.api)?.source["format"]
  return [
    { key: "connection", value: connection, note: taken },
    ...(form === undefined ? [] : [{ key: "form", value: form }]),
    ...(variables === undefined ? [] : [{ key: "variables", value: variables }]),
    ...(isOwn ? [{ key: "format", value: format }] : []),
  ]
}

/** Returns the keys of `source` that say how to read the file: as given, otherwise as detected. */
const keysOfReading = (config: SourceConfig, { head }: Source): ReadonlyArray<DraftKey> => {
  // If the pipeline contains this number, reading the source gives no warning.
  const row = config.headerRow === undefined ? head?.detectedRow : undefined
  const values = { ...config, headerRow: row ?? config.headerRow, sheet: config.sheet ?? head?.sheet }
  return readKeys.flatMap((key) => {
    const value = values[key]
    const note = key === "headerRow" && row !== undefined ? { note: "detected: lines above it are not read" } : {}
    return key === "format" || value === undefined ? [] : [{ key, value, ...note }]
  })
}
