import { FileSystem, Path } from "@effect/platform"
import { Effect } from "effect"
import type { Diagnostic } from "../domain/diagnostic.ts"
import { decodeYaml } from "./decodeYaml.ts"
import type { ReadResult } from "./decodeYaml.ts"
import { ConfigurationInvalid, PipelineUnknown, ProjectNotFound } from "./errors.ts"
import { decodePipeline } from "./Pipeline.ts"
import type { Pipeline } from "./Pipeline.ts"
import { listPipelines, repeatedNames } from "./pipelineFiles.ts"
import { projectOf, projectSchema } from "./Project.ts"
import type { Project, ProjectFile } from "./Project.ts"
import { keysAt, unknownServices } from "./references.ts"
import { scheduleWithoutKey } from "./scheduleIn.ts"
import { openSecrets } from "./secrets.ts"
import { absoluteFiles } from "./sourceSection.ts"
import { readYamlFile } from "./textFile.ts"
import { loadValueSets } from "./valueSets.ts"
import type { ValueSets } from "./valueSets.ts"
import { withoutBroken } from "./withoutBroken.ts"
import type { YamlText } from "./yamlText.ts"

const configFile = ["config", "formferry.yaml"] as const

/** The nearest folder from `start` upwards that has config/formferry.yaml, absolute. */
export const findProject = (
  start: string,
): Effect.Effect<string, ProjectNotFound, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const first = path.resolve(start)
    for (let folder = first;; folder = path.dirname(folder)) {
      const found = yield* fs.exists(path.join(folder, ...configFile)).pipe(Effect.orElseSucceed(() => false))
      if (found) return folder
      if (path.dirname(folder) === folder) return yield* new ProjectNotFound({ start: first })
    }
  })

/** The project file first, then the pipelines by file; within a file as they stand. */
const inOrder = (a: Diagnostic, b: Diagnostic): number =>
  a.file === b.file ? a.line - b.line || a.column - b.column : a.file < b.file ? -1 : 1

/** Decodes one pipeline file, or returns all that is wrong with it, including services and value sets that the project does not have. */
const readPipeline = (
  yaml: YamlText,
  services: ReadonlyArray<string> | undefined,
  sets: ValueSets | undefined,
  resolve: (path: string) => string,
): ReadResult<Pipeline> => {
  const result = decodePipeline(yaml, sets)
  const references = !yaml.sound ? [] : [
    ...(services === undefined ? [] : unknownServices(yaml, services)),
    ...scheduleWithoutKey(yaml),
  ]
  if (result._tag === "Wrong" || references.length > 0) {
    const findings = [...(result._tag === "Wrong" ? result.findings : []), ...references]
    return { _tag: "Wrong", findings: findings.toSorted((a, b) => a.offset - b.offset) }
  }
  const { source } = result.value
  return { _tag: "Read", value: { ...result.value, source: { ...source, file: absoluteFiles(source.file, resolve) } } }
}

/** A pipeline whose places are shown as the whole file has them. */
const placedIn = (yaml: YamlText, pipeline: Pipeline, rest: YamlText | undefined): Pipeline =>
  rest === undefined ? pipeline : {
    ...pipeline,
    document: {
      file: yaml.file,
      at: (path, point = "value") => {
        const { column, excerpt, line } = yaml.diagnostic({ offset: rest.offset(path, point), message: "" })
        return { line, column, excerpt }
      },
    },
  }

/**
 * Loads a project: config/formferry.yaml and the pipelines asked for.
 * @param dir the project's folder
 * @param options.pipelines names of pipelines: only their files are checked, so that a broken one does not stop another; `all` (default): every file
 * @param options.withoutBroken leaves broken entries of a pipeline out, where the rest can do without them: to check what can be checked, never to run it
 * @returns the project with these pipelines
 * All that is wrong in these files comes at once, as `ConfigurationInvalid`.
 */
