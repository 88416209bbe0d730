import * as Effect from "effect/Effect"
import type { SendQuestion } from "../domain/run.ts"
import { counted, permanence } from "../domain/words.ts"
import { attempt } from "../jobs/attempt.ts"
import { choosing, command, flag, runOptions, somePipelines, text } from "./command.ts"
import { wrong } from "./Failure.ts"
import { openChosen } from "./openProject.ts"
import { confirming, formNamed, runPipelines } from "./runs.ts"

export const run = command({
  name: "run",
  about:
    "Runs pipelines: checks, sends a few rows first and then the others, reads every submission back, and reports.",
  examples: [
    { words: "run contacts --dry-run", about: "Checks every row and writes the full report. Sends nothing." },
    {
      words: "run contacts --confirm live",
      about: "Runs the pipeline, and confirms that rows may be sent to the service named live.",
    },
    { words: "run --tag nightly --failed", about: "Runs the pipelines tagged nightly again if their last run failed." },
    { words: "run contacts --source reports/contacts/latest/rejected.csv", about: "Imports the rows that you fixed." },
  ],
  arguments: { pipelines: somePipelines },
  options: {
    ...choosing,
    dryRun: flag("Read, map and check every row and write the full report. Send nothing."),
    confirm: text(
      "SERVICE",
      "Confirm that rows may be sent to this service. This can't be undone, unless the service can delete: see `undo`.",
    ),
    ...runOptions,
  },
  *run(input) {
    const { names, project } = yield* openChosen(input)
    if (input.source !== undefined && names.length > 1) {
      return yield* wrong("`--source` works with one pipeline only: name exactly one.")
    }
    const { runPipeline } = yield* Effect.promise(() => import("../jobs/run.ts"))
    const { shareServices } = yield* Effect.promise(() => import("../jobs/services.ts"))
    const services = yield* shareServices
    const ask = yield* confirming(project, sendQuestion, input.confirm)
    yield* runPipelines(project, names, ({ hideProgress, ...surroundings }) =>
      attempt(
        project,
        surroundings.pipeline,
        runPipeline(project, {
          ...surroundings,
          ...input,
          services,
          confirm: (service) => input.confirm === service,
          ask: ask?.({ hideProgress, interrupted: surroundings.interrupted }),
        }),
      ))
  },
})

/** Says how many rows will be sent, and where. */
const sendQuestion = ({ canDelete, form, rows, service }: SendQuestion): string =>
  `${permanence(service, canDelete)} ${counted(rows, "row")} will be sent to ${formNamed(form)}.`
