import { describe, expect, it } from "vitest"
import { type Cell, DateCell, JsonCell, PercentCell } from "../../src/domain/cell.ts"
import { mentionedColumns } from "../../src/mapping/ColumnBook.ts"
import { compile } from "../../src/mapping/compile.ts"
import type { Pipeline } from "../../src/project/Pipeline.ts"
import { columnsOf, compiledMapping, errorsOf, formOf, itemOf, pipelineFrom, problemsOf } from "./pipeline.ts"

describe("the filter `where`", () => {
  const kept = (where: string, cells: ReadonlyArray<Cell>) => {
    const pipeline = pipelineFrom("  questions: [{ name: Q, from: Id }]\n  unmapped: ignore", {
      source: `  rowKey: [Id]\n  empty: ["-"]\n  where: { A: ${where} }`,
    })
    const { mapping } = compiledMapping(pipeline, formOf(["Q"]), ["Id", "A"])
    return cells.map((cell) => {
      const row = ["1", cell]
      return mapping.filtered(row) ? "out" : problemsOf(mapping, row).map(({ code }) => code).join() || "in"
    })
  }

  it("where keeps rows whose cell is one of the given texts", () => {
    expect(kept("[complete, 007]", ["complete", " complete ", "Complete", "007", 7, ""])).toEqual(
      ["in", "in", "out", "in", "out", "out"],
    )
    expect(kept("yes", ["yes", true])).toEqual(["in", "out"])
    expect(kept("TRUE", [true, false, "TRUE", "true"])).toEqual(["in", "out", "in", "out"])
    expect(kept("{ not: TRUE }", [true, false])).toEqual(["out", "in"])
    expect(kept("{ not: [test, spam] }", ["test", "x", null])).toEqual(["out", "in", "in"])
    expect(kept("{ empty: false }", ["x", "", "-", null])).toEqual(["in", "out", "out", "out"])
    expect(kept("{ empty: true }", ["x", "-"])).toEqual(["out", "in"])
    expect(kept("{ matches: '^[ab]' }", ["abc", "cab"])).toEqual(["in", "out"])
  })

  it("where compares letters with accents in either Unicode form", () => {
    expect(kept("[Café]", ["Cafe\u0301", "Caf\u00e9"])).toEqual(["in", "in"])
    expect(kept("{ not: [Cafe\u0301] }", ["Caf\u00e9"])).toEqual(["out"])
  })

  it("where skips a row that another part of the condition skips, although its cell can't be compared", () => {
    expect(kept("{ not: [n/a], atLeast: 18 }", ["n/a", "20", "many"])).toEqual(["out", "in", "not-a-number"])
  })

  it("where compares numbers as numbers and days as days, and reports other cells as problems", () => {
    expect(kept("{ atLeast: 10, atMost: 20.5 }", ["9", "10", 20.5, "20.6", "-1", "", "many"])).toEqual(
      ["out", "in", "in", "out", "out", "out", "not-a-number"],
    )
    expect(kept("{ atLeast: 10%, atMost: 20.5 % }", ["9%", "10 %", new PercentCell(20.5), "21%", "", "12"])).toEqual(
      ["out", "in", "in", "out", "out", "not-a-number"],
    )
    expect(kept("{ atLeast: 10 }", ["12%"])).toEqual(["not-a-number"])
    expect(kept("{ atMost: 1% }", [new PercentCell(1e-7), new PercentCell(1e21)])).toEqual(["in", "out"])
    expect(kept("{ atLeast: 2024-01-01 }", [
      "2023-12-31",
      "2024-01-01",
      new DateCell("2024-01-01T00:00:00"),
      new DateCell("2023-12-31T23:59:59"),
      "01.02.2024",
    ])).toEqual(["out", "in", "in", "out", "not-a-date"])
    expect(kept("{ atMost: 2024-01-31 }", ["2024-01-31T23:59", "2024-02-01T00:00"])).toEqual(["in", "out"])
    expect(kept("{ atLeast: 2024-01-31T12:00Z }", ["2024-01-31T13:00+02:00", "2024-01-31T14:00+02:00"])).toEqual(
      ["out", "in"],
    )
    expect(kept("{ atLeast: 2024-02-01, format: dd.MM.yyyy }", ["01.02.2024", "31.01.2024", "2024-03-01"])).toEqual(
      ["in", "out", "in"],
    )
  })

  it("`where` reports columns that are missing and bounds that can't be compared", () => {
    const pipeline = pipelineFrom("  questions: [{ name: Q, from: Id }]", {
      source: "  rowKey: [Id]\n  where: { B: x, A: { atLeast: soon, atMost: 3, format: DD } }",
    })
    expect(errorsOf(pipeline, formOf(["Q"]), ["Id", "A"]).map(({ message }) => message)).toEqual([
      'The source has no column "B".',
      'The format "DD" has the letter D, which is not a field.',
      '"soon" is neither a number, a percentage nor an ISO date or time.',
    ])
  })
})

