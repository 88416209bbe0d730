import * as Effect from "effect/Effect"
import { attempt } from "../jobs/attempt.ts"
import { choosing, command, flag, json, output, redact, somePipelines, to } from "./command.ts"
import { openChosen } from "./openProject.ts"
import { runPipelines } from "./runs.ts"

export const reconcile = command({
  name: "reconcile",
  about:
    "Reads back every submission of the pipelines again. Reports import errors, and what was edited or deleted since the import.",
  examples: [
    { words: "reconcile contacts", about: "Continues an interrupted reconciliation, or starts one." },
    { words: "reconcile 'crm-*' --restart", about: "Reads everything again, for all matching pipelines." },
    { words: "reconcile contacts --whole-form", about: "Also finds submissions that the ledger does not know." },
  ],
  arguments: { pipelines: somePipelines },
  options: {
    ...choosing,
    to,
    restart: flag("Read everything again, even what an interrupted reconciliation has already read."),
    wholeForm: flag(
      "Compare all submissions of the form with the ledger, too. Reports those that the ledger does not know and those that the form lacks. Needs a service that can list.",
    ),
    redact,
    output,
    json,
  },
  *run(input) {
    const { names, project } = yield* openChosen(input)
    const { reconcilePipeline } = yield* Effect.promise(() => import("../jobs/reconcile.ts"))
    yield* runPipelines(
      project,
      names,
      (surroundings) =>
        attempt(project, surroundings.pipeline, reconcilePipeline(project, { ...surroundings, ...input })),
    )
  },
})
