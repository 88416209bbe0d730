// Tests webhooks over real HTTP: when notifications are sent, and what they contain. They contain no data of a row.
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Logger, Redacted } from "effect"
import type { AnomalyCode, RunFacts } from "../../src/domain/anomaly.ts"
import type { Anomaly } from "../../src/domain/report.ts"
import { checkProject } from "../../src/jobs/check.ts"
import { notifyWebhooks } from "../../src/jobs/notifyWebhooks.ts"
import { failed, type Notification, reported } from "../../src/notify/Notification.ts"
import { unreportedAnomalies } from "../../src/notify/unreportedAnomalies.ts"
import { postWebhook } from "../../src/notify/webhook.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { exampleReport } from "../report/exampleReport.ts"
import { live, world } from "../run/world.ts"
import { hearing } from "./webhooks.ts"

const end = { pipeline: "people", exitCode: 2, error: "SourceError", at: "2026-01-01T00:00:00Z" }

const told: Notification = failed(end)

const quick = {
  retries: { attempts: 3, base: Duration.millis(1), max: Duration.millis(2) },
  timeout: Duration.seconds(2),
  whole: Duration.seconds(5),
}

/** Runs `work` and returns the log lines that it writes. */
const logged = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const logger = Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))
    return Effect.as(Effect.provide(work, Logger.replace(Logger.defaultLogger, logger)), lines)
  })

describe("notifying a webhook", () => {
  it.scopedLive("a notification is retried after a temporary failure, and not after a permanent one", () =>
    Effect.gen(function*() {
      const busy = yield* hearing([503, 429, 200])
      yield* postWebhook(Redacted.make(`http://127.0.0.1:${busy.port}/s3cret`), told, quick)
      expect(busy.heard.map(({ method, path }) => `${method} ${path}`)).toEqual(Array(3).fill("POST /s3cret"))
      const gone = yield* hearing([404])
      const error = yield* Effect.flip(postWebhook(Redacted.make(`http://127.0.0.1:${gone.port}/s3cret`), told, quick))
      expect(gone.heard.length).toBe(1)
      expect(error.message).toBe(`The webhook at 127.0.0.1:${gone.port} could not be notified: it answered 404.`)
    }))

  it.scopedLive("a notification is repeated after the time that the webhook asks to wait, unless that is too long", () =>
    Effect.gen(function*() {
      const post = (port: number) =>
        postWebhook(Redacted.make(`http://127.0.0.1:${port}/`), told, {
          ...quick,
          timeout: Duration.millis(500),
          whole: Duration.millis(1_700),
        })
      const busy = yield* hearing([429, 200], { "retry-after": "1" })
      const [passed] = yield* Effect.timed(post(busy.port))
      expect(Duration.toMillis(passed)).toBeGreaterThan(1_000)
      const closed = yield* hearing([429], { "retry-after": "3600" })
      const error = yield* Effect.flip(post(closed.port))
      expect([closed.heard.length, error.message]).toEqual([1, expect.stringContaining("it answered 429")])
      // Two such waits are longer than all attempts together may take.
      const again = yield* hearing([429], { "retry-after": "1" })
      expect((yield* Effect.flip(post(again.port))).message).toContain("it answered 429")
    }))

  it.scopedLive("a notification does not follow a redirect to a different address", () =>
    Effect.gen(function*() {
      const elsewhere = yield* hearing()
      const moved = yield* hearing([307], { location: `http://127.0.0.1:${elsewhere.port}/` })
      const error = yield* Effect.flip(postWebhook(Redacted.make(`http://127.0.0.1:${moved.port}/`), told, quick))
      expect(error.message).toContain("answered 307")
      expect([moved.heard.length, elsewhere.heard.length]).toEqual([1, 0])
    }))

  it.scopedLive("a notification to an unreachable webhook fails with an error that doesn't contain the secret path", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(postWebhook(Redacted.make("http://127.0.0.1:1/s3cret"), told, quick))
      expect(error.message).toBe("The webhook at 127.0.0.1:1 could not be notified: the connection failed.")
    }))
})

const anomaly: Anomaly = {
  code: "shrunken-source",
  sentence: "The source contains 3 rows, but contained 90.",
  fresh: true,
}

