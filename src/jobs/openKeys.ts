import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { LedgerRefused } from "../ledger/errors.ts"
import type { Ledger } from "../ledger/Ledger.ts"
import { checkKeys } from "../run/changedKeys.ts"
import { surveyKeys } from "../run/NewRows.ts"
import { keysDiffer } from "../run/rowIdentity.ts"
import { CurrentRun, RunLedger, type RunPlan } from "../run/RunContext.ts"
import { makeStop, Stop } from "../run/Stop.ts"
import { viewOf } from "./projectLedger.ts"
import type { PipelineTarget } from "./target.ts"

/** What a run needs to know about a pipeline to find its rows in the ledger. */
export type Readable = Pick<RunPlan, "form" | "mapping" | "source">

/** Returns the plan of a dry run, for work that only reads. */
export const planToRead = (
  { pipeline, target: { service, target } }: Pick<PipelineTarget, "pipeline" | "target">,
  { form, mapping, source }: Readable,
  otherSource?: string,
) => {
  const opened = { pipeline, form, mapping, source, otherSource }
  return CurrentRun.make({ ...opened, id: "", mode: "dry-run", target, serviceName: service, warnings: [] })
}

/** Returns the plan of a dry run, its rows in the ledger, and both as services, for work that only reads. `isComparable`: whether the ledger's row keys are made from the same columns. */
export const dryRun = (at: PipelineTarget, given: Readable, ledger: Ledger) =>
  Effect.gen(function*() {
    const plan = planToRead(at, given)
    const view = viewOf(at, ledger, given.form.id)
    const run = Context.make(CurrentRun, plan).pipe(Context.add(RunLedger, { ledger, view, session: undefined }))
    return { plan, view, run, isComparable: !(yield* keysDiffer(plan, view)) }
  })

/**
 * Prepares the comparison of the source's row keys with those of the ledger, as a run does before it sends. Returns undefined if the ledger has no
 * rows of the pipeline. Also returns undefined if the ledger's keys were made from different columns, because a run gives these rows new keys first.
 */
export const openKeys = (at: PipelineTarget, given: Readable, ledger: Ledger | undefined) =>
  Effect.gen(function*() {
    if (ledger === undefined) return undefined
    const { isComparable, plan, run, view } = yield* dryRun(at, given, ledger)
    if (!isComparable) return undefined
    const survey = yield* surveyKeys(plan, { ledger, view })
    const stop = yield* makeStop
    const refusal = Effect.map(
      Effect.provide(
        Effect.suspend(() => checkKeys({ ...survey, alike: survey.alike() })),
        Context.add(run, Stop, stop),
      ),
      () =>
        stop.reasons().flatMap((reason) => "because" in reason ? new LedgerRefused({ message: reason.because }) : []),
    )
    return { look: survey.look, newRows: survey.newRows, refusal }
  })
