import { Effect } from "effect"
import type { AnswerComparison } from "../domain/comparison.ts"
import type { Item } from "../domain/item.ts"
import type { Submission } from "../domain/submission.ts"
import type { AnswerDigests, Digester } from "../ledger/Ledger.ts"
import type { FormService, ServiceUnusable } from "../service/FormService.ts"

/** What became of a verified submission since: `drifted` when somebody edited it, `missing` when the service does not know it any more. */
export interface DriftResult {
  readonly standing: "unchanged" | "drifted" | "missing"
  /** The answers that are not what they were; what was sent is not kept once it is verified. */
  readonly comparisons: ReadonlyArray<AnswerComparison>
  readonly editLink: string | undefined
}

export interface DriftOptions {
  readonly formId: string
  readonly service: FormService
  readonly digest: Digester
  readonly compare: (item: Item, submission: Submission) => ReadonlyArray<AnswerComparison>
}

/** Every edit sets the last one, and neither is an answer. */
const times = new Set(["submissionTime", "lastUpdatedAt"])

const nothing: Item = { questions: [] }

/** Reads a verified submission again and compares returned-now with returned-then, by the ledger's keyed digests. */
export const checkDrift = (
  row: { readonly submissionId: string; readonly answers: AnswerDigests },
  options: DriftOptions,
): Effect.Effect<DriftResult, ServiceUnusable> =>
  Effect.gen(function*() {
    const submission = yield* options.service.read(options.formId, row.submissionId)
    if (submission === undefined) return { standing: "missing", comparisons: [], editLink: undefined }
    // Compared with nothing, every answer that is there comes out as returned.
    const now = new Map(options.compare(nothing, submission).map((one) => [one.question, one]))
    const digestOf = (one: AnswerComparison | undefined) =>
      one?.returned === undefined ? undefined : options.digest.value(one.returned).toString("hex")
    const comparisons: Array<AnswerComparison> = []
    for (const [question, then] of Object.entries(row.answers)) {
      const one = now.get(question)
      if (times.has(question)) continue
      if (one?.verdict === "not comparable" || digestOf(one) === then.returned) continue
      comparisons.push({
        question,
        name: one?.name ?? question,
        verdict: one?.returned === undefined ? "absent" : "different",
        sent: undefined,
        returned: one?.returned,
      })
    }
    for (const [question, one] of now) {
      if (one.verdict !== "not comparable" && row.answers[question] === undefined) comparisons.push(one)
    }
    if (comparisons.length === 0) return { standing: "unchanged", comparisons, editLink: undefined }
    const editLink = (yield* options.service.read(options.formId, row.submissionId, { editLink: true }))?.editLink
    return { standing: "drifted", comparisons, editLink }
  })
