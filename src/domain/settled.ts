import type { Settlement } from "./report.ts"
import { counted, present } from "./words.ts"

/**
 * What may settle a row in doubt, the least effort first: time, a different export or list, a later submission such as a test entry, a person who
 * vouches for the export, or only a person who looks at the row.
 */
export const allWanted = [
  "time",
  "another export",
  "another list",
  "a witness",
  "a vouched export",
  "a person",
] as const

export type Wanted = (typeof allWanted)[number]

/** A row that was in doubt, and how it was settled. */
export interface SettledResult {
  readonly row: number
  readonly key: string
  readonly batch: number
  readonly sentAt: string
  readonly outcome: "landed" | "not landed" | "in doubt"
  readonly submissionId: string | undefined
  readonly reason: string
  /** Whether a person undid the run that sent the row. If it has not landed, it is not sent again without --resend-undone. */
  readonly isUndone: boolean
}

/** The result of `settle`. */
export interface SettleResult {
  readonly pipeline: string
  readonly rows: ReadonlyArray<SettledResult>
  readonly landed: number
  readonly notLanded: number
  /** The number of the pipeline's rows that are still in doubt. */
  readonly left: number
  /** The least effort that settles one of these rows. */
  readonly wants: Wanted | undefined
  /** A text to enter in the form as a test entry. An export that contains the test entry is recent enough. */
  readonly testEntry: string | undefined
  /** The export that was read, its number of submissions, and the number of submissions that it lacks. */
  readonly file:
    | (NonNullable<Settlement["file"]> & { readonly submissions: number; readonly lacking: number })
    | undefined
  /** The list that was read from the form: its number of submissions, and the number of submissions that it lacks. */
  readonly list: { readonly submissions: number; readonly lacking: number } | undefined
  readonly warnings: ReadonlyArray<string>
}

/** Returns what to do about rows that the export or the list does not settle. `ways` says how a person vouches for an export and settles rows. */
export const settleAdvice = (
  { list, testEntry, wants }: SettleResult,
  ways: { readonly vouch: string; readonly settle: string },
): ReadonlyArray<string> => {
  const vouch = `If you know that the export has all submissions of the form, ${ways.vouch}.`
  switch (wants) {
    case undefined:
      return []
    case "time":
      return [
        list === undefined
          ? "Settle again later, with a new download of the form's results."
          : "Settle again later, or run the pipeline: a run waits if the time is near.",
      ]
    case "another list":
      return ["Settle again later."]
    case "another export":
      return [
        "Download all of the form's results again, without a filter and as the form shows them, and settle from that.",
      ]
    case "a witness":
      return [
        `To show that an export is late enough, open the form, submit a test entry with the text ${testEntry} in any text question, then download all results again and settle from that. You can delete the test entry afterwards.`,
        "Or settle after a later run has imported something.",
        vouch,
      ]
    case "a vouched export":
      return [vouch]
    case "a person":
      return [`Look for these rows in the form's results, then ${ways.settle}.`]
  }
}

/** Says what to do with a test entry that an earlier settlement asked for. */
export const afterTestEntry = (text: string): string =>
  `If you have submitted the test entry with the text ${text}, download all of the form's results again and settle from that.`

/** Says how many rows were settled and how many were not. */
export const settledText = ({ landed, left, notLanded }: SettleResult): string =>
  `${
    present([
      landed > 0 && `${counted(landed, "row")} landed`,
      notLanded > 0 && `${counted(notLanded, "row")} did not land`,
      left === 0 ? "nothing is left in doubt" : `${counted(left, "row")} still in doubt`,
    ]).join(", ")
  }.`

/** Returns a sentence that says what the next run does with the rows that were settled, if there are any. */
export const nextRunTexts = ({ landed, notLanded, pipeline, rows }: SettleResult): ReadonlyArray<string> => {
  if (landed + notLanded === 0) return []
  const does = present([
    rows.some((row) => row.submissionId !== undefined) && "reads back the rows that landed",
    rows.some((row) => row.outcome === "not landed" && !row.isUndone) && "sends the rows that did not",
  ]).join(" and ")
  const otherwise = landed === 0 ? "does not send these rows" : `counts ${landed === 1 ? "it" : "them"} as imported`
  return [`The next run of ${pipeline} ${does || otherwise}.`]
}
