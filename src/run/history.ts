import { Option, Schema } from "effect"
import { anomalyCodes, type RunFacts } from "../domain/anomaly.ts"
import type { RunRecord } from "../ledger/Ledger.ts"

const Facts = Schema.Struct({
  duration: Schema.Number,
  whole: Schema.Boolean,
  unchanged: Schema.Boolean,
  read: Schema.Number,
  invalid: Schema.Number,
  sent: Schema.Number,
  alreadyKnown: Schema.Number,
  vanished: Schema.Struct({ count: Schema.Number, fresh: Schema.Number }),
  anomalies: Schema.Array(Schema.Literal(...anomalyCodes)),
})

const decode = Schema.decodeUnknownOption(Schema.Struct({ facts: Facts }))

/** What later runs are held against, of a run's record in the ledger. Undefined: it did not end, was no `run`, or is of an earlier formferry. */
export const factsOf = ({ counts, mode, run, startedAt }: RunRecord): RunFacts | undefined =>
  mode === "run"
    ? Option.getOrUndefined(Option.map(decode(counts), ({ facts }) => ({ run, startedAt, ...facts })))
    : undefined
