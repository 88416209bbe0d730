import { namesOf, type Word } from "./words.ts"

/** How a pipeline uses a column, the most important use first: for answers, for the row key or a condition, ignored, not mapped. */
export const columnUses = ["answers", "keyOrCondition", "ignored", "notMapped"] as const
export type ColumnUse = (typeof columnUses)[number]

/**
 * The states of a filled cell. Each filled cell has exactly one state. A cell of a row that was not imported has the state of the row. Any other cell
 * has the first of the remaining states that applies.
 */
export const cellStateWords = {
  sent: { title: "sent", meaning: "sent as an answer or a part of an answer", tone: "good" },
  sentInPart: { title: "sent in part", meaning: "a part of the cell was not sent", tone: "warn" },
  noAnswer: { title: "no answer", meaning: "the cell means no answer", tone: "calm" },
  dropped: { title: "dropped", meaning: "omitted, as the pipeline says for unusable values", tone: "warn" },
  keyOrCondition: {
    title: "key or condition",
    meaning: "identifies or chooses the row, and is not sent",
    tone: "calm",
  },
  ignored: { title: "ignored", meaning: "not sent, because the pipeline ignores the column", tone: "calm" },
  notMapped: { title: "not mapped", meaning: "not sent, because the pipeline doesn't name the column", tone: "warn" },
  rejected: { title: "row rejected", meaning: "the row is invalid, refused, changed or a duplicate", tone: "warn" },
  skipped: { title: "row skipped", meaning: "the row was skipped on purpose, or is undone", tone: "calm" },
  known: { title: "row known", meaning: "the row was imported by an earlier run", tone: "good" },
  inDoubt: { title: "row in doubt", meaning: "the row was sent, outcome unknown", tone: "bad" },
  pending: { title: "row pending", meaning: "the row was not sent yet", tone: "calm" },
} as const satisfies { readonly [name: string]: Word }

export type CellState = keyof typeof cellStateWords

export const cellStates = namesOf(cellStateWords)
