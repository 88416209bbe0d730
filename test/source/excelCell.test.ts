import { describe, expect, it } from "vitest"
import { DateCell, ErrorCell, PercentCell } from "../../src/domain/cell.ts"
import { isoCell, showsOf, toCell } from "../../src/source/workbook/cells.ts"

const day = (serial: number, date1904 = false) => toCell({ t: "n", v: serial, z: "yyyy-mm-dd" }, date1904)

describe("a number that a workbook shows as a day", () => {
  it("a number shown as a day is the correct calendar day in each of 400 years and for the last days", () => {
    const serials = [
      ...Array.from({ length: 146_200 }, (_, at) => at + 61),
      ...Array.from({ length: 4000 }, (_, at) => 2_958_465 - at),
    ]
    const wrong = serials.filter((serial) => {
      const expected = new Date(Date.UTC(1899, 11, 30) + serial * 86_400_000).toISOString().slice(0, 10)
      const cell = day(serial)
      return !(cell instanceof DateCell) || cell.iso !== expected
    })
    expect(wrong).toEqual([])
  })

  it("a day counts from 1900 with a 29 February that did not exist, or from 1904", () => {
    expect([1, 59, 60, 61, 0, 2_958_466].map((serial) => day(serial))).toEqual([
      new DateCell("1900-01-01"),
      new DateCell("1900-02-28"),
      new ErrorCell("60, 29 February 1900, which did not exist"),
      new DateCell("1900-03-01"),
      new ErrorCell("0, a date before 1900"),
      new ErrorCell("2958466, a date after the year 9999"),
    ])
    expect([0, 1, 366].map((serial) => day(serial, true))).toEqual([
      new DateCell("1904-01-01"),
      new DateCell("1904-01-02"),
      new DateCell("1905-01-01"),
    ])
    expect([-1, 2_957_004].map((serial) => day(serial, true))).toEqual([
      new ErrorCell("-1, a date before 1904"),
      new ErrorCell("2957004, a date after the year 9999"),
    ])
  })
})

describe("a number that a workbook shows as a part of a date", () => {
  it.each(["aaa", "aaaa", "bbbb", "bb", "ddd", "mmmm", "ggge", "[$-1070000]d/m/yy"])(
    "a number is a date if its format is %s",
    (format) => {
      expect(toCell({ t: "n", v: 45_000, z: format }, false)).toEqual(new DateCell("2023-03-15"))
    },
  )

  it.each([
    "General",
    "@",
    "0.00E+00",
    "# ?/?",
    "[Blue]0",
    "[Color 10]0",
    '0" days"',
    "S/ #,##0.00",
    "Rs.#,##0",
    "USD 0",
    "0.0 h",
  ])(
    "a number stays a number if its format is %s",
    (format) => {
      expect(toCell({ t: "n", v: 45_000, z: format }, false)).toBe(45_000)
    },
  )
})

describe("a number that a workbook shows as hours", () => {
  it.each([
    [5, "120:00:00"],
    [1.5, "36:00:00"],
    [0.25, new DateCell("06:00:00")],
    [-0.5, new ErrorCell("-0.5, a negative time")],
  ])("a number shown as hours may exceed a day and 99 hours: %d", (value, shown) => {
    expect(toCell({ t: "n", v: value, z: "[h]:mm" }, false)).toEqual(shown)
  })
})

describe("a whole number that a workbook shows with zeros in front", () => {
  it.each([
    [1067, "00000", "01067"],
    [1067, "00000;-0", "01067"],
    [1067, "[Red]00000", "01067"],
    [1067, "[$-409]00000", "01067"],
    [1067, "\\D\\-00000", "01067"],
    [12, '"CH-"0000', "0012"],
    [21391234, "00000\\-0000", "021391234"],
    [12345678, "000-00-0000", "012345678"],
    [612345678, '0#" "##" "##" "##" "##', "0612345678"],
    [7, "#00", "07"],
    [12345, "0000", 12345],
    [7, "0", 7],
    [7, "0,000", 7],
    [7, "00.0", 7],
    [7, "00%", new PercentCell(700)],
    [7, "00E+00", 7],
    [7, "##", 7],
    [7.5, "0000", 7.5],
    [-7, "0000", -7],
  ])("the zeros of %d are kept if its format has places for them: %s", (value, format, shown) => {
    expect(toCell({ t: "n", v: value, z: format }, false)).toEqual(shown)
  })
})

describe("a number whose format has several sections", () => {
  const day = new DateCell("2022-01-01")

  it.each([
    [44_562, '[=0]"";yyyy-mm-dd', day],
    [44_562, "[=0]0;[=1]0;dd/mm/yyyy", day],
    [44_562, "[<1]hh:mm;yyyy-mm-dd", day],
    [0.5, "[<1]hh:mm;yyyy-mm-dd", new DateCell("12:00:00")],
    [44_562, "[>=43000]dd.mm.yyyy;General", day],
    [123, "[>=43000]dd.mm.yyyy;General", 123],
    [44_562, "yyyy-mm-dd;@", day],
    [44_562, '"a;b"yyyy-mm-dd;0', day],
    [44_562, "[<>0]yyyy-mm-dd;0", day],
    [0, "[<>0]yyyy-mm-dd;0", 0],
    [0, "yyyy-mm-dd;;", 0],
    [-5, "yyyy-mm-dd;-0", -5],
    [-5, "0;yyyy-mm-dd", new ErrorCell("-5, a date before 1900")],
    [5, "[>100]0;yyyy-mm-dd;00", "05"],
  ])("the section for the number decides what %d is: %s", (value, format, shown) => {
    expect(toCell({ t: "n", v: value, z: format }, false)).toEqual(shown)
  })
})

describe("a date that a workbook stores as text", () => {
  it.each([
    ["2020-01-02", "General", "2020-01-02"],
    ["2020-01-02T13:30:15.6Z", "General", "2020-01-02T13:30:16"],
    ["2020-01-02T00:00:00.000Z", "m/d/yy", "2020-01-02"],
    ["2020-01-02", "yyyy-mm-dd hh:mm", "2020-01-02T00:00:00"],
    ["13:30", "General", "13:30:00"],
    ["T23:59:59.9", "h:mm", "23:59:59"],
    ["1899-12-31T13:30:00", "h:mm", "13:30:00"],
    ["1900-02-28", "General", "1900-02-28"],
    ["0099-03-04", "General", "0099-03-04"],
    ["2024-02-29T23:59:59.7", "General", "2024-03-01"],
  ])(
    "a stored date keeps its day and time, whatever its year and the first day of the workbook: %s as %s",
    (text, format, iso) => {
      for (const date1904 of [false, true]) expect(isoCell(text, showsOf(format), date1904)).toEqual(new DateCell(iso))
    },
  )

  it.each(["", "2023-02-29", "2020-13-01", "24:00", "12:60", "31.12.2020", "2020-01-02T13:30:00+05:00", "yesterday"])(
    "a stored date that does not exist is an error: %s",
    (text) => {
      expect(isoCell(text, showsOf("General"), false)).toEqual(new ErrorCell(`${text}, not a date or time`))
    },
  )
})
