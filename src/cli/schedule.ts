import { type FileSystem, Path } from "@effect/platform"
import { Effect, type Scope } from "effect"
import { exits, wasInterrupted } from "../domain/exit.ts"
import type { Progress } from "../domain/progress.ts"
import type { ScheduledProject } from "../jobs/schedules.ts"
import type { ScheduleOptions } from "../jobs/turns.ts"
import { command, flag, json, output as format, tag, texts } from "./command.ts"
import { CommandEnded, UsageWrong } from "./Failure.ts"
import { commandFor, Invocation, sameCommand } from "./Invocation.ts"
import { maskingKeys, projectFolder } from "./openProject.ts"
import { Output } from "./Output.ts"
import { combinedEnd, type PipelineEnd, stopCleanly } from "./runs.ts"
import { progressOf, sharedBottom } from "./terminal/progress.ts"

/** How many times of each pipeline `--plan` shows. */
const plannedTimes = 5

/** `schedule`. */
export const schedule = command({
  name: "schedule",
  about: "Runs pipelines at the times in their files, until you stop it. With --once, runs the pipelines that are due.",
  examples: [
    { words: "schedule --plan", about: "Shows the next times of each pipeline." },
    { words: "schedule --once --confirm live", about: "Runs what is due: for cron, systemd, Kubernetes, CI." },
  ],
  arguments: {},
  options: {
    tag,
    once: flag("Run what is due, then exit. A pipeline that never ran, or missed its time, is due."),
    plan: flag("Show the next times of each pipeline. Run nothing."),
    confirm: texts("SERVICE", "Confirm that rows may be sent to these services. This can't be undone."),
    output: format,
    json,
  },
  run: (input) =>
    Effect.gen(function*() {
      const output = yield* Output
      const path = yield* Path.Path
      if (input.once && input.plan) {
        return yield* new UsageWrong({ message: "`--plan` runs nothing, and `--once` does: give one of them." })
      }
      const root = path.resolve(yield* projectFolder)
      const { loadProject } = yield* Effect.promise(() => import("../project/loadProject.ts"))
      const load: ScheduleOptions["load"] = (pipelines) =>
        Effect.map(loadProject(root, { pipelines }), (project) => maskingKeys(project, output.hide))
      const { requireKnownTags } = yield* Effect.promise(() => import("../jobs/selection.ts"))
      yield* requireKnownTags(root, input.tag)
      if (input.plan) return yield* plan({ load, root, tags: input.tag }, input.json)

      const { showEvent } = yield* Effect.promise(() => import("./terminal/schedule.ts"))
      const { runDue, runOnSchedule } = yield* Effect.promise(() => import("../jobs/schedule.ts"))
      const interrupted = yield* stopCleanly
      const ends: Array<PipelineEnd> = []
      const context = yield* Effect.context<
        Output | Invocation | Path.Path | FileSystem.FileSystem | Scope.Scope
      >()
      const runs = yield* liveRuns
      const settings: ScheduleOptions = {
        root,
        load,
        tags: input.tag,
        confirmed: input.confirm,
        projectOption: (yield* Invocation).project,
        interrupted,
        onEvent: (event) =>
          Effect.provide(
            Effect.gen(function*() {
              if (event._tag === "Ended") yield* runs.done(event.pipeline)
              const ended = yield* showEvent(event, { once: input.once })
              if (ended !== undefined && "pipeline" in event) ends.push({ ...ended, pipeline: event.pipeline })
            }),
            context,
          ),
        progress: (pipeline, event) => Effect.provide(runs.show(pipeline, event), context),
        warn: (pipeline, warnings) =>
          input.json && warnings.length > 0
            ? output.print(JSON.stringify({ event: "warnings", pipeline, warnings }))
            : Effect.void,
      }
      const status = yield* (input.once ? runDue(settings) : runOnSchedule(settings))
      if (status === exits.complete.code) return
      const invocation = yield* Invocation
      const bySignal = wasInterrupted(status)
      const otherwise = bySignal
        ? sameCommand(invocation)
        : commandFor(invocation, status === exits.busy.code ? ["status"] : ["schedule", "--plan"])
      return yield* new CommandEnded(combinedEnd(bySignal || !input.once ? [] : ends, status, otherwise))
    }).pipe(Effect.scoped),
})

/** Shows the runs in progress one below the other, in a terminal only. */
const liveRuns = Effect.gen(function*() {
  const output = yield* Output
  const { json } = yield* Invocation
  const shown = new Map<string, Effect.Effect.Success<ReturnType<typeof progressOf>>>()
  const bottom = sharedBottom(output.bottom)
  return {
    show: (pipeline: string, event: Progress) =>
      Effect.gen(function*() {
        if (json || !output.hasBottom) return
        const progress = shown.get(pipeline) ?? (yield* progressOf(pipeline, pipeline, bottom(pipeline)))
        shown.set(pipeline, progress)
        yield* progress.show(event)
      }),
    done: (pipeline: string) => shown.get(pipeline)?.done ?? Effect.void,
  }
})

const plan = (asked: ScheduledProject, asJson: boolean) =>
  Effect.gen(function*() {
    const output = yield* Output
    const { planSchedule } = yield* Effect.promise(() => import("../jobs/schedules.ts"))
    const { planJson, showPlan } = yield* Effect.promise(() => import("./terminal/schedule.ts"))
    const planned = yield* planSchedule(asked, plannedTimes)
    if (asJson) return yield* output.print(JSON.stringify(planJson(planned)))
    const nothing = planned.pipelines.length === 0 && planned.unreadable.length === 0
    yield* output.print(nothing ? "No pipeline has a schedule." : showPlan(planned, output.out))
  })
