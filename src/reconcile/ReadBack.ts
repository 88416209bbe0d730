import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type AnswerComparison, isDifference } from "../domain/comparison.ts"
import type { Verdict } from "../domain/fate.ts"
import type { Item } from "../domain/item.ts"
import type { Submission } from "../domain/submission.ts"
import { saysNothing } from "../kinds/compared.ts"
import type { Digester } from "../ledger/Ledger.ts"
import type { AnswerDigest, AnswerDigests } from "../ledger/rows.ts"
import { unlessAborted } from "../service/cancellation.ts"
import type { FormService, ServiceUnusable } from "../service/FormService.ts"
import type { Listing } from "./Listing.ts"

/** A submission to read back, and what was sent for it. */
export interface ReadBackRequest {
  readonly submissionId: string
  readonly item: Item
}

/** The result of reading a submission back. */
export interface ReadBackResult {
  readonly verdict: Exclude<Verdict, "unread">
  /** Undefined for `missing`. */
  readonly comparisons: ReadonlyArray<AnswerComparison>
  /** Keyed digests of each answer as it was sent and as it was returned, for later reconciliations. */
  readonly answers: AnswerDigests
  /** The address where a person can edit the submission. Fetched only if the submission was returned different. */
  readonly editLink: string | undefined
  /** Types of discarded fields, one element for each field. */
  readonly discarded: ReadonlyArray<string>
}

export interface ReadBackOptions {
  readonly formId: string
  readonly service: FormService
  /** The form's list, if the service can list. Submissions are looked for there first. Only those that it verifies are not read. */
  readonly listing: Listing | undefined
  readonly digest: Digester
  readonly compare: (item: Item, submission: Submission) => ReadBackResult["comparisons"]
  /** Ids of questions and elements whose differences the pipeline tolerates. */
  readonly tolerated: ReadonlySet<string>
  /** Names of the questions and elements that the pipeline knows, by id. */
  readonly names: ReadonlyMap<string, string>
  /** How long a created submission may stay unreadable before a 404 counts as missing. */
  readonly visibleWithin: Duration.Duration
  /** Aborted when the run stops. Submissions that are not visible by then remain unread. */
  readonly signal: AbortSignal
  /** Whether a submission that can't be read stays unread, provided that the service returns the form. Otherwise reading ends with an error. */
  readonly leavesUnreadable?: boolean
}

/** The wait, in milliseconds, before a submission that is not visible yet is read again. It doubles up to the longest wait. */
const firstWait = 250
const longestWait = 5_000

/** Returns whether the submission was returned as it was sent. */
const verdictOf = (
  comparisons: ReadonlyArray<AnswerComparison>,
  tolerated: ReadonlySet<string>,
): "verified" | "differing" =>
  comparisons.some((one) => isDifference(one.verdict) && !tolerated.has(one.question)) ? "differing" : "verified"

/**
 * Reads submissions back and compares them answer by answer. Waits until each is visible, within the limit.
 *
 * @param each receives each result as soon as it is known, with the index of its request; not called for a submission
 * that was not visible before the run stopped
 */
export const readBack = (
  requests: ReadonlyArray<ReadBackRequest>,
  options: ReadBackOptions,
  each: (index: number, result: ReadBackResult) => void,
): Effect.Effect<void, ServiceUnusable> =>
  Effect.gen(function*() {
    const { formId, listing, service, signal } = options
    const indexes = listing === undefined
      ? requests.map((_, index) => index)
      : yield* unlessAborted(verifiedByList(requests, listing, options, each), signal)
    if (indexes === undefined) return
    const readOne = (index: number) => {
      const request = requests[index]!
      const { submissionId } = request
      const reading = Effect.gen(function*() {
        const submission = (yield* service.read(formId, submissionId)) ?? (yield* waitVisible(submissionId, options))
        const result = submission === undefined ? missing : compared(request, submission, options)
        if (result.verdict !== "differing") return each(index, result)
        const again = yield* service.read(formId, submissionId, { editLink: true })
        // The first read may have shown a submission that was not stored completely.
        each(index, again === undefined ? result : { ...compared(request, again, options), editLink: again.editLink })
      })
      return options.leavesUnreadable === true ? unlessUnreadable(reading, submissionId, options) : reading
    }
    yield* unlessAborted(Effect.forEach(indexes, readOne, { concurrency: "unbounded", discard: true }), signal)
  })

