import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { byFile, type Diagnostic } from "../domain/diagnostic.ts"
import { isDenied, isMissing, reasonOf } from "../domain/systemErrors.ts"
import { scheduleWithoutKey } from "./cron.ts"
import { decodeYaml } from "./decodeYaml.ts"
import { type Disk, disk } from "./disk.ts"
import {
  aboutFile,
  ConfigurationInvalid,
  type Finding,
  notInProject,
  PipelineUnknown,
  ProjectNotFound,
} from "./errors.ts"
import { sharedRateFindings } from "./ledgerSection.ts"
import { decodePipeline, type Pipeline } from "./Pipeline.ts"
import { connectionFindings, presetNamesIn } from "./preset.ts"
import { type Project, projectOf, projectSchema } from "./Project.ts"
import { openSecrets } from "./secrets.ts"
import { resolved } from "./sourceSection.ts"
import { quoted } from "./suggestion.ts"
import { loadValueSets } from "./valueSets.ts"
import { keysAt, parseYaml, readYamlFile, textAt, textsAt, type YamlText } from "./yamlText.ts"

/** A pipeline file that was parsed as YAML but not decoded. */
export interface PipelineText {
  readonly yaml: YamlText
  /** The file's name without its folder and extension. The pipeline's name may differ. */
  readonly file: string
  /** The file's folder, absolute. The file's paths are relative to it. */
  readonly folder: string
  /** The name under the key `pipeline`. Undefined if it can't be read. */
  readonly name: string | undefined
  /** The pipeline's name or, if it can't be read, its file's. */
  readonly called: string
  /** The pipeline's tags. Undefined if they can't be read. */
  readonly tags: ReadonlyArray<string> | undefined
}

const tagsIn = (yaml: YamlText): PipelineText["tags"] =>
  yaml.sound && keysAt(yaml, [])?.includes("tags") === false ? [] : textsAt(yaml, ["tags"])

/**
 * Whether a pipeline has one of these tags.
 *
 * @param own the pipeline's tags; undefined if they can't be read, which counts as having any tag
 * @param tags the tags; if empty, every pipeline matches
 */
export const hasTag = (own: PipelineText["tags"], tags: ReadonlyArray<string>): boolean =>
  own === undefined || tags.length === 0 || own.some((tag) => tags.includes(tag))

/** A text to use instead of a pipeline's file, such as one that is being edited. */
export interface PipelineDraftText {
  /** The pipeline's name in its file. */
  readonly pipeline: string
  readonly text: string
}

/** Returns the name of a pipeline's file, as the pipeline is called if its own name can't be read. */
export const nameOfFile = (file: string): string => file.replace(/^.*\//, "").replace(/\.ya?ml$/, "")

/** Lists the files of pipelines/, sorted by name, and the names of the pipelines in them. */
export const listPipelines = (root: string, draft?: PipelineDraftText) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const folder = path.join(root, "pipelines")
    const texts: Array<PipelineText> = []
    const unreadable: Array<Diagnostic> = []
    const entries = yield* Effect.catchAll(fs.readDirectory(folder), (error) => {
      // Without this, a folder that can't be read would look as if it had no pipelines.
      if (!isMissing(error)) unreadable.push(aboutFile("pipelines", `The folder can't be read: ${reasonOf(error)}.`))
      return Effect.succeed<Array<string>>([])
    })
    for (const entry of entries.filter((name) => /^[^.].*\.ya?ml$/.test(name)).toSorted()) {
      const file = yield* readYamlFile(root, path.join(folder, entry))
      if (file._tag === "Unreadable") unreadable.push(file.diagnostic)
      else {
        const ofFile = nameOfFile(entry)
        const isDraft = draft !== undefined && (textAt(file.yaml, ["pipeline"]) ?? ofFile) === draft.pipeline
        const yaml = isDraft ? parseYaml(file.yaml.file, draft.text) : file.yaml
        const name = textAt(yaml, ["pipeline"])
        texts.push({ yaml, file: ofFile, folder: file.folder, name, called: name ?? ofFile, tags: tagsIn(yaml) })
      }
    }
    return { texts, names: texts.flatMap(({ name }) => name ?? []), unreadable }
  })

