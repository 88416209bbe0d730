import { Clock, Duration, Effect } from "effect"
import type { Progress } from "../domain/progress.ts"
import { Invocation } from "./Invocation.ts"
import { Output } from "./Output.ts"
import { widthOf } from "./show/fit.ts"
import { liveView } from "./show/liveView.ts"
import { progressLine } from "./show/progressLine.ts"
import { SlidingRate } from "./show/SlidingRate.ts"

/** Milliseconds between two pictures of progress: on a terminal it moves, in a log it is seldom. */
const betweenPaints = 100
const betweenEvents = 1_000
const betweenLogLines = 10_000
/** A terminal is painted anew when nothing happens too: the time goes on. */
const idlePaint = Duration.seconds(1)

/** A phase that was shorter is not worth a line of its own in a log. */
const worthALine = 1_000

/** The phase that a run is in. */
interface Going {
  readonly began: number
  readonly rate: SlidingRate
  event: Progress
  /** When its last log line was written. */
  shown: number
}

/**
 * Shows how far a run has come: as a live view at the bottom of a terminal, elsewhere as a line now and then and at the end of a phase, as events with `--json`.
 *
 * @param name what the run is called in front of people
 */
export const progressOf = (pipeline: string, name = pipeline) =>
  Effect.gen(function*() {
    const output = yield* Output
    const { json } = yield* Invocation
    const started = yield* Clock.currentTimeMillis
    let going: Going | undefined
    let painted = Number.NEGATIVE_INFINITY

    const timed = ({ event, rate }: Going, now: number): Progress => ({ ...event, rate: rate.rate(now) })
    const paint = (one: Going, now: number) => {
      painted = now
      output.bottom((screen) =>
        liveView({ name, progress: timed(one, now), elapsed: now - started, idle: one.rate.idle(now) }, screen)
      )
    }
    const line = (one: Going, now: number) => {
      one.shown = now
      const { colour, width } = output.err
      const left = Math.max(20, width - widthOf(name) - 2)
      output.tell(`${name}: ${progressLine(timed(one, now), { colour, width: left })}`)
    }
    /** Takes an event in; gives the phase that it ended. */
    const enter = (event: Progress, now: number): { readonly ended: Going | undefined; readonly at: Going } => {
      if (going?.event.phase === event.phase) {
        going.event = event
        going.rate.note(now, event.read)
        return { ended: undefined, at: going }
      }
      const ended = going
      going = { began: now, rate: new SlidingRate(now, event.read), event, shown: now }
      return { ended, at: going }
    }

    const show = (event: Progress): Effect.Effect<void> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const begins = going?.event.phase !== event.phase
        const { at, ended } = enter(event, now)
        if (json) {
          if (!begins && now - painted < betweenEvents) return Effect.void
          painted = now
          return output.print(JSON.stringify({ event: "progress", pipeline, ...timed(at, now) }))
        }
        return Effect.sync(() => {
          if (output.hasBottom) {
            if (begins || now - painted >= betweenPaints) paint(at, now)
          } else if (ended !== undefined && now - ended.began >= worthALine) line(ended, now)
          else if (now - at.shown >= betweenLogLines) line(at, now)
        })
      })

    const again = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.sync(() => {
        if (going !== undefined && now - painted >= Duration.toMillis(idlePaint)) paint(going, now)
      }))
    if (output.hasBottom && !json) {
      yield* Effect.forkScoped(Effect.forever(Effect.delay(again, idlePaint)))
    }
    return {
      show,
      done: Effect.sync(() => {
        going = undefined
        output.bottom(undefined)
      }),
    }
  })
