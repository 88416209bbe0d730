import { Effect, Stream } from "effect"
import type { RejectedRow } from "../../src/report/csvFiles.ts"
import type { RunFolder } from "../../src/report/RunFolder.ts"

/** A run's folder in memory. The streams of reports are read to their end, as for a real folder. */
export const memoryFolder = (run: string): RunFolder => {
  const rows: Array<RejectedRow> = []
  return {
    path: `reports/people/${run}`,
    run,
    mask: undefined,
    reject: (more) => Effect.sync(() => void rows.push(...more)),
    rejected: (fateOf) =>
      Stream.suspend(() =>
        Stream.succeed(
          rows.flatMap((row) => fateOf(row) ?? []).toSorted((a, b) => a.row - b.row),
        )
      ),
    differ: () => Effect.void,
    replace: () => Effect.void,
    loadWriter: Effect.void,
    of: (earlier) => Effect.succeed({ path: `reports/people/${earlier}`, problems: [] }),
    finish: ({ imported, inDoubt, vanished = Stream.empty }) =>
      Effect.all([Stream.runDrain(imported), Stream.runDrain(inDoubt), Stream.runDrain(vanished)], { discard: true }),
  }
}