/**
 * Returns a diagnostic for each file whose pipeline name is also used by a different file.
 *
 * @param folderOf returns the same text for names that name the same folder
 */
const repeatedNames = (
  texts: ReadonlyArray<PipelineText>,
  folderOf: (name: string | undefined) => string | undefined,
): ReadonlyArray<Diagnostic> =>
  texts.flatMap(({ yaml, name }) => {
    const others = texts.filter((other) =>
      name !== undefined && folderOf(other.name) === folderOf(name) && other.yaml !== yaml
    )
    const isSame = others.every((other) => other.name === name)
    const called = others.map((other) => `${other.yaml.file} is called ${quoted(other.name ?? "")}`).join(" and ")
    return others.length === 0 ? [] : [yaml.diagnostic({
      offset: yaml.offset(["pipeline"], "value"),
      message: `${called}${isSame ? ", too" : ", which differs only in letter case"}.`,
      suggestion: isSame
        ? "The name is a pipeline's identity in the ledger. Give one of the pipelines a different name."
        : "This disk ignores letter case, so both would have the same folder of reports. Give one of the pipelines a different name.",
    })]
  })

/** Returns the services that a pipeline names but the project lacks. */
const unknownServices = (yaml: YamlText, services: ReadonlyArray<string>): ReadonlyArray<Finding> =>
  [["sink"], ...(keysAt(yaml, ["sink", "targets"]) ?? []).map((target) => ["sink", "targets", target])].flatMap(
    (place) => {
      const path = [...place, "service"]
      const name = textAt(yaml, path)
      if (name === undefined || services.includes(name)) return []
      return [notInProject("services", name, services, yaml.offset(path, "value"))]
    },
  )

const configFile = ["config", "formferry.yaml"] as const

/** Returns the nearest folder from `start` upwards that contains config/formferry.yaml, as an absolute path. */
export const findProject = (
  start: string,
): Effect.Effect<string, ProjectNotFound, Disk> =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const first = path.resolve(start)
    let unreadable: string | undefined
    for (let folder = first;; folder = path.dirname(folder)) {
      const file = path.join(folder, ...configFile)
      const found = yield* Effect.either(fs.exists(file))
      if (Either.isRight(found) && found.right) return folder
      if (Either.isLeft(found)) unreadable ??= `${file} can't be read: ${reasonOf(found.left)}.`
      // A folder above one without access is a different project.
      const isLast = path.dirname(folder) === folder || (Either.isLeft(found) && isDenied(found.left))
      if (isLast) return yield* new ProjectNotFound({ start: first, unreadable })
    }
  })

/** Reads config/formferry.yaml with its value sets. Returns undefined for any part that can't be read. */
const readProjectFile = (root: string, config: string, resolve: (path: string) => string) =>
  Effect.gen(function*() {
    const text = yield* readYamlFile(root, config)
    if (text._tag === "Unreadable") return { diagnostics: [text.diagnostic] }
    const { yaml } = text
    const names = yaml.sound
      ? { services: keysAt(yaml, ["services"]) ?? [], connections: presetNamesIn(yaml) }
      : undefined
    const result = decodeYaml(
      yaml,
      projectSchema,
      "The project file",
      () => [...yaml.findings, ...connectionFindings(yaml), ...sharedRateFindings(yaml)],
    )
    if (result._tag === "Wrong") return { names, diagnostics: result.findings.map(yaml.diagnostic) }
    const { findings, sets } = yield* loadValueSets(yaml, result.value.valueSets, resolve)
    if (findings.length > 0) return { names, diagnostics: findings.map(yaml.diagnostic) }
    return { names, sets, decoded: { yaml, file: result.value }, diagnostics: [] }
  })

