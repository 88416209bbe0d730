// Tests a stray quote far from the beginning of a large file. Every arrived row is compared with the file's lines.
import { FileSystem, Path } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { RunReport } from "../../src/domain/report.ts"
import { platform, projectFolder } from "../project/projectFolder.ts"
import { inProcess } from "./formferry.ts"

const project = {
  "config/formferry.yaml": "services: { practice: { practice: { forms: ../forms, store: ../store } } }\n",
  "forms/f.yaml": `id: f
name: Survey
questions:
  - { id: r, name: Respondent, type: ShortAnswer }
  - { id: a, name: Answer, type: LongAnswer }
`,
  "pipelines/p.yaml": `pipeline: p
source: { file: ../export.csv, rowKey: [RespondentID] }
mapping:
  questions:
    - { name: Respondent, from: RespondentID }
    - { name: Answer, from: Answer }
  ignore: [Seen]
sink: { service: practice, form: f }
`,
}

const rows = 700

/** Long answers, so that few rows are enough. */
const tail = " of it".repeat(20)

/** Returns a row's intended answer, and the answer as written in the file. */
const answer = (row: number): readonly [meant: string, written: string] =>
  row === 560
    ? ['"Native" interactive graphics', '"Native" interactive graphics']
    : row % 100 === 50
    ? [`First, of ${row}\n\nThen "more", and more`, `"First, of ${row}\n\nThen ""more"", and more"`]
    : [`I am a fan of part ${row % 7}${tail}`, `I am a fan of part ${row % 7}${tail}`]

it.scopedLive("a run sends the rows that `check` counted after a stray quote beyond the first 64 KB, each with its own answer", () =>
  Effect.gen(function*() {
    const numbers = Array.from({ length: rows }, (_, at) => 1 + at)
    const lines = numbers.map((row) => `R-${30_000 + row},${answer(row)[1]},Yes`)
    expect(lines.slice(0, 559).join("\n").length).toBeGreaterThan(65_536)
    const root = yield* projectFolder({
      ...project,
      "export.csv": `RespondentID,Answer,Seen\n${lines.join("\n")}\n`,
    })
    const checked = yield* inProcess(["check", "p"], { cwd: root })
    expect([checked.status, checked.stdout], checked.stderr).toEqual([
      0,
      expect.stringMatching(/700 rows are ready to send\.[^]* kept as characters on line 573\./),
    ])
    const ran = yield* inProcess(["run", "p"], { cwd: root })
    expect(ran.status, ran.stdout + ran.stderr).toBe(0)

    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const stored = (yield* fs.readFileString(path.join(root, "store/f.jsonl"))).trimEnd().split("\n").map((line) => {
      const { questions } = JSON.parse(line) as { questions: ReadonlyArray<{ id: string; value: unknown }> }
      const value = (id: string) => String(questions.find((one) => one.id === id)?.value)
      return `${value("r")}: ${value("a")}`
    })
    expect(stored.toSorted()).toEqual(numbers.map((row) => `R-${30_000 + row}: ${answer(row)[0]}`).toSorted())

    const report = JSON.parse(
      yield* fs.readFileString(path.join(root, "reports/p/latest/report.json")),
    ) as RunReport
    // There are seven answers of three lines each, six of them above the stray quote.
    expect(report.sources[0]).toMatchObject({
      lines: { physical: rows + 15, above: 1, records: rows, inside: 14, blank: 0 },
      taken: expect.arrayContaining([{ what: "stray quotes", value: "kept as characters on line 573" }]),
    })
  }).pipe(Effect.provide(platform)))

it.scopedLive("a stray quote that would swallow rows stops the run with exit code 2 before anything is sent, and the message names the lines", () =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const plain = "100,fine,Yes\n101,fine,Yes\n"
    const swallowing = {
      "a cell that begins with a space": `${plain}102,"Great,Yes\n103, a course",Yes\n`,
      "blank lines": `${plain}102,"Great,Yes\n\n\n103,a course",Yes\n`,
      "names as keys": `Ann,fine,Yes\nBob,fine,Yes\nJean-Luc,"Great,Yes\nO'Neil,,Yes\nDr. No,a course",Yes\n`,
    }
    for (const [what, lines] of Object.entries(swallowing)) {
      const root = yield* projectFolder({ ...project, "export.csv": `RespondentID,Answer,Seen\n${lines}` })
      const ran = yield* inProcess(["run", "p"], { cwd: root })
      expect({ what, status: ran.status }).toEqual({ what, status: 2 })
      expect(ran.stderr).toMatch(/can\sbe read in two ways on lines 4 to [5-7]/)
      expect(yield* fs.exists(path.join(root, "store/f.jsonl"))).toBe(false)
    }
  }).pipe(Effect.provide(platform)))
