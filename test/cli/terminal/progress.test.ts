import { expect, it } from "@effect/vitest"
import { Effect, LogLevel, TestClock } from "effect"
import { Writable } from "node:stream"
import { Invocation } from "../../../src/cli/Invocation.ts"
import { makeOutput, Output } from "../../../src/cli/Output.ts"
import { liveRuns, progressOf, withProgress } from "../../../src/cli/terminal/progress.ts"
import type { ProgressEvent } from "../../../src/domain/progress.ts"
import { showWork } from "../../../src/run/Progress.ts"
import { terminal } from "../terminal.ts"

const event = (more: Partial<ProgressEvent>): ProgressEvent => ({
  phase: "survey",
  read: 0,
  total: undefined,
  sent: 0,
  readBack: { verified: 0, differing: 0, missing: 0, unread: 0 },
  inDoubt: 0,
  throttled: 0,
  rate: undefined,
  ...more,
})

const asked = (json: boolean) => ({
  typed: [],
  command: "run",
  pipelines: ["contacts"],
  project: undefined,
  json,
  github: false,
  logLevel: LogLevel.Info,
})

const log = () => {
  const lines: Array<string> = []
  const stream = Object.assign(
    new Writable({
      decodeStrings: false,
      write: (text: string, _, done) => {
        lines.push(...text.trimEnd().split("\n"))
        done()
      },
    }),
    { isTTY: false },
  ) as unknown as NodeJS.WriteStream
  const output = makeOutput({
    stdin: { isTTY: false } as NodeJS.ReadStream & { readonly fd: 0 },
    stdout: stream as NodeJS.WriteStream & { readonly fd: 1 },
    stderr: stream as NodeJS.WriteStream & { readonly fd: 2 },
    env: {},
  }, { noColor: false })
  return { lines, output }
}

it.scoped(
  "progress repaints at most ten times per second, and its time advances even if no rows arrive",
  () =>
    Effect.gen(function*() {
      const screen = terminal({ columns: 80 })
      const progress = yield* progressOf("contacts").pipe(
        Effect.provideService(Output, screen.output),
        Effect.provideService(Invocation, asked(false)),
      )
      for (let chunk = 1; chunk <= 300; chunk++) {
        for (let once = 0; once < 1_000; once++) yield* progress.show(event({ read: chunk * 1_000 + once }))
        yield* TestClock.adjust("10 millis")
      }
      const writes = screen.writes.length
      expect(writes).toBeGreaterThan(20)
      expect(writes).toBeLessThanOrEqual(31)
      expect(yield* Effect.promise(screen.lines)).toEqual([
        "contacts · survey · 2s",
        expect.stringMatching(/^(29|30)\d,\d{3} rows$/),
      ])
      yield* TestClock.adjust("20 seconds")
      expect((yield* Effect.promise(screen.lines))[0]).toBe("contacts · survey · 23s")
      expect((yield* Effect.promise(screen.lines)).at(-1)).toContain("waiting for")
      yield* progress.done
      yield* TestClock.adjust("20 seconds")
      expect(yield* Effect.promise(screen.lines)).toEqual([])
    }),
  20_000,
)

it.scoped("progress without a terminal writes a line every ten seconds and after a long phase, but none for short phases", () =>
  Effect.gen(function*() {
    const { lines, output } = log()
    const progress = yield* progressOf("contacts").pipe(
      Effect.provideService(Output, output),
      Effect.provideService(Invocation, asked(false)),
    )
    yield* progress.show(event({ read: 10 }))
    yield* progress.show(event({ phase: "canary", read: 0, total: 10 }))
    yield* TestClock.adjust("2 seconds")
    yield* progress.show(event({ phase: "canary", read: 10, total: 10, sent: 10 }))
    for (let second = 0; second <= 25; second++) {
      yield* progress.show(event({ phase: "import", read: second * 10, total: 1_000, sent: second * 10 }))
      yield* TestClock.adjust("1 seconds")
    }
    yield* progress.done
    expect(lines).toEqual([
      "contacts: canary    10 of 10 rows (100%) · 10 sent · 5.0 a second",
      "contacts: import    100 of 1,000 rows (10%) · 100 sent · 10 a second · about 1m 30s left",
      "contacts: import    200 of 1,000 rows (20%) · 200 sent · 10 a second · about 1m 20s left",
    ])
  }))

