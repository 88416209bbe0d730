import { describe, expect, it } from "vitest"
import { DateCell } from "../../src/domain/cell.ts"
import { toCell } from "../../src/source/workbook/cells.ts"

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
      60,
      new DateCell("1900-03-01"),
      0,
      2_958_466,
    ])
    expect([0, 1, 366].map((serial) => day(serial, true))).toEqual([
      new DateCell("1904-01-01"),
      new DateCell("1904-01-02"),
      new DateCell("1905-01-01"),
    ])
  })
})

describe("a number that a workbook shows as hours", () => {
  it.each([
    [5, "120:00:00"],
    [1.5, "36:00:00"],
    [0.25, new DateCell("06:00:00")],
  ])("a number shown as hours may exceed a day and 99 hours: %d", (value, shown) => {
    expect(toCell({ t: "n", v: value, z: "[h]:mm" }, false)).toEqual(shown)
  })
})
