// Nightly runs that pull only the records since a mark, from a form tool over HTTP that selects by time, into the practice service.
import { expect } from "@effect/vitest"
import { Clock, Effect } from "effect"
import type { RunReport } from "../../src/domain/report.ts"
import { checkProject } from "../../src/jobs/check.ts"
import { settlePipeline } from "../../src/jobs/settle.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { platform } from "../project/projectFolder.ts"
import { type FakeRecord, startTools, token } from "../source/pull/fakeTools.ts"
import { scoped, world } from "./world.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

interface Person extends FakeRecord {
  readonly mail?: string
  readonly status?: string
}

const pipeline = ({ at = "/updated_at", more = "", since = "", sink = "" } = {}) =>
  `pipeline: people
source:
  connection: tool
  request: { path: /dated, query: { since: "{since}", until: "{until}", offset: "{offset}", limit: 100 } }
  page: { offset: 0, total: /total }
  records: /items
  since: { at: ${at}, overlap: 1 day${since} }
  rowKey: [id]${more}
mapping:
  questions:
    - { name: Name, from: name }
    - { name: Mail, from: mail, as: email }
  unmapped: ignore
sink: { service: live, form: people, retries: { attempts: 2, base: 1 millis, max: 5 millis }${sink} }
reconcile: { visibleWithin: 1 seconds }
`

/** A project that pulls from a tool. Times of records are minutes after a time 30 days ago. */
const nights = Effect.gen(function*() {
  const one = yield* world
  const tools = yield* Effect.acquireRelease(Effect.promise(() => startTools()), ({ stop }) => Effect.sync(stop))
  yield* one.configure(
    `    capabilities: [delete]\nconnections:\n  tool: { base: "${tools.base}", auth: { bearer: { env: TOOL } }, requestsPerSecond: 100 }\n`,
  )
  yield* one.write(".env", `THE_KEY=practice_key_of_the_test\nTOOL=${token}\n`)
  yield* one.write("pipelines/people.yaml", pipeline())
  const start = (yield* Clock.currentTimeMillis) - 30 * day
  const people: Array<Person> = []
  const sync = () => {
    tools.store = [...people]
  }
  return {
    ...one,
    tools,
    start,
    /** Adds records, one each minute after `at`. */
    add: (ids: ReadonlyArray<number>, at: number, more: Partial<Person> = {}) => {
      ids.forEach((id, index) => {
        people.push({ id, name: `Person ${id}`, mail: `p${id}@example.org`, at: start + at + index * minute, ...more })
      })
      sync()
    },
    edit: (id: number, more: Partial<Person>) => {
      const index = people.findIndex((one) => one.id === id)
      people[index] = { ...people[index]!, ...more }
      sync()
    },
    remove: (id: number) => {
      people.splice(people.findIndex((one) => one.id === id), 1)
      sync()
    },
    /** Runs the pipeline. Returns its report, and the beginning of the pull: minutes after the start, or "all". */
    night: (options: Parameters<typeof one.run>[0] = {}) =>
      Effect.gen(function*() {
        tools.received.length = 0
        const report: RunReport = yield* one.run(options)
        const since = tools.received[0]?.url.searchParams.get("since") ?? undefined
        return { ...report, from: since === undefined ? "all" : (Date.parse(since) - Math.floor(start / 1000) * 1000) }
      }),
  }
})

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at)

/** The beginning of a pull whose mark is this time. */
const from = (mark: number) => mark - day

scoped(
  "a night reads only records that are new or edited, and the overlap",
  Effect.gen(function*() {
    const { add, edit, names, night, start, write } = yield* nights
    yield* write("pipelines/people.yaml", pipeline({ sink: ", onChange: import-again" }))
    add(range(1, 150), 0)
    const first = yield* night()
    expect(first).toMatchObject({ exitCode: 0, from: "all", rows: { read: 150, imported: 150 } })
    expect(first.sources[0]?.taken).toContainEqual({ what: "pulled", value: "150 records in 3 pages" })
    add(range(151, 190), 3 * day)
    for (const id of range(1, 10)) edit(id, { name: `Edited ${id}`, at: start + 3 * day + hour + id * minute })
    const second = yield* night()
    expect(second).toMatchObject({
      exitCode: 0,
      from: from(149 * minute),
      rows: { read: 190, alreadyImported: 140, imported: 50 },
      replaced: { count: 10 },
    })
    expect(second.vanished).toBeUndefined()
    add(range(191, 192), 6 * day)
    // Only the records at the mark and those of the day before it.
    expect(yield* night()).toMatchObject({
      exitCode: 0,
      from: from(3 * day + hour + 10 * minute),
      rows: { read: 52, alreadyImported: 50, imported: 2 },
    })
    const quiet = yield* night()
    expect(quiet).toMatchObject({ exitCode: 0, from: from(6 * day + minute), rows: { read: 2, alreadyImported: 2 } })
    expect(quiet.anomalies).toBeUndefined()
    expect(new Set(names()).size).toBe(192 + 10)
  }),
)

