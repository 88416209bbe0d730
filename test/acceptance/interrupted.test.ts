import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:net"
import { text } from "node:stream/consumers"
import { listening, sendOn } from "../localServer.ts"
import { isLong } from "../long.ts"
import { bench, csv, putBetween, upTo } from "./contacts.ts"
import { start, until } from "./formferry.ts"
import { databasesIfLong } from "./inPostgres.ts"

/** Slow enough to be interrupted in the middle of a run. Ten submissions need one create and ten reads. */
const slowly = { requestsPerSecond: 40 }

const everybody = (last: number) => upTo(last).map((key) => `Person ${key}`).toSorted()

for (const [signal, status] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 143]] as const) {
  it.scopedLive.each(isLong || signal === "SIGTERM" ? databasesIfLong : [])(
    `${signal} ends a run with a ledger in $name cleanly with exit code ${status}, and the next run sends each remaining row once`,
    ({ place }) =>
      Effect.gen(function*() {
        const at = yield* bench(slowly)
        ;(yield* place)(at)
        at.write("source.csv", csv(upTo(120)))
        const running = start(["run", "contacts"], { cwd: at.folder })
        yield* until(() => at.count() >= 10)
        running.signal(signal)
        const ran = yield* Effect.promise(() => running.ended)
        expect(ran.status, ran.stdout + ran.stderr).toBe(status)
        expect(ran.lastLine).toBe("formferry run contacts")
        const { rows, outcome, balance } = at.report()
        expect({ outcome, balance }).toEqual({ outcome: "interrupted", balance: { holds: true } })
        expect(rows.imported).toBe(at.count())
        expect(rows.imported + rows.pending).toBe(120)
        expect(rows.pending).toBeGreaterThan(0)

        // The next run sends the rest at full speed.
        at.edit("config/formferry.yaml", "requestsPerSecond: 40", "requestsPerSecond: 1000")
        yield* at.exits(0, "run", "contacts")
        expect(at.answers("qName")).toEqual(everybody(120))
      }),
  )
}

it.scopedLive("a second run at the same time is refused with exit code 6, and the first one is not affected", () =>
  Effect.gen(function*() {
    // Ten seconds of requests leave enough time for the second process to start, even on a busy machine.
    const at = yield* bench({ requestsPerSecond: 8 })
    at.write("source.csv", csv(upTo(70)))
    const first = start(["run", "contacts"], { cwd: at.folder })
    yield* until(() => at.count() > 0)
    const second = yield* at.run("run", "contacts")
    expect(second.status, second.stderr).toBe(6)
    expect(second.stderr).toContain("Another run of contacts has been in progress since")
    expect(second.lastLine).toBe("formferry status contacts")
    // The command `status` only reads, so it works during a run.
    yield* at.exits(0, "status")
    const ran = yield* Effect.promise(() => first.ended)
    expect(ran.status, ran.stderr).toBe(0)
    expect(at.answers("qName")).toEqual(everybody(70))
  }))

/** Passes an answer on, with a different type of the form's first question. */
const retyped = (outgoing: ServerResponse) => async (answer: IncomingMessage) => {
  const body = await text(answer)
  outgoing.writeHead(answer.statusCode ?? 500, { "content-type": "application/json" })
  outgoing.end(body.replace('"ShortAnswer"', '"LongAnswer"'))
}

it.scopedLive.each(isLong ? databasesIfLong : [])(
  "a changed form can't be accepted during a run with a ledger in $name, and `accept` exits with code 6",
  ({ place }) =>
    Effect.gen(function*() {
      const at = yield* bench(slowly)
      ;(yield* place)(at)
      at.write("source.csv", csv([1]))
      yield* at.exits(0, "run", "contacts")
      const upstream = new URL(at.baseUrl)
      let isRetyped = false
      yield* putBetween(at, (incoming, outgoing) => {
        const isForm = incoming.url?.endsWith("/forms/contacts") === true
        sendOn(upstream, incoming, outgoing, isForm && isRetyped ? retyped(outgoing) : undefined)
      })
      at.edit("config/formferry.yaml", "confirm:", `previousBaseUrls: ["${at.baseUrl}"]\n    confirm:`)
      at.write("source.csv", csv(upTo(400)))
      const running = start(["run", "contacts"], { cwd: at.folder })
      yield* until(() => at.count() > 1)
      isRetyped = true
      const accept = ["accept", "contacts", "form", "--because", "looked at"]
      const busy = yield* at.run(...accept)
      expect([busy.status, busy.lastLine], busy.stderr).toEqual([6, "formferry status contacts"])
      running.signal("SIGINT")
      expect((yield* Effect.promise(() => running.ended)).status).toBe(130)
      yield* at.exits(0, ...accept)
    }),
)

