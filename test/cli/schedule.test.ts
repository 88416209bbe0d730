import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Effect, Exit, LogLevel, TestClock } from "effect"
import { Invocation } from "../../src/cli/Invocation.ts"
import { Output } from "../../src/cli/Output.ts"
import { showEvent } from "../../src/cli/schedule.ts"
import type { ScheduleEvent } from "../../src/jobs/turns.ts"
import type { Project } from "../../src/project/Project.ts"
import { exampleReport } from "../report/exampleReport.ts"

const schedule = { cron: "0 2 * * *", zone: "Europe/Berlin", to: undefined }

const told = (event: ScheduleEvent, { timed = false, width = 80 } = {}) =>
  Effect.gen(function*() {
    const shown: Array<string> = []
    yield* TestClock.setTime(Date.parse("2026-11-20T01:00:00Z"))
    yield* showEvent(event, false).pipe(
      Effect.provideService(Output, {
        out: { width, colour: false },
        err: { width, colour: false },
        interactive: false,
        hasBottom: false,
        timed,
        print: (text) => Effect.sync(() => void shown.push(text)),
        say: (text) => void shown.push(text),
        bottom: () => undefined,
        printData: () => Effect.void,
        flush: Effect.void,
        hide: () => undefined,
      }),
      Effect.provideService(Invocation, {
        typed: ["schedule"],
        command: "schedule",
        pipelines: [],
        project: undefined,
        json: false,
        github: false,
        logLevel: LogLevel.Info,
      }),
      Effect.provide(NodeContext.layer),
    )
    return shown
  })

it.effect("schedule events show the time in the pipeline's zone unless the log adds its own, and wrap between words", () =>
  Effect.gen(function*() {
    const pipeline = "contacts-of-the-northern-region"
    const begins = { _tag: "Begins", pipeline, schedule, again: false } as const
    expect(yield* told(begins)).toEqual([`Fri 2026-11-20 02:00 +01:00 ${pipeline}: starts`])
    expect(yield* told(begins, { timed: true, width: 100_000 })).toEqual([`${pipeline}: starts`])
    const next = Date.parse("2026-11-21T01:00:00Z")
    const [waits] = yield* told({ _tag: "Waits", pipeline, schedule, next })
    expect(waits).toBe(`Fri 2026-11-20 02:00 +01:00 ${pipeline}: next time: Sat\n2026-11-21 02:00 +01:00`)
  }))

it.effect("a scheduled run that needs a decision and has no row that needs review says so", () =>
  Effect.gen(function*() {
    const project = { reports: "reports" } as Project
    const exit = Exit.succeed(exampleReport({ needReview: 0 }))
    const [shown] = yield* told({ _tag: "Ended", pipeline: "contacts", schedule, project, exit })
    expect(shown).toContain(" contacts: Needs your decision after 1m 5s: ")
  }))
