import { Effect, Stream } from "effect"
import type { Cells, RowChunk } from "../domain/row.ts"
import type { IntendedRow, LedgerError, LedgerOvertaken } from "../ledger/Ledger.ts"
import type { SourceChanged, SourceError } from "../source/Source.ts"
import { contentDigest, rowTexts } from "./content.ts"
import type { RunContext } from "./RunContext.ts"
import type { Survey } from "./survey.ts"

/**
 * Reads the very bytes of the survey again and gives the chosen rows, ready to be sent, in batches. A source that changed since, or can't be read any more, stops the run: no row is given
 * out any more, and what is in flight is finished.
 *
 * @param choose whether a row (by number) goes out
 * @param count how many rows that are at most: reading ends with the last of them
 */
export const outgoing = (
  run: RunContext,
  survey: Survey,
  shape: number,
  choose: (row: number) => boolean,
  count: number,
): Stream.Stream<ReadonlyArray<IntendedRow>, LedgerError | LedgerOvertaken> => {
  const numbering = survey.keys.numbering()
  const contentOf = contentDigest(run.shape, run.columns, run.ledger.digest)
  const supersededBy = mendedRows(run)
  const standingFor = (key: Buffer) => Effect.map(run.view.lookUp([key]), ([known]) => known?.submissionId)
  let given = 0
  const rowsOf = (chunk: RowChunk) =>
    Effect.gen(function*() {
      const rows: Array<IntendedRow> = []
      for (const [index, cells] of chunk.rows.entries()) {
        const row = chunk.firstRow + index
        // Keys by content are numbered over all rows, so every row is asked for its key.
        const key = chunk.faults.has(index) ? undefined : numbering(cells)
        if (key === undefined || given === count || !choose(row)) continue
        const mapped = run.mapping.map(cells, key)
        if (!("item" in mapped)) continue
        given++
        const keyDigest = run.ledger.digest.key(key)
        const replaces = survey.fates.marked(row) ? yield* standingFor(keyDigest) : undefined
        const content = contentOf(cells)
        rows.push({
          keyDigest,
          key,
          row,
          content,
          shape,
          supersedes: yield* supersededBy(cells, key, content),
          ...(replaces === undefined ? {} : { replaces }),
          item: mapped.item,
          cells: rowTexts(cells, run.columns),
        })
      }
      return rows
    })
  const ends = (error: SourceError | SourceChanged) =>
    Stream.drain(Stream.fromEffect(run.stop.request({ _tag: "Unavailable", because: error.message })))
  return run.source.read(survey.files.map((file) => file.fingerprint)).pipe(
    Stream.catchAll(ends),
    Stream.takeWhile(() => !run.stop.requested() && given < count),
    Stream.mapEffect(rowsOf),
    Stream.mapConcat((rows) => rows),
    Stream.grouped(run.pipeline.sink.batchSize),
    Stream.map((rows) => Array.from(rows)),
  )
}

/**
 * What a row of a mended rejected.csv replaces: the row that an earlier run rejected under its `_key`, or under its `_row` when it had no key. Nothing
 * when the row is as it was: the service refused it, and it is tried again.
 */
const mendedRows = (run: RunContext) => {
  const position = (name: string) => run.source.columns.find((column) => column.title === name)?.position ?? -1
  const at = { key: position("_key"), row: position("_row") }
  return (cells: Cells, key: string, content: Buffer): Effect.Effect<IntendedRow["supersedes"], LedgerError> => {
    if (!run.mended) return Effect.succeed(undefined)
    const before = cells[at.key]
    const row = Number(cells[at.row])
    const rejections = typeof before === "string" && before !== ""
      ? run.view.rejected({ keyDigest: run.ledger.digest.key(before) })
      : Number.isInteger(row)
      ? run.view.rejected({ row })
      : Effect.succeed([])
    return Effect.map(rejections, (found) => {
      const rejection = found.find((one) => before !== key || !one.content.equals(content))
      return rejection === undefined ? undefined : { keyDigest: rejection.keyDigest, content: rejection.content }
    })
  }
}
