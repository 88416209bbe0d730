import type { Json } from "../domain/json.ts"
import type { Submission } from "../domain/submission.ts"
import { saysNothing } from "../kinds/compared.ts"
import { asJson, filledByTheForm } from "../kinds/submission.ts"

/** What a submission holds for one question or other member. */
export interface ReturnedMember {
  readonly name: string | undefined
  /** Undefined where it says nothing. */
  readonly value: Json | undefined
  /** Whether its type is known; a field of an unknown type is discarded, never compared. */
  readonly known: boolean
  /** Whether the form or the service fills it by itself: nobody who adds it edits. */
  readonly ownWork: boolean
}

/**
 * A submission member by member, under the ids that a comparison uses; of two with one id the later that says something counts, as in the digests of a comparison. `lastUpdatedAt` is
 * none: every edit sets it, and it is no answer.
 */
export const returnedMembers = (submission: Submission): ReadonlyMap<string, ReturnedMember> => {
  const members = new Map<string, ReturnedMember>()
  const add = (
    id: string,
    name: string | undefined,
    value: Json | undefined,
    { known = true, ownWork = false }: { readonly known?: boolean; readonly ownWork?: boolean } = {},
  ) => {
    const nothing = known && saysNothing(value)
    if (nothing && members.has(id)) return
    members.set(id, { name, value: nothing || !known ? undefined : value, known, ownWork })
  }
  for (const { id, known, name, type, value } of submission.questions) {
    add(id, name, value, { known, ownWork: type !== undefined && filledByTheForm.has(type) })
  }
  for (const { id, name, value } of submission.urlParameters) add(id, name, value)
  add("submissionTime", undefined, submission.submissionTime, { ownWork: true })
  add("login", undefined, submission.login?.email)
  for (const { id, name, value } of [...submission.scheduling, ...submission.payments]) add(id, name, asJson(value))
  return members
}
