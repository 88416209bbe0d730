import type { CellState } from "../domain/cells.ts"
import type { Fate, Verdict } from "../domain/fate.ts"
import type { ProblemCode } from "../domain/problem.ts"
import type { Mode, Outcome } from "../domain/run.ts"

/** How good a piece of news is: what colours and signs follow. */
export type Tone = "good" | "calm" | "warn" | "bad"

export interface Word {
  readonly title: string
  readonly meaning: string
  readonly tone: Tone
}

/** The fates in people's words (product.md, "Fates and the balance"). */
export const fateWords: { readonly [F in Fate]: Word } = {
  imported: { title: "imported", meaning: "created in this run", tone: "good" },
  alreadyImported: { title: "already imported", meaning: "imported by an earlier run, unchanged", tone: "good" },
  filtered: { title: "left out", meaning: "left out by the pipeline or by a person", tone: "calm" },
  duplicate: { title: "duplicate", meaning: "the row key already occurred in this source", tone: "warn" },
  changed: { title: "changed", meaning: "imported before with other content", tone: "warn" },
  invalid: { title: "invalid", meaning: "can't be turned into a valid submission; not sent", tone: "warn" },
  refused: { title: "refused", meaning: "the service refused it", tone: "bad" },
  inDoubt: { title: "in doubt", meaning: "sent, outcome not known; not sent again", tone: "bad" },
  pending: { title: "pending", meaning: "valid, not sent yet", tone: "calm" },
}

/** The verdicts in people's words. */
export const verdictWords: { readonly [V in Verdict]: Word } = {
  verified: { title: "verified", meaning: "every answer came back the same or equivalent", tone: "good" },
  differing: { title: "differing", meaning: "at least one answer came back different", tone: "bad" },
  missing: { title: "missing", meaning: "the service does not know the submission", tone: "bad" },
  unread: { title: "unread", meaning: "not read back yet", tone: "warn" },
}

/** What becomes of cells, in people's words. */
export const cellWords: { readonly [S in CellState]: Word } = {
  sent: { title: "sent", meaning: "sent as an answer or a part of one", tone: "good" },
  sentInPart: { title: "sent in part", meaning: "a part of the cell was left behind", tone: "warn" },
  noAnswer: { title: "no answer", meaning: "the cell means no answer", tone: "calm" },
  dropped: { title: "dropped", meaning: "left out, as the pipeline says of unusable values", tone: "warn" },
  keyOrCondition: {
    title: "key or condition",
    meaning: "identifies or chooses the row, and is not sent",
    tone: "calm",
  },
  ignored: { title: "ignored", meaning: "left behind by `ignore`", tone: "calm" },
  notMapped: { title: "not mapped", meaning: "left behind: nothing names the column", tone: "warn" },
  rejected: { title: "row rejected", meaning: "the row is invalid, refused, changed or a duplicate", tone: "warn" },
  skipped: { title: "row skipped", meaning: "the row was skipped on purpose", tone: "calm" },
  known: { title: "row known", meaning: "the row was imported by an earlier run", tone: "good" },
  inDoubt: { title: "row in doubt", meaning: "the row was sent, outcome unknown", tone: "bad" },
  pending: { title: "row pending", meaning: "the row was not sent yet", tone: "calm" },
}

/** The outcomes in people's words. */
export const outcomeWords: { readonly [O in Outcome]: Word } = {
  complete: { title: "Complete", meaning: "Nothing is left to do.", tone: "good" },
  attention: { title: "Rows need a person", meaning: "Done, and some rows were not imported.", tone: "warn" },
  inDoubt: { title: "Rows are in doubt", meaning: "Sent, and it is not known whether they arrived.", tone: "bad" },
  differing: {
    title: "Not everything is verified",
    meaning: "Some submissions differ, are missing or were not read back.",
    tone: "bad",
  },
  stopped: { title: "Stopped", meaning: "Stopped to protect the form.", tone: "bad" },
  unavailable: {
    title: "Not finished",
    meaning: "The service or the source can't be used; the rest is pending.",
    tone: "bad",
  },
  interrupted: {
    title: "Interrupted",
    meaning: "What was in flight was finished and recorded; the next run goes on from here.",
    tone: "warn",
  },
}

/** The modes in people's words. */
export const modeWords: { readonly [M in Mode]: string } = {
  run: "run",
  rehearsal: "rehearsal",
  "dry-run": "dry run",
  reconcile: "reconcile",
}

/** What is wrong with a value, without the value. */
export const problemWords: { readonly [C in ProblemCode]: string } = {
  required: "there is no answer where one is needed",
  "not-a-number": "not a number",
  "not-a-date": "not a date",
  "ambiguous-date": "a date that can be read in two ways",
  "not-a-time": "not a time",
  "not-a-date-time": "not a date with a time",
  "ambiguous-time": "a time that a clock change skips or repeats",
  "not-an-email": "not an e-mail address",
  "not-a-phone": "not a phone number",
  "not-a-url": "not a web address",
  "not-an-option": "not one of the options",
  "not-a-boolean": "neither yes nor no",
  "not-json": "not JSON",
  "out-of-range": "out of range",
  "too-long": "too long",
  "too-short": "too short",
  pattern: "not of the form that was asked for",
  "not-unique": "occurs more than once",
  conflict: "columns that should say the same differ",
  "duplicate-key": "the row key occurs more than once",
  "missing-key": "there is no row key",
  changed: "imported before with other content",
  refused: "refused by the service",
  "excel-error": "an error of the workbook",
  "ragged-row": "more or fewer cells than the header",
  "damaged-text": "damaged characters",
  "blank-row": "no answer comes from a cell",
}

/** A count, or a rate to a thousandth, with its thousands separated. Not by Intl, whose loading would take each command 10 ms. */
export const count = (value: number): string => {
  const [whole = "", ...part] = String(Number.isInteger(value) ? value : Math.round(value * 1000) / 1000).split(".")
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, ","), ...part].join(".")
}

/** A count with its noun: `1 row`, `2 rows`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`