it.scoped("a line of progress without a terminal is never cut", () =>
  Effect.gen(function*() {
    const { lines, output } = log()
    const progress = yield* progressOf("a-pipeline-with-a-long-name").pipe(
      Effect.provideService(Output, output),
      Effect.provideService(Invocation, asked(false)),
    )
    const long = { sent: 1_000, total: 10_000, inDoubt: 30, throttled: 1 }
    yield* progress.show(event({ phase: "import", read: 0, ...long }))
    yield* TestClock.adjust("10 seconds")
    yield* progress.show(event({ phase: "import", read: 1_000, ...long }))
    expect(lines).toEqual([
      "a-pipeline-with-a-long-name: import    1,000 of 10,000 rows (10%) · 1,000 sent · 30 in doubt"
      + " · slowed down 1 time · 100 a second · about 1m 30s left",
    ])
  }))

it.scoped("progress with --json prints an event each second and at the start of a phase, as one object per line", () =>
  Effect.gen(function*() {
    const { lines, output } = log()
    const progress = yield* progressOf("contacts", "contacts (rehearsal)").pipe(
      Effect.provideService(Output, output),
      Effect.provideService(Invocation, asked(true)),
    )
    for (let tenth = 0; tenth <= 25; tenth++) {
      yield* progress.show(event({ read: tenth * 10, total: 1_000 }))
      yield* TestClock.adjust("100 millis")
    }
    yield* progress.show(event({ phase: "import", read: 0, total: 5 }))
    const events = lines.map((line): unknown => JSON.parse(line))
    expect(events).toMatchObject([
      { event: "progress", pipeline: "contacts", phase: "survey", read: 0 },
      { event: "progress", phase: "survey", read: 100, rate: 100 },
      { event: "progress", phase: "survey", read: 200, rate: 100 },
      { event: "progress", phase: "import", read: 0 },
    ])
  }))

it.scoped("concurrent runs are shown one below the other until each ends", () =>
  Effect.gen(function*() {
    const screen = terminal({ columns: 80 })
    const runs = yield* liveRuns.pipe(
      Effect.provideService(Output, screen.output),
      Effect.provideService(Invocation, asked(false)),
    )
    yield* runs.show("people", event({ read: 10 }))
    yield* runs.show("orders", event({ phase: "import", read: 5, total: 20 }))
    const lines = yield* Effect.promise(screen.lines)
    expect(lines.map((line) => line.split(" · ").slice(0, 2).join(" · "))).toEqual([
      "people · survey",
      "10 rows",
      "orders · import",
      expect.stringContaining("25%  5 of 20 rows"),
    ])
    yield* runs.done("people")
    expect((yield* Effect.promise(screen.lines))[0]).toContain("orders")
    yield* runs.done("orders")
    expect(yield* Effect.promise(screen.lines)).toEqual([])
  }))

it.effect("work other than a run shows its rate and the time left only in a terminal without --json", () =>
  Effect.gen(function*() {
    const screen = terminal({ columns: 80 })
    const work = (lines: () => ReadonlyArray<string> | Promise<ReadonlyArray<string>>) => () =>
      Effect.gen(function*() {
        for (let read = 1_000; read <= 4_000; read += 1_000) {
          yield* showWork("results", read, 10_000)
          yield* TestClock.adjust("1 seconds")
        }
        return yield* Effect.promise(async () => lines())
      })
    const shown = (output: Output["Type"], json: boolean, work: () => Effect.Effect<ReadonlyArray<string>>) =>
      withProgress("people", work).pipe(
        Effect.provideService(Output, output),
        Effect.provideService(Invocation, asked(json)),
      )
    expect(yield* shown(screen.output, false, work(screen.lines))).toEqual([
      "people · read the results · 4s",
      expect.stringContaining("40%  4,000 of 10,000 submissions"),
      expect.stringMatching(/^[\d.,]+ a second · about \d+s left$/),
    ])
    expect(yield* Effect.promise(screen.lines)).toEqual([])
    expect(yield* shown(screen.output, true, work(screen.lines))).toEqual([])
    const { lines, output } = log()
    expect(yield* shown(output, false, work(() => lines))).toEqual([])
  }))
