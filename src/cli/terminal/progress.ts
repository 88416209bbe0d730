import { Clock, Duration, Effect } from "effect"
import type { Progress } from "../../domain/progress.ts"
import { Invocation } from "../Invocation.ts"
import { Output } from "../Output.ts"
import { liveView, progressLine } from "./liveView.ts"
import { widthOf } from "./screen.ts"

/** Milliseconds over which a rate is measured, and between two samples. */
const window = 20_000
const between = 250
/** Milliseconds below which there is no rate. */
const least = 1_000

/** The recent growth of a count. The caller passes times, in milliseconds. */
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
    // One sample older than the window stays.
    while (this.samples.length > 2 && now - (this.samples[1]?.at ?? now) >= window) this.samples.shift()
  }

  /** Returns the rate per second; undefined in the first second. Falls while the count stays the same. */
  rate(now: number): number | undefined {
    const first = this.samples[0]
    if (first === undefined || now - first.at < least) return undefined
    return ((this.latest - first.count) / (now - first.at)) * 1_000
  }

  /** Returns the milliseconds since the count last changed. */
  idle(now: number): number {
    return now - this.movedAt
  }
}

/** Milliseconds between two updates of the view, two events, and two lines of a log. */
const betweenPaints = 100
const betweenEvents = 1_000
const betweenLogLines = 10_000
/** How often the view is repainted without progress, because it shows the time. */
const idlePaint = Duration.seconds(1)

/** Milliseconds below which a phase gets no line of its own in a log. */
const worthALine = 1_000

/** The current phase of a run. */
interface CurrentPhase {
  readonly startedAt: number
  readonly rate: SlidingRate
  event: Progress
  /** When its last log line was written. */
  loggedAt: number
}

/**
 * Shows the progress of a run: as a live view at the bottom of a terminal, otherwise as lines of a log, or as events with `--json`.
 *
 * @param name the name of the run in the view
 */
export const progressOf = (pipeline: string, name = pipeline) =>
  Effect.gen(function*() {
    const output = yield* Output
    const { json } = yield* Invocation
    const startedAt = yield* Clock.currentTimeMillis
    let phase: CurrentPhase | undefined
    let shownAt = Number.NEGATIVE_INFINITY

    const withRate = ({ event, rate }: CurrentPhase, now: number): Progress => ({ ...event, rate: rate.rate(now) })
    const paint = (one: CurrentPhase, now: number) => {
      shownAt = now
      output.bottom((screen) =>
        liveView({ name, progress: withRate(one, now), elapsed: now - startedAt, idle: one.rate.idle(now) }, screen)
      )
    }
    const log = (one: CurrentPhase, now: number) => {
      one.loggedAt = now
      const { colour, width } = output.err
      const room = Math.max(20, width - widthOf(name) - 2)
      output.say(`${name}: ${progressLine(withRate(one, now), { colour, width: room })}`)
    }
    /** Records an event. Returns its phase, and the phase that it ended. */
    const record = (event: Progress, now: number) => {
      if (phase?.event.phase === event.phase) {
        phase.event = event
        phase.rate.note(now, event.read)
        return { ended: undefined, current: phase }
      }
      const ended = phase
      phase = { startedAt: now, rate: new SlidingRate(now, event.read), event, loggedAt: now }
      return { ended, current: phase }
    }

    const show = (event: Progress): Effect.Effect<void> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const isNew = phase?.event.phase !== event.phase
        const { current, ended } = record(event, now)
        if (json) {
          if (!isNew && now - shownAt < betweenEvents) return Effect.void
          shownAt = now
          return output.print(JSON.stringify({ event: "progress", pipeline, ...withRate(current, now) }))
        }
        return Effect.sync(() => {
          if (output.hasBottom) {
            if (isNew || now - shownAt >= betweenPaints) paint(current, now)
          } else if (ended !== undefined && now - ended.startedAt >= worthALine) log(ended, now)
          else if (now - current.loggedAt >= betweenLogLines) log(current, now)
        })
      })

    const repaint = Effect.map(Clock.currentTimeMillis, (now) => {
      if (phase !== undefined && now - shownAt >= Duration.toMillis(idlePaint)) paint(phase, now)
    })
    if (output.hasBottom && !json) yield* Effect.forkScoped(Effect.forever(Effect.delay(repaint, idlePaint)))
    return {
      show,
      done: Effect.sync(() => {
        phase = undefined
        output.bottom(undefined)
      }),
    }
  })