it.scopedLive.each(databasesIfLong)(
  "a second Ctrl-C ends the process at once, and no row in flight of a ledger in $name is sent twice",
  ({ endLease, place }) =>
    Effect.gen(function*() {
      const at = yield* bench({ requestsPerSecond: 5 })
      ;(yield* place)(at)
      at.write("source.csv", csv(upTo(40)))
      const running = start(["run", "contacts"], { cwd: at.folder })
      yield* until(() => at.count() > 0)
      running.signal("SIGINT")
      yield* Effect.sleep("150 millis")
      running.signal("SIGINT")
      const ran = yield* Effect.promise(() => running.ended)
      expect(ran.status).toBe(130)
      at.edit("config/formferry.yaml", "requestsPerSecond: 5", "requestsPerSecond: 1000")
      yield* endLease(at)
      const next = yield* at.inProcess("run", "contacts")
      expect([0, 4], next.stderr).toContain(next.status)
      const names = at.answers("qName")
      expect(new Set(names).size).toBe(names.length)
      const { rows } = at.report()
      expect(names.length + rows.inDoubt).toBeGreaterThanOrEqual(40)
    }),
)

it.scopedLive("a run continues if the reader of its output closes the pipe", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(30)))
    const running = start(["run", "contacts", "--json"], { cwd: at.folder })
    running.stopReading()
    const ran = yield* Effect.promise(() => running.ended)
    expect(ran.status, ran.stderr).toBe(0)
    expect(ran.stderr).not.toContain("EPIPE")
    expect(at.count()).toBe(30)
  }))

it.scopedLive.runIf(isLong)(
  "preview exits with code 0 if the reader of its output closes the pipe",
  () =>
    Effect.gen(function*() {
      const at = yield* bench()
      at.write("source.csv", csv(upTo(30)))
      const preview = start(["preview", "contacts", "--rows", "30"], { cwd: at.folder })
      preview.stopReading()
      expect((yield* Effect.promise(() => preview.ended)).status).toBe(0)
    }),
)

it.scopedLive("Ctrl-C ends a command that has nothing to finish, with exit code 130", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    let connected = 0
    const silent = createServer((socket) => {
      connected++
      socket.on("error", () => undefined)
    })
    const port = yield* listening(silent)
    at.write(
      "config/formferry.yaml",
      `services: { live: { baseUrl: "http://127.0.0.1:${port}/v1", apiKey: { env: FORM_SERVICE_API_KEY } } }\n`,
    )
    const waiting = start(["form", "live", "contacts"], { cwd: at.folder })
    yield* until(() => connected > 0)
    waiting.signal("SIGINT")
    const ran = yield* Effect.promise(() => waiting.ended)
    expect(ran.status, ran.stderr).toBe(130)
    expect(ran.lastLine).toBe("formferry form live contacts")
  }))

for (const signal of ["SIGTERM", "SIGHUP"] as const) {
  it.scopedLive.runIf(isLong)(
    `${signal} ends demo with exit code 143 and a next command, and practice with exit code 0`,
    () =>
      Effect.gen(function*() {
        const at = yield* bench()
        mkdirSync(`${at.folder}/temporary`)
        const demo = start(["demo"], { cwd: at.folder, env: { TMPDIR: `${at.folder}/temporary` } })
        at.write(
          "forms/f.yaml",
          "id: f\nname: People\nquestions:\n  - { id: n, name: Name, type: ShortAnswer }\n",
        )
        const practice = start(["practice", "--json", "--forms", "forms"], { cwd: at.folder })
        yield* until(() => demo.stdout().includes("Importing the sample pipelines"))
        demo.signal(signal)
        yield* until(() => practice.stdout().includes("\n"))
        practice.signal(signal)
        const [shown, served] = yield* Effect.promise(() => Promise.all([demo.ended, practice.ended]))
        expect(shown.status, shown.stdout + shown.stderr).toBe(143)
        expect(shown.lastLine).toMatch(/^formferry /)
        // The other pipelines did not start.
        expect(shown.stdout).not.toContain("Reading every submission back")
        expect(served.status, served.stderr).toBe(0)
        const { results } = JSON.parse(served.stdout)
        expect(yield* Effect.promise(() => fetch(results).then(() => "open", () => "closed"))).toBe("closed")
      }),
  )
}
