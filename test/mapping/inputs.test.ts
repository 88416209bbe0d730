import { describe, expect, it } from "vitest"
import { type Cell, PercentCell } from "../../src/domain/cell.ts"
import { compiledMapping, errorsOf, formOf, itemOf, pipelineFrom, problemsOf } from "./pipeline.ts"

/** Returns a question's answer for each row: its value, or the codes of its problems. */
const answers = (
  entry: string,
  titles: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Cell>>,
  question: object = { name: "Q" },
) => {
  const { mapping } = compiledMapping(
    pipelineFrom(`  questions:\n    - ${entry}\n  unmapped: ignore`, { source: "  rowKey: [Id]\n  empty: [N/A]" }),
    formOf([question]),
    ["Id", ...titles],
  )
  return rows.map((cells) => {
    const mapped = mapping.map(["1", ...cells])
    return "item" in mapped
      ? mapped.item.questions[0]?.value
      : mapped.problems.map(({ code, column }) => [code, column])
  })
}

const messages = (entries: string, titles: ReadonlyArray<string>, questions: ReadonlyArray<string | object> = ["Q"]) =>
  errorsOf(pipelineFrom(`  questions:\n${entries}\n  unmapped: ignore`), formOf(questions), ["Id", ...titles])
    .filter(({ severity }) => severity === "error")
    .map(({ line, message, suggestion }) => [line, message, suggestion])

describe("the input `firstOf`", () => {
  const entry = "{ name: Q, as: number, decimal: ',', from: { firstOf: [New, Old] }, default: 7 }"

  it("firstOf uses the first column that is filled", () => {
    expect(answers(entry, ["New", "Old"], [["1", ""], ["", "2"], ["N/A", "2"], [null, null]])).toEqual([1, 2, 2, 7])
  })

  it("firstOf reports a conflict if a later column gives a different answer", () => {
    expect(answers(entry, ["New", "Old"], [["1", "1,0"], ["1", "2"], ["1", "x"]])).toEqual([
      1,
      [["conflict", "Old"]],
      [["not-a-number", "Old"]],
    ])
    const { mapping } = compiledMapping(
      pipelineFrom("  questions: [{ name: Q, from: { firstOf: [A, B] } }]"),
      formOf(["Q"]),
      ["Id", "A", "B"],
    )
    expect(problemsOf(mapping, ["1", "x", "y"])).toMatchObject([{
      question: "q1",
      value: "y",
      message: 'Column "A" contains "x" and "B" contains "y"; expected the same answer, or one of them empty.',
    }])
  })
})

describe("the input `firstOf` with redirected texts", () => {
  const { mapping } = compiledMapping(
    pipelineFrom(`  questions:
    - { name: Q, as: choice, from: { firstOf: [A, B] }, otherwise: { use: Other, textTo: Which? } }
  unmapped: ignore`),
    formOf([
      { name: "Q", type: "Dropdown", options: ["Red", "Other"].map((label) => ({ value: label, label })) },
      "Which?",
    ]),
    ["Id", "A", "B"],
  )

  it("firstOf redirects a text that several columns have once", () => {
    expect(itemOf(mapping, ["1", "Green", "Green"]).questions.map(({ value }) => value)).toEqual(["Other", "Green"])
  })

  it("firstOf reports a conflict if columns would redirect different texts", () => {
    expect(problemsOf(mapping, ["1", "Green", "Blue"])).toMatchObject([{ code: "conflict", column: "B" }])
  })
})

