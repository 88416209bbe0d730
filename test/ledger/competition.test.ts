import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { databases } from "./databases.ts"
import type { holderProcess } from "./holderProcess.ts"
import { ownProcess } from "./ownProcess.ts"
import { batchOf, contacts, folder, listed, rowOf } from "./rows.ts"

const holder = ownProcess("holderProcess")

type Told = Parameters<typeof holderProcess>[0]

/** Starts a child process and returns the lines that it prints. Kills the process when the scope closes. */
const start = (told: Told) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, holder(told), {
        stdio: ["pipe", "pipe", "inherit"],
      })
      const said: Array<string> = []
      const waiting: Array<(line: string) => void> = []
      createInterface({ input: child.stdout }).on("line", (line) => {
        const next = waiting.shift()
        if (next === undefined) said.push(line)
        else next(line)
      })
      const ended = new Promise<void>((end) => child.once("close", () => end()))
      const line = Effect.promise(() => {
        const first = said.shift()
        return first === undefined ? new Promise<string>((give) => waiting.push(give)) : Promise.resolve(first)
      })
      const signal = (name: NodeJS.Signals) => Effect.sync(() => child.kill(name))
      return {
        pid: child.pid ?? 0,
        said,
        line,
        signal,
        ended: Effect.promise(() => ended),
        ask: (question: string) => Effect.zipRight(Effect.sync(() => child.stdin.write(`${question}\n`)), line),
        end: Effect.sync(() => child.stdin.write("end\n")),
      }
    }),
    (child) => Effect.zipRight(child.signal("SIGKILL"), child.ended),
  )

const told = (options: Told["options"], more: Partial<Told> = {}): Told => ({
  options,
  work: "answer",
  from: 0,
  ...more,
})

/** Kills a process. In PostgreSQL, another one may take its lock over only after the lease, so this ends the lease. */
const kill = (
  child: Effect.Effect.Success<ReturnType<typeof start>>,
  { exec, name }: (typeof databases)[number],
  file: string,
) =>
  Effect.gen(function*() {
    yield* child.signal("SIGKILL")
    yield* child.ended
    if (name === "PostgreSQL") yield* exec(file, "UPDATE lock SET beat = beat - 60000")
  })

