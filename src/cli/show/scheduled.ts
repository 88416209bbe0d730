import { fates } from "../../domain/fate.ts"
import type { RunReport } from "../../domain/run.ts"
import { span } from "../../report/span.ts"
import { count, fateWords, outcomeWords } from "../../report/words.ts"
import { wrapToWidth } from "./fit.ts"
import { inZone } from "./schedule.ts"
import { paints } from "./Screen.ts"
import type { Screen } from "./Screen.ts"

/** The end of a run that nobody watched: a line with its counts, and why it is not complete. */
export const showScheduled = (report: RunReport, folder: string, zone: string, screen: Screen): string => {
  const paint = paints(screen)
  const { title, tone } = outcomeWords[report.outcome]
  const rows = fates.flatMap((fate) =>
    report.rows[fate] === 0 ? [] : [`${count(report.rows[fate])} ${fateWords[fate].title}`]
  )
  const head = `${inZone(Date.parse(report.startedAt), zone)} ${report.pipeline}: `
  const tail = ` after ${span(report.startedAt, report.finishedAt) ?? "?"}: ${count(report.rows.read)} read${
    rows.length === 0 ? "" : `, ${rows.join(", ")}`
  }. ${folder}`
  return [
    `${head}${paint[tone](title)}${tail}`,
    ...report.because.flatMap((sentence) => wrapToWidth(`  ${sentence}`, screen.width)),
  ].join("\n")
}
