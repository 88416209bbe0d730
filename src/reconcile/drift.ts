import { Effect } from "effect"
import type { AnswerComparison } from "../domain/comparison.ts"
import type { Submission } from "../domain/submission.ts"
import type { Digester } from "../ledger/Ledger.ts"
import type { AnswerDigests, Drifted } from "../ledger/records.ts"
import type { FormService, ServiceUnusable } from "../service/FormService.ts"
import { returnedMembers } from "./returned.ts"

/** What became of a verified submission since. */
export interface DriftResult {
  readonly standing: "unchanged" | Drifted
  /** The answers that are not what they were, `different` or `absent`; what was sent is not kept once it is verified, so that `sent` is undefined. */
  readonly comparisons: ReadonlyArray<AnswerComparison>
  readonly editLink: string | undefined
  /** Digest of how it was edited. */
  readonly seen: Buffer
  /** Types of discarded fields, one entry a field. */
  readonly discarded: ReadonlyArray<string>
}

export interface DriftOptions {
  readonly formId: string
  readonly service: FormService
  readonly digest: Digester
  /** Names of questions and elements by id, where the pipeline knows them. */
  readonly names: ReadonlyMap<string, string>
  /** Ids of questions and elements whose differences the pipeline tolerates: they are told, and make no drift. */
  readonly tolerated: ReadonlySet<string>
}

/**
 * What is not as it was when the submission was verified, by the ledger's digests. What could not be compared then or can't be compared now (an unknown type) says nothing.
 */
const driftOf = (
  then: AnswerDigests,
  submission: Submission,
  { digest, names }: Pick<DriftOptions, "digest" | "names">,
): ReadonlyArray<AnswerComparison> => {
  const now = returnedMembers(submission)
  const found: Array<AnswerComparison> = []
  const differs = (question: string, name: string | undefined, returned: AnswerComparison["returned"]) =>
    found.push({
      question,
      name: names.get(question) ?? name ?? question,
      verdict: returned === undefined ? "absent" : "different",
      sent: undefined,
      returned,
    })
  for (const [question, digests] of then) {
    if (question === "lastUpdatedAt") continue
    if (digests.sent === undefined && digests.returned === undefined) continue
    const one = now.get(question)
    if (one?.known === false) continue
    const value = one?.value
    const returned = value === undefined ? undefined : digest.value(value)
    const unchanged = returned === undefined || digests.returned === undefined
      ? returned === digests.returned
      : returned.equals(digests.returned)
    if (!unchanged) differs(question, one?.name, value)
  }
  for (const [question, one] of now) {
    if (one.ownWork || one.value === undefined || then.has(question)) continue
    differs(question, one.name, one.value)
  }
  return found
}

/** Reads a verified submission again and compares returned-now with returned-then (product.md, "The ledger"). */
export const checkDrift = (
  row: { readonly submissionId: string; readonly answers: AnswerDigests },
  options: DriftOptions,
): Effect.Effect<DriftResult, ServiceUnusable> =>
  Effect.gen(function*() {
    const { digest, formId, service, tolerated } = options
    const submission = yield* service.read(formId, row.submissionId)
    if (submission === undefined) {
      return { standing: "gone", comparisons: [], editLink: undefined, seen: digest.value("gone"), discarded: [] }
    }
    const comparisons = driftOf(row.answers, submission, options)
    const counted = comparisons.filter(({ question }) => !tolerated.has(question))
    const edited = counted.length > 0
    return {
      standing: edited ? "edited" : "unchanged",
      comparisons,
      editLink: edited ? (yield* service.read(formId, row.submissionId, { editLink: true }))?.editLink : undefined,
      seen: digest.value(counted.map(({ question, returned }) => [question, returned ?? null])),
      discarded: submission.questions.flatMap((answer) =>
        answer.known || answer.type === undefined ? [] : [answer.type]
      ),
    }
  })
