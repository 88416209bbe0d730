/** Why a row, or one of its answers, can't be sent. The list of configuration.md. */
export const problemCodes = [
  "required",
  "not-a-number",
  "not-a-date",
  "ambiguous-date",
  "not-a-time",
  "not-a-date-time",
  "ambiguous-time",
  "not-an-email",
  "not-a-phone",
  "not-a-url",
  "not-an-option",
  "not-a-boolean",
  "not-json",
  "out-of-range",
  "too-long",
  "too-short",
  "pattern",
  "not-unique",
  "conflict",
  "duplicate-key",
  "missing-key",
  "changed",
  "refused",
  "excel-error",
  "ragged-row",
  "damaged-text",
  "blank-row",
] as const

export type ProblemCode = (typeof problemCodes)[number]

/** One thing that is wrong with one row. */
export interface Problem {
  readonly code: ProblemCode
  /** The source column, by name, where one is to blame. */
  readonly column?: string | undefined
  /** The id of the question (or other element of the form) that the value was meant for. */
  readonly question?: string | undefined
  /** The offending value, cut to 80 characters. */
  readonly value?: string | undefined
  /** A sentence for people: names the column, the value and what was expected. */
  readonly message: string
  /** Only this answer was left out (`onInvalid: drop`): the row goes on without it. */
  readonly dropped?: true
}

/** Cuts a value for display to at most `max` characters (code points), with an ellipsis. */
export const cut = (text: string, max = 80): string => {
  if (text.length <= max) return text
  const points = Array.from(text)
  return points.length <= max ? text : points.slice(0, max - 1).join("") + "…"
}