scoped(
  "a record that arrives late is found in the overlap, and --full finds older ones and vanished rows",
  Effect.gen(function*() {
    const { add, names, night, remove } = yield* nights
    add(range(1, 20), 0)
    add(range(21, 40), 10 * day)
    yield* night()
    add([41], 9.5 * day)
    add([42], 5 * day)
    remove(3)
    const next = yield* night()
    expect(next).toMatchObject({ exitCode: 0, from: from(10 * day + 19 * minute), rows: { read: 21, imported: 1 } })
    expect(next.vanished).toBeUndefined()
    expect(names()).not.toContain("Person 42")
    const full = yield* night({ full: true })
    expect(full).toMatchObject({ exitCode: 0, from: "all", rows: { imported: 1 }, vanished: { count: 1, fresh: 1 } })
    expect(full.sources[0]?.taken).toContainEqual({
      what: "pulled",
      value: "41 records in 2 pages, all of them: --full",
    })
    expect(names()).toHaveLength(42)
    expect(yield* night()).toMatchObject({ from: from(10 * day + 19 * minute), rows: { imported: 0 } })
  }),
)

scoped(
  "a night that stops in the middle does not move the mark",
  Effect.gen(function*() {
    const { add, fail, names, night } = yield* nights
    const gone = { status: 401, body: `{"message":"expired"}` }
    add(range(1, 20), 0)
    yield* night()
    add(range(21, 60), 10 * day)
    fail("POST", gone)
    expect(yield* night()).toMatchObject({ exitCode: 5, from: from(19 * minute) })
    add(range(61, 80), 20 * day)
    expect(yield* night({ limit: 15 })).toMatchObject({ exitCode: 0, from: from(19 * minute), rows: { imported: 15 } })
    // The first pending row holds the mark.
    const { from: held } = yield* night({ limit: 10 })
    expect(held).toBe(from(10 * day + 15 * minute))
    yield* night()
    expect(names()).toHaveLength(80)
    expect(yield* night()).toMatchObject({
      from: from(20 * day + 19 * minute),
      rows: { read: 20, alreadyImported: 20 },
    })
  }),
)

scoped(
  "after a pull of all records that stopped, all are pulled again, although there was a mark",
  Effect.gen(function*() {
    const { add, fail, names, night } = yield* nights
    add(range(1, 20), 20 * day)
    yield* night()
    add(range(21, 30), 0)
    fail("POST", { status: 401, body: `{"message":"expired"}` })
    expect(yield* night({ full: true })).toMatchObject({ exitCode: 5, from: "all" })
    expect(yield* night()).toMatchObject({ exitCode: 0, from: "all", rows: { imported: 10 } })
    expect(names()).toHaveLength(30)
  }),
)

scoped(
  "a rejected row holds the mark until it is fixed in the tool or acknowledged",
  Effect.gen(function*() {
    const { acknowledge, add, edit, names, night } = yield* nights
    add(range(1, 10), 0)
    add([11, 12], 5 * day, { mail: "no address" })
    add(range(13, 30), 10 * day)
    const first = yield* night()
    expect(first).toMatchObject({ exitCode: 1, rows: { invalid: 2, imported: 28 } })
    expect(first.because.join(" ")).toMatch(/The next run pulls the records since .* again, because row 11 \(invalid\)/)
    add(range(31, 40), 20 * day)
    expect(yield* night()).toMatchObject({ exitCode: 1, from: from(5 * day), rows: { invalid: 2, imported: 10 } })
    // The tool doesn't change the time of a record that is edited.
    edit(11, { mail: "p11@example.org" })
    expect(yield* night()).toMatchObject({ exitCode: 1, from: from(5 * day), rows: { invalid: 1, imported: 1 } })
    yield* acknowledge(["12"])
    expect(yield* night()).toMatchObject({ exitCode: 0, from: from(5 * day + minute), rows: { invalid: 1 } })
    expect(yield* night()).toMatchObject({ exitCode: 0, from: from(20 * day + 9 * minute), rows: { read: 10 } })
    expect(names()).toHaveLength(39)
  }),
)

