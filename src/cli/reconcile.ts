import { Command } from "@effect/cli"
import { Effect } from "effect"
import { json, pipeline, to } from "./arguments.ts"
import { openProject } from "./openProject.ts"
import { progressOf } from "./progress.ts"
import { oneByOne, showRun } from "./runs.ts"

const options = { to, json }

const about = "Reads every submission of a pipeline back again and compares it with what was sent."

/** `reconcile NAME`: reads every submission of the pipeline back again and reports. */
export const reconcile = {
  name: "reconcile",
  about,
  options,
  command: Command.make("reconcile", { ...options, pipeline }, (input) =>
    Effect.gen(function*() {
      const project = yield* openProject([input.pipeline])
      const { reconcilePipeline } = yield* Effect.promise(() => import("../jobs/reconcile.ts"))
      yield* oneByOne([input.pipeline], (name, interrupted) =>
        Effect.gen(function*() {
          const progress = yield* progressOf(name)
          const report = yield* reconcilePipeline(project, {
            pipeline: name,
            to: input.to,
            progress: progress.show,
            interrupted,
          }).pipe(Effect.ensuring(progress.done))
          return yield* showRun(project, report, input.to === undefined ? [] : ["--to", input.to])
        }))
    })).pipe(Command.withDescription(about)),
}
