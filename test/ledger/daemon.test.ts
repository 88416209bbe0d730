import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { openLedger } from "../../src/ledger/openLedger.ts"
import type { daemonProcess } from "./daemonProcess.ts"
import { ownProcess } from "./ownProcess.ts"
import { contacts, folder, listed } from "./rows.ts"

const daemon = ownProcess("daemonProcess")

/** Starts a child process and collects the lines that it prints. Kills the process when the scope closes. */
const start = (told: Parameters<typeof daemonProcess>[0]) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, daemon(told), {
        stdio: ["pipe", "pipe", "inherit"],
      })
      let text = ""
      child.stdout.setEncoding("utf8").on("data", (part: string) => {
        text += part
      })
      const ended = new Promise<number>((end) => child.once("close", (status) => end(status ?? 137)))
      return {
        lines: () => text.split("\n").slice(0, -1),
        kill: () => child.kill("SIGKILL"),
        end: () => child.stdin.end("end\n"),
        hasEnded: () => child.exitCode !== null || child.signalCode !== null,
        ended: Effect.promise(() => ended),
      }
    }),
    ({ ended, kill }) => Effect.zipRight(Effect.sync(kill), ended),
  )

const pipelines = ["contacts", "others"]

it.scopedLive("a ledger that several processes open is sound after a kill, and contains every row once", () =>
  Effect.gen(function*() {
    const file = join(yield* folder, "ledger.db")
    const told: Array<string> = []
    // Each reader sees at least the rows that were settled when it started.
    const look = (daemon: { readonly lines: () => ReadonlyArray<string> }) =>
      Effect.scoped(Effect.gen(function*() {
        const before = told.concat(daemon.lines()).filter((line) => line.startsWith("settled contacts ")).length
        const child = yield* start({ file, pipelines, work: "status" })
        expect([yield* child.ended, child.lines().filter((line) => line.startsWith("failed"))]).toEqual([0, []])
        const stands = child.lines().find((line) => line.startsWith("stands contacts "))
        expect(Number(stands?.split(" ")[2])).toBeGreaterThanOrEqual(before)
      }))
    for (const killed of [true, false]) {
      const daemon = yield* start({ file, pipelines, work: "daemon" })
      const enough = Effect.sync(() =>
        daemon.hasEnded()
        || pipelines.every((name) => daemon.lines().filter((line) => line.startsWith(`settled ${name}`)).length >= 3)
      )
      yield* Effect.repeat(Effect.delay(enough, "10 millis"), { until: (it) => it })
      yield* Effect.forEach([1, 2, 3], () => look(daemon), { concurrency: 2, discard: true })
      if (killed) daemon.kill()
      else daemon.end()
      expect(yield* daemon.ended).toBe(killed ? 137 : 0)
      told.push(...daemon.lines())
    }
    expect(told.filter((line) => line.startsWith("failed"))).toEqual([])

    const ledger = yield* openLedger({ file })
    expect(yield* ledger.verify).toEqual([])
    for (const pipeline of pipelines) {
      const rowsThat = (did: string) =>
        told.flatMap((line) => line.startsWith(`${did} ${pipeline} `) ? [`key ${line.split(" ")[2]}`] : [])
      const view = yield* contacts(ledger, pipeline)
      yield* Effect.scoped(view.hold("last"))
      const sent = (yield* listed(view, "sent", { limit: 100_000 })).map(({ key }) => key)
      const doubtful = (yield* listed(view, "doubtful", { limit: 100 })).map(({ key }) => key)
      expect(sent).toEqual(expect.arrayContaining(rowsThat("settled")))
      // At most one batch was in flight when the process was killed.
      expect(doubtful.length).toBeLessThanOrEqual(1)
      const all = sent.concat(doubtful)
      expect(new Set(all)).toEqual(new Set(all.map((_, number) => `key ${number}`)))
      expect(all).toEqual(expect.arrayContaining(rowsThat("intended")))
    }
  }))
