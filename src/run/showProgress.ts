import { Effect } from "effect"
import type { RunContext } from "./RunContext.ts"
import type { Tally } from "./Tally.ts"

/** Tells how far the run has come. */
export const showProgress = (run: Pick<RunContext, "progress" | "service">, tally: Tally): Effect.Effect<void> =>
  Effect.flatMap(run.service.requests, (requests) =>
    run.progress({
      phase: tally.phase,
      // What is sent is counted over the whole run, and so are the totals of these phases.
      read: tally.phase === "canary" || tally.phase === "import" ? tally.sent : tally.read,
      total: tally.total,
      sent: tally.sent,
      readBack: tally.verdicts(tally.imported),
      inDoubt: tally.fresh.inDoubt,
      throttled: requests.throttled,
      rate: undefined,
    }))
