// Tests parts of the source and the form that a run does not use: cells, texts of an Other option, questions, and rows
// without an answer.
import { FileSystem, Path } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { RunReport } from "../../src/domain/report.ts"
import { platform, projectFolder } from "../project/projectFolder.ts"
import { row, text, xlsx, zip } from "../source/workbooks.ts"
import { inProcess, onOneLine } from "./formferry.ts"

const project = "services: { practice: { practice: { forms: ../forms, store: ../store } } }\n"

/**
 * Makes a project folder with a pipeline `p` that sends to the practice service. Returns functions for its commands and
 * results.
 */
const bench = (files: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const root = yield* projectFolder({ "config/formferry.yaml": project, ...files })
    const text = (file: string) => fs.readFileString(path.join(root, file))
    return {
      run: (...args: ReadonlyArray<string>) => inProcess(args, { cwd: root }),
      write: (file: string, content: string | Uint8Array) => fs.writeFile(path.join(root, file), Buffer.from(content)),
      report: Effect.map(text("reports/p/latest/report.json"), (json) => JSON.parse(json) as RunReport),
      page: text("reports/p/latest/report.html"),
      stored: Effect.map(
        Effect.orElseSucceed(text("store/f.jsonl"), () => ""),
        (lines) =>
          lines.split("\n").filter((line) => line !== "").map((line) =>
            JSON.parse(line) as { questions: ReadonlyArray<{ id: string; value: unknown }> }
          ),
      ),
    }
  })

/** Joins the lines of a terminal's text. */

describe("texts of an Other option in an export with a column for each option", () => {
  const form = `id: f
name: Dinner
questions:
  - { id: s, name: Side dishes, type: Checkboxes, options: [Carrots, Corn, Other (please specify)] }
  - { id: w, name: Which, type: ShortAnswer }
`
  const export_ = `RespondentID,Are you celebrating?,Side dishes,,,
,Response,Carrots,Corn,Other (please specify),Other (please specify)
1,Yes,Carrots,,,
2,Yes,,Corn,Other (please specify),pecan pie
3,Yes,Carrots,,Other (please specify),"rolls, butter"
`
  const pipeline = (more: string) =>
    `pipeline: p
source: { file: ../export.csv }
mapping:
  questions:
    - { name: Side dishes, as: choices, from: { block: Side dishes }${more} }
  ignore: [Are you celebrating?]
  unmapped: ignore
sink: { service: practice, form: f }
`
  it.scopedLive("texts of an Other option are reported as not mapped, even with `unmapped: ignore`", () =>
    Effect.gen(function*() {
      const at = yield* bench({ "forms/f.yaml": form, "export.csv": export_, "pipelines/p.yaml": pipeline("") })
      const ran = yield* at.run("run", "p")
      expect(ran.status, ran.stdout + ran.stderr).toBe(0)
      expect(onOneLine(ran.stdout)).toContain(
        "2 cells in 1 column are not mapped: Side dishes [Other (please specify)] (2 cells)",
      )
      const { columns = [] } = yield* at.report
      expect(columns[5]).toMatchObject({ use: "notMapped", cells: 2, states: { notMapped: 2, sent: 0 } })
      expect(columns[4]).toMatchObject({ use: "answers", cells: 2, states: { sent: 2 } })
      expect(yield* at.page).toContain("2 cells in 1 column are not mapped")
    }).pipe(Effect.provide(platform)))

  it.scopedLive("texts of an Other option are sent to the question that `other` names, even without a tick next to them", () =>
    Effect.gen(function*() {
      const other = ", other: { use: Other (please specify), textTo: Which }"
      const at = yield* bench({ "forms/f.yaml": form, "export.csv": export_, "pipelines/p.yaml": pipeline(other) })
      const ran = yield* at.run("run", "p")
      expect(ran.status, ran.stdout + ran.stderr).toBe(0)
      const texts = (yield* at.stored).flatMap(({ questions }) => questions.filter(({ id }) => id === "w"))
      expect(texts.map(({ value }) => value).filter((value) => value !== null)).toEqual(["pecan pie", "rolls, butter"])
      const { columns = [] } = yield* at.report
      expect(columns[5]).toMatchObject({ use: "answers", cells: 2, states: { sent: 2 } })
    }).pipe(Effect.provide(platform)))
})

