import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber } from "effect"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setTimeout } from "node:timers/promises"
import { shareServices } from "../../src/jobs/services.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { connected, urlOf } from "../ledger/postgres/connecting.ts"
import { ownServer, withoutPostgres } from "../ledger/postgres/server.ts"
import { isLong } from "../long.ts"
import { sliding } from "../service/limiters.ts"
import { mostInASecond } from "../service/virtualHosts.ts"
import { type Bench, bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { apiKey, start, until } from "./formferry.ts"
import { configure, newKey, newPlace, said } from "./inPostgres.ts"

const share = (at: Bench, requestsPerSecond: number) =>
  at.edit(
    "config/formferry.yaml",
    /requestsPerSecond: .*/,
    `requestsPerSecond: ${requestsPerSecond}\n    rateLimit: shared`,
  )

/** Opens a form service in front of another one, with a limit in a sliding second. Notes every request. */
const limited = (origin: string, limit: number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const arrivals: Array<{ readonly at: number; readonly isAccepted: boolean; readonly path: string }> = []
      const limiter = sliding(1_000)(() => limit)
      const server = createServer((request, response) => {
        const at = performance.now()
        const { allowed } = limiter(at)
        const { headers, method = "", url: path = "" } = request
        arrivals.push({ at, isAccepted: allowed, path })
        if (!allowed) {
          response.writeHead(429, { "retry-after": "1" }).end()
          return
        }
        const parts: Array<Buffer> = []
        request.on("data", (part: Buffer) => parts.push(part))
        request.on("end", async () => {
          const answer = await fetch(origin + path, {
            method,
            headers: { authorization: headers.authorization ?? "", "content-type": headers["content-type"] ?? "" },
            ...(method === "GET" ? {} : { body: Buffer.concat(parts) }),
          })
          response.writeHead(answer.status, { "content-type": "application/json" })
          response.end(Buffer.from(await answer.arrayBuffer()))
        })
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return { arrivals, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      }),
  )

const limit = 40

/** The rate that the hosts share, in requests a second. */
const rate = limit * 0.95

/** By how much later than others a request may be counted at this rate, in milliseconds. */
const reserve = 50

/**
 * Three processes import for 16 seconds. After 6 seconds, one is killed, and another one is stopped for 6 seconds. Returns all requests, the share of
 * the limit that was used, and the longest pause of this process, which contains the service, in milliseconds.
 */
const threeHosts = Effect.scoped(Effect.gen(function*() {
  const service = yield* bench()
  const { origin } = new URL(service.results)
  const { arrivals, origin: proxied } = yield* limited(origin, limit)
  configure(service, yield* newPlace)
  share(service, rate)
  const hosts = yield* Effect.forEach(["contacts", "other", "stamped"], (form) =>
    Effect.map(bench(), (at) => {
      at.write(
        "config/formferry.yaml",
        service.read("config/formferry.yaml").replaceAll(origin, proxied)
          .replace("../marks", join(service.folder, "marks")),
      )
      at.write(".env", service.read(".env"))
      at.write(
        `pipelines/${form}.yaml`,
        pipelineYaml({ name: form, sink: `service: live\n  form: ${form}\n  canary: off` }),
      )
      at.write("source.csv", csv(upTo(900)))
      return { form, running: start(["run", form], { cwd: at.folder }) }
    }))
  const [killed, stopped] = hosts.map(({ running }) => running)
  yield* until(() => hosts.every(({ form }) => arrivals.filter(({ path }) => path.includes(form)).length > 20))
  const wait = (millis: number) => Effect.promise(() => setTimeout(millis))
  const from = performance.now()
  const pauses = monitorEventLoopDelay({ resolution: 5 })
  pauses.enable()
  yield* wait(6_000)
  killed?.signal("SIGKILL")
  stopped?.signal("SIGSTOP")
  yield* wait(6_000)
  stopped?.signal("SIGCONT")
  yield* wait(4_000)
  const end = performance.now()
  pauses.disable()
  for (const { running } of hosts) running.signal("SIGKILL")
  yield* Effect.promise(() => Promise.all(hosts.map(({ running }) => running.ended)))
  const measured = arrivals.filter(({ at }) => at >= from && at < end)
  return { arrivals, paused: pauses.max / 1e6, share: measured.length * 1_000 / (end - from) / limit }
}))

describe("a project whose hosts share the rate of an account", () => {
  it.scoped("is refused if its ledger is a file, for services and connections", () =>
    Effect.gen(function*() {
      const at = yield* bench()
      share(at, 20)
      at.write("source.csv", csv(upTo(3)))
      for (const command of [["check", "contacts"], ["run", "contacts"], ["form", "live", "contacts"]]) {
        expect(said(yield* at.inProcess(...command))).toMatch(
          /^2 config\/formferry\.yaml:6:16 .*`rateLimit: shared` needs a ledger in PostgreSQL, because hosts share the rate through it\. .*Keep the ledger in PostgreSQL \(`ledger\.url`, docs\/postgresql\.md\), or remove `rateLimit`: then each process counts its own requests/,
        )
      }
      at.edit("config/formferry.yaml", "    rateLimit: shared\n", "")
      at.edit(
        "config/formferry.yaml",
        /$/,
        'connections: { tool: { base: "https://example.org", rateLimit: shared } }\n',
      )
      expect(said(yield* at.inProcess("check", "contacts"))).toMatch(/^2 .*`rateLimit: shared` needs a ledger/)
      expect(at.count()).toBe(0)
    }))

  it.scopedLive.skipIf(withoutPostgres)(
    "imports before and after there is a ledger, and ends with exit code 70 if the server stops",
    () =>
      Effect.gen(function*() {
        const at = yield* bench({ requestsPerSecond: 20 })
        const server = yield* ownServer("rate", [])
        const url = yield* urlOf({ server: () => Promise.resolve(server), tcp: true })
        configure(at, { url, schema: "formferry", project: "acme", key: newKey() })
        share(at, 40)
        at.write("pipelines/contacts.yaml", pipelineYaml({ sink: "service: live\n  form: contacts\n  canary: off" }))
        at.write("source.csv", csv(upTo(5)))
        expect(said(yield* at.inProcess("check", "contacts"))).toMatch(/^0 /)
        expect(said(yield* at.inProcess("run", "contacts"))).toMatch(/^0 /)
        expect(at.report().rows).toMatchObject({ imported: 5 })
        at.write("source.csv", csv(upTo(200)))
        const running = yield* Effect.fork(at.inProcess("run", "contacts"))
        yield* until(() => at.count() >= 30)
        process.kill(
          Number(readFileSync(join(server.folder, "rate", "postmaster.pid"), "utf8").split("\n")[0]),
          "SIGQUIT",
        )
        expect(said(yield* Fiber.join(running))).toMatch(/^70 .*Nothing more is sent without it/)
        expect(at.count()).toBeLessThan(200)
        expect(said(yield* at.inProcess("check", "contacts"))).toMatch(
          /^70 .*failed while connecting to the database of its `url`: no server answers at this address/,
        )
      }),
  )

  it.scopedLive.skipIf(withoutPostgres)(
    "connects to the database again for the next run, if the connection for the rate was lost during an earlier one",
    () =>
      Effect.gen(function*() {
        const at = yield* bench()
        const place = yield* newPlace
        configure(at, place)
        share(at, 40)
        const environment = ConfigProvider.fromMap(new Map([["FORM_SERVICE_API_KEY", apiKey]]))
        const project = yield* Effect.withConfigProvider(loadProject(at.folder), environment)
        const config = project.services.get("live")
        if (config === undefined) throw new Error("There is no service.")
        const services = yield* shareServices
        const open = Effect.withConfigProvider(services.open(config), environment)
        const form = Effect.flatMap(open, (service) => service.form("contacts"))
        const first = yield* open
        expect((yield* first.form("contacts")).id).toBe("contacts")
        const admin = yield* connected(yield* urlOf())
        const user = /(?<=\/\/)\w+/.exec(place.url)?.[0] ?? ""
        yield* Effect.promise(() =>
          admin.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${user}'`)
        )
        expect((yield* Effect.flip(first.form("contacts"))).message).toContain("leasing the account's rate")
        expect((yield* form).id).toBe("contacts")
      }).pipe(Effect.provide(NodeContext.layer)),
  )

  it.live.runIf(isLong && !withoutPostgres)(
    "uses at least 90% of the limit while one host is killed and another stopped, and never exceeds the limit",
    () =>
      Effect.gen(function*() {
        for (let left = 3; left >= 0; left--) {
          const { arrivals, paused, share } = yield* threeHosts
          process.stdout.write(
            `used ${(share * 100).toFixed(1)}% of the limit, at most ${mostInASecond(arrivals)} in a second; `
              + `the service paused for at most ${paused.toFixed(0)} ms\n`,
          )
          // A service that pauses for longer than the reserve counts requests too late, so nothing was measured.
          if (paused > reserve && left > 0) continue
          expect(arrivals.filter(({ isAccepted }) => !isAccepted)).toEqual([])
          expect(mostInASecond(arrivals)).toBeLessThanOrEqual(limit)
          expect(share).toBeGreaterThanOrEqual(0.9)
          return
        }
      }),
    180_000,
  )
})
