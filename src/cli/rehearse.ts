import { Path } from "@effect/platform"
import { Effect } from "effect"
import { command, pipeline, runOptions } from "./command.ts"
import { Invocation } from "./Invocation.ts"
import { openProject } from "./openProject.ts"
import { Output } from "./Output.ts"
import { oneByOne, showRun } from "./runs.ts"
import { progressOf } from "./terminal/progress.ts"

/** `rehearse NAME`. */
export const rehearse = command({
  name: "rehearse",
  about:
    "Runs a pipeline against a practice service with the live form's questions: everything but the live create, on a copy of the ledger.",
  examples: [
    { words: "rehearse contacts", about: "Rehearses the whole run." },
  ],
  arguments: { pipeline },
  options: runOptions,
  run: (input) =>
    Effect.gen(function*() {
      const path = yield* Path.Path
      const output = yield* Output
      const invocation = yield* Invocation
      const project = yield* openProject([input.pipeline])
      const { rehearsePipeline } = yield* Effect.promise(() => import("../jobs/rehearse.ts"))
      yield* oneByOne([input.pipeline], (name, interrupted) =>
        Effect.gen(function*() {
          const progress = yield* progressOf(name, `${name} (rehearsal)`)
          const report = yield* rehearsePipeline(project, {
            pipeline: name,
            to: input.to,
            source: input.source === undefined ? undefined : path.resolve(input.source),
            projectOption: invocation.project,
            limit: input.limit,
            retryRefused: input.retryRefused,
            redact: input.redact,
            progress: progress.show,
            warn: (warnings) =>
              invocation.json && warnings.length > 0
                ? output.print(JSON.stringify({ event: "warnings", pipeline: name, warnings }))
                : Effect.void,
            interrupted,
          }).pipe(Effect.ensuring(progress.done))
          return yield* showRun(project, report)
        }))
    }),
})
