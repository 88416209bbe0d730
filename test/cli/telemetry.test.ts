// Tests what a run exports to a collector over real HTTP. Neither the exports nor the log may contain data of a row, an
// answer or a key.
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { telemetrySettings } from "../../src/cli/telemetrySettings.ts"
import { hearing } from "../notify/webhooks.ts"
import { quickly } from "../quickly.ts"
import { world } from "../run/world.ts"
import { pointsOf } from "./exportedMetrics.ts"
import { command } from "./inProcess.ts"

interface Span {
  readonly name: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly status: { readonly code: number; readonly message?: string }
  readonly events: ReadonlyArray<unknown>
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: Record<string, unknown> }>
}

const spansOf = (bodies: ReadonlyArray<string>): ReadonlyArray<Span> =>
  bodies.flatMap((body) =>
    JSON.parse(body).resourceSpans.flatMap((one: { scopeSpans: ReadonlyArray<{ spans: ReadonlyArray<Span> }> }) =>
      one.scopeSpans.flatMap(({ spans }) => spans)
    )
  )

/** Returns the last value of each metric, by name and tags. */
const metricsOf = (bodies: ReadonlyArray<string>): ReadonlyMap<string, number> =>
  new Map(
    // Other tests may have run other pipelines in this process.
    pointsOf(bodies).filter(({ tags }) => (tags["pipeline"] ?? "people") === "people").map(({ name, tags, value }) => {
      const own = Object.entries(tags).flatMap(([key, tag]) => key === "unit" || key === "pipeline" ? [] : [tag])
      return [[name, ...own.toSorted()].join(" "), value]
    }),
  )

const attribute = (span: Span | undefined, name: string): unknown => {
  const value = span?.attributes.find(({ key }) => key === name)?.value
  return value === undefined ? undefined : Object.values(value)[0]
}

describe("the telemetry of a run", () => {
  it.scopedLive("a run's telemetry contains the run, its phases, batches and requests, and no data of rows", () =>
    Effect.gen(function*() {
      const here = yield* world
      const collector = yield* hearing()
      const env = {
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=a%20b",
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test",
      }
      const formferry = (...words: ReadonlyArray<string>) =>
        quickly(command([...words, "--project", here.root, "--log-format", "json", "--log-level", "all"], env))
      yield* here.settings({ sink: ", canary: 2" })
      yield* here.source([
        ...Array.from({ length: 14 }, (_, at) => `KEY-${at},Marker Ada ${at},marker${at}@example.org`),
        "KEY-90,Marker Bob,marker at nowhere",
      ])
      // The service's own message repeats the sent values.
      const body = JSON.stringify({ message: "Marker Ada 0 with marker0@example.org is no good" })
      here.fail("POST", { status: 429, body, headers: { "retry-after": "0" } }, { status: 400, body })
      const bodies = (path: string) => collector.heard.filter((one) => one.path === path).map((one) => one.body)
      // The metrics of a process also count what other tests did in it, such as simulated runs that take over locks.
      yield* formferry("reconcile", "people")
      const before = metricsOf(bodies("/v1/metrics"))
      const ran = yield* formferry("run", "people")
      const again = yield* formferry("reconcile", "people")
      yield* here.source(["KEY-0,Marker Ada 0,marker0@example.org", 'KEY-1,"Marker'])
      const broken = yield* formferry("run", "people")
      here.fail("POST", { status: 401, body }, { status: 401, body })
      yield* here.source(["KEY-100,Marker Eve,marker@example.org"])
      const refused = yield* formferry("run", "people")
      expect([ran.status, again.status, refused.status]).toEqual([1, 0, 5])

      const spans = spansOf(bodies("/v1/traces"))
      const metrics = metricsOf(bodies("/v1/metrics"))
      expect(new Set(collector.heard.map(({ path }) => path))).toEqual(new Set(["/v1/traces", "/v1/metrics"]))
      expect(collector.heard[0]?.headers["x-tenant"]).toBe("a b")
      expect(bodies("/v1/traces")[0]).toContain("deployment.environment")

      const names = new Set(spans.map(({ name }) => name))
      for (const name of ["run", "check", "survey", "canary", "batch", "request", "read back", "report", "reconcile"]) {
        expect(names).toContain(name)
      }
      const parentOf = (span: Span | undefined) => spans.find(({ spanId }) => spanId === span?.parentSpanId)
      const create = spans.find((span) => attribute(span, "formferry.operation") === "create")
      const way = [create, parentOf(create), parentOf(parentOf(create)), parentOf(parentOf(parentOf(create)))]
      expect(way.map((span) => span?.name)).toEqual(["request", "batch", "canary", "run"])
      expect(attribute(create, "http.response.status_code")).toBe(429)
      expect(attribute(spans.find(({ name }) => name === "run"), "formferry.exit_code")).toBe(ran.status)

      const counted = (name: string) => (metrics.get(name) ?? 0) - (before.get(name) ?? 0)
      expect(counted("formferry.request.duration 401 create")).toBe(1)
      expect(metrics.get("formferry.rows invalid run")).toBeGreaterThan(0)
      expect(metrics.get("formferry.lease.held")).toBe(0)
      expect(metrics.get("formferry.lease.age")).toBe(0)
      expect(counted("formferry.lease.takeovers")).toBe(0)
      expect(counted("formferry.runs complete reconcile")).toBe(1)
      expect([...metrics.keys()].filter((name) => !name.startsWith("formferry."))).toEqual([])

      // Every log line is a separate object.
      const lines = [ran, again, broken, refused].flatMap(({ err }) =>
        err.trimEnd().split("\n").filter((one) => one !== "")
      )
      expect(lines.length).toBeGreaterThan(0)
      for (const line of lines) {
        expect(JSON.parse(line)).toMatchObject({ logLevel: expect.any(String), message: expect.any(String) })
      }

      const all = [...collector.heard.map(({ body, headers }) => `${JSON.stringify(headers)}${body}`), ...lines]
      for (const text of all) expect(text).not.toMatch(/marker|KEY-\d|practice_key/i)
      expect(spans.every(({ events, status }) => events.length === 0 && status.message === undefined)).toBe(true)
    }).pipe(Effect.provide(NodeContext.layer)))
})