describe("the option `extract`", () => {
  it("extract uses the first group, or else the whole match", () => {
    const entry = String.raw`{ name: Q, from: Street, extract: '(\d+\w?)$' }`
    expect(answers(entry, ["Street"], [["Hauptstr. 5a"], [""], ["Hauptstr."]])).toEqual([
      "5a",
      undefined,
      [["pattern", "Street"]],
    ])
    expect(answers(String.raw`{ name: Q, from: A, as: number, extract: '\d+' }`, ["A"], [["Room 17, left"]])).toEqual([
      17,
    ])
  })

  it("extract reads the whole of a long cell", () => {
    const text = "x".repeat(15_000)
    expect(answers(`{ name: Q, from: A, extract: "(?s)^Note: (.*)$" }`, ["A"], [[`Note: ${text}`]])).toEqual([text])
  })

  it("extract reads the decimal point of a number of a workbook or JSON file, whatever sign the texts have", () => {
    const entry = String.raw`{ name: Q, from: A, as: number, decimal: ",", group: ".", extract: '[-\d.,]+' }`
    const rows = [[1.234], [-0.125], [1234], ["1.234"], ["about 1.234,5 kg"]]
    expect(answers(entry, ["A"], rows)).toEqual([1.234, -0.125, 1234, 1234, 1234.5])
    const fraction = String.raw`{ name: Q, from: A, as: number, decimal: ",", extract: '\d(\.\d+)' }`
    expect(answers(fraction, ["A"], [[1.25]])).toEqual([0.25])
  })

  it("extract reads the decimal point of a percentage of a workbook, whatever sign the texts have", () => {
    const rows = [[new PercentCell(1.234)], [new PercentCell(-1234)], ["1.234%"], [0.5]]
    const read = (extract: string) =>
      answers(`{ name: Q, from: A, as: number, decimal: ",", group: ".", percent: whole, extract: '${extract}' }`, [
        "A",
      ], rows)
    expect(read(String.raw`[-\d.]+`)).toEqual([1.234, -1234, 1234, 0.5])
    expect(read(String.raw`[-\d.]+%?`)).toEqual([1.234, -1234, 1234, 0.5])
    const open = String.raw`{ name: Q, from: A, as: number, extract: '[\d.]*%' }`
    expect(answers(open, ["A"], [[new PercentCell(7)]])).toEqual([[["not-a-number", "A"]]])
  })

  it("extract gives no answer for an empty match, even with a default", () => {
    const entry = String.raw`{ name: Q, from: A, extract: '(\d*)$', default: none }`
    expect(answers(entry, ["A"], [["x"], [""]])).toEqual([undefined, "none"])
  })

  it("names the piece that is not a value", () => {
    const { mapping } = compiledMapping(
      pipelineFrom(String.raw`  questions: [{ name: Q, from: A, as: date, extract: 'on (.*)' }]`),
      formOf(["Q"]),
      ["Id", "A"],
    )
    expect(problemsOf(mapping, ["1", "on Friday"])).toMatchObject([{
      code: "not-a-date",
      value: "Friday",
      message: 'Column "A" contains "Friday" in "on Friday"; expected a date as yyyy-MM-dd.',
    }])
  })

  it("extract fills parts from named groups", () => {
    const entry = String
      .raw`{ name: Q, from: A, as: address, extract: '^(?<address>.+), (?<zipCode>\d{5}) (?<city>.+?)(?:, (?<country>.+))?$' }`
    expect(answers(entry, ["A"], [["Hauptstr. 5, 12345 Berlin"], ["x"], ["Weg 1, 54321 Ulm, Germany"]])).toEqual([
      { address: "Hauptstr. 5", zipCode: "12345", city: "Berlin" },
      [["pattern", "A"]],
      { address: "Weg 1", zipCode: "54321", city: "Ulm", country: "Germany" },
    ])
    const range = String
      .raw`{ name: Q, from: A, as: dateRange, format: dd.MM.yyyy, extract: '(?<start>\S+) bis (?<end>\S+)' }`
    expect(answers(range, ["A"], [["01.05.2024 bis 31.05.2024"], ["01.05.2024 bis Mai"]])).toEqual([
      { start: "2024-05-01", end: "2024-05-31" },
      [["not-a-date", "A"]],
    ])
  })

  it("extract accepts only one column, and only groups that are parts of the kind", () => {
    expect(messages(
      String.raw`    - { id: q1, from: A, as: address, extract: '(?<town>.+)' }
    - { id: q2, from: A, as: text, extract: '(?<x>.+)' }
    - { id: q3, from: [A, B], as: text, extract: '.' }
    - { id: q4, from: { city: A }, as: address, extract: '.' }`,
      ["A", "B"],
      ["1", "2", "3", "4"],
    )).toEqual([
      [
        7,
        'The kind address has no part "town".',
        "Its parts are: `address`, `city`, `state`, `zipCode` and `country`.",
      ],
      [8, 'The kind text has no parts for the group "x".', "Write the group without a name: ( … )."],
      [9, "`extract` splits one column, not 2.", undefined],
      [10, "`extract` splits a cell, so `from` must be one column.", undefined],
    ])
  })
})

