// Tests that every filled cell counts once. Generated rows have known states, and real exports are counted
// independently from their files.
import { FileSystem, Path } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import Papa from "papaparse"
import * as XLSX from "xlsx"
import { type CellState, cellStates } from "../../src/domain/cells.ts"
import type { RunReport } from "../../src/domain/report.ts"
import { type RunOptions, runPipeline } from "../../src/jobs/run.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { demonstration, repository } from "../demo/demonstration.ts"
import { runOf } from "../demo/runOf.ts"
import { Draws } from "../faults/Draws.ts"
import { seeds } from "../long.ts"
import { platform, projectFolder } from "../project/projectFolder.ts"
import { random } from "../random.ts"
import { unattended } from "../run/unattended.ts"

const run = (root: string, options: Partial<RunOptions> = {}) =>
  Effect.flatMap(loadProject(root), (project) =>
    runPipeline(project, {
      pipeline: "p",
      ...unattended,
      ...options,
    }))

/** The number of cells in each state, by column title. States without cells are omitted. */
type Counts = Readonly<Record<string, { readonly [S in CellState]?: number }>>

const countsOf = ({ columns = [] }: RunReport): Counts =>
  Object.fromEntries(
    columns.filter(({ cells }) => cells > 0).map(({ states, title }) => [
      title,
      Object.fromEntries(cellStates.flatMap((state) => states[state] === 0 ? [] : [[state, states[state]]])),
    ]),
  )

const form = `id: f
name: F
questions:
${
  [
    "Name:ShortAnswer",
    "Note:ShortAnswer",
    "Phone:ShortAnswer",
    "House:ShortAnswer",
    "Born:DatePicker",
    "Reason:ShortAnswer",
    "Mail:EmailInput",
  ]
    .map((one, at) => `  - { id: q${at}, name: ${one.split(":")[0]}, type: ${one.split(":")[1]} }`).join("\n")
}
  - { id: c, name: Colour, type: Dropdown, options: [Red, Blue] }
  - { id: t, name: Tags, type: Checkboxes, options: [A, B, Other] }
  - { id: k, name: Kinds, type: Checkboxes, options: [One, Two] }
  - { id: v, name: Views, type: Matrix }
`

const pipeline = `pipeline: p
source: { file: ../rows.csv, rowKey: [No], empty: ["-"], where: { Status: ok } }
mapping:
  questions:
    - { name: Name, from: Name }
    - { name: Note, from: Note }
    - { name: Phone, from: { firstOf: [Mobile, Landline] } }
    - { name: House, from: Street, extract: '(\\d+)$' }
    - { name: Born, as: date, from: Born, format: dd.MM.yyyy, onInvalid: drop }
    - { name: Reason, from: Why, when: { Kind: a } }
    - { name: Mail, from: Mail }
    - { name: Colour, as: choice, from: Colour, values: { none: null }, otherwise: drop }
    - { name: Tags, as: choices, from: Tags, split: ",", otherwise: { use: Other } }
    - { name: Kinds, as: choices, from: { One: K1, Two: K2 } }
    - { name: Views, as: matrix, from: { Han: Han, Leia: Leia }, values: { good: "5", unknown: null } }
  ignore: [Internal]
  unmapped: ignore
sink: { service: practice, form: f, stopWhen: { invalid: 100%, changed: 100% } }
`

/** A cell, and its state in an imported row. An empty cell has no state. */
type Planned = readonly [cell: string, state: CellState | undefined]

const titles = [
  "No",
  "Status",
  "Name",
  "Note",
  "Mobile",
  "Landline",
  "Street",
  "Born",
  "Kind",
  "Why",
  "Mail",
  "Colour",
  "Tags",
  "K1",
  "K2",
  "Han",
  "Leia",
  "Internal",
  "Extra",
  "",
]

const nothing: Planned = ["", undefined]

