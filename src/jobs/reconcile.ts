import { Effect, Either, Stream } from "effect"
import type { Progress } from "../domain/progress.ts"
import { openLedger } from "../ledger/openLedger.ts"
import { compile } from "../mapping/compile.ts"
import { mentionedColumns } from "../mapping/mentionedColumns.ts"
import { ConfigurationInvalid } from "../project/errors.ts"
import type { Project } from "../project/Project.ts"
import { openRunFolder } from "../report/openRunFolder.ts"
import { columnNames } from "../run/content.ts"
import { reconcileAll } from "../run/reconcileAll.ts"
import { makeStop } from "../run/Stop.ts"
import { formFingerprint } from "../service/formFingerprint.ts"
import type { Source } from "../source/Source.ts"
import { findPipeline } from "./findPipeline.ts"
import { newRunId } from "./newRunId.ts"
import { chooseTarget, openTarget } from "./prepare.ts"

export interface ReconcileOptions {
  readonly pipeline: string
  readonly to: string | undefined
  readonly progress: (event: Progress) => Effect.Effect<void>
  /** Completes when the user interrupts. */
  readonly interrupted: Effect.Effect<"SIGINT" | "SIGTERM">
}

/** A reconciliation reads no source: what was sent is in the ledger. */
const noSource: Source = {
  columns: [],
  blocks: [],
  taken: [],
  format: "",
  warnings: [],
  read: () => Stream.empty,
  files: Effect.succeed([]),
}

/** Reads every submission of a pipeline back again and reports. */
export const reconcilePipeline = (project: Project, options: ReconcileOptions) =>
  Effect.scoped(
    Effect.gen(function*() {
      const pipeline = yield* findPipeline(project, options.pipeline)
      const target = yield* chooseTarget(pipeline, options.to)
      const opened = yield* openTarget(project, pipeline, target)
      const form = yield* opened.service.form(target.form)
      const compiled = compile({ pipeline, form, columns: mentionedColumns(pipeline) })
      if (Either.isLeft(compiled)) return yield* new ConfigurationInvalid({ diagnostics: compiled.left })
      const { mapping, warnings } = compiled.right
      const ledger = yield* openLedger({ file: project.ledger })
      const view = yield* ledger.pipeline({
        pipeline: pipeline.name,
        destination: { service: opened.address, form: form.id },
        renamedFrom: pipeline.renamedFrom,
        alongside: pipeline.sink.alongside,
      })
      const id = yield* newRunId
      const session = yield* view.hold(id)
      const folder = yield* openRunFolder({ reports: project.reports, pipeline: pipeline.name, run: id })
      const stop = yield* makeStop
      yield* Effect.forkScoped(
        Effect.flatMap(options.interrupted, (signal) => stop.request({ _tag: "Interrupted", signal })),
      )
      return yield* reconcileAll({
        id,
        mode: "reconcile",
        pipeline,
        serviceName: opened.name,
        destination: view.destination,
        form,
        formFingerprint: formFingerprint(form),
        mapping,
        shape: columnNames(mapping.columns),
        keyColumns: [],
        source: noSource,
        columns: [],
        mended: false,
        service: opened.service,
        ledger,
        view,
        session,
        folder,
        stop,
        progress: options.progress,
        limit: undefined,
        retryRefused: false,
        acceptCanary: false,
        warnings: warnings.map((warning) => warning.message),
      }, session)
    }),
  )