describe("parts with their own entries", () => {
  it("parts have their own values, formats, expressions, templates, lists and defaults", () => {
    const entry = String.raw`
        name: Q
        as: address
        from:
          address: [Street, No]
          city: { from: City, extract: '^\d* *(.*)$', case: upper }
          zipCode: { from: City, extract: '^(\d*)' }
          state: { template: "{Land}-{Region}" }
          country: { value: Germany }`
    expect(answers(entry, ["Street", "No", "City", "Land", "Region"], [
      ["Weg", 5, "12345 Ulm", "D", "BW"],
      [null, null, "Ulm", null, null],
      [null, null, null, null, null],
    ])).toEqual([
      { address: "Weg 5", city: "ULM", zipCode: "12345", state: "D-BW", country: "Germany" },
      { city: "ULM", country: "Germany" },
      undefined,
    ])
  })

  it("a default of one part makes no answer if the cells of all parts are empty", () => {
    const entry = (kind: string, from: string) => `{ name: Q, as: ${kind}, from: { ${from} } }`
    const rows = [["", ""], [null, null]]
    expect(answers(entry("address", "city: A, country: { from: B, default: DE }"), ["A", "B"], [...rows, ["Ulm", ""]]))
      .toEqual([undefined, undefined, { city: "Ulm", country: "DE" }])
    expect(answers(entry("dateRange", "start: A, end: { from: B, default: 2024-05-31 }"), ["A", "B"], rows)).toEqual([
      undefined,
      undefined,
    ])
  })

  it("parts inherit the formats of a range unless they set their own", () => {
    const entry =
      "{ name: Q, as: dateRange, format: dd.MM.yyyy, from: { start: A, end: { from: B, format: MM/dd/yyyy } } }"
    expect(answers(entry, ["A", "B"], [["01.05.2024", "05/31/2024"], ["01.05.2024", "31.05.2024"]])).toEqual([
      { start: "2024-05-01", end: "2024-05-31" },
      [["not-a-date", "B"]],
    ])
  })

  it("coordinates are read in the number format set for each part", () => {
    const entry =
      '{ name: Q, as: location, from: { latitude: { from: A, decimal: "," }, longitude: { from: B, decimal: "," } } }'
    expect(answers(entry, ["A", "B"], [["52,52", "13,405"], ["52,52", ""], ["", ""], ["95,0", "0"]])).toEqual([
      { latitude: 52.52, longitude: 13.405 },
      [["not-a-number", "B"]],
      undefined,
      [["out-of-range", "A"]],
    ])
  })
})

describe("a form with question types", () => {
  it("question types determine the kind, and allow parts, options, ranks and rows without `as`", () => {
    const options = [{ value: "a", label: "A" }, { value: "b", label: "B" }]
    const { mapping } = compiledMapping(
      pipelineFrom(`  questions:
    - { name: When, from: { start: S, end: E } }
    - { name: Where, from: { city: S, country: { value: X } } }
    - { name: Point, from: { latitude: N, longitude: N } }
    - { name: Ticks, from: { A: T, B: { from: U } } }
    - { name: Rank, from: { ranks: { A: N, B: M } } }
    - { name: Grid, from: { Row 1: T, Row 2: U } }
  unmapped: ignore`),
      formOf([
        { name: "When", type: "DateRange" },
        { name: "Where", type: "Address" },
        { name: "Point", type: "LocationCoordinates" },
        { name: "Ticks", type: "Checkboxes", options },
        { name: "Rank", type: "Ranking", options },
        { name: "Grid", type: "Matrix" },
      ]),
      ["Id", "S", "E", "N", "M", "T", "U"],
    )
    expect(itemOf(mapping, ["1", "2024-05-01", "2024-05-02", 2, 1, "x", "0"]).questions.map(({ value }) => value))
      .toEqual([
        { start: "2024-05-01", end: "2024-05-02" },
        { city: "2024-05-01", country: "X" },
        { latitude: 2, longitude: 2 },
        ["a"],
        ["b", "a"],
        { "Row 1": "x", "Row 2": "0" },
      ])
  })

  it("inputs that the kind can't use are reported", () => {
    const types = ["Ranking", "Checkboxes", "ShortAnswer", "Address"].map((type) => ({
      name: type,
      type,
      options: [{ value: "A", label: "A" }],
    }))
    expect(messages(
      `    - { id: q1, from: { A: T } }
    - { id: q2, from: { ranks: { A: T } } }
    - { id: q3, from: { block: T } }
    - { id: q4, from: { town: T } }`,
      ["T"],
      types,
    )).toEqual([
      [7, "A ranking's columns contain ranks.", "Write `from: { ranks: { OPTION: column } }`."],
      [8, "The kind choices has no ranks.", undefined],
      [9, "The kind text has no block of columns.", "Give it one column."],
      [10, 'There is no part "town".', expect.stringContaining("address")],
    ])
  })
})

