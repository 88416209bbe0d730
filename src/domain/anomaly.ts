export const anomalyCodes = [
  "empty-source",
  "shrunken-source",
  "stale-source",
  "unread-files",
  "gap",
  "invalid-share",
  "vanished",
  "slow-run",
] as const

/** What can be unlike other runs without being an error of the run. */
export type AnomalyCode = (typeof anomalyCodes)[number]

/** What is kept of a run, to compare later runs with it. */
export interface RunFacts {
  readonly run: string
  /** ISO 8601. */
  readonly startedAt: string
  /** In milliseconds, from start to report. */
  readonly duration: number
  /** Whether it read the pipeline's own source to its end. Otherwise its counts say nothing about the source. */
  readonly whole: boolean
  /** It found the source unchanged and read no row; its counts are those of the run that it repeats. */
  readonly unchanged: boolean
  readonly read: number
  readonly invalid: number
  /** Rows that it created submissions for. */
  readonly sent: number
  /** Rows of its source that earlier runs had imported. */
  readonly shared: number
  /** The run whose source shared no row with the one before it, until a person accepts that. */
  readonly gap?: string | undefined
  /** Rows of the pipeline that earlier runs had imported. */
  readonly alreadyKnown: number
  /** Of these, how many its source did not hold; and how many of them the source of the run before still held. */
  readonly vanished: { readonly count: number; readonly fresh: number }
  readonly anomalies: ReadonlyArray<AnomalyCode>
}
