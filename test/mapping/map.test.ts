import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Cell, DateCell, ErrorCell } from "../../src/domain/cell.ts"
import { missingKeyProblem } from "../../src/mapping/problems.ts"
import { anyCell } from "../kinds/cells.ts"
import { compiledMapping, formOf, itemOf, pipelineFrom, problemsOf } from "./pipeline.ts"

const colours = [{ value: "r", label: "Red" }, { value: "na", label: "N/A" }]

describe("mapping a row to an item", () => {
  it("fills every kind, by the question's type or by `as`", () => {
    const { mapping, warnings } = compiledMapping(
      pipelineFrom(`  questions:
    - { name: Text, from: a }
    - { name: Number, from: b, as: number, decimal: "," }
    - { name: Switch, from: c }
    - { name: Date, from: d, as: date, format: dd.MM.yyyy }
    - { name: Time, from: e, as: time }
    - { name: When, from: f, as: dateTime, zone: Europe/Berlin }
    - { name: Mail, from: g, as: email }
    - { name: Phone, from: h, as: phone, country: DE }
    - { name: Link, from: i, as: url }
    - { name: Colour, from: j }
    - { name: Colours, from: k, as: choices, split: "," }
    - { name: Files, from: l, as: files }
    - { name: Json, from: m, as: json }
    - { name: Parts, as: dateTime, zone: UTC, from: { date: { from: d, format: dd.MM.yyyy }, time: e } }
    - { name: Constant, value: legacy CRM }
    - { name: Joined, from: [a, b], as: text, join: "/" }`),
      formOf([
        "Text",
        "Number",
        { name: "Switch", type: "Switch" },
        "Date",
        "Time",
        "When",
        "Mail",
        "Phone",
        "Link",
        { name: "Colour", type: "Dropdown", options: colours },
        { name: "Colours", type: "MultiSelect", options: colours },
        "Files",
        "Json",
        "Parts",
        "Constant",
        "Joined",
      ]),
      ["Id", ..."abcdefghijklm"],
    )
    expect(warnings).toEqual([])
    const item = itemOf(mapping, [
      "1",
      " Ada ",
      "1,5",
      "yes",
      "31.05.1990",
      "08:30",
      "2024-05-31 14:30",
      "Ada@Example.org",
      "030 12345678",
      "https://example.org",
      "red",
      "N/A, Red",
      "https://example.org/a.pdf",
      "[1]",
    ])
    expect(item).toEqual({
      questions: [
        "Ada",
        1.5,
        true,
        "1990-05-31",
        "08:30",
        "2024-05-31T12:30:00.000Z",
        "Ada@example.org",
        "+493012345678",
        "https://example.org",
        "r",
        ["r", "na"],
        [{ url: "https://example.org/a.pdf", filename: "a.pdf" }],
        [1],
        "1990-05-31T08:30:00.000Z",
        "legacy CRM",
        "Ada/1,5",
      ].map((value, index) => ({ id: `q${index + 1}`, value })),
    })
    expect(itemOf(mapping, ["1"])).toEqual({ questions: [{ id: "q15", value: "legacy CRM" }] })
  })

  it("fills members other than questions, and omits empty members", () => {
    const { mapping } = compiledMapping(
      pipelineFrom(`  questions: [{ name: A, from: A }]
  urlParameters:
    - { name: ref, from: Id }
    - { name: src, value: crm }
  submissionTime: { from: { date: Day, time: Hour }, zone: Europe/Berlin }
  lastUpdatedAt: { from: Changed, format: iso }
  login: { from: Mail }
  scheduling:
    - name: Booking
      from: { fullName: A, email: Mail, timezone: { value: Europe/Berlin }, eventStartTime: Changed, eventEndTime: Changed, userId: User }
  payments:
    - { name: Fee, from: { paymentId: Txn, totalAmount: { from: Amount, decimal: "," }, currency: { value: EUR } } }`),
      formOf(["A"], {
        urlParameters: [{ id: "u1", name: "ref" }, { id: "u2", name: "src" }],
        scheduling: [{ id: "s1", name: "Booking" }],
        payments: [{ id: "p1", name: "Fee" }],
      }),
      ["Id", "A", "Day", "Hour", "Changed", "Mail", "Txn", "Amount", "User"],
    )
    const changed = "2024-05-31T14:30:00Z"
    expect(itemOf(mapping, [7, "Ada", "2024-05-01", "08:30", changed, "ada@Example.org", "t1", "5,50", 3])).toEqual({
      questions: [{ id: "q1", value: "Ada" }],
      urlParameters: [{ id: "u1", name: "ref", value: "7" }, { id: "u2", name: "src", value: "crm" }],
      submissionTime: "2024-05-01T06:30:00.000Z",
      lastUpdatedAt: "2024-05-31T14:30:00.000Z",
      login: { email: "ada@example.org" },
      scheduling: [{
        id: "s1",
        value: {
          fullName: "Ada",
          email: "ada@example.org",
          timezone: "Europe/Berlin",
          eventStartTime: "2024-05-31T14:30:00.000Z",
          eventEndTime: "2024-05-31T14:30:00.000Z",
          userId: 3,
        },
      }],
      payments: [{ id: "p1", value: { paymentId: "t1", totalAmount: 5.5, currency: "EUR" } }],
    })
    // Constants alone don't make a scheduling or payment value.
    expect(itemOf(mapping, [null])).toEqual({ questions: [], urlParameters: [{ id: "u2", name: "src", value: "crm" }] })
    expect(problemsOf(mapping, ["7", "Ada"]).map(({ code, column, question }) => [code, column, question])).toEqual([
      ["required", "Mail", "s1"],
      ["required", "Changed", "s1"],
      ["required", "Changed", "s1"],
    ])
    expect(
      problemsOf(mapping, ["7", "", "", "", changed, "", "", "1.5", "x"]).map(({ code, column }) => [code, column]),
    ).toEqual([
      ["not-a-number", "User"],
      ["not-a-number", "Amount"],
    ])
  })

  it("reads `empty` cells as no answer, unless an option, a value or a token has that name", () => {
    const { mapping } = compiledMapping(
      pipelineFrom(
        `  questions:
    - { name: Text, from: a }
    - { name: Colour, from: a }
    - { name: Valued, from: a, as: choice, options: [None], values: { n/a: None } }
    - { name: Switch, from: a, as: boolean, "false": [N/A] }
    - { name: Number, from: b, as: number }`,
        { source: "  rowKey: [Id]\n  empty: [N/A, -99]" },
      ),
      formOf(["Text", { name: "Colour", type: "Dropdown", options: colours }, "Valued", "Switch", "Number"]),
      ["Id", "a", "b"],
    )
    expect(itemOf(mapping, ["1", " N/A ", -99])).toEqual({
      questions: [{ id: "q2", value: "na" }, { id: "q3", value: "None" }, { id: "q4", value: false }],
    })
    expect(itemOf(mapping, ["1", null, "-99"])).toEqual({ questions: [] })
  })

  it("reads a default for empty cells like a cell of the source", () => {
    const { mapping } = compiledMapping(
      pipelineFrom(`  questions:
    - { name: Day, from: Day, as: date, format: dd.MM.yyyy, default: 01.02.2003, required: true }
    - { name: Level, from: Level, as: choice, options: [Low, High], values: { none: null }, default: low }`),
      formOf(["Day", "Level"]),
      ["Id", "Day", "Level"],
    )
    const values = (cells: ReadonlyArray<string>) =>
      itemOf(mapping, ["1", ...cells]).questions.map(({ value }) => value)
    expect(values(["", ""])).toEqual(["2003-02-01", "Low"])
    expect(values(["03.04.2005", "high"])).toEqual(["2005-04-03", "High"])
    // A cell that means no answer because of `values` is not empty.
    expect(values(["", "none"])).toEqual(["2003-02-01"])
  })
})

