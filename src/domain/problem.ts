import { visible } from "./visible.ts"
import { namesOf } from "./words.ts"

/** The reasons why a row or one of its answers can't be sent. They don't contain the value. */
export const problemWords = {
  required: "a required answer is missing",
  "not-a-number": "not a number",
  "not-a-date": "not a date",
  "ambiguous-date": "a date that can be read in two ways",
  "not-a-time": "not a time",
  "not-a-date-time": "not a date with a time",
  "ambiguous-time": "a time that a clock change skips or repeats",
  "not-an-email": "not an email address",
  "not-a-phone": "not a phone number",
  "not-a-url": "not a web address",
  "not-an-option": "not one of the options",
  "not-a-boolean": "neither yes nor no",
  "not-json": "not JSON",
  "out-of-range": "out of range",
  "too-long": "too long",
  "too-short": "too short",
  pattern: "not in the expected format",
  "not-unique": "occurs more than once",
  conflict: "different answers in columns that should agree",
  "duplicate-key": "the row key occurs more than once",
  "missing-key": "the row key is missing",
  changed: "imported before with different content",
  refused: "refused by the service",
  "excel-error": "an error in the workbook's cell",
  "ragged-row": "more or fewer cells than the header",
  "damaged-text": "damaged characters",
  "header-row": "a header or a separator line among the rows",
  "other-table": "a row of a second table, or below a different header",
  "unknown-original": "the `_id` of a fixed row was changed",
  "blank-row": "no cell of the row gives an answer",
}

export type ProblemCode = keyof typeof problemWords

export const problemCodes = namesOf(problemWords)

/** A problem of a row. */
export interface Problem {
  readonly code: ProblemCode
  /** The name of the source column that causes the problem. */
  readonly column?: string | undefined
  /** The id of the question, or other element of the form, that should get the value. */
  readonly question?: string | undefined
  /** The wrong value, cut to 80 characters. */
  readonly value?: string | undefined
  /** A sentence that names the column, the value and what was expected. */
  readonly message: string
  /** Set if only this answer was omitted (`onInvalid: drop`). The row is imported without the answer. */
  readonly dropped?: true
}

/** Says what is wrong, without the wrong value. */
export const withoutValue = ({ code, column }: Pick<Problem, "code" | "column">): string =>
  column === undefined ? problemWords[code] : `${column}: ${problemWords[code]}`

/** Whether `where` may skip a row with this problem, because each of its cells is in its column. */
export const maySkip = (fault: Problem | undefined): boolean => fault === undefined || fault.code === "header-row"

/** Cuts a value for display to at most `max` characters (code points), and adds an ellipsis. */
export const cut = (text: string, max = 80): string => {
  if (text.length <= max) return text
  const points = Array.from(text)
  return points.length <= max ? text : points.slice(0, max - 1).join("") + "…"
}

/** Returns a title, name or value of unknown origin for a message: on one line, with all characters visible, at most 80 characters long. */
export const brief = (text: string): string => cut(visible(cut(text, 200)))
