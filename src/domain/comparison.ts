import type { Json } from "./json.ts"
import { type Label, namesOf, type Tone } from "./words.ts"

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

/** Whether an answer came back differently. Then its submission is `differing`, unless the pipeline tolerates the difference. */
export const isDifference = (verdict: AnswerVerdict): boolean => answerTones[verdict] === "bad"

/** Returns the name and the tone of a difference. One that the pipeline tolerates needs no review. */
export const differenceWord = (verdict: AnswerVerdict, isTolerated: boolean): Label =>
  isTolerated
    ? { title: `${verdict}, tolerated`, tone: "calm" }
    : { title: verdict, tone: answerTones[verdict] }

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
