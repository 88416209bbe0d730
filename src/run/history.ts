import { Effect, Option, Schema } from "effect"
import { anomalyCodes } from "../domain/anomaly.ts"
import type { RunFacts } from "../domain/anomaly.ts"
import type { RowCounts } from "../domain/fate.ts"
import type { RunReport } from "../domain/report.ts"
import type { LedgerError, PipelineLedger } from "../ledger/Ledger.ts"
import type { RunRecord } from "../ledger/records.ts"
import type { RunContext } from "./RunContext.ts"

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

/** What later runs are held against, of a run's record in the ledger. Undefined: it did not end, or was no `run`. */
export const factsOf = ({ counts, mode, run, startedAt }: RunRecord): RunFacts | undefined =>
  mode === "run"
    ? Option.getOrUndefined(Option.map(decode(counts), ({ facts }) => ({ run, startedAt, ...facts })))
    : undefined

/** The mapping of a run, as a fingerprint, by its record in the ledger; undefined if it did not end. */
export const mappingOf = ({ counts }: RunRecord): string | undefined =>
  typeof counts === "object" && counts !== null && "mapping" in counts && typeof counts["mapping"] === "string"
    ? counts["mapping"]
    : undefined

/** Runs that are looked at to know what is usual. */
const remembered = 60

/** The runs before one, the newest first. */
export const historyOf = (
  view: Pick<PipelineLedger, "runs">,
  run: string,
): Effect.Effect<ReadonlyArray<RunFacts>, LedgerError> =>
  Effect.map(view.runs(remembered), (records) => records.flatMap((one) => (one.run === run ? [] : factsOf(one) ?? [])))

/** What is to be remembered of a run that ends now; what is unusual about it is not known yet. */
export const factsNow = (
  run: Pick<RunContext, "id" | "ownSource">,
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
