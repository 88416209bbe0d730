import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { freePort } from "../ledger/postgres/server.ts"
import { isLong } from "../long.ts"
import { asked, pageOf } from "../studio/opened.ts"
import { type Bench, bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { start, until } from "./formferry.ts"
import { inTerminal, withoutTerminal } from "./inTerminal.ts"

/** Returns every link that a text contains, in order. */
const linksIn = (text: string): ReadonlyArray<string> =>
  text.match(/http:\/\/127\.0\.0\.1:\d+\/open\?token=[\w-]+/g) ?? []

const pageAt = (link: string) => pageOf({ origin: new URL(link).origin, newLink: () => link })

/** Opens a link as a browser does, and returns the status. */
const visit = async (link: string) => {
  const { origin, pathname, search } = new URL(link)
  return (await asked(origin, pathname + search)).status
}

const isClosed = (link: string) => fetch(link).then(() => false, () => true)

/** A bench on which the program that opens the browser writes what it opens to a file instead. */
const watched = (options: Parameters<typeof bench>[0] = {}) =>
  Effect.map(bench(options), (at) => {
    const programs = join(at.folder, "programs")
    const opened = join(at.folder, "opened")
    for (const name of ["xdg-open", "open"]) {
      at.write(`programs/${name}`, `#!/bin/sh\necho "$1" >>"${opened}"\n`)
      chmodSync(join(programs, name), 0o755)
    }
    mkdirSync(join(at.folder, "temporary"))
    const env = {
      PATH: [programs, process.env["PATH"]].join(delimiter),
      TMPDIR: join(at.folder, "temporary"),
    }
    return { ...at, env, opened: () => existsSync(opened) ? at.read("opened").trim() : undefined }
  })

describe.skipIf(withoutTerminal)("the studio in a terminal", () => {
  it.scopedLive("opens its link, prints another that works once for o, and finishes what is in flight on Ctrl-C", () =>
    Effect.gen(function*() {
      const at = yield* watched({ requestsPerSecond: 40 })
      at.write("source.csv", csv(upTo(120)))
      const terminal = yield* inTerminal(at, "exec formferry studio\n", at.env)
      yield* until(() => at.opened() !== undefined && terminal.shown().includes("o for another link"))
      const [first = ""] = linksIn(terminal.shown())
      // Its arguments, which other users can see, name a page that leads to the link.
      const page = at.opened() ?? ""
      expect([linksIn(page), statSync(page).mode & 0o777, statSync(dirname(page)).mode & 0o777])
        .toEqual([[], 0o600, 0o700])
      expect(linksIn(readFileSync(page, "utf8"))).toEqual([first, first])

      // A used port is refused, and the studio that uses it is not affected.
      const used = yield* at.inProcess("studio", "--port", new URL(first).port)
      expect([used.status, used.stdout]).toEqual([2, ""])
      expect(used.stderr).toContain(
        `The studio can't listen on port ${new URL(first).port} (EADDRINUSE). Choose a different port with --port.`,
      )

      terminal.type("o")
      yield* until(() => linksIn(terminal.shown()).length === 2)
      const [, second = ""] = linksIn(terminal.shown())
      expect(new URL(second).origin).toBe(new URL(first).origin)
      expect(yield* Effect.promise(() => visit(first))).toBe(403)
      yield* Effect.promise(async () => {
        const { call } = await pageAt(second)
        expect(await visit(second)).toBe(403)
        await call("runs", "start", { pipeline: "contacts", mode: "run" })
      })
      yield* until(() => at.count() >= 10)
      terminal.type("\x03")
      expect(yield* terminal.ended, terminal.shown()).toBe(0)
      expect(terminal.shown()).toContain(
        "Finishing and recording the requests in flight. A second Ctrl-C stops at once.",
      )
      const { balance, exitCode, outcome, rows } = at.report()
      expect({ balance, exitCode, outcome }).toEqual({
        balance: { holds: true },
        exitCode: 130,
        outcome: "interrupted",
      })
      expect([rows.imported, rows.imported + rows.pending]).toEqual([at.count(), 120])
      expect(rows.pending).toBeGreaterThan(0)
      expect(yield* Effect.promise(() => isClosed(second))).toBe(true)
      expect(existsSync(dirname(page))).toBe(false)
    }))

  it.scopedLive.runIf(isLong)(
    "with --demo, runs a sample pipeline with the practice service, and with --no-open, opens no browser",
    () =>
      Effect.gen(function*() {
        const at = yield* watched()
        const terminal = yield* inTerminal(at, "exec formferry studio --demo --no-open\n", at.env)
        yield* until(() => terminal.shown().includes("o for another link"))
        const [link = ""] = linksIn(terminal.shown())
        yield* Effect.promise(async () => {
          const { call, done } = await pageAt(link)
          const home = await call("project", "home", {})
          expect(home).toMatchObject({ isDemo: true, services: ["practice"], diagnostics: [] })
          expect(home.pipelines.map(({ name, problem }) => [name, problem])).toContainEqual(["star-wars", undefined])
          const end = await done({ pipeline: "star-wars", mode: "run" })
          expect(end).toMatchObject({ exitCode: 0, word: { title: "Complete" } })
          const { report } = await call("results", "report", { pipeline: "star-wars" })
          expect(report).toMatchObject({ rows: { read: 200, imported: 200 }, readBack: { verified: 200 } })
        })
        terminal.type("\x03")
        expect(yield* terminal.ended, terminal.shown()).toBe(0)
        expect(at.opened()).toBeUndefined()
        // The project's own folder was not used.
        expect(at.runs("star-wars")).toEqual([])
      }),
  )
})

/** Starts the studio without a terminal, and a run in it. */
const startRun = (at: Bench, ...options: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const studio = yield* Effect.acquireRelease(
      Effect.sync(() => start(["studio", "--json", ...options], { cwd: at.folder })),
      ({ signal }) => Effect.sync(() => signal("SIGKILL")),
    )
    yield* until(() => studio.stdout().includes("\n"))
    const { folder, link } = JSON.parse(studio.stdout())
    const page = yield* Effect.promise(() => pageAt(link))
    const { id } = yield* Effect.promise(() => page.call("runs", "start", { pipeline: "contacts", mode: "run" }))
    return { ...studio, folder, id, link, page }
  })

