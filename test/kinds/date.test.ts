import fc from "fast-check"
import { DateTime, Settings } from "luxon"
import { describe, expect, it } from "vitest"
import { DateCell } from "../../src/domain/cell.ts"
import { date } from "../../src/kinds/date.ts"
import { type DateFormat, dateFormat, fixedDay, luxonFormat } from "../../src/kinds/dateFormats.ts"
import { isoDay } from "../../src/kinds/wallClock.ts"
import { seeds } from "../long.ts"
import { compiled, conforms } from "./conformance.ts"

conforms({
  kind: date,
  options: [{ format: "dd.MM.yyyy" }, {}, { format: ["dd/MM/yyyy", "MM/dd/yyyy"] }, { format: "d. MMMM yyyy" }],
  sends: [
    ["31.05.1990", "1990-05-31"],
    ["29.02.2024", "2024-02-29"],
    ["1990-05-31", "1990-05-31"],
    ["0001-01-01", "0001-01-01"],
    ["1990-05-31T00:00:00Z", "1990-05-31"],
    ["1990-05-31 00:00", "1990-05-31"],
    [new DateCell("1990-05-31"), "1990-05-31"],
    [new DateCell("1990-05-31T00:00:00"), "1990-05-31"],
  ],
  equivalent: [["1990-05-31", "1990-05-31T00:00:00.000Z"]],
  changed: [
    ["1990-05-31", "1990-06-01"],
    ["1990-05-31", "1990-05-30T22:00:00.000Z"],
    ["1990-05-31", "31.05.1990"],
    ["1990-05-31", 19900531],
  ],
})

const context = { question: undefined, input: { _tag: "Columns" }, empty: new Set<string>() } as const

