import type { Anomaly } from "./anomaly.ts"
import type { ColumnCells } from "./cells.ts"
import type { AnswerVerdict } from "./comparison.ts"
import type { RowCounts, VerdictCounts } from "./fate.ts"
import type { Json } from "./json.ts"
import type { ProblemCode } from "./problem.ts"
import { namesOf } from "./words.ts"
import type { Word } from "./words.ts"

/** What a run does, in people's words. */
export const modeWords = {
  run: "run",
  rehearsal: "rehearsal",
  "dry-run": "dry run",
  reconcile: "reconcile",
} as const

export type Mode = keyof typeof modeWords

export const modes = namesOf(modeWords)

/** How a run ended. */
export const outcomeWords = {
  complete: { title: "Complete", meaning: "Nothing is left to do.", tone: "good" },
  attention: { title: "Rows need a person", meaning: "Done, and some rows were not imported.", tone: "warn" },
  inDoubt: { title: "Rows are in doubt", meaning: "Sent, and it is not known whether they arrived.", tone: "bad" },
  differing: {
    title: "Not everything is verified",
    meaning: "Some submissions differ, are missing or were not read back.",
    tone: "bad",
  },
  stopped: { title: "Stopped", meaning: "Nothing more was sent, to protect the form.", tone: "bad" },
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
} as const satisfies { readonly [name: string]: Word }

export type Outcome = keyof typeof outcomeWords

export const outcomes = namesOf(outcomeWords)

/** The longest cell of a file. */
export interface LongestCell {
  readonly column: string
  readonly row: number
  /** In characters. */
  readonly length: number
}

/** Lines of a delimited text: those that were counted beside the parser, and where they went. */
export interface LineCounts {
  readonly physical: number
  /** The header and what stands above it. */
  readonly above: number
  readonly records: number
  /** Line ends inside cells. */
  readonly inside: number
  /** Lines and records without anything in them. */
  readonly blank: number
}

/** What of a file's `taken` names lines in which quotes were read as characters. */
export const strayQuotes = "stray quotes"

/** A file that a run read, as it was taken. */
export interface SourceFile {
  readonly file: string
  readonly format: string
  readonly bytes: number
  readonly sha256: string
  readonly rows: number
  /** How it was read, in the order to show it: encoding, delimiter, sheet, header row, … */
  readonly taken: ReadonlyArray<{ readonly what: string; readonly value: string }>
  /** What the file contains and the pipeline does not read: other visible sheets, JSON members without a column, JSON values outside the records. Absent: nothing. */
  readonly unread?: ReadonlyArray<Unread>
  /** Of delimited text. */
  readonly lines?: LineCounts | undefined
  readonly longest?: LongestCell | undefined
}

/** Something in a file that is not read. */
export interface Unread {
  readonly what: "sheet" | "member" | "outside"
  readonly name: string
  /** Of a member, how many records have a value for it. Of a place outside the records, its values. */
  readonly cells?: number | undefined
}

/** Problems of one kind, column and question, with a few examples. */
export interface ProblemGroup {
  readonly code: ProblemCode
  readonly column: string | undefined
  readonly question: string | undefined
  /** Only the answer was left out (`onInvalid: drop`): these rows went on without it. */
  readonly dropped?: true | undefined
  readonly count: number
  readonly examples: ReadonlyArray<
    { readonly row: number; readonly value: string | undefined; readonly message: string }
  >
}

/** One answer that did not come back as it was sent. */
export interface Difference {
  readonly row: number
  readonly key: string
  readonly submissionId: string
  readonly question: string
  readonly name: string
  readonly verdict: AnswerVerdict
  readonly sent: Json | undefined
  readonly returned: Json | undefined
  readonly editLink: string | undefined
}

/** Answers of one question that changed in one way: one finding, however many submissions it concerns. */
export interface Finding {
  readonly question: string
  readonly name: string
  readonly verdict: AnswerVerdict
  /** What happened to the values, in words; never a value itself. */
  readonly pattern: string
  readonly count: number
  /** What all of them have in common besides, in words: the length that they were cut to, or that all became the same. */
  readonly note: string | undefined
  /** Why the pipeline tolerates it; undefined: it does not. */
  readonly tolerated: string | undefined
  /** A few of them; all are in differences.csv. */
  readonly examples: ReadonlyArray<Difference>
}

/** Answers of one question that the service wrote in another way, with the same meaning. */
export interface Normalisation {
  readonly question: string
  readonly name: string
  /** What was normalised, in a few words. */
  readonly what: string
  readonly count: number
  readonly example: Pick<Difference, "row" | "submissionId" | "sent" | "returned">
}

/** Rows in doubt for one reason, over all that the ledger holds here. */
export interface Doubt {
  readonly reason: string
  readonly count: number
  /** Of these, how many a person has acknowledged. */
  readonly acknowledged: number
  /** Of these, how many this run put in doubt. */
  readonly fresh: number
  /** ISO 8601: when the first and the last of them were sent. */
  readonly firstSentAt: string
  readonly lastSentAt: string
}

