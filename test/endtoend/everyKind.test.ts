import { FileSystem, Path } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { runOf } from "../demo/runOf.ts"
import { seeds } from "../long.ts"
import { platform, projectFolder } from "../project/projectFolder.ts"
import { formId, truthProject } from "./truthProject.ts"

/** So many rows that each question is answered by some, and left empty by others. */
const rows = seeds(300, 1_000)

type Stored = ReturnType<ReturnType<typeof truthProject>["expected"]["get"]> & { readonly submissionId: string }

it.scopedLive(
  `the service's store contains ${rows} rows of every kind exactly as they were intended`,
  () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const truth = truthProject(rows, 20_240_607)
      const root = yield* projectFolder(truth.files)

      const report = yield* runOf(root, "every-kind")
      expect(report.problems).toEqual([])
      expect(report.differences).toEqual([])
      expect(report).toMatchObject({
        outcome: "complete",
        exitCode: 0,
        rows: { read: rows, imported: rows, invalid: 0, inDoubt: 0 },
        readBack: { verified: rows, differing: 0, missing: 0, unread: 0 },
        balance: { holds: true },
        requests: { metadata: 1, read: rows, retried: 0 },
      })
      // One request is for the canary. Each of the others has ten rows.
      expect(report.requests.create).toBeLessThanOrEqual(rows / 10 + 1)

      // The store is the service's own file of received submissions. formferry's reader is not involved.
      const store = path.join(root, "store", `${formId}.jsonl`)
      const stored = (yield* fs.readFileString(store)).trimEnd().split("\n").map((line): Stored => JSON.parse(line))
      expect(stored).toHaveLength(rows)
      const ids = new Set(stored.map(({ submissionId }) => submissionId))
      expect(ids.size).toBe(rows)
      const byRow = new Map(stored.map((submission) => [submission.urlParameters[0]?.value, submission]))
      expect(byRow.size).toBe(rows)
      for (const [key, submission] of truth.expected) {
        const { submissionId: _, ...there } = byRow.get(key) ?? { submissionId: undefined }
        expect(there, key).toStrictEqual(submission)
      }

      // Some rows answer each question, and others leave it empty if its entry allows that.
      const answered = new Map<string, number>()
      for (const { questions } of truth.expected.values()) {
        for (const { name, value } of questions) {
          answered.set(name, (answered.get(name) ?? 0) + (value === null ? 0 : 1))
        }
      }
      const always = ["Text by template", "Text, constant", "Text with a default", "Number, whole", "Email"]
      for (const [name, count] of answered) {
        if (name === "Never asked for") expect(count).toBe(0)
        else if (always.includes(name)) expect(count, name).toBe(rows)
        else expect(count > rows / 2 && count < rows, name).toBe(true)
      }

      const again = yield* runOf(root, "every-kind")
      expect(again).toMatchObject({
        exitCode: 0,
        rows: { read: rows, alreadyImported: rows, imported: 0 },
        requests: { create: 0, read: 0 },
      })
      expect((yield* fs.readFileString(store)).trimEnd().split("\n")).toHaveLength(rows)
    }).pipe(Effect.provide(platform)),
  60_000,
)
