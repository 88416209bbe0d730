import type * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { exits, wasInterrupted } from "../domain/exit.ts"
import { fateWords } from "../domain/fate.ts"
import type { RunReport } from "../domain/report.ts"
import { outcomeWord } from "../domain/run.ts"
import { inZone, lasting, span } from "../domain/times.ts"
import { count, titledCounts } from "../domain/words.ts"
import type { Plan, Planned, ScheduledProject } from "../jobs/schedules.ts"
import type { ScheduleEvent, ScheduleOptions } from "../jobs/turns.ts"
import { command, flag, json, output as format, tag, texts, wholeNumber } from "./command.ts"
import { CommandEnded, type Ended, explain, printNext, wrong } from "./Failure.ts"
import { commandFor, Invocation, sameCommand } from "./Invocation.ts"
import { loadMasked, projectFolder } from "./openProject.ts"
import { Output } from "./Output.ts"
import { combinedEnd, type PipelineEnd, showRun, stopCleanly, warnings } from "./runs.ts"
import { liveRuns } from "./terminal/progress.ts"
import { cutToWidth, paints, type Screen, wrapToWidth } from "./terminal/screen.ts"

/** The number of upcoming start times that `--plan` shows for each pipeline. */
const plannedTimes = 5

export const schedule = command({
  name: "schedule",
  about: "Runs pipelines at the times in their files, until you stop it. With --once, runs the pipelines that are due.",
  examples: [
    { words: "schedule --plan", about: "Shows the next times of each pipeline." },
    {
      words: "schedule --once --confirm live",
      about: "Runs the pipelines that are due: for use in cron, systemd, Kubernetes or CI.",
    },
  ],
  arguments: {},
  options: {
    tag,
    once: flag("Run the pipelines that are due, then exit. A pipeline that never ran, or missed its time, is due."),
    plan: flag("Show the next times of each pipeline. Run nothing."),
    confirm: texts(
      "SERVICE",
      "Confirm that rows may be sent to these services. This can't be undone, unless they can delete: see `undo`.",
    ),
    atOnce: wholeNumber(
      1,
      "The maximum number of pipelines that run at the same time in this process (default: 4).",
      1_000,
    ),
    output: format,
    json,
  },
  *run(input, { invocation, output }) {
    const path = yield* Path.Path
    if (input.once && input.plan) {
      return yield* wrong(
        "`--plan` runs nothing, but `--once` runs pipelines: give only one of them.",
      )
    }
    const root = path.resolve(yield* projectFolder)
    const load: ScheduleOptions["load"] = (pipelines) =>
      Effect.provideService(loadMasked(root, pipelines), Output, output)
    const { requireKnownTags } = yield* Effect.promise(() => import("../jobs/selection.ts"))
    yield* requireKnownTags(root, input.tag)
    if (input.plan) return yield* plan({ load, root, tags: input.tag }, input.json)

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
      atOnce: input.atOnce,
      projectOption: (yield* Invocation).project,
      interrupted,
      onEvent: (event) =>
        Effect.provide(
          Effect.gen(function*() {
            if (event._tag === "Ended") yield* runs.done(event.pipeline)
            const ended = yield* showEvent(event, input.once)
            if (ended !== undefined && "pipeline" in event) ends.push({ ...ended, pipeline: event.pipeline })
          }),
          context,
        ),
      progress: (pipeline, event) => input.json || !output.hasBottom ? Effect.void : runs.show(pipeline, event),
      warn: yield* warnings,
    }
    const status = yield* (input.once ? runDue(settings) : runOnSchedule(settings))
    if (status === exits.complete.code) return
    const bySignal = wasInterrupted(status)
    const otherwise = bySignal
      ? sameCommand(invocation)
      : commandFor(invocation, status === exits.busy.code ? ["status"] : ["schedule", "--plan"])
    return yield* new CommandEnded(combinedEnd(bySignal || !input.once ? [] : ends, status, otherwise))
  },
})

const plan = (asked: ScheduledProject, asJson: boolean) =>
  Effect.gen(function*() {
    const output = yield* Output
    const { isoInZone, planSchedule } = yield* Effect.promise(() => import("../jobs/schedules.ts"))
    const planned = yield* planSchedule(asked, plannedTimes)
    const nothing = planned.pipelines.length === 0 && planned.unreadable.length === 0
    yield* output.print(
      asJson
        ? JSON.stringify(planJson(planned, isoInZone))
        : nothing
        ? "No pipeline has a schedule."
        : showPlan(planned, output.out),
    )
    if (planned.unreadable.length === 0) return
    return yield* new CommandEnded({ status: exits.wrong.code, next: commandFor(yield* Invocation, ["check"]) })
  })

