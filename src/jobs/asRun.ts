import { Effect } from "effect"
import type { Scope } from "effect"
import type { RunReport } from "../domain/report.ts"
import type { Mode } from "../domain/run.ts"
import { annotated, traced } from "../service/telemetry.ts"

/** Opens and closes what a run needs, in the span that all of it stands in. */
export const asRun = <E, R>(
  { mode, pipeline }: { readonly pipeline: string; readonly mode: Mode },
  run: Effect.Effect<RunReport, E, R>,
): Effect.Effect<RunReport, E, Exclude<R, Scope.Scope>> =>
  traced(
    mode,
    { "formferry.pipeline": pipeline, "formferry.mode": mode },
    Effect.tap(Effect.scoped(run), ({ exitCode, form, outcome, rows, run }) =>
      annotated({
        "formferry.run": run,
        "formferry.service": form.service,
        "formferry.form": form.id,
        "formferry.outcome": outcome,
        "formferry.exit_code": exitCode,
        "formferry.rows": rows.read,
      })),
  )
