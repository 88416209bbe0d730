import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { DateTime } from "luxon"
import { join } from "node:path"
import type { ProjectStatus } from "../../src/jobs/status.ts"
import { withoutPostgres } from "../ledger/postgres/server.ts"
import { isLong } from "../long.ts"
import { type Bench, bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { type Running, start, until } from "./formferry.ts"
import { configure, newPlace } from "./inPostgres.ts"

const pipelines = upTo(20).map((number) => `p${number}`)
const rows = 30
/** In seconds. The shortest that a project can have. */
const leaseTimeout = 10
/** The number of pipelines that a host runs at the same time. */
const atOnce = 3

/** Returns a pipeline that is due once, at this time. */
const dueAt = (name: string, time: DateTime) =>
  pipelineYaml({
    name,
    file: `../${name}.csv`,
    sink: `service: live\n  form: contacts\n  alongside: [${pipelines.filter((other) => other !== name).join(", ")}]`,
    more: `schedule: { cron: "${time.toFormat("s m H")} * * *", zone: UTC }\n`,
  })

/** A line of a scheduler's output: an event, or the report of a run that ended. */
interface Line {
  readonly event?: string
  readonly outcome?: string
  readonly pipeline?: string
}

const linesOf = (host: Running): ReadonlyArray<Line> =>
  host.stdout().split("\n").slice(0, -1).map((line) => JSON.parse(line) as Line)

/** Returns the pipelines that a host started, and those whose runs ended with such an outcome. */
const begun = (host: Running): ReadonlyArray<string> =>
  linesOf(host).flatMap(({ event, pipeline = "" }) => event === "begins" ? [pipeline] : [])
const ended = (host: Running, isSo: (outcome: string) => boolean): ReadonlyArray<string> =>
  linesOf(host).flatMap(({ outcome, pipeline = "" }) => outcome !== undefined && isSo(outcome) ? [pipeline] : [])

const wasInterrupted = (outcome: string) => outcome === "interrupted"
const isFinished = (outcome: string) => !wasInterrupted(outcome)

describe.runIf(isLong && !withoutPostgres)("hosts with the same schedule and a ledger in PostgreSQL", () => {
  it.scopedLive(
    "run each pipeline once, although one host is killed, one leaves and one joins",
    () =>
      Effect.gen(function*() {
        const service = yield* bench({ requestsPerSecond: 20 })
        const folders = [service, yield* bench(), yield* bench(), yield* bench()] as const
        configure(service, yield* newPlace, `, leaseTimeout: ${leaseTimeout} seconds`)
        const due = DateTime.fromMillis(yield* Clock.currentTimeMillis, { zone: "UTC" }).plus({ seconds: 15 })
        for (const at of folders) {
          const config = service.read("config/formferry.yaml")
          if (at !== service) {
            at.write("config/formferry.yaml", config.replace("../marks", join(service.folder, "marks")))
          }
          at.write(".env", service.read(".env"))
          at.write("source.csv", csv([]))
          for (const name of pipelines) {
            at.write(`pipelines/${name}.yaml`, dueAt(name, due))
            at.write(
              `${name}.csv`,
              csv(upTo(rows), (key) => `${name} ${key},p${key}@example.org,1990-01-17`),
            )
          }
        }
        const schedule = ({ folder: cwd }: Bench) => start(["schedule", "--at-once", String(atOnce), "--json"], { cwd })
        const [killed, leaving, staying] = [schedule(folders[0]), schedule(folders[1]), schedule(folders[2])]

        // Each host runs some pipelines when the first one is killed, and the second one leaves.
        yield* until(() => [killed, leaving, staying].every((host) => begun(host).length >= atOnce))
        yield* until(() => service.count() > 0)
        killed.signal("SIGKILL")
        const killedAt = yield* Clock.currentTimeMillis
        yield* Effect.promise(() => killed.ended)
        const lost = begun(killed).filter((name) => !ended(killed, isFinished).includes(name))
        expect(lost.length).toBeGreaterThan(0)
        const joined = schedule(folders[3])
        leaving.signal("SIGTERM")
        expect((yield* Effect.promise(() => leaving.ended)).status).toBe(143)

        const rest = () => [staying, joined].flatMap(begun)
        yield* until(() => lost.every((name) => rest().includes(name)))
        const seconds = ((yield* Clock.currentTimeMillis) - killedAt) / 1000
        process.stdout.write(
          `the ${lost.length} pipelines of the killed host were taken over within ${seconds.toFixed(1)} s\n`,
        )
        expect(seconds).toBeLessThan(leaseTimeout + 20)

        const hosts = [killed, leaving, staying, joined]
        yield* until(() => new Set(hosts.flatMap((host) => ended(host, isFinished))).size === pipelines.length)
        for (const host of [staying, joined]) host.signal("SIGTERM")
        yield* Effect.promise(() => Promise.all([staying.ended, joined.ended]))

        expect(begun(joined).length).toBeGreaterThan(0)
        // Only the host that left interrupted runs, and each pipeline finished only once.
        expect([killed, staying, joined].flatMap((host) => ended(host, wasInterrupted))).toEqual([])
        expect(hosts.flatMap((host) => ended(host, isFinished)).toSorted()).toEqual(pipelines.toSorted())
        const again = [...lost, ...begun(leaving).filter((name) => !ended(leaving, isFinished).includes(name))]
        expect(hosts.flatMap(begun).toSorted()).toEqual([...pipelines, ...again].toSorted())

        // No row arrived twice. Rows that were in flight when their host was killed are in doubt.
        const arrived = service.answers("qName")
        expect(new Set(arrived).size).toBe(arrived.length)
        const status = JSON.parse((yield* folders[2].inProcess("status", "--json")).stdout) as Pick<
          ProjectStatus,
          "pipelines"
        >
        const standings = status.pipelines.map(({ standing }) => standing)
        expect(standings.map(({ imported, inDoubt }) => imported + inDoubt)).toEqual(pipelines.map(() => rows))
        expect(arrived.length).toBeGreaterThanOrEqual(standings.reduce((all, { imported }) => all + imported, 0))
      }),
    180_000,
  )
})