describe("questions and rows without an answer", () => {
  const form = `id: f
name: People
questions:
  - { id: n, name: Name, type: ShortAnswer }
  - { id: m, name: Remarks, type: LongAnswer }
  - { id: o, name: Origin, type: ShortAnswer }
`
  const pipeline = (questions: string, { mapping = "", sink = "" } = {}) =>
    `pipeline: p
source: { file: ../rows.csv, rowKey: [No] }
mapping:
  questions:
${questions}${mapping}
sink: { service: practice, form: f, stopWhen: { invalid: 100% }${sink} }
`
  const name = "    - { name: Name, from: Name }\n"
  const origin = "    - { name: Origin, value: legacy }\n"
  const rows = "No,Name\n1,Ada\n2,\n3,Alan\n"

  it.scopedLive("check, preview and the report name a question without a mapping, unless it is ignored on purpose", () =>
    Effect.gen(function*() {
      const at = yield* bench({ "forms/f.yaml": form, "rows.csv": rows, "pipelines/p.yaml": pipeline(name + origin) })
      const named = "1 of 3 questions of the form is not mapped: Remarks."
      expect(onOneLine((yield* at.run("check", "p")).stdout)).toContain(named)
      expect(onOneLine((yield* at.run("preview", "p")).stderr)).toContain(named)
      yield* at.run("run", "p")
      const report = yield* at.report
      expect(report.unanswered).toEqual([{ id: "m", name: "Remarks", state: "notMapped" }])
      expect(report.warnings).toContain(named)
      yield* at.write("pipelines/p.yaml", pipeline(name + origin, { mapping: "  ignoreQuestions: [Remarks]\n" }))
      expect((yield* at.run("check", "p", "--strict")).stdout).not.toContain("is not mapped: Remarks")
      yield* at.run("run", "p")
      expect((yield* at.report).unanswered).toEqual([{ id: "m", name: "Remarks", state: "ignored" }])
    }).pipe(Effect.provide(platform)))

  it.scopedLive("a row is rejected if none of its answers comes from a cell, unless blank rows are allowed", () =>
    Effect.gen(function*() {
      const at = yield* bench({ "forms/f.yaml": form, "rows.csv": rows, "pipelines/p.yaml": pipeline(name + origin) })
      expect((yield* at.run("run", "p")).status).toBe(1)
      expect(yield* at.report).toMatchObject({
        rows: { imported: 2, invalid: 1 },
        problems: [{ code: "blank-row", count: 1, examples: [{ row: 2 }] }],
      })
      expect(yield* at.stored).toHaveLength(2)
      yield* at.write("pipelines/p.yaml", pipeline(name + origin, { sink: ", blankRows: allow" }))
      expect((yield* at.run("run", "p")).status).toBe(0)
      expect(yield* at.stored).toHaveLength(3)
    }).pipe(Effect.provide(platform)))

  it.scopedLive("check and run fail if the mapping takes no answer from a column", () =>
    Effect.gen(function*() {
      const at = yield* bench({ "forms/f.yaml": form, "rows.csv": rows, "pipelines/p.yaml": pipeline(origin) })
      for (const command of ["check", "run"]) {
        const ran = yield* at.run(command, "p")
        expect(ran.status, ran.stdout + ran.stderr).toBe(2)
        expect(onOneLine(ran.stdout + ran.stderr)).toContain("No answer is read from a column")
        expect(onOneLine(ran.stdout + ran.stderr)).toContain("`- name: QUESTION` with `from: COLUMN`")
      }
      expect(yield* at.stored).toEqual([])
    }).pipe(Effect.provide(platform)))

  it.scopedLive("check warns about a column whose cells are the whole answer to two questions", () =>
    Effect.gen(function*() {
      const twice = `${name}    - { name: Remarks, from: Name }\n`
      const at = yield* bench({ "forms/f.yaml": form, "rows.csv": rows, "pipelines/p.yaml": pipeline(twice) })
      const checked = yield* at.run("check", "p")
      expect(checked.status).toBe(0)
      expect(onOneLine(checked.stdout)).toContain(
        'The column "Name" is the whole answer to 2 questions: `Name` (line 5) and `Remarks` (line 6).',
      )
      yield* at.write(
        "pipelines/p.yaml",
        pipeline(`${name}    - { name: Remarks, template: "{Name} of {No}" }\n    - { name: Origin, from: No }\n`),
      )
      expect((yield* at.run("check", "p")).stdout).not.toContain("whole answer")
    }).pipe(Effect.provide(platform)))
})

