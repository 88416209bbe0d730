import { DateTime } from "luxon"
import type { Plan, Planned } from "../../jobs/schedule/plan.ts"
import { lasting } from "../../report/span.ts"
import { cutToWidth, wrapToWidth } from "./fit.ts"
import { paints } from "./Screen.ts"
import type { Screen } from "./Screen.ts"

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
