import * as Effect from "effect/Effect"
import { LedgerRefused } from "../ledger/errors.ts"
import type { Ledger } from "../ledger/Ledger.ts"
import type { Project } from "../project/Project.ts"
import { checkKeys } from "../run/changedKeys.ts"
import { surveyKeys } from "../run/NewRows.ts"
import { keysDiffer } from "../run/rowIdentity.ts"
import { CurrentRun, RunLedger, type RunPlan } from "../run/RunContext.ts"
import { makeStop, Stop } from "../run/Stop.ts"
import { viewOf } from "./projectLedger.ts"
import type { Target } from "./target.ts"

/** What a run needs to know about a pipeline to find its rows in the ledger. */
export type Readable = Pick<RunPlan, "pipeline" | "form" | "mapping" | "source">

/** Returns the plan of a dry run, for work that only reads. */
export const dryPlan = (target: Target, given: Readable): RunPlan =>
  CurrentRun.make({
    ...given,
    id: "",
    mode: "dry-run",
    target: target.target,
    serviceName: target.service,
    otherSource: undefined,
    projectOption: undefined,
    confirm: undefined,
    limit: undefined,
    retryRefused: false,
    resendUndone: false,
    warnings: [],
  })

/**
 * Prepares the comparison of the source's row keys with those of the ledger, as a run does before it sends. Returns undefined if the ledger has no
 * rows of the pipeline. Also returns undefined if the ledger's keys were made from different columns, because a run gives these rows new keys first.
 */
export const openKeys = (
  project: Project,
  target: Target,
  given: Readable,
  ledger: Ledger | undefined,
) =>
  Effect.gen(function*() {
    if (ledger === undefined) return undefined
    const plan = dryPlan(target, given)
    const view = viewOf(project, ledger, given.pipeline, target, given.form.id)
    if ((yield* keysDiffer(plan, view))) return undefined
    const survey = yield* surveyKeys(plan, { ledger, view })
    const stop = yield* makeStop
    const refusal = Effect.map(
      checkKeys(survey).pipe(
        Effect.provideService(CurrentRun, plan),
        Effect.provideService(RunLedger, { ledger, view, session: undefined }),
        Effect.provideService(Stop, stop),
      ),
      () =>
        stop.reasons().flatMap((reason) => "because" in reason ? new LedgerRefused({ message: reason.because }) : []),
    )
    return { look: survey.look, newRows: survey.newRows, refusal }
  })
