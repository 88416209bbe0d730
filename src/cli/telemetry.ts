import * as OtlpMetrics from "@effect/opentelemetry/OtlpMetrics"
import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import * as OtlpTracer from "@effect/opentelemetry/OtlpTracer"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { version } from "../project/version.ts"
import { spanAttributes, telemetryOn } from "../service/telemetry.ts"
import type { TelemetrySettings } from "./telemetrySettings.ts"

interface KeyValue {
  readonly key: string
  readonly value: { readonly stringValue?: string | null }
}

interface ExportedSpan {
  readonly attributes: ReadonlyArray<KeyValue>
  readonly events: ReadonlyArray<{ readonly name: string; readonly attributes: ReadonlyArray<KeyValue> }>
  readonly status: { readonly code: number }
}

interface TraceData {
  readonly resourceSpans: ReadonlyArray<
    { readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<ExportedSpan> }> }
  >
}

interface MetricData {
  readonly resourceMetrics: ReadonlyArray<
    { readonly scopeMetrics: ReadonlyArray<{ readonly metrics: ReadonlyArray<{ readonly name: string }> }> }
  >
}

const known: ReadonlySet<string> = new Set(spanAttributes)

/** Returns the class of the error that ended a span, never its message, which may repeat a cell. */
const errorType = ({ events }: ExportedSpan): ReadonlyArray<KeyValue> => {
  const exception = events.find(({ name }) => name === "exception")
  const type = exception?.attributes.find(({ key }) => key === "exception.type")?.value.stringValue ?? ""
  return exception === undefined
    ? []
    : [{ key: "error.type", value: { stringValue: /^[A-Za-z]{1,60}$/.test(type) ? type : "Error" } }]
}

/** Removes everything but formferry's own attributes. Events would contain the messages of errors and logs. */
const withoutWords = (span: ExportedSpan): ExportedSpan => ({
  ...span,
  attributes: [...span.attributes.filter(({ key }) => known.has(key)), ...errorType(span)],
  events: [],
  status: { code: span.status.code },
})

const safeTraces = ({ resourceSpans }: TraceData): TraceData => ({
  resourceSpans: resourceSpans.map((resource) => ({
    ...resource,
    scopeSpans: resource.scopeSpans.map((scope) => ({ ...scope, spans: scope.spans.map(withoutWords) })),
  })),
})

const safeMetrics = ({ resourceMetrics }: MetricData): MetricData => ({
  resourceMetrics: resourceMetrics.map((resource) => ({
    ...resource,
    scopeMetrics: resource.scopeMetrics.map((scope) => ({
      ...scope,
      metrics: scope.metrics.filter(({ name }) => name.startsWith("formferry.")),
    })),
  })),
})

const serialization = (protocol: TelemetrySettings["protocol"]) =>
  Layer.map(
    protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf,
    (services) => {
      const inner = Context.get(services, OtlpSerialization.OtlpSerialization)
      return Context.make(OtlpSerialization.OtlpSerialization, {
        traces: (data) => inner.traces(safeTraces(data as TraceData)),
        metrics: (data) => inner.metrics(safeMetrics(data as MetricData)),
        logs: inner.logs,
      })
    },
  )

/**
 * Exports traces and metrics over OTLP during the work, as the standard OTEL_* variables specify. The work keeps the services and configuration of
 * the caller. An unreachable collector delays the end by a few seconds.
 */
export const withTelemetry = <A, E, R>(
  { attributes, metrics, protocol, serviceName, traces }: TelemetrySettings,
  work: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> => {
  const resource = { serviceName, serviceVersion: version, attributes }
  const exporters = Effect.gen(function*() {
    if (metrics !== undefined) {
      yield* OtlpMetrics.make({ resource, url: metrics.url, headers: metrics.headers, exportInterval: metrics.every })
    }
    return traces === undefined
      ? undefined
      : yield* OtlpTracer.make({ resource, url: traces.url, headers: traces.headers, exportInterval: traces.every })
  }).pipe(
    // The headers may contain a token that is meant only for this collector.
    Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
    // Hides the variables from the library, which would read them again with fewer checks.
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map())),
  )
  const needed = Layer.build(Layer.merge(serialization(protocol), FetchHttpClient.layer))
  const started = Effect.flatMap(needed, (context) => Effect.provide(exporters, context))
  return Effect.scoped(Effect.flatMap(started, (tracer) => {
    const observed = Effect.locally(work, telemetryOn, true)
    return tracer === undefined ? observed : Effect.withTracer(observed, tracer)
  }))
}