describe("mapped choices", () => {
  const products = {
    name: "Q",
    type: "Checkboxes",
    options: ["Basic", "Pro", "N/A", "Other"].map((label) => ({ value: label.toLowerCase(), label })),
  }

  it("choices with their own columns are ticked by a cell with the option's name, even if that name means no answer elsewhere", () => {
    const entry = '{ name: Q, as: choices, from: { Pro: P, "N/A": N }, checked: ["1"], unchecked: ["0"] }'
    expect(answers(entry, ["P", "N"], [["1", "0"], ["", "N/A"], ["N/A", "1"], ["x", ""]], products)).toEqual([
      ["pro"],
      ["n/a"],
      [["not-an-option", "P"]],
      [["not-an-option", "P"]],
    ])
  })

  it("mapped choices redirect the text of an Other option to a different question", () => {
    const { mapping } = compiledMapping(
      pipelineFrom(`  questions:
    - { name: Q, as: choices, split: ";", from: A, other: { from: More, use: Other, textTo: Which? } }
    - { name: Next, from: B }
  unmapped: ignore`),
      formOf([products, "Next", "Which?"]),
      ["Id", "A", "More", "B"],
    )
    const values = (...cells: ReadonlyArray<string>) =>
      itemOf(mapping, ["1", ...cells]).questions.map(({ id, value }) => [id, value])
    expect(values("Pro;Basic", "Chairs", "b")).toEqual([["q1", ["basic", "pro", "other"]], ["q3", "Chairs"], [
      "q2",
      "b",
    ]])
    expect(values("Pro", "", "b")).toEqual([["q1", ["pro"]], ["q2", "b"]])
    expect(values("", "Tables", "b")).toEqual([["q1", ["other"]], ["q3", "Tables"], ["q2", "b"]])
    expect(mapping.answers.map(({ id, kind }) => [id, kind])).toEqual([["q1", "choices"], ["q3", "text"], [
      "q2",
      "text",
    ]])
    expect(mapping.columns.map(({ name }) => name)).toEqual(["A", "B", "More"])
  })

  it("mapped choices redirect unknown choices to a different question in each row", () => {
    const { mapping } = compiledMapping(
      pipelineFrom(`  questions:
    - { name: Q, as: choice, from: A, otherwise: { use: Other, textTo: Mail } }
  unmapped: ignore`),
      formOf([products, { name: "Mail", type: "EmailInput" }]),
      ["Id", "A"],
    )
    expect(problemsOf(mapping, ["1", "nobody"])).toMatchObject([{ code: "not-an-email", question: "q2", column: "A" }])
    expect(itemOf(mapping, ["1", "Pro"]).questions).toEqual([{ id: "q1", value: "pro" }])
    expect(itemOf(mapping, ["1", "a@example.org"]).questions).toEqual([
      { id: "q1", value: "other" },
      { id: "q2", value: "a@example.org" },
    ])
  })

  it("a text that was redirected while unique answers were compared is not sent with another row", () => {
    const { mapping } = compiledMapping(
      pipelineFrom(`  questions:
    - { name: Q, as: choice, from: A, when: { B: yes }, unique: true, otherwise: { use: Other, textTo: Mail } }
  unmapped: ignore`),
      formOf([products, { name: "Mail", type: "EmailInput" }, "Next"]),
      ["Id", "A", "B"],
    )
    const [unique] = mapping.uniques
    expect(unique?.value(["1", "a@example.org", "yes"])).toBe("other")
    expect(itemOf(mapping, ["2", "b@example.org", "no"]).questions).toEqual([])
  })

  it("mapped choices redirect no text of an answer that is dropped", () => {
    const { mapping } = compiledMapping(
      pipelineFrom(`  questions:
    - { name: Q, as: choice, from: { firstOf: [A, B] }, onInvalid: drop, otherwise: { use: Other, textTo: Which? } }
  unmapped: ignore`),
      formOf([products, "Which?"]),
      ["Id", "A", "B"],
    )
    expect(itemOf(mapping, ["1", "Chairs", ""]).questions.map(({ value }) => value)).toEqual(["other", "Chairs"])
    expect(itemOf(mapping, ["1", "Chairs", "Tables"]).questions).toEqual([])
  })

  it("mapped choices redirect only to a text question that no entry fills", () => {
    expect(messages(
      `    - { name: Q, as: choice, from: A, otherwise: { textTo: Whch? } }
    - { name: R, as: choice, from: A, otherwise: { textTo: Which? } }
    - { name: S, as: choice, from: A, otherwise: { textTo: Which? } }
    - { name: Which?, from: A }
    - { name: T, as: choice, from: A, otherwise: { textTo: Count } }
    - { name: U, as: choices, from: A, other: { use: Pro } }`,
      ["A"],
      [...["Q", "R", "S", "T", "U"].map((name) => ({ ...products, name })), "Which?", {
        name: "Count",
        type: "NumberInput",
      }],
    )).toEqual([
      [7, 'The form has no question called "Whch?".', "Did you mean `Which?`?"],
      [9, '"Which?" already gets texts of "R".', undefined],
      [11, '"Count" is of the type NumberInput, which accepts no text.', undefined],
      [12, "`other` needs its column.", "Write `other: { from: Column, … }`."],
      [10, '"Which?" already gets the texts of a different question (`textTo`).', undefined],
    ])
  })

  it("an option that the form does not have is reported at its place", () => {
    const errors = errorsOf(
      pipelineFrom(`  questions:
    - name: Q
      as: choices
      from:
        Pro: A
        Prof: B
      values:
        x: Basic
        y: Basics`),
      formOf([products]),
      ["Id", "A", "B"],
    )
    expect(errors.map(({ line, column, message, suggestion }) => [line, column, message, suggestion])).toEqual([
      [14, 12, '"Basics" is not an option of this question.', "Did you mean `Basic`?"],
    ])
    const columns = errorsOf(
      pipelineFrom("  questions:\n    - name: Q\n      as: choices\n      from:\n        Pro: A\n        Prof: B"),
      formOf([products]),
      ["Id", "A", "B"],
    )
    expect(columns.map(({ line, message, suggestion }) => [line, message, suggestion])).toEqual([
      [11, '"Prof" is not an option of this question.', "Did you mean `Pro`?"],
    ])
  })
})

