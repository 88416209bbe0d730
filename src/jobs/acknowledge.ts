import * as Effect from "effect/Effect"
import { anyKeyOf } from "../domain/words.ts"
import type { LedgerSession } from "../ledger/Ledger.ts"
import type { Project } from "../project/Project.ts"
import { JobRefused } from "./JobRefused.ts"
import { newRunId, openRows } from "./projectLedger.ts"
import type { OfPipeline } from "./target.ts"

/**
 * Records that a person has reviewed rows that are rejected, changed, different or in doubt. The rows stay in the report and no longer raise the exit code. Takes the pipeline's lock. Returns the
 * number of rows, and the keys that match no such row.
 *
 * @param what.keys row keys, or all rows that need review
 * @param what.by name of the person
 * @param what.leaveOut whether these rows are never imported
 */
export const acknowledge = (
  project: Project,
  { pipeline, to, ...what }: OfPipeline & Parameters<LedgerSession["acknowledge"]>[0],
) =>
  Effect.scoped(
    Effect.gen(function*() {
      const { keys } = what
      const nothing = new JobRefused({
        code: "NothingAcknowledged",
        next: ["status", pipeline],
        message: keys === "all"
          ? `No row of ${pipeline} needs review.`
          : `No row of ${pipeline} that needs review has ${
            anyKeyOf(keys)
          }. The keys are in the column _key of rejected.csv and in-doubt.csv.`,
      })
      const opened = yield* openRows(project, { pipeline, to })
      if (opened === undefined) return yield* nothing
      const session = yield* opened.view.hold(yield* newRunId)
      const result = yield* session.acknowledge(what)
      return result.acknowledged === 0 ? yield* nothing : result
    }),
  )
