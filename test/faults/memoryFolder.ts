import { Effect, Stream } from "effect"
import { csvFiles, lineOf, type RejectedRow } from "../../src/report/csvFiles.ts"
import type { RunFolder } from "../../src/report/RunFolder.ts"
import type { RejectedRows } from "./source.ts"

/**
 * A run's folder in memory. The streams of reports are read to their end, as for a real folder. When the run ends, its
 * rejected.csv is added to `files`, by run.
 */
export const memoryFolder = (run: string, files: Map<string, RejectedRows>): RunFolder => {
  const rows: Array<RejectedRow> = []
  const rejectedAs = (fateOf: (row: RejectedRow) => RejectedRow | undefined) =>
    rows.flatMap((row) => fateOf(row) ?? []).toSorted((a, b) => a.row - b.row)
  return {
    path: `reports/people/${run}`,
    mask: undefined,
    reject: (more) => Effect.sync(() => void rows.push(...more)),
    rejected: (fateOf) => Stream.suspend(() => Stream.succeed(rejectedAs(fateOf))),
    differ: () => Effect.void,
    replace: () => Effect.void,
    loadWriter: Effect.void,
    of: (earlier) => Effect.succeed({ path: earlier, rejected: "", problems: [] }),
    rejectedDigest: Effect.succeed(""),
    finish: ({ columns, fateOf, imported, inDoubt, repeats, vanished = Stream.empty }) =>
      Effect.zipRight(
        Effect.all([Stream.runDrain(imported), Stream.runDrain(inDoubt), Stream.runDrain(vanished)], { discard: true }),
        Effect.sync(() => {
          const written = {
            titles: [...columns, ...csvFiles.rejected.titles],
            lines: rejectedAs(fateOf).map((row) => lineOf(csvFiles.rejected, row, columns.length)),
          }
          files.set(run, files.get(repeats?.path ?? "") ?? written)
        }),
      ),
  }
}