describe("names for columns in the pipeline", () => {
  const source = (columns: string) => `  rowKey: [Id]\n  columns: ${columns}`
  const questions = "  questions: [{ name: Q, from: second }, { name: R, from: last }]"

  it("names can address columns with repeated or empty titles", () => {
    const pipeline = pipelineFrom(questions, {
      source: source('{ second: { header: "Why?", nth: 2, of: 2 }, last: { position: 4 } }'),
    })
    const { mapping } = compiledMapping(pipeline, formOf(["Q", "R"]), ["Id", "Why?", "Why?", ""])
    expect(itemOf(mapping, ["1", "a", "b", "c"]).questions.map(({ value }) => value)).toEqual(["b", "c"])
    expect(mapping.columns.map(({ name, position }) => [name, position])).toEqual([["last", 3], ["second", 2]])
  })

  it("a column that is addressed by a name keeps its title", () => {
    const pipeline = pipelineFrom("  questions: [{ name: Q, from: last }]", {
      source: source("{ last: { position: 2 } }"),
    })
    expect(compiledMapping(pipeline, formOf(["Q"]), ["Id", "Name"]).mapping.columns[0]?.name).toBe("Name")
  })

  it("a name that no longer fits the header is reported as an error", () => {
    const errors = (columns: string, titles: ReadonlyArray<string>) =>
      errorsOf(pipelineFrom("  questions: [{ name: Q, from: x }]", { source: source(columns) }), formOf(["Q"]), titles)
        .map(({ message }) => message)
    expect(errors('{ x: { header: "Why?", nth: 2, of: 2 } }', ["Id", "Why?", "Why?", "Why?"])[0]).toBe(
      '3 columns of the source have the header "Why?", not 2.',
    )
    expect(errors('{ x: { header: "Why?", nth: 1, of: 2 } }', ["Id", "Why?"])[0]).toBe(
      'One column of the source has the header "Why?", not 2.',
    )
    expect(errors('{ x: { header: "Why?", nth: 1, of: 2 } }', ["Id"])[0]).toBe(
      'The source has no column with the header "Why?"; expected 2.',
    )
    expect(errors('{ x: { header: "Why?", nth: 3, of: 2 } }', ["Id", "Why?", "Why?"])[0]).toBe(
      'There is no column 3 of 2 columns "Why?".',
    )
    expect(errors("{ x: { position: 9 } }", ["Id"])[0]).toBe("The source has no column 9: it has 1.")
    expect(errors("{ x: { position: 1 } }", ["Id", "x"])[0]).toBe('The source already has a column "x".')
  })

  it("the columns that a pipeline mentions are found without reading its source", () => {
    const pipeline = pipelineFrom(
      `  questions:
    - { name: Q, as: choices, from: { block: B } }
    - { name: R, when: { W: x }, from: { firstOf: [A, second] }, as: choice, otherwise: keep }
    - { name: S, as: choices, from: C, otherwise: keep, other: { from: O, use: x } }`,
      { source: source('{ second: { header: "Why?", nth: 2, of: 2 } }') + "\n  where: { F: x }" },
    )
    const columns = mentionedColumns(pipeline)
    expect(columns.map(({ name }) => name).toSorted()).toEqual(["A", "C", "F", "Id", "O", "W", "second"])
    const result = compile({ pipeline, form: formOf(["Q", "R", "S"]), columns })
    expect(result._tag).toBe("Right")
  })
})

