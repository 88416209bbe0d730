import { FileSystem, Path } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import Papa from "papaparse"
import { checkProject } from "../../src/jobs/check.ts"
import { preview } from "../../src/jobs/preview.ts"
import { type RunOptions, runPipeline } from "../../src/jobs/run.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { leftBehind } from "../../src/report/sentences.ts"
import { platform, projectFolder } from "../project/projectFolder.ts"
import { unattended } from "../run/unattended.ts"
import { row, text, xlsx, zip } from "../source/workbooks.ts"

const project = "services: { practice: { practice: { forms: ../forms, store: ../store } } }\n"

const run = (root: string, pipeline: string, options: Partial<RunOptions> = {}) =>
  Effect.flatMap(loadProject(root), (loaded) =>
    runPipeline(loaded, {
      pipeline,
      ...unattended,
      ...options,
    }))

/**
 * Returns the submissions in a practice service's store. Answers are listed by question id, without unanswered
 * questions.
 */
const stored = (root: string, form: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const files = yield* fs.readDirectory(path.join(root, "store"), { recursive: true })
    const texts = yield* Effect.forEach(
      files.filter((file) => file.includes(form)),
      (file) => Effect.orElseSucceed(fs.readFileString(path.join(root, "store", file)), () => ""),
    )
    return texts.join("\n").split("\n").filter((line) => line.startsWith("{")).map((line) => {
      const read = JSON.parse(line) as {
        readonly questions?: ReadonlyArray<{ readonly id: string; readonly value: unknown }>
        readonly submission?: { readonly questions: ReadonlyArray<{ readonly id: string; readonly value: unknown }> }
      }
      const questions = read.questions ?? read.submission?.questions ?? []
      return Object.fromEntries(questions.filter(({ value }) => value !== null).map(({ id, value }) => [id, value]))
    })
  })

const films = [
  "Episode I The Phantom Menace",
  "Episode II Attack of the Clones",
  "Episode III Revenge of the Sith",
  "Episode IV A New Hope",
  "Episode V The Empire Strikes Back",
  "Episode VI Return of the Jedi",
].map((title) => `Star Wars: ${title}`)

const starWars = {
  "config/formferry.yaml": project + "valueSets: { views: { Very favorably: '5', Somewhat favorably: '4', "
    + "'Neither favorably nor unfavorably (neutral)': '3', Somewhat unfavorably: '2', Very unfavorably: '1', 'Unfamiliar (N/A)': null } }\n",
  "forms/films.yaml": `id: films
name: Films
questions:
  - { id: seen, name: Films seen, type: Checkboxes, options: [${
    films.map((film, at) => `{ value: f${at}, label: "${film}" }`).join(", ")
  }] }
  - { id: order, name: Films in order, type: Ranking, options: [${
    films.map((film, at) => `{ value: f${at}, label: "${film}" }`).join(", ")
  }] }
  - { id: views, name: Characters, type: Matrix }
  - { id: fan, name: Fan, type: Switch }
`,
  "source.csv": readFileSync("samples/surveymonkey/538-StarWars.first200.csv"),
  "pipelines/films.yaml": `pipeline: films
source: { file: ../source.csv }
mapping:
  questions:
    - name: Films seen
      from: { block: "Which of the following Star Wars films have you seen? Please select all that apply." }
    - name: Films in order
      from: { block: "Please rank the Star Wars films in order of preference with 1 being your favorite film in the franchise and 6 being your least favorite film." }
    - name: Characters
      as: matrix
      from: { block: "Please state whether you view the following characters favorably, unfavorably, or are unfamiliar with him/her." }
      values: { set: views }
    - name: Fan
      from: Do you consider yourself to be a fan of the Star Wars film franchise?
  unmapped: ignore
sink: { service: practice, form: films, blankRows: allow }
`,
}

