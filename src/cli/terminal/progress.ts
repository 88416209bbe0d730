import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { verdicts, verdictWords } from "../../domain/fate.ts"
import { doneText, paceTexts, phases, type ProgressEvent } from "../../domain/progress.ts"
import { lasting } from "../../domain/times.ts"
import { count, counted } from "../../domain/words.ts"
import { SlidingRate } from "../../jobs/SlidingRate.ts"
import { Invocation } from "../Invocation.ts"
import { Output } from "../Output.ts"
import { cutToWidth, type Paint, paints, type Screen, widthOf } from "./screen.ts"

/** A part of a line, and how it is painted. */
interface Part {
  readonly text: string
  readonly paint: Paint
}

const plain: Paint = (text) => text

/** Returns what both views say about progress: the rate and the time left, what was sent and read back, and what needs attention. */
const partsOf = (progress: ProgressEvent, paint: ReturnType<typeof paints>) => {
  const { inDoubt, phase, readBack, sent, throttled } = progress
  const pace = paceTexts(progress).map((text): Part => ({ text, paint: plain }))
  const back: ReadonlyArray<Part> = [
    ...(sent > 0 && phases[phase].isSending === true ? [{ text: `${count(sent)} sent`, paint: plain }] : []),
    ...verdicts.flatMap((verdict) => {
      const { title, tone } = verdictWords[verdict]
      const rows = readBack[verdict]
      return rows === 0 || verdict === "unread" ? [] : [{ text: `${count(rows)} ${title}`, paint: paint[tone] }]
    }),
  ]
  const unusual: ReadonlyArray<Part> = [
    ...(inDoubt === 0 ? [] : [{ text: `${count(inDoubt)} in doubt`, paint: paint.bad }]),
    ...(throttled === 0 ? [] : [{ text: `slowed down ${counted(throttled, "time")}`, paint: paint.warn }]),
  ]
  return { pace, back, unusual }
}

/** Shows progress on one line, for a log. The line is never cut, because a log has no window. */
export const progressLine = (progress: ProgressEvent, screen: Pick<Screen, "colour">): string => {
  const paint = paints(screen)
  const { phase, read, total } = progress
  const { shown, title } = phases[phase]
  const share = shown === undefined && total !== undefined && total > 0
    ? ` (${Math.floor((read / total) * 100)}%)`
    : ""
  const { back, pace, unusual } = partsOf(progress, paint)
  const texts = [doneText(progress) + share, ...[...back, ...unusual, ...pace].map(({ text }) => text)]
  return paint.strong(`${title.padEnd(9)} `) + texts.join(" · ")
}

const widestBar = 32
const narrowestBar = 8
/** Milliseconds without progress after which the view says so. */
const longIdle = 3_000

/** Puts parts on as few lines as the width allows. Never splits a part. */
const flow = (parts: ReadonlyArray<Part>, width: number, soft: Paint): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let room = 0
  for (const { paint, text } of parts) {
    const shown = cutToWidth(text, width)
    const taken = widthOf(shown)
    const last = lines.length - 1
    if (last >= 0 && taken + 3 <= room) {
      lines[last] += `${soft(" · ")}${paint(shown)}`
      room -= taken + 3
    } else {
      lines.push(paint(shown))
      room = width - taken
    }
  }
  return lines
}

/** Shows the phase's progress, as a bar if there is room for one. */
const gauge = (progress: ProgressEvent, width: number, { good, soft }: ReturnType<typeof paints>): string => {
  const { phase, read, total } = progress
  const done = doneText(progress)
  if (phases[phase].shown !== undefined || total === undefined) return cutToWidth(done, width)
  const share = total === 0 ? 1 : Math.min(1, read / total)
  const label = `${Math.floor(share * 100)}%  ${done}`
  const length = Math.min(widestBar, width - widthOf(label) - 2)
  if (length < narrowestBar) return cutToWidth(label, width)
  const full = Math.round(share * length)
  return `${good("█".repeat(full))}${soft("░".repeat(length - full))}  ${label}`
}

interface LiveRun {
  readonly name: string
  readonly progress: ProgressEvent
  /** Milliseconds since the run began. */
  readonly elapsed: number
  /** Milliseconds since the last progress. */
  readonly idle: number
}

/** Shows a run in a few lines that fit the screen. One column stays free, because a terminal breaks a line that fills it. */
export const liveView = ({ elapsed, idle, name, progress }: LiveRun, screen: Screen): ReadonlyArray<string> => {
  const width = screen.width - 1
  const paint = paints(screen)
  const { phase, readBack } = progress
  const { back, pace, unusual } = partsOf(progress, paint)
  const seconds = (millis: number) => lasting(Math.floor(millis / 1_000) * 1_000)
  const title = [
    { text: name, paint: paint.strong },
    { text: phases[phase].title, paint: plain },
    { text: seconds(Math.max(1_000, elapsed)), paint: paint.soft },
  ]
  const waiting = phases[phase].shown !== undefined || idle < longIdle
    ? []
    : [{ text: `waiting for ${seconds(idle)}`, paint: paint.warn }]
  const unread = readBack.unread > 0 && phases[phase].isSending === true
    ? [{ text: `${count(readBack.unread)} to read back`, paint: paint.soft }]
    : []
  return [
    ...flow(title, width, paint.soft),
    gauge(progress, width, paint),
    ...[[...pace, ...waiting], [...back, ...unread], unusual].flatMap((parts) => flow(parts, width, paint.soft)),
  ]
}

