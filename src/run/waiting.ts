import { Effect } from "effect"
import type { LedgerError, PipelineLedger } from "../ledger/Ledger.ts"
import { count } from "./because.ts"

/** Runs to look through for the last one that read the source. */
const looked = 100

/**
 * What a reconciliation, which reads no source, knows of the rows that earlier runs could not import: that some still need a person, and which report names them.
 */
export const stillWaiting = (
  view: Pick<PipelineLedger, "attention" | "runs">,
  pipeline: string,
): Effect.Effect<ReadonlyArray<string>, LedgerError> =>
  Effect.gen(function*() {
    const { acknowledged, rows } = yield* view.attention
    if (rows <= acknowledged) return []
    const last = (yield* view.runs(looked)).find(({ mode }) => mode !== "reconcile")
    const where = last === undefined ? "" : `: formferry report ${pipeline} --run ${last.run}`
    return [
      `Beside the submissions, ${
        count(rows - acknowledged, "row that the last run met still needs", "rows that the last run met still need")
      } a person${where}`,
    ]
  })