describe("the date kind", () => {
  it.each([
    "31.02.1990",
    "31.5.1990",
    "31.05.90",
    "1990-02-30",
    "31.05.1990 10:00",
    "1990-05-31T10:00:00Z",
    "tomorrow",
    "00.01.2000",
  ])(
    "refuses %s in the format dd.MM.yyyy",
    (cell) => {
      expect(compiled(date, { format: "dd.MM.yyyy" })([cell])).toEqual(
        expect.objectContaining({ code: "not-a-date", expected: "a date as dd.MM.yyyy or yyyy-MM-dd" }),
      )
    },
  )

  it("reports a date that two formats read as different days, unless `firstMatch` is set", () => {
    const format = ["dd/MM/yyyy", "MM/dd/yyyy"]
    expect(compiled(date, { format })(["03/04/2020"])).toMatchObject({ code: "ambiguous-date" })
    expect(compiled(date, { format })(["03/03/2020"])).toBe("2020-03-03")
    expect(compiled(date, { format })(["03/13/2020"])).toBe("2020-03-13")
    expect(compiled(date, { format, firstMatch: true })(["03/04/2020"])).toBe("2020-04-03")
  })

  it("does not prefer ISO to a format that reads a different day", () => {
    expect(compiled(date, { format: "yyyy-dd-MM" })(["2024-05-06"])).toMatchObject({ code: "ambiguous-date" })
    expect(compiled(date, { format: "yyyy-dd-MM", firstMatch: true })(["2024-05-06"])).toBe("2024-06-05")
  })

  it("reports a date with a time, unless the format includes the time", () => {
    expect(compiled(date)([new DateCell("2024-05-01T08:30:00")])).toMatchObject({ code: "not-a-date" })
    expect(compiled(date)([new DateCell("08:30:00")])).toMatchObject({ code: "not-a-date" })
    const parse = compiled(date, { format: "dd.MM.yyyy HH:mm" })
    expect(parse(["01.05.2024 23:59"])).toBe("2024-05-01")
    expect(parse([new DateCell("2024-05-01T23:59:00")])).toBe("2024-05-01")
  })

  it("never shifts a day because of an offset", () => {
    const parse = compiled(date, { format: "yyyy-MM-dd'T'HH:mmZZ" })
    expect(parse(["2024-05-01T23:30-10:00"])).toBe("2024-05-01")
    expect(parse(["2024-05-01T00:30+14:00"])).toBe("2024-05-01")
  })

  it("reads month names, and reads numbers of a workbook as digits", () => {
    expect(compiled(date, { format: "d. MMMM yyyy" })(["3. May 2020"])).toBe("2020-05-03")
    expect(compiled(date, { format: "yyyyMMdd" })([20200503])).toBe("2020-05-03")
  })

  it("reads the numbers of days that spreadsheet programs store, also next to another format", () => {
    const parse = compiled(date, { format: ["excel", "dd.MM.yyyy"] })
    const cells = [45292, "45292.75", "61", "2958465.9999", "01.01.2024"]
    const days = ["2024-01-01", "2024-01-01", "1900-03-01", "9999-12-31", "2024-01-01"]
    expect(cells.map((cell) => parse([cell]))).toEqual(days)
    for (const cell of ["60", "-1", "2958466", "4.5e4", "45,292"]) {
      expect(parse([cell]), cell).toMatchObject({ code: "not-a-date" })
    }
  })

  it("refuses a format of instants, because their day depends on the zone", () => {
    expect(date.compile({ format: "unix" }, context)).toMatchObject([
      { option: "format", message: expect.stringContaining("`as: dateTime`") },
    ])
  })

  it.each([
    ["DD.MM.YYYY", "dd.MM.yyyy"],
    ["dd.mm.yyyy", "dd.MM.yyyy"],
    ["YYYY-MM-DD", "yyyy-MM-dd"],
  ])("suggests a correct format for %s", (format, better) => {
    const [fault] = date.compile({ format }, context) as ReadonlyArray<
      { readonly option: string; readonly suggestion: string }
    >
    expect(fault?.option).toBe("format")
    expect(fault?.suggestion).toContain(`"${better}"`)
  })

  it("reads years of two digits as 1961 to 2060, as its reference says", () => {
    const days = ["1.2.60", "1.2.61", "1.2.00"].map((cell) => compiled(date, { format: "d.M.yy" })([cell]))
    expect(days).toEqual(["2060-02-01", "1961-02-01", "2000-02-01"])
  })

  it("refuses a format without day, month or year", () => {
    for (const format of ["dd.MM", "MM/yyyy", "HH:mm", "hello", ""]) {
      expect(date.compile({ format }, context), format).toMatchObject([{ option: "format" }])
    }
  })

  it("reads back every day that it writes in every format", () => {
    for (
      const format of [
        "dd.MM.yyyy",
        "d.M.yyyy",
        "MM/dd/yyyy",
        "yyyyMMdd",
        "d MMM yyyy",
        "cccc, d LLLL yyyy",
        "yyyy/M/d",
      ]
    ) {
      const parse = compiled(date, { format })
      fc.assert(
        fc.property(fc.integer({ min: -200_000, max: 2_900_000 }), (days) => {
          const day = DateTime.fromMillis(days * 86_400_000, { zone: "utc" })
          expect(parse([day.toFormat(format, { locale: "en-US" })])).toBe(day.toISODate())
        }),
        { seed: 13, numRuns: 200 },
      )
    }
  })

  it("finds the same fields in numeric formats as luxon does", () => {
    const piece = fc.constantFrom(
      "yyyy",
      "MM",
      "M",
      "dd",
      "d",
      "HH",
      "H",
      "mm",
      "m",
      "ss",
      "s",
      "SSS",
      ".",
      "/",
      "-",
      " ",
      ":",
      "T ",
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => {
        const format = pieces.join("")
        const [ours, luxon] = [dateFormat(format), luxonFormat(format)]
        if (typeof ours === "string" || typeof luxon === "string") expect(ours).toBe(luxon)
        else {expect([ours.hasDate, ours.hasTime, ours.hasOffset]).toEqual([
            luxon.hasDate,
            luxon.hasTime,
            luxon.hasOffset,
          ])}
      }),
      { seed: 15, numRuns: seeds(400, 1_500) },
    )
  })

  it.each([
    ["d.M.yy", "01.05.202"],
    ["d.M.yy", "1.5.999"],
    ["d.M.yy", "1.5.1960"],
    ["d MMMM y", "1 May 24"],
    ["yyyy-MM-dd h:mm a", "2024-05-01 14:30 AM"],
    ["yyyy-MM-dd h:mm a", "2024-05-01 13:00 AM"],
    ["yyyy-MM-dd h:mm a", "2024-05-01 14:30 PM"],
    ["yyyy-MM-dd hh:mm a", "2024-05-01 00:30 PM"],
    ["yyyy-MM-dd HH:mm ZZ", "2024-05-01 12:00 +99:00"],
    ["yyyy-MM-dd HH:mm ZZ", "2024-05-01 12:00 -16:00"],
  ])("refuses an impossible year, hour or offset: %s, %s", (format, text) => {
    const { instant, wall } = dateFormat(format) as DateFormat
    expect([wall(text), instant(text)]).toEqual([NaN, NaN])
  })

  it.each([
    ["d.M.yy", "1.5.24", "2024-05-01T00:00:00.000Z"],
    ["d.M.yy", "1.5.2024", "2024-05-01T00:00:00.000Z"],
    ["d.M.yy", "31.12.60", "2060-12-31T00:00:00.000Z"],
    ["d.M.yy", "1.1.61", "1961-01-01T00:00:00.000Z"],
    ["d MMMM y", "1 May 1824", "1824-05-01T00:00:00.000Z"],
    ["d MMMM yyyy", "1 May 0824", "0824-05-01T00:00:00.000Z"],
    ["ZZ h:mm a, d.M.yyyy", "+05:45 12:30 AM, 1.5.2024", "2024-05-01T00:30:00.000Z"],
    ["ZZ h:mm a, d.M.yyyy", "-15:30 2:09 pm, 1.5.2024", "2024-05-01T14:09:00.000Z"],
  ])("reads in the format %s the text %s", (format, text, shown) => {
    expect(new Date((dateFormat(format) as DateFormat).wall(text)).toISOString()).toBe(shown)
  })

  it("finds the same fields of a format at any time", () => {
    const { now } = Settings
    try {
      for (let hour = 0; hour < 24 * 366; hour += seeds(35, 5)) {
        Settings.now = () => Date.UTC(1987, 0, 1, hour, 35)
        for (const format of ["mm", "dd HH:mm", "MM-dd"]) {
          expect(luxonFormat(format)).toMatchObject({ hasDate: false, hasTime: format.includes("HH") })
        }
      }
    } finally {
      Settings.now = now
    }
  })

  it("reads dates in numeric formats as luxon does, except 24:00", () => {
    const formats = [
      "dd.MM.yyyy",
      "d.M.yyyy",
      "M/d/yyyy",
      "yyyyMMdd",
      "yyyy-MM-dd HH:mm:ss.SSS",
      "d.M.yyyy H:m",
      "[dd] (MM) yyyy?",
    ]
    const mutated = fc.record({
      format: fc.constantFrom(...formats),
      days: fc.integer({ min: -600_000, max: 2_900_000 }),
      at: fc.nat(30),
      character: fc.constantFrom("", "0", "1", "3", "9", ".", " ", "/"),
      cut: fc.nat(1),
    })
    fc.assert(
      fc.property(mutated, ({ at, character, cut, days, format }) => {
        const text = DateTime.fromMillis(days * 86_400_000 + 45_296_789, { zone: "utc" }).toFormat(format)
        const changed = text.slice(0, at) + character + text.slice(at + cut)
        const luxon = DateTime.fromFormat(changed, format, { zone: "utc", locale: "en-US" })
        const ours = dateFormat(format)
        if (typeof ours === "string") throw new Error(ours)
        const reading = ours.wall(changed)
        if (!luxon.isValid || luxon.year < 1 || luxon.year > 9999) {
          // Luxon reads 24:00 as the next day, but formferry refuses it.
          expect(reading).toBeNaN()
        } else if (Number.isNaN(reading)) expect(changed).toMatch(/\b24/)
        else expect([reading, isoDay(reading)]).toEqual([luxon.toMillis(), luxon.toISODate()])
      }),
      { seed: 14, numRuns: seeds(400, 1_500) },
    )
  })

  it("reads dates of fixed width as the general reader does", () => {
    const formats = ["dd.MM.yyyy", "MM/dd/yyyy", "yyyy-MM-dd", "yyyy/MM/dd", "dd-MM yyyy"]
    const mutated = fc.record({
      format: fc.constantFrom(...formats),
      days: fc.integer({ min: -719_000, max: 2_900_000 }),
      at: fc.nat(10),
      character: fc.constantFrom("", "0", "1", "3", "9", ".", "/", "-", "x"),
      cut: fc.nat(1),
    })
    fc.assert(
      fc.property(mutated, ({ at, character, cut, days, format }) => {
        const text = DateTime.fromMillis(days * 86_400_000, { zone: "utc" }).toFormat(format)
        const changed = text.slice(0, at) + character + text.slice(at + cut)
        const plain = dateFormat(format)
        if (typeof plain === "string") throw new Error(plain)
        const reading = plain.wall(changed)
        expect(fixedDay(format)?.(changed)).toBe(Number.isNaN(reading) ? undefined : isoDay(reading))
      }),
      { seed: 16, numRuns: 3000 },
    )
    for (const format of ["d.M.yyyy", "yyyy-dd-MM", "dd.MM.yy", "dd.MM.yyyy HH:mm", "dd.dd.yyyy"]) {
      expect(fixedDay(format)).toBeUndefined()
    }
  })
})
