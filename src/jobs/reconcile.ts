import { Effect, Either, Stream } from "effect"
import { compile } from "../mapping/compile.ts"
import { mentionedColumns } from "../mapping/mentionedColumns.ts"
import { ConfigurationInvalid } from "../project/errors.ts"
import type { Project } from "../project/Project.ts"
import { reconcileAll } from "../run/reconcileAll.ts"
import type { Source } from "../source/Source.ts"
import { findPipeline } from "./findPipeline.ts"
import { openRun, type RunSettings } from "./openRun.ts"
import { chooseTarget, openTarget } from "./prepare.ts"

export interface ReconcileOptions extends Pick<RunSettings, "interrupted" | "progress"> {
  readonly pipeline: string
  readonly to: string | undefined
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
      // A form tool's own id is known by its file only, and no row is asked for its key here.
      const keyed = {
        ...pipeline,
        source: { ...pipeline.source, rowKey: pipeline.source.rowKey ?? "content" },
      } as const
      const compiled = compile({ pipeline: keyed, form, columns: mentionedColumns(pipeline) })
      if (Either.isLeft(compiled)) return yield* new ConfigurationInvalid({ diagnostics: compiled.left })
      const { mapping, warnings } = compiled.right
      const run = yield* openRun(project, {
        ...options,
        mode: "reconcile",
        pipeline,
        opened,
        form,
        mapping,
        source: noSource,
        // Nothing is sent: another ledger than the latest report's does no harm.
        acceptLedger: true,
        warnings: warnings.map((warning) => warning.message),
      })
      return yield* reconcileAll({ ...run, session: yield* run.view.hold(run.id) })
    }),
  )