describe("a mapping's defaults", () => {
  it("defaults apply to every entry and part of their kind that does not set the option", () => {
    const { mapping } = compiledMapping(
      pipelineFrom(`  defaults:
    date: { format: dd.MM.yyyy }
    dateTime: { format: dd.MM.yyyy HH:mm, zone: Europe/Berlin }
    number: { decimal: "," }
  questions:
    - { name: A, from: D, as: date }
    - { name: B, from: D, as: date, format: MM.dd.yyyy }
    - { name: C, as: dateRange, from: { start: D, end: D } }
    - { name: D, from: { date: D, time: T }, as: dateTime }
    - { name: E, from: N, as: number }
    - { name: F, from: { latitude: N, longitude: N }, as: location }
  submissionTime: { from: S }`),
      formOf(["A", "B", "C", "D", "E", "F"]),
      ["Id", "D", "T", "N", "S"],
    )
    const item = itemOf(mapping, ["1", "01.02.2024", "08:30", "1,5", "01.02.2024 08:30"])
    expect(item.questions.map(({ value }) => value)).toEqual([
      "2024-02-01",
      "2024-01-02",
      { start: "2024-02-01", end: "2024-02-01" },
      "2024-02-01T07:30:00.000Z",
      1.5,
      { latitude: 1.5, longitude: 1.5 },
    ])
    expect(item.submissionTime).toBe("2024-02-01T07:30:00.000Z")
  })

  it("a wrong default is reported once, at its place", () => {
    const errors = errorsOf(
      pipelineFrom(
        "  defaults: { date: { format: DD.MM.YYYY } }\n  questions:\n"
          + "    - { name: A, from: Id, as: date }\n    - { name: B, from: Id, as: date }",
      ),
      formOf(["A", "B"]),
      ["Id"],
    )
    expect(errors).toMatchObject([{ line: 6, column: 31, suggestion: expect.stringContaining("dd.MM.yyyy") }])
  })

  it("defaults change the fingerprint", () => {
    const print = (mapping: string) => compiledMapping(pipelineFrom(mapping), formOf(["A"]), ["Id"]).mapping.fingerprint
    const questions = "\n  questions: [{ name: A, from: Id, as: number }]"
    expect(print("  unmapped: warn" + questions)).not.toBe(
      print('  defaults: { number: { decimal: "," } }' + questions),
    )
  })
})

describe("a mapping's value sets", () => {
  const options = ["5", "4", "3"].map((value) => ({ value, label: `${value} points` }))
  const mapping = "  questions: [{ name: A, from: X, as: choice, values: { set: agree } }]"

  it("`values` uses the value set that it names", () => {
    const pipeline = pipelineFrom(mapping, { sets: { agree: { Yes: "5", "Don't know": null } } })
    const compiled = compiledMapping(pipeline, formOf([{ name: "A", options }]), ["Id", "X"]).mapping
    expect(itemOf(compiled, ["1", "yes"]).questions[0]?.value).toBe("5")
    expect(itemOf(compiled, ["1", "Don't know"]).questions).toEqual([])
    expect(problemsOf(compiled, ["1", "set"])).toMatchObject([{ code: "not-an-option" }])
  })
})

describe("the option `onInvalid: drop`", () => {
  const lines = `  questions:
    - { name: Mail, from: M, as: email, onInvalid: drop }
    - { name: Count, from: C, as: number }
  unmapped: ignore`
  const { mapping } = compiledMapping(pipelineFrom(lines), formOf(["Mail", "Count"]), ["Id", "M", "C"])

  it("a dropped answer is omitted from the row, and its problem is reported", () => {
    expect(mapping.map(["1", "nobody", "5"])).toEqual({
      item: { questions: [{ id: "q2", value: 5 }] },
      dropped: [{
        code: "not-an-email",
        column: "M",
        question: "q1",
        value: "nobody",
        message: 'Column "M" contains "nobody"; expected an email address such as name@example.org. '
          + "This answer is dropped; the row is sent without it.",
        dropped: true,
      }],
    })
    const answered = new Uint8Array(2)
    const dropped: Array<object> = []
    expect(mapping.check(["1", "nobody", "5"], answered, dropped as never)).toBeUndefined()
    expect([[...answered], dropped.length]).toEqual([[0, 1], 1])
  })

  it("a row with a further problem is rejected despite the dropped answer", () => {
    expect(mapping.map(["1", "nobody", "five"])).toMatchObject({ problems: [{ code: "not-a-number" }] })
    expect(mapping.check(["1", "nobody", "five"], new Uint8Array(2))).toMatchObject([{ code: "not-a-number" }])
  })

  it("dropping a required or unique answer is an error in the pipeline", () => {
    expect(
      errorsOf(
        pipelineFrom("  questions:\n    - { name: A, from: Id, required: true, unique: true, onInvalid: drop }"),
        formOf(["A"]),
        ["Id"],
      ).map(({ message }) => message),
    ).toEqual([
      "An answer that is required can't be dropped: without it the row is invalid.",
      "An answer that is unique can't be dropped: without it the row is invalid.",
    ])
  })
})

