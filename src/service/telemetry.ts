import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as FiberRef from "effect/FiberRef"
import * as GlobalValue from "effect/GlobalValue"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import type { TransportRequest } from "./transport.ts"

/** Whether traces and metrics are exported (cli/telemetry.ts sets it). If not, nothing is measured and no spans are made. */
export const telemetryOn: FiberRef.FiberRef<boolean> = GlobalValue.globalValue(
  "formferry/telemetryOn",
  () => FiberRef.unsafeMake(false),
)

type Value = string | number | boolean

/** Names of a span's attributes. Only these are exported, and none contains data of a row. */
export const spanAttributes = [
  "formferry.pipeline",
  "formferry.run",
  "formferry.mode",
  "formferry.service",
  "formferry.form",
  "formferry.outcome",
  "formferry.exit_code",
  "formferry.rows",
  "formferry.operation",
  "http.request.method",
  "http.response.status_code",
  "error.type",
] as const

export type SpanAttributes = { readonly [N in (typeof spanAttributes)[number]]?: Value }

/** Runs an effect in a span. A span covers a run, a phase, a batch or a request, but never a row. */
export const traced = <A, E, R>(
  name: string,
  attributes: SpanAttributes,
  work: Effect.Effect<A, E, R>,
  kind: "internal" | "client" = "internal",
): Effect.Effect<A, E, R> =>
  Effect.flatMap(
    FiberRef.get(telemetryOn),
    (on) => on ? Effect.withSpan(work, name, { attributes, kind, captureStackTrace: false }) : work,
  )

/** Adds attributes to the current span. */
export const annotated = (attributes: SpanAttributes): Effect.Effect<void> =>
  Effect.flatMap(FiberRef.get(telemetryOn), (on) => (on ? Effect.annotateCurrentSpan(attributes) : Effect.void))

/** Updates a metric, but only if metrics are exported. */
export const measured = (measure: () => Effect.Effect<unknown>): Effect.Effect<void> =>
  Effect.flatMap(FiberRef.get(telemetryOn), (on) => (on ? Effect.asVoid(measure()) : Effect.void))

export type Operation = "metadata" | "create" | "read" | "list" | "delete"

const durations = Metric.histogram(
  "formferry.request.duration",
  MetricBoundaries.fromIterable([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]),
  "How long requests to the form service took, from their first byte to the whole answer, in seconds",
)

const rate = Metric.gauge("formferry.request.rate", {
  description: "Requests per second of this process to form services, over the last seconds",
}).pipe(Metric.tagged("unit", "1/s"))

const sharedRate = Metric.gauge("formferry.request.shared_rate", {
  description: "Requests per second of all hosts that share the account's rate",
}).pipe(Metric.tagged("unit", "1/s"))

/** Milliseconds over which the rate is measured. */
const window = 2_000
const counted = { at: 0, requests: 0 }

/** Updates the rates of requests every few seconds. `shared` is that of all hosts. */
const pace = (now: number, shared: number | undefined): Effect.Effect<void> => {
  counted.requests++
  const elapsed = now - counted.at
  if (elapsed >= 0 && elapsed < window) return Effect.void
  const { requests } = counted
  counted.at = now
  counted.requests = 0
  // After a pause, or if the clock was set back, the rate of the latest requests is unknown.
  if (elapsed < 0 || elapsed > window * 10) return Effect.void
  const own = Metric.set(rate, requests * 1_000 / elapsed)
  return shared === undefined ? own : Effect.zipRight(own, Metric.set(sharedRate, shared))
}

const status = (exit: Exit.Exit<{ readonly status: number }, unknown>): string =>
  exit._tag === "Success" ? String(exit.value.status) : "none"

/**
 * Sends one request in a span. Records its duration by operation and status, without the wait for its turn.
 *
 * @param shared requests per second of all hosts that share the account's rate
 */
export const asRequest = <A extends { readonly status: number }, E, R>(
  operation: Operation,
  method: TransportRequest["method"],
  request: Effect.Effect<A, E, R>,
  shared?: number,
): Effect.Effect<A, E, R> =>
  Effect.flatMap(FiberRef.get(telemetryOn), (on) => {
    if (!on) return request
    const observed = Effect.flatMap(Effect.clock, (clock) =>
      Effect.suspend(() => {
        const from = clock.unsafeCurrentTimeNanos()
        return Effect.onExit(request, (exit) =>
          Effect.all([
            pace(clock.unsafeCurrentTimeMillis(), shared),
            Metric.update(
              durations.pipe(
                Metric.tagged("operation", operation),
                Metric.tagged("status", status(exit)),
                Metric.tagged("unit", "s"),
              ),
              Number(clock.unsafeCurrentTimeNanos() - from) / 1e9,
            ),
            exit._tag === "Success"
              ? Effect.annotateCurrentSpan("http.response.status_code", exit.value.status)
              : Effect.void,
          ], { discard: true }))
      }))
    return traced("request", { "formferry.operation": operation, "http.request.method": method }, observed, "client")
  })
