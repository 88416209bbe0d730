import { verdicts } from "../../domain/fate.ts"
import type { Phase, Progress } from "../../domain/progress.ts"
import { lasting } from "../../report/span.ts"
import { count, counted, verdictWords } from "../../report/words.ts"
import { cutToWidth } from "./fit.ts"
import { paints } from "./Screen.ts"
import type { Screen } from "./Screen.ts"

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