it.scopedLive("SIGTERM ends the studio cleanly on the port of --port, and sends nothing that was not confirmed", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(40)))
    at.write("pipelines/contacts.yaml", pipelineYaml({ sink: "service: careful\n  form: contacts" }))
    const port = yield* Effect.promise(freePort)
    const { ended, folder, id, link, page, signal } = yield* startRun(at, "--port", `${port}`)
    expect([new URL(link).port, folder]).toEqual([`${port}`, at.folder])
    yield* Effect.promise(() => page.follow(id, ({ state }) => state._tag === "Asking"))
    signal("SIGTERM")
    const ran = yield* Effect.promise(() => ended)
    expect(ran.status, ran.stderr).toBe(0)
    expect([at.count(), at.report().rows.pending]).toEqual([0, 40])
  }))

it.scopedLive("a second Ctrl-C ends the studio at once with exit code 130, and what was in flight is in doubt", () =>
  Effect.gen(function*() {
    const at = yield* bench({ faults: [{ fault: "unanswered", on: "create", when: "after", at: [1] }] })
    at.write("source.csv", csv(upTo(40)))
    const { ended, signal, stderr } = yield* startRun(at)
    yield* until(() => at.count() > 0)
    signal("SIGINT")
    yield* until(() => stderr().includes("A second Ctrl-C stops at once."))
    // A signal that arrives right after the first one would be ignored, because npm repeats signals.
    yield* Effect.sleep("150 millis")
    signal("SIGINT")
    const ran = yield* Effect.promise(() => ended)
    expect(ran.status, ran.stderr).toBe(130)
    yield* at.exits(4, "run", "contacts")
    expect(at.report().rows.inDoubt).toBe(10)
    expect(at.answers("qName")).toEqual([...new Set(at.answers("qName"))])
  }))