describe("the option `unique`", () => {
  it("unique makes a repeated answer a problem of its row", () => {
    const { mapping } = compiledMapping(
      pipelineFrom("  questions: [{ name: A, from: X, as: number, unique: true }, { name: B, from: X }]"),
      formOf(["A", "B"]),
      ["Id", "X"],
    )
    const [unique, ...more] = mapping.uniques
    expect([unique?.id, more]).toEqual(["q1", []])
    expect([unique?.value(["1", "1.0"]), unique?.value(["2", "1"]), unique?.value(["2", ""])]).toEqual([
      "1",
      "1",
      undefined,
    ])
    expect(unique?.problem("1", 7)).toMatchObject({
      code: "not-unique",
      column: "X",
      question: "q1",
      message: 'Column "X" contains "1", like row 7; expected an answer that no other row has.',
    })
  })
})

describe("the option `unique` of one of several entries", () => {
  it("unique applies only to the rows that use the entry with it", () => {
    const { mapping } = compiledMapping(
      pipelineFrom(`  questions:
    - { name: A, from: M, when: { S: x }, unique: true }
    - { name: A, value: not given }`),
      formOf(["A"]),
      ["Id", "S", "M"],
    )
    const [unique] = mapping.uniques
    expect([unique?.value(["1", "x", "a"]), unique?.value(["2", "", ""])]).toEqual(["a", undefined])
    expect(unique?.problem("a", 7)).toMatchObject({ column: "M" })
  })
})

describe("the option `stamp`", () => {
  const lines = "  questions: [{ name: A, from: X }]"
  const sink = (text: string) => pipelineFrom(lines, { more: "", source: `  rowKey: [Id]` + text })
  const stampedWith = (stamp: Pipeline["sink"]["stamp"]): Pipeline => ({
    ...sink(""),
    sink: { ...sink("").sink, stamp },
  })
  const stamped = stampedWith({ urlParameter: "row_key" })
  const whole = stampedWith({ urlParameter: "row_key", run: "run_id", pipeline: "imported_by" })
  const declaring = formOf(["A"], {
    urlParameters: [{ id: "u1", name: "row_key" }, { id: "u2", name: "run_id" }, { id: "u3", name: "imported_by" }],
  })

  it("stamp sends the row key with the row", () => {
    const form = formOf(["A"], { urlParameters: [{ id: "u1", name: "row_key" }] })
    const { mapping, warnings } = compiledMapping(stamped, form, ["Id", "X"])
    expect(mapping.map(["7", "x"], mapping.key(["7", "x"]))).toEqual({
      item: { questions: [{ id: "q1", value: "x" }], urlParameters: [{ id: "u1", name: "row_key", value: "7" }] },
    })
    expect(mapping.answers.at(-1)).toMatchObject({ id: "u1", list: "urlParameters", tolerated: undefined })
    expect(warnings).toEqual([])
  })

  it("stamp causes a warning if the form does not declare the parameter, and its loss is tolerated", () => {
    const { mapping, warnings } = compiledMapping(stamped, formOf(["A"]), ["Id", "X"])
    expect(warnings).toMatchObject([{ message: expect.stringContaining("does not declare") }])
    expect(mapping.answers.at(-1)?.tolerated).toMatch(/does not declare/)
  })

  it("stamp is refused if a question has the id of a parameter that the form does not declare", () => {
    const found = errorsOf(stampedWith({ urlParameter: "q1" }), formOf(["A"]), ["Id", "X"])
    expect(found).toMatchObject([{ message: expect.stringContaining("has a question with this id") }])
  })

  it("the run's id and the pipeline's name are sent with the row key, and only by a run", () => {
    const { mapping, warnings } = compiledMapping(whole, declaring, ["Id", "X"])
    const sent = (run?: string) => {
      const mapped = mapping.map(["7", "x"], "7", run)
      return "item" in mapped ? mapped.item.urlParameters?.map(({ id, value }) => [id, value]) : undefined
    }
    expect(sent("run-1")).toEqual([["u1", "7"], ["u2", "run-1"], ["u3", "test"]])
    expect(sent()).toEqual([["u1", "7"]])
    expect(mapping.origin).toEqual(new Set(["u2", "u3"]))
    expect(mapping.answers.slice(-3).map(({ columns, name }) => [name, columns.length])).toEqual([
      ["row_key", 1],
      ["run_id", 0],
      ["imported_by", 0],
    ])
    expect(mapping.explain(["7", "x"], "7").answers.slice(-3).map(({ value }) => value)).toEqual([
      "7",
      "the run's id",
      "test",
    ])
    expect(warnings).toEqual([])
  })

  it("stamps don't change the columns of a row's content, and the pipeline's name does not change the mapping's fingerprint", () => {
    const of = (pipeline: Pipeline) => compiledMapping(pipeline, declaring, ["Id", "X"]).mapping
    expect(of(whole).columns).toEqual(of(sink("")).columns)
    expect(of({ ...whole, name: "renamed" }).fingerprint).toBe(of(whole).fingerprint)
    expect(of(whole).fingerprint).not.toBe(of(stamped).fingerprint)
  })

  it("only the row key marks cells as sent", () => {
    const use = (stamp: Pipeline["sink"]["stamp"]) => {
      const { mapping } = compiledMapping(stampedWith(stamp), declaring, ["Id", "X"])
      mapping.map(["7", ""], "7", "run-1")
      return [...mapping.cellUses]
    }
    expect(use({ urlParameter: "row_key" })).toEqual([3, 0])
    expect(use({ run: "run_id", pipeline: "imported_by" })).toEqual([0, 0])
  })

  it("each stamp needs its own URL parameter, and there is a warning if the form does not declare it", () => {
    const twice = stampedWith({ urlParameter: "row_key", run: "row_key" })
    expect(errorsOf(twice, declaring, ["Id", "X"])).toMatchObject([{
      message: 'The URL parameter "row_key" already carries the row key.',
    }])
    const filled = pipelineFrom(`${lines}\n  urlParameters: [{ name: run_id, from: X }]`)
    expect(errorsOf({ ...filled, sink: whole.sink }, declaring, ["Id", "X"])).toMatchObject([{
      message: 'The URL parameter "run_id" is already filled by the mapping.',
    }])
    const { warnings } = compiledMapping(whole, formOf(["A"]), ["Id", "X"])
    expect(warnings.map(({ message }) => message.replace(/.*whether/, ""))).toEqual([
      " the service keeps the row key.",
      " the service keeps the run's id.",
      " the service keeps the pipeline's name.",
    ])
  })
})

