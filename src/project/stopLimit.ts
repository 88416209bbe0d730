import { Schema } from "effect"
import { expecting, needed, optional } from "./annotated.ts"
import type { SinkConfig, StopLimit as Limit } from "./Pipeline.ts"
import { Share, whole } from "./scalars.ts"

/** A share counts from this many rows on, when the pipeline does not say otherwise. */
const atLeast = 10

const Rows = Schema.transform(whole(0), Schema.Struct({ rows: Schema.Number }), {
  strict: true,
  decode: (rows) => ({ rows }),
  encode: ({ rows }) => rows,
}).annotations(expecting("a number of rows"))

const PlainShare = Schema.transform(Share, Schema.Struct({ share: Schema.Number, atLeast: Schema.Literal(atLeast) }), {
  strict: true,
  decode: (share) => ({ share, atLeast }) as const,
  encode: ({ share }) => share,
}).annotations(expecting("a share such as `5%`"))

const ShareFrom = Schema.Struct({
  share: needed(Share, { description: "A share of the rows that are new in this run" }),
  atLeast: needed(whole(1), { description: "The number of rows from which on the share counts" }),
})

const StopLimit: Schema.Schema<Limit, number | string | { readonly share: string; readonly atLeast: number }> = Schema
  .Union(Rows, PlainShare, ShareFrom).annotations({
    ...expecting("a number of rows, a share such as `5%`, or { share: 20%, atLeast: 50 }"),
    identifier: "StopLimit",
    description: "A number of rows, or a share of the rows that are new in this run; a share counts from 10 rows on",
  })

const share = (percent: number): Limit => ({ share: percent / 100, atLeast })

/** The limits of a pipeline that names none. */
export const stopDefaults: SinkConfig["stopWhen"] = {
  new: share(100),
  replaced: share(10),
  changed: share(10),
  invalid: share(20),
  refused: share(5),
  differing: share(1),
  inDoubt: { rows: 20 },
}

const limit = (description: string, key: keyof SinkConfig["stopWhen"]) =>
  optional(StopLimit, { description, default: stopDefaults[key] })

/** The keys of `stopWhen`. */
export const stopFields = {
  new: limit("Rows never seen before", "new"),
  replaced: limit("New rows whose other cells equal those of a vanished row: its key may have changed", "replaced"),
  changed: limit("Rows that changed since they were imported", "changed"),
  invalid: limit("Rows that can't be turned into a valid item", "invalid"),
  refused: limit("Rows that the service refused", "refused"),
  differing: limit("Rows that did not come back as they were sent", "differing"),
  inDoubt: limit("Rows whose outcome is not known", "inDoubt"),
}
