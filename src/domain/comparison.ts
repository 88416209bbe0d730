import type { Json } from "./json.ts"

/** What became of one answer between sending and reading back. */
export const answerVerdicts = ["same", "equivalent", "different", "absent", "unexpected", "not comparable"] as const

export type AnswerVerdict = (typeof answerVerdicts)[number]

/** One answer, or other member of an item, compared. */
export interface AnswerComparison {
  /** Id of the question or element; `submissionTime`, `lastUpdatedAt` and `login` stand for themselves. */
  readonly question: string
  readonly name: string
  readonly verdict: AnswerVerdict
  readonly sent: Json | undefined
  readonly returned: Json | undefined
  /** For `equivalent`: what the service normalised, in a few words. */
  readonly normalised?: string | undefined
  /** For `not comparable`: the unknown type. */
  readonly type?: string | undefined
}
