import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { RunReport } from "../../src/domain/report.ts"
import { platform, projectFolder } from "../project/projectFolder.ts"
import { inProcess, onOneLine } from "./formferry.ts"

const files = {
  "config/formferry.yaml": "services: { practice: { practice: { forms: ../forms, store: ../store } } }\n",
  "forms/f.yaml":
    "id: f\nname: F\nquestions: [{ id: q1, name: Name, type: ShortAnswer }, { id: q2, name: City, type: ShortAnswer }, { id: q3, name: Size, type: NumberInput }]\n",
  "pipelines/p.yaml":
    "pipeline: p\nsource: { file: ../rows.csv, rowKey: [No] }\nmapping: { questions: [{ name: Name, from: Name }, { name: City, from: Town }, { name: Size, from: Size }] }\nsink: { service: practice, form: f }\n",
  "rows.csv": "No,Name,Town,Size\n1,Ada,London,38\n2,Bob,,40\n3,Cleo,Rome,41\n4,Dan,Oslo,42\n5,Eve,Bonn,43\n",
}

layer(platform)("preview of rows that were imported with different content", (it) => {
  it.scoped("shows the column that changed, the value in the form and the value now", () =>
    Effect.gen(function*() {
      const cwd = yield* projectFolder(files)
      const run = (...args: ReadonlyArray<string>) => inProcess(args, { cwd })
      const shown = () =>
        Effect.map(run("preview", "p", "--json"), ({ stdout }) =>
          (JSON.parse(stdout) as { readonly rows: ReadonlyArray<{ readonly change?: { readonly answers: unknown } }> })
            .rows.map(({ change }) =>
              change
            ))
      expect(yield* shown()).toEqual([undefined, undefined, undefined, undefined, undefined])
      expect((yield* run("run", "p")).status).toBe(0)
      expect(yield* shown()).toEqual([undefined, undefined, undefined, undefined, undefined])

      writeFileSync(
        join(cwd, "rows.csv"),
        "No,Name,Town,Size\n1,Ada,Paris,38\n2,Bob,Berlin,40\n3,Cleo,,41\n4,Dan,Oslo,42.0\n5,Eve,Bonn,many\n",
      )
      const [paris, berlin, none, spelling, invalid] = yield* shown()
      expect(paris?.answers).toEqual([{
        question: "q2",
        name: "City",
        columns: ["Town"],
        inForm: "London",
        now: "Paris",
      }])
      expect(berlin?.answers).toEqual([{
        question: "q2",
        name: "City",
        columns: ["Town"],
        inForm: null,
        now: "Berlin",
      }])
      expect(none?.answers).toEqual([{ question: "q2", name: "City", columns: ["Town"], inForm: "Rome", now: null }])
      expect(spelling).toMatchObject({ answers: [], note: expect.stringMatching(/^No answer differs/) })
      expect(invalid).toMatchObject({ answers: [], note: expect.stringMatching(/^The row is not valid/) })

      const screen = onOneLine((yield* run("preview", "p", "--row", "1")).stdout)
      expect(screen).toMatch(/Row 1 key 1 changed/)
      expect(screen).toMatch(/Imported before as \S+, with different answers:/)
      expect(screen).toMatch(/City │ Town │ London │ Paris/)
    }))

  it.scoped("a row that repeats the key of an earlier row is a duplicate, also if that row was imported", () =>
    Effect.gen(function*() {
      const cwd = yield* projectFolder(files)
      expect((yield* inProcess(["run", "p"], { cwd })).status).toBe(0)
      writeFileSync(join(cwd, "rows.csv"), `${files["rows.csv"]}5,Eva,Ulm,44\n`)
      const { stdout } = yield* inProcess(["preview", "p", "--row", "6"], { cwd })
      expect(stdout).toMatch(/Row 6 key 5 duplicate/)
      expect(stdout).not.toContain("Imported before")
      expect((yield* inProcess(["run", "p"], { cwd })).status).toBe(1)
      const report = JSON.parse(readFileSync(join(cwd, "reports/p/latest/report.json"), "utf8")) as RunReport
      expect(report.rows).toMatchObject({ alreadyImported: 5, duplicate: 1 })
    }))

  it.scoped("the report shows what changed in the first changed rows", () =>
    Effect.gen(function*() {
      const cwd = yield* projectFolder({
        ...files,
        "pipelines/p.yaml": files["pipelines/p.yaml"].replace("form: f }", "form: f, stopWhen: { changed: 100% } }"),
      })
      const run = (...args: ReadonlyArray<string>) => inProcess(["run", "p", ...args], { cwd })
      const latest = (name: string) => readFileSync(join(cwd, "reports/p/latest", name), "utf8")
      const report = () => JSON.parse(latest("report.json")) as RunReport
      expect((yield* run()).status).toBe(0)
      expect(report().changes).toBeNull()

      const edited = Array.from({ length: 25 }, (_, at) => `${at + 10},Gil,Lima,${at}\n`).join("")
      writeFileSync(join(cwd, "rows.csv"), `${files["rows.csv"]}${edited}`)
      expect((yield* run()).status).toBe(0)
      writeFileSync(
        join(cwd, "rows.csv"),
        `${files["rows.csv"].replace("London", "Paris").replace("Dan,Oslo", "Dan,")}${
          edited.replaceAll("Lima", "Quito")
        }`,
      )
      yield* run("--dry-run")
      expect(report().changes).toHaveLength(20)
      yield* run()
      const { changes, requests, rows } = report()
      expect(rows.changed).toBe(27)
      expect(requests.read).toBe(20)
      const [paris, none, quito] = changes ?? []
      const of = { question: "q2", name: "City", columns: ["Town"] }
      expect(paris).toMatchObject({ ...of, row: 1, key: "1", inForm: "London", now: "Paris" })
      expect(none).toMatchObject({ ...of, row: 4, key: "4", inForm: "Oslo", now: null })
      expect(quito).toMatchObject({ ...of, row: 6, key: "10", inForm: "Lima", now: "Quito" })
      expect(latest("report.html")).toContain("Changed rows")

      yield* run()
      expect(report()).toMatchObject({ unchangedSince: expect.any(String), changes, requests: { read: 0 } })
      yield* run("--redact", "--dry-run")
      expect(latest("report.json")).not.toContain("Quito")
    }))

  it.scoped("the report of a run that too many changed rows stopped shows what changed", () =>
    Effect.gen(function*() {
      const cwd = yield* projectFolder(files)
      const rows = Array.from({ length: 40 }, (_, at) => `${at},Gil,Lima,${at}\n`).join("")
      writeFileSync(join(cwd, "rows.csv"), `No,Name,Town,Size\n${rows}`)
      expect((yield* inProcess(["run", "p"], { cwd })).status).toBe(0)
      writeFileSync(join(cwd, "rows.csv"), `No,Name,Town,Size\n${rows.replaceAll("Lima", "Quito")}`)
      expect((yield* inProcess(["run", "p"], { cwd })).status).toBe(3)
      const report = JSON.parse(readFileSync(join(cwd, "reports/p/latest/report.json"), "utf8")) as RunReport
      expect(report.changes?.[0]).toMatchObject({ inForm: "Lima", now: "Quito" })
    }))
})
