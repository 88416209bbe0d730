import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { DateTime } from "luxon"
import { hostname } from "node:os"
import { join } from "node:path"
import type { ProjectStatus } from "../../src/jobs/status.ts"
import { openLedger } from "../../src/ledger/openLedger.ts"
import { pointsOf } from "../cli/exportedMetrics.ts"
import { connected } from "../ledger/postgres/connecting.ts"
import { withoutPostgres } from "../ledger/postgres/server.ts"
import { sendOn } from "../localServer.ts"
import { isLong } from "../long.ts"
import { hearing } from "../notify/webhooks.ts"
import { type Bench, bench, csv, pipelineYaml, putBetween, upTo } from "./contacts.ts"
import { type Running, start, until } from "./formferry.ts"
import { configure, newPlace, type Place } from "./inPostgres.ts"

const rows = 20
const pipelines = upTo(20).map((number) => `p${number}`)
/** In seconds. The shortest that a project can have. */
const leaseTimeout = 10
/** Returns a pipeline that is due once a day, at this time. */
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

/**
 * Makes the folders of hosts whose pipelines are due as soon as they start, because the ledger already knows the schedules. While the gate is closed, no request for the form, which is the first one of each run, reaches the service (`the form`), or only those do (`the rest`).
 */
const newHosts = (requestsPerSecond: number, gated: "the form" | "the rest") =>
  Effect.gen(function*() {
    const service = yield* bench({ requestsPerSecond })
    const place = yield* newPlace
    configure(service, place, `, leaseTimeout: ${leaseTimeout} seconds`)
    const origin = new URL(service.baseUrl)
    const waiting: Array<() => void> = []
    const gate = {
      isOpen: true,
      open: () => {
        gate.isOpen = true
        for (const pass of waiting.splice(0)) pass()
      },
    }
    yield* putBetween(service, (incoming, outgoing) => {
      // Drops the requests of a host that was killed.
      const pass = () => incoming.socket.destroyed ? undefined : sendOn(origin, incoming, outgoing)
      const isForForm = incoming.method === "GET" && incoming.url?.endsWith("/contacts") === true
      if (gate.isOpen || isForForm !== (gated === "the form")) pass()
      else waiting.push(pass)
    })
    const due = DateTime.fromMillis(yield* Clock.currentTimeMillis, { zone: "UTC" }).plus({ seconds: 1 })
    const folders = [service, yield* bench(), yield* bench(), yield* bench()] as const
    const config = service.read("config/formferry.yaml")
      .replace("../marks", join(service.folder, "marks"))
      .replace(/requestsPerSecond: .*/, "$&\n    rateLimit: shared")
    for (const at of folders) {
      at.write("config/formferry.yaml", config)
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
    const ledger = yield* openLedger({
      ...place,
      marks: { ledger: "", folders: [join(service.folder, "marks")], write: true },
    })
    yield* Effect.forEach(pipelines, (name) => ledger.turns.seen(name, due.toMillis() - 1_000))
    return { service, place, folders, gate }
  })

/** Starts a scheduler, and kills it when the scope closes. */
const schedule = ({ folder: cwd }: Bench, atOnce: number, env: Readonly<Record<string, string>> = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => start(["schedule", "--at-once", String(atOnce), "--json"], { cwd, env })),
    (host) => Effect.sync(() => host.signal("SIGKILL")),
  )

/** Waits until each pipeline has finished on one of these hosts. */
const allFinished = (hosts: ReadonlyArray<Running>) =>
  until(() => new Set(hosts.flatMap((host) => ended(host, isFinished))).size === pipelines.length)

/** Stops hosts whose pipelines have finished. */
const leave = (...hosts: ReadonlyArray<Running>) =>
  Effect.promise(() => {
    for (const host of hosts) host.signal("SIGTERM")
    return Promise.all(hosts.map((host) => host.ended))
  })

/** Reads the leases of a dead host. Returns its pipelines, and later how long after its last heartbeat others took each turn and lock. */
const deadHost = ({ schema, url }: Place) =>
  Effect.gen(function*() {
    const database = yield* connected(url, schema)
    const select = (sql: string) =>
      Effect.promise(async () =>
        new Map((await database.send(sql)).rows.map(([name, time]) => [String(name), Number(time)]))
      )
    const beats = yield* select(
      "SELECT pipeline, greatest(l.beat, t.beat) FROM lock l JOIN turn t USING (pipeline) WHERE held = 1",
    )
    /** Returns how many seconds after the last heartbeats something happened, sorted. By the database's clock. */
    const after = (sql: string) =>
      Effect.map(select(sql), (times) =>
        Array.from(beats, ([name, beat]) => ((times.get(name) ?? 0) - beat) / 1_000).toSorted((a, b) => a - b))
    return { pipelines: [...beats.keys()], taken: after("SELECT pipeline, since FROM lock") }
  })

