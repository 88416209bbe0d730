import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { hearing } from "../notify/webhooks.ts"
import { bench, csv, upTo } from "./contacts.ts"
import { formferry } from "./formferry.ts"

it.scopedLive(
  "OTEL_* variables don't change how a run finds its key and webhook, or which requests it sends",
  () =>
    Effect.gen(function*() {
      const collector = yield* hearing()
      const run = (env: Readonly<Record<string, string>>) =>
        Effect.gen(function*() {
          const { folder, read, report, write } = yield* bench()
          const webhook = yield* hearing()
          write("config/formferry.yaml", `${read("config/formferry.yaml")}notify:\n  - webhook: { env: HOOK }\n`)
          // Row 30 is invalid and needs review, so the webhook is notified.
          write("source.csv", `${csv(upTo(29))}30,Person 30,nobody,1990-01-17\n`)
          const HOOK = `http://127.0.0.1:${webhook.port}/hook`
          const { status, stderr } = yield* formferry(["run", "contacts"], { cwd: folder, env: { HOOK, ...env } })
          return { status, stderr, requests: report().requests, told: webhook.heard.length }
        })
      const without = yield* run({})
      const withTelemetry = yield* run({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}` })
      expect(without.status, without.stderr).toBe(1)
      expect(withTelemetry.status, withTelemetry.stderr).toBe(1)
      expect([without.told, withTelemetry.told]).toEqual([1, 1])
      expect(without.requests).toEqual({ metadata: 1, create: 3, read: 29, retried: 0, throttled: 0 })
      expect(withTelemetry.requests).toEqual(without.requests)
      expect(new Set(collector.heard.map(({ path }) => path))).toEqual(new Set(["/v1/traces", "/v1/metrics"]))
    }),
  60_000,
)
