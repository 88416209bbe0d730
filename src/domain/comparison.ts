import type { Json } from "./json.ts"
import { namesOf, type Tone } from "./words.ts"

/** The verdicts on a sent and a returned answer, each with its tone. */
export const answerTones = {
  same: "good",
  equivalent: "good",
  different: "bad",
  absent: "bad",
  unexpected: "bad",
  "not comparable": "calm",
} as const satisfies { readonly [name: string]: Tone }

export type AnswerVerdict = keyof typeof answerTones

export const answerVerdicts = namesOf(answerTones)

/** The comparison of an answer or of another member of an item. */
export interface AnswerComparison {
  /** The id of the question or element, or `submissionTime`, `lastUpdatedAt` or `login`. */
  readonly question: string
  readonly name: string
  readonly verdict: AnswerVerdict
  readonly sent: Json | undefined
  readonly returned: Json | undefined
  /** A few words that say what the service normalised, if the verdict is `equivalent`. */
  readonly normalised?: string | undefined
  /** The unknown type, if the verdict is `not comparable`. */
  readonly type?: string | undefined
}
