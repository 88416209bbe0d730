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

/** Ways in which a run can differ from past runs without having failed. */
export type AnomalyCode = (typeof anomalyCodes)[number]

/** The figures of a run that later runs are compared with. */
export interface RunFacts {
  readonly run: string
  /** ISO 8601. */
  readonly startedAt: string
  /** In milliseconds, from start to report. */
  readonly duration: number
  /** Whether it read the pipeline's own source to the end. Otherwise its counts say nothing about the source. */
  readonly whole: boolean
  /** It found the source unchanged and read no row; its counts are those of the run that it repeats. */
  readonly unchanged: boolean
  readonly read: number
  readonly invalid: number
  /** Rows for which it created submissions. */
  readonly sent: number
  /** Rows of its source that earlier runs had imported. */
  readonly shared: number
  /** The run whose source shared no row with the previous one, until a person accepts that. */
  readonly gap?: string | undefined
  /** Rows of the pipeline that earlier runs had imported. */
  readonly alreadyKnown: number
  /** Of these, how many its source did not contain, and how many of those the previous run's source still contained. */
  readonly vanished: { readonly count: number; readonly fresh: number }
  readonly anomalies: ReadonlyArray<AnomalyCode>
}
