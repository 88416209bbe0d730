import fc from "fast-check"
import { DateTime } from "luxon"
import { describe, expect, it } from "vitest"
import { DateCell } from "../../src/domain/cell.ts"
import { dateTime } from "../../src/kinds/dateTime.ts"
import { zoneClock } from "../../src/kinds/wallClock.ts"
import { compiled, conforms } from "./conformance.ts"

conforms({
  kind: dateTime,
  options: [
    { format: "dd.MM.yyyy HH:mm", zone: "Europe/Berlin" },
    {},
    { zone: "UTC" },
    { format: ["M/d/yyyy h:mm a", "dd.MM.yyyy HH:mm ZZ"], zone: "America/New_York", ambiguous: "earlier" },
  ],
  sends: [
    ["31.05.2024 14:30", "2024-05-31T12:30:00.000Z"],
    ["31.12.2024 00:30", "2024-12-30T23:30:00.000Z"],
    ["2024-05-31T14:30", "2024-05-31T12:30:00.000Z"],
    ["2024-05-31 14:30:15.25", "2024-05-31T12:30:15.250Z"],
    ["2024-05-31T14:30:00Z", "2024-05-31T14:30:00.000Z"],
    ["2024-05-31T14:30:00+0530", "2024-05-31T09:00:00.000Z"],
    [new DateCell("2024-05-31T14:30:00"), "2024-05-31T12:30:00.000Z"],
    [new DateCell("2024-05-31"), "2024-05-30T22:00:00.000Z"],
  ],
  equivalent: [["2024-05-31T12:30:00.000Z", "2024-05-31T14:30:00+02:00"], [
    "2024-05-31T12:30:00Z",
    "2024-05-31T12:30:00.000Z",
  ]],
  changed: [
    ["2024-05-31T12:30:00.000Z", "2024-05-31T12:30:00.001Z"],
    ["2024-05-31T12:30:00.000Z", "2024-05-31T12:30:00"],
    ["2024-05-31T12:30:00.000Z", "2024-05-31"],
  ],
})

const context = { question: undefined, input: { _tag: "Columns" }, empty: new Set<string>() } as const