describe("the problems of a mapped row", () => {
  it("all problems of a row are listed, each with its column, value and expectation", () => {
    const { mapping } = compiledMapping(
      pipelineFrom(`  questions:
    - { name: Name, from: Name, required: true }
    - { name: Born, from: Born, as: date, format: dd.MM.yyyy }
    - { name: Mail, from: Mail, as: email, required: true }
    - { name: Likes, from: Likes, as: choices, split: ",", options: [Tea, Coffee] }
    - { name: Sum, from: Sum, as: number }
    - { name: Full, from: [Name, Mail], as: text, maxLength: 3 }
    - { name: Greeting, template: "Dear {Name} {Mail}", as: text, maxLength: 8 }`),
      formOf(["Name", "Born", "Mail", "Likes", "Sum", "Full", "Greeting"]),
      ["Id", "Name", "Born", "Mail", "Likes", "Sum"],
    )
    const problems = problemsOf(mapping, ["1", " ", "31.02.1990", "nobody\u0007\n", "Tea, Beer", new ErrorCell("#N/A")])
    expect(problems).toEqual([
      {
        code: "required",
        column: "Name",
        question: "q1",
        message: 'Column "Name" contains no answer; "Name" is required.',
      },
      {
        code: "not-a-date",
        column: "Born",
        question: "q2",
        value: "31.02.1990",
        message: 'Column "Born" contains "31.02.1990"; expected a date as dd.MM.yyyy or yyyy-MM-dd.',
      },
      {
        code: "not-an-email",
        column: "Mail",
        question: "q3",
        value: "nobody␇",
        message: 'Column "Mail" contains "nobody␇"; expected an email address such as name@example.org.',
      },
      {
        code: "not-an-option",
        column: "Likes",
        question: "q4",
        value: "Beer",
        message: 'Column "Likes" contains "Beer" in "Tea, Beer"; expected one of: Tea, Coffee.',
      },
      {
        code: "excel-error",
        column: "Sum",
        question: "q5",
        value: "#N/A",
        message: 'Column "Sum" contains "#N/A"; expected a value, not an error in the workbook.',
      },
      expect.objectContaining({ code: "too-long", column: "Name", question: "q6" }),
      {
        code: "too-long",
        question: "q7",
        value: "Dear nobody␇",
        message: 'The template gives "Dear nobody␇"; expected 8 characters at most.',
      },
    ])
  })

  it("problems truncate long values, and show control characters as symbols", () => {
    const { mapping } = compiledMapping(
      pipelineFrom("  questions: [{ name: A, from: A, as: number }]"),
      formOf(["A"]),
      ["Id", "A"],
    )
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 300 }), (text) => {
        for (const { message, value } of problemsOf(mapping, ["1", `x${text}\u202E`])) {
          expect(Array.from(value ?? "").length).toBeLessThanOrEqual(80)
          expect(message).not.toMatch(/[\p{Cc}\u200E\u200F\u2028-\u202E\u2066-\u2069]/u)
        }
      }),
      { seed: 21, numRuns: 300 },
    )
  })

  it("problems name the column of the wrong part", () => {
    const { mapping } = compiledMapping(
      pipelineFrom("  questions: [{ name: A, as: dateTime, zone: Europe/Berlin, from: { date: Day, time: Hour } }]"),
      formOf(["A"]),
      ["Id", "Day", "Hour"],
    )
    const blamed = (day: string, hour: string) =>
      problemsOf(mapping, ["1", day, hour]).map(({ code, column }) => [code, column])
    expect(blamed("2024-02-30", "25:00")).toEqual([["not-a-date", "Day"], ["not-a-time", "Hour"]])
    expect(blamed("2024-02-28", "")).toEqual([["not-a-date-time", "Hour"]])
    expect(blamed("", "08:00")).toEqual([["not-a-date-time", "Day"]])
    expect(blamed("2024-03-31", "02:30")).toEqual([["ambiguous-time", "Hour"]])
    expect(blamed("", "")).toEqual([])
    expect(problemsOf(mapping, ["1", "2024-02-28", ""])[0]?.message).toBe(
      'Column "Hour" is empty; expected a time as well as a date.',
    )
  })

  it("problems list several columns as in a sentence", () => {
    const pipeline = pipelineFrom('  questions: [{ name: A, template: "{a} {b} {c}", required: true }]', {
      source: "  rowKey: [k, l]",
    })
    const { mapping } = compiledMapping(pipeline, formOf(["A"]), ["k", "l", "a", "b", "c"])
    const problems = [missingKeyProblem(pipeline), ...problemsOf(mapping, [])]
    expect(problems.map(({ message }) => message)).toEqual([
      "k and l are empty, so the row could not be recognised in later runs. Give them values.",
      'Columns "a", "b" and "c" contain no answer; "A" is required.',
    ])
  })

  it("problems never stop the mapping, whatever the cells contain", () => {
    const { mapping } = compiledMapping(
      pipelineFrom(`  questions:
    - { name: A, from: a }
    - { name: B, from: b, as: date }
    - { name: C, template: "{a} {b}" }
    - { name: D, as: files, from: { url: a, filename: b } }
    - { name: E, as: dateTime, zone: UTC, from: { date: a, time: b } }`),
      formOf(["A", "B", "C", "D", "E"]),
      ["Id", "a", "b"],
    )
    fc.assert(
      fc.property(fc.array(anyCell, { maxLength: 4 }), (cells) => {
        const mapped = mapping.map(cells)
        expect("item" in mapped || mapped.problems.length > 0).toBe(true)
        expect(mapping.map(cells)).toEqual(mapped)
        expect(() => mapping.key(cells)).not.toThrow()
      }),
      { seed: 22, numRuns: 500 },
    )
  })
})