const cellsOf = (no: number, draw: Draws): ReadonlyArray<Planned> => {
  const or = (...cells: ReadonlyArray<Planned>): Planned => draw.pick([nothing, ["  ", undefined] as const, ...cells])
  const [mobile, landline] = draw.pick<readonly [Planned, Planned]>([
    [["1", "sent"], ["1", "sentInPart"]],
    [["1", "sent"], nothing],
    [nothing, ["2", "sent"]],
    [["-", "noAnswer"], ["2", "sent"]],
    [nothing, nothing],
  ])
  const kind = draw.pick(["a", "b"])
  return [
    [String(no), "keyOrCondition"],
    ["ok", "keyOrCondition"],
    [`Person ${no}`, "sent"],
    or([`Note, "${no}"`, "sent"], ["-", "noAnswer"]),
    mobile,
    landline,
    or(["Main Street 5", "sentInPart"], ["17", "sent"]),
    or(["28.02.2020", "sent"], ["31.02.2020", "dropped"]),
    [kind, "keyOrCondition"],
    or(["because", kind === "a" ? "sent" : "noAnswer"]),
    or([`p${no}@example.org`, "sent"]),
    or(["Red", "sent"], ["none", "noAnswer"], ["mauve", "dropped"]),
    or(["A,B", "sent"], ["A,zebra", "sentInPart"], ["zebra", "sentInPart"]),
    or(["x", "sent"], ["0", "noAnswer"]),
    or(["Two", "sent"], ["no", "noAnswer"]),
    or(["good", "sent"], ["unknown", "noAnswer"]),
    or(["good", "sent"], ["unknown", "noAnswer"]),
    or(["secret", "ignored"]),
    or(["left", "notMapped"]),
    or(["also left", "notMapped"]),
  ]
}

interface Plan {
  readonly cells: ReadonlyArray<string>
  /** The state of all cells of a row that is not imported. */
  readonly whole: CellState | undefined
  readonly states: ReadonlyArray<CellState | undefined>
}

/** Draws rows, with the state of each cell. */
const planOf = (seed: number, rows: number): ReadonlyArray<Plan> => {
  const draw = new Draws(random(seed))
  const plans: Array<Plan> = []
  for (let no = 1; no <= rows; no++) {
    const planned = cellsOf(no, draw)
    const cells = planned.map(([cell]) => cell)
    const states = planned.map(([, state]) => state)
    const but = (title: string, cell: string, whole: CellState): Plan => {
      const at = titles.indexOf(title)
      return { cells: cells.with(at, cell), states: states.with(at, "sent"), whole }
    }
    const what = draw.int(1, 10)
    if (what === 1) plans.push(but("Status", "draft", "skipped"))
    else if (what === 2) plans.push(but("Mail", "nobody", "rejected"))
    else plans.push({ cells, states, whole: undefined })
    if (what === 3) plans.push({ cells, states, whole: "known" })
    if (what === 4) plans.push(but("Name", "Somebody else", "rejected"))
  }
  return plans
}

const expected = (plans: ReadonlyArray<Plan>, imported: (plan: Plan, at: number) => CellState | undefined): Counts => {
  const counts: Record<string, { [S in CellState]?: number }> = {}
  plans.forEach((plan, row) =>
    plan.states.forEach((state, at) => {
      if (state === undefined) return
      const of = counts[titles[at] ?? ""] ??= {}
      const now = plan.whole ?? imported(plan, row) ?? state
      of[now] = (of[now] ?? 0) + 1
    })
  )
  return counts
}

const csv = (plans: ReadonlyArray<Plan>) => Papa.unparse([titles, ...plans.map(({ cells }) => cells)])

