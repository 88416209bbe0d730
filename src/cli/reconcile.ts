import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import { json, pipeline, redact, to } from "./arguments.ts"
import { Invocation } from "./Invocation.ts"
import { openProject } from "./openProject.ts"
import { progressOf } from "./progress.ts"
import { oneByOne, showRun } from "./runs.ts"

const options = {
  to,
  anew: Options.boolean("anew").pipe(
    Options.withDescription("Read everything again, though an interrupted reconciliation has read a part already."),
  ),
  redact,
  json,
}

const about =
  "Reads every submission of a pipeline back again: tells import errors, and what was edited or deleted since the import."

/** `reconcile NAME`: reads every submission of the pipeline back again and reports. */
export const reconcile = {
  name: "reconcile",
  about,
  options,
  command: Command.make("reconcile", { ...options, pipeline }, (input) =>
    Effect.gen(function*() {
      const project = yield* openProject([input.pipeline])
      const { reconcilePipeline } = yield* Effect.promise(() => import("../jobs/reconcile.ts"))
      const { tell } = yield* Effect.promise(() => import("../jobs/attempt.ts"))
      const { upkeepAfterRun } = yield* Effect.promise(() => import("../jobs/upkeepAfterRun.ts"))
      yield* oneByOne([input.pipeline], (name, interrupted) =>
        Effect.gen(function*() {
          const progress = yield* progressOf(name)
          const report = yield* reconcilePipeline(project, {
            pipeline: name,
            to: input.to,
            projectOption: (yield* Invocation).project,
            anew: input.anew,
            redact: input.redact,
            progress: progress.show,
            interrupted,
          }).pipe(Effect.ensuring(progress.done), Effect.onExit((exit) => tell(project, name, exit)))
          yield* upkeepAfterRun(project, report)
          return yield* showRun(project, report)
        }))
    })).pipe(Command.withDescription(about)),
}
