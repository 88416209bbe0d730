import { FileSystem, Path, Terminal } from "@effect/platform"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { parse } from "yaml"
import { reviewPipeline } from "../../src/cli/review.ts"
import { checkProject } from "../../src/jobs/check.ts"
import { columnsTyped, openReview } from "../../src/jobs/review.ts"
import { initialised } from "../jobs/initialised.ts"
import { platform, projectFolder } from "../project/projectFolder.ts"
import { type Answer, answering } from "./answering.ts"

const people = `Name;E-mail;Born;Color;Due;When;F9;No answer
Ada;ada@example.org;10.12.1815;Karmin;01/02/2024;2024-01-01 10:00;-;
Zoë;zoe@example.org;;Blue;03/04/2024;2024-01-02 10:00;41;
Bob;bob@example.net;01.02.1990;Karmin;05/06/2024;2024-01-03 10:00;43;
Ada;ada@example.org;10.12.1815;Karmin;05/06/2024;2024-01-03 10:00;43;
`

const form = `id: people1
name: People
questions:
  - { id: q1, name: Name, type: ShortAnswer }
  - { id: q4, name: Color, type: Dropdown, options: [{ value: r, label: Red }, { value: b, label: Blue }] }
  - { id: q5, name: Due, type: DatePicker }
  - { id: q6, name: Shoes, type: NumberInput }
  - { id: q7, name: Remarks, type: LongAnswer }
  - { id: q8, name: Appointment, type: DateTimePicker }
`

const startWith = (csv: string, form: string) =>
  Effect.map(initialised(csv, form), (made) => ({
    ...made,
    review: (answers: ReadonlyArray<Answer>) => answering(answers, reviewPipeline(made.root, "people", {})),
  }))

const start = startWith(people, form)