describe("the input `block`", () => {
  const blocks = {
    "Films seen": [[1, "A New Hope"], [2, "Empire"], [3, "Other", "other"], [4, "Text", "text"]],
    Rank: [[5, "A New Hope"], [6, "Empire"]],
    Grid: [[7, "Han"], [8, "Leia"]],
  } as const
  const titles = ["Id", "", "", "", "", "r1", "r2", "h", "l"]
  const options = ["A New Hope", "Empire", "Something else"].map((label, index) => ({ value: `f${index}`, label }))
  const form = formOf([
    { name: "Films", type: "Checkboxes", options },
    { name: "Order", type: "Ranking", options },
    { name: "Views", type: "Matrix" },
    "Which?",
  ])
  const lines = (other: string) =>
    `  questions:
    - { name: Films, as: choices, from: { block: Films seen }${other} }
    - { name: Order, from: { block: Rank } }
    - { name: Views, as: matrix, from: { block: Grid }, values: { Good: "5" } }`

  it("a block gives all columns of a question", () => {
    const { mapping, warnings } = compiledMapping(
      pipelineFrom(lines(", other: { use: Something else, textTo: Which? }")),
      form,
      titles,
      { blocks },
    )
    expect(warnings).toEqual([])
    expect(itemOf(mapping, ["1", "A New Hope", null, "Dune", null, "2", "1", "Good", ""]).questions).toEqual([
      { id: "q1", value: ["f0", "f2"] },
      { id: "q4", value: "Dune" },
      { id: "q2", value: ["f1", "f0"] },
      { id: "q3", value: { Han: "5" } },
    ])
    expect(mapping.columns.map(({ position }) => position).toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  it("an Other option that the pipeline does not mention is an unknown choice", () => {
    const { mapping } = compiledMapping(pipelineFrom(lines("")), form, titles, { blocks })
    expect(problemsOf(mapping, ["1", "A New Hope", null, "Dune", null])).toMatchObject([{
      code: "not-an-option",
      value: "Dune",
    }])
  })

  it("a block is ignored if the pipeline lists its title", () => {
    const lines =
      '  questions: [{ name: Order, from: { block: Rank } }]\n  ignoreQuestions: [Films, Views, "Which?"]\n  ignore: [Films seen, Grid]\n  unmapped: error'
    expect(compiledMapping(pipelineFrom(lines), form, titles, { blocks }).warnings).toEqual([])
  })

  it("a block is found by its title", () => {
    const pipeline = pipelineFrom("  questions: [{ name: Films, as: choices, from: { block: Films sen } }]")
    expect(errorsOf(pipeline, form, titles, { blocks })).toMatchObject([{
      message: 'The source has no block of columns "Films sen".',
      suggestion: "Did you mean `Films seen`?",
    }, {}])
    expect(errorsOf(pipeline, form, titles)[0]?.suggestion).toBe(
      "Its format has no blocks of columns: give each option a column.",
    )
  })
})

describe("the condition `when`", () => {
  const lines = `  questions:
    - { name: Reason, when: { Status: [cancelled, left] }, from: Why }
    - { name: Reason, when: { Status: { matches: "^open" } }, value: still open }
    - { name: Reason, from: Note }
    - { name: Only, when: { Status: { empty: false } }, from: Note, required: true }
  unmapped: ignore`
  const { mapping } = compiledMapping(pipelineFrom(lines), formOf(["Reason", "Only"]), ["Id", "Status", "Why", "Note"])
  const values = (...cells: ReadonlyArray<Cell>) => {
    const mapped = mapping.map(["1", ...cells])
    return "item" in mapped
      ? mapped.item.questions.map(({ value }) => value)
      : mapped.problems.map(({ code }) => code)
  }

  it("uses the first entry whose condition is true for the row", () => {
    expect(values("cancelled", "too dear", "n")).toEqual(["too dear", "n"])
    expect(values("open since May", "too dear", "n")).toEqual(["still open", "n"])
    expect(values("", "too dear", "n")).toEqual(["n"])
    expect(values("new", "", "")).toEqual(["required"])
    expect(mapping.answers.map(({ id }) => id)).toEqual(["q1", "q2"])
    expect(mapping.columns.map(({ name }) => name)).toEqual(["Note", "Status", "Why"])
  })

  it("ignores that a cell can't be compared if another condition is false", () => {
    const value = (when: string) => answers(`{ name: Q, from: C, when: { ${when} } }`, ["B", "C"], [["n/a", "no"]])
    expect(value("B: { atLeast: 18 }, C: [yes]")).toEqual([undefined])
    expect(value("C: [yes], B: { atLeast: 18 }")).toEqual([undefined])
    expect(value("B: { atLeast: 18 }, C: [no]")).toEqual([[["not-a-number", "B"]]])
  })

  it("reports entries after an entry without a condition, and entries of different kinds", () => {
    expect(messages(
      `    - { name: Q, from: A }
    - { name: Q, when: { A: x }, from: B }
    - { name: R, when: { A: x }, from: B, as: date }
    - { name: R, from: B }`,
      ["A", "B"],
      ["Q", "R"],
    )).toEqual([
      [
        8,
        'The question "Q" is already filled by the entry on line 7.',
        "Only the last of several entries may be without `when`.",
      ],
      [
        10,
        '"R" has the kind date in the entry on line 9, so it can\'t have the kind text here.',
        "Give all its entries the same kind with `as`.",
      ],
    ])
  })
})
