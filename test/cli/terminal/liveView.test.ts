import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import stringWidth from "fast-string-width"
import { liveView } from "../../../src/cli/terminal/progress.ts"
import { phases, type ProgressEvent } from "../../../src/domain/progress.ts"
import { namesOf } from "../../../src/domain/words.ts"
import { SlidingRate } from "../../../src/jobs/SlidingRate.ts"
import { terminal } from "../terminal.ts"

const progress = (more: Partial<ProgressEvent> = {}): ProgressEvent => ({
  phase: "import",
  read: 6_210,
  total: 10_000,
  sent: 6_210,
  readBack: { verified: 6_100, differing: 3, missing: 0, unread: 107 },
  inDoubt: 2,
  throttled: 14,
  rate: 98,
  ...more,
})

const at = (
  more: Partial<ProgressEvent>,
  width: number,
  rest: { readonly idle?: number; readonly name?: string } = {},
) =>
  liveView(
    { name: rest.name ?? "contacts", progress: progress(more), elapsed: 72_400, idle: rest.idle ?? 0 },
    { width, colour: false },
  )

describe("the live view", () => {
  it("shows the phase, rows, rate, time left, rows read back, rows in doubt, and throttling", () => {
    expect(at({}, 80)).toEqual([
      "contacts · import · 1m 12s",
      "████████████████████░░░░░░░░░░░░  62%  6,210 of 10,000 rows",
      "98 a second · about 39s left",
      "6,210 sent · 6,100 verified · 3 differing · 107 to read back",
      "2 in doubt · slowed down 14 times",
    ])
  })

  it("wraps between its parts on a narrow terminal", () => {
    expect(at({}, 40)).toEqual([
      "contacts · import · 1m 12s",
      "███████░░░░░  62%  6,210 of 10,000 rows",
      "98 a second · about 39s left",
      "6,210 sent · 6,100 verified",
      "3 differing · 107 to read back",
      "2 in doubt · slowed down 14 times",
    ])
    expect(at({}, 20)[3]).toBe("98 a second")
  })

  it("omits unknown figures, and shows that it is waiting", () => {
    const nothing = { verified: 0, differing: 0, missing: 0, unread: 0 }
    const survey = { phase: "survey", total: undefined, sent: 0, readBack: nothing, inDoubt: 0, throttled: 0 } as const
    expect(at({ ...survey, rate: undefined, read: 1 }, 80)).toEqual(["contacts · survey · 1m 12s", "1 row"])
    expect(at({ rate: 0, inDoubt: 0, throttled: 0, readBack: nothing }, 80, { idle: 12_900 })).toEqual([
      "contacts · import · 1m 12s",
      "████████████████████░░░░░░░░░░░░  62%  6,210 of 10,000 rows",
      "waiting for 12s",
      "6,210 sent",
    ])
    expect(at({ phase: "report", inDoubt: 0, throttled: 0, readBack: nothing }, 80)).toEqual([
      "contacts · report · 1m 12s",
      "writing the report",
    ])
  })

  it("fits every width for any name and numbers, and contains no control characters", () => {
    const number = fc.integer({ min: 0, max: 2_000_000_000 })
    fc.assert(
      fc.property(
        fc.integer({ min: 20, max: 200 }),
        fc.record({
          phase: fc.constantFrom(...namesOf(phases)),
          read: number,
          total: fc.option(number, { nil: undefined }),
          sent: number,
          readBack: fc.record({ verified: number, differing: number, missing: number, unread: number }),
          inDoubt: number,
          throttled: number,
          rate: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: undefined }),
        }),
        fc.oneof(fc.constant("a\u001B[2Jb\r\n"), fc.string({ unit: "grapheme" })),
        (width, drawn, name) => {
          for (const line of at(drawn, width, { name })) {
            expect(stringWidth(line)).toBeLessThan(width)
            expect(line).not.toMatch(/\p{Cc}|\p{Bidi_Control}/u)
          }
        },
      ),
      { seed: 6, numRuns: 300 },
    )
  })
})