export const loadProject = (
  dir: string,
  options: { readonly pipelines?: "all" | ReadonlyArray<string>; readonly withoutBroken?: boolean } = {},
): Effect.Effect<
  Project,
  ConfigurationInvalid | ProjectNotFound | PipelineUnknown,
  FileSystem.FileSystem | Path.Path
> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const root = path.resolve(dir)
    const config = path.join(root, ...configFile)
    if (!(yield* fs.exists(config).pipe(Effect.orElseSucceed(() => false)))) {
      return yield* new ProjectNotFound({ start: root })
    }

    const from = (folder: string) => (file: string) => path.resolve(folder, file)
    const diagnostics: Array<Diagnostic> = []

    const projectText = yield* readYamlFile(root, config)
    let yaml: YamlText | undefined
    let file: ProjectFile | undefined
    if (projectText._tag === "Unreadable") {
      diagnostics.push(...projectText.diagnostics)
    } else {
      yaml = projectText.yaml
      const result = decodeYaml(yaml, projectSchema, "The project file")
      if (result._tag === "Read") file = result.value
      else diagnostics.push(...result.findings.map(yaml.diagnostic))
    }
    const loaded = yaml === undefined || file === undefined
      ? undefined
      : yield* loadValueSets(yaml, file.valueSets, from(path.dirname(config)))
    if (yaml !== undefined) diagnostics.push(...(loaded?.findings ?? []).map(yaml.diagnostic))
    const services = yaml === undefined || !yaml.sound ? undefined : keysAt(yaml, ["services"]) ?? []

    const sets = loaded !== undefined && loaded.findings.length === 0 ? loaded.sets : undefined

    const wanted = options.pipelines ?? "all"
    const listing = yield* listPipelines(root)
    const asked = (name: string | undefined) => wanted === "all" || (name !== undefined && wanted.includes(name))
    const texts = listing.texts.filter(({ name }) => asked(name))
    const missing = wanted === "all" ? [] : wanted.filter((name) => !listing.texts.some((text) => text.name === name))

    // A file whose name can't be read may be the one that is asked for.
    const nameless = listing.texts.filter(({ name }) => name === undefined)
    const suspects = wanted !== "all" && missing.length > 0 ? nameless : []
    if (wanted === "all" || missing.length > 0) diagnostics.push(...listing.unreadable)
    const namesakes = listing.texts.filter(({ file }) => missing.includes(file))
    const called = new Set(namesakes.map(({ name }) => name))
    diagnostics.push(...repeatedNames(listing.texts.filter((text) => texts.includes(text) || called.has(text.name))))

    const pipelines = new Map<string, Pipeline>()
    for (const text of [...texts, ...suspects]) {
      const { folder, yaml } = text
      const read = (yaml: YamlText) => readPipeline(yaml, services, sets, from(folder))
      const whole = read(yaml)
      const rest = whole._tag === "Read" || options.withoutBroken !== true
        ? undefined
        : withoutBroken(yaml, whole.findings.map(({ offset }) => offset))
      const result = rest === undefined ? whole : read(rest)
      if (result._tag === "Read") pipelines.set(result.value.name, placedIn(yaml, result.value, rest))
      else diagnostics.push(...result.findings.map((rest ?? yaml).diagnostic))
    }

    if (diagnostics.length > 0) return yield* new ConfigurationInvalid({ diagnostics: diagnostics.toSorted(inOrder) })
    if (missing.length > 0) {
      const known = listing.texts.flatMap(({ name }) => name ?? [])
      return yield* new PipelineUnknown({
        names: missing,
        known,
        files: namesakes.flatMap(({ file, name, yaml }) =>
          name === undefined ? [] : [{ asked: file, file: yaml.file, name }]
        ),
      })
    }
    if (file === undefined || yaml === undefined) {
      return yield* Effect.dieMessage("A project without file and diagnostics")
    }
    const resolve = from(path.dirname(config))
    const secrets = yield* openSecrets(yaml, path.join(root, ".env"), resolve)
    return { root, ...projectOf(file, resolve, secrets), pipelines }
  })
