import { Clock, DateTime, Effect } from "effect"
import { exits } from "../domain/exit.ts"
import type { PipelineHealth } from "../jobs/status.ts"
import { command, flag, json, parsed, pipelines, wholeNumber } from "./command.ts"
import { CommandEnded } from "./Failure.ts"
import { commandFor, Invocation } from "./Invocation.ts"
import { openProject } from "./openProject.ts"
import { Output } from "./Output.ts"

/** How many of the last runs are shown by default. */
const usualRuns = 10

const units = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** A hundred years, in milliseconds. */
const longest = 36_525 * units.d

/** Returns a time such as `26h` in milliseconds. */
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
      const { damage, health, missed } = status
      if (input.json) {
        yield* output.print(JSON.stringify({ ...status, health: healthJson(health), damage: damage ?? null }))
      } else {
        const { showStatus } = yield* Effect.promise(() => import("./terminal/status.ts"))
        const inDetail = status.pipelines.length === 1 || input.pipelines.length > 0 || input.runs !== undefined
        const now = yield* Clock.currentTimeMillis
        for (const text of showStatus(status, { inDetail, now }, output.out)) yield* output.print(text)
      }
      if (damage !== undefined && damage.length > 0) {
        return yield* new CommandEnded({ status: exits.internalError.code, next: undefined })
      }
      if (missed.length > 0) {
        return yield* new CommandEnded({
          status: exits.wrong.code,
          next: commandFor(yield* Invocation, ["status", ...input.pipelines]),
        })
      }
      const overdue = (health ?? []).filter(({ healthy }) => !healthy).map(({ pipeline }) => pipeline)
      if (overdue.length > 0) {
        return yield* new CommandEnded({
          status: exits.attention.code,
          next: commandFor(yield* Invocation, ["status", ...overdue]),
        })
      }
    }),
})

const iso = (millis: number): string => DateTime.formatIso(DateTime.unsafeMake(millis))

const healthJson = (health: ReadonlyArray<PipelineHealth> | undefined) =>
  health?.map(({ lastGood, ...rest }) => ({ ...rest, lastGood: lastGood === undefined ? null : iso(lastGood) }))