describe("the dateTime kind", () => {
  it("needs a zone for a text without an offset", () => {
    expect(compiled(dateTime)(["2024-05-31T14:30"])).toMatchObject({
      code: "not-a-date-time",
      expected: expect.stringContaining("`zone`"),
    })
    expect(compiled(dateTime)([new DateCell("2024-05-31T14:30:00")])).toMatchObject({ code: "not-a-date-time" })
    expect(dateTime.compile({ format: "dd.MM.yyyy HH:mm" }, context)).toMatchObject([{ option: "format" }])
    expect(compiled(dateTime, { format: "dd.MM.yyyy HH:mm ZZ" })(["31.05.2024 14:30 +02:00"])).toBe(
      "2024-05-31T12:30:00.000Z",
    )
  })

  it("reads instants that are counted since 1970, and days of spreadsheet programs in a zone", () => {
    const read = (format: string, cell: string | number, zone?: string) =>
      compiled(dateTime, { format, ...(zone === undefined ? {} : { zone }) })([cell])
    expect(read("unix", "1717158600")).toBe("2024-05-31T12:30:00.000Z")
    expect(read("unix", 1717158600.25, "Europe/Berlin")).toBe("2024-05-31T12:30:00.250Z")
    expect(read("unix-ms", "-1")).toBe("1969-12-31T23:59:59.999Z")
    expect(read("excel", "45443.60417", "Europe/Berlin")).toBe("2024-05-31T12:30:00.000Z")
    expect(read("unix", "31.05.2024")).toMatchObject({ code: "not-a-date-time" })
    expect(dateTime.compile({ format: "excel" }, context)).toMatchObject([{ option: "format" }])
  })

  it.each([
    "2024-05-31",
    "14:30",
    "31.05.2024",
    "31.05.2024 24:00",
    "2024-05-31T14:30+99:00",
    "0001-01-01T00:00+10:00",
  ])(
    "the dateTime kind refuses %s",
    (cell) => {
      expect(compiled(dateTime, { format: "dd.MM.yyyy HH:mm", zone: "Europe/Berlin" })([cell])).toMatchObject({
        code: "not-a-date-time",
      })
    },
  )

  it("refuses a time that a clock change skips or repeats", () => {
    const at = (cell: string, ambiguous?: "earlier" | "later") =>
      compiled(dateTime, { zone: "Europe/Berlin", ...(ambiguous === undefined ? {} : { ambiguous }) })([cell])
    for (const cell of ["2024-03-31T02:30", "2024-10-27T02:30"]) {
      expect(at(cell)).toMatchObject({ code: "ambiguous-time", expected: expect.stringContaining("Europe/Berlin") })
    }
    expect(at("2024-10-27T02:30", "earlier")).toBe("2024-10-27T00:30:00.000Z")
    expect(at("2024-10-27T02:30", "later")).toBe("2024-10-27T01:30:00.000Z")
    expect(at("2024-03-31T02:30", "earlier")).toBe("2024-03-31T00:30:00.000Z")
    expect(at("2024-03-31T02:30", "later")).toBe("2024-03-31T01:30:00.000Z")
    expect(at("2024-03-31T01:59")).toBe("2024-03-31T00:59:00.000Z")
    expect(at("2024-03-31T03:00")).toBe("2024-03-31T01:00:00.000Z")
    expect(at("2024-10-27T03:00")).toBe("2024-10-27T02:00:00.000Z")
  })

  it("takes zones from the tz database only, never from the machine", () => {
    for (const zone of ["Europe/Berln", "system", "local", "default", "CEST", ""]) {
      expect(dateTime.compile({ zone }, context), zone).toMatchObject([{ option: "zone" }])
    }
  })

  it("joins a date and a time, and needs both", () => {
    const parts = compiled(dateTime, { zone: "Europe/Berlin" }, { input: { _tag: "Parts", parts: ["date", "time"] } })
    expect(parts(["2024-05-31", "14:30"])).toBe("2024-05-31T12:30:00.000Z")
    expect(parts([null, null])).toBeUndefined()
    expect(parts(["2024-05-31", null])).toMatchObject({ code: "not-a-date-time", cell: 1 })
    expect(parts([null, "14:30"])).toMatchObject({ code: "not-a-date-time", cell: 0 })
    const turned = compiled(dateTime, { zone: "UTC" }, { input: { _tag: "Parts", parts: ["time", "date"] } })
    expect(turned(["14:30", "2024-05-31"])).toBe("2024-05-31T14:30:00.000Z")
    expect(dateTime.compile({ format: "dd.MM.yyyy HH:mm" }, { ...context, input: { _tag: "Parts", parts: ["date"] } }))
      .toHaveLength(3)
  })

  it("reads local times in every zone as luxon does", () => {
    const zones = [
      "Europe/Berlin",
      "America/New_York",
      "Australia/Lord_Howe",
      "Africa/Casablanca",
      "Asia/Kathmandu",
      "Pacific/Apia",
    ]
    const clocks = new Map(zones.map((zone) => [zone, zoneClock(zone)]))
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.integer({ min: -30_000_000, max: 34_000_000 }), (zone, minutes) => {
        const reading = minutes * 60_000
        const utc = DateTime.fromMillis(reading, { zone: "utc" })
        const local = utc.setZone(zone, { keepLocalTime: true })
        const shown = local.toFormat("yyyyMMddHHmm") === utc.toFormat("yyyyMMddHHmm")
        const possible = shown
          ? local.getPossibleOffsets().map((each) => each.toMillis()).toSorted((a, b) => a - b)
          : []
        const instant = clocks.get(zone)?.instant(reading, undefined)
        expect(instant).toBe(possible.length === 1 ? possible[0] : NaN)
        if (possible.length === 2) expect(clocks.get(zone)?.instant(reading, "later")).toBe(possible[1])
      }),
      { seed: 15, numRuns: 2000 },
    )
  })

  it("reads the hours around clock changes as luxon does", () => {
    const clock = zoneClock("Europe/Berlin")
    for (let year = 1980; year < 2040; year += 1) {
      for (const month of [3, 4, 9, 10]) {
        for (let day = 22; day <= 30; day++) {
          for (const hour of [0, 1, 2, 3, 23]) {
            const utc = DateTime.utc(year, month, day, hour, 30)
            const local = utc.setZone("Europe/Berlin", { keepLocalTime: true })
            const possible = local.hour === hour ? local.getPossibleOffsets() : []
            expect(clock?.instant(utc.toMillis(), undefined)).toBe(
              possible.length === 1 ? possible[0]?.toMillis() : NaN,
            )
          }
        }
      }
    }
  })
})