describe("the key of a mapped row", () => {
  const keyed = (source: string) =>
    compiledMapping(
      pipelineFrom("  questions: [{ name: A, from: A }]\n  unmapped: ignore", { source }),
      formOf(["A"]),
      ["A", "B", "C"],
    )
      .mapping

  it("the key is the trimmed text of its column", () => {
    const { key, keyed: from } = keyed('  rowKey: [B]\n  empty: ["-"]')
    expect(from).toBe("columns")
    expect([key(["x", " 007 "]), key(["x", 7]), key(["x", new DateCell("2024-05-01")])]).toEqual([
      "007",
      "7",
      "2024-05-01",
    ])
    for (const cell of ["", "  ", "-", null, new ErrorCell("#REF!")]) expect(key(["x", cell])).toBeUndefined()
    expect(key([])).toBeUndefined()
  })

  it("a key of several columns is never the same for different cells", () => {
    const { key } = keyed("  rowKey: [B, C]")
    expect(key(["x", "a", " b"])).toBe('["a","b"]')
    expect(key(["x", "a", ""])).toBe('["a",""]')
    expect(key(["x", "", " "])).toBeUndefined()
    const word = fc.string({ maxLength: 4 })
    fc.assert(
      fc.property(word, word, word, word, (a, b, c, d) => {
        const same = a.trim() === c.trim() && b.trim() === d.trim()
        expect(key(["", a, b]) === key(["", c, d])).toBe(same)
      }),
      { seed: 23, numRuns: 500 },
    )
  })

  it("the mapping sets no key if the key is the row's content", () => {
    const { key, keyed: from } = keyed("  rowKey: content")
    expect([from, key(["x", "y"])]).toEqual(["content", undefined])
  })
})

