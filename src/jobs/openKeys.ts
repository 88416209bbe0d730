import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { RowChunk } from "../domain/row.ts"
import { LedgerRefused } from "../ledger/errors.ts"
import type { Ledger } from "../ledger/Ledger.ts"
import type { RejectedRow } from "../report/csvFiles.ts"
import { checkKeys } from "../run/changedKeys.ts"
import { attentionRow } from "../run/review.ts"
import { keysDiffer } from "../run/rowIdentity.ts"
import { CurrentRun, RunLedger, type RunPlan } from "../run/RunContext.ts"
import { makeStop, Stop } from "../run/Stop.ts"
import { classifying } from "../run/survey.ts"
import { isRejectedAs } from "../run/WaitingRows.ts"
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

/**
 * Prepares to give the source's rows the fates that they would get in a dry run, while the rows are read, and to compare their keys with those of the
 * ledger. `isComparable`: whether the ledger's row keys are made from the same columns. If not, no row is looked up.
 */
export const openKeys = (at: PipelineTarget, given: Readable, ledger: Ledger) =>
  Effect.gen(function*() {
    const plan = planToRead(at, given)
    const view = viewOf(at, ledger, given.form.id)
    const isComparable = !(yield* keysDiffer(plan, view))
    const stop = yield* makeStop
    const run = Context.make(CurrentRun, plan).pipe(
      Context.add(RunLedger, { ledger, view, session: undefined }),
      Context.add(Stop, stop),
    )
    const { end, take } = yield* Effect.provide(classifying({ isComparable }), run)
    const attentionOf = attentionRow(plan)
    /** The rows that a person acknowledged with the fate that they may get. */
    const acknowledged: Array<Pick<RejectedRow, "fate" | "row">> = []
    const look = (chunk: RowChunk) =>
      Effect.flatMap(take(chunk), (all) => {
        const rejected = all.filter(({ needsReview }) => needsReview)
        return rejected.length === 0 ? Effect.void : Effect.map(
          view.attended(rejected.map(attentionOf)),
          (standings) =>
            rejected.forEach(({ fate, row }, at) => {
              if (standings[at] === "acknowledged") acknowledged.push({ fate, row })
            }),
        )
      })
    return {
      isComparable,
      look,
      /** Call this once, after all rows were read. Returns the fates, the number of rejected rows that a person acknowledged, and why a run would be refused. */
      end: () => {
        const found = end()
        return {
          fates: found.fates,
          acknowledged: acknowledged.filter((row) => isRejectedAs(found.fates, row)).length,
          refusal: Effect.map(Effect.provide(checkKeys(found), run), () =>
            stop.reasons().flatMap((reason) =>
              "because" in reason ? new LedgerRefused({ message: reason.because }) : []
            )),
        }
      },
    }
  })
