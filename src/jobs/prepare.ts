import type { FileSystem, Path } from "@effect/platform"
import { Effect, Either, Fiber, Schema } from "effect"
import type { Scope } from "effect"
import type { Diagnostic } from "../domain/diagnostic.ts"
import type { Form } from "../domain/form.ts"
import { compile } from "../mapping/compile.ts"
import type { Mapping } from "../mapping/Mapping.ts"
import { nameColumns } from "../mapping/nameColumns.ts"
import { overCleanCells } from "../mapping/overCleanCells.ts"
import { ConfigurationInvalid } from "../project/errors.ts"
import type { Pipeline, SinkConfig, SourceConfig } from "../project/Pipeline.ts"
import type { Project } from "../project/Project.ts"
import { nearest, quoted } from "../project/suggestion.ts"
import { isMended, ownColumns } from "../source/columns.ts"
import type { Source } from "../source/Source.ts"
import { compareForm, type FormFindings, withChanges } from "./formAsItWas.ts"
import { openPipelineSource, withRowKey } from "./openPipelineSource.ts"
import { type OpenedService, type OpenFailure, openService } from "./openService.ts"
import type { Services } from "./shareServices.ts"

/** The pipeline has several targets and none, or an unknown one, was chosen (exit 2). */
export class TargetUnknown extends Schema.TaggedError<TargetUnknown>()("TargetUnknown", {
  pipeline: Schema.String,
  target: Schema.UndefinedOr(Schema.String),
  known: Schema.Array(Schema.String),
}) {
  override get message() {
    const names = this.known.map(quoted).join(", ")
    if (this.known.length === 0) {
      return `The pipeline ${this.pipeline} has no targets to choose from with --to: it goes to its \`service\` and \`form\`.`
    }
    if (this.target === undefined) {
      return `The pipeline ${this.pipeline} has several targets: choose one with --to (${names}).`
    }
    const near = nearest(this.target, this.known)
    return `The pipeline ${this.pipeline} has no target ${quoted(this.target)}. `
      + (near === undefined ? `Its targets are ${names}.` : `Did you mean ${quoted(near)}?`)
  }
}

export type Target = SinkConfig["targets"][number]

/** The target that `--to` names; without it the pipeline's only one. */
export const chooseTarget = (pipeline: Pipeline, to: string | undefined): Effect.Effect<Target, TargetUnknown> => {
  const { targets } = pipeline.sink
  const known = targets.flatMap((one) => (one.target === undefined ? [] : [one.target]))
  const chosen = to === undefined
    ? targets.length === 1 ? targets[0] : undefined
    : targets.find((one) => one.target === to)
  return chosen === undefined
    ? Effect.fail(new TargetUnknown({ pipeline: pipeline.name, target: to, known }))
    : Effect.succeed(chosen)
}

/** A pipeline whose source is open, whose form is fetched, and whose mapping is compiled. */
export interface Prepared {
  readonly pipeline: Pipeline
  readonly target: Target
  readonly source: Source
  readonly opened: OpenedService
  readonly form: Form
  /** What became of the form since the pipeline was made for it. */
  readonly changed: FormFindings
  readonly mapping: Mapping
  readonly warnings: ReadonlyArray<Diagnostic>
}

/**
 * Opens what a pipeline needs and checks it against the live form and the source's header. The form is on its way while the source is opened. Fails with all findings at once, of a source that can't be
 * read and a form that can't be fetched with the source.
 *
 * @param options.source another file to feed through the pipeline, absolute
 * @param options.digestAhead whether the digest of the source is going to be asked for
 * @param options.services those that the process shares
 */
