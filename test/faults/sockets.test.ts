// Tests the promise over real sockets, with the real job, files and ledger. There are fewer cases than in the
// simulation.
import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { runPipeline } from "../../src/jobs/run.ts"
import { settlePipeline } from "../../src/jobs/settle.ts"
import { Database } from "../../src/ledger/sqlite/database.ts"
import { serve } from "../../src/practice/PracticeService.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { type Fault, planned } from "../practice/faults.ts"
import { projectFolder } from "../project/projectFolder.ts"
import { inFasterTime } from "../quickly.ts"
import { unattended } from "../run/unattended.ts"
import { ledgerRows } from "./ledgerOnDisk.ts"
import { hasTelemetry, observed } from "./observed.ts"
import { form, pipelineYaml } from "./pipeline.ts"
import { Truth } from "./truth.ts"

/** The rows are sent in twelve batches of five. */
const rows = Array.from({ length: 60 }, (_, index) => ({
  no: String(index + 1),
  name: `Person ${index + 1}`,
  mail: `p${index + 1}@example.org`,
  amount: String(index),
  note: "",
}))

const cases: Readonly<Record<string, ReadonlyArray<Fault>>> = {
  "lost answers": [{ fault: "reset", when: "after", at: [3, 7] }],
  "lost requests": [{ fault: "reset", when: "before", at: [2, 5] }],
  "kept-alive connections that end": [{ fault: "reset-kept-alive", chance: 0.2 }],
  "missing answers": [{ fault: "unanswered", when: "after", at: [2] }, {
    fault: "unanswered",
    when: "before",
    at: [4],
  }],
  "truncated answers": [{ fault: "cut", on: "any", chance: 0.1 }],
  "errors of a proxy before and after the create": [
    { fault: "status", status: 502, body: "html", when: "after", at: [3] },
    { fault: "status", status: 503, body: "html", when: "before", at: [6] },
    { fault: "html", when: "after", at: [8] },
  ],
  "a service that is unavailable for a while": [{ fault: "refuse", for: Duration.seconds(3), at: [2, 6] }],
  "a service that throttles requests": [{
    fault: "throttled",
    retryAfter: "seconds",
    wait: Duration.millis(0),
    chance: 0.2,
  }],
  "shuffled, missing and extra answers": [
    { fault: "too-few", by: 2, created: true, at: [3] },
    { fault: "too-many", by: 1, at: [5] },
    { fault: "shuffled" },
  ],
  "submissions that are visible later": [{ fault: "invisible", for: Duration.seconds(6), chance: 0.3 }],
}

for (const [at, [name, faults]] of Object.entries(cases).entries()) {
  const telemetry = hasTelemetry(at)
  const how = telemetry ? "with telemetry" : "without telemetry"
  it.scopedLive(`no row is lost or doubled with ${name} ${how}, and every row is in the form once after rows in doubt are settled`, () =>
    Effect.gen(function*() {
      let spans = 0
      const truth = new Truth()
      truth.know(rows)
      const practice = yield* serve({
        forms: [form],
        port: 0,
        store: truth.store,
        apiKey: Redacted.make("practice_key_over_sockets"),
        faults: planned({ seed: 5, faults }),
      })
      const root = yield* projectFolder({
        "config/formferry.yaml":
          `services: { live: { baseUrl: ${practice.baseUrl}, apiKey: { env: THE_KEY }, requestsPerSecond: 1000, timeout: 500 millis, confirm: false } }\n`,
        ".env": "THE_KEY=practice_key_over_sockets\n",
        "pipelines/people.yaml": pipelineYaml.replace("visibleWithin: 20 seconds", "visibleWithin: 10 seconds")
          .replace("form: people,", "form: people, canary: off, batchSize: 5, stopWhen: { inDoubt: 1000 },"),
        "source.csv": `No,Name,Mail,Amount,Note\n${
          rows.map(({ amount, mail, name, no }) => `${no},${name},${mail},${amount},\n`).join("")
        }`,
      })
      const project = yield* loadProject(root)
      const reader = yield* Effect.acquireRelease(
        Effect.sync(() => {
          let db: Database | undefined
          return {
            rows: (key?: string) => ledgerRows(db ??= new Database(project.ledger.name), key),
            close: () => db?.close(),
          }
        }),
        (opened) => Effect.sync(() => opened.close()),
      )
      truth.rowOf = (key) => reader.rows(key)[0]
      const run = Effect.gen(function*() {
        const running = runPipeline(project, {
          pipeline: "people",
          ...unattended,
        })
        const report = yield* (telemetry ? observed(running, (span) => spans += span === "request" ? 1 : 0) : running)
        // The simulation checks which rows are in doubt. This test checks how they are settled.
        for (const { key, state } of reader.rows()) if (state === "inDoubt") truth.ambiguous.add(key)
        truth.compare(reader.rows(), false, false)
        expect(truth.violations).toEqual([])
        expect(report.balance.holds).toBe(true)
        return report
      })
      let report = yield* run
      // A service that was unavailable for too long leaves rows for the next run.
      for (let times = 0; times < 5 && report.rows.pending > 0; times++) report = yield* run
      expect(report.rows.pending).toBe(0)
      if (report.rows.inDoubt > 0) {
        expect(report.exitCode).toBe(4)
        yield* Effect.sleep("11 seconds")
        const answer = yield* Effect.promise(() => fetch(`${practice.results}/people/csv`))
        const results = join(root, "results.csv")
        writeFileSync(results, Buffer.from(yield* Effect.promise(() => answer.arrayBuffer())))
        const settled = yield* settlePipeline(project, {
          pipeline: "people",
          to: undefined,
          evidence: { _tag: "Export", file: results, isComplete: true },
          by: "the test",
          because: "it is the download of all that the service has",
        })
        const byTruth = settled.rows.filter(({ key, outcome }) =>
          outcome !== (truth.count(key) > 0 ? "landed" : "not landed")
        )
        expect(byTruth.filter(({ outcome }) => outcome !== "in doubt")).toEqual([])
        if (settled.left > 0) {
          // The service reported an id that it never returned, so the export is incomplete and a person decides.
          yield* settlePipeline(project, {
            pipeline: "people",
            to: undefined,
            evidence: { _tag: "Person", landed: false, which: { _tag: "All" } },
            by: "the test",
            because: "they are not in the results",
          })
          expect(byTruth.map(({ key }) => truth.count(key))).toEqual(byTruth.map(() => 0))
        }
        for (let times = 0; times < 5 && (times === 0 || report.rows.pending + report.rows.inDoubt > 0); times++) {
          report = yield* run
        }
      }
      expect(rows.map(({ no }) => truth.count(no))).toEqual(rows.map(() => 1))
      expect(report.rows).toMatchObject({ read: 60, pending: 0, inDoubt: 0 })
      // At least the creates and the reads of all rows.
      if (telemetry) expect(spans).toBeGreaterThan(rows.length)
    }).pipe(inFasterTime, Effect.provide(NodeContext.layer)))
}
