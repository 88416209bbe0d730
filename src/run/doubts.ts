import { Effect, Stream } from "effect"
import type { Doubt } from "../domain/report.ts"
import type { LedgerError, PipelineLedger } from "../ledger/Ledger.ts"
import { paged, pageSize } from "./paged.ts"

/** Reasons that are told apart; what comes later is put together. */
const mostReasons = 50

/** What is in doubt for one pipeline at one destination, by reason. `run`: the run whose own rows in doubt are counted as fresh. */
export const doubts = (
  view: Pick<PipelineLedger, "doubtful">,
  run: string,
): Effect.Effect<ReadonlyArray<Doubt>, LedgerError> =>
  Effect.gen(function*() {
    const byReason = new Map<string, Doubt>()
    yield* Stream.runForEach(paged((after) => view.doubtful({ after, limit: pageSize })), (rows) =>
      Effect.sync(() => {
        for (const row of rows) {
          const reason = byReason.has(row.reason) || byReason.size < mostReasons ? row.reason : "other reasons"
          const before = byReason.get(reason)
          byReason.set(reason, {
            reason,
            count: (before?.count ?? 0) + 1,
            acknowledged: (before?.acknowledged ?? 0) + (row.acknowledged ? 1 : 0),
            fresh: (before?.fresh ?? 0) + (row.run === run ? 1 : 0),
            firstSentAt: before === undefined || row.sentAt < before.firstSentAt ? row.sentAt : before.firstSentAt,
            lastSentAt: before === undefined || row.sentAt > before.lastSentAt ? row.sentAt : before.lastSentAt,
          })
        }
      }))
    return [...byReason.values()].sort((a, b) => b.count - a.count)
  })