describe("the live lines at the bottom of the terminal", () => {
  const view = (...lines: ReadonlyArray<string>) => () => lines

  it("the live lines are repainted in place with a single write, with the cursor visible below them", async () => {
    const screen = terminal({ columns: 40 })
    screen.output.say("before")
    screen.output.bottom(view("one", "two", "three"))
    screen.output.bottom(view("ONE", "TWO"))
    expect(await screen.lines()).toEqual(["before", "ONE", "TWO"])
    expect(screen.cursor()).toEqual([3, 0])
    expect(screen.writes.filter((text) => text !== "").length).toBe(3)
    expect(screen.writes.join("")).not.toContain("\u001B[?25l")
    screen.output.say("a message")
    expect(await screen.lines()).toEqual(["before", "a message", "ONE", "TWO"])
    screen.output.bottom(undefined)
    expect(await screen.lines()).toEqual(["before", "a message"])
    expect(screen.cursor()).toEqual([2, 0])
  })

  it("the live lines leave nothing behind after scrolling, and are never higher than the window", async () => {
    const screen = terminal({ columns: 30, rows: 4 })
    for (let at = 0; at < 30; at++) screen.output.bottom(view("a", "b", "c", "d", `${at}`))
    for (let at = 0; at < 5; at++) screen.output.say(`message ${at}`)
    expect(await screen.lines()).toEqual([...Array.from({ length: 5 }, (_, at) => `message ${at}`), "a", "b", "c"])
    screen.output.bottom(undefined)
    expect((await screen.lines()).length).toBe(5)
  })

  it("the live lines are repainted correctly after the window was resized", async () => {
    const screen = terminal({ columns: 60 })
    const wide: Parameters<typeof screen.output.bottom>[0] = ({ width }) => ["=".repeat(width - 1), "rows"]
    screen.output.say("before")
    screen.output.bottom(wide)
    await screen.lines()
    screen.resize(25)
    screen.output.bottom(wide)
    expect(await screen.lines()).toEqual(["before", "=".repeat(24), "rows"])
    screen.resize(50)
    screen.output.bottom(wide)
    expect(await screen.lines()).toEqual(["before", "=".repeat(49), "rows"])
  })

  it("the live lines have no colours if colours are disabled, and are not shown on a dumb terminal", async () => {
    const plain = terminal({ columns: 60, env: { NO_COLOR: "1" } })
    const live = (screen: { readonly width: number; readonly colour: boolean }) =>
      liveView({ name: "contacts", progress: progress(), elapsed: 1_000, idle: 0 }, screen)
    plain.output.bottom(live)
    for (const code of [1, 2, 31, 32, 33]) expect(plain.writes.join("")).not.toContain(`\u001B[${code}m`)
    const coloured = terminal({ columns: 60 })
    coloured.output.bottom(live)
    expect(coloured.writes.join("")).toContain("\u001B[31m2 in doubt")
    expect(await coloured.lines()).toEqual(await plain.lines())
    const dumb = terminal({ columns: 60, env: { TERM: "dumb" } })
    dumb.output.bottom(live)
    expect([dumb.output.hasBottom, dumb.writes]).toEqual([false, []])
  })
})

describe("the rate in the live view", () => {
  it("the rate is calculated from the last twenty seconds", () => {
    const rate = new SlidingRate(0, 500)
    expect(rate.rate(0)).toBeUndefined()
    for (let second = 1; second <= 60; second++) rate.note(second * 1_000, 500 + second * 10)
    expect(rate.rate(60_000)).toBeCloseTo(10)
    for (let second = 61; second <= 100; second++) rate.note(second * 1_000, 1_100 + (second - 60) * 50)
    expect(rate.rate(100_000)).toBeCloseTo(50)
  })

  it("the rate falls while there are no events, and the view shows how long this has lasted", () => {
    const rate = new SlidingRate(0, 0)
    rate.note(1_000, 100)
    expect([rate.rate(1_000), rate.rate(10_000), rate.idle(10_000)]).toEqual([100, 10, 9_000])
    rate.note(11_000, 100)
    expect(rate.idle(12_000)).toBe(11_000)
  })

  it("the rate needs few samples for any number of events", () => {
    const rate = new SlidingRate(0, 0)
    for (let millis = 1; millis <= 200_000; millis++) rate.note(millis, millis * 7)
    expect(rate.rate(200_000)).toBeCloseTo(7_000, -2)
    expect(JSON.stringify(rate).length).toBeLessThan(5_000)
  })
})