describe("counting cells in a run", () => {
  it.scopedLive.each([1, 2, 3, 4, 5, 6, 7, 8].slice(0, seeds(1, 4)))(
    "counts every filled cell once, in its column (seed %i)",
    (seed) =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const plans = planOf(seed, 40)
        const root = yield* projectFolder({
          "config/formferry.yaml": "services: { practice: { practice: { forms: ../forms, store: ../store } } }\n",
          "forms/f.yaml": form,
          "pipelines/p.yaml": pipeline,
          "rows.csv": csv(plans),
        })
        const dry = yield* run(root, { dryRun: true })
        expect(countsOf(dry)).toEqual(expected(plans, () => "pending"))

        const first = yield* run(root, { limit: 7 })
        const valid = plans.flatMap(({ whole }, at) => (whole === undefined ? [at] : []))
        expect(first.rows.imported).toBe(7)
        const sums = (counts: Counts) =>
          Object.values(counts).reduce((sum, of) => sum + Object.values(of).reduce((all, one) => all + one, 0), 0)
        expect(sums(countsOf(first))).toBe(sums(countsOf(dry)))
        expect(countsOf(first)["No"]).toMatchObject({ keyOrCondition: 7, pending: valid.length - 7 })

        const second = yield* run(root)
        expect([second.rows.imported, second.balance.holds]).toEqual([valid.length - 7, true])
        expect(sums(countsOf(second))).toBe(sums(countsOf(dry)))

        const again = yield* run(root)
        expect(again.unchangedSince).toBe(second.run)
        expect(countsOf(again)).toEqual(expected(plans, () => "known"))

        // A new row makes the run read the source a second time. A changed row needs review.
        const changed = plans.findIndex(({ cells, whole }, at) =>
          whole === undefined && plans.every((other, index) => index === at || other.cells[0] !== cells[0])
        )
        const edited = plans.map((plan, at): Plan =>
          at === changed ? { ...plan, cells: plan.cells.with(2, "Renamed"), whole: "rejected" } : plan
        )
        const fresh = cellsOf(999, new Draws(random(seed)))
        const added: Plan = {
          cells: fresh.map(([cell]) => cell),
          states: fresh.map(([, state]) => state),
          whole: undefined,
        }
        yield* fs.writeFileString(path.join(root, "rows.csv"), csv([...edited, added]))
        const third = yield* run(root, { limit: 0 })
        expect(countsOf(third)["No"]).toEqual(
          expected([...edited, added], (_, at) => (at < edited.length ? "known" : "pending"))["No"],
        )
      }).pipe(Effect.provide(platform)),
    60_000,
  )

  it.scopedLive.each([11, 12, 13, 14].slice(0, seeds(1, 4)))(
    "counts every filled cell once if all rows are imported (seed %i)",
    (seed) =>
      Effect.gen(function*() {
        const plans = planOf(seed, 60)
        const root = yield* projectFolder({
          "config/formferry.yaml": "services: { practice: { practice: { forms: ../forms, store: ../store } } }\n",
          "forms/f.yaml": form,
          "pipelines/p.yaml": pipeline,
          "rows.csv": csv(plans),
        })
        const report = yield* run(root)
        expect(report.balance.holds).toBe(true)
        expect(countsOf(report)).toEqual(expected(plans, () => undefined))
      }).pipe(Effect.provide(platform)),
    60_000,
  )
})

/** Returns a file's records as texts. papaparse reads CSV and xlsx reads workbooks, independently of formferry. */
const recordsOf = (file: string, headerRows: number, sheet?: string): ReadonlyArray<ReadonlyArray<string>> => {
  const bytes = readFileSync(`${repository}/samples/${file}`)
  const all = file.endsWith(".xlsx")
    ? XLSX.utils.sheet_to_json<ReadonlyArray<unknown>>(
      XLSX.read(bytes).Sheets[sheet ?? XLSX.read(bytes).SheetNames[0] ?? ""]!,
      { header: 1, raw: true, defval: "", blankrows: false },
    ).map((record) => record.map(String))
    : Papa.parse<ReadonlyArray<string>>(bytes.toString("latin1"), { skipEmptyLines: true }).data
  return all.slice(headerRows)
}

const filledIn = (
  records: ReadonlyArray<ReadonlyArray<string>>,
  position: number,
  is: (cell: string) => boolean = () => true,
): number =>
  records.filter((record) => (record[position] ?? "").trim() !== "" && is((record[position] ?? "").trim())).length

