import { describe, expect, it } from "vitest"
import { type Cell, DateCell } from "../../src/domain/cell.ts"
import { date } from "../../src/kinds/date.ts"
import { number } from "../../src/kinds/number.ts"
import { profiler } from "../../src/profile/ColumnProfile.ts"
import { numberSigns } from "../../src/profile/notations.ts"
import { settingsFor } from "../../src/suggest/draft/settings.ts"

const profiled = (cells: ReadonlyArray<Cell>) => {
  const profiles = profiler([{ position: 0, title: "When", name: "When" }])
  for (const cell of cells) profiles.addRow([cell])
  return profiles.profiles()[0]!
}

/** Returns the settings with which a question of a type reads cells, and what they leave open. */
const settings = (type: string, ...cells: ReadonlyArray<Cell>) => {
  const question = { id: "q", name: "When", type, options: undefined }
  const { gaps, keys, misfit } = settingsFor({
    question,
    origin: { _tag: "Column", ...profiled(cells) },
    confidence: 1,
    because: [],
  })
  return { gaps, misfit, ...Object.fromEntries(keys.map(({ key, value }) => [key, value])) }
}

const signs = (...texts: ReadonlyArray<string>) => {
  const { notations, share } = profiled(texts).profile
  expect(share.number).toBe(1)
  return numberSigns(notations)
}

const context = { question: undefined, input: { _tag: "Columns" }, empty: new Set<string>() } as const

describe("How a column's dates are written", () => {
  it.each([
    [["31.12.2024", "01.02.2024"], ["dd.MM.yyyy"]],
    [["1.2.24", "28.4.20"], ["d.M.yy"]],
    [["12/31/2024", "01/02/2024"], ["MM/dd/yyyy"]],
    [["31/12/2024", "1/2/2024"], ["d/M/yyyy"]],
    [["7/2/20 11:00:22", "7/30/20 4:01:00"], ["M/d/yy H:mm:ss"]],
    [["12/5/2024 3:07 PM", "12/31/2024 11:07 AM"], ["M/d/yyyy h:mm a"]],
    [["14-Sep-2023 17:04:11"], ["dd-MMM-yyyy HH:mm:ss"]],
    [["Apr 26, 2018 8:58:20 AM"], ["MMM dd, yyyy h:mm:ss a"]],
    [["2024/03/31"], ["yyyy/MM/dd"]],
  ])("follows from all of its cells: %j", (cells, expected) => {
    expect(settings("DatePicker", ...cells)).toEqual({ format: expected[0], gaps: [] })
    const parse = date.compile({ format: expected[0] ?? "" }, context)
    for (const cell of cells) expect(typeof parse === "function" && typeof parse([cell])).toBe("string")
  })

  it.each(["0:30 PM", "13:30 AM", "12:00 +99:00", "15:15-16:15"])(
    "is not a format for the impossible time %s",
    (cell) => {
      expect(profiled([cell]).profile.share).toMatchObject({ time: 0, date: 0, dateTime: 0 })
    },
  )

  it("needs no format for ISO texts and date cells", () => {
    expect(settings("DatePicker", "2024-03-31", new DateCell("2024-03-31"))).toEqual({ gaps: [] })
  })

  it("is decided for all notations by a single unambiguous one", () => {
    expect(settings("DatePicker", "01/02/2024", "13/02/24")).toEqual({
      format: ["dd/MM/yyyy", "dd/MM/yy"],
      gaps: [],
    })
  })

  it("does not follow from a month's name, which shows no order of numbers", () => {
    expect(settings("DatePicker", "05-May-2024", "01-02-2024").gaps.length).toBe(1)
    expect(settings("DatePicker", "13-Jan-2024", "02-13-2024")).toEqual({
      format: ["dd-MMM-yyyy", "MM-dd-yyyy"],
      gaps: [],
    })
  })

  it("is left open if no cell decides or cells contradict each other", () => {
    expect(settings("DatePicker", "01/02/2024", "11/12/2024")).toMatchObject({
      gaps: [{
        choices: ["dd/MM/yyyy", "MM/dd/yyyy"],
        why: "no cell shows whether the day or the month comes first",
      }],
    })
    expect(settings("DatePicker", "13/02/2024", "02/13/2024").gaps.length).toBe(1)
  })
})