describe.runIf(isLong && !withoutPostgres)("hosts with the same schedule and a ledger in PostgreSQL", () => {
  it.scopedLive(
    "run each pipeline once, although one host is killed, one leaves and one joins",
    () =>
      Effect.gen(function*() {
        const { folders: [first, second, third, fourth], gate, service } = yield* newHosts(50, "the form")
        const atOnce = 3
        gate.isOpen = false
        const killed = yield* schedule(first, atOnce)
        const leaving = yield* schedule(second, atOnce)
        const staying = yield* schedule(third, atOnce)

        // Each host is running some of the pipelines when the first host is killed and the second host leaves.
        yield* until(() => [killed, leaving, staying].every((host) => begun(host).length >= atOnce))
        gate.open()
        yield* until(() => service.count() > 0)
        gate.isOpen = false
        killed.signal("SIGKILL")
        yield* Effect.promise(() => killed.ended)
        const lost = begun(killed).filter((name) => !ended(killed, isFinished).includes(name))
        expect(lost.length).toBeGreaterThan(0)
        const joined = yield* schedule(fourth, atOnce)
        leaving.signal("SIGTERM")
        yield* until(() => begun(joined).length > 0)
        gate.open()
        expect((yield* Effect.promise(() => leaving.ended)).status).toBe(143)

        const hosts = [killed, leaving, staying, joined]
        yield* allFinished(hosts)
        yield* leave(staying, joined)
        // Only the host that left interrupted runs, and each pipeline finished only once.
        expect([killed, staying, joined].flatMap((host) => ended(host, wasInterrupted))).toEqual([])
        expect(hosts.flatMap((host) => ended(host, isFinished)).toSorted()).toEqual(pipelines.toSorted())
        const again = [...lost, ...begun(leaving).filter((name) => !ended(leaving, isFinished).includes(name))]
        expect(hosts.flatMap(begun).toSorted()).toEqual([...pipelines, ...again].toSorted())

        // No row arrived twice. Rows that were in flight when their host was killed are in doubt.
        const arrived = service.answers("qName")
        expect(new Set(arrived).size).toBe(arrived.length)
        const status = JSON.parse((yield* third.inProcess("status", "--json")).stdout) as Pick<
          ProjectStatus,
          "pipelines"
        >
        const standings = status.pipelines.map(({ standing }) => standing)
        expect(standings.map(({ imported, inDoubt }) => imported + inDoubt)).toEqual(pipelines.map(() => rows))
        expect(arrived.length).toBeGreaterThanOrEqual(standings.reduce((all, { imported }) => all + imported, 0))
      }),
    180_000,
  )

  it.scopedLive(
    "interrupt no run when one joins, take over within the lease and 2 seconds when one is killed, and export that and the rate that is used",
    () =>
      Effect.gen(function*() {
        const { folders: [first, second], gate, place } = yield* newHosts(20, "the rest")
        const all = pipelines.length
        const room = 3
        const collector = yield* hearing()
        const running = yield* schedule(first, all)
        yield* until(() => begun(running).length === all)
        const joined = yield* schedule(second, room, {
          OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
          OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
          OTEL_TRACES_EXPORTER: "none",
          OTEL_METRIC_EXPORT_INTERVAL: "200",
        })
        // Most runs last longer than a lease.
        yield* Effect.sleep((leaseTimeout + 2) * 1_000)
        expect(begun(joined)).toEqual([])

        gate.isOpen = false
        running.signal("SIGKILL")
        yield* Effect.promise(() => running.ended)
        const dead = yield* deadHost(place)
        /** Returns what the host exported of each dead host's lock with this name, in the order of time. */
        const leases = (name: string) => {
          const points = pointsOf(collector.heard.map(({ body }) => body))
            .filter((one) => one.name === `formferry.lease.${name}` && one.tags["host"] === hostname())
          return dead.pipelines.map((pipeline) =>
            points.flatMap(({ tags, value }) => tags["pipeline"] === pipeline ? [value] : [])
          )
        }
        // A run with few rows left could end between two exports, so the first ones wait.
        yield* until(() => leases("age").filter((ages) => ages.some((age) => age > 0)).length >= room)
        expect(leases("held").filter((values) => values.includes(1)).length).toBeGreaterThanOrEqual(room)
        gate.open()
        yield* allFinished([running, joined])
        yield* leave(joined)
        const finished = ended(running, isFinished)
        expect([...finished, ...dead.pipelines].toSorted()).toEqual(pipelines.toSorted())
        expect(ended(joined, isFinished).toSorted()).toEqual(dead.pipelines.toSorted())
        const [least = 0, , most = 0] = (yield* dead.taken).slice(0, room)
        process.stdout.write(
          `a host with room for ${room} runs took them over ${least.toFixed(1)} to ${
            most.toFixed(1)
          } s after a dead host's last heartbeats\n`,
        )
        expect(least).toBeGreaterThanOrEqual(leaseTimeout)
        expect(most).toBeLessThan(leaseTimeout + 2)

        const rates = pointsOf(collector.heard.map(({ body }) => body)).flatMap(({ name, value }) =>
          name === "formferry.request.shared_rate" ? [value] : []
        )
        expect(rates.at(-1)).toBeGreaterThan(0)
        // A moving average counts slots when they are leased, several at a time.
        expect(Math.max(...rates)).toBeLessThan(30)
        expect(leases("held").map((values) => values.at(-1))).toEqual(dead.pipelines.map(() => 0))
        expect(leases("takeovers").map((values) => values.at(-1))).toEqual(dead.pipelines.map(() => 1))
        expect(Math.max(...leases("age").flat())).toBeLessThan(leaseTimeout / 2)
      }),
    180_000,
  )
})
