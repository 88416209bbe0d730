import { verdicts } from "../../domain/fate.ts"
import { verdictWords } from "../../domain/fate.ts"
import type { Phase, Progress } from "../../domain/progress.ts"
import { count, counted, lasting } from "../../domain/words.ts"
import { cutToWidth, type Paint, paints, type Screen, widthOf } from "./screen.ts"

export const phaseWords: { readonly [P in Phase]: string } = {
  survey: "survey",
  canary: "canary",
  import: "import",
  readBack: "read back",
  report: "report",
}

/** Ninety-nine days: what is further away is no forecast. */
const longestTold = 99 * 24 * 60 * 60 * 1000

/** The time to go, once there is a rate to tell it by. */
export const timeLeft = ({ phase, rate, read, total }: Progress): string | undefined => {
  if (phase === "report" || total === undefined || rate === undefined || rate <= 0 || read >= total) return undefined
  const millis = ((total - read) / rate) * 1000
  return millis > longestTold ? undefined : lasting(Math.max(1000, Math.round(millis / 1000) * 1000))
}

/** What a phase counts. */
export const countedIn = ({ phase }: Progress): string => (phase === "readBack" ? "submission" : "row")

/** @param rate per second */
export const rateText = (rate: number): string => `${rate < 10 ? rate.toFixed(1) : count(Math.round(rate))} a second`

/** How far a run has come, on one line: the phase, rows, what was sent and read back, and what is out of the ordinary. */
export const progressLine = (progress: Progress, screen: Screen): string => {
  const paint = paints(screen)
  const { read, total, rate } = progress
  const left = timeLeft(progress)
  const what = countedIn(progress)
  const rows = total === undefined
    ? counted(read, what)
    : `${count(read)} of ${counted(total, what)}${total > 0 ? ` (${Math.floor((read / total) * 100)}%)` : ""}`
  const parts = [
    rows,
    ...progress.sent > 0 ? [`${count(progress.sent)} sent`] : [],
    ...verdicts.flatMap((verdict) => {
      const number = progress.readBack[verdict]
      return number === 0 || verdict === "unread" ? [] : [`${count(number)} ${verdictWords[verdict].title}`]
    }),
    ...progress.inDoubt > 0 ? [`${count(progress.inDoubt)} in doubt`] : [],
    ...progress.throttled > 0 ? [`slowed down ${counted(progress.throttled, "time")}`] : [],
    ...rate !== undefined && rate > 0 ? [rateText(rate)] : [],
    ...left === undefined ? [] : [`about ${left} left`],
  ]
  const name = phaseWords[progress.phase].padEnd(10)
  return paint.strong(name) + cutToWidth(parts.join(" · "), Math.max(10, screen.width - name.length))
}

/** A run as it stands, for the live view. */
export interface LiveRun {
  readonly name: string
  readonly progress: Progress
  /** Milliseconds since it began, and since its phase last got on. */
  readonly elapsed: number
  readonly idle: number
}

/** Something of a line, and how it is painted. */
interface Part {
  readonly text: string
  readonly paint: Paint
}

const widestBar = 32
const narrowestBar = 8
/** Milliseconds without any progress that are worth a word. */
const worthTelling = 3_000

/** Parts on as few lines as the width allows, none of them broken. */
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

/** How far the phase is, as a bar where there is room for one. */
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

/**
 * A run at a glance, in a few lines that fit the screen: the phase, how far it is, rate and time left, what was read back, and what is out of the ordinary. One column stays free, for a
 * terminal breaks a line that fills it.
 */
export const liveView = ({ elapsed, idle, name, progress }: LiveRun, screen: Screen): ReadonlyArray<string> => {
  const width = screen.width - 1
  const paint = paints(screen)
  const plain: Paint = (text) => text
  const left = timeLeft(progress)
  const { inDoubt, phase, readBack, sent, throttled } = progress
  const sends = phase === "canary" || phase === "import"
  const title = flow(
    [
      { text: name, paint: paint.strong },
      { text: phaseWords[phase], paint: plain },
      { text: lasting(Math.max(1_000, Math.floor(elapsed / 1_000) * 1_000)), paint: paint.soft },
    ],
    width,
    paint.soft,
  )
  const pace: ReadonlyArray<Part> = phase === "report" ? [] : [
    ...(progress.rate === undefined || progress.rate <= 0 ? [] : [{ text: rateText(progress.rate), paint: plain }]),
    ...(left === undefined ? [] : [{ text: `about ${left} left`, paint: plain }]),
    ...(idle < worthTelling
      ? []
      : [{ text: `waiting for ${lasting(Math.floor(idle / 1_000) * 1_000)}`, paint: paint.warn }]),
  ]
  const back: ReadonlyArray<Part> = [
    ...(sends && sent > 0 ? [{ text: `${count(sent)} sent`, paint: plain }] : []),
    ...verdicts.flatMap((verdict) => {
      const rows = readBack[verdict]
      if (rows === 0) return []
      return verdict === "unread"
        ? sends ? [{ text: `${count(rows)} to read back`, paint: paint.soft }] : []
        : [{ text: `${count(rows)} ${verdictWords[verdict].title}`, paint: paint[verdictWords[verdict].tone] }]
    }),
  ]
  const unusual: ReadonlyArray<Part> = [
    ...(inDoubt === 0 ? [] : [{ text: `${count(inDoubt)} in doubt`, paint: paint.bad }]),
    ...(throttled === 0 ? [] : [{ text: `slowed down ${counted(throttled, "time")}`, paint: paint.warn }]),
  ]
  return [
    ...title,
    gauge(progress, width, paint),
    ...[pace, back, unusual].flatMap((parts) => flow(parts, width, paint.soft)),
  ]
}
