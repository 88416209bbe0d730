import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cronFault, isZone, nextTime } from "../../src/project/cron.ts"

const times = (cron: string, after: string, count: number, zone = "Europe/Berlin") => {
  const found: Array<string> = []
  let at = Date.parse(after)
  while (found.length < count) {
    const next = nextTime({ cron, zone }, at)
    if (next === undefined) break
    found.push(new Date(next).toISOString().slice(0, 16))
    at = next
  }
  return found
}

describe("the next time of a schedule", () => {
  it("the next time follows the clocks of the zone", () => {
    expect(times("0 2 * * *", "2026-01-10T12:00:00Z", 1)).toEqual(["2026-01-11T01:00"])
    expect(times("0 2 * * *", "2026-07-10T12:00:00Z", 1)).toEqual(["2026-07-11T00:00"])
    expect(times("0 2 * * *", "2026-07-10T12:00:00Z", 1, "America/New_York")).toEqual(["2026-07-11T06:00"])
    expect(times("0 2 * * *", "2026-07-10T12:00:00Z", 1, "UTC")).toEqual(["2026-07-11T02:00"])
  })

  it("a scheduled time that a clock change skips becomes the first instant after it, and one that is repeated occurs once", () => {
    expect(times("30 2 * * *", "2026-03-28T12:00:00Z", 2)).toEqual(["2026-03-29T01:00", "2026-03-30T00:30"])
    expect(times("30 2 * * *", "2026-10-24T12:00:00Z", 2)).toEqual(["2026-10-25T00:30", "2026-10-26T01:30"])
  })

  it("the next times have even intervals over a clock change in spring and in autumn", () => {
    for (const day of ["2026-03-28T23:50:00Z", "2026-10-24T22:50:00Z"]) {
      const found = times("*/20 * * * *", day, 15)
      const gaps = found.slice(1).map((time, index) => Date.parse(`${time}Z`) - Date.parse(`${found[index]}Z`))
      expect(new Set(gaps)).toEqual(new Set([20 * 60_000]))
    }
  })

  it("the next time is always later than the given instant, and never repeats", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("0 2 * * *", "30 2 * * *", "*/15 * * * *", "0 0 1 * *", "15 1 * * MON-FRI", "0 3 29 2 *"),
        fc.constantFrom("Europe/Berlin", "America/New_York", "UTC", "Australia/Lord_Howe", "Asia/Kolkata"),
        fc.integer({ min: Date.parse("2026-01-01"), max: Date.parse("2026-12-31") }),
        (cron, zone, after) => {
          const first = nextTime({ cron, zone }, after)
          const again = first === undefined ? undefined : nextTime({ cron, zone }, first)
          expect(first).toBeGreaterThan(after)
          expect(again).toBeGreaterThan(first ?? Number.POSITIVE_INFINITY)
          // One millisecond earlier, this is also the next time.
          expect(nextTime({ cron, zone }, (first ?? 0) - 1)).toBe(first)
        },
      ),
      { seed: 20261120, numRuns: 200 },
    )
  })
})

it("cronFault says why a text is not a cron expression", () => {
  expect(cronFault("0 2 * * *")).toBeUndefined()
  expect(cronFault("*/15 7-19 * * MON-FRI")).toBeUndefined()
  expect(cronFault("30 0 2 * * *")).toBeUndefined()
  for (const wrong of ["", "0 2 * *", "@daily", "every night", "0 0 2 * * * *"]) {
    expect(cronFault(wrong)).toContain("five fields")
  }
  expect(cronFault("61 * * * *")).toContain("61")
  expect(cronFault("0 25 * * *")).toContain("25")
  expect(cronFault("0 2 30 2 *")).toBe("No time ever matches this cron expression.")
})

it("a schedule accepts zones of the tz database, but neither offsets nor the machine's zone", () => {
  expect(["Europe/Berlin", "UTC", "America/Argentina/Ushuaia"].map(isZone)).toEqual([true, true, true])
  expect(["", "local", "+02:00", "Europe/Berlim", "UTC+2"].map(isZone)).toEqual([false, false, false, false, false])
})
