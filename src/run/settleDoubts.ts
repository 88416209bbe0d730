import * as Effect from "effect/Effect"
import { counted, present } from "../domain/words.ts"
import type { LedgerSession, PipelineLedger } from "../ledger/Ledger.ts"
import type { DoubtfulRow } from "../ledger/pages.ts"
import { unlessAborted } from "../service/cancellation.ts"
import { FormService } from "../service/FormService.ts"
import { CurrentRun, RunLedger } from "./RunContext.ts"
import {
  asFile,
  doubtfulRows,
  landedOf,
  type ListContext,
  recordSettled,
  settleFromList,
  undoneNotes,
  waitsOf,
} from "./settleFromList.ts"
import { Stop } from "./Stop.ts"

/** What a run settled before it read its source. */
export interface SettledFirst {
  /** Sentences for the report: what was settled. */
  readonly because: ReadonlyArray<string>
  /** Sentences for the report: what was not settled, and why. */
  readonly warnings: ReadonlyArray<string>
  /** Why a row is still in doubt, by the key's digest in hexadecimal digits. */
  readonly open: ReadonlyMap<string, string>
}

/** Whether this run settles rows in doubt before it reads its source. */
export const settlesFirst = Effect.gen(function*() {
  const { mode } = yield* CurrentRun
  const { session, view } = yield* RunLedger
  if (mode !== "run" || session === undefined || (yield* FormService).list === undefined) return false
  return (yield* view.counts).inDoubt > 0
})

/** The number of rows whose reason is in the report. All reasons are in in-doubt.csv. */
const shownReasons = 3

/**
 * Settles rows in doubt from the form's list, and records the result. Waits until the submissions of all rows must be visible, at most as long as the
 * pipeline's waiting times. A row that a person has acknowledged is settled only if it has landed, because it must not be sent unless a person says so.
 * Returns undefined if the command stops.
 *
 * @param which the rows that are settled. All rows in doubt are compared with the list, since they may have the same answers
 */
export const settleByList = (
  context: ListContext & { readonly view: PipelineLedger },
  session: LedgerSession,
  stop: Stop["Type"],
  which: (row: DoubtfulRow) => boolean,
) =>
  Effect.gen(function*() {
    const rows = yield* doubtfulRows(context.view)
    const { lateWithin, visibleWithin } = waitsOf(context.pipeline)
    const found = yield* unlessAborted(settleFromList(rows, context, visibleWithin + lateWithin), stop.sending)
    if (found === undefined) return undefined
    const settled = found.settled.filter(({ as, row }) =>
      which(row) && (as.outcome._tag === "Landed" || !row.acknowledged)
    )
    return yield* recordSettled(session, { settled, open: found.open }, {
      by: "formferry",
      because: undefined,
      file: asFile(found),
    })
  })

/** Settles rows in doubt from the form's list, if the service can list. If the form can't be listed, the rows stay in doubt and the run continues. */
export const settleDoubts = Effect.gen(function*() {
  const { form, mapping, pipeline, target } = yield* CurrentRun
  const { ledger, session, view } = yield* RunLedger
  const { list } = yield* FormService
  const stop = yield* Stop
  if (session === undefined || list === undefined) return undefined
  const { inDoubt } = yield* view.counts
  const context = { list, form, pipeline, answers: mapping.answers, view, digest: ledger.digest.key }
  return yield* settleByList(context, session, stop, () => true).pipe(
    Effect.map((recorded): SettledFirst | undefined => {
      if (recorded === undefined) return undefined
      const { open, settled } = recorded
      const landed = landedOf(settled)
      const reasons = open.filter(({ row }) => !row.acknowledged)
      const shown = reasons.slice(0, shownReasons).map(({ reason, row }) => `row ${row.row}: ${reason}`).join("; ")
      return {
        because: settled.length === 0 ? [] : [
          `${counted(settled.length, "row")} in doubt ${
            settled.length === 1 ? "was" : "were"
          } settled from the form's list: ${
            present([
              landed > 0 && `${landed} had landed`,
              landed !== settled.length && `${settled.length - landed} had not`,
            ]).join(", ")
          }.`,
        ],
        warnings: present([
          ...undoneNotes(pipeline.name, target, settled),
          reasons.length > 0
          && `The form's list does not settle ${counted(reasons.length, "row")} in doubt: ${shown}${
            reasons.length > shownReasons ? "; … (see in-doubt.csv)" : ""
          }.`,
        ]),
        open: new Map(open.map(({ reason, row }) => [row.keyDigest.toString("hex"), reason])),
      }
    }),
    Effect.catchTag("ServiceUnusable", ({ message }) =>
      Effect.succeed<SettledFirst>({
        because: [],
        warnings: [
          `The form could not be listed, so ${counted(inDoubt, "row stays", "rows stay")} in doubt. ${message}`,
        ],
        open: new Map(),
      })),
  )
})