/**
 * Loads a project: config/formferry.yaml and some or all pipelines. Fails with all mistakes in these files at once, as `ConfigurationInvalid`.
 *
 * @param dir the project's folder
 * @param options.pipelines the names of pipelines: checks only their files, so that a broken pipeline does not affect the others; `all` (default): every file
 * @param options.draft a text to use instead of a pipeline's file
 * @param options.withoutBroken omits broken entries of a pipeline if the rest doesn't depend on them; only for checks, never for a run
 */
export const loadProject = (
  dir: string,
  options: {
    readonly pipelines?: "all" | ReadonlyArray<string>
    readonly withoutBroken?: boolean
    readonly draft?: PipelineDraftText | undefined
  } = {},
): Effect.Effect<
  Project,
  ConfigurationInvalid | ProjectNotFound | PipelineUnknown,
  Disk
> =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const root = path.resolve(dir)
    const config = path.join(root, ...configFile)
    // A file that can't be reached is reported when it is read.
    if (!(yield* fs.exists(config).pipe(Effect.orElseSucceed(() => true)))) {
      return yield* new ProjectNotFound({ start: root, isNamed: true })
    }
    const from = (folder: string) => (file: string) => path.resolve(folder, file)
    const resolve = from(path.dirname(config))
    const { decoded, names, sets, ...read } = yield* readProjectFile(root, config, resolve)
    const diagnostics: Array<Diagnostic> = [...read.diagnostics]

    const { names: known, texts, unreadable } = yield* listPipelines(root, options.draft)
    const wanted = options.pipelines ?? "all"
    const missing = wanted === "all" ? [] : wanted.filter((wish) => !texts.some(({ name }) => name === wish))
    const found = texts.filter(({ name }) => wanted === "all" || (name !== undefined && wanted.includes(name)))
    // A file whose pipeline name can't be read may be the requested one.
    const nameless = texts.filter(({ name }) => name === undefined && wanted !== "all" && missing.length > 0)
    if (wanted === "all" || missing.length > 0) diagnostics.push(...unreadable)
    const namedByFile = texts.filter(({ file }) => missing.includes(file))
    const inCapitals = path.join(root, ...configFile.map((part) => part.toUpperCase()))
    const ignoresCase = yield* fs.exists(inCapitals).pipe(Effect.orElseSucceed(() => false))
    const folderOf = (name: string | undefined) => ignoresCase ? name?.toLowerCase() : name
    const folders = new Set([...found, ...namedByFile].map(({ name }) => folderOf(name)))
    diagnostics.push(...repeatedNames(texts.filter(({ name }) => folders.has(folderOf(name))), folderOf))

    const own = decoded
      && projectOf(decoded.file, resolve, yield* openSecrets(decoded.yaml, path.join(root, ".env"), resolve))
    const pipelines = new Map<string, Pipeline>()
    for (const { folder, yaml } of [...found, ...nameless]) {
      const findings = !yaml.sound
        ? []
        : [
          ...(names === undefined ? [] : unknownServices(yaml, names.services)),
          ...scheduleWithoutKey(yaml),
        ]
      const result = decodePipeline(yaml, {
        sets,
        connections: names?.connections,
        findings,
        isPartial: options.withoutBroken === true,
      })
      if (result._tag === "Wrong") {
        diagnostics.push(...result.findings.map(yaml.diagnostic))
        continue
      }
      const { name, source } = result.value
      pipelines.set(name, { ...result.value, source: resolved(source, from(folder), own?.connections ?? new Map()) })
    }

    if (diagnostics.length > 0 || own === undefined) {
      return yield* new ConfigurationInvalid({ diagnostics: diagnostics.toSorted(byFile) })
    }
    if (missing.length > 0) {
      return yield* new PipelineUnknown({
        names: missing,
        known,
        files: namedByFile.flatMap(({ file, name, yaml }) =>
          name === undefined ? [] : [{ asked: file, file: yaml.file, name }]
        ),
      })
    }
    return { root, ...own, pipelines }
  })
