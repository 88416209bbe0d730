import type * as FileSystem from "@effect/platform/FileSystem"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type { Diagnostic } from "../domain/diagnostic.ts"
import type { Form } from "../domain/form.ts"
import type { ProgressEvent } from "../domain/progress.ts"
import type { LedgerError, LedgerRefused } from "../ledger/errors.ts"
import { mentionedColumns, nameColumns } from "../mapping/ColumnBook.ts"
import { compile } from "../mapping/compile.ts"
import type { Mapping } from "../mapping/Mapping.ts"
import { ConfigurationInvalid, diagnosticAt } from "../project/errors.ts"
import { loadProject, type PipelineDraftText } from "../project/loadProject.ts"
import type { Pipeline, SourceConfig } from "../project/Pipeline.ts"
import type { Project } from "../project/Project.ts"
import { isPaged } from "../project/pull.ts"
import { isPull, type SourceFiles } from "../project/sourceSection.ts"
import { inRunFolder } from "../report/pastRuns.ts"
import { Progress, showWork } from "../run/Progress.ts"
import type { FormService } from "../service/FormService.ts"
import { typedName } from "../source/archive.ts"
import { findFiles, matchedFiles } from "../source/findFiles.ts"
import { isFixed, ownColumns } from "../source/fixed.ts"
import { type OpenOptions, openSource } from "../source/openSource.ts"
import { everything } from "../source/pull/since.ts"
import { type ConnectionUnusable, PullProgress, type Source, type SourceError } from "../source/Source.ts"
import { compareForm, type FormFindings, requireUnchangedForm, withChanges } from "./formChanges.ts"
import { type MaybeLedger, openIfAny } from "./projectLedger.ts"
import { pullFrom, type Pulls } from "./pullFrom.ts"
import type { Services } from "./services.ts"
import {
  chooseTarget,
  findFirstTarget,
  type OfPipeline,
  openTarget,
  type PipelineTarget,
  type Target,
} from "./target.ts"

/** A compiled mapping and its pipeline, complete with a row key. */
interface CompiledFor {
  readonly pipeline: Pipeline
  readonly mapping: Mapping
  readonly warnings: ReadonlyArray<Diagnostic>
}

/** A pipeline whose source is open, whose form is fetched, and whose mapping is compiled. */
export interface Prepared extends CompiledFor {
  readonly target: Target
  readonly source: Source
  readonly service: FormService
  readonly form: Form
  /** How the form changed after the pipeline was made for it. */
  readonly changed: FormFindings
  /** Opens the project's ledger, once until the scope closes. Returns undefined if the project never had one. */
  readonly ledger: MaybeLedger
}

export interface PrepareOptions extends Pick<OfPipeline, "to"> {
  /** The absolute path of a file to read instead of the pipeline's source. */
  readonly source: string | undefined
  /** Whether the source's digest will be needed. Its calculation takes a long time, so it starts early. */
  readonly digestAhead?: boolean
  /** Which records are pulled, if the pipeline has `since`. Default: all. */
  readonly pulls?: Pulls
  /** Work that starts when the form has been requested, and continues while the response is awaited. */
  readonly meanwhile?: Effect.Effect<unknown>
  /** The services that the process shares, so that several pipelines respect one rate limit. */
  readonly services?: Services | undefined
}

/**
 * Opens what a pipeline needs and checks it against the live form and the source's header. Fetches the form while the source is being opened. Fails
 * with all findings at once. If neither the source nor the form can be read, fails with the error of the source.
 */
export const prepare = (project: Project, pipeline: Pipeline, options: PrepareOptions) =>
  Effect.gen(function*() {
    const target = yield* chooseTarget(pipeline, options.to)
    const at = { project, pipeline, target }
    const opensLedger = openIfAny(project, at)
    const ledger = yield* Effect.cached(Scope.extend(opensLedger, yield* Effect.scope))
    const opening = Effect.flatMap(
      pullFrom(at, ledger, options.pulls ?? { all: undefined }),
      (from) => openPipelineSource(pipeline, options.source, { digestAhead: options.digestAhead === true, from }),
    )
    // The digest takes the longest, so it starts first.
    const ahead = options.digestAhead === true ? yield* opening : undefined
    const opened = yield* Effect.exit(openTarget(at, options.services))
    const fetching = yield* Effect.forkScoped(Effect.flatMap(opened, (service) => service.form(target.form)))
    const source = ahead ?? (yield* opening)
    const service = yield* opened
    yield* Effect.forkScoped(options.meanwhile ?? Effect.void)
    const form = yield* Effect.flatten(Fiber.await(fetching))
    const changed = yield* compareForm(at, form, ledger)
    const compiled = yield* compileFor(pipeline, source, form).pipe(
      Effect.mapError(({ diagnostics }) =>
        new ConfigurationInvalid({ diagnostics: withChanges(diagnostics, changed) })
      ),
    )
    return { ...compiled, target, source, service, form, changed, ledger } satisfies Prepared
  })