describe("a phone number that can be read in two ways", () => {
  it.scopedLive("the row is rejected, and the message says how to write the number, until `ambiguous` is set", () =>
    Effect.gen(function*() {
      const pipeline = (more: string) =>
        `pipeline: p
source: { file: ../calls.csv, rowKey: [No] }
mapping:
  questions:
    - { name: Phone, from: Phone, as: phone, country: DE${more} }
sink: { service: practice, form: f, stopWhen: { invalid: 100% } }
`
      const at = yield* bench({
        "forms/f.yaml": "id: f\nname: Calls\nquestions:\n  - { id: t, name: Phone, type: PhoneNumber }\n",
        "calls.csv": "No,Phone\n1,493511234574\n2,0351 1234574\n3,+49 351 1234575\n",
        "pipelines/p.yaml": pipeline(""),
      })
      const phones = Effect.map(at.stored, (all) => all.map(({ questions }) => questions[0]?.value).toSorted())
      const ran = yield* at.run("run", "p")
      expect(ran.status, ran.stdout + ran.stderr).toBe(1)
      expect(yield* phones).toEqual(["+493511234574", "+493511234575"])
      const { problems } = yield* at.report
      expect(problems.map(({ code, examples }) => [code, examples.map(({ row }) => row)])).toEqual([
        ["not-a-phone", [1]],
      ])
      expect(onOneLine(ran.stdout.replaceAll("│", " "))).toContain(
        "+49493511234574 in DE, but +493511234574 with + in front. Write it with + and the country code, or set `ambiguous`",
      )
      yield* at.write("pipelines/p.yaml", pipeline(", ambiguous: national"))
      const set = yield* at.run("run", "p")
      expect(set.status, set.stdout + set.stderr).toBe(0)
      expect(yield* phones).toEqual(["+493511234574", "+493511234575", "+49493511234574"])
    }).pipe(Effect.provide(platform)))
})

describe("the account of a source", () => {
  const form = "id: f\nname: People\nquestions:\n  - { id: n, name: Name, type: ShortAnswer }\n"
  const pipeline = (source: string) =>
    `pipeline: p
source: { ${source}, rowKey: [No] }
mapping:
  questions:
    - { name: Name, from: Name }
  unmapped: ignore
sink: { service: practice, form: f }
`
  /** Reads a source with `check` and `run`. Returns the text of both, of the report's page, and the report. */
  const accounted = (file: string, content: string | Uint8Array, more = "") =>
    Effect.gen(function*() {
      const at = yield* bench({ "forms/f.yaml": form, "pipelines/p.yaml": pipeline(`file: ../${file}${more}`) })
      yield* at.write(file, content)
      const checked = yield* at.run("check", "p")
      const ran = yield* at.run("run", "p")
      expect([checked.status, ran.status], checked.stdout + ran.stdout + ran.stderr).toEqual([0, 0])
      const page = (yield* at.page).replaceAll("&quot;", '"')
      return { check: onOneLine(checked.stdout), terminal: onOneLine(ran.stdout), page, report: yield* at.report }
    })

  it.scopedLive("check, the terminal and the page show the number of lines, an empty one and the longest cell", () =>
    Effect.gen(function*() {
      const { check, page, terminal } = yield* accounted("p.csv", 'No,Name\n1,"A\nB"\n\n2,Cleo\n')
      const lines = "5 lines: 1 above the data, 2 records, 1 inside cells, 1 blank"
      const longest = '4 characters (row 2, column "Name")'
      for (const shown of [check, terminal]) {
        expect(shown).toContain(
          `${lines}. Empty lines: 1 omitted, first above row 2, where another table may begin. Longest cell: ${longest}.`,
        )
      }
      expect(page).toContain(lines)
      expect(page).toContain(longest)
    }).pipe(Effect.provide(platform)))

  const people = (...names: ReadonlyArray<string>) =>
    row(1, text("No"), text("Name"), text("More"))
    + names.map((name, at) => row(at + 2, text(String(at)), text(name), text("x"))).join("")
  const book = zip(xlsx([
    { name: "S", rows: people("Ada", "Bob", "Cleo") },
    { name: "V", rows: people("Dora") },
    { name: "U", rows: people() },
  ]))

  it.scopedLive.each([
    {
      what: "other sheets",
      file: "p.xlsx",
      content: book,
      more: "",
      said: 'Other visible sheets are not read: "V", "U".',
    },
    {
      what: "cells outside the range",
      file: "p.xlsx",
      content: book,
      more: ", range: A1:B2",
      said: 'Values outside the records are not read: "S!C1:C2" (2 values), "S!A3:C4" (6 values).',
    },
    {
      what: "columns outside the range",
      file: "p.xlsx",
      content: book,
      more: ", range: $A:B",
      said: 'Values outside the records are not read: "S!C1:C4" (4 values).',
    },
    {
      what: "a sheet that is not combined",
      file: "p.xlsx",
      content: book,
      more: ", combine: { by: [No], with: [{ sheet: V, by: [No], as: v, repeats: true }] }",
      said: 'Another visible sheet is not read: "U".',
    },
    {
      what: "other files of an archive",
      file: "p.zip",
      content: zip({ "a.csv": "No,Name\n1,Ada\n", "b.csv": "No,Name\n2,Bob\n", "c.pdf": "" }),
      more: ", member: a.csv",
      said: 'Another file of the archive is not read: "b.csv".',
    },
    {
      what: "values outside the list of records",
      file: "p.json",
      content: '{ "next": 7, "items": [{ "No": 1, "Name": "Ada" }] }',
      more: "",
      said: 'Values outside the records are not read: "/next" (1 value).',
    },
  ])(
    "check, the terminal and the page name $what as not read",
    ({ content, file, more, said }) =>
      Effect.gen(function*() {
        const { check, page, report, terminal } = yield* accounted(file, content, more)
        for (const shown of [check, terminal, page]) expect(shown).toContain(said)
        expect(report.sources.flatMap(({ unread = [] }) => unread).length).toBeGreaterThan(0)
      }).pipe(Effect.provide(platform)),
  )
})