describe("importing a SurveyMonkey export with blocks, a ranking and a matrix", () => {
  it.scopedLive(
    "the import sends the same answers that an independent reader finds in the export",
    () =>
      Effect.gen(function*() {
        const root = yield* projectFolder(starWars)
        const report = yield* run(root, "films")
        expect([report.outcome, report.because]).toEqual(["complete", []])
        expect(report.readBack.verified).toBe(report.rows.imported)

        const bytes = readFileSync("samples/surveymonkey/538-StarWars.first200.csv").toString("latin1")
        const [, , ...records] = Papa.parse<ReadonlyArray<string>>(bytes, { skipEmptyLines: true }).data
        const names = Papa.parse<ReadonlyArray<string>>(bytes).data[1] ?? []
        const views = [
          "Very unfavorably",
          "Somewhat unfavorably",
          "Neither favorably nor unfavorably (neutral)",
          "Somewhat favorably",
          "Very favorably",
        ]
        const expected = records.map((cells) => {
          const at = (from: number, to: number) => cells.slice(from, to)
          const seen = at(3, 9).flatMap((cell, index) => (cell === "" ? [] : [`f${index}`]))
          const order = at(9, 15).map((rank, index) => [Number(rank), `f${index}`] as const).filter(([rank]) =>
            rank > 0
          )
            .toSorted(([a], [b]) => a - b).map(([, film]) => film)
          const grid = at(15, 29).flatMap((cell, index) =>
            views.includes(cell) ? [[names[15 + index], String(views.indexOf(cell) + 1)] as const] : []
          )
          return {
            ...(seen.length > 0 ? { seen } : {}),
            ...(order.length > 0 ? { order } : {}),
            ...(grid.length > 0 ? { views: Object.fromEntries(grid) } : {}),
            ...(cells[2] === "" ? {} : { fan: cells[2] === "Yes" }),
          }
        })
        const sorted = (list: ReadonlyArray<object>) => list.map((each) => JSON.stringify(each)).toSorted()
        const arrived = yield* stored(root, "films")
        expect(expected.length).toBeGreaterThan(150)
        const plain = (list: ReadonlyArray<Record<string, unknown>>) =>
          list.map(({ seen, order, views, fan }) => ({ seen, order, views, fan }))
        expect(sorted(plain(arrived))).toEqual(sorted(plain(expected)))
      }).pipe(Effect.provide(platform)),
    60_000,
  )
})

const fixed = {
  "config/formferry.yaml": project,
  "forms/f.yaml": "id: f\nname: F\nquestions:\n  - { id: n, name: Amount, type: NumberInput }\n"
    + "  - { id: d, name: When, type: DateTimePicker }\n  - { id: e, name: Mail, type: EmailInput }\n",
  "book.xlsx": zip(xlsx([{
    name: "S",
    rows: row(1, text("No"), text("Amount"), text("When"), text("Mail"))
      + row(2, text("1"), "><v>1.5</v>", 's="1"><v>45413</v>', text("nobody"))
      + row(3, text("2"), text("2,5"), 's="1"><v>45413.5</v>', text("ada@example.org")),
  }], { formats: ["yyyy-mm-dd hh:mm"] })),
  "pipelines/p.yaml": `pipeline: p
source: { file: ../book.xlsx, rowKey: [No] }
mapping:
  questions:
    - { name: Amount, from: Amount, as: number, decimal: "," }
    - { name: When, from: When, as: dateTime, zone: Europe/Berlin }
    - { name: Mail, from: Mail, as: email }
sink: { service: practice, form: f, stopWhen: { invalid: 100% } }
`,
}

describe("a fixed rejected.csv of a workbook", () => {
  it.scopedLive("the fixed file is read with the workbook's numbers and midnights", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const root = yield* projectFolder(fixed)
      const first = yield* run(root, "p")
      expect(first.rows).toMatchObject({ invalid: 1, imported: 1 })
      const rejected = path.join(root, "reports", "p", first.run, "rejected.csv")
      const content = yield* fs.readFileString(rejected)
      expect(content).toMatch(/^1,1\.5,2024-05-01(?:T00:00:00)?,nobody,/m)
      yield* fs.writeFileString(rejected, content.replace("nobody", "bob@example.org"))
      const second = yield* run(root, "p", { source: rejected })
      expect([second.problems, second.rows.imported]).toEqual([[], 1])
      expect((yield* stored(root, "f")).toSorted((a, b) => Number(a["n"]) - Number(b["n"]))).toEqual([
        { n: 1.5, d: "2024-04-30T22:00:00.000Z", e: "bob@example.org" },
        { n: 2.5, d: "2024-05-01T10:00:00.000Z", e: "ada@example.org" },
      ])
    }).pipe(Effect.provide(platform)), 60_000)
})

