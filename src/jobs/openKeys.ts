import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { RowChunk } from "../domain/row.ts"
import { LedgerRefused } from "../ledger/errors.ts"
import type { Ledger } from "../ledger/Ledger.ts"
import type { RejectedRow } from "../report/csvFiles.ts"
import { checkKeys } from "../run/changedKeys.ts"
import { makeClassifier } from "../run/classify.ts"
import { alikeRows, rowKeys } from "../run/content.ts"
import { newRows } from "../run/NewRows.ts"
import { attentionRow } from "../run/review.ts"
import { keysDiffer } from "../run/rowIdentity.ts"
import { CurrentRun, RunLedger, type RunPlan } from "../run/RunContext.ts"
import { makeStop, Stop } from "../run/Stop.ts"
import { chunkClassifier } from "../run/survey.ts"
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
const dryRun = (at: PipelineTarget, given: Readable, ledger: Ledger) =>
  Effect.gen(function*() {
    const plan = planToRead(at, given)
    const view = viewOf(at, ledger, given.form.id)
    const run = Context.make(CurrentRun, plan).pipe(Context.add(RunLedger, { ledger, view, session: undefined }))
    return { plan, view, run, isComparable: !(yield* keysDiffer(plan, view)) }
  })

/**
 * Prepares to give the source's rows the fates that they would get in a dry run, while the rows are read, and to compare their keys with those of the
 * ledger. `isComparable`: see `dryRun`. If it is false, or if the ledger has no rows of the pipeline, no row is looked up.
 */
export const openKeys = (at: PipelineTarget, given: Readable, ledger: Ledger) =>
  Effect.gen(function*() {
    const { isComparable, plan, run, view } = yield* dryRun(at, given, ledger)
    const { firstColumns, isBlank } = yield* view.facts
    const isLookedUp = isComparable && !isBlank
    const added = isLookedUp ? yield* newRows(plan, { ledger, view }) : undefined
    const classifier = yield* Effect.provide(
      makeClassifier({ newRows: added, dropped: () => {}, sendable: undefined }),
      run,
    )
    const { decideWaiting, fates, rejectedAs, seen, takeRejected } = classifier
    const numbering = yield* rowKeys(plan, { ledger, view })
    const alike = alikeRows(plan, firstColumns)
    const attentionOf = attentionRow(plan, ledger.digest)
    const acknowledged: Array<RejectedRow> = []
    const classify = chunkClassifier(classifier, {
      view: isLookedUp ? view : undefined,
      keyOf: numbering(),
      each: (row, cells, key) => {
        if (key !== undefined) alike?.add(row, key, cells)
      },
    })
    const look = (chunk: RowChunk) =>
      Effect.flatMap(classify(chunk), () => {
        const rejected = takeRejected().filter(({ quiet }) => !quiet)
        return !isLookedUp || rejected.length === 0 ? Effect.void : Effect.map(
          view.attended(rejected.map(attentionOf)),
          (standings) => void acknowledged.push(...rejected.filter((_, at) => standings[at] === "acknowledged")),
        )
      })
    const stop = yield* makeStop
    const refusal = Effect.map(
      Effect.provide(
        Effect.suspend(() => checkKeys({ newRows: added, seen, alike: alike?.found() })),
        Context.add(run, Stop, stop),
      ),
      () =>
        stop.reasons().flatMap((reason) => "because" in reason ? new LedgerRefused({ message: reason.because }) : []),
    )
    return {
      isComparable,
      look,
      /** Returns the fates after all rows were read. */
      fates: () => {
        decideWaiting()
        return fates
      },
      /** Returns how many rejected rows a person acknowledged. Call `fates` before. */
      acknowledged: () => acknowledged.filter((row) => rejectedAs(row) !== undefined).length,
      refusal,
    }
  })