describe.each(databases)(
  "processes that compete for a pipeline in $name",
  (database) => {
    const { openLedger, optionsOf } = database

    it.scopedLive("competing processes hold a pipeline one at a time, even if many try at once on a ledger that does not exist yet", () =>
      Effect.gen(function*() {
        const file = join(yield* folder, "ledger.db")
        const options = yield* optionsOf({ file })
        const children = yield* Effect.all(Array.from({ length: 4 }, () => start(told(options))), { concurrency: 4 })
        const lines = yield* Effect.all(children.map((child) => child.line), { concurrency: 4 })
        expect(lines.filter((line) => line === "holds 1")).toHaveLength(1)
        expect(lines.filter((line) => line.startsWith("LedgerLocked"))).toHaveLength(3)
        const winner = children[lines.indexOf("holds 1")]
        expect(lines.find((line) => line.startsWith("LedgerLocked"))).toContain(`(process ${winner?.pid}`)
        const ledger = yield* openLedger({ file })
        const view = yield* contacts(ledger)
        expect((yield* Effect.flip(Effect.scoped(view.hold("late"))))._tag).toBe("LedgerLocked")
        // A run of a different pipeline uses the same file at the same time.
        const other = yield* (yield* contacts(ledger, "other")).hold("beside")
        expect(yield* winner?.ask("7") ?? Effect.succeed("")).toBe("intended 1 14 15")
        yield* other.startRun({ run: "beside", mode: "run", startedAt: "2024-01-01T00:00:00.000Z" })
        yield* winner?.end ?? Effect.void
        yield* winner?.ended ?? Effect.void
        yield* view.hold("next")
        expect((yield* view.counts).inDoubt).toBe(0)
      }))

    it.scopedLive("a process can take a pipeline after its holder was killed, and the rows in flight are in doubt", () =>
      Effect.gen(function*() {
        const file = join(yield* folder, "ledger.db")
        const child = yield* start(told(yield* optionsOf({ file }), { work: "import" }))
        for (let line = ""; !line.startsWith("settled 40 ");) line = yield* child.line
        yield* kill(child, database, file)
        const ledger = yield* openLedger({ file })
        const view = yield* contacts(ledger)
        const session = yield* view.hold("next")
        expect(session.epoch).toBe(2)
        const doubtful = yield* listed(view, "doubtful", { limit: 100 })
        expect(doubtful.length).toBeLessThanOrEqual(16)
        expect(yield* view.standing).toMatchObject({ inDoubt: doubtful.length, intended: 0 })
        expect(doubtful.map((row) => row.cells)).toEqual(doubtful.map((row) => [row.key, `content ${row.row}`]))
        expect(yield* ledger.verify).toEqual([])
      }))

    it.scopedLive("a process takes a pipeline over from a suspended process, which later detects this and writes nothing", () =>
      Effect.gen(function*() {
        const file = join(yield* folder, "ledger.db")
        // A heartbeat to a server may take longer.
        const lease = database.name === "SQLite" ? 2_000 : 4_000
        // So many heartbeats that the process is suspended during one.
        const times = { staleAfter: lease, heartbeat: 1 }
        const child = yield* start(told(yield* optionsOf({ file, ...times })))
        expect(yield* child.line).toBe("holds 1")
        // A live process continues its heartbeat, so no other process takes over, however long it runs.
        yield* Effect.sleep(1.3 * lease)
        expect(yield* child.ask("held")).toBe("true")
        const ledger = yield* openLedger({ file, ...times })
        const view = yield* contacts(ledger)
        expect((yield* Effect.flip(Effect.scoped(view.hold("early"))))._tag).toBe("LedgerLocked")
        // A process that is suspended while it writes to a file would block all others.
        const write = database.name === "SQLite" ? "BEGIN IMMEDIATE; ROLLBACK" : "SELECT 1"
        yield* child.signal("SIGSTOP")
        while (Exit.isFailure(yield* Effect.exit(database.exec(file, write)))) {
          yield* child.signal("SIGCONT")
          yield* child.signal("SIGSTOP")
        }
        yield* Effect.sleep(1.2 * lease)
        const session = yield* view.hold("next")
        expect(session.epoch).toBe(2)
        yield* child.signal("SIGCONT")
        expect(yield* child.ask("held")).toBe("false")
        expect(yield* child.ask("1")).toBe("LedgerOvertaken")
        expect((yield* view.counts).lastIntent).toBe(0)
        yield* child.end
        yield* child.ended
        expect(session.holdsLock()).toBe(true)
        yield* session.intend(batchOf([rowOf(ledger, 1)]))
      }))
    it.scopedLive("a process killed in the middle of commits loses no acknowledged commit, even after several kills", () =>
      Effect.gen(function*() {
        const file = join(yield* folder, "ledger.db")
        const intended = new Map<number, ReadonlyArray<number>>()
        const settled = new Set<number>()
        for (const [round, last] of [25, 61, 98].entries()) {
          const child = yield* start(told(yield* optionsOf({ file }), { work: "import", from: round * 10_000 }))
          expect(yield* child.line).toMatch(new RegExp(`^holds ${round + 1}$`))
          const lines: Array<string> = []
          while (lines.length < last) lines.push(yield* child.line)
          yield* kill(child, database, file)
          for (const line of [...lines, ...child.said]) {
            const [what, batch, ...rows] = line.split(" ")
            if (what === "intended") intended.set(Number(batch), rows.map(Number))
            if (what === "settled") settled.add(Number(batch))
          }
        }
        const ledger = yield* openLedger({ file })
        const view = yield* contacts(ledger)
        yield* view.hold("last")
        expect(settled.size).toBeGreaterThan(20)
        for (const [batch, rows] of intended) {
          const known = yield* view.lookUp(rows.map((row) => ledger.digest.key(`key ${row}`)))
          for (const row of known) {
            expect(row?.batch).toBe(batch)
            expect(settled.has(batch) ? ["imported"] : ["imported", "inDoubt"]).toContain(row?.state)
          }
        }
        expect(yield* ledger.verify).toEqual([])
      }))
  },
)