/** Shows the next start times of pipelines, each in the pipeline's own zone. */
const showPlan = ({ at, pipelines, unreadable }: Plan, screen: Screen): string => {
  const paint = paints(screen)
  const lines = pipelines.flatMap((one) => [
    paint.strong(cutToWidth(`${one.pipeline}  ${one.schedule.cron}  ${one.schedule.zone}`, screen.width)),
    ...one.next.map((next) =>
      cutToWidth(`  ${inZone(next, one.schedule.zone)}  in ${lasting(next - at)}`, screen.width)
    ),
    ...(one.next.length === 0 ? ["  no more times"] : []),
    paint.soft(cutToWidth(`  ${lastOf(one, at)}`, screen.width)),
  ])
  const faults = unreadable.flatMap((fault) => wrapToWidth(fault, screen.width).map(paint.bad))
  return [...lines, ...faults].join("\n")
}

const lastOf = ({ last, now, schedule }: Planned, at: number): string => {
  const ran = last === undefined ? "never ran" : `last ran ${inZone(last, schedule.zone)}, ${lasting(at - last)} ago`
  return now === "due" ? `${ran}; due now: --once would run it` : now === "elsewhere" ? `${ran}; running now` : ran
}

/** Returns the plan for programs, with ISO 8601 times. */
const planJson = ({ pipelines, unreadable }: Plan, isoInZone: (millis: number, zone: string) => string) => ({
  pipelines: pipelines.map(({ last, next, now, pipeline, schedule }) => ({
    pipeline,
    ...schedule,
    next: next.map((one) => isoInZone(one, schedule.zone)),
    last: last === undefined ? null : isoInZone(last, schedule.zone),
    due: now === "due",
  })),
  unreadable,
})

/** Shows the result of a scheduled run: a line with its counts, and why it is not complete. */
const showScheduled = (report: RunReport, folder: string, zone: string, screen: Screen): string => {
  const paint = paints(screen)
  const { title, tone } = outcomeWord(report)
  const rows = titledCounts(fateWords, report.rows)
  const head = `${inZone(Date.parse(report.startedAt), zone)} ${report.pipeline}: `
  const tail = ` after ${span(report.startedAt, report.finishedAt) ?? "?"}: ${count(report.rows.read)} read${
    rows.length === 0 ? "" : `, ${rows.join(", ")}`
  }. ${folder}`
  return [
    `${head}${paint[tone](title)}${tail}`,
    ...report.because.flatMap((sentence) => wrapToWidth(`  ${sentence}`, screen.width)),
  ].join("\n")
}

/**
 * Shows what happens while pipelines run on schedule: the result of each run on stdout, everything else on stderr. With `--json`, shows events
 * instead. Returns how a run ended, or undefined.
 */
export const showEvent = (event: ScheduleEvent, once: boolean) =>
  Effect.gen(function*() {
    const output = yield* Output
    const { json } = yield* Invocation
    if (event._tag === "Ended") return yield* showEnd(event, once)
    if (json) {
      const { isoInZone } = yield* Effect.promise(() => import("../jobs/schedules.ts"))
      const fields = event._tag === "Waits" && event.next !== undefined
        ? { pipeline: event.pipeline, next: isoInZone(event.next, event.schedule.zone) }
        : event._tag === "Unreadable"
        ? { files: event.files }
        : { pipeline: event.pipeline }
      yield* output.print(JSON.stringify({ event: event._tag.toLowerCase(), ...fields }))
    } else {
      const text = textOf(event, once)
      const now = yield* Clock.currentTimeMillis
      // Each line of a JSON or logfmt log has its own timestamp.
      const at = "schedule" in event && !output.timed ? `${inZone(now, event.schedule.zone)} ` : ""
      yield* Effect.sync(() => output.say(wrapToWidth(`${at}${text}`, output.err.width).join("\n")))
    }
    return undefined
  })

const textOf = (event: Exclude<ScheduleEvent, { readonly _tag: "Ended" }>, once: boolean): string => {
  switch (event._tag) {
    case "Waits": {
      const next = event.next === undefined ? "never" : inZone(event.next, event.schedule.zone)
      return `${event.pipeline}: ${once ? "not due; " : ""}next time: ${next}`
    }
    case "Begins":
      return `${event.pipeline}: ${event.again ? "starts again, because its last run was interrupted" : "starts"}`
    case "Elsewhere":
      return `${event.pipeline}: another process is running it`
    case "Unreadable":
      return event.files.join("\n")
  }
}

const showEnd = (
  { exit, pipeline, project, schedule }: ScheduleEvent & { readonly _tag: "Ended" },
  once: boolean,
) =>
  Effect.gen(function*() {
    const output = yield* Output
    const invocation = yield* Invocation
    if (Exit.isFailure(exit)) {
      const ended = yield* explain(exit.cause, pipeline)
      if (!once) yield* printNext(ended)
      return ended
    }
    if (once || invocation.json || invocation.github) return yield* showRun(project, exit.value)
    const path = yield* Path.Path
    const folder = path.join(project.reports, pipeline, exit.value.run)
    yield* output.print(showScheduled(exit.value, folder, schedule.zone, output.out))
    const ended: Ended = { status: exit.value.exitCode, next: exit.value.next }
    yield* printNext(ended)
    return ended
  })
