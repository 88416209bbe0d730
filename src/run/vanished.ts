import { Effect } from "effect"
import type { LedgerError, LedgerOvertaken, Missed } from "../ledger/Ledger.ts"
import type { RunContext } from "./RunContext.ts"
import type { Survey } from "./survey.ts"

/**
 * The imported rows that the survey did not meet, recorded when the run may write. Undefined where the source tells nothing of them: it is not the pipeline's
 * own, was not read to its end, or the pipeline does not want to know.
 */
export const vanishedRows = (
  run: RunContext,
  survey: Survey,
): Effect.Effect<Missed | undefined, LedgerError | LedgerOvertaken> =>
  Effect.gen(function*() {
    if (!run.ownSource || run.pipeline.source.vanished === "ignore" || run.stop.requested()) return undefined
    const missed = yield* run.view.missed(survey.met.marks)
    if (run.session !== undefined) yield* run.session.vanished(missed)
    return missed
  })
