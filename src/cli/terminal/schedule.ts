import { Path } from "@effect/platform"
import { Clock, Effect, Exit } from "effect"
import { DateTime } from "luxon"
import { fates } from "../../domain/fate.ts"
import { fateWords } from "../../domain/fate.ts"
import type { RunReport } from "../../domain/report.ts"
import { outcomeWords } from "../../domain/run.ts"
import { count, lasting, span } from "../../domain/words.ts"
import type { ScheduleEvent } from "../../jobs/schedule/options.ts"
import type { Plan, Planned } from "../../jobs/schedule/plan.ts"
import { type Ended, explain, tellNext } from "../explain.ts"
import { Invocation } from "../Invocation.ts"
import { Output } from "../Output.ts"
import { showRun } from "../runs.ts"
import { cutToWidth, paints, type Screen, wrapToWidth } from "./screen.ts"

/** A time as the clocks of a zone show it, with its offset: two o'clock may come twice. */
export const inZone = (millis: number, zone: string): string =>
  DateTime.fromMillis(millis, { zone, locale: "en" }).toFormat("ccc yyyy-MM-dd HH:mm:ss ZZ").replace(
    /:00( [+-]\d\d:\d\d)$/,
    "$1",
  )

/** When a pipeline runs next, and in how long. */
export const nextRunText = ({ at, zone }: { readonly at: string; readonly zone: string }, now: number): string =>
  `${inZone(Date.parse(at), zone)} ${zone}, in ${lasting(Date.parse(at) - now)}`

/** The next times of pipelines, each in its own zone. */
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

/** The same for programs: ISO 8601, with the zone's offset. */
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

/** ISO 8601 with the zone's offset. */
export const isoInZone = (millis: number, zone: string): string =>
  DateTime.fromMillis(millis, { zone }).toISO({ suppressMilliseconds: true }) ?? ""

/** The end of a run that nobody watched: a line with its counts, and why it is not complete. */
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

/** How `schedule` was called, as far as it matters to what is told. */
interface Asked {
  readonly once: boolean
}

/**
 * Tells what happens while pipelines run by schedule: ends of runs on stdout, all else on stderr; with `--json` as events. Gives how a run ended, where one did.
 */
export const tellEvent = (event: ScheduleEvent, asked: Asked) =>
  Effect.gen(function*() {
    const output = yield* Output
    const { json } = yield* Invocation
    if (event._tag === "Ended") return yield* tellEnd(event, asked)
    if (json) {
      const told = event._tag === "Waits" && event.next !== undefined
        ? { pipeline: event.pipeline, next: isoInZone(event.next, event.schedule.zone) }
        : event._tag === "Unreadable"
        ? { files: event.files }
        : { pipeline: event.pipeline }
      yield* output.print(JSON.stringify({ event: event._tag.toLowerCase(), ...told }))
    } else {
      const text = textOf(event, asked)
      const now = yield* Clock.currentTimeMillis
      // A log for machines has the time of each line.
      const at = "schedule" in event && !output.timed ? `${inZone(now, event.schedule.zone)} ` : ""
      yield* Effect.sync(() => output.tell(wrapToWidth(`${at}${text}`, output.err.width).join("\n")))
    }
    return undefined
  })

const textOf = (event: Exclude<ScheduleEvent, { readonly _tag: "Ended" }>, { once }: Asked): string => {
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

const tellEnd = ({ exit, pipeline, project, schedule }: ScheduleEvent & { readonly _tag: "Ended" }, asked: Asked) =>
  Effect.gen(function*() {
    const output = yield* Output
    const invocation = yield* Invocation
    if (Exit.isFailure(exit)) {
      const ended = yield* explain(exit.cause, pipeline)
      if (!asked.once) yield* tellNext(ended)
      return ended
    }
    if (asked.once || invocation.json) return yield* showRun(project, exit.value)
    const path = yield* Path.Path
    const folder = path.join(project.reports, pipeline, exit.value.run)
    yield* output.print(showScheduled(exit.value, folder, schedule.zone, output.out))
    const ended: Ended = { status: exit.value.exitCode, next: exit.value.next }
    yield* tellNext(ended)
    return ended
  })
