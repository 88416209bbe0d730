import { Clock, DateTime, Effect } from "effect"
import type { ProjectStatus } from "../jobs/status.ts"
import type { NotBegun } from "../jobs/status/due.ts"
import type { PipelineHealth } from "../jobs/status/health.ts"
import { command, flag, json, parsed, pipelines, wholeNumber } from "./command.ts"
import { CommandEnded } from "./Failure.ts"
import { commandFor, Invocation } from "./Invocation.ts"
import { openProject } from "./openProject.ts"
import { Output } from "./Output.ts"
import { nextRunText } from "./terminal/schedule.ts"
import { wrapToWidth } from "./terminal/screen.ts"
import { showStatus } from "./terminal/status.ts"

/** How many of the last runs are told of, unless asked otherwise. */
const usualRuns = 10

const units = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** A hundred years, in milliseconds. */
const longest = 36_525 * units.d

/** A time as people write it, `26h`, in milliseconds. */
const timeOf = (text: string): number | undefined => {
  const [, amount, unit] = /^(\d+(?:\.\d+)?) ?(m|h|d)$/.exec(text) ?? []
  const millis = unit === "m" || unit === "h" || unit === "d" ? Number(amount) * units[unit] : undefined
  return millis !== undefined && millis <= longest ? millis : undefined
}

/** `status [NAME…]`. */
export const status = command({
  name: "status",
  about: "Shows what the ledger contains: imported, verified, in doubt by age, the last runs, the next one.",
  examples: [
    { words: "status", about: "Shows all pipelines." },
    {
      words: "status --max-age 26h",
      about: "Exits with code 1 if a pipeline had no good run for 26 hours: for probes.",
    },
  ],
  arguments: { pipelines },
  options: {
    runs: wholeNumber(1, "How many of the last runs to show. Default: 10."),
    maxAge: parsed(
      "TIME",
      timeOf,
      "a time such as 26h, 90m or 2d",
      "Exit with code 1 if the last good run of a pipeline is older (26h, 90m, 2d), or if there is none.",
    ),
    verify: flag("Check the ledger's whole file for damage."),
    json,
  },
  run: (input) =>
    Effect.gen(function*() {
      const output = yield* Output
      const project = yield* openProject([])
      const { projectStatus } = yield* Effect.promise(() => import("../jobs/status.ts"))
      const status = yield* projectStatus(project, input.pipelines, {
        verify: input.verify,
        runs: input.runs ?? usualRuns,
        maxAge: input.maxAge,
      })
      const { damage, health, ledger, missed, notBegun, unreadable, untouched, waiting } = status
      const now = yield* Clock.currentTimeMillis
      if (input.json) {
        yield* output.print(JSON.stringify({ ...status, health: healthJson(health), damage: damage ?? null }))
      } else {
        for (const { message } of missed) yield* output.print(wrapToWidth(message, output.out.width).join("\n"))
        if (!ledger.exists) {
          if (untouched.length > 0 || missed.length === 0) {
            yield* output.print(
              missed.length === 0
                ? `Nothing was imported yet: there is no ledger ${ledger.file}.`
                : `Nothing was imported yet by ${untouched.join(", ")}.`,
            )
          }
        } else if (status.pipelines.length > 0) {
          // One pipeline is told of at length; of many, a line each.
          const atLength = status.pipelines.length === 1 || input.pipelines.length > 0 || input.runs !== undefined
          const { showPipelineStatus } = yield* Effect.promise(() => import("./terminal/status.ts"))
          yield* output.print(
            atLength
              ? status.pipelines.map((one) => showPipelineStatus(one, now, output.out)).join("\n\n")
              : showStatus(status.pipelines, output.out),
          )
        }
        if (ledger.exists && untouched.length > 0) {
          yield* output.print(`Nothing was imported yet by ${untouched.join(", ")}.`)
        }
        for (const text of [...waiting.map((one) => firstRun(one, now)), ...notBegun.map(overdueText), ...unreadable]) {
          yield* output.print(wrapToWidth(text, output.out.width).join("\n"))
        }
        if (damage !== undefined && damage.length === 0) {
          yield* output.print(missed.length === 0 ? "The ledger is sound." : "The file itself is sound.")
        }
        for (const finding of damage ?? []) yield* output.print(`The ledger is damaged: ${finding}`)
        for (const one of health ?? []) {
          if (!one.healthy) yield* output.print(unhealthy(one))
        }
      }
      if (damage !== undefined && damage.length > 0) return yield* new CommandEnded({ status: 70, next: undefined })
      // As their runs would end.
      if (missed.length > 0) {
        return yield* new CommandEnded({
          status: 2,
          next: commandFor(yield* Invocation, ["status", ...input.pipelines]),
        })
      }
      const overdue = (health ?? []).filter(({ healthy }) => !healthy).map(({ pipeline }) => pipeline)
      if (overdue.length > 0) {
        return yield* new CommandEnded({ status: 1, next: commandFor(yield* Invocation, ["status", ...overdue]) })
      }
    }),
})

const iso = (millis: number): string => DateTime.formatIso(DateTime.unsafeMake(millis))

const healthJson = (health: ReadonlyArray<PipelineHealth> | undefined) =>
  health?.map(({ lastGood, ...rest }) => ({ ...rest, lastGood: lastGood === undefined ? null : iso(lastGood) }))

const firstRun = ({ nextRun, pipeline }: ProjectStatus["waiting"][number], now: number): string =>
  `${pipeline} runs next ${nextRunText(nextRun, now)}.`

const overdueText = ({ at, pipeline }: NotBegun): string =>
  `When ${pipeline} was due last, ${
    at.slice(0, 16)
  }Z, no run could begin. \`formferry check ${pipeline}\` says what is wrong, or the schedule's log.`

const unhealthy = ({ lastGood, pipeline }: PipelineHealth): string =>
  lastGood === undefined
    ? `${pipeline} never ended a good run.`
    : `The last good run of ${pipeline} ended ${iso(lastGood).slice(0, 16)}Z: that is too long ago.`
