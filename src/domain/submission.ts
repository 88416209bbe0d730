import type { ElementValue } from "./item.ts"
import type { Json } from "./json.ts"

/** A value of a list of a submission. */
interface Returned<V> {
  readonly id: string
  readonly name: string | undefined
  readonly value: V
}

/** A question's answer as the service returned it, whether its type is known, unknown or missing. */
export interface ReturnedAnswer extends Returned<Json> {
  readonly type: string | undefined
  /** Whether formferry knows `type`. A field of an unknown type is discarded (rule 3 of the interface), and compared only if the form gives its question a known type. */
  readonly known: boolean
}

/** The lists of a submission, in the order of their columns in an export. */
export const submissionLists = ["questions", "calculations", "scheduling", "payments", "urlParameters"] as const

/** A submission as the service returned it (service interface, "Submission"). */
export interface Submission {
  readonly submissionId: string
  readonly submissionTime: string | undefined
  readonly lastUpdatedAt: string | undefined
  readonly questions: ReadonlyArray<ReturnedAnswer>
  readonly calculations: ReadonlyArray<Omit<ReturnedAnswer, "known">>
  readonly urlParameters: ReadonlyArray<Returned<string | null>>
  readonly scheduling: ReadonlyArray<Returned<ElementValue | null>>
  readonly payments: ReadonlyArray<Returned<ElementValue | null>>
  readonly quiz: { readonly score: number | undefined; readonly maxScore: number | undefined } | undefined
  readonly login: { readonly email: string | undefined } | undefined
  readonly editLink: string | undefined
}
