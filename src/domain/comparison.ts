import type { Json } from "./json.ts"
import { namesOf } from "./words.ts"
import type { Tone } from "./words.ts"

/** The verdict of comparing one sent answer with the returned one, and how good it is. */
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

/** One answer, or other member of an item, compared. */
export interface AnswerComparison {
  /** Id of the question or element, or `submissionTime`, `lastUpdatedAt` or `login`. */
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
