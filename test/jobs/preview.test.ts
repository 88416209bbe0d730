import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { checkProject } from "../../src/jobs/check.ts"
import { preview } from "../../src/jobs/preview.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { platform, projectFolder } from "../project/projectFolder.ts"

const files = {
  "config/formferry.yaml": "services: { practice: { practice: { forms: ../forms } } }\n",
  "forms/one.yaml": `id: one
name: One
questions:
  - { id: qa, name: Name, type: ShortAnswer }
  - { id: qb, name: Amount, type: NumberInput }
  - { id: qc, name: From, type: ShortAnswer }
urlParameters: [{ id: u1, name: ref }]
scheduling: [{ id: s1, name: Booking }]
`,
  "source.csv":
    "No,First,Last,Amount,Start,End\n1,Ada,Lovelace,1.5,2024-05-01T10:00:00Z,2024-05-01T11:00:00Z\n,Bob,,many,soon,2024-05-01T11:00:00Z\n3,Cleo,,,,\n",
  "pipelines/one.yaml": `pipeline: one
source: { file: ../source.csv, rowKey: [No] }
mapping:
  questions:
    - { name: Name, from: [First, Last] }
    - { name: Amount, from: Amount, as: number, required: true }
    - { name: From, value: legacy }
  urlParameters: [{ name: ref, from: No }]
  scheduling:
    - name: Booking
      from:
        fullName: { value: Guest }
        email: { value: guest@example.org }
        timezone: { value: UTC }
        eventStartTime: { from: Start, zone: UTC }
        eventEndTime: { from: End, zone: UTC }
sink: { service: practice, form: one }
`,
}

it.scopedLive("preview shows every answer with its cells, and the good answers of a bad row", () =>
  Effect.gen(function*() {
    const root = yield* projectFolder(files)
    const project = yield* loadProject(root)
    const { rows } = yield* preview(project, {
      pipeline: "one",
      to: undefined,
      source: undefined,
      rows: 2,
      row: undefined,
    })
    expect(rows.map(({ row, key, valid }) => [row, key, valid])).toEqual([[1, "1", true], [2, undefined, false]])
    const [good, bad] = rows
    expect(good?.answers.map(({ name, value }) => [name, value])).toEqual([
      ["Name", "Ada Lovelace"],
      ["Amount", 1.5],
      ["From", "legacy"],
      ["ref", "1"],
      ["Booking", {
        fullName: "Guest",
        email: "guest@example.org",
        timezone: "UTC",
        eventStartTime: "2024-05-01T10:00:00.000Z",
        eventEndTime: "2024-05-01T11:00:00.000Z",
      }],
    ])
    expect(good?.answers[0]?.cells).toEqual([{ column: "First", text: "Ada" }, { column: "Last", text: "Lovelace" }])
    expect(good?.answers[2]?.cells).toEqual([])
    expect(bad?.answers.map(({ value, problems }) => [value, problems.map(({ code }) => code)])).toEqual([
      ["Bob", []],
      [undefined, ["not-a-number"]],
      ["legacy", []],
      [undefined, []],
      [undefined, ["not-a-date-time"]],
    ])
    expect(bad?.problems.map(({ code }) => code)).toEqual(["missing-key"])
    const one = yield* preview(project, { pipeline: "one", to: undefined, source: undefined, rows: undefined, row: 3 })
    expect(one.rows.map(({ row }) => row)).toEqual([3])
    expect(one.rows[0]?.answers[1]?.problems.map(({ code }) => code)).toEqual(["required"])
    const none = yield* preview(project, { pipeline: "one", to: undefined, source: undefined, rows: 5, row: 4 })
    expect(none.rows).toEqual([])
    const from = yield* preview(project, { pipeline: "one", to: undefined, source: undefined, rows: 2, row: 2 })
    expect(from.rows.map(({ row }) => row)).toEqual([2, 3])
  }).pipe(Effect.provide(platform)))

it.scopedLive("check reports a broken file, a missing column and a missing source together", () =>
  Effect.gen(function*() {
    const one = files["pipelines/one.yaml"]
    const root = yield* projectFolder({
      ...files,
      "pipelines/broken.yaml": "pipeline: broken\nsink: 7\n",
      "pipelines/column.yaml": one.replace("pipeline: one", "pipeline: column").replace("from: Amount", "from: Amuont"),
      "pipelines/source.yaml": one.replace("pipeline: one", "pipeline: source").replace("source.csv", "lost.csv")
        .replace("form: one", "form: two"),
    })
    const checked = yield* checkProject(root, [])
    expect(new Set(checked.diagnostics.map(({ file }) => file))).toEqual(new Set(["pipelines/broken.yaml"]))
    expect(checked.pipelines.map(({ pipeline, diagnostics, failures, fits }) => ({
      pipeline,
      errors: diagnostics.filter(({ severity }) => severity === "error").map(({ message }) =>
        message.includes("Amuont")
      ),
      failures: failures.map(({ _tag }) => _tag),
      fits: fits?.answers,
    }))).toEqual([
      { pipeline: "column", errors: [true], failures: [], fits: undefined },
      { pipeline: "one", errors: [], failures: [], fits: 3 },
      { pipeline: "source", errors: [], failures: ["SourceError", "ServiceUnusable"], fits: undefined },
    ])
    expect((yield* checkProject(root, ["one"])).pipelines).toHaveLength(1)
  }).pipe(Effect.provide(platform)))