it("a notification contains a text for people, with Slack markup in names escaped", () => {
  const report = exampleReport({ pipeline: "people", form: { service: "live", id: "f", name: "A <b> & C" } })
  const { text } = reported(report, [{ code: "shrunken-source", message: anomaly.sentence, new: true }])
  expect(text).toContain("*people* → A &lt;b&gt; &amp; C (live)")
  expect(text).toContain("New: The source contains 3 rows")
  expect(text).toContain("Rows need review")
  expect(reported({ ...report, needReview: 0 }, []).text).toContain("Needs your decision")
  expect(text).toContain(`${report.rows.imported.toLocaleString("en-US")} imported`)
})

describe("unreportedAnomalies", () => {
  const facts = (run: string, ...anomalies: ReadonlyArray<AnomalyCode>): RunFacts => ({
    run,
    startedAt: "2026-01-01T00:00:00.000Z",
    duration: 1_000,
    whole: true,
    partial: false,
    unchanged: false,
    read: 10,
    invalid: 0,
    sent: 0,
    shared: 0,
    alreadyKnown: 10,
    vanished: { count: 0, fresh: 0 },
    anomalies,
  })
  const slow: Anomaly = { code: "slow-run", sentence: "It took an hour.", fresh: true }

  it("unreportedAnomalies returns the anomalies that started since the last notification, including those of unreported runs", () => {
    const history = [facts("c"), facts("b", "empty-source"), facts("a", "vanished")]
    const { anomalies, codes } = unreportedAnomalies({ codes: ["vanished"], run: "a" }, history, {
      anomalies: [slow],
      whole: true,
    })
    expect(anomalies.map(({ code, new: news }) => [code, news])).toEqual([["slow-run", true], ["empty-source", true]])
    expect(codes).toEqual(["slow-run"])
  })

  it("unreportedAnomalies marks an anomaly as new if it recurs, but not if it lasts", () => {
    const lasting = unreportedAnomalies({ codes: ["slow-run"], run: "a" }, [facts("a")], {
      anomalies: [slow],
      whole: true,
    })
    expect(lasting.anomalies.map((one) => one.new)).toEqual([false])
    const back = unreportedAnomalies({ codes: ["slow-run"], run: "a" }, [facts("b"), facts("a", "slow-run")], {
      anomalies: [slow],
      whole: true,
    })
    expect(back.anomalies.map((one) => one.new)).toEqual([true])
  })

  it("unreportedAnomalies returns all anomalies for a new webhook, and none counts as ended after a run that did not read its source", () => {
    expect(unreportedAnomalies(undefined, [facts("a", "vanished")], { anomalies: [slow], whole: true }).anomalies)
      .toHaveLength(1)
    const stopped = unreportedAnomalies({ codes: ["slow-run"], run: "a" }, [facts("a", "slow-run")], {
      anomalies: [],
      whole: false,
    })
    expect(stopped).toEqual({ anomalies: [], codes: ["slow-run"] })
  })
})

