import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Cells, RowChunk } from "../domain/row.ts"
import type { LedgerError } from "../ledger/errors.ts"
import type { IntendedRow } from "../ledger/rows.ts"
import { columnNames } from "../source/columns.ts"
import { contentDigest, makeContents, rejectionOf, restAnswers, restDigest, rowTexts } from "./content.ts"
import { CurrentRun, RunLedger } from "./RunContext.ts"
import { Stop } from "./Stop.ts"
import type { Survey } from "./survey.ts"

/** Prepares to make rows ready to be sent. */
const makeIntender = (survey: Survey) =>
  Effect.gen(function*() {
    const plan = yield* CurrentRun
    const { ledger, view } = yield* RunLedger
    const { columns, mapping, isFixed } = plan
    const contentOf = contentDigest(plan.shape, columns, ledger.digest)
    const restOf = restDigest(restAnswers(plan), ledger.digest)
    const origin = rejectionOf(plan)
    const contents = makeContents(plan, ledger.digest)
    const otherColumns = columnNames(columns).filter((name) => !plan.keyColumns.includes(name)).toSorted()
    const mayHaveBeenKeyless = (yield* view.facts).isAnyKeyless && mapping.keyed === "columns" && !isFixed

    /** Maps a row, and returns it ready to be sent, unless it is incomplete. */
    const intend = (row: number, cells: Cells, key: string): IntendedRow | undefined => {
      const mapped = mapping.map(cells, key, plan.id)
      // The survey found no problem in these cells, so there is an item. A row without an item would stay pending.
      if (!("item" in mapped)) return undefined
      survey.cells.startSending(row, cells, mapping.cellUses)
      plan.traps?.add(row, cells, mapped.item)
      return {
        keyDigest: ledger.digest.key(key),
        key,
        row,
        content: contentOf(cells),
        rest: restOf(mapped.item),
        supersedes: undefined,
        keyless: mayHaveBeenKeyless ? contents.filled(otherColumns, cells) : undefined,
        item: mapped.item,
        cells: rowTexts(cells, plan),
      }
    }

    /** Whether a row must be looked up in the ledger before it is sent. Few rows must. */
    const isIncomplete = (row: number): boolean => isFixed || survey.fates.has(row, "replaces")

    /** Adds what the ledger knows about a row, if its cells are given. */
    const complete = (row: IntendedRow, cells: Cells | undefined): Effect.Effect<IntendedRow, LedgerError> =>
      cells === undefined ? Effect.succeed(row) : Effect.gen(function*() {
        const rejection = origin(cells)
        // An unchanged row was refused by the service, and is sent again.
        const isUnchanged = rejection?.key === row.key && rejection.content.equals(row.content)
        const supersedes = isUnchanged ? undefined : rejection
        const [before] = survey.fates.has(row.row, "replaces") ? yield* view.lookUp([row.keyDigest]) : []
        const replaces = before?.submissionId
        return { ...row, supersedes, ...(replaces === undefined ? {} : { replaces }) }
      })
    return { intend, isIncomplete, complete }
  })

/**
 * Reads the same bytes as the survey again. Returns an effect that returns the next batch of chosen rows, ready to be sent, or undefined after the last one. If the source has changed or can no longer
 * be read, the run stops: no further rows are returned, and what is in flight is finished. Run the effect again only after it has returned.
 *
 * @param choose whether the row with this number is sent
 * @param count the maximum number of rows; reading ends with the last of them
 */
export const outgoing = (
  survey: Survey,
  choose: (row: number) => boolean,
  count: number,
): Effect.Effect<
  Effect.Effect<ReadonlyArray<IntendedRow> | undefined, LedgerError>,
  LedgerError,
  CurrentRun | RunLedger | Stop | Scope.Scope
> =>
  Effect.gen(function*() {
    const { pipeline: { sink: { batchSize } }, source } = yield* CurrentRun
    const stop = yield* Stop
    const keyOf = survey.numbering()
    const { complete, intend, isIncomplete } = yield* makeIntender(survey)

    let given = 0
    let isEnd = false
    /** The chunks that were read. `index` is the index of the next row in the first chunk. */
    let chunks: Array<RowChunk> = []
    let index = 0
    let batch: Array<IntendedRow> = []
    /** The cells of the rows that must be looked up in the ledger, by the row's index in the batch. */
    let incomplete = new Map<number, Cells>()

    /** Maps rows of a chunk until the batch is full. */
    const fill = (chunk: RowChunk): void => {
      for (; index < chunk.rows.length && batch.length < batchSize; index++) {
        const cells = chunk.rows[index]!
        const row = chunk.firstRow + index
        // Keys made from content include a number that distinguishes identical rows, so every row must be counted.
        const key = chunk.faults.has(index) ? undefined : keyOf(cells)
        if (key === undefined || given === count || !choose(row)) continue
        const intended = intend(row, cells, key)
        if (intended === undefined) continue
        given++
        if (isIncomplete(row)) incomplete.set(batch.length, cells)
        batch.push(intended)
      }
    }

    const takeBatch = (): Effect.Effect<ReadonlyArray<IntendedRow>, LedgerError> => {
      const [rows, cellsOf] = [batch, incomplete]
      batch = []
      incomplete = new Map()
      return cellsOf.size === 0
        ? Effect.succeed(rows)
        : Effect.forEach(rows, (row, at) => complete(row, cellsOf.get(at)))
    }

    // Pulls one chunk of the source at a time, because Stream's operators keep used chunks alive until a full garbage collection.
    const pull = yield* Stream.toPull(source.read(survey.files.map((file) => file.fingerprint)))
    const readMore = Effect.matchEffect(pull, {
      onSuccess: (more) => Effect.sync(() => void (chunks = Array.from(more))),
      onFailure: Option.match({
        onNone: () => Effect.sync(() => void (isEnd = true)),
        onSome: stop.unavailable,
      }),
    })
    const next: Effect.Effect<ReadonlyArray<IntendedRow> | undefined, LedgerError> = Effect.suspend(() => {
      if (stop.requested()) return Effect.succeed(undefined)
      for (let chunk = chunks[0]; chunk !== undefined && batch.length < batchSize; chunk = chunks[0]) {
        fill(chunk)
        if (index < chunk.rows.length) break
        chunks.shift()
        index = 0
      }
      const isLast = isEnd || given >= count
      if (batch.length < batchSize && !isLast) return Effect.zipRight(readMore, next)
      return batch.length === 0 ? Effect.succeed(undefined) : takeBatch()
    })
    return next
  })