describe("a template", () => {
  it("has the decimal sign of the entry in the numbers of a workbook or JSON file", () => {
    const { mapping } = compiledMapping(
      pipelineFrom(`  questions: [{ name: Q, template: "{A} €", as: number, decimal: ",", group: "." }]`),
      formOf(["Q"]),
      ["Id", "A"],
    )
    const read = (cell: Cell) => itemOf(mapping, ["1", cell]).questions[0]?.value
    expect([read(1.234), read(-1234.5), read("1.234"), read("1.234,5")]).toEqual([1.234, -1234.5, 1234, 1234.5])
  })

  const fill = (template: string, ...texts: ReadonlyArray<string>) => {
    const pipeline = pipelineFrom(`  questions: [{ name: Q, template: "${template}" }]`)
    const titles = ["Id", ...new Set(Array.from(template.matchAll(/\{(.+?)\}/g), ([, column = ""]) => column))]
    return itemOf(compiledMapping(pipeline, formOf(["Q"]), titles).mapping, ["1", ...texts]).questions[0]?.value
  }

  it.each([
    [["Dr.", "Ada", "Lovelace"], "Dr. Ada Lovelace"],
    [["", "Ada", "Lovelace"], "Ada Lovelace"],
    [["Dr.", "", "Lovelace"], "Dr. Lovelace"],
    [["Dr.", "Ada", ""], "Dr. Ada"],
    [["", "", "Lovelace"], "Lovelace"],
    [["", "", ""], undefined],
  ])("a template removes the space around empty parts: %o", (texts, result) => {
    expect(fill("{Title} {First name} {Last name}", ...texts)).toBe(result)
  })

  it("a template keeps the text around its parts, and does not expand braces inside cells", () => {
    expect(fill("{A}, {B}!", "x", "{A}")).toBe("x, {A}!")
    expect(fill("Mr {A} of {B}", "", "York")).toBe("Mr of York")
    expect(fill("{A}{A}", "x")).toBe("xx")
    expect(() => fill("{A", "x")).toThrow("expects text with columns in braces")
  })
})
