import { Clock, Duration, Effect } from "effect"
import type { Progress } from "../../domain/progress.ts"
import { Invocation } from "../Invocation.ts"
import { Output } from "../Output.ts"
import { liveView, progressLine } from "./liveView.ts"
import { widthOf } from "./screen.ts"

/** Milliseconds over which a rate is taken, and between two of its samples. */
const window = 20_000
const between = 250
/** Less than this says nothing about a rate. */
const least = 1_000

/** How fast a count grows, lately. Plain and synchronous: times are milliseconds, given by the caller. */
export class SlidingRate {
  private readonly samples: Array<{ readonly at: number; readonly count: number }> = []
  private movedAt: number
  private latest: number

  constructor(now: number, count: number) {
    this.samples.push({ at: now, count })
    this.movedAt = now
    this.latest = count
  }

  note(now: number, count: number): void {
    if (count !== this.latest) this.movedAt = now
    this.latest = count
    const last = this.samples.at(-1)
    if (last === undefined || now - last.at >= between) this.samples.push({ at: now, count })
    // The oldest stays while it is the only one that is old enough.
    while (this.samples.length > 2 && now - (this.samples[1]?.at ?? now) >= window) this.samples.shift()
  }

  /** Per second; undefined as long as too little is known. Falls while nothing comes. */
  rate(now: number): number | undefined {
    const first = this.samples[0]
    if (first === undefined || now - first.at < least) return undefined
    return ((this.latest - first.count) / (now - first.at)) * 1_000
  }

  /** Milliseconds since it last grew. */
  idle(now: number): number {
    return now - this.movedAt
  }
}

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
