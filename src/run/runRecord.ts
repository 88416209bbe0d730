import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { anomalyCodes, type RunFacts } from "../domain/anomaly.ts"
import { type Fate, fates } from "../domain/fate.ts"
import type { Json } from "../domain/json.ts"
import type { RunReport } from "../domain/report.ts"
import type { RunRecord } from "../ledger/standing.ts"

/** A count. 0 if it is missing because an earlier version recorded the run. */
const RecordedCount = Schema.optionalWith(Schema.Number, { default: () => 0 })

const RowCounts = Schema.Struct(
  Object.fromEntries(["read", ...fates].map((name) => [name, RecordedCount])) as {
    readonly [N in "read" | Fate]: typeof RecordedCount
  },
)

/** What the next run needs if it finds everything unchanged. */
const Repeatable = Schema.Struct({
  /** The run whose report contains the rows: this run, or the one that it repeats. */
  run: Schema.String,
  /** The SHA-256 of that run's rejected.csv. Undefined if an earlier version recorded the run. */
  rejected: Schema.optional(Schema.String),
  /** The keyed digest of everything that determines the fates of rows, except the source. */
  settings: Schema.String,
  sources: Schema.Array(Schema.Struct({
    sha256: Schema.String,
    bytes: Schema.Number,
    rows: Schema.Number,
    format: Schema.String,
  })),
  rows: RowCounts,
  cells: Schema.Array(Schema.Tuple(Schema.Number, Schema.Number, Schema.Number)),
  marks: Schema.Struct({ leftOut: Schema.Number, settlements: Schema.Number }),
})

export type Repeatable = typeof Repeatable.Type

/** What a run records in the ledger for later runs, in addition to the counts that `status` shows. */
const Left = Schema.Struct({
  /** The fingerprint of the run's mapping. */
  mapping: Schema.String,
  facts: Schema.Struct({
    duration: Schema.Number,
    whole: Schema.Boolean,
    partial: Schema.optionalWith(Schema.Boolean, { default: () => false }),
    unchanged: Schema.Boolean,
    read: Schema.Number,
    open: Schema.optional(Schema.Boolean),
    invalid: Schema.Number,
    sent: Schema.Number,
    shared: Schema.Number,
    gap: Schema.optional(Schema.String),
    alreadyKnown: Schema.Number,
    vanished: Schema.Struct({ count: Schema.Number, fresh: Schema.Number }),
    anomalies: Schema.Array(Schema.Literal(...anomalyCodes)),
  }),
  repeat: Schema.optional(Repeatable),
  needReview: Schema.optional(Schema.Number),
  /** Also recorded when the run starts, because it may be killed. The ledger searches the recorded text for it. */
  isUnscheduled: Schema.optional(Schema.Boolean),
})

const decode = Schema.decodeUnknownOption(Left)

const leftBy = ({ counts }: RunRecord): typeof Left.Type | undefined => Option.getOrUndefined(decode(counts))

/** Returns the facts of a run with which later runs are compared. Undefined if the run did not end, or its mode was not `run`. */
export const factsOf = (record: RunRecord): RunFacts | undefined => {
  const left = record.mode === "run" ? leftBy(record) : undefined
  return left && { run: record.run, startedAt: record.startedAt, ...left.facts }
}

/** Returns how many rows of a run need review. Undefined if the run did not end or an earlier version recorded it. */
export const needReviewOf = (record: RunRecord): number | undefined => leftBy(record)?.needReview

/** Returns the fingerprint of a run's mapping. Undefined if the run did not end. */
export const mappingOf = (record: RunRecord): string | undefined => leftBy(record)?.mapping

/** Returns what the next run needs to repeat a run, or undefined. */
export const repeatOf = (record: RunRecord): Repeatable | undefined =>
  record.mode === "run" ? leftBy(record)?.repeat : undefined

/** Returns a run's counts for the ledger, with what later runs need. */
export const countsOf = (
  { needReview, readBack, rows }: Pick<RunReport, "needReview" | "rows" | "readBack">,
  left: Omit<typeof Left.Encoded, "needReview">,
): Json => JSON.parse(JSON.stringify({ rows, readBack, needReview, ...left })) as Json