scoped(
  "a row in doubt holds the mark until it is settled, and is then sent",
  Effect.gen(function*() {
    const { add, fail, names, night, root } = yield* nights
    add(range(1, 30), 0)
    yield* night()
    add([31], 5 * day)
    fail("POST", { status: 500, body: "" })
    expect(yield* night()).toMatchObject({ rows: { inDoubt: 1 } })
    add(range(32, 40), 10 * day)
    expect(yield* night()).toMatchObject({ from: from(29 * minute), rows: { inDoubt: 1, imported: 9 } })
    expect(yield* night()).toMatchObject({ from: from(5 * day), rows: { inDoubt: 1, imported: 0 } })
    yield* settlePipeline(yield* loadProject(root), {
      pipeline: "people",
      to: undefined,
      evidence: { _tag: "Person", landed: false, which: { _tag: "All" } },
      by: "ada",
      because: "looked",
    })
    expect(yield* night()).toMatchObject({ exitCode: 0, from: from(5 * day), rows: { imported: 1 } })
    expect(names()).toHaveLength(40)
  }),
)

scoped(
  "a row that `where` skips holds the mark, unless the pipeline lets it pass",
  Effect.gen(function*() {
    const { add, edit, names, night, write } = yield* nights
    const where = "\n  where: { status: done }"
    yield* write("pipelines/people.yaml", pipeline({ more: where }))
    add(range(1, 10), 0, { status: "done" })
    add([11], 5 * day, { status: "partial" })
    add(range(12, 20), 10 * day, { status: "done" })
    expect(yield* night()).toMatchObject({ exitCode: 0, rows: { filtered: 1, imported: 19 } })
    edit(11, { status: "done" })
    expect(yield* night()).toMatchObject({ exitCode: 0, from: from(5 * day), rows: { imported: 1 } })
    // A row that was imported and is skipped now needs nothing more.
    edit(12, { status: "deleted" })
    expect(yield* night()).toMatchObject({ from: from(10 * day + 8 * minute), rows: { filtered: 1 } })
    yield* write("pipelines/people.yaml", pipeline({ more: where, since: ", skipped: pass" }))
    add([21], 11 * day, { status: "partial" })
    add([22], 20 * day, { status: "done" })
    expect(yield* night()).toMatchObject({ exitCode: 0, from: "all", rows: { filtered: 2, imported: 1 } })
    expect(yield* night()).toMatchObject({ exitCode: 0, from: from(20 * day), rows: { read: 1 } })
    expect(names()).toHaveLength(21)
  }),
)

scoped(
  "no mark is set if a record has no time, or a time without a zone, and the report says so",
  Effect.gen(function*() {
    const { add, edit, night, start, tools, write } = yield* nights
    add(range(1, 5), 0)
    add([6], 0, { at: undefined } as never)
    expect((yield* night()).because).toContain(
      "The next run pulls all records again: 1 record has no time that can be read with `source.since`.",
    )
    expect(yield* night()).toMatchObject({ from: "all" })
    edit(6, { at: start })
    yield* night()
    expect(yield* night()).toMatchObject({ from: from(4 * minute) })
    yield* write("pipelines/people.yaml", pipeline({ at: "/name" }))
    expect((yield* night()).because.join(" ")).toContain("6 records have no time")
    tools.received.length = 0
  }),
)

scoped(
  "a rehearsal, a dry run and a check pull what the next run pulls, and don't move the mark",
  Effect.gen(function*() {
    const { add, night, rehearse, root, tools, write } = yield* nights
    add(range(1, 10), 0)
    yield* night()
    add(range(11, 20), 5 * day)
    expect(yield* night({ dryRun: true })).toMatchObject({ from: from(9 * minute), rows: { pending: 10 } })
    expect(yield* rehearse()).toMatchObject({ exitCode: 0, rows: { imported: 10 } })
    const { pipelines } = yield* checkProject(root, ["people"])
    expect(pipelines[0]).toMatchObject({ failures: [], data: { rows: 20 } })
    expect(pipelines[0]?.taken.find(({ what }) => what === "pulled")?.value).toMatch(
      /^20 records in 2 pages since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \(overlap 1d\)$/,
    )
    expect(tools.received.at(-1)?.url.searchParams.get("since")).not.toBeNull()
    expect(yield* night()).toMatchObject({ from: from(9 * minute), rows: { imported: 10 } })
    const skips = (found: typeof pipelines) =>
      found[0]?.diagnostics.filter(({ message }) => /without `total`/.test(message))
    expect(skips(pipelines)).toEqual([])
    yield* write("pipelines/people.yaml", pipeline().replace(", total: /total", ""))
    expect(skips((yield* checkProject(root, ["people"])).pipelines)).toMatchObject([{ severity: "warning" }])
  }),
)

