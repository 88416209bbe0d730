import { Path } from "@effect/platform"
import { Clock, Effect, Exit } from "effect"
import type { ScheduleEvent } from "../jobs/schedule/options.ts"
import { type Ended, explain, tellNext } from "./explain.ts"
import { Invocation } from "./Invocation.ts"
import { Output } from "./Output.ts"
import { showRun } from "./runs.ts"
import { wrapToWidth } from "./show/fit.ts"
import { inZone, isoInZone } from "./show/schedule.ts"
import { showScheduled } from "./show/scheduled.ts"

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
