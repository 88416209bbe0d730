import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Effect, LogLevel, TestClock } from "effect"
import { Invocation } from "../../src/cli/Invocation.ts"
import { Output } from "../../src/cli/Output.ts"
import { showEvent } from "../../src/cli/schedule.ts"
import type { ScheduleEvent } from "../../src/jobs/turns.ts"

const schedule = { cron: "0 2 * * *", zone: "Europe/Berlin", to: undefined }

const told = (event: ScheduleEvent, { timed = false, width = 80 } = {}) =>
  Effect.gen(function*() {
    const err: Array<string> = []
    yield* TestClock.setTime(Date.parse("2026-11-20T01:00:00Z"))
    yield* showEvent(event, false).pipe(
      Effect.provideService(Output, {
        out: { width, colour: false },
        err: { width, colour: false },
        interactive: false,
        hasBottom: false,
        timed,
        print: () => Effect.void,
        say: (text) => void err.push(text),
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
    return err
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