export const prepare = (
  project: Project,
  pipeline: Pipeline,
  options: {
    readonly to: string | undefined
    readonly source: string | undefined
    readonly digestAhead?: boolean
    readonly services?: Services | undefined
  },
) =>
  Effect.gen(function*() {
    const target = yield* chooseTarget(pipeline, options.to)
    const opening = openPipelineSource(pipeline, options.source, options.digestAhead)
    // The digest, where one is taken, is what the run waits for longest: nothing comes before it.
    const ahead = options.digestAhead === true ? yield* opening : undefined
    const opened = yield* openTarget(project, pipeline, target, options.services)
    const fetched = yield* meanwhile(opened.service.form(target.form))
    const asItStands = ahead ?? (yield* opening)
    const source = { ...asItStands, columns: nameColumns(asItStands.columns, pipeline.source.columns) }
    const form = yield* fetched
    const changed = yield* compareForm(project, pipeline, target, form)
    const { mapping, pipeline: keyed, warnings } = yield* compileFor(pipeline, source, form).pipe(
      Effect.mapError(({ diagnostics }) =>
        new ConfigurationInvalid({ diagnostics: withChanges(diagnostics, changed) })
      ),
    )
    const prepared: Prepared = { pipeline: keyed, target, source, opened, form, changed, mapping, warnings }
    return prepared
  })

/** Begins some work beside what follows. Gives what waits for it: its failure is told there, and nowhere before. */
const meanwhile = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.forkScoped(work), (fiber) => Effect.flatten(Fiber.await(fiber)))

/** Compiles a pipeline's mapping for a source that is open. Its row key may be the form tool's own. */
export const compileFor = (
  pipeline: Pipeline,
  source: Source,
  form: Form,
): Effect.Effect<Pick<Prepared, "pipeline" | "mapping" | "warnings">, ConfigurationInvalid> => {
  const keyed = withRowKey(pipeline, source)
  const compiled = compile({
    pipeline: keyed,
    form,
    columns: ownColumns(source.columns),
    blocks: source.blocks,
    mended: isMended(source.columns) ? (holdsTypedCells(pipeline.source) ? "typed" : "text") : undefined,
  })
  const unknown = changesUnknown(keyed)
  if (Either.isLeft(compiled)) {
    return Effect.fail(new ConfigurationInvalid({ diagnostics: [...compiled.left, ...unknown] }))
  }
  if (unknown.length > 0) return Effect.fail(new ConfigurationInvalid({ diagnostics: unknown }))
  const { mapping, warnings } = compiled.right
  return Effect.succeed({ pipeline: keyed, mapping: overCleanCells(mapping, source.tool), warnings })
}

/** By `content` a changed row is another row: there is none that could go in again. */
const changesUnknown = ({ document, sink, source }: Pipeline): ReadonlyArray<Diagnostic> =>
  sink.onChange !== "import-again" || source.rowKey !== "content" ? [] : [{
    severity: "error",
    file: document.file,
    ...document.at(["sink", "onChange"]),
    message: "`onChange: import-again` needs columns as `rowKey`: with `rowKey: content` a changed row is a new row. "
      + "Name the columns that make a row the same row tomorrow, or take `onChange` out.",
  }]

/** Whether a pipeline's own source has typed cells, of which its rejected.csv holds the texts: told by its names, for it may be gone by now. */
const holdsTypedCells = ({ file, format, member, records }: SourceConfig): boolean =>
  format === "excel" || format === "json" || format === "jsonl" || records !== undefined
  || /\.(?:xlsx|xlsm|xlsb|xls|ods|json|jsonl|ndjson)\b/i.test(`${member} ${JSON.stringify(file)}`)

/**
 * Opens the service of a target.
 *
 * @param services those that the process shares; without them it is opened for this scope alone
 */
export const openTarget = (
  project: Project,
  pipeline: Pipeline,
  target: Target,
  services?: Services,
): Effect.Effect<OpenedService, OpenFailure, Scope.Scope | FileSystem.FileSystem | Path.Path> => {
  const config = project.services.get(target.service)
  if (config !== undefined) return services === undefined ? openService(config) : services.open(config)
  const message = `There is no service ${quoted(target.service)} in config/formferry.yaml.`
  const diagnostic = {
    severity: "error",
    file: pipeline.document.file,
    ...pipeline.document.at(target.path),
    message,
  } as const
  return Effect.fail(new ConfigurationInvalid({ diagnostics: [diagnostic] }))
}
