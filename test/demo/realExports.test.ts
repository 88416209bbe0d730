// Imports the demonstration's real exports, and compares every answer in the practice service with the same file as
// read by Python. .ci/sample-answers.py wrote the expected answers in answers/.
import { FileSystem, Path } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { platform } from "../project/projectFolder.ts"
import { demonstration } from "./demonstration.ts"
import { runOf } from "./runOf.ts"

type Answers = Readonly<Record<string, Readonly<Record<string, unknown>>>>

const expected = (name: string): Answers =>
  JSON.parse(readFileSync(new URL(`./answers/${name}.json`, import.meta.url), "utf8"))

interface Stored {
  readonly questions: ReadonlyArray<{ readonly id: string; readonly value: unknown }>
  readonly urlParameters: ReadonlyArray<{ readonly name: string; readonly value: unknown }>
  readonly submissionTime: string
}

/** Returns a submission's answers by question id. URL parameters and the time are listed by their names after an @. */
const held = (stored: Stored, timed: boolean): Readonly<Record<string, unknown>> =>
  Object.fromEntries([
    ...stored.questions.map(({ id, value }) => [id, value] as const),
    ...stored.urlParameters.map(({ name, value }) => [`@${name}`, value] as const),
    ...(timed ? [["@submissionTime", stored.submissionTime] as const] : []),
  ].filter(([, value]) => value !== null))

interface RealExport {
  readonly pipeline: string
  readonly form: string
  readonly rows: number
  /** The number of questions that at least one row answers, as counted in the file by Python. */
  readonly answered: number
  /** Returns the value that identifies a submission's row. */
  readonly by: (answers: Readonly<Record<string, unknown>>) => unknown
}

const exports: ReadonlyArray<RealExport> = [
  { pipeline: "star-wars", form: "sW6fIlMs14", rows: 200, answered: 15, by: (answers) => answers["@respondent"] },
  { pipeline: "redcap-survey", form: "rC7sUrVey2", rows: 2, answered: 10, by: (answers) => answers["@participant"] },
  // No two rows of the survey have the same submission time.
  { pipeline: "r-survey", form: "mR5uVe2019es", rows: 338, answered: 51, by: (answers) => answers["@submissionTime"] },
]

describe("the pipeline of a real export imports every answer in the file", () => {
  for (const { answered, by, form, pipeline, rows } of exports) {
    it.scopedLive(`imports ${rows} rows of ${pipeline}`, () =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const root = yield* demonstration
        const report = yield* runOf(root, pipeline)
        expect(report.problems).toEqual([])
        expect(report).toMatchObject({
          exitCode: 0,
          rows: { read: rows, imported: rows },
          readBack: { verified: rows },
        })

        const answers = Object.values(expected(pipeline))
        expect(answers).toHaveLength(rows)
        expect(new Set(answers.flatMap((row) => Object.keys(row)))).toHaveProperty("size", answered)
        const timed = answers.some((row) => "@submissionTime" in row)
        const text = yield* fs.readFileString(path.join(root, ".formferry", "practice", `${form}.jsonl`))
        const arrived = text.trimEnd().split("\n").map((line) => held(JSON.parse(line) as Stored, timed))
        const byKey = (list: Answers[string][]) => Object.fromEntries(list.map((row) => [String(by(row)), row]))
        expect(byKey(arrived)).toEqual(byKey(answers))
        expect(Object.keys(byKey(arrived))).toHaveLength(rows)
      }).pipe(Effect.provide(platform)), 60_000)
  }
})
