import * as Effect from "effect/Effect"
import { choosing, command, runOptions, somePipelines } from "./command.ts"
import { openChosen } from "./openProject.ts"
import { runPipelines, type RunSurroundings } from "./runs.ts"

export const rehearse = command({
  name: "rehearse",
  about:
    "Runs pipelines against a practice service with the live form's questions, on a copy of the ledger. Creates nothing in the live form.",
  examples: [
    { words: "rehearse contacts", about: "Rehearses the whole run." },
    { words: "rehearse contacts --limit 100", about: "Rehearses a run of the first 100 new rows." },
  ],
  arguments: { pipelines: somePipelines },
  options: { ...choosing, ...runOptions },
  *run(input) {
    const { names, project } = yield* openChosen(input)
    const { rehearsePipeline } = yield* Effect.promise(() => import("../jobs/rehearse.ts"))
    const rehearse = (surroundings: RunSurroundings) => rehearsePipeline(project, { ...surroundings, ...input })
    yield* runPipelines(project, names, rehearse, " (rehearsal)")
  },
})
