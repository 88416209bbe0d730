import { verdicts, verdictWords } from "../../domain/fate.ts"
import type { Phase, Progress } from "../../domain/progress.ts"
import { count, counted, lasting } from "../../domain/words.ts"
import { cutToWidth, type Paint, paints, type Screen, widthOf } from "./screen.ts"

const phaseWords: { readonly [P in Phase]: string } = {
  survey: "survey",
  canary: "canary",
  import: "import",
  readBack: "read back",
  report: "report",
}

/** A part of a line, and how it is painted. */
interface Part {
  readonly text: string
  readonly paint: Paint
}

/** A forecast beyond 99 days is not shown. */
const longestForecast = 99 * 24 * 60 * 60 * 1000

/** Returns the remaining time; undefined without a rate. */
const timeLeft = ({ phase, rate, read, total }: Progress): string | undefined => {
  if (phase === "report" || total === undefined || rate === undefined || rate <= 0 || read >= total) return undefined
  const millis = ((total - read) / rate) * 1000
  return millis > longestForecast ? undefined : lasting(Math.max(1000, Math.round(millis / 1000) * 1000))
}

/** Returns what a phase counts. */
const countedIn = ({ phase }: Progress): string => (phase === "readBack" ? "submission" : "row")

const isSending = ({ phase }: Progress): boolean => phase === "canary" || phase === "import"

const plain: Paint = (text) => text

/** Returns what both views say about progress: the rate and the time left, what was sent and read back, and what needs attention. */
const partsOf = (progress: Progress, paint: ReturnType<typeof paints>) => {
  const { inDoubt, phase, rate, readBack, sent, throttled } = progress
  const left = timeLeft(progress)
  const isMoving = rate !== undefined && rate > 0 && phase !== "report"
  const pace: ReadonlyArray<Part> = [
    ...(isMoving ? [{ text: `${rate < 10 ? rate.toFixed(1) : count(Math.round(rate))} a second`, paint: plain }] : []),
    ...(left === undefined ? [] : [{ text: `about ${left} left`, paint: plain }]),
  ]
  const back: ReadonlyArray<Part> = [
    ...(sent > 0 && isSending(progress) ? [{ text: `${count(sent)} sent`, paint: plain }] : []),
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

/** Shows progress on one line, for a log. */
export const progressLine = (progress: Progress, screen: Screen): string => {
  const paint = paints(screen)
  const { read, total } = progress
  const what = countedIn(progress)
  const rows = total === undefined
    ? counted(read, what)
    : `${count(read)} of ${counted(total, what)}${total > 0 ? ` (${Math.floor((read / total) * 100)}%)` : ""}`
  const { back, pace, unusual } = partsOf(progress, paint)
  const texts = [rows, ...[...back, ...unusual, ...pace].map(({ text }) => text)]
  const name = phaseWords[progress.phase].padEnd(10)
  return paint.strong(name) + cutToWidth(texts.join(" · "), Math.max(10, screen.width - name.length))
}

const widestBar = 32
const narrowestBar = 8
/** Milliseconds without progress after which the view says so. */
const longIdle = 3_000

/** Puts parts on as few lines as the width allows. Breaks none of them. */
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
const gauge = (progress: Progress, width: number, { good, soft }: ReturnType<typeof paints>): string => {
  const { phase, read, total } = progress
  const what = countedIn(progress)
  if (phase === "report") return cutToWidth("writing the report", width)
  if (total === undefined) return cutToWidth(counted(read, what), width)
  const share = total === 0 ? 1 : Math.min(1, read / total)
  const label = `${Math.floor(share * 100)}%  ${count(read)} of ${counted(total, what)}`
  const length = Math.min(widestBar, width - widthOf(label) - 2)
  if (length < narrowestBar) return cutToWidth(label, width)
  const full = Math.round(share * length)
  return `${good("█".repeat(full))}${soft("░".repeat(length - full))}  ${label}`
}

/** A run in progress. */
interface LiveRun {
  readonly name: string
  readonly progress: Progress
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
    { text: phaseWords[phase], paint: plain },
    { text: seconds(Math.max(1_000, elapsed)), paint: paint.soft },
  ]
  const waiting = phase === "report" || idle < longIdle
    ? []
    : [{ text: `waiting for ${seconds(idle)}`, paint: paint.warn }]
  const unread = readBack.unread > 0 && isSending(progress)
    ? [{ text: `${count(readBack.unread)} to read back`, paint: paint.soft }]
    : []
  return [
    ...flow(title, width, paint.soft),
    gauge(progress, width, paint),
    ...[[...pace, ...waiting], [...back, ...unread], unusual].flatMap((parts) => flow(parts, width, paint.soft)),
  ]
}