describe("the webhooks of a project", () => {
  const notify = (on: string) =>
    `notify:\n  - { webhook: { env: HOOK }, on: [${on}] }\n  - { webhook: { file: ../hook }, on: [degraded] }\n`

  live(
    "a project's webhooks receive the result of a real run without any row data, and each anomaly only once",
    Effect.gen(function*() {
      const here = yield* world
      const hook = yield* hearing()
      const address = `http://127.0.0.1:${hook.port}`
      yield* here.configure(notify("attention"))
      yield* here.write(".env", `THE_KEY=practice_key_of_the_test\nHOOK=${address}/first-s3cret\n`)
      yield* here.write("hook", `${address}/second-s3cret\n`)
      yield* here.source(["KEY-7,Marker Ada,marker@example.org", "KEY-8,Marker Bob,marker at nowhere"])
      const report = yield* here.run()
      expect(report.outcome).toBe("attention")
      const project = yield* loadProject(here.root)
      const tell = (anomalies: ReadonlyArray<Anomaly>) =>
        notifyWebhooks(project, { _tag: "Reported", pipeline: "people", report: { ...report, anomalies } }, quick)

      yield* tell([anomaly])
      expect(hook.heard.map(({ path }) => path).toSorted()).toEqual(["/first-s3cret", "/second-s3cret"])
      const body: Notification = JSON.parse(hook.heard[0]?.body ?? "")
      expect(body).toMatchObject({
        event: "attention",
        pipeline: "people",
        run: report.run,
        mode: "run",
        outcome: "attention",
        exitCode: 1,
        rows: { read: 2, imported: 1, invalid: 1 },
        readBack: { verified: 1 },
        problems: [{ code: "not-an-email", count: 1 }],
        anomalies: [{ code: "shrunken-source", new: true }],
        next: report.next,
      })
      for (const { body, headers } of hook.heard) {
        expect(body).not.toMatch(/marker|KEY-|practice_key|s3cret/i)
        expect(headers["content-type"]).toBe("application/json")
        expect(headers["traceparent"]).toBeUndefined()
      }

      // A lasting anomaly is not new, so only the webhook for the outcome is notified.
      yield* tell([{ ...anomaly, fresh: false }])
      expect(hook.heard.map(({ path }) => path).slice(2)).toEqual(["/first-s3cret"])

      // A dry run doesn't notify webhooks, because a person is watching it.
      const dry = yield* here.run({ dryRun: true })
      const ended = { _tag: "Reported", pipeline: "people", report: { ...dry, anomalies: [anomaly] } } as const
      yield* notifyWebhooks(project, ended, quick)
      expect(hook.heard.length).toBe(3)
    }),
  )

  live(
    "a webhook that was down during an anomaly receives it once, after the next run",
    Effect.gen(function*() {
      const here = yield* world
      const hook = yield* hearing([500, 500, 500, 200])
      yield* here.configure("notify:\n  - { webhook: { env: HOOK }, on: [degraded] }\n")
      yield* here.write(".env", `THE_KEY=practice_key_of_the_test\nHOOK=http://127.0.0.1:${hook.port}/\n`)
      const project = yield* loadProject(here.root)
      /** Runs the pipeline and notifies the webhook. */
      const night = (rows: ReadonlyArray<string>) =>
        Effect.gen(function*() {
          yield* here.source(rows)
          const report = yield* here.run()
          const lines = yield* logged(
            notifyWebhooks(project, { _tag: "Reported", pipeline: "people", report }, quick),
          )
          return { report, lines }
        })
      yield* night(["K-1,Ada,ada@example.org"])
      expect(hook.heard.length).toBe(0)
      const empty = yield* night([])
      expect(empty.report.anomalies?.map(({ code }) => code)).toEqual(["empty-source"])
      expect(empty.lines.join()).toContain(
        "could not be notified: it answered 500. The run of people is not affected.",
      )
      expect(hook.heard.length).toBe(3)

      // The rows are back, and the webhook works again.
      yield* night(["K-1,Ada,ada@example.org"])
      expect(hook.heard.length).toBe(4)
      const late: Notification = JSON.parse(hook.heard[3]?.body ?? "")
      expect(late).toMatchObject({ event: "complete", anomalies: [{ code: "empty-source", new: true }] })
      expect(late.anomalies[0]?.message).toContain(empty.report.run)

      yield* night(["K-1,Ada,ada@example.org", "K-2,Bob,bob@example.org"])
      expect(hook.heard.length).toBe(4)
      // An anomaly that recurs is new, but webhooks are notified only once while it lasts.
      yield* night([])
      yield* night([])
      expect(hook.heard.length).toBe(5)
    }),
  )

  live(
    "a webhook without an address stops no run, but `check` reports it",
    Effect.gen(function*() {
      const here = yield* world
      yield* here.configure(notify("failed"))
      yield* here.write("hook", "ftp://example.org/s3cret\n")
      const { diagnostics } = yield* checkProject(here.root, [])
      expect(diagnostics.map(({ message }) => message)).toEqual([
        "HOOK is not set: it is not notified of how runs end.",
        expect.stringContaining("begins with neither https:// nor http://localhost"),
      ])
      expect(diagnostics.map(({ file }) => file)).toEqual(["config/formferry.yaml", "config/formferry.yaml"])
      const project = yield* loadProject(here.root)
      const lines = yield* logged(
        notifyWebhooks(project, { _tag: "Failed", ...end, message: "secret" }, quick),
      )
      expect(lines).toHaveLength(1)
      expect(lines[0]).toContain("config/formferry.yaml:8: HOOK is not set")
      expect(lines.join()).not.toContain("s3cret")
    }),
  )
})