scoped(
  "everything is pulled after an edit of the pipeline, for undone and refused rows, and after some days",
  Effect.gen(function*() {
    const { add, night, write } = yield* nights
    add(range(1, 10), 0)
    yield* night()
    expect(yield* night()).not.toMatchObject({ from: "all" })
    yield* write("pipelines/people.yaml", pipeline({ sink: ", concurrency: 2" }))
    const edited = yield* night()
    expect(edited.from).toBe("all")
    expect(edited.sources[0]?.taken.at(-1)?.value).toContain("all of them: the pipeline or its connection was edited")
    yield* night()
    expect(yield* night({ retryRefused: true })).toMatchObject({ from: "all" })
    expect(yield* night({ resendUndone: true })).toMatchObject({ from: "all" })
    yield* write("pipelines/people.yaml", pipeline({ since: ", fullEvery: 1 millis" }))
    yield* night()
    expect((yield* night()).sources[0]?.taken.at(-1)?.value).toContain("all of them: every 1ms")
  }),
)

scoped(
  "a source has the columns of earlier nights, even without records or with records that lack members",
  Effect.gen(function*() {
    const { add, names, night, remove } = yield* nights
    add(range(1, 3), 0)
    yield* night()
    add([4], 5 * day, { mail: undefined } as never)
    expect(yield* night()).toMatchObject({ exitCode: 0, rows: { read: 4, imported: 1 } })
    expect(yield* night()).toMatchObject({ exitCode: 0, rows: { read: 1, alreadyImported: 1 } })
    remove(4)
    const empty = yield* night()
    expect(empty).toMatchObject({ exitCode: 0, rows: { read: 0 }, anomalies: [{ code: "empty-source" }] })
    add([5], 6 * day)
    expect(yield* night()).toMatchObject({ from: from(5 * day), rows: { imported: 1 } })
    expect(names()).toHaveLength(5)
  }),
)

scoped(
  "all records are pulled if a row that was sent from a different file is unfinished, and not among the new ones",
  Effect.gen(function*() {
    const { add, fail, names, night, run, source } = yield* nights
    add(range(1, 10), 0)
    add(range(11, 20), 10 * day)
    yield* night()
    add([21], 0)
    yield* source(["21,Person 21,p21@example.org"], "id,name,mail")
    fail("POST", { status: 500, body: "" })
    expect(yield* run({ source: "source.csv" })).toMatchObject({ rows: { inDoubt: 1 } })
    const next = yield* night()
    expect(next).toMatchObject({ exitCode: 4, from: from(10 * day + 9 * minute), rows: { inDoubt: 0 } })
    expect(next.because).toContain(
      "The next run pulls all records: 1 row that was sent is not finished, and is not among the new records.",
    )
    expect(yield* night()).toMatchObject({ exitCode: 4, from: "all", rows: { inDoubt: 1 } })
    expect(yield* night()).toMatchObject({ from: from(0) })
    expect(names()).toHaveLength(20)
  }),
)

scoped(
  "records that share none with the earlier ones are reported, and a pull of all records ends that",
  Effect.gen(function*() {
    const { add, night, remove } = yield* nights
    add(range(1, 10), 0)
    yield* night()
    for (const id of range(1, 10)) remove(id)
    add(range(11, 15), 10 * day)
    expect(yield* night()).toMatchObject({ exitCode: 1, anomalies: [{ code: "gap" }], rows: { imported: 5 } })
    expect(yield* night()).toMatchObject({ exitCode: 1, anomalies: [{ code: "gap" }] })
    const full = yield* night({ full: true })
    expect(full).toMatchObject({ exitCode: 0, vanished: { count: 10 } })
    expect(yield* night()).toMatchObject({ exitCode: 0 })
  }),
)

