import type { VerdictCounts } from "./fate.ts"
import type { Form } from "./form.ts"
import { type Label, namesOf, type Word } from "./words.ts"

/** What a run does, as messages and pages show it. */
export const modeWords = {
  run: "run",
  rehearsal: "rehearsal",
  "dry-run": "dry run",
  reconcile: "reconcile",
} as const

export type Mode = keyof typeof modeWords

export const modes = namesOf(modeWords)

/** What marks the results of a mode that sends nothing to the form. */
export const modeMarks: { readonly [M in Mode]: string | undefined } = {
  run: undefined,
  rehearsal:
    "This is a rehearsal: everything went to a practice service on this machine. Nothing was sent to the form.",
  "dry-run": "This is a dry run: every row was read and validated, and nothing was sent.",
  reconcile: "This is a reconciliation: submissions of earlier runs were read back. Nothing was sent.",
}

/** The modes that the ledger records for runs. The command `undo` is recorded like a run. */
export const recordedModeWords = { ...modeWords, undo: "undo" } as const

export type RecordedMode = keyof typeof recordedModeWords

export const recordedModes = namesOf(recordedModeWords)

/** Whether a recorded run read the source. */
export const readsSource = (mode: RecordedMode): boolean => mode !== "reconcile" && mode !== "undo"

/** How a run ended. Use `outcomeWord` to show it. */
const outcomeWords = {
  complete: { title: "Complete", meaning: "Nothing is left to do.", tone: "good" },
  attention: { title: "Rows need review", meaning: "Done, but some rows were not imported.", tone: "warn" },
  inDoubt: { title: "Rows are in doubt", meaning: "Sent, but it is unknown whether they arrived.", tone: "bad" },
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
    meaning: "Requests in flight were finished and recorded; the next run continues from here.",
    tone: "warn",
  },
} as const satisfies { readonly [name: string]: Word }

export type Outcome = keyof typeof outcomeWords

export const outcomes = namesOf(outcomeWords)

/** The part of a run's report that says how the run ended. */
interface Ended {
  readonly outcome: Outcome
  readonly needReview?: number | undefined
}

/** Returns the words for how a run ended. A run can need attention although no row needs review. */
export const outcomeWord = ({ needReview, outcome }: Ended): Word =>
  outcome === "attention" && needReview === 0
    ? { title: "Needs your decision", meaning: "Done, but there may be rows that no run has read.", tone: "warn" }
    : outcomeWords[outcome]

/** The end of a run as the ledger records it. Without an outcome, the run is in progress or was killed. */
type Recorded = { readonly [F in keyof Ended]?: Ended[F] | undefined }

/** Returns the words for a recorded run. */
export const recordedWord = ({ needReview, outcome }: Recorded, isRunning = false): Label =>
  outcome !== undefined
    ? outcomeWord({ needReview, outcome })
    : isRunning
    ? { title: "In progress", tone: "calm" }
    : { title: "Ended without a report", tone: "warn" }

/** What the ledger contains for a pipeline at a destination. */
interface AfterRun {
  /** The run in progress. */
  readonly going: object | undefined
  readonly lastRun: Recorded | undefined
  readonly standing: {
    readonly inDoubt: number
    readonly verdicts: VerdictCounts
    readonly acknowledged: { readonly differing: number; readonly missing: number }
  }
}

/** Returns the state of a pipeline: in progress, or that in which its last run left it. Rows in doubt may have been settled since. */
export const stateAfter = (after: AfterRun | undefined): Label => {
  if (after?.going !== undefined) return recordedWord({}, true)
  if (after?.lastRun === undefined) return { title: "Never ran", tone: "calm" }
  const { lastRun, standing: { acknowledged, inDoubt, verdicts } } = after
  if (lastRun.outcome !== "inDoubt" || inDoubt > 0) return recordedWord(lastRun)
  const unproven = verdicts.differing + verdicts.missing - acknowledged.differing - acknowledged.missing
  return unproven > 0 ? outcomeWords.differing : { title: "Rows in doubt were settled: run again", tone: "warn" }
}

/** Says that a scheduled run could not start. The time is formatted as it is shown. */
export const notStartedText = (pipeline: string, time: string): string =>
  `${pipeline} was due on ${time}, but no run could start. \`formferry check ${pipeline}\` or the schedule's log says why.`

/** Returns sentences that say why a run ended as it did. */
export const reasonsOf = ({ because, ...ended }: Ended & { readonly because: ReadonlyArray<string> }) =>
  because.length === 0 ? [outcomeWord(ended).meaning] : because

/** In a file's `taken`: the entry that says how quotes at the start of cells were read. */
export const strayQuotes = "stray quotes"

/** In a file's `taken`: what the entry about empty rows says before the number of the first row below one. */
export const aboveRow = "first above row"

/** What a job of the studio does. */
export const jobWords = { check: "check", ...modeWords } as const

/** What a person has to confirm before rows are sent. */
export interface SendQuestion {
  readonly service: string
  readonly form: Pick<Form, "id" | "name">
  readonly rows: number
  /** Whether the service can delete submissions. */
  readonly canDelete: boolean
}
