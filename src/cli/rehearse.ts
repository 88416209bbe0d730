import { Command } from "@effect/cli"
import { Path } from "@effect/platform"
import { Effect } from "effect"
import { pipeline } from "./arguments.ts"
import { Invocation } from "./Invocation.ts"
import { openProject } from "./openProject.ts"
import { Output } from "./Output.ts"
import { progressOf } from "./progress.ts"
import { runOptions as options } from "./runOptions.ts"
import { oneByOne, showRun } from "./runs.ts"

const about =
  "Runs a pipeline against a practice service that has the live form's questions: everything but the live create, on a copy of the ledger."

/** `rehearse NAME`: the whole run, sent to a practice service. */
export const rehearse = {
  name: "rehearse",
  about,
  options,
  command: Command.make("rehearse", { ...options, pipeline }, (input) =>
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
    })).pipe(Command.withDescription(about)),
}
