import * as Effect from "effect/Effect"
import type { AnswerComparison } from "../domain/comparison.ts"
import type { Json } from "../domain/json.ts"
import type { Submission } from "../domain/submission.ts"
import { saysNothing } from "../kinds/compared.ts"
import { elementsById, filledByTheForm, withJson } from "../kinds/submission.ts"
import type { AnswerDigests, Drifted } from "../ledger/rows.ts"
import type { ServiceUnusable } from "../service/FormService.ts"
import { discardedTypes, type ReadBackOptions, type ReadBackResult } from "./ReadBack.ts"

/** How a submission has changed since it was verified. */
export interface DriftResult extends Pick<ReadBackResult, "editLink" | "discarded"> {
  readonly standing: "unchanged" | Drifted
  /** The answers that changed: `different` or `absent`. `sent` is undefined, because what was sent is not kept after verification. */
  readonly comparisons: ReadonlyArray<AnswerComparison>
  /** Digest of the edit. */
  readonly seen: Buffer
}

/** A difference that the pipeline tolerates is reported, but is not drift. */
type DriftOptions = Pick<ReadBackOptions, "formId" | "service" | "digest" | "tolerated" | "names">

/** The content of a submission for one question or other member. */
interface ReturnedMember {
  readonly name: string | undefined
  /** Undefined if the member is empty. */
  readonly value: Json | undefined
  /** Whether a new value is not an edit, because its type is unknown, or the form or the service fills the member automatically. */
  readonly isIgnored: boolean
}

/**
 * Returns a submission's members under the ids that a comparison uses. If two lists have the same id, the last member that is not empty counts, as in
 * the digests of a comparison. `lastUpdatedAt` is omitted, because every edit sets it and it is not an answer.
 */
const returnedMembers = (submission: Submission): ReadonlyMap<string, ReturnedMember> => {
  const members = new Map<string, ReturnedMember>()
  const add = (
    { conflicts, id, name, value: given }: {
      readonly id: string
      readonly name?: string | undefined
      readonly value: Json | undefined
      readonly conflicts?: boolean
    },
    isIgnored = false,
  ) => {
    // The list of values that conflict must not equal an answer that is a list.
    const value = conflicts === true ? [given ?? null] : given
    const nothing = saysNothing(value)
    if (nothing && members.has(id)) return
    members.set(id, { name, value: nothing ? undefined : value, isIgnored })
  }
  for (const one of elementsById(submission.questions).values()) {
    add(one, !one.known || (one.type !== undefined && filledByTheForm.has(one.type)))
  }
  for (const one of elementsById(submission.urlParameters).values()) add(one)
  add({ id: "submissionTime", value: submission.submissionTime }, true)
  add({ id: "login", value: submission.login?.email })
  for (const list of [submission.scheduling, submission.payments]) {
    for (const one of elementsById(withJson(list)).values()) add(one)
  }
  return members
}

/**
 * Returns the members that changed since the submission was verified, according to the ledger's digests. Omits members that could not be compared
 * then.
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
    const value = one?.value
    const returned = value === undefined ? undefined : digest.value(value)
    const unchanged = returned === undefined || digests.returned === undefined
      ? returned === digests.returned
      : returned.equals(digests.returned)
    if (!unchanged) differs(question, one?.name, value)
  }
  for (const [question, one] of now) {
    if (one.isIgnored || one.value === undefined || then.has(question)) continue
    differs(question, one.name, one.value)
  }
  return found
}

/** Compares a submission with what was returned when it was verified. */
export const compareWithVerified = (
  then: AnswerDigests,
  submission: Submission,
  options: Omit<DriftOptions, "formId" | "service">,
): DriftResult => {
  const comparisons = driftOf(then, submission, options)
  const counted = comparisons.filter(({ question }) => !options.tolerated.has(question))
  return {
    standing: counted.length > 0 ? "edited" : "unchanged",
    comparisons,
    editLink: undefined,
    seen: options.digest.value(counted.map(({ question, returned }) => [question, returned ?? null])),
    discarded: discardedTypes(submission),
  }
}

/** Reads a verified submission again, and compares it with what was returned when it was verified. */
export const checkDrift = (
  row: { readonly submissionId: string; readonly answers: AnswerDigests },
  options: DriftOptions,
): Effect.Effect<DriftResult, ServiceUnusable> =>
  Effect.gen(function*() {
    const { digest, formId, service } = options
    const submission = yield* service.read(formId, row.submissionId)
    if (submission === undefined) {
      return { standing: "gone", comparisons: [], editLink: undefined, seen: digest.value("gone"), discarded: [] }
    }
    const result = compareWithVerified(row.answers, submission, options)
    if (result.standing === "unchanged") return result
    const again = yield* service.read(formId, row.submissionId, { editLink: true })
    return { ...result, editLink: again?.editLink }
  })
