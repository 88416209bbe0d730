import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { counted } from "../domain/words.ts"
import type { UnmatchedSubmission } from "../report/csvFiles.ts"
import { unlessAborted } from "../service/cancellation.ts"
import { FormService } from "../service/FormService.ts"
import { eachKnown, knownIn } from "./knownSubmissions.ts"
import { waitShown } from "./Progress.ts"
import { CurrentRun, RunLedger } from "./RunContext.ts"
import { listEnds, scanList } from "./settleFromList.ts"
import { Stop } from "./Stop.ts"

/** How a form differs from the ledger as a whole. */
export interface WholeForm {
  /** The number of the form's submissions. Undefined if the list does not certainly show every one. Then nothing else is known. */
  readonly submissions: number | undefined
  /** Submissions that the ledger does not know, then those that it requires and the form lacks. */
  readonly unmatched: ReadonlyArray<UnmatchedSubmission>
  readonly warnings: ReadonlyArray<string>
}

/** The number of missing submissions that are read at the same time. */
const readAtOnce = 32

/**
 * Compares the form's whole list of submissions with what the ledger knows from all pipelines that import into the form. Records nothing.
 *
 * A submission is missing only if it can't be read individually either, at a time when it must be visible. Returns undefined if the run stops.
 */
export const compareWholeForm = Effect.gen(function*() {
  const { form } = yield* CurrentRun
  const { list } = yield* FormService
  const stop = yield* Stop
  if (list === undefined) return undefined
  return yield* unlessAborted(compare({ form, list }), stop.sending).pipe(
    Effect.catchTag("ServiceUnusable", stop.unavailable),
  )
})

const compare = (context: Parameters<typeof scanList>[0]) =>
  Effect.gen(function*() {
    const { pipeline } = yield* CurrentRun
    const { ledger, view } = yield* RunLedger
    const { read } = yield* FormService
    const digest = ledger.digest.key
    const known = yield* knownIn(view, digest)
    const { looseIds } = known.facts
    const unknown = new Map<string, string | undefined>()
    let before: Effect.Effect.Success<ReturnType<typeof scanList>> | undefined
    let gap: string | undefined
    for (const end of listEnds) {
      unknown.clear()
      const scan = yield* scanList(context, end, digest, before, ({ submissionId, submissionTime }) => {
        if (known.see(submissionId) === "none") unknown.set(submissionId, submissionTime)
      })
      before = scan
      gap = scan.gap
        ?? (scan.malformed === 0 ? undefined : `${counted(scan.malformed, "submission")} can't be read`)
      if (gap === undefined) break
    }
    if (before === undefined || gap !== undefined) {
      return {
        submissions: undefined,
        unmatched: [],
        warnings: [
          `The form as a whole was not compared with the ledger, because its list did not certainly show every submission: ${gap}. The list was read ${
            counted(listEnds.length, "time")
          }.`,
        ],
      } satisfies WholeForm
    }
    const { ids } = before
    const listedAt = yield* Clock.currentTimeMillis
    const lacking = looseIds.filter((id) => !ids.has(id))
    // Other pipelines may have imported into the form since the first list.
    yield* eachKnown(view, (page) =>
      Effect.sync(() => {
        for (const { id, isRequired } of page) {
          unknown.delete(id)
          if (isRequired && !ids.has(id)) lacking.push(id)
        }
      }))
    for (const id of looseIds) unknown.delete(id)
    if (lacking.length > 0) {
      const visibleFrom = listedAt + Duration.toMillis(pipeline.reconcile.visibleWithin)
      const wait = Math.max(0, visibleFrom - (yield* Clock.currentTimeMillis))
      yield* waitShown(
        "lag",
        wait,
        `${counted(lacking.length, "submission")} that the ledger requires and the form's list lacks must be visible`,
      )
    }
    const missing = yield* Effect.filter(
      lacking,
      (id) => Effect.map(read(context.form.id, id), (found) => found === undefined),
      { concurrency: readAtOnce },
    )
    return {
      submissions: ids.size,
      unmatched: [
        ...Array.from(
          unknown,
          ([submissionId, submissionTime]) => ({ submissionId, standing: "unknown" as const, submissionTime }),
        ),
        ...missing.map((submissionId) => ({ submissionId, standing: "missing" as const })),
      ],
      warnings: [],
    } satisfies WholeForm
  })