describe("the mapping of a fixed rejected.csv", () => {
  const lines = `  questions:
    - { name: N, from: N, as: number, decimal: ",", percent: whole }
    - { name: G, from: G, as: number, decimal: ",", group: ".", percent: whole }
    - { name: D, from: D, as: date, format: dd.MM.yyyy }
    - { name: T, from: T, as: dateTime, format: dd.MM.yyyy HH:mm, zone: Europe/Berlin }
    - { name: B, from: B, as: boolean, true: [ja], false: [nein] }
    - { name: C, from: C, as: choices, options: [a, b] }
    - { name: X, from: X }`
  const form = formOf(["N", "G", "D", "T", "B", "C", "X"])
  const titles = ["Id", "N", "G", "D", "T", "B", "C", "X"]
  const read = (fixed: "text" | "typed" | undefined, ...cells: ReadonlyArray<Cell>) => {
    const { mapping } = compiledMapping(pipelineFrom(lines), form, titles, fixed === undefined ? {} : { fixed })
    const mapped = mapping.map(["1", ...cells])
    return "item" in mapped
      ? mapped.item.questions.map(({ value }) => value)
      : mapped.problems.map(({ code, column }) => [code, column])
  }
  const typed: ReadonlyArray<Cell> = [
    1.5,
    1234.5,
    new DateCell("2024-05-01"),
    new DateCell("2024-05-01"),
    true,
    new JsonCell(["a", "b"]),
    7,
  ]
  const asTexts = ["1.5", "1234.5", "2024-05-01", "2024-05-01", "true", '["a","b"]', "7"]
  const values = [1.5, 1234.5, "2024-05-01", "2024-04-30T22:00:00.000Z", true, ["a", "b"], "7"]

  it("a fixed rejected.csv is read with the workbook's typed cells", () => {
    expect(read(undefined, ...typed)).toEqual(values)
    expect(read("typed", ...asTexts)).toEqual(values)
    expect(read(undefined, new PercentCell(12.5), new PercentCell(1.234))).toEqual([12.5, 1.234])
    expect(read("typed", "12.5%", "1234.5%")).toEqual([12.5, 1234.5])
    expect(read("typed", "0.0000001%", "1000000000000000000000%")).toEqual([1e-7, 1e21])
  })

  it("a fixed rejected.csv is also read in the source's own formats", () => {
    expect(read("typed", "1,5", "1.234,5", "01.05.2024", "01.05.2024 00:00", "ja", "a", "007")).toEqual(
      [1.5, 1234.5, "2024-05-01", "2024-04-30T22:00:00.000Z", true, ["a"], "007"],
    )
  })

  it("a fixed rejected.csv has a problem if a number can be read in two ways", () => {
    expect(read("typed", null, "1.234")).toEqual([["not-a-number", "G"]])
    expect(read("typed", null, "1234")).toEqual([1234])
    expect(read("typed", null, "1.234%")).toEqual([["not-a-number", "G"]])
    expect(read("text", null, "1.234")).toEqual([1234])
  })

  it("a fixed rejected.csv of a text source has JSON numbers and ISO dates, and no day is read as a time", () => {
    expect(read("text", "1.5", "1234.5", "2024-05-01", "2024-05-01T00:00:00Z", "true", "a", "7")).toEqual(
      [1.5, 1234.5, "2024-05-01", "2024-05-01T00:00:00.000Z", true, ["a"], "7"],
    )
    expect(read("text", null, null, null, "2024-05-01")).toEqual([["not-a-date-time", "T"]])
  })

  it.each(["from: N, extract: '[-,.0-9]+'", "template: '{N} €'"])(
    "a fixed rejected.csv has a problem if a number can be read in two ways with %s",
    (input) => {
      const pipeline = pipelineFrom(`  questions: [{ name: N, ${input}, as: number, decimal: ',', group: '.' }]`)
      const { mapping } = compiledMapping(pipeline, formOf(["N"]), ["Id", "N"], { fixed: "typed" })
      const read = (cell: string) => {
        const mapped = mapping.map(["1", cell])
        return "item" in mapped ? mapped.item.questions[0]?.value : mapped.problems.map(({ code }) => code)
      }
      expect([read("1.234"), read("1234.5"), read("1.234,5")]).toEqual([["not-a-number"], 1234.5, 1234.5])
    },
  )

  it("an unchanged row of a rejected.csv is rejected again instead of sent with an altered number", () => {
    const answersOf = (fixed: "text" | "typed" | undefined, entry: string, cell: string) => {
      const lines = `  questions:\n    - { name: N, from: N, ${entry} }`
      const { mapping } = compiledMapping(
        pipelineFrom(lines),
        formOf(["N"]),
        ["Id", "N"],
        fixed === undefined ? {} : { fixed },
      )
      const mapped = mapping.map(["1", cell])
      return "item" in mapped ? mapped.item.questions[0]?.value : mapped.problems.map(({ code }) => code)
    }
    const cases = [
      ["text", "as: number, decimal: ',', group: '.'", "12345678901234567", ["out-of-range"]],
      ["text", "as: number, decimal: ','", "1.234", ["not-a-number"]],
      ["text", "as: number, decimal: ','", "-12.345", ["not-a-number"]],
      ["text", "as: text, pattern: '^\\d\\.\\d$'", "1.50", ["pattern"]],
      ["text", "as: text, pattern: '^\\d{4}$'", "1e3", ["pattern"]],
      ["typed", "as: number, decimal: ',', group: '.'", "12345678901234567", ["out-of-range"]],
      ["typed", "as: text, pattern: '^\\d\\.\\d$'", "1.50", ["pattern"]],
      ["typed", "as: choices, options: [a], otherwise: keep", "[12345678901234567]", ["[12345678901234567]"]],
    ] as const
    for (const [fixed, entry, cell, found] of cases) {
      expect(answersOf(undefined, entry, cell), cell).toEqual(found)
      expect(answersOf(fixed, entry, cell), cell).toEqual(found)
    }
  })

  it("a fixed rejected.csv of a workbook has large numbers as the workbook does", () => {
    expect(read("typed", String(1e23))).toEqual(read(undefined, 1e23))
  })

  it("a fixed rejected.csv may contain numbers in JSON's format, unlike other files", () => {
    expect(read(undefined, "1.5")).toEqual([["not-a-number", "N"]])
    expect(columnsOf(["A", "A"]).map(({ name }) => name)).toEqual([undefined, undefined])
  })
})
