import { Clock, Duration, Effect } from "effect"
import type { AnswerComparison } from "../domain/comparison.ts"
import type { Verdict } from "../domain/fate.ts"
import type { Item } from "../domain/item.ts"
import type { Submission } from "../domain/submission.ts"
import { saysNothing } from "../kinds/compareAnswer.ts"
import type { AnswerDigests, Digester } from "../ledger/Ledger.ts"
import type { FormService, ServiceUnusable } from "../service/FormService.ts"

/** A submission to read back, and what was sent for it. */
export interface ReadBackRequest {
  readonly submissionId: string
  readonly item: Item
}

/** What reading a submission back showed. */
export interface ReadBackResult {
  readonly verdict: Exclude<Verdict, "unread">
  /** Nothing for `missing`. */
  readonly comparisons: ReadonlyArray<AnswerComparison>
  /** Keyed digests of each answer as sent and as returned, for later reconciliations. */
  readonly answers: AnswerDigests
  /** Where a person can edit the submission; fetched for `differing` ones only. */
  readonly editLink: string | undefined
  /** Types of discarded fields, one entry a field. */
  readonly discarded: ReadonlyArray<string>
}

export interface ReadBackOptions {
  readonly formId: string
  readonly service: FormService
  readonly digest: Digester
  readonly compare: (item: Item, submission: Submission) => ReadonlyArray<AnswerComparison>
  /** Ids of questions and elements whose differences the pipeline tolerates. */
  readonly tolerated: ReadonlySet<string>
  /** How long a created submission may stay unreadable before a 404 counts as missing. */
  readonly visibleWithin: Duration.Duration
  /** Ends when the run stops: what is not visible then stays unread. */
  readonly stop: Effect.Effect<void>
}

/** A 404 shortly after the creation is asked again after these milliseconds, doubling up to the last. */
const firstWait = 250
const longestWait = 5_000

/** Verdicts that make a submission `differing`, unless the pipeline tolerates them. */
const counted: ReadonlySet<AnswerComparison["verdict"]> = new Set(["different", "absent", "unexpected"])

/** Whether the submission came back as it was sent. */
const verdictOf = (
  comparisons: ReadonlyArray<AnswerComparison>,
  tolerated: ReadonlySet<string>,
): "verified" | "differing" =>
  comparisons.some((one) => counted.has(one.verdict) && !tolerated.has(one.question)) ? "differing" : "verified"

/**
 * Reads one submission back and compares it answer by answer (product.md, "Comparing"). Waits until it is visible, within the limit.
 *
 * @returns `undefined` when the run stopped before the submission became visible
 */
export const readBack = (
  request: ReadBackRequest,
  options: ReadBackOptions,
): Effect.Effect<ReadBackResult | undefined, ServiceUnusable> =>
  // No generators here: this runs for every row.
  Effect.flatMap(readVisible(request.submissionId, options), (submission) => {
    if (submission === "stopped") return Effect.succeed(undefined)
    if (submission === undefined) return Effect.succeed(missing)
    const comparisons = options.compare(request.item, submission)
    const result: ReadBackResult = {
      verdict: verdictOf(comparisons, options.tolerated),
      comparisons,
      answers: digests(comparisons, options.digest),
      editLink: undefined,
      discarded: submission.questions.flatMap((answer) =>
        answer.known || answer.type === undefined ? [] : [answer.type]
      ),
    }
    return result.verdict === "verified"
      ? Effect.succeed(result)
      : Effect.map(
        options.service.read(options.formId, request.submissionId, { editLink: true }),
        (again): ReadBackResult => ({ ...result, editLink: again?.editLink }),
      )
  })

const missing: ReadBackResult = { verdict: "missing", comparisons: [], answers: {}, editLink: undefined, discarded: [] }

const readVisible = (submissionId: string, options: ReadBackOptions) =>
  Effect.clockWith((clock) => {
    const until = clock.unsafeCurrentTimeMillis() + Duration.toMillis(options.visibleWithin)
    return Effect.flatMap(
      options.service.read(options.formId, submissionId),
      (submission): ReturnType<typeof waitVisible> =>
        submission === undefined ? waitVisible(submissionId, options, until) : Effect.succeed(submission),
    )
  })

/** What was not visible at first is asked for again and again, until a time in milliseconds. */
const waitVisible = (
  submissionId: string,
  options: ReadBackOptions,
  until: number,
): Effect.Effect<Submission | "stopped" | undefined, ServiceUnusable> =>
  Effect.gen(function*() {
    for (let wait = firstWait;; wait = Math.min(wait * 2, longestWait)) {
      const left = until - (yield* Clock.currentTimeMillis)
      if (left <= 0) return undefined
      const stopped = yield* Effect.race(
        Effect.as(Effect.sleep(Math.min(wait, left)), false),
        Effect.as(options.stop, true),
      )
      if (stopped) return "stopped" as const
      const submission = yield* options.service.read(options.formId, submissionId)
      if (submission !== undefined) return submission
    }
  })

/** What is not comparable has an entry without digests; what came back as nothing has none of it. */
const digests = (comparisons: ReadonlyArray<AnswerComparison>, digest: Digester): AnswerDigests => {
  const found: Record<string, { sent?: string; returned?: string }> = Object.create(null)
  for (const { question, returned, sent, verdict } of comparisons) {
    const one: { sent?: string; returned?: string } = {}
    found[question] = one
    if (verdict === "not comparable") continue
    if (sent !== undefined) one.sent = digest.value(sent).toString("hex")
    if (returned === undefined || saysNothing(returned)) continue
    // Nearly all come back as they were sent: one digest for both.
    one.returned = returned === sent && one.sent !== undefined ? one.sent : digest.value(returned).toString("hex")
  }
  return found
}
