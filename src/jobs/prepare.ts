import { Effect, Fiber } from "effect"
import type { Form } from "../domain/form.ts"
import { nameColumns } from "../mapping/ColumnBook.ts"
import { ConfigurationInvalid } from "../project/errors.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import type { Project } from "../project/Project.ts"
import type { Source } from "../source/Source.ts"
import { type CompiledFor, compileFor } from "./compileFor.ts"
import { compareForm, type FormFindings, withChanges } from "./formChanges.ts"
import { openPipelineSource } from "./openPipelineSource.ts"
import type { OpenedService, Services } from "./services.ts"
import { chooseTarget, openTarget, type Target } from "./target.ts"

/** A pipeline whose source is open, whose form is fetched, and whose mapping is compiled. */
export interface Prepared extends CompiledFor {
  readonly target: Target
  readonly source: Source
  readonly opened: OpenedService
  readonly form: Form
  /** What became of the form since the pipeline was made for it. */
  readonly changed: FormFindings
}

/**
 * Opens what a pipeline needs and checks it against the live form and the source's header. The form is on its way while the source is opened. Fails with all findings at once; of a source that can't be
 * read and a form that can't be fetched, with the source.
 *
 * @param options.source another file to feed through the pipeline, absolute
 * @param options.digestAhead whether the digest of the source is going to be asked for, and takes long
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
    const service = yield* Effect.exit(openTarget(project, pipeline, target, options.services))
    const fetched = yield* meanwhile(Effect.flatMap(service, ({ service }) => service.form(target.form)))
    // What is wrong with the source is told before what is wrong with the service.
    const asItStands = ahead ?? (yield* opening)
    const source = { ...asItStands, columns: nameColumns(asItStands.columns, pipeline.source.columns) }
    const opened = yield* service
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
