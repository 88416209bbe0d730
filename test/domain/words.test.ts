import { Duration } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { count, lasting, reasonOf, span } from "../../src/domain/words.ts"

it("separates thousands as Intl does, of whole numbers and of rates", () => {
  const grouped = new Intl.NumberFormat("en-US")
  const thousandths = fc.integer({ min: 0, max: 1e10 }).map((value) => value / 1000)
  fc.assert(
    fc.property(fc.oneof(fc.nat(2_000_000_000), fc.maxSafeNat(), thousandths), (value) => {
      expect(count(value)).toBe(grouped.format(value))
    }),
    { seed: 16 },
  )
})

it("names times as Effect does, in at most two units", () => {
  fc.assert(
    fc.property(fc.oneof(fc.nat(9_999), fc.nat(200_000_000).map((seconds) => seconds * 1000)), (millis) => {
      expect(lasting(millis)).toBe(Duration.format(Duration.millis(millis)).split(" ").slice(0, 2).join(" "))
    }),
    { seed: 17 },
  )
  expect([lasting(0), lasting(9_999.6), lasting(65_400), lasting(90_061_000)]).toEqual(["0", "10s", "1m 5s", "1d 1h"])
})

it("reads only ISO 8601 instants as the ends of a span of time", () => {
  expect(span("2025-03-01T02:00:00.000Z", "2025-03-01T03:05:00.000Z")).toBe("1h 5m")
  expect(span("2025-03-01T02:00:00.000Z", "2025-03-01T01:00:00.000Z")).toBeUndefined()
  expect(span("row 1", "2025-03-01T01:00:00.000Z")).toBeUndefined()
})

it("says in words why the system can't use a file, also through a platform's error", () => {
  const denied = Object.assign(new Error("EACCES: permission denied, open '/x'"), { code: "EACCES" })
  const wrapped = Object.assign(new Error("PermissionDenied: FileSystem.open"), { _tag: "SystemError", cause: denied })
  const outer = new Error("its mark can't be written", { cause: denied })
  expect([denied, wrapped, outer, "disk"].map(reasonOf)).toEqual([
    "you don't have permission",
    "you don't have permission",
    "its mark can't be written",
    "disk",
  ])
})
