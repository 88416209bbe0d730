import { Command, Options } from "@effect/cli"
import { Path } from "@effect/platform"
import { Effect, Option } from "effect"
import { json, pipeline, redact } from "./arguments.ts"
import { openProject } from "./openProject.ts"
import { Output } from "./Output.ts"
import { showRuns } from "./show/runs.ts"
import { showSummary } from "./show/summary.ts"

const options = {
  run: Options.text("run").pipe(
    Options.withPseudoName("ID"),
    Options.withDescription("Which run; without it the latest one."),
    Options.optional,
    Options.map(Option.getOrUndefined),
  ),
  open: Options.boolean("open").pipe(Options.withDescription("Open the report's page in the browser.")),
  redact,
  json,
}

/** How many runs are listed below a report. */
const listed = 10

const about = "Prints or opens the report of a run."

/** `report NAME`: prints or opens a run's report. */
export const report = {
  name: "report",
  about,
  options,
  command: Command.make("report", { ...options, pipeline }, (input) =>
    Effect.gen(function*() {
      const output = yield* Output
      const project = yield* openProject([])
      const path = yield* Path.Path
      const { findReport, openPage, redactReport } = yield* Effect.promise(() => import("../jobs/report.ts"))
      const found = yield* findReport(project, input.pipeline, input.run)
      const { folder, report } = input.redact ? yield* redactReport(project, found) : found
      const page = path.join(folder, "report.html")
      for (const warning of found.warnings) output.tell(`Warning: ${warning}`)
      if (input.json) {
        const { reportJson } = yield* Effect.promise(() => import("../report/reportJson.ts"))
        yield* output.print(reportJson(report))
      } else if (!input.open) {
        yield* output.print(showSummary(report, folder, output.out))
        if (found.runs.length > 1) {
          yield* output.print(`\n${showRuns(found.runs.slice(0, listed), output.out)}`)
        }
      }
      if (input.open && !(yield* openPage(page, process.platform))) {
        output.tell("There is no browser to open it with here. The report is:")
      }
      if (input.open && !input.json) yield* output.print(page)
    })).pipe(Command.withDescription(about)),
}
