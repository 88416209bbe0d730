import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"
import type { LedgerSession } from "../ledger/Ledger.ts"
import { telemetryOn } from "../service/telemetry.ts"

const held = Metric.gauge("formferry.lease.held", {
  description: "1 while this process holds the lock of the pipeline, then 0",
})
const age = Metric.gauge("formferry.lease.age", {
  description: "Seconds since this process sent its last heartbeat for the lock of the pipeline",
}).pipe(Metric.tagged("unit", "s"))
const takeovers = Metric.counter("formferry.lease.takeovers", {
  description: "Locks that this process took over, because their holders had not released them",
  incremental: true,
})

/** Measures a run's lock each second until the scope closes. Does nothing if metrics are not exported. */
export const measureLease = (
  pipeline: string,
  { lease: { host, isTakenOver, silentFor } }: Pick<LedgerSession, "lease">,
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function*() {
    if (!(yield* FiberRef.get(telemetryOn))) return
    const tags = { pipeline, ...(host === undefined ? {} : { host }) }
    const record = (isHeld: boolean) =>
      Effect.all([
        Metric.set(held, isHeld ? 1 : 0),
        Metric.set(age, isHeld ? silentFor() / 1_000 : 0),
      ]).pipe(Effect.tagMetrics(tags))
    if (isTakenOver) yield* Effect.tagMetrics(Metric.increment(takeovers), tags)
    yield* Effect.acquireRelease(record(true), () => record(false))
    yield* record(true).pipe(Effect.delay("1 second"), Effect.forever, Effect.forkScoped)
  })
