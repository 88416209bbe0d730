import { Effect } from "effect"
import type { LedgerError } from "../ledger/Ledger.ts"
import type { Missed } from "../ledger/records.ts"
import type { RunContext } from "./RunContext.ts"
import type { Survey } from "./survey.ts"

/**
 * The imported rows that the survey did not meet; the run's end records them. Undefined where the source tells nothing of them: it is not the pipeline's own, was not read to
 * its end, or the pipeline does not want to know.
 */
export const vanishedRows = (run: RunContext, survey: Survey): Effect.Effect<Missed | undefined, LedgerError> =>
  Effect.suspend(() =>
    !run.ownSource || run.pipeline.source.vanished === "ignore" || run.stop.requested()
      ? Effect.succeed(undefined)
      : run.view.missed(survey.met.marks)
  )
