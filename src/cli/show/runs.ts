import type { PastRun } from "../../report/pastRuns.ts"
import { count, modeWords, outcomeWords } from "../../report/words.ts"
import { cutToWidth } from "./fit.ts"
import { paints } from "./Screen.ts"
import type { Screen } from "./Screen.ts"
import { table } from "./table.ts"

/** The runs of a pipeline that left a report, in the order given. */
export const showRuns = (runs: ReadonlyArray<PastRun>, screen: Screen): string => {
  if (runs.length === 0) return "There is no report yet."
  const paint = paints(screen)
  return table(
    [
      { title: "run" },
      { title: "mode" },
      { title: "started" },
      { title: "read", right: true },
      { title: "imported", right: true },
      { title: "verified", right: true },
      { title: "outcome" },
    ],
    runs.map((run) => [
      cutToWidth(run.run, 60),
      modeWords[run.mode],
      run.startedAt,
      count(run.rows.read),
      count(run.rows.imported),
      count(run.readBack.verified),
      { text: outcomeWords[run.outcome].title, paint: paint[outcomeWords[run.outcome].tone] },
    ]),
    screen,
  )
}
