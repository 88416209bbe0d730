import { Clock, Effect } from "effect"
import type { Phase, Progress } from "../domain/progress.ts"
import { Invocation } from "./Invocation.ts"
import { Output } from "./Output.ts"
import { progressLine } from "./show/progressLine.ts"

/** Milliseconds between two lines of progress: on a terminal it moves, in a log it is seldom. */
const betweenDraws = 100
const betweenEvents = 1_000
const betweenLogLines = 10_000

/** Shows how far a run has come: at the bottom of the terminal, as a line now and then in a log, as events with `--json`. */
export const progressOf = (pipeline: string) =>
  Effect.gen(function*() {
    const output = yield* Output
    const { json } = yield* Invocation
    let phase: Phase | undefined
    let began = 0
    let shown = 0
    const pause = json ? betweenEvents : output.hasBottom ? betweenDraws : betweenLogLines
    const show = (event: Progress): Effect.Effect<void> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const isNew = event.phase !== phase
        if (isNew) {
          phase = event.phase
          began = now
        }
        if (!isNew && now - shown < pause) return Effect.void
        shown = now
        const elapsed = (now - began) / 1_000
        const timed = {
          ...event,
          rate: event.rate ?? (elapsed >= 1 && event.read > 0 ? event.read / elapsed : undefined),
        }
        if (json) return output.print(JSON.stringify({ event: "progress", pipeline, ...timed }))
        const line = progressLine(timed, output.err)
        return Effect.sync(() => {
          if (output.hasBottom) output.bottom(line)
          // A phase that begins has nothing to tell in a log; how it goes on has.
          else if (!isNew) output.tell(`${pipeline}: ${line}`)
        })
      })
    return { show, done: Effect.sync(() => output.bottom(undefined)) }
  })
