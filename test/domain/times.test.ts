import { DateTime, Duration } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { instantIn, inZone, lasting, lastingEach, span } from "../../src/domain/times.ts"

it("lasting names durations as Effect does, in at most two units", () => {
  fc.assert(
    fc.property(fc.oneof(fc.nat(9_999), fc.nat(200_000_000).map((seconds) => seconds * 1000)), (millis) => {
      expect(lasting(millis)).toBe(Duration.format(Duration.millis(millis)).split(" ").slice(0, 2).join(" "))
    }),
    { seed: 17 },
  )
  expect([lasting(0), lasting(9_999.6), lasting(65_400), lasting(90_061_000)]).toEqual(["0", "10s", "1m 5s", "1d 1h"])
})

it("span accepts only ISO 8601 instants", () => {
  expect(span("2025-03-01T02:00:00.000Z", "2025-03-01T03:05:00.000Z")).toBe("1h 5m")
  expect(span("2025-03-01T02:00:00.000Z", "2025-03-01T01:00:00.000Z")).toBeUndefined()
  expect(span("row 1", "2025-03-01T01:00:00.000Z")).toBeUndefined()
})

/** Parses a text of `lasting` and returns milliseconds. */
const millisOf = (text: string): number =>
  [...text.matchAll(/(\d+)(ms|s|m|h)/g)].reduce(
    (sum, [, number, unit]) => sum + Number(number) * { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[unit as "ms"],
    0,
  )

it("lastingEach shows steps that add up to the total shown", () => {
  const steps = fc.oneof(fc.nat(2_000), fc.nat(40_000), fc.nat(4_000_000))
  fc.assert(
    fc.property(fc.array(steps, { minLength: 1, maxLength: 6 }), (parts) => {
      const shown = lastingEach(parts)
      expect(shown).toHaveLength(parts.length)
      const whole = lasting(parts.reduce((sum, part) => sum + part, 0))
      expect(shown.reduce((sum, text) => sum + millisOf(text), 0)).toBe(millisOf(whole))
    }),
    { seed: 18, numRuns: 2_000 },
  )
  expect(lastingEach([3_400, 1_300, 60_300])).toEqual(["3s", "2s", "1m"])
  expect(lastingEach([])).toEqual([])
})

it("inZone shows the local time of a zone, with seconds only if they aren't zero", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2_000_000_000 }),
      fc.constantFrom("Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "UTC"),
      (seconds, timeZone) => {
        const [day = "", time = ""] = DateTime.formatIsoOffset(
          DateTime.unsafeMakeZoned(seconds * 1000, { timeZone }),
        ).split("T")
        const clock = time.slice(0, 8).replace(/:00$/, "")
        const offset = time.slice(12).replace("Z", "+00:00")
        expect(inZone(seconds * 1000, timeZone).slice(4)).toBe(`${day} ${clock} ${offset}`)
      },
    ),
    { seed: 19 },
  )
  expect(instantIn("Europe/Berlin", "2025-03-01T02:00:00.000Z")).toBe("Sat 2025-03-01 03:00 +01:00")
  expect(instantIn("No/Where", "2025-03-01T02:00:05.000Z")).toBe("Sat 2025-03-01 02:00:05 +00:00")
  expect(instantIn("UTC", "row 1")).toBe("row 1")
})
