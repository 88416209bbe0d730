import type { PaymentValue, SchedulingValue } from "./item.ts"
import type { Json } from "./json.ts"

/** A question's answer as the service returned it, whether its type is known, unknown or missing. */
export interface ReturnedAnswer {
  readonly id: string
  readonly name: string | undefined
  readonly type: string | undefined
  /** Whether formferry knows `type`. A field of an unknown type is discarded (rule 3 of the interface), and compared only if the form gives its question a known type. */
  readonly known: boolean
  readonly value: Json
}

/** The lists of a submission, in the order of their columns in an export. */
export const submissionLists = ["questions", "calculations", "scheduling", "payments", "urlParameters"] as const

/** A submission as the service returned it (service interface, "Submission"). */
export interface Submission {
  readonly submissionId: string
  readonly submissionTime: string | undefined
  readonly lastUpdatedAt: string | undefined
  readonly questions: ReadonlyArray<ReturnedAnswer>
  readonly calculations: ReadonlyArray<
    { readonly id: string; readonly name: string | undefined; readonly type: string | undefined; readonly value: Json }
  >
  readonly urlParameters: ReadonlyArray<
    { readonly id: string; readonly name: string | undefined; readonly value: string | null }
  >
  readonly scheduling: ReadonlyArray<
    { readonly id: string; readonly name: string | undefined; readonly value: SchedulingValue | null }
  >
  readonly payments: ReadonlyArray<
    { readonly id: string; readonly name: string | undefined; readonly value: PaymentValue | null }
  >
  readonly quiz: { readonly score: number | undefined; readonly maxScore: number | undefined } | undefined
  readonly login: { readonly email: string | undefined } | undefined
  readonly editLink: string | undefined
}
