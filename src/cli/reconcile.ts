import { Effect } from "effect"
import { command, flag, json, pipeline, redact, to } from "./command.ts"
import { Invocation } from "./Invocation.ts"
import { openProject } from "./openProject.ts"
import { oneByOne, showRun } from "./runs.ts"
import { progressOf } from "./terminal/progress.ts"

/** `reconcile NAME`. */
export const reconcile = command({
  name: "reconcile",
  about:
    "Reads every submission of a pipeline back again. Reports import errors, and what was edited or deleted since the import.",
  examples: [
    { words: "reconcile contacts", about: "Continues an interrupted reconciliation, or starts one." },
  ],
  arguments: { pipeline },
  options: {
    to,
    anew: flag("Read everything again, even if an interrupted reconciliation has read a part."),
    redact,
    json,
  },
  run: (input) =>
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
    }),
})
