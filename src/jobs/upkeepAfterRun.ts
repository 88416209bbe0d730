import { Effect } from "effect"
import type { RunReport } from "../domain/report.ts"
import { openUpkeep } from "../ledger/openLedger.ts"
import type { Project } from "../project/Project.ts"
import { dropOldReports } from "../report/pastRuns.ts"
import { ledgerOf } from "./projectLedger.ts"

/**
 * Keeps the ledger and the reports from growing with the number of nights: old run records and old reports go. Nothing of it can spoil the run that went before: what fails is logged.
 */
export const upkeepAfterRun = (project: Project, { mode, pipeline }: Pick<RunReport, "mode" | "pipeline">) =>
  Effect.gen(function*() {
    if (mode === "run" || mode === "reconcile") {
      yield* Effect.scoped(Effect.flatMap(openUpkeep(ledgerOf(project)), ({ dropOldRuns }) => dropOldRuns)).pipe(
        Effect.catchAll((error) => Effect.logWarning(`Old runs stay in the ledger: ${error.message}`)),
      )
    }
    yield* dropOldReports(project.reports, pipeline, project.reportsKept)
  })