const reasons = {
  "config/formferry.yaml": project,
  "forms/f.yaml": "id: f\nname: F\nquestions:\n  - { id: r, name: Reason, type: ShortAnswer }\n"
    + "  - { id: p, name: Products, type: Checkboxes, options: [Basic, Pro, Other] }\n  - { id: w, name: Which, type: ShortAnswer }\n"
    + "  - { id: m, name: Mail, type: EmailInput }\n",
  "source.csv": "No,Status,Why?,Why?,Basic,Pro,Else,Mail\n"
    + "1,done,a,b,1,0,Chairs,ada@example.org\n2,test,a,b,1,0,,\n3,left,a,b,0,Pro,,nobody\n",
  "pipelines/p.yaml": `pipeline: p
source:
  file: ../source.csv
  rowKey: [No]
  where: { Status: { not: test } }
  columns: { late: { header: Why?, nth: 2, of: 2 }, early: { header: Why?, nth: 1, of: 2 } }
mapping:
  questions:
    - { name: Reason, when: { Status: left }, from: late }
    - { name: Reason, from: early }
    - name: Products
      from: { Basic: Basic, Pro: Pro }
      as: choices
      other: { from: Else, use: Other, textTo: Which }
    - { name: Mail, from: Mail, as: email, onInvalid: drop }
sink: { service: practice, form: f }
examples:
  - row: { Status: left, late: too late, Else: Tables }
    gives: { Reason: too late, Products: [Other], Which: Tables }
  - row: { early: x, Basic: maybe }
    fails: [not-an-option]
`,
}

describe("rows with columns that the pipeline names, chooses and redirects", () => {
  it.scopedLive(
    "rows are filtered or imported, dropped cells are reported, and the next run recognises the rows",
    () =>
      Effect.gen(function*() {
        const root = yield* projectFolder(reasons)
        const report = yield* run(root, "p")
        expect(report.rows).toMatchObject({ read: 3, filtered: 1, imported: 2 })
        expect(report.problems).toMatchObject([{ code: "not-an-email", dropped: true, count: 1 }])
        expect(leftBehind(report).join(" ")).toMatch(/1 cell in 1 column is dropped: \w+ \(1 cell\)\./)
        const arrived = yield* stored(root, "f")
        expect(arrived.toSorted((a, b) => String(a["r"]).localeCompare(String(b["r"])))).toEqual([
          { r: "a", p: ["Basic", "Other"], w: "Chairs", m: "ada@example.org" },
          { r: "b", p: ["Pro"] },
        ])
        const again = yield* run(root, "p")
        expect(again.rows).toMatchObject({ filtered: 1, alreadyImported: 2, imported: 0 })
      }).pipe(Effect.provide(platform)),
    60_000,
  )

  it.scopedLive("a row's answers are previewed next to their cells", () =>
    Effect.gen(function*() {
      const loaded = yield* loadProject(yield* projectFolder(reasons))
      const { rows } = yield* preview(loaded, {
        pipeline: "p",
        to: undefined,
        source: undefined,
        rows: 3,
        row: undefined,
      })
      expect(rows.map(({ filtered, key, valid }) => [key, filtered, valid])).toEqual([
        ["1", false, true],
        ["2", true, true],
        ["3", false, true],
      ])
      expect(
        rows[0]?.answers.map(({ name, cells, value }) => [
          name,
          cells.map((cell) => `${cell.column}: ${cell.text}`),
          value,
        ]),
      )
        .toEqual([
          ["Reason", ["Status: done", "late: b", "early: a"], "a"],
          ["Products", ["Basic: 1", "Pro: 0", "Else: Chairs"], ["Basic", "Other"]],
          ["Which", ["Basic: 1", "Pro: 0", "Else: Chairs"], "Chairs"],
          ["Mail", ["Mail: ada@example.org"], "ada@example.org"],
        ])
      expect(rows[2]?.answers.at(-1)).toMatchObject({
        value: undefined,
        problems: [{ code: "not-an-email", dropped: true }],
      })
    }).pipe(Effect.provide(platform)), 60_000)

  it.scopedLive("rows are checked against the pipeline's examples", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const root = yield* projectFolder(reasons)
      const errors = Effect.map(checkProject(root, []), ({ pipelines }) =>
        pipelines.flatMap(({ diagnostics }) =>
          diagnostics.filter(({ severity }) => severity === "error")
        ))
      expect(yield* errors).toEqual([])
      const file = path.join(root, "pipelines/p.yaml")
      yield* fs.writeFileString(file, reasons["pipelines/p.yaml"].replace("Which: Tables", "Which: Table"))
      expect(yield* errors).toMatchObject([{
        line: 19,
        message:
          'Example 1: "Which" should be "Table", but is "Tables". It is made from Basic: "", Pro: "", Else: "Tables".',
      }])
    }).pipe(Effect.provide(platform)), 60_000)
})
