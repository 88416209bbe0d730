import { percentDecoded } from "../domain/destination.ts"

/** The collector for traces or for metrics. */
interface Exported {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Milliseconds between two exports. */
  readonly every: number
}

/** The settings in OpenTelemetry's standard variables. */
export interface TelemetrySettings {
  readonly serviceName: string
  /** The resource's attributes, as OTEL_RESOURCE_ATTRIBUTES gives them. */
  readonly attributes: Readonly<Record<string, string>>
  readonly protocol: "http/protobuf" | "http/json"
  readonly traces: Exported | undefined
  readonly metrics: Exported | undefined
  /** Settings that can't be applied, as sentences. */
  readonly warnings: ReadonlyArray<string>
}

type Variables = Readonly<Record<string, string | undefined>>

const standardEndpoint = "http://localhost:4318"

/** Parses `a=1,b=2` with percent-encoded values, as in W3C baggage. */
const pairs = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split(",").flatMap((pair) => {
      const at = pair.indexOf("=")
      if (at <= 0) return []
      return [[pair.slice(0, at).trim(), percentDecoded(pair.slice(at + 1).trim())] as const]
    }),
  )

/**
 * Returns the settings in the standard OTEL_* variables of a process. Undefined if they request nothing, so that no telemetry code is loaded. Traces
 * or metrics are requested if they have an endpoint, or the exporter `otlp`.
 */
export const telemetrySettings = (env: Variables): TelemetrySettings | undefined => {
  const read = (name: string): string | undefined => {
    const value = env[name]?.trim()
    return value === "" ? undefined : value
  }
  if (read("OTEL_SDK_DISABLED")?.toLowerCase() === "true") return undefined
  const endpoint = read("OTEL_EXPORTER_OTLP_ENDPOINT")
  const warnings: Array<string> = []
  const kind = (name: "TRACES" | "METRICS", path: string, every: number): Exported | undefined => {
    const exporter = read(`OTEL_${name}_EXPORTER`)
    const own = read(`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`)
    if (exporter === "none" || (exporter === undefined && endpoint === undefined && own === undefined)) return undefined
    if (exporter !== undefined && exporter !== "otlp") {
      warnings.push(
        `OTEL_${name}_EXPORTER is ${exporter}, but only otlp and none are supported. No ${name.toLowerCase()} are exported.`,
      )
      return undefined
    }
    const url = own ?? `${(endpoint ?? standardEndpoint).replace(/\/+$/, "")}/${path}`
    if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
      warnings.push(
        `The endpoint for OTEL_EXPORTER_OTLP_${name} is not an http or https address. No ${name.toLowerCase()} are exported.`,
      )
      return undefined
    }
    return {
      url,
      headers: pairs(read(`OTEL_EXPORTER_OTLP_${name}_HEADERS`) ?? read("OTEL_EXPORTER_OTLP_HEADERS") ?? ""),
      every,
    }
  }
  const millis = (name: string, standard: number): number => {
    const value = Number(read(name) ?? NaN)
    return Number.isFinite(value) && value > 0 ? value : standard
  }
  const traces = kind("TRACES", "v1/traces", millis("OTEL_BSP_SCHEDULE_DELAY", 5_000))
  const metrics = kind("METRICS", "v1/metrics", millis("OTEL_METRIC_EXPORT_INTERVAL", 60_000))
  if (traces === undefined && metrics === undefined && warnings.length === 0) return undefined
  const protocol = read("OTEL_EXPORTER_OTLP_PROTOCOL") ?? "http/protobuf"
  if (protocol !== "http/protobuf" && protocol !== "http/json") {
    warnings.push(
      `OTEL_EXPORTER_OTLP_PROTOCOL is ${protocol}, but only http/protobuf and http/json are supported. http/protobuf is used.`,
    )
  }
  const attributes = pairs(read("OTEL_RESOURCE_ATTRIBUTES") ?? "")
  return {
    serviceName: read("OTEL_SERVICE_NAME") ?? attributes["service.name"] ?? "formferry",
    attributes,
    protocol: protocol === "http/json" ? "http/json" : "http/protobuf",
    traces,
    metrics,
    warnings,
  }
}
