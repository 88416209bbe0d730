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

/** A way in which a run can differ from past runs although it did not fail. */
export type AnomalyCode = (typeof anomalyCodes)[number]

/** The figures of a run that later runs are compared with. */
export interface RunFacts {
  readonly run: string
  /** ISO 8601. */
  readonly startedAt: string
  /** The duration in milliseconds, from the start to the report. */
  readonly duration: number
  /** Whether the run read the pipeline's own source to the end. If not, its counts say nothing about the source. */
  readonly whole: boolean
  /** Whether only new records were pulled. The counts are then compared with those of such runs only. */
  readonly partial: boolean
  /** Whether the run found the source unchanged and read no row. Its counts are then copied from the run that read the source. */
  readonly unchanged: boolean
  readonly read: number
  /** Whether the last line of a text file has no line end. Undefined if that is unknown. */
  readonly open?: boolean | undefined
  readonly invalid: number
  /** The number of rows for which the run created submissions. */
  readonly sent: number
  /** The number of rows in this run's source that earlier runs had imported. */
  readonly shared: number
  /** The run whose source shared no row with the previous source. Undefined after a person has accepted this change. */
  readonly gap?: string | undefined
  /** The number of the pipeline's rows that earlier runs had imported. */
  readonly alreadyKnown: number
  /** The number of these rows that are missing from the source (`count`), and how many of them were in the previous run's source (`fresh`). */
  readonly vanished: { readonly count: number; readonly fresh: number }
  readonly anomalies: ReadonlyArray<AnomalyCode>
}