describe("rows that are not records", () => {
  it.scopedLive("a dry run and a run say that rows look like totals or notes, and a report shows none of them", () =>
    Effect.gen(function*() {
      const at = yield* bench({
        "people.csv": "Name,City,Amount\nAda,Ulm,7\nBob,Jena,8\nTotal,,15\nPage 1,,\n",
        "forms/f.yaml": "id: f\nname: F\nquestions: [{ id: q, name: Name, type: ShortAnswer }]\n",
        "pipelines/p.yaml": `pipeline: p
source: { file: ../people.csv, rowKey: [Name] }
mapping: { questions: [{ name: Name, from: Name }], ignore: [City, Amount] }
sink: { service: practice, form: f }
`,
      })
      expect(onOneLine((yield* at.run("check", "p")).stdout)).toContain('Row 3 ("Total") looks like totals')
      for (const options of [["--dry-run"], []]) {
        const { status, stdout } = yield* at.run("run", "p", ...options)
        expect([status, onOneLine(stdout)]).toEqual([0, expect.stringContaining("Some rows look like totals")])
        expect((yield* at.report).warnings).toEqual([
          "Some rows look like totals, units or notes, not like records. To see the values, run: formferry check p",
        ])
      }
      expect((yield* at.run("run", "p")).stdout).not.toContain("Some rows look like totals")
    }).pipe(Effect.provide(platform)))
})

describe("cells that a program spoilt", () => {
  it.scopedLive("preview, a dry run and a run name the spoilt cells that check names, and a report shows none of them", () =>
    Effect.gen(function*() {
      const at = yield* bench({
        "people.csv": "No,Card\n1,9.23E+11\n2,X-2\n",
        "forms/f.yaml": "id: f\nname: F\nquestions: [{ id: q, name: Card, type: ShortAnswer }]\n",
        "pipelines/p.yaml": `pipeline: p
source: { file: ../people.csv, rowKey: [No] }
mapping: { questions: [{ name: Card, from: Card }] }
sink: { service: practice, form: f }
`,
      })
      const message = '"Card": 1 cell contains a number whose last digits are lost'
      const preview = yield* at.run("preview", "p")
      expect(onOneLine((yield* at.run("check", "p")).stdout)).toContain(message)
      expect(onOneLine(preview.stderr)).toContain(message)
      expect(onOneLine((yield* at.run("preview", "p", "--row", "2")).stderr)).not.toContain(message)
      for (const options of [["--dry-run"], []]) {
        const { status, stdout } = yield* at.run("run", "p", ...options)
        expect([status, onOneLine(stdout)]).toEqual([0, expect.stringContaining(message)])
        const { warnings } = yield* at.report
        expect(warnings.join(" ")).toMatch(/because Excel .* To see the values, run: formferry check p$/)
        expect(warnings.join(" ")).not.toContain("9.23E+11")
      }
    }).pipe(Effect.provide(platform)))
})
