import { Schema } from "effect"
import { expecting, needed, optional } from "./annotated.ts"
import { Path, whole } from "./scalars.ts"

const Kept = Schema.Struct({
  directory: needed(Path, { description: "The folder of the reports", examples: ["../reports"] }),
  keepRuns: optional(whole(1, 100_000), {
    description: "So many runs of a pipeline keep their reports; the latest always does",
    examples: [90],
  }),
  keepDays: optional(whole(1, 36_500), {
    description: "Reports that are older are removed after a run; the latest never is",
    examples: [365],
  }),
}).annotations({ ...expecting("a path, or { directory, keepRuns, keepDays }"), identifier: "ReportsKept" })

/** Where reports are, and how long they are kept. */
export const Reports = Schema.Union(Path, Kept).annotations(expecting("a path, or { directory, keepRuns, keepDays }"))

/** The long form of it. */
export const reportsOf = (given: Schema.Schema.Type<typeof Reports> | undefined): Schema.Schema.Type<typeof Kept> =>
  given === undefined ? { directory: "../reports" } : typeof given === "string" ? { directory: given } : given
