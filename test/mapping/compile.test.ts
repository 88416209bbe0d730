import { describe, expect, it } from "vitest"
import { brief } from "../../src/domain/problem.ts"
import { compiledMapping, errorsOf, formOf, pipelineFrom } from "./pipeline.ts"

const titles = ["Id", "Name", "E-mail", "Born", "Colour"]

describe("errors in a mapping", () => {
  it("all errors in a mapping are reported at once, each at its place in the file", () => {
    const pipeline = pipelineFrom(`  questions:
    - { name: Ful name, from: Nam }
    - { id: q2, name: Mail, from: E-mail, as: email }
    - { id: q9, from: Born }
    - { name: Twice, from: Name }
    - { name: Birthday, from: Born, as: date, format: DD.MM.YYYY }
    - { name: Birthday, from: Colour }
  urlParameters:
    - { name: refe, from: Id }
  unmapped: ignore`)
    const form = formOf(["Full name", "Email", "Birthday", "Twice", "Twice"], {
      urlParameters: [{ id: "u1", name: "ref" }],
    })
    const errors = errorsOf(pipeline, form, titles)
    expect(errors.map(({ line, message, suggestion }) => [line, message, suggestion])).toEqual([
      [7, 'The form has no question called "Ful name".', "Did you mean `Full name`?"],
      [7, 'The source has no column "Nam".', "Did you mean `Name`?"],
      [8, 'The question q2 is called "Email" in the form, not "Mail".', "Correct the name, or remove it."],
      [9, "The form has no question with the id q9.", expect.stringContaining("q")],
      [
        10,
        '2 of the form\'s questions are called "Twice".',
        'Name the intended one by its id: "Twice" (q4), "Twice" (q5).',
      ],
      [11, 'The format "DD.MM.YYYY" has the letter D, which is not a field.', expect.stringContaining('"dd.MM.yyyy"')],
      [12, 'The question "Birthday" is already filled by the entry on line 11.', undefined],
      [14, 'The form has no URL parameter called "refe".', "Did you mean `ref`?"],
    ])
    for (const error of errors) {
      expect(error).toMatchObject({ severity: "error", file: "pipelines/test.yaml" })
      expect(error.excerpt).toMatch(/- \{/)
      expect(error.column).toBeGreaterThan(4)
    }
  })

  it("an error names the new id of a question whose id changed", () => {
    const [error] = errorsOf(pipelineFrom("  questions: [{ id: old, name: Email, from: Id }]"), formOf(["Email"]), [
      "Id",
    ])
    expect(error?.suggestion).toBe('The question "Email" has the id q1.')
  })

  it("a name that is the title of several columns is an error", () => {
    const pipeline = pipelineFrom("  questions: [{ name: Reason, from: Why? }]")
    const [error] = errorsOf(pipeline, formOf(["Reason"]), ["Id", "Why?", "Why?"])
    expect(error?.message).toBe('2 columns of the source have the title "Why?" (columns 2, 3).')
  })

  it("a missing row key and missing key columns are errors", () => {
    const pipeline = pipelineFrom("  questions: [{ name: A, from: Name }]", { source: "  rowKey: [Number, Id]" })
    expect(errorsOf(pipeline, formOf(["A"]), ["Id", "Name"])).toMatchObject([
      { line: 4, message: 'The source has no column "Number".' },
    ])
    expect(errorsOf({ ...pipeline, source: { ...pipeline.source, rowKey: undefined } }, formOf(["A"]), ["Id", "Name"]))
      .toMatchObject([
        { line: 2, message: expect.stringContaining("`rowKey`") },
        { severity: "warning", line: 5 },
      ])
  })

  it("an error names only the file if the source has none of the columns", () => {
    const pipeline = pipelineFrom("  questions: [{ name: A, from: Name }, { name: B, from: E-mail }]")
    expect(errorsOf(pipeline, formOf(["A", "B"]), ["KEY", "SubmissionDate"])).toMatchObject([
      {
        line: 3,
        message: "The source has none of the columns that the pipeline names. Its 2 columns are: KEY, SubmissionDate.",
      },
    ])
    const [error] = errorsOf(pipeline, formOf(["A", "B"]), ["Id;Name;E-mail"])
    expect(error?.suggestion).toContain("correct `delimiter` or `headerRow`")
    const positions = pipelineFrom("  questions: [{ name: A, from: Name }, { name: B, from: E-mail }]", {
      source: "  rowKey: [Id]\n  columns: { Id: { position: 1 }, Name: { position: 2 }, E-mail: { position: 3 } }",
    })
    expect(errorsOf(positions, formOf(["A", "B"]), ["1", "2", "3"])).toEqual([])
  })

  it("a form without questions is an error", () => {
    expect(errorsOf(pipelineFrom("  questions: [{ name: A, from: Id }]"), formOf([]), ["Id"])).toMatchObject([
      { line: 7, message: expect.stringContaining("has no questions") },
    ])
  })

  it("unmapped columns whose titles are equal once they are shortened are listed once", () => {
    const long = `Please rank ${"these films ".repeat(10)}`
    const { warnings } = compiledMapping(
      pipelineFrom("  questions: [{ name: A, from: Id }]"),
      formOf(["A"]),
      ["Id", `${long}1`, `${long}2`],
    )
    expect(warnings[0]?.message).toBe(`2 of 3 columns are not mapped: ${brief(long)} (2 columns).`)
  })

  it("an unmapped column is an error if `unmapped` is `error`", () => {
    const mapping = (policy: string) =>
      pipelineFrom(`  questions: [{ name: A, from: Name }]\n  ignore: [Born, Gone]\n  unmapped: ${policy}`)
    const all = ["Id", "Name", "Born", "Extra", ""]
    const [error, gone] = errorsOf(mapping("error"), formOf(["A"]), all)
    expect(error?.message).toBe("2 of 5 columns are not mapped: Extra, column 5.")
    expect(gone).toMatchObject({ severity: "warning", message: 'The source has no column "Gone".' })
    expect(compiledMapping(mapping("warn"), formOf(["A"]), all).warnings).toHaveLength(2)
    expect(compiledMapping(mapping("ignore"), formOf(["A"]), all).warnings).toHaveLength(1)
  })

  it("constants that together make no answer are an error", () => {
    const pipeline = pipelineFrom(`  questions:
    - { name: Where, as: location, from: { latitude: { value: "113.4" }, longitude: { value: "52.5" } } }
    - { name: When, as: dateRange, from: { start: { value: 2024-05-31 }, end: { value: 2024-05-01 } } }
    - { name: There, as: location, from: { latitude: { value: "52.5" }, longitude: { value: "13.4" } } }`)
    expect(errorsOf(pipeline, formOf(["Where", "When", "There"]), ["Id"]).map(({ message }) => message)).toEqual([
      expect.stringMatching(/^These constants can't be sent; expected .*latitude/),
      expect.stringMatching(/^These constants can't be sent; expected .*end/),
    ])
  })

  it("a constant, a default or a choice that the form does not accept is an error", () => {
    const pipeline = pipelineFrom(`  questions:
    - { name: Colour, value: Pink }
    - { name: Day, from: Id, as: date, default: soon }
    - { name: Other, from: Id, as: choice, values: { a: Rde } }`)
    const options = [{ value: "r", label: "Red" }, { value: "b", label: "Blue" }]
    const form = formOf([{ name: "Colour", type: "Dropdown", options }, "Day", { name: "Other", options }])
    expect(errorsOf(pipeline, form, ["Id"]).map(({ message, suggestion }) => [message, suggestion])).toEqual([
      ['"Pink" can\'t be sent; expected one of: Red, Blue.', undefined],
      ['"soon" can\'t be sent; expected a date as yyyy-MM-dd.', undefined],
      ['"Rde" is not an option of this question.', "Did you mean `Red`?"],
    ])
  })

  it("a type without a default kind is an error, and so is an input that the kind can't use", () => {
    const pipeline = pipelineFrom(`  questions:
    - { name: Grid, from: Id }
    - { name: New, from: Id }
    - { name: Number, from: [Id, Id] }
    - { name: Text, from: { date: Id } }`)
    const form = formOf([
      { name: "Grid", type: "Table" },
      { name: "New", type: "Hologram" },
      { name: "Number", type: "NumberInput" },
      "Text",
    ])
    expect(errorsOf(pipeline, form, ["Id"]).map(({ message }) => message)).toEqual([
      '"Grid" is of the type Table, which has no default kind.',
      '"New" is of the type Hologram, which formferry does not know.',
      "The kind number takes one column, not 2.",
      "The kind text has no parts.",
    ])
  })

  it("a scheduling or payment field without a needed part is an error", () => {
    const pipeline = pipelineFrom(`  questions: [{ name: A, from: Id }]
  scheduling: [{ name: Booking, from: { fullName: Id, email: Mail } }]
  payments: [{ name: Fee, from: { totalAmount: Id } }]`)
    const form = formOf(["A"], { scheduling: [{ id: "b", name: "Booking" }], payments: [{ id: "p", name: "Fee" }] })
    expect(errorsOf(pipeline, form, ["Id", "E-Mail"]).map(({ message }) => message)).toEqual([
      '"Booking" lacks timezone, eventStartTime, eventEndTime: the service requires fullName, email, timezone, eventStartTime, eventEndTime.',
      'The source has no column "Mail".',
      '"Fee" lacks paymentId: the service requires paymentId.',
      "1 of 2 columns is not mapped: E-Mail.",
    ])
  })

  it("a tolerated answer that is not mapped is an error", () => {
    const pipeline = pipelineFrom("  questions: [{ name: Phone, from: Id }]", {
      more: "reconcile: { tolerate: [{ name: Fone, because: it reformats }] }",
    })
    expect(errorsOf(pipeline, formOf(["Phone"]), ["Id"])).toMatchObject([{
      line: 8,
      suggestion: "Mapped are: `Phone`.",
    }])
  })

  it("a kind that doesn't fit the type is a warning, and so is a type that can't be compared", () => {
    const pipeline = pipelineFrom(`  questions:
    - { name: Number, from: Id, as: text }
    - { name: New, from: Next, as: text }`)
    const form = formOf([{ name: "Number", type: "NumberInput" }, { name: "New", type: "Hologram" }])
    expect(compiledMapping(pipeline, form, ["Id", "Next"]).warnings).toMatchObject([
      {
        severity: "warning",
        line: 7,
        message: '"Number" is of the type NumberInput, which takes a number; text sends a text.',
      },
      { severity: "warning", line: 8, message: expect.stringContaining("can be sent, but not compared") },
    ])
  })
})

describe("a compiled mapping", () => {
  const lines = `  questions:
    - { name: Name, from: Name }
    - { name: Born, from: Born, as: date, format: dd.MM.yyyy }
  unmapped: ignore`
  const form = formOf(["Name", "Born"])

  it("a compiled mapping lists the answers, and the columns of a row's content by name", () => {
    const { mapping } = compiledMapping(
      pipelineFrom(lines, { more: "reconcile: { tolerate: [{ id: q2, because: it rounds }] }" }),
      form,
      ["Name", "Id", "Born"],
    )
    expect(mapping.columns.map((column) => [column.name, column.position])).toEqual([["Born", 2], ["Name", 0]])
    expect(mapping.answers).toMatchObject([
      { id: "q1", name: "Name", kind: "text", list: "questions", tolerated: undefined, columns: [{ title: "Name" }] },
      { id: "q2", name: "Born", kind: "date", list: "questions", tolerated: "it rounds" },
    ])
    expect(mapping.filtered([])).toBe(false)
  })

  const print = (text: string, columns = ["Id", "Name", "Born"], what = form, source = "  rowKey: [Id]") =>
    compiledMapping(pipelineFrom(text, { source }), what, columns).mapping.fingerprint

  it("a compiled mapping lists the columns from which each answer is read, and the cells that it translates", () => {
    const { mapping } = compiledMapping(
      pipelineFrom(`  defaults: { boolean: { "true": [ja] } }
  questions:
    - { name: Colour, from: Colour, as: choice, values: { r: Red, none: null } }
    - { name: New, from: Id, as: boolean }
    - { name: Full name, from: [Name, Born] }
    - { name: Source, value: legacy }
  unmapped: ignore`),
      formOf([{ name: "Colour", options: [{ value: "r1", label: "Red" }] }, "New", "Full name", "Source"]),
      titles,
    )
    const of = mapping.answers.map(({ columns, translations }) => [columns.map(({ title }) => title), translations])
    expect(of).toEqual([
      [["Colour"], [["r", "Red"], ["none", null], ["Red", "r1"]]],
      [["Id"], [["ja", "true"]]],
      [["Name", "Born"], []],
      [[], []],
    ])
  })

  it("the fingerprint of a mapping does not depend on comments, order or positions", () => {
    const same = `  # a comment
  unmapped: ignore
  questions:
    - { as: date, from: Born, format: dd.MM.yyyy, id: q2 }
    - { from: Name, name: Name }`
    expect(print(lines)).toMatch(/^[0-9a-f]{64}$/)
    expect(print(same)).toBe(print(lines))
    expect(print(lines, ["Born", "Extra", "Name", "Id"])).toBe(print(lines))
    expect(print(lines, undefined, undefined, "  rowKey: [Name]")).toBe(print(lines))
  })

  it("the fingerprint of a mapping changes if the same cells could produce a different item", () => {
    const others = [
      print(lines.replace("dd.MM.yyyy", "MM.dd.yyyy")),
      print(lines.replace("from: Name }", "from: Name, required: true }")),
      print(lines.replace("from: Name }", "from: Name, default: x }")),
      print(lines.replace("from: Name }", "from: Name, as: text, case: upper }")),
      print(lines.replace("from: Name }", "from: Born }")),
      print(lines.replace("from: Name }", "template: '{Name}' }")),
      print(lines, undefined, formOf(["Born", "Name"])),
      print(lines, undefined, undefined, '  rowKey: [Id]\n  empty: ["-"]'),
      print(lines.replace("  unmapped", "  login: { from: Name }\n  unmapped")),
    ]
    expect(new Set([print(lines), ...others]).size).toBe(others.length + 1)
  })

  it("the fingerprint of a mapping changes if the form's options change", () => {
    const options = (label: string) => formOf([{ name: "Name", type: "Dropdown", options: [{ value: "1", label }] }])
    const text = "  questions: [{ name: Name, from: Name }]\n  unmapped: ignore"
    expect(print(text, undefined, options("A"))).not.toBe(print(text, undefined, options("B")))
  })
})