it.scopedLive("telemetry is exported as protobuf by default, and still contains no personal data", () =>
  Effect.gen(function*() {
    const here = yield* world
    const collector = yield* hearing()
    yield* here.source(["KEY-1,Marker Ada,marker@example.org", "KEY-2,Marker Bob,marker at nowhere"])
    const { status } = yield* command(["run", "people", "--project", here.root], {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
      OTEL_METRICS_EXPORTER: "none",
    })
    expect(status).toBe(1)
    expect(collector.heard.map(({ headers, path }) => [path, headers["content-type"]])).toEqual([
      ["/v1/traces", "application/x-protobuf"],
    ])
    expect(collector.heard[0]?.body).toContain("formferry.pipeline")
    expect(collector.heard[0]?.body).not.toMatch(/marker|KEY-\d|practice_key/i)
  }).pipe(Effect.provide(NodeContext.layer)))

describe("the standard OTEL_* variables", () => {
  const on = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" }

  it("no exporter is loaded if the standard variables are unset, disable telemetry or set the exporters to none", () => {
    expect(telemetrySettings({})).toBeUndefined()
    expect(telemetrySettings({ ...on, OTEL_SDK_DISABLED: "TRUE" })).toBeUndefined()
    expect(telemetrySettings({ ...on, OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" })).toBeUndefined()
  })

  it("the standard variables set one endpoint for all signals, one for each signal, or OTLP's default endpoint", () => {
    expect(telemetrySettings(on)).toMatchObject({
      serviceName: "formferry",
      traces: { url: "http://collector:4318/v1/traces" },
      metrics: { url: "http://collector:4318/v1/metrics" },
    })
    expect(telemetrySettings({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://t/x", OTEL_SERVICE_NAME: "nightly" }))
      .toMatchObject({ serviceName: "nightly", traces: { url: "http://t/x" }, metrics: undefined })
    expect(telemetrySettings({ OTEL_METRICS_EXPORTER: "otlp" })?.metrics?.url).toBe("http://localhost:4318/v1/metrics")
  })

  it("an unsupported value of a standard variable causes a warning", () => {
    const told = telemetrySettings({ ...on, OTEL_TRACES_EXPORTER: "zipkin", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" })
    expect(told?.warnings).toEqual([
      expect.stringContaining("OTEL_TRACES_EXPORTER is zipkin"),
      expect.stringContaining("OTEL_EXPORTER_OTLP_PROTOCOL is grpc"),
    ])
  })
})