describe("counting the cells of a real export", () => {
  it.scopedLive.each([
    { pipeline: "star-wars", file: "surveymonkey/538-StarWars.first200.csv", headerRows: 2, ignored: [] },
    { pipeline: "contacts", file: "contacts.csv", headerRows: 1, ignored: [21] },
    { pipeline: "tickets", file: "tickets.csv", headerRows: 1, ignored: [] },
    {
      pipeline: "r-survey",
      file: "google-forms/rstudio-2019-spanish-r-community-survey.xlsx",
      headerRows: 1,
      ignored: [29, 43, 44],
    },
    { pipeline: "registrations", file: "registrations.xlsx", sheet: "Registrations", headerRows: 3, ignored: [21] },
  ].slice(0, seeds(1, 3)))(
    "counts every filled cell of the file with the demonstration's pipeline $pipeline",
    ({ file, headerRows, ignored, pipeline, sheet }) =>
      Effect.gen(function*() {
        const root = yield* demonstration
        const { balance, columns = [], rows } = yield* runOf(root, pipeline)
        const records = recordsOf(file, headerRows, sheet)
        expect([balance.holds, rows.read, rows.imported]).toEqual([true, records.length, records.length])
        expect(columns.map(({ cells, position }) => [position, cells])).toEqual(
          columns.map(({ position }) => [position, filledIn(records, position - 1)]),
        )
        const left = columns.filter(({ states }) => states.ignored + states.notMapped > 0)
        expect(left.map(({ position, states }) => [position, states.ignored])).toEqual(
          ignored.map((position) => [position, filledIn(records, position - 1)]),
        )
      }).pipe(Effect.provide(platform)),
    60_000,
  )

  it.scopedLive(
    "counts a grid's cells as no answer if `values` maps them to null, and all others as sent",
    () =>
      Effect.gen(function*() {
        const root = yield* demonstration
        const { columns = [] } = yield* runOf(root, "star-wars")
        const records = recordsOf("surveymonkey/538-StarWars.first200.csv", 2)
        const isUnfamiliar = (cell: string) => cell === "Unfamiliar (N/A)"
        for (const { cells, position, states } of columns) {
          const unfamiliar = position > 15 && position < 30 ? filledIn(records, position - 1, isUnfamiliar) : 0
          expect([position, states.noAnswer, states.sent]).toEqual([position, unfamiliar, cells - unfamiliar])
        }
        expect(columns.reduce((sum, { states }) => sum + states.noAnswer, 0)).toBeGreaterThan(100)
      }).pipe(Effect.provide(platform)),
    60_000,
  )

  it.scopedLive.each([
    { file: "odk/briefcase-choice-lists.csv", source: "", headerRows: 1, key: 10, mapped: 2, from: "" },
    {
      file: "surveymonkey/538-StarWars.first200.csv",
      source: "encoding: windows-1252",
      headerRows: 2,
      key: 1,
      mapped: 34,
      from: "Gender",
    },
    { file: "surveymonkey/538-steak-risk-survey.csv", source: "", headerRows: 2, key: 1, mapped: 11, from: "Gender" },
    {
      file: "google-forms/rstudio-2019-spanish-r-community-survey.xlsx",
      source: "rowKey: content",
      headerRows: 1,
      key: 0,
      mapped: 43,
      from: "¿Con qué género te identificas?",
    },
  ].slice(0, seeds(2, 4)))(
    "counts all other cells as not mapped if one question of $file is mapped",
    ({ file, from, headerRows, key, mapped, source }) =>
      Effect.gen(function*() {
        const records = recordsOf(file, headerRows)
        const root = yield* projectFolder({
          "config/formferry.yaml": "services: { practice: { practice: { forms: ../forms, store: ../store } } }\n",
          "forms/f.yaml": "id: f\nname: F\nquestions:\n  - { id: q, name: Q, type: ShortAnswer }\n",
          "pipelines/p.yaml": `pipeline: p
source:
  file: ${repository}/samples/${file}
  columns: { mapped: { position: ${mapped} } }
  ${source}
mapping:
  questions: [{ name: Q, from: ${from === "" ? "mapped" : JSON.stringify(from)} }]
  unmapped: ignore
sink: { service: practice, form: f, blankRows: allow }
`,
        })
        const { balance, columns = [], rows } = yield* run(root)
        expect([balance.holds, rows.imported]).toEqual([true, records.length])
        expect(columns.map(({ position, states }) => [position, states.sent, states.keyOrCondition, states.notMapped]))
          .toEqual(
            columns.map(({ position }) => {
              const cells = filledIn(records, position - 1)
              return position === mapped
                ? [position, cells, 0, 0]
                : position === key
                ? [position, 0, cells, 0]
                : [position, 0, 0, cells]
            }),
          )
      }).pipe(Effect.provide(platform)),
    60_000,
  )
})