/**
 * Prepares a run or a rehearsal. Fails if a mapped part of the form changed. An interrupt ends the preparation at once, so that Ctrl-C works even if a service can't be reached.
 *
 * @param options.interrupted completes when the user interrupts
 * @param options.progress shows how many records were pulled
 * @param options.warn is called with the findings that are not errors
 */
export const prepareRun = (
  project: Project,
  pipeline: Pipeline,
  options: PrepareOptions & {
    readonly interrupted: Effect.Effect<unknown>
    readonly progress: (event: ProgressEvent) => Effect.Effect<void>
    readonly warn: (warnings: ReadonlyArray<Diagnostic>) => Effect.Effect<void>
  },
) =>
  Effect.gen(function*() {
    const source = options.source && (yield* inRunFolder(project.reports, options.source))
    const preparing = Effect.provideService(prepare(project, pipeline, { ...options, source }), Progress, {
      show: options.progress,
    })
    const prepared = yield* orInterrupted(options.interrupted, preparing)
    const warnings = [...(yield* requireUnchangedForm(prepared.changed)), ...prepared.warnings]
    yield* options.warn(warnings)
    return { ...prepared, otherSource: source, warnings: warnings.map(({ message }) => message) }
  })

/** Does work that needs no cleanup, and ends it at once when the user interrupts. */
export const orInterrupted = <A, E, R>(
  interrupted: Effect.Effect<unknown>,
  work: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> => Effect.raceFirst(work, Effect.zipRight(interrupted, Effect.interrupt))

export interface PartsOptions extends Pick<PrepareOptions, "services"> {
  readonly draft?: PipelineDraftText | undefined
  /** Called with the project before its services are used. */
  readonly guard?: ((project: Project) => Project) | undefined
}

export interface OpenParts extends PipelineTarget {
  readonly source: Source
  readonly form: Form
}

/** Opens the source of a pipeline whose file may have mistakes, and fetches the form of its first target. Omits entries with mistakes. */
export const openParts = (
  root: string,
  name: string,
  { draft, guard = identity, services }: PartsOptions = {},
) =>
  Effect.gen(function*() {
    const project = guard(yield* loadProject(root, { pipelines: [name], draft, withoutBroken: true }))
    const at = yield* findFirstTarget(project, name)
    const { pipeline, target } = at
    const source = yield* openPipelineSource(pipeline, undefined)
    const service = yield* openTarget(at, services)
    return { ...at, source, form: yield* service.form(target.form) } satisfies OpenParts
  })

const sameTitles = (a: Source, b: Source): boolean => {
  const [mine, yours] = [ownColumns(a.columns), ownColumns(b.columns)]
  return mine.length === yours.length && mine.every(({ title }, at) => title === yours[at]?.title)
}

/**
 * Opens a pipeline's source, or a different file in its place, with the column names of `source.columns`. The rows of a rejected.csv come from the
 * pipeline's own source. If that source can be opened, its form tool and blocks of columns are used.
 *
 * @param file the absolute path of the different file
 * @param options how to open the pipeline's own source
 */
export const openPipelineSource = (
  pipeline: Pipeline,
  file: string | undefined,
  options: OpenOptions = {},
): Effect.Effect<
  Source,
  SourceError | ConnectionUnusable | ConfigurationInvalid | LedgerError | LedgerRefused,
  FileSystem.FileSystem | Scope.Scope
> =>
  Effect.map(
    openUnnamed(pipeline, file, options),
    (source) => ({ ...source, columns: nameColumns(source.columns, pipeline.source.columns) }),
  )

export const openShown = (...given: Parameters<typeof openSource>) =>
  Effect.provideService(openSource(...given), PullProgress, showWork)

/** How a pipeline's own source is opened; undefined: like every other source. The studio keeps sources open for a while, because a page needs each of them many times. */
export class OwnSource extends Context.Reference<OwnSource>()("formferry/OwnSource", {
  defaultValue: (): { readonly open: typeof openShown | undefined } => ({ open: undefined }),
}) {}

const openUnnamed = ({ source }: Pipeline, file: string | undefined, options: OpenOptions) =>
  Effect.gen(function*() {
    const { open = openShown } = yield* OwnSource
    if (file === undefined) {
      const opened = yield* open(source, options)
      const titles = new Set(opened.columns.map(({ title }) => title))
      const { from } = options
      if (from === undefined || from.columns.every((title) => titles.has(title))) return opened
      const because = "the new records lack columns of earlier ones"
      return yield* open(source, { ...options, from: { ...everything, selection: from.selection, because } })
    }
    const openOther = (format = source.format) => openSource({ ...source, file, format }, { isOther: true })
    const given = { ...(yield* openOther()), matched: yield* matchedBy(source.file, file) }
    if (!isFixed(given.columns)) return given
    const own = Option.getOrUndefined(yield* Effect.option(open(source)))
    if (own?.tool === undefined) return given
    const fixed = yield* openOther(own.tool.name)
    return sameTitles(own, fixed) ? { ...fixed, tool: own.tool, blocks: own.blocks } : fixed
  })

/** Returns the source's files. If `file` matches the pattern, it is listed as the only one that was read. */
const matchedBy = (where: SourceFiles, file: string) =>
  isPull(where) ? Effect.succeed(undefined) : findFiles(where).pipe(
    Effect.map(({ matched }) => matched && matchedFiles(matched, [file])),
    Effect.orElseSucceed(() => undefined),
  )

/** Returns the pipeline with a row key: its own, otherwise that of the form tool that wrote its source. */
const withRowKey = (pipeline: Pipeline, source: Source): Pipeline => {
  const names = source.tool?.defaultRowKey
  return pipeline.source.rowKey !== undefined || names === undefined
    ? pipeline
    : {
      ...pipeline,
      source: { ...pipeline.source, rowKey: names.map((name) => ({ name, path: ["source"] })) },
    }
}

/** Compiles a pipeline's mapping for its open source. */
export const compileFor = (
  pipeline: Pipeline,
  source: Source,
  form: Form,
): Effect.Effect<CompiledFor, ConfigurationInvalid> => {
  const keyed = withRowKey(pipeline, source)
  const compiled = compile({
    pipeline: keyed,
    form,
    columns: ownColumns(source.columns),
    blocks: source.blocks,
    fixed: isFixed(source.columns) ? (hasTypedCells(pipeline.source) ? "typed" : "text") : undefined,
    tool: source.tool,
  })
  const contradicting = needingColumns(keyed)
  if (Either.isLeft(compiled)) {
    return Effect.fail(new ConfigurationInvalid({ diagnostics: [...compiled.left, ...contradicting] }))
  }
  if (contradicting.length > 0) return Effect.fail(new ConfigurationInvalid({ diagnostics: contradicting }))
  const { mapping, warnings } = compiled.right
  return Effect.succeed({ pipeline: keyed, mapping, warnings })
}

/** Returns a pipeline whose mapping compiles without a row key. */
export const withoutKey = (pipeline: Pipeline): Pipeline => ({
  ...pipeline,
  source: { ...pipeline.source, rowKey: pipeline.source.rowKey ?? "content" },
})

/** Compiles a pipeline's mapping with only the columns that it names, for a job that neither maps rows nor makes row keys. */
export const compileWithoutSource = (pipeline: Pipeline, form: Form) =>
  compile({
    pipeline: withoutKey(pipeline),
    form,
    columns: mentionedColumns(pipeline),
  })

/** Returns the answers that a pipeline's mapping fills, for a job that reads no source. Empty if the mapping doesn't compile. */
export const answersWithoutSource = (pipeline: Pipeline, form: Form): Mapping["answers"] =>
  Either.match(compileWithoutSource(pipeline, form), { onLeft: () => [], onRight: ({ mapping }) => mapping.answers })

/**
 * Refuses what needs columns as `rowKey`. With `rowKey: content`, a changed row would be a new row, and a row that equals an earlier one would count as
 * that one if the source lacks the earlier one.
 */
const needingColumns = ({ document, sink, source }: Pipeline): ReadonlyArray<Diagnostic> => {
  if (source.rowKey !== "content") return []
  const needs = (path: readonly [string, string], setting: string, because: string, otherwise = "") =>
    diagnosticAt(
      document,
      "error",
      path,
      `\`${setting}\` needs columns as \`rowKey\`: with \`rowKey: content\` ${because}. `
        + `Name the columns that identify a row${otherwise}.`,
    )
  return [
    ...(sink.onChange === "import-again"
      ? [needs(["sink", "onChange"], "onChange: import-again", "a changed row is a new row", ", or remove `onChange`")]
      : []),
    ...(source.vanished === "ignore"
      ? [needs(
        ["source", "vanished"],
        "vanished: ignore",
        "a new row that equals one that left the source would count as imported",
      )]
      : []),
  ]
}

/** Whether a pipeline's own source has typed cells, which its rejected.csv contains as text. Inferred from the file names, because the source may no longer exist. */
const hasTypedCells = ({ file, format, member, records }: SourceConfig): boolean =>
  format === "excel" || format === "json" || format === "jsonl" || records !== undefined
  || (isPull(file)
    ? isPaged(file)
    : typedName.test(`${member} ${JSON.stringify(file)}`))
