import { Effect, Option, Stream } from "effect"
import type { Scope } from "effect"
import type { Cells, RowChunk } from "../domain/row.ts"
import type { LedgerError } from "../ledger/Ledger.ts"
import type { IntendedRow } from "../ledger/records.ts"
import { contentDigest, rowTexts } from "./content.ts"
import type { Batches } from "./inTwoSteps.ts"
import { restColumns, restDigest } from "./NewRows.ts"
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
): Effect.Effect<Batches<ReadonlyArray<IntendedRow>, LedgerError>, never, Scope.Scope> => {
  const { batchSize } = run.pipeline.sink
  const numbering = survey.keys.numbering()
  const contentOf = contentDigest(run.shape, run.columns, run.ledger.digest)
  const rest = restColumns(run)
  const restOf = rest.length === 0 ? () => undefined : restDigest(rest, run)
  const supersededBy = mendedRows(run)
  const standingFor = (key: Buffer) => Effect.map(run.view.lookUp([key]), ([known]) => known?.submissionId)
  let given = 0
  /** What the ledger has to be asked about a row: of few rows, or of none. */
  const completed = (row: IntendedRow, cells: Cells): Effect.Effect<IntendedRow, LedgerError> =>
    Effect.zipWith(
      survey.fates.marked(row.row) ? standingFor(row.keyDigest) : Effect.succeed(undefined),
      supersededBy(cells, row.key, row.content),
      (replaces, supersedes) => ({ ...row, supersedes, ...(replaces === undefined ? {} : { replaces }) }),
    )
  /** Chunks that were read, and how far the first of them has been given out. */
  let waiting: Array<RowChunk> = []
  let index = 0
  let rows: Array<IntendedRow> = []
  /** Cells of the rows that the ledger has to be asked about, by the row's index. */
  let asking = new Map<number, Cells>()
  /** Fills the batch that is being made with rows of a chunk. */
  const fill = (chunk: RowChunk): void => {
    for (; index < chunk.rows.length && rows.length < batchSize; index++) {
      const cells = chunk.rows[index]!
      const row = chunk.firstRow + index
      // Keys by content are numbered over all rows, so every row is asked for its key.
      const key = chunk.faults.has(index) ? undefined : numbering(cells)
      if (key === undefined || given === count || !choose(row)) continue
      const mapped = run.mapping.map(cells, key)
      if (!("item" in mapped)) continue
      given++
      survey.cells.send(row, cells, run.mapping.cellUses)
      if (run.mended || survey.fates.marked(row)) asking.set(rows.length, cells)
      rows.push({
        keyDigest: run.ledger.digest.key(key),
        key,
        row,
        content: contentOf(cells),
        shape,
        rest: restOf(cells),
        supersedes: undefined,
        item: mapped.item,
        cells: rowTexts(cells, run.columns),
      })
    }
  }
  const made = (): Effect.Effect<ReadonlyArray<IntendedRow>, LedgerError> => {
    const batch = rows
    const cellsOf = asking
    rows = []
    if (cellsOf.size === 0) return Effect.succeed(batch)
    asking = new Map()
    return Effect.forEach(batch, (row, at) => {
      const cells = cellsOf.get(at)
      return cells === undefined ? Effect.succeed(row) : completed(row, cells)
    })
  }
  const read = run.source.read(survey.files.map((file) => file.fingerprint))
  // Pulled by hand, a chunk of the source at a time: operators of Stream keep used chunks alive until the slow collector comes. A row is made when its batch is.
  return Effect.map(Stream.toPull(read), (pull) => ({
    next: () => {
      if (run.stop.requested()) return undefined
      for (let chunk = waiting[0]; chunk !== undefined && rows.length < batchSize; chunk = waiting[0]) {
        fill(chunk)
        if (index < chunk.rows.length) break
        waiting.shift()
        index = 0
      }
      return rows.length === batchSize ? made() : undefined
    },
    more: Effect.suspend(() => {
      if (run.stop.requested() || given >= count) return Effect.succeed(false)
      return Effect.matchEffect(pull, {
        onSuccess: (chunks) => {
          waiting = Array.from(chunks)
          return Effect.succeed(true)
        },
        onFailure: Option.match({
          onNone: () => Effect.succeed(false),
          onSome: (error) => Effect.as(run.stop.request({ _tag: "Unavailable", because: error.message }), false),
        }),
      })
    }),
    last: () => (rows.length === 0 || run.stop.requested() ? undefined : made()),
  }))
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
