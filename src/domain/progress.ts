import type { FateCounts, VerdictCounts } from "./fate.ts"
import { lasting, millisIn } from "./times.ts"
import { count, counted } from "./words.ts"

interface PhaseWords {
  readonly title: string
  /** The noun for one of the things that the phase counts. */
  readonly counts: string
  readonly isSending?: true
  /** Whether its rows come in bursts, so that a rate would mislead. */
  readonly isUneven?: true
  /** What to show instead of a count, for a phase that counts nothing. */
  readonly shown?: string
}

/** The phases that take time: first those of a run in order, then those of other commands. */
const table = {
  pull: { title: "pull", counts: "record" },
  job: { title: "pull", counts: "row", shown: "waiting until the tool has made the file" },
  download: { title: "pull", counts: "byte" },
  settle: { title: "settle", counts: "row", shown: "settling rows in doubt" },
  survey: { title: "survey", counts: "row", isUneven: true },
  canary: { title: "canary", counts: "row", isSending: true },
  import: { title: "import", counts: "row", isSending: true },
  readBack: { title: "read back", counts: "submission" },
  report: { title: "report", counts: "row", shown: "writing the report" },
  known: { title: "read the ledger", counts: "submission" },
  results: { title: "read the results", counts: "submission" },
  list: { title: "list the form", counts: "submission" },
  wait: { title: "wait", counts: "row", shown: "waiting until the submissions of rows in doubt must be visible" },
  lag: { title: "wait", counts: "row", shown: "waiting until submissions that the list lacks must be visible" },
  undo: { title: "undo", counts: "submission" },
  export: { title: "export", counts: "row" },
  reports: { title: "search the reports", counts: "report" },
  rewrite: { title: "rewrite the ledger", counts: "row", shown: "rewriting the ledger's file" },
  copy: { title: "copy the ledger", counts: "row", shown: "copying the ledger's file" },
  verify: { title: "verify the ledger", counts: "row", shown: "checking the ledger's file" },
} as const satisfies { readonly [name: string]: PhaseWords }

export type Phase = keyof typeof table

export const phases: { readonly [P in Phase]: PhaseWords } = table

/** The progress of a run or of other long work. Numbers are totals so far, unless described otherwise. */
export interface ProgressEvent {
  readonly phase: Phase
  /** The number of rows that this phase has finished. */
  readonly read: number
  /** The number of all rows of this phase, if known. */
  readonly total: number | undefined
  /** The number of rows whose create request was answered. */
  readonly sent: number
  readonly readBack: VerdictCounts
  readonly inDoubt: number
  /** The number of requests answered with 429 (slow down). */
  readonly throttled: number
  /** The recent number of this phase's rows per second. */
  readonly rate: number | undefined
  /** The number of requests to the service so far, and of those whose answer is awaited. Absent for work other than a run. */
  readonly requests?: number | undefined
  readonly inFlight?: number | undefined
  /** The number of rows by fate, as far as it is known. */
  readonly fates?: FateCounts | undefined
}

/** Returns how far a phase is: `3 rows`, `3 of 10 rows`, or what it shows instead. */
export const doneText = ({ phase, read, total }: Pick<ProgressEvent, "phase" | "read" | "total">): string => {
  const { counts, shown } = phases[phase]
  return shown ?? (total === undefined ? counted(read, counts) : `${count(read)} of ${counted(total, counts)}`)
}

/** A forecast beyond 99 days is not shown. */
const longestForecast = 99 * millisIn.day

/** Returns the rate of a phase and the time that it still takes, as texts. Each is omitted if it is unknown or would mislead. */
export const paceTexts = ({ phase, rate = 0, read, total = 0 }: ProgressEvent): ReadonlyArray<string> => {
  const { isUneven, shown } = phases[phase]
  if (shown !== undefined || rate <= 0) return []
  const millis = ((total - read) / rate) * 1000
  return [
    ...(isUneven ? [] : [`${rate < 10 ? rate.toFixed(1) : count(Math.round(rate))} a second`]),
    ...(millis > 0 && millis <= longestForecast
      ? [`about ${lasting(Math.max(1000, Math.round(millis / 1000) * 1000))} left`]
      : []),
  ]
}