/** Milliseconds between two updates of the view, two events, and two lines of a log. */
const betweenPaints = 100
const betweenEvents = 1_000
const betweenLogLines = 10_000
/** How often the view is repainted without progress, to update the times that it shows. */
const idlePaint = Duration.seconds(1)

/** The minimum duration in milliseconds of a phase that gets its own line in a log. */
const worthALine = 1_000

/** Whether a phase gets its own line in a log when it has ended. One that counts nothing says only what it waits for. */
const isWorthALine = (ended: CurrentPhase | undefined, now: number): ended is CurrentPhase =>
  ended !== undefined && phases[ended.event.phase].shown === undefined && now - ended.startedAt >= worthALine

/** Shows lines at the bottom of the terminal; undefined removes them. */
type Bottom = Context.Tag.Service<typeof Output>["bottom"]

/** Returns places for several views at the bottom of the terminal, one below the other. */
const sharedBottom = (bottom: Bottom) => {
  const views = new Map<string, NonNullable<Parameters<Bottom>[0]>>()
  return (name: string): Bottom => (view) => {
    if (view === undefined) views.delete(name)
    else views.set(name, view)
    const all = [...views.values()]
    bottom(all.length === 0 ? undefined : (screen) => all.flatMap((one) => one(screen)))
  }
}

interface CurrentPhase {
  readonly startedAt: number
  readonly rate: SlidingRate
  event: ProgressEvent
  /** When its last log line was written. */
  loggedAt: number
}

/**
 * Shows the progress of a run: as a live view at the bottom of a terminal, otherwise as lines of a log, or as events with `--json`.
 *
 * @param name the name of the run in the view
 * @param at where the view is shown. Default: the bottom of the terminal
 */
export const progressOf = (pipeline: string, name = pipeline, at?: Bottom) =>
  Effect.gen(function*() {
    const output = yield* Output
    const bottom = at ?? output.bottom
    const { json } = yield* Invocation
    let startedAt: number | undefined = yield* Clock.currentTimeMillis
    let phase: CurrentPhase | undefined
    let shownAt = Number.NEGATIVE_INFINITY

    const withRate = ({ event, rate }: CurrentPhase, now: number): ProgressEvent => ({ ...event, rate: rate.rate(now) })
    const paint = (one: CurrentPhase, now: number) => {
      shownAt = now
      const elapsed = now - (startedAt ??= now)
      bottom((screen) => liveView({ name, progress: withRate(one, now), elapsed, idle: one.rate.idle(now) }, screen))
    }
    const log = (one: CurrentPhase, now: number) => {
      one.loggedAt = now
      output.say(`${name}: ${progressLine(withRate(one, now), output.err)}`)
    }
    /** Records an event. Returns its phase, and the phase that it ended. */
    const record = (event: ProgressEvent, now: number) => {
      if (phase?.event.phase === event.phase) {
        phase.event = event
        phase.rate.note(now, event.read)
        return { ended: undefined, current: phase }
      }
      const ended = phase
      phase = { startedAt: now, rate: new SlidingRate(now, event.read), event, loggedAt: now }
      return { ended, current: phase }
    }

    const show = (event: ProgressEvent): Effect.Effect<void> =>
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
          } else if (isWorthALine(ended, now)) log(ended, now)
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
        startedAt = undefined
        bottom(undefined)
      }),
    }
  })

/** Shows the runs in progress, one below the other in a terminal, until the scope closes. */
export const liveRuns = Effect.gen(function*() {
  const context = yield* Effect.context<Output | Invocation | Scope.Scope>()
  const shown = new Map<string, Effect.Effect.Success<ReturnType<typeof progressOf>>>()
  const bottom = sharedBottom((yield* Output).bottom)
  return {
    show: (pipeline: string, event: ProgressEvent) =>
      Effect.gen(function*() {
        const progress = shown.get(pipeline) ?? (yield* progressOf(pipeline, pipeline, bottom(pipeline)))
        shown.set(pipeline, progress)
        yield* progress.show(event)
      }).pipe(Effect.provide(context)),
    done: (pipeline: string) => shown.get(pipeline)?.done ?? Effect.void,
  }
})

/**
 * Shows the progress of work other than a run, in a terminal only. Hides it at the end.
 *
 * @param work its parameter is an effect that hides the progress, to be run before a question is asked
 */
export const withProgress = <A, E, R>(name: string, work: (hide: Effect.Effect<void>) => Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.gen(function*() {
    const { hasBottom } = yield* Output
    const { json } = yield* Invocation
    if (json || !hasBottom) return yield* work(Effect.void)
    const { Progress } = yield* Effect.promise(() => import("../../run/Progress.ts"))
    const { done, show } = yield* progressOf(name)
    return yield* work(done).pipe(Effect.provideService(Progress, { show }), Effect.ensuring(done))
  }))
