// Tests sources whose records are combined into rows.
import { FileSystem, Path } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { RunReport } from "../../src/domain/report.ts"
import { platform, projectFolder } from "../project/projectFolder.ts"
import { inProcess } from "./formferry.ts"

const form = `id: f
name: Study
questions:
  - { id: n, name: Name, type: ShortAnswer }
  - { id: s, name: Sports, type: Checkboxes, options: [Run, Swim] }
  - { id: b, name: Weight at first, type: NumberInput }
  - { id: l, name: Weight later, type: NumberInput }
`

const pipeline = `pipeline: p
source:
  file: ../export.csv
  combine: { by: [record_id], name: [redcap_event_name], places: [base, later] }
mapping:
  questions:
    - { name: Name, from: base.full_name }
    - { name: Sports, as: choices, from: { block: base.sports }, values: { "1": Run, "2": Swim } }
    - { name: Weight at first, from: base.weight }
    - { name: Weight later, from: later.weight }
  unmapped: ignore
sink: { service: practice, form: f }
`

const header = "record_id,redcap_event_name,full_name,sports___1,sports___2,weight,demographics_complete"

const files = {
  "config/formferry.yaml": "services: { practice: { practice: { forms: ../forms, store: ../store } } }\n",
  "forms/f.yaml": form,
  "pipelines/p.yaml": pipeline,
}

const bench = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* projectFolder(files)
  const text = (file: string) => fs.readFileString(path.join(root, file))
  return {
    run: (...args: ReadonlyArray<string>) => inProcess(["run", "p", ...args], { cwd: root }),
    export: (...records: ReadonlyArray<string>) =>
      fs.writeFileString(path.join(root, "export.csv"), `${[header, ...records].join("\n")}\n`),
    write: (file: string, content: string) => fs.writeFileString(path.join(root, file), content),
    text,
    report: Effect.map(text("reports/p/latest/report.json"), (json) => JSON.parse(json) as RunReport),
    stored: Effect.map(
      Effect.orElseSucceed(text("store/f.jsonl"), () => ""),
      (lines) =>
        lines.split("\n").filter((line) => line !== "").map((line) => {
          const { questions } = JSON.parse(line) as { questions: ReadonlyArray<{ id: string; value: unknown }> }
          return questions.map(({ value }) => value)
        }),
    ),
  }
})

it.scopedLive("records with the same key arrive as one submission, and a later export adds only new keys", () =>
  Effect.gen(function*() {
    const at = yield* bench
    yield* at.export("1,base,Ada,1,0,70,2", "2,base,Bob,1,1,80,2", "1,later,,,,71,2")
    const first = yield* at.run()
    expect(first.status, first.stdout + first.stderr).toBe(0)
    expect(yield* at.stored).toEqual([["Ada", ["Run"], 70, 71], ["Bob", ["Run", "Swim"], 80, null]])
    const report = yield* at.report
    expect(report.rows).toMatchObject({ read: 2, imported: 2 })
    expect(report.sources[0]?.taken).toContainEqual({ what: "combined", value: "3 records into 2 rows by record_id" })
    expect(report.balance.holds).toBe(true)

    yield* at.export("1,base,Ada,1,0,70,2", "2,base,Bob,1,1,80,2", "3,base,Cy,0,1,60,2", "1,later,,,,71,2")
    const second = yield* at.run()
    expect(second.status, second.stdout + second.stderr).toBe(0)
    expect((yield* at.report).rows).toMatchObject({ read: 3, alreadyImported: 2, imported: 1 })
    expect((yield* at.stored).length).toBe(3)
  }).pipe(Effect.provide(platform)))

it.scopedLive("a row whose records contradict each other is rejected, and rejected.csv imports after it is fixed", () =>
  Effect.gen(function*() {
    const at = yield* bench
    yield* at.export("1,base,Ada,1,0,70,2", "1,later,,,,71,2", "2,base,Bob,0,1,80,2", "1,later,,,,72,2")
    const first = yield* at.run()
    expect(first.status, first.stdout + first.stderr).toBe(1)
    expect((yield* at.stored).length).toBe(1)
    const rejected = yield* at.text("reports/p/latest/rejected.csv")
    expect(rejected).toContain('later.weight is both ""71"" and ""72"" (record 4).')
    yield* at.write("fixed.csv", rejected.replace(",conflict,", ",,"))
    const fixed = yield* at.run("--source", "fixed.csv")
    expect(fixed.status, fixed.stdout + fixed.stderr).toBe(0)
    expect(yield* at.stored).toContainEqual(["Ada", ["Run"], 70, 71])
    expect((yield* at.stored).length).toBe(2)
  }).pipe(Effect.provide(platform)))

it.scopedLive("an imported row has not vanished if its records contradict each other later", () =>
  Effect.gen(function*() {
    const at = yield* bench
    yield* at.export("1,base,Ada,1,0,70,2", "2,base,Bob,1,1,80,2")
    expect((yield* at.run()).status).toBe(0)
    yield* at.export("1,base,Ada,1,0,70,2", "1,base,Ida,1,0,70,2")
    expect((yield* at.run()).status).toBe(1)
    expect(yield* at.report).toMatchObject({ rows: { read: 1, invalid: 1 }, vanished: { count: 1 } })
    const path = yield* Path.Path
    expect(yield* at.text(path.join("reports", "p", "latest", "vanished.csv"))).toMatch(/^2,/m)
  }).pipe(Effect.provide(platform)))

it.scopedLive("an export without records imports nothing, and the run exits with code 0", () =>
  Effect.gen(function*() {
    const at = yield* bench
    yield* at.export()
    const ran = yield* at.run()
    expect(ran.status, ran.stdout + ran.stderr).toBe(0)
    expect((yield* at.report).rows).toMatchObject({ read: 0 })
  }).pipe(Effect.provide(platform)))

it.scopedLive("records of a second file are combined with their rows, and a row with a new record counts as changed", () =>
  Effect.gen(function*() {
    const at = yield* bench
    yield* at.write(
      "pipelines/p.yaml",
      `pipeline: p
source:
  file: ../export.csv
  rowKey: [record_id]
  combine: { by: [record_id], with: [{ file: ../weights.csv, by: [id], as: at, repeats: true }] }
mapping:
  questions:
    - { name: Name, from: full_name }
    - { name: Weight at first, from: at.1.kg }
    - { name: Weight later, from: at.2.kg }
  unmapped: ignore
sink: { service: practice, form: f }
`,
    )
    yield* at.export("1,,Ada,,,,", "2,,Bob,,,,")
    yield* at.write("weights.csv", "id,kg\n1,70\n2,80\n1,71\n")
    const first = yield* at.run()
    expect(first.status, first.stdout + first.stderr).toBe(0)
    expect(yield* at.stored).toEqual([["Ada", null, 70, 71], ["Bob", null, 80, null]])
    expect((yield* at.report).sources.map(({ rows }) => rows)).toEqual([2, 3])

    yield* at.write("weights.csv", "id,kg\n1,70\n2,80\n1,71\n2,81\n")
    expect((yield* at.run()).status).toBe(1)
    expect((yield* at.report).rows).toMatchObject({ read: 2, alreadyImported: 1, changed: 1 })
  }).pipe(Effect.provide(platform)))