scoped(
  "limits and anomalies compare a night with all known rows, and with nights of its kind",
  Effect.gen(function*() {
    const { add, edit, night, start, write } = yield* nights
    yield* write(
      "pipelines/people.yaml",
      pipeline({ sink: ", onChange: ignore, stopWhen: { new: 60%, changed: 15% }" }).replace("new: 60%", "new: 100%"),
    )
    add(range(1, 200), 0)
    yield* night()
    yield* write(
      "pipelines/people.yaml",
      pipeline({ sink: ", onChange: ignore, stopWhen: { new: 60%, changed: 15% }" }),
    )
    yield* night()
    for (const time of [5, 10, 15, 20]) {
      add(range(time * 1_000, time * 1_000 + 25), time * day)
      for (const id of range(time, time + 24)) edit(id, { name: "Edited", at: start + time * day + hour + id * minute })
      const report = yield* night()
      expect(report).toMatchObject({ exitCode: 0, rows: { imported: 26 } })
      expect(report.anomalies).toBeUndefined()
    }
    for (const id of range(100, 199)) edit(id, { name: "Edited", at: start + 25 * day + id * minute })
    expect(yield* night()).toMatchObject({ exitCode: 3 })
  }),
)

scoped(
  "a late row whose key resembles an earlier one is refused until all records are pulled",
  Effect.gen(function*() {
    const { add, names, night, tools } = yield* nights
    add([112], 0)
    yield* night()
    add([113], 10 * day)
    yield* night()
    tools.store = [...tools.store, { id: "0112" as never, name: "Other", at: tools.store[1]?.at ?? 0 }]
    const refused = yield* night()
    expect(refused).toMatchObject({ exitCode: 2, rows: { pending: 1 } })
    expect(refused.because.join(" ")).toMatch(
      /as an imported or skipped row that is not among the records that were pulled now\..*pull all records: formferry run people --full\./,
    )
    expect(refused.because.join(" ")).not.toMatch(/no longer in the source|left the source|ledger rekey|accept/)
    expect(yield* night({ full: true })).toMatchObject({ exitCode: 0, rows: { imported: 1 } })
    expect(yield* night()).toMatchObject({ exitCode: 0, rows: { imported: 0 } })
    expect(names()).toHaveLength(3)
  }),
)

scoped(
  "new records with the cells of earlier ones stop a run that pulls all records, but not a pull of only new records",
  Effect.gen(function*() {
    const { add, names, night, remove } = yield* nights
    add(range(1, 20), 0)
    yield* night()
    for (const id of range(1, 19)) {
      remove(id)
      add([id + 100], 5 * day + id * minute, { name: `Person ${id}`, mail: `p${id}@example.org` })
    }
    const full = yield* night({ full: true, dryRun: true })
    expect([full.exitCode, full.because.join(" ")]).toEqual([3, expect.stringContaining("19 of 19 rows")])
    expect(yield* night()).toMatchObject({ exitCode: 0, rows: { imported: 19, alreadyImported: 1 } })
    expect(names()).toHaveLength(39)
  }),
)

scoped(
  "a run whose records were pulled before another run ended leaves the mark of that run",
  Effect.gen(function*() {
    const { add, fail, names, night, run } = yield* nights
    add(range(1, 10), 0)
    yield* night()
    add(range(11, 15), 5 * day)
    const meanwhile = Effect.suspend(() => {
      add(range(16, 20), 10 * day)
      return run()
    })
    expect(yield* night({ warn: () => Effect.provide(Effect.asVoid(Effect.orDie(meanwhile)), platform) }))
      .toMatchObject({
        exitCode: 0,
        from: from(9 * minute),
        rows: { alreadyImported: 15, imported: 0 },
      })
    expect(yield* night()).toMatchObject({ from: from(10 * day + 4 * minute), rows: { read: 5 } })
    // The other run deletes the mark and stops.
    const stopping = Effect.suspend(() => {
      add([21], 0)
      fail("POST", { status: 401, body: `{"message":"expired"}` })
      return run({ full: true })
    })
    expect(yield* night({ warn: () => Effect.provide(Effect.asVoid(Effect.orDie(stopping)), platform) })).toMatchObject(
      { exitCode: 0 },
    )
    expect(yield* night()).toMatchObject({ from: "all", rows: { imported: 1 } })
    expect(names()).toHaveLength(21)
  }),
)