layer(platform)("a review of a pipeline", (it) => {
  it.scoped("review asks one question at a time, and writes each answer", () =>
    Effect.gen(function*() {
      const world = yield* start
      const { result, shown } = yield* world.review([
        ["identify a row", "whole rows"],
        ['mean "no answer"? ["-"]', "yes"],
        ['"Color" (Dropdown), options Red · Blue: Color: "Karmin", "Blue"', "Red"],
        [
          '"Due" (DatePicker): Due: "01/02/2024", "03/04/2024" (confidence 0.99, the titles are the same, all 4 cells are dates) "Due": no cell shows whether the day or the month comes first. Which format?',
          "MM/dd/yyyy",
        ],
        ['"Shoes" (NumberInput): which column', "F9"],
        ['"Remarks"', "unanswered on purpose"],
        ['"Appointment"', "When"],
        ["time zone", "Europe/Berln"],
        ['"Europe/Berln" can\'t be the zone. Type one such as Europe/Berlin.', "Europe/Berlin"],
      ])
      expect(result).toEqual({ answered: 7, skipped: 0 })
      expect(shown).toContain("2  MM/dd/yyyy\n3  skip: decide later\n")
      const { mapping, source } = parse(yield* world.read)
      expect(source).toMatchObject({ rowKey: "content", empty: ["-"] })
      expect(mapping).toEqual({
        questions: [
          { id: "q1", name: "Name", from: "Name" },
          { id: "q4", name: "Color", from: "Color", as: "choice", values: { Karmin: "Red" } },
          { id: "q5", name: "Due", from: "Due", as: "date", format: "MM/dd/yyyy" },
          { id: "q6", name: "Shoes", from: "F9" },
          { id: "q8", name: "Appointment", from: "When", as: "dateTime", zone: "Europe/Berlin" },
        ],
        ignoreQuestions: ["Remarks"],
      })
      const { pipelines: [checked] } = yield* checkProject(world.root, [])
      expect(checked?.data).toMatchObject({ rows: 4, invalid: 0, problems: [], choices: [] })
      expect((yield* world.review([])).result).toEqual({ answered: 0, skipped: 0 })
    }))

  it.scoped("review does not ask for the option of a text that means no answer", () =>
    Effect.gen(function*() {
      const world = yield* startWith("No,Name,Color\n1,Ada,Red\n2,Bob,n/a\n3,Eve,Blue\n4,Zoe,n/a\n", form)
      const { result } = yield* world.review([
        ['mean "no answer"? ["n/a"]', "yes"],
        ['"Due"', "skip"],
        ['"Shoes"', "skip"],
        ['"Remarks"', "skip"],
        ['"Appointment"', "skip"],
      ])
      expect(result).toMatchObject({ skipped: 4 })
      const written = parse(yield* world.read)
      expect(written.source.empty).toEqual(["n/a"])
      expect(written.mapping.questions).toContainEqual(expect.objectContaining({ id: "q4", from: "Color" }))
      const { pipelines: [checked] } = yield* checkProject(world.root, [])
      expect(checked?.data).toMatchObject({ rows: 4, invalid: 0, choices: [] })
    }))

  it.scoped("review writes the kind that `values` needs into an entry without one", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const root = yield* projectFolder({
        "people.csv": "No,Color\n1,Karmin\n2,Blue\n",
        "forms/people.yaml": form,
        "config/formferry.yaml": "services: { practice: { practice: { forms: ../forms } } }\n",
        "pipelines/people.yaml": `pipeline: people
source: { file: ../people.csv, rowKey: [No] }
mapping:
  questions:
    - name: Color
      from: Color
  ignoreQuestions: [Name, Due, Shoes, Remarks, Appointment]
sink: { service: practice, form: people1 }
`,
      })
      const { result } = yield* answering(
        [['"Karmin" (1 cell) is not an option', "Red"]],
        reviewPipeline(root, "people", {}),
      )
      expect(result).toEqual({ answered: 1, skipped: 0 })
      const { mapping } = parse(yield* fs.readFileString(path.join(root, "pipelines/people.yaml")))
      expect(mapping.questions).toEqual([{ name: "Color", from: "Color", as: "choice", values: { Karmin: "Red" } }])
      const { pipelines: [checked] } = yield* checkProject(root, [])
      expect(checked?.data).toMatchObject({ rows: 2, invalid: 0, choices: [] })
    }))

  it.scoped("an interrupted review continues with the entries that are still open, and keeps lines that a person wrote", () =>
    Effect.gen(function*() {
      const world = yield* start
      yield* world.write((yield* world.read).replace("  questions:\n", "  # ours\n  questions: # all of them\n"))
      const first = yield* world.review([
        ["identify a row", "several columns together"],
        ["Their names", "Name, Nmae"],
        ['no column "Nmae"', "Name, When"],
        ['mean "no answer"?', "no"],
        ['"Karmin" (3 cells) is not an option', "skip"],
        ['"Due"', "quit"],
      ])
      expect(first.result).toBeInstanceOf(Terminal.QuitException)
      const second = yield* world.review([
        ['1 of 5: "Color"', "skip"],
        ['"Due"', "skip"],
        ['"Shoes"', "skip"],
        ['"Remarks"', "skip"],
        ['"Appointment"', "another column"],
        ["Which column?", "E-mail"],
        ["4 of 4 cells can't be read like this (not a date with a time)", "skip"],
      ])
      expect(second.result).toEqual({ answered: 0, skipped: 5 })
      const text = yield* world.read
      expect(text).toContain("  # ours\n  questions: # all of them\n")
      expect(text).not.toContain("# empty:")
      expect(parse(text).source.rowKey).toEqual(["Name", "When"])
      expect(parse(text).mapping.questions).toHaveLength(1)
      expect(text).toContain("    # - id: q4\n")
    }))

  it.scoped("review asks about entries of low confidence until a person confirms them", () =>
    Effect.gen(function*() {
      const world = yield* start
      const low = (yield* world.read).replace(/confidence 0\.\d\d(.*\n.*- id: q1)/, "confidence 0.81$1")
        .replace("# rowKey: ", "rowKey: ")
      yield* world.write(low)
      const { shown } = yield* world.review([
        ["no answer", "skip"],
        ['"Name" (ShortAnswer): is it answered by Name? (confidence 0.81)', "yes"],
        ['"Color"', "skip"],
        ['"Due"', "quit"],
      ])
      expect(shown).not.toContain("identify a row")
      expect(yield* world.read).toMatch(/ {4}# reviewed · "Ada" · "Zoë" · the titles are the same\n {4}- id: q1/)
      yield* world.review([["no answer", "skip"], ['"Color"', "skip"], ['"Due"', "quit"]])
    }))

  it.scoped("review suggests options for a code by its label, and not the options that other cells name", () =>
    Effect.gen(function*() {
      const root = yield* projectFolder({
        "codes.csv": "id,area,size\n1,Suburban,Small\n2,2,Smal\n3,2,Medium\n4,Suburban,Large\n",
        "dictionary.csv": [
          '"Variable / Field Name","Form Name","Field Type","Field Label","Choices, Calculations, OR Slider Labels"',
          'id,f,text,Id,""',
          'area,f,radio,Area,"1, Suburban | 2, City of Rurl"',
        ].join("\n"),
        "config/formferry.yaml": "services: { practice: { practice: { forms: ../forms } } }\n",
        "forms/f1.yaml": `id: f1
name: Areas
questions:
  - { id: q1, name: Area, type: Dropdown, options: [Suburban, Urban, City of Rural] }
  - { id: q2, name: Size, type: Dropdown, options: [Small, Medium, Large] }
`,
        "pipelines/codes.yaml": `pipeline: codes
source: { file: ../codes.csv, rowKey: [id] }
mapping:
  questions:
    - { id: q1, from: area }
    - { id: q2, from: size }
sink: { service: practice, form: f1 }
`,
      })
      const review = yield* Effect.scoped(openReview(root, "codes", { labels: `${root}/dictionary.csv` }))
      const choices = review.items.flatMap((one) => one._tag === "Choice" ? [[one.choice, one.likely?.label]] : [])
      expect(choices).toEqual([["2", "City of Rural"], ["Smal", "Small"]])
    }))

  it.scoped("review does not ask about a question that gets the texts of a different one", () =>
    Effect.gen(function*() {
      const root = yield* projectFolder({
        "areas.csv": "id,area\n1,Suburban\n2,Elsewhere\n",
        "config/formferry.yaml": "services: { practice: { practice: { forms: ../forms } } }\n",
        "forms/f1.yaml": `id: f1
name: Areas
questions:
  - { id: q1, name: Area, type: Dropdown, options: [Suburban, Other] }
  - { id: q2, name: Other area, type: ShortAnswer }
`,
        "pipelines/areas.yaml": `pipeline: areas
source: { file: ../areas.csv, rowKey: [id] }
mapping:
  questions:
    - { id: q1, from: area, as: choice, otherwise: { use: Other, textTo: Other area } }
sink: { service: practice, form: f1 }
`,
      })
      const review = yield* Effect.scoped(openReview(root, "areas"))
      expect(review.items.filter(({ _tag }) => _tag === "Question")).toEqual([])
    }))

  it.scoped("an answered pipeline can run if options have the same label, and if a sign may separate groups of digits", () =>
    Effect.gen(function*() {
      const rows = ["Equal", "Third", "thrid", "EQUAL"].map((choice, at) => `${at},${choice},"${at + 1},234"\n`)
      const world = yield* startWith(
        `No,Choice,Amount\n${rows.join("")}`,
        `id: people1
name: People
questions:
  - id: c
    name: Choice
    type: Dropdown
    options: [{ value: a, label: Equal }, { value: b, label: Equal }, { value: c, label: Third }]
  - { id: n, name: Amount, type: NumberInput }
`,
      )
      const text = yield* world.read
      // Only a person knows which of the two options is meant.
      expect(text).toContain("    #   #   # options: a · b · Third\n")
      expect(text).toContain("    #   #   Equal: # the name of several options · 1 ×\n")
      const { shown } = yield* world.review([
        ['"EQUAL" (1 cell) is the name of several options. What does it mean?', "Equal (a)"],
        ['"Equal" (1 cell)', "Equal (b)"],
        ['"thrid" (1 cell) is not an option. What does it mean?', "Third"],
        ["Which decimal?", "."],
      ])
      expect(shown).toContain("1  Equal (a)\n2  Equal (b)\n3  Third\n")
      const { pipelines: [checked] } = yield* checkProject(world.root, [])
      expect(checked?.diagnostics).toEqual([])
      expect(checked?.data).toMatchObject({ rows: 4, invalid: 0, choices: [] })
      expect(parse(yield* world.read).mapping.questions).toMatchObject([
        { values: { EQUAL: "a", Equal: "b", thrid: "Third" } },
        { decimal: ".", group: "," },
      ])
    }))

  it("names that a person types may contain commas", () => {
    const columns = ["Name, first", "Name", "Born", "Town,Country"]
    expect(columnsTyped(" Name, first ,Born, Town,Country", columns)).toEqual(["Name, first", "Born", "Town,Country"])
    expect(columnsTyped("Name, Born,, first", columns)).toEqual(["Name", "Born", "first"])
    expect(columnsTyped(" , ", columns)).toEqual([])
  })
})
