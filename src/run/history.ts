import { Effect, Option, Schema } from "effect"
import { anomalyCodes } from "../domain/anomaly.ts"
import type { RunFacts } from "../domain/anomaly.ts"
import type { RowCounts } from "../domain/fate.ts"
import type { RunReport } from "../domain/report.ts"
import type { LedgerError, PipelineLedger } from "../ledger/Ledger.ts"
import type { RunRecord } from "../ledger/records.ts"
import type { RunPlan } from "./RunContext.ts"

const Facts = Schema.Struct({
  duration: Schema.Number,
  whole: Schema.Boolean,
  unchanged: Schema.Boolean,
  read: Schema.Number,
  invalid: Schema.Number,
  sent: Schema.Number,
  shared: Schema.Number,
  gap: Schema.optional(Schema.String),
  alreadyKnown: Schema.Number,
  vanished: Schema.Struct({ count: Schema.Number, fresh: Schema.Number }),
  anomalies: Schema.Array(Schema.Literal(...anomalyCodes)),
})

const decode = Schema.decodeUnknownOption(Schema.Struct({ facts: Facts }))

/** Returns the facts of a run's record in the ledger that later runs are compared with. Undefined if it did not end, or was no `run`. */
export const factsOf = ({ counts, mode, run, startedAt }: RunRecord): RunFacts | undefined =>
  mode === "run"
    ? Option.getOrUndefined(Option.map(decode(counts), ({ facts }) => ({ run, startedAt, ...facts })))
    : undefined

/** Returns the fingerprint of a run's mapping from its record in the ledger; undefined if it did not end. */
export const mappingOf = ({ counts }: RunRecord): string | undefined =>
  typeof counts === "object" && counts !== null && "mapping" in counts && typeof counts["mapping"] === "string"
    ? counts["mapping"]
    : undefined

/** Runs that later runs are compared with. */
const remembered = 60

/** Returns the facts of the runs before one, the newest first. */
export const historyOf = (
  view: Pick<PipelineLedger, "runs">,
  run: string,
): Effect.Effect<ReadonlyArray<RunFacts>, LedgerError> =>
  Effect.map(
    view.runs({ limit: remembered }),
    (records) => records.flatMap((one) => (one.run === run ? [] : factsOf(one) ?? [])),
  )

/** Returns the facts of a run that ends now, without its anomalies. */
export const factsNow = (
  run: Pick<RunPlan, "id" | "ownSource">,
  ended: {
    readonly startedAt: string
    readonly finishedAt: string
    /** Whether the source was read to its end. */
    readonly whole: boolean
    readonly unchanged: boolean
    readonly rows: RowCounts
    readonly shared: number
    readonly alreadyKnown: number
    readonly vanished: RunReport["vanished"]
  },
): RunFacts => ({
  run: run.id,
  startedAt: ended.startedAt,
  duration: Date.parse(ended.finishedAt) - Date.parse(ended.startedAt),
  whole: ended.whole && run.ownSource,
  unchanged: ended.unchanged,
  read: ended.rows.read,
  invalid: ended.rows.invalid,
  sent: ended.rows.imported,
  shared: ended.shared,
  alreadyKnown: ended.alreadyKnown,
  vanished: ended.vanished ?? { count: 0, fresh: 0 },
  anomalies: [],
})