/** Returns "unreadable", and logs a warning, if only this submission can't be read: the service returns the form. */
export const unlessUnreadable = <A>(
  reading: Effect.Effect<A, ServiceUnusable>,
  submissionId: string,
  { formId, service }: Pick<ReadBackOptions, "formId" | "service">,
): Effect.Effect<A | "unreadable", ServiceUnusable> =>
  Effect.catchIf(
    reading,
    ({ reason }) => reason === "unreachable" || reason === "unexpected",
    ({ status }) =>
      Effect.zipRight(
        service.form(formId),
        Effect.as(
          Effect.logWarning(
            `Submission ${submissionId} of an earlier run can't be read${
              status === undefined ? "" : ` (status ${status})`
            }, although the service returns the form. It counts as unread. Ask the service's operator about it.`,
          ),
          "unreadable" as const,
        ),
      ),
  )

/** Looks for submissions in the form's list. Passes on only verified results. Returns the indexes of all other requests. */
const verifiedByList = (
  requests: ReadonlyArray<ReadBackRequest>,
  listing: Listing,
  options: ReadBackOptions,
  each: (index: number, result: ReadBackResult) => void,
) => {
  const areJustCreated = Duration.toMillis(options.visibleWithin) > 0
    && requests.every(({ item }) => item.submissionTime === undefined)
  return listing.find(requests.map(({ submissionId }) => submissionId), areJustCreated, (index, submission) => {
    const request = requests[index]
    const result = request === undefined ? undefined : compared(request, submission, options)
    if (result?.verdict !== "verified") return false
    each(index, result)
    return true
  })
}

const compared = (request: ReadBackRequest, submission: Submission, options: ReadBackOptions): ReadBackResult => {
  const { digest } = options
  const comparisons = options.compare(request.item, submission)
  const rest = { comparisons, editLink: undefined, discarded: discardedTypes(submission) }
  return { verdict: verdictOf(comparisons, options.tolerated), answers: digests(comparisons, digest), ...rest }
}

/** Nearly all submissions share this list, because they discard nothing. */
const none: ReadonlyArray<never> = []

/** Returns the types of fields that formferry does not know, one element for each field. */
export const discardedTypes = (submission: Submission): ReadonlyArray<string> => {
  let found: Array<string> | undefined
  for (const { known, type } of submission.questions) if (!known && type !== undefined) (found ??= []).push(type)
  return found ?? none
}

const missing: ReadBackResult = {
  verdict: "missing",
  comparisons: [],
  answers: new Map(),
  editLink: undefined,
  discarded: [],
}

/** Reads a submission until it is visible. Returns undefined if it is not visible within the limit. */
const waitVisible = (
  submissionId: string,
  options: ReadBackOptions,
): Effect.Effect<Submission | undefined, ServiceUnusable> =>
  Effect.gen(function*() {
    const until = (yield* Clock.currentTimeMillis) + Duration.toMillis(options.visibleWithin)
    for (let wait = firstWait;; wait = Math.min(wait * 2, longestWait)) {
      const left = until - (yield* Clock.currentTimeMillis)
      if (left <= 0) return undefined
      yield* Effect.sleep(Math.min(wait, left))
      const submission = yield* options.service.read(options.formId, submissionId)
      if (submission !== undefined) return submission
    }
  })

/**
 * Returns the digests of answers. An answer that is not comparable has an element without digests. An answer that was returned empty has no digest of
 * what was returned.
 */
const digests = (comparisons: ReadonlyArray<AnswerComparison>, digest: Digester): AnswerDigests => {
  const found = new Map<string, AnswerDigest>()
  for (const { question, returned, sent, verdict } of comparisons) {
    const comparable = verdict !== "not comparable"
    const ofSent = comparable && sent !== undefined ? digest.value(sent) : undefined
    const said = comparable && returned !== undefined && !saysNothing(returned)
    // Nearly all answers are returned as they were sent, and need one digest only.
    const ofReturned = !said ? undefined : returned === sent ? ofSent : digest.value(returned)
    found.set(question, { sent: ofSent, returned: ofReturned })
  }
  return found
}