/** Rows in doubt that were settled at one time, and by what. */
export interface Settlement {
  /** ISO 8601. */
  readonly at: string
  /** Who did it. */
  readonly by: string
  readonly because: string | undefined
  /** The export of the form's results that showed it, and whether a person vouched that it is complete; undefined: a person's word. */
  readonly file: { readonly name: string; readonly sha256: string; readonly isComplete: boolean } | undefined
  /** Rows that had arrived, and rows that had not: these go out with the next run. */
  readonly landed: number
  readonly notLanded: number
}

/** A row that was imported before with other content, and went in again. */
export interface Replacement {
  readonly row: number
  readonly key: string
  /** The submission that was created now. */
  readonly submissionId: string
  /** The submission that stood for the row before: it stays in the form, until a person removes it there. Undefined: nobody knows its id. */
  readonly replaces: string | undefined
  /** Where a person can edit or void the earlier one; undefined: the service gave none. */
  readonly editLink: string | undefined
}

/** Requests within one span of time. */
export type PaceBucket = RequestCounts

/** Requests over time, in spans of equal length that follow each other. */
export interface Pace {
  /** When the first span begins: ISO 8601, UTC. */
  readonly from: string
  /** Length of a span in milliseconds. */
  readonly every: number
  readonly buckets: ReadonlyArray<PaceBucket>
}

/** Requests of a run, by operation; `retried` and `throttled` (429) are counted in the others too. */
export interface RequestCounts {
  readonly metadata: number
  readonly create: number
  readonly read: number
  readonly retried: number
  readonly throttled: number
}

/** What a run came to: the fields of report.json (product.md, "What a run leaves"), and what people see beside them. */
export interface RunReport {
  readonly pipeline: string
  readonly run: string
  readonly mode: Mode
  readonly form: { readonly service: string; readonly id: string; readonly name: string }
  /** ISO 8601 instants, UTC. */
  readonly startedAt: string
  readonly finishedAt: string
  readonly outcome: Outcome
  readonly exitCode: number
  /** Why it ended this way, for people, in a sentence or two; what to do next is `next`. */
  readonly because: ReadonlyArray<string>
  /** The command to run next; absent when nothing is left to do. */
  readonly next: string | undefined
  readonly ledger: { readonly id: string; readonly lastIntent: number }
  /** Rows of this run that need a person and were acknowledged by one. */
  readonly acknowledged: number
  readonly sources: ReadonlyArray<SourceFile>
  readonly rows: RowCounts
  readonly readBack: VerdictCounts
  readonly balance: { readonly holds: boolean }
  /** Per column of the source, in its order: cells that are not empty, by what became of them. Absent: no row was read. */
  readonly columns?: ReadonlyArray<ColumnCells>
  readonly requests: RequestCounts
  /** The same over time; the sums over all spans are `requests`. Undefined: no request was made. */
  readonly pace: Pace | undefined
  readonly problems: ReadonlyArray<ProblemGroup>
  /** At most 1,000; all of them are in differences.csv. */
  readonly differences: ReadonlyArray<Difference>
  /** All differences, those with one question and one pattern together. */
  readonly findings: ReadonlyArray<Finding>
  readonly normalised: ReadonlyArray<Normalisation>
  readonly inDoubt: ReadonlyArray<Doubt>
  /** How rows in doubt were settled, the latest first; at most 20. Absent: none ever was. */
  readonly settled?: ReadonlyArray<Settlement>
  /** Fields of a question type that formferry does not know, discarded as rule 3 of the interface asks. */
  readonly discarded: ReadonlyArray<{ readonly type: string; readonly count: number }>
  /** Rows of this run whose create request was answered: what `answered` of a question is a share of. */
  readonly sent: number
  /** Per question: rows that answered it, and how the answers of this run compared. */
  readonly questions: ReadonlyArray<{
    readonly id: string
    readonly name: string
    readonly kind: string
    readonly answered: number
    readonly verdicts: { readonly [V in AnswerVerdict]?: number }
  }>
  /** Questions of the form that the pipeline leaves unanswered: on purpose (`mapping.ignoreQuestions`), or because nothing is mapped to them. Absent: none. */
  readonly unanswered?: ReadonlyArray<{
    readonly id: string
    readonly name: string
    readonly state: "ignored" | "notMapped"
  }>
  /** Rows that changed and went in again (`onChange: import-again`); at most 1,000 examples, all are in replaced.csv. Absent: none. */
  readonly replaced?: { readonly count: number; readonly examples: ReadonlyArray<Replacement> }
  /**
   * Rows imported earlier that the source does not hold any more; `fresh`: how many of them it held at the run before. All are in vanished.csv. Absent: not
   * looked at, because the source was not the pipeline's own, was not read to its end, or `vanished: ignore` says so.
   */
  readonly vanished?: { readonly count: number; readonly fresh: number }
  /** The run since which nothing changed, source, mapping, form and ledger: no row was read, and the counts are those that reading would have given. */
  readonly unchangedSince?: string
  /** What is unusual, held against earlier runs (docs/nightly.md). Absent: nothing. */
  readonly anomalies?: ReadonlyArray<Anomaly>
  /** Whether the values of rows and answers stand in the report, or keyed digests in their place (`--redact`). */
  readonly values: "shown" | "masked"
  readonly warnings: ReadonlyArray<string>
  readonly versions: { readonly formferry: string; readonly node: string }
  /** Digests that tell whether the mapping or the form changed between runs. */
  readonly fingerprints: { readonly mapping: string; readonly form: string }
}