scoped(
  "the mark stays while a submission is missing, and moves once it is found",
  Effect.gen(function*() {
    const { add, fail, night, reconcile, write } = yield* nights
    yield* write("pipelines/people.yaml", pipeline({ sink: ", canary: off, stopWhen: { differing: 100% }" }))
    add(range(1, 10), 0)
    yield* night()
    add([11], 5 * day)
    fail("GET", ...Array.from({ length: 50 }, () => ({ status: 404, body: `{"message":"not found"}` })))
    const missing = yield* night()
    expect(missing).toMatchObject({ exitCode: 4, readBack: { missing: 1 } })
    expect(missing.because).toContain("The next run pulls these records again: 1 submission is not proven.")
    fail("GET")
    for (let tries = 0; tries < 10; tries++) if ((yield* reconcile()).exitCode === 0) break
    expect(yield* night()).toMatchObject({ exitCode: 0, from: from(9 * minute) })
    expect(yield* night()).toMatchObject({ from: from(5 * day) })
  }),
)

scoped(
  "all records are pulled if the mark is in the future, because this machine's clock was wrong",
  Effect.gen(function*() {
    const { add, names, night } = yield* nights
    add(range(1, 10), 0)
    yield* night()
    add([11], 33 * day)
    yield* Effect.clockWith((clock) =>
      Effect.withClock(
        night(),
        Object.assign(Object.create(clock) as Clock.Clock, {
          currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + 5 * day),
          unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis() + 5 * day,
        }),
      )
    )
    add([12], 29 * day)
    const next = yield* night()
    expect(next).toMatchObject({ exitCode: 0, from: "all", rows: { imported: 1 } })
    expect(next.sources[0]?.taken.at(-1)?.value).toContain("all of them: this machine's clock was set back")
    expect(names()).toHaveLength(12)
    expect(yield* night()).toMatchObject({ from: from(29 * day), rows: { imported: 0 } })
  }),
)

scoped(
  "undone rows don't hold the mark, and --resend-undone sends them however old they are",
  Effect.gen(function*() {
    const { add, names, night, undo } = yield* nights
    add(range(1, 10), 0)
    const { run } = yield* night()
    add(range(11, 15), 10 * day)
    yield* undo(run, { confirm: () => true })
    expect(yield* night()).toMatchObject({ exitCode: 0, from: from(9 * minute), rows: { undone: 10, imported: 5 } })
    expect(yield* night()).toMatchObject({ from: from(10 * day + 4 * minute), rows: { read: 5 } })
    expect(yield* night({ resendUndone: true })).toMatchObject({ from: "all", rows: { imported: 10 } })
    expect(names()).toHaveLength(15)
  }),
)

scoped(
  "removing and adding `since` again starts with all records",
  Effect.gen(function*() {
    const { add, names, night, write } = yield* nights
    add(range(1, 10), 10 * day)
    yield* night()
    const without = pipeline().replace(/  since: .*\n/, "  since: none\n")
    yield* write("pipelines/people.yaml", without)
    add(range(11, 20), 0)
    expect(yield* night({ limit: 3 })).toMatchObject({ from: "all", rows: { imported: 3, pending: 7 } })
    yield* write("pipelines/people.yaml", pipeline())
    expect(yield* night()).toMatchObject({ from: "all", rows: { imported: 7 } })
    expect(names()).toHaveLength(20)
  }),
)

scoped(
  "all records are pulled if the new ones lack columns that a form tool makes",
  Effect.gen(function*() {
    const { add, names, night, write } = yield* nights
    yield* write(
      "pipelines/people.yaml",
      pipeline().replace("from: name", "from: Full name").replace("from: mail", "from: E-mail"),
    )
    const answer = (text: string, answer: string) => ({ name: text, text, type: "control_textbox", answer })
    const answered = (name: string, mail?: string) =>
      ({
        created_at: "2026-01-31 08:00:00",
        form_id: "1",
        answers: { 3: answer("Full name", name), ...(mail === undefined ? {} : { 4: answer("E-mail", mail) }) },
      }) as never
    add([1], 0, answered("Ada", "ada@example.org"))
    add([2], 3 * day, answered("Bea"))
    expect(yield* night()).toMatchObject({ exitCode: 0, rows: { imported: 2 } })
    add([3], 5 * day, answered("Cleo"))
    const few = yield* night()
    expect(few).toMatchObject({ exitCode: 0, from: from(3 * day), rows: { read: 3, imported: 1 } })
    expect(few.sources[0]?.taken.at(-1)?.value).toBe(
      "3 records in 2 pages, all of them: the new records lack columns of earlier ones",
    )
    add([4], 5 * day + hour, answered("Dora", "dora@example.org"))
    expect(yield* night()).toMatchObject({ exitCode: 0, from: from(5 * day), rows: { read: 2, imported: 1 } })
    expect(names()).toEqual(["Ada", "Bea", "Cleo", "Dora"])
  }),
)
