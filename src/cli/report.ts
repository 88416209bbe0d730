import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import { command, flag, json, pipeline, redact, text } from "./command.ts"
import { openProject } from "./openProject.ts"
import { showRuns, showSummary } from "./terminal/summary.ts"

/** How many runs are listed below a report. */
const listed = 10

export const report = command({
  name: "report",
  about: "Prints or opens the report of a run.",
  examples: [
    { words: "report contacts", about: "Prints the latest report." },
    { words: "report contacts --open", about: "Opens the latest report in the browser." },
  ],
  arguments: { pipeline },
  options: {
    run: text("ID", "The run to report. Default: the latest one."),
    open: flag("Open the report's page in the browser."),
    redact,
    json,
  },
  *run(input, { output }) {
    const project = yield* openProject([])
    const path = yield* Path.Path
    const { findReport, openPage, redactReport } = yield* Effect.promise(() => import("../jobs/report.ts"))
    const found = yield* findReport(project, input.pipeline, input.run)
    const { folder, report } = input.redact ? yield* redactReport(project, found) : found
    const page = path.join(folder, "report.html")
    for (const warning of found.warnings) output.say(`Warning: ${warning}`)
    if (input.json) {
      const { reportJson } = yield* Effect.promise(() => import("../report/reportFile.ts"))
      yield* output.print(reportJson(report))
    } else if (!input.open) {
      yield* output.print(showSummary(report, folder, output.out))
      if (found.runs.length > 1) {
        yield* output.print(`\n${showRuns(found.runs.slice(0, listed), output.out)}`)
      }
    }
    if (input.open && !(yield* openPage(page, process.platform))) {
      output.say("No browser could be opened. The report is:")
    }
    if (input.open && !input.json) yield* output.print(page)
  },
})
