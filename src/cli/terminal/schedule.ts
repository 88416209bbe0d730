import { Path } from "@effect/platform"
import { Clock, Effect, Exit } from "effect"
import { fates, fateWords } from "../../domain/fate.ts"
import type { RunReport } from "../../domain/report.ts"
import { outcomeWords } from "../../domain/run.ts"
import { count, lasting, span } from "../../domain/words.ts"
import { isoInZone, type Plan, type Planned } from "../../jobs/schedules.ts"
import type { ScheduleEvent } from "../../jobs/turns.ts"
import { type Ended, explain, printNext } from "../Failure.ts"
import { Invocation } from "../Invocation.ts"
import { Output } from "../Output.ts"
import { showRun } from "../runs.ts"
import { cutToWidth, inZone, paints, type Screen, wrapToWidth } from "./screen.ts"

/** Shows the next times of pipelines, each in its own zone. */
export const showPlan = ({ at, pipelines, unreadable }: Plan, screen: Screen): string => {
  const paint = paints(screen)
  const lines = pipelines.flatMap((one) => [
    paint.strong(cutToWidth(`${one.pipeline}  ${one.schedule.cron}  ${one.schedule.zone}`, screen.width)),
    ...one.next.map((next) =>
      cutToWidth(`  ${inZone(next, one.schedule.zone)}  in ${lasting(next - at)}`, screen.width)
    ),
    ...(one.next.length === 0 ? ["  never again"] : []),
    paint.soft(cutToWidth(`  ${lastOf(one, at)}`, screen.width)),
  ])
  const faults = unreadable.flatMap((fault) => wrapToWidth(fault, screen.width).map(paint.bad))
  return [...lines, ...faults].join("\n")
}

const lastOf = ({ last, now, schedule }: Planned, at: number): string => {
  const ran = last === undefined ? "never ran" : `last ran ${inZone(last, schedule.zone)}, ${lasting(at - last)} ago`
  return now === "due" ? `${ran}; --once would run it now` : now === "elsewhere" ? `${ran}; is running now` : ran
}

/** Returns the plan for programs, with ISO 8601 times. */
export const planJson = ({ pipelines, unreadable }: Plan) => ({
  pipelines: pipelines.map(({ last, next, now, pipeline, schedule }) => ({
    pipeline,
    ...schedule,
    next: next.map((one) => isoInZone(one, schedule.zone)),
    last: last === undefined ? null : isoInZone(last, schedule.zone),
    due: now === "due",
  })),
  unreadable,
})

/** Shows the end of a scheduled run: a line with its counts, and why it is not complete. */
export const showScheduled = (report: RunReport, folder: string, zone: string, screen: Screen): string => {
  const paint = paints(screen)
  const { title, tone } = outcomeWords[report.outcome]
  const rows = fates.flatMap((fate) =>
    report.rows[fate] === 0 ? [] : [`${count(report.rows[fate])} ${fateWords[fate].title}`]
  )
  const head = `${inZone(Date.parse(report.startedAt), zone)} ${report.pipeline}: `
  const tail = ` after ${span(report.startedAt, report.finishedAt) ?? "?"}: ${count(report.rows.read)} read${
    rows.length === 0 ? "" : `, ${rows.join(", ")}`
  }. ${folder}`
  return [
    `${head}${paint[tone](title)}${tail}`,
    ...report.because.flatMap((sentence) => wrapToWidth(`  ${sentence}`, screen.width)),
  ].join("\n")
}

/** How `schedule` was called. */
interface CalledWith {
  readonly once: boolean
}

/** Shows what happens while pipelines run by schedule: the end of a run on stdout, everything else on stderr. With `--json`, events. Returns how a run ended, or undefined. */
export const showEvent = (event: ScheduleEvent, asked: CalledWith) =>
  Effect.gen(function*() {
    const output = yield* Output
    const { json } = yield* Invocation
    if (event._tag === "Ended") return yield* showEnd(event, asked)
    if (json) {
      const fields = event._tag === "Waits" && event.next !== undefined
        ? { pipeline: event.pipeline, next: isoInZone(event.next, event.schedule.zone) }
        : event._tag === "Unreadable"
        ? { files: event.files }
        : { pipeline: event.pipeline }
      yield* output.print(JSON.stringify({ event: event._tag.toLowerCase(), ...fields }))
    } else {
      const text = textOf(event, asked)
      const now = yield* Clock.currentTimeMillis
      // Each line of a JSON or logfmt log has its time.
      const at = "schedule" in event && !output.timed ? `${inZone(now, event.schedule.zone)} ` : ""
      yield* Effect.sync(() => output.say(wrapToWidth(`${at}${text}`, output.err.width).join("\n")))
    }
    return undefined
  })

const textOf = (event: Exclude<ScheduleEvent, { readonly _tag: "Ended" }>, { once }: CalledWith): string => {
  switch (event._tag) {
    case "Waits": {
      const next = event.next === undefined ? "it never comes again" : inZone(event.next, event.schedule.zone)
      return `${event.pipeline}: ${once ? "not due; " : ""}next time: ${next}`
    }
    case "Begins":
      return `${event.pipeline}: ${event.again ? "begins again, for its last run broke off" : "begins"}`
    case "Elsewhere":
      return `${event.pipeline}: another formferry runs it`
    case "Unreadable":
      return event.files.join("\n")
  }
}

const showEnd = (
  { exit, pipeline, project, schedule }: ScheduleEvent & { readonly _tag: "Ended" },
  asked: CalledWith,
) =>
  Effect.gen(function*() {
    const output = yield* Output
    const invocation = yield* Invocation
    if (Exit.isFailure(exit)) {
      const ended = yield* explain(exit.cause, pipeline)
      if (!asked.once) yield* printNext(ended)
      return ended
    }
    if (asked.once || invocation.json || invocation.github) return yield* showRun(project, exit.value, asked.once)
    const path = yield* Path.Path
    const folder = path.join(project.reports, pipeline, exit.value.run)
    yield* output.print(showScheduled(exit.value, folder, schedule.zone, output.out))
    const ended: Ended = { status: exit.value.exitCode, next: exit.value.next }
    yield* printNext(ended)
    return ended
  })
