import { FileSystem, Path } from "@effect/platform"
import { Effect } from "effect"
import Papa from "papaparse"
import type { RunReport } from "../../src/domain/report.ts"

/** Cells that a spreadsheet could read as a formula begin with an apostrophe. */
const asItWas = (cell = ""): string => cell.replace(/^'(?='*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])/, "")

/** Returns all differences of a run from its differences.csv, as texts. */
export const readDifferences = (root: string, report: RunReport) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const file = path.join(root, "reports", report.pipeline, report.run, "differences.csv")
    const { data } = Papa.parse<Record<string, string>>(yield* fs.readFileString(file), {
      header: true,
      skipEmptyLines: true,
    })
    return data.map((line) => ({
      submissionId: line["submission_id"] ?? "",
      question: line["question"] ?? "",
      verdict: line["verdict"] ?? "",
      sent: asItWas(line["sent"]),
      returned: asItWas(line["returned"]),
      editLink: line["edit_link"] ?? "",
    }))
  })