describe("A column of numbers", () => {
  it("may have as many digits as a number can be sent with", () => {
    expect(profiled(["1.3333333333333333", "0.6666666666666666"]).profile.share.number).toBe(1)
  })
})

describe("A column with more texts than are kept", () => {
  const two = (value: number) => String(value % 12 + 1).padStart(2, "0")
  const dates = Array.from(
    { length: 3_000 },
    (_, at) => `${two(at)}/${two(Math.floor(at / 12))}/${1700 + Math.floor(at / 144)}`,
  )

  it("shows the order of day and month in any cell", () => {
    expect(settings("DatePicker", ...dates).gaps).toHaveLength(1)
    expect(settings("DatePicker", ...dates, "13/01/1999")).toEqual({ format: "dd/MM/yyyy", gaps: [] })
  })

  it("shows in all of its cells whether a format fits", () => {
    const late = Array.from({ length: 40 }, (_, at) => `later, ${at}`)
    const made = settings("DatePicker", ...dates, "13/01/1999", ...late)
    expect(made.misfit?.why).toContain("40 of 3,041 cells can't be read like this (not a date, estimated)")
    expect(settings("DatePicker", ...dates, "13/01/1999", ...late.slice(0, 20)).misfit).toBeUndefined()
  })
})

describe("The format for a question", () => {
  it.each([["DatePicker", "3:07 PM"], ["TimePicker", "31.12.2024"]])(
    "of the type %s never lacks what the question asks for, even if the cells do: %s",
    (type, cell) => {
      expect(settings(type, cell)).not.toHaveProperty("format")
    },
  )
})

describe("Cells that a question can't take", () => {
  it.each([["FileUpload", "report.pdf"], ["Matrix", "often"]])("do not fit its type %s: %s", (type, cell) => {
    expect(settings(type, cell).misfit?.why).toContain("1 of 1 cell can't be read like this")
  })
})

describe("Dates that a spreadsheet program stores as numbers of days", () => {
  it.each([[["45292", "01.02.2024"]], [["45292", "45293.5"]]])("are left open with a format to add: %j", (cells) => {
    expect(settings("DatePicker", ...cells).misfit?.todo).toContain("add excel to format")
  })

  it("are not assumed if other cells can't be read either", () => {
    expect(settings("DatePicker", "45292", "later", "01.02.2024").misfit?.todo).toBe("Correct it")
  })
})

describe("How a column's numbers are written", () => {
  it.each([
    [["1", "2.5"], undefined, undefined],
    [["1,5", "2,25"], ",", undefined],
    [["1.234,56", "7"], ",", "."],
    [["1,234.56", "7"], undefined, ","],
    [["1 234,5"], ",", " "],
    [["12'345.5"], undefined, "'"],
    [["245.263,19 €", "1.000 €"], ",", "."],
    [["1.234.567"], ",", "."],
    [["1.234", "0.567"], undefined, undefined],
    [["0,567", "1,234"], ",", undefined],
  ])("follows from all of its cells: %j", (cells, decimal, group) => {
    const found = signs(...cells)
    expect(found).toEqual({ decimal, group })
    const parse = number.compile(
      { ...(decimal === undefined ? {} : { decimal: "," }), ...(group === undefined ? {} : { group: group as "." }) },
      context,
    )
    for (const cell of cells) expect(typeof parse === "function" && typeof parse([cell])).toBe("number")
  })

  it.each([[["1.234", "5.678"]], [["1,234"]], [["1,5", "2.25"]]])("is left open: %j", (cells) => {
    expect(signs(...cells).why).toBeDefined()
  })
})
