import { Effect } from "effect"
import type { Form } from "../domain/form.ts"
import { type PastRuns, readReport } from "../report/pastRuns.ts"
import type { Rehearsed } from "../run/sinceRehearsal.ts"

/**
 * The latest rehearsal of a pipeline for a form, as long as no run has followed it: the first run is held against it, not every one after. A report that can't be read any more is none.
 */
export const lastRehearsal = (
  reports: string,
  pipeline: string,
  past: PastRuns,
  target: { readonly service: string; readonly form: Form },
) =>
  Effect.gen(function*() {
    const before = past.runs.find((run) =>
      (run.mode === "rehearsal" || run.mode === "run")
      && run.form.id === target.form.id && run.form.service === target.service
    )
    if (before?.mode !== "rehearsal") return undefined
    return yield* readReport(reports, pipeline, before.run).pipe(
      Effect.map(({ report }): Rehearsed => report),
      Effect.catchTag("ReportUnreadable", () => Effect.succeed(undefined)),
    )
  })
