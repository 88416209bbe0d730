import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { start, until } from "./formferry.ts"

const scheduled = (cron: string, options: Parameters<typeof pipelineYaml>[0] = {}) =>
  pipelineYaml({ ...options, more: `schedule: { cron: "${cron}", zone: Europe/Berlin }\n` })

it.scopedLive("schedule --once runs due pipelines only once, --plan and status show the next time, and a probe checks the last good run", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(20)))
    at.write("pipelines/contacts.yaml", scheduled("0 2 * * *"))
    const probe = yield* at.exits(1, "status", "--max-age", "26h")
    expect(probe.stdout).toContain("contacts has never had a good run.")

    // Two processes start at the same time, and one of them runs the pipeline.
    const both = yield* Effect.all([at.run("schedule", "--once"), at.run("schedule", "--once")], { concurrency: 2 })
    expect(both.map(({ status }) => status).toSorted()[0], both.map(({ stderr }) => stderr).join("\n")).toBe(0)
    for (const { status } of both) expect([0, 6]).toContain(status)
    expect(at.count()).toBe(20)
    expect(at.runs()).toHaveLength(1)
    const second = yield* at.exits(0, "schedule", "--once", "--json")
    expect(JSON.parse(second.stdout)).toMatchObject({ event: "waits", pipeline: "contacts" })
    expect(at.runs()).toHaveLength(1)

    const plan = yield* at.inProcess("schedule", "--plan", "--json")
    const [planned] =
      (JSON.parse(plan.stdout) as { readonly pipelines: ReadonlyArray<{ readonly next: ReadonlyArray<string> }> })
        .pipelines
    expect(planned?.next).toHaveLength(5)
    expect(planned?.next[0]).toMatch(/T02:00:00\+0[12]:00$/)
    const status = yield* at.exits(0, "status", "--json", "--max-age", "26h")
    expect(JSON.parse(status.stdout)).toMatchObject({
      health: [{ pipeline: "contacts", healthy: true }],
      pipelines: [{ nextRun: { at: planned?.next[0], zone: "Europe/Berlin" }, runs: [{ outcome: "complete" }] }],
    })
  }))

it.scopedLive("schedule continues until SIGTERM, finishes what is in flight, and exits with code 143", () =>
  Effect.gen(function*() {
    const at = yield* bench({ requestsPerSecond: 40 })
    at.write("source.csv", csv(upTo(120)))
    at.write("pipelines/contacts.yaml", scheduled("* * * * * *"))
    const running = start(["schedule"], { cwd: at.folder })
    yield* until(() => at.count() >= 10)
    running.signal("SIGTERM")
    const ran = yield* Effect.promise(() => running.ended)
    expect(ran.status, ran.stdout + ran.stderr).toBe(143)
    expect(ran.lastLine).toBe("formferry schedule")
    const { balance, outcome, rows } = at.report()
    expect({ balance, outcome }).toEqual({ balance: { holds: true }, outcome: "interrupted" })
    expect(rows.imported).toBe(at.count())
  }))

it.scopedLive("schedule reports an unconfirmed service or a project without schedules before anything is sent", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const nothing = yield* at.exits(2, "schedule", "--once")
    expect(nothing.stderr).toContain("has a schedule")
    at.write("source.csv", csv(upTo(3)))
    at.write("pipelines/contacts.yaml", scheduled("0 2 * * *", { sink: "service: careful\n  form: contacts" }))
    const asked = yield* at.exits(2, "schedule", "--once")
    expect(asked.lastLine).toBe("formferry schedule --once --confirm careful")
    expect(at.count()).toBe(0)
    yield* at.exits(0, "schedule", "--once", "--confirm", "careful")
    expect(at.count()).toBe(3)
  }))

it.scopedLive("schedule --plan shows a schedule that can't be read, and exits with code 2", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("pipelines/contacts.yaml", scheduled("0 25 * * *"))
    for (const options of [[], ["--json"]]) {
      const ran = yield* at.inProcess("schedule", "--plan", ...options)
      expect(ran).toMatchObject({ status: 2, lastLine: "formferry check" })
      expect(ran.stdout).toContain("pipelines/contacts.yaml: its schedule can't be read. Invalid value for hour: 25.")
    }
  }))
