import type { Destination } from "../../domain/destination.ts"
import { verdicts } from "../../domain/fate.ts"
import type { RunRecord, Standing } from "../../ledger/records.ts"
import { count, modeWords, outcomeWords, verdictWords } from "../../report/words.ts"
import { cutToWidth } from "./fit.ts"
import { inZone } from "./schedule.ts"
import { paints } from "./Screen.ts"
import type { Screen } from "./Screen.ts"
import { table } from "./table.ts"
import type { TableCell } from "./table.ts"

/** What stands for one pipeline at one destination. */
export interface PipelineStatus {
  readonly pipeline: string
  readonly destination: Destination
  readonly standing: Standing
  /** The run that is going on. */
  readonly going: { readonly run: string; readonly inFlight: number } | undefined
  readonly lastRun: RunRecord | undefined
  /** When it runs next (ISO 8601), where it is scheduled, and in which zone. */
  readonly nextRun: { readonly at: string; readonly zone: string } | undefined
}

const lastRun = (run: RunRecord | undefined, going: PipelineStatus["going"], screen: Screen): TableCell => {
  const paint = paints(screen)
  if (run === undefined) return { text: "never ran", paint: paint.soft }
  if (run.outcome === undefined) {
    const begun = `${run.startedAt} ${modeWords[run.mode]}: `
    return run.run === going?.run
      ? `${begun}going on, ${count(going.inFlight)} in flight`
      : { text: `${begun}not finished`, paint: paint.warn }
  }
  const word = outcomeWords[run.outcome]
  return { text: `${run.startedAt} ${modeWords[run.mode]}: ${word.title}`, paint: paint[word.tone] }
}

/** The status of pipelines as a table, from the ledger: what is imported and verified, what is open, the last run. */
export const showStatus = (statuses: ReadonlyArray<PipelineStatus>, screen: Screen): string => {
  if (statuses.length === 0) return "No pipeline has sent anything yet."
  const paint = paints(screen)
  const scheduled = statuses.some(({ nextRun }) => nextRun !== undefined)
  const open = (number: number): TableCell => number === 0 ? "" : { text: count(number), paint: paint.bad }
  return table(
    [
      { title: "pipeline" },
      { title: "destination" },
      { title: "imported", right: true },
      ...verdicts.map((verdict) => ({ title: verdictWords[verdict].title, right: true })),
      { title: "in doubt", right: true },
      { title: "refused", right: true },
      { title: "left out", right: true },
      { title: "last run" },
      ...scheduled ? [{ title: "next run" }] : [],
    ],
    statuses.map(({ pipeline, destination, going, standing, lastRun: run, nextRun }) => [
      cutToWidth(pipeline, 60),
      cutToWidth(`${destination.service} ${destination.form}`, 120),
      count(standing.imported),
      ...verdicts.map((verdict) =>
        verdict === "verified" ? count(standing.verdicts.verified) : open(standing.verdicts[verdict])
      ),
      open(standing.inDoubt),
      open(standing.refused),
      standing.leftOut === 0 ? "" : count(standing.leftOut),
      lastRun(run, going, screen),
      ...scheduled ? [nextRun === undefined ? "" : inZone(Date.parse(nextRun.at), nextRun.zone)] : [],
    ]),
    screen,
  )
}
