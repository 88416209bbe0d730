import * as Effect from "effect/Effect"
import type { Cells, RowChunk } from "../domain/row.ts"
import { counted } from "../domain/words.ts"
import type { Rekeyed } from "../ledger/facts.ts"
import type { LedgerSession } from "../ledger/Ledger.ts"
import { isUnsent, type KnownRow } from "../ledger/rows.ts"
import { eachChunk } from "../source/chunks.ts"
import { coveredColumns, type KeyOf, makeContents, rowKeys } from "./content.ts"
import { SeenLedgerRows } from "./FateTable.ts"
import { refuse, rekeyCommand } from "./rowIdentity.ts"
import { CurrentRun, RunLedger, type RunPlan } from "./RunContext.ts"
import { Stop } from "./Stop.ts"

/** A row of the ledger whose old key was seen in the source, but only in rows with different content so far. */
interface Contested {
  readonly key: string
  readonly move: Rekeyed
  rows: number
}

const refuseContested = (rows: ReadonlyArray<Contested>) =>
  Effect.flatMap(CurrentRun, (run) =>
    refuse(
      [{ contested: rows.map((one) => [one.key, one.rows]) }],
      `${
        counted(rows.length, "row", "rows")
      } of earlier runs can't be identified: several rows of the source have the earlier row key, such as ${
        JSON.stringify(rows[0]?.key)
      }, and none of these rows has the imported content.`,
      { how: `To match them, run: ${rekeyCommand(run, { "--map": "old-new.csv" })}.` },
    ))

/** A row of the source with its key now and by the earlier rules. */
interface RekeyedRow {
  readonly cells: Cells
  readonly key: string | undefined
  readonly old: ReadonlyArray<string | undefined>
}

/** Returns a function that returns the rows of a chunk that `where` skips, or does not skip, with their keys now and by the earlier rules. */
const keyedRows = (
  { filtered }: RunPlan["mapping"],
  numbering: () => KeyOf,
  earlier: ReadonlyArray<() => KeyOf>,
  isSkipped: boolean,
) => {
  const key = numbering()
  const makers = earlier.map((make) => make())
  return ({ faults, rows }: RowChunk): ReadonlyArray<RekeyedRow> =>
    rows.flatMap((cells, at) => {
      if (faults.has(at)) return []
      // Keys may number rows with the same content, so each is made for every row.
      const one = { cells, key: key(cells), old: makers.map((make) => make(cells)) }
      return filtered(cells) === isSkipped ? [one] : []
    })
}

/** Moves rows of the ledger to their new keys, and notes which rows have one. */
const makeMoves = (recorder: LedgerSession, contents: ReturnType<typeof makeContents>) => {
  const placed = new SeenLedgerRows()
  const contested = new Map<number, Contested>()
  let collided = false
  const record = (moves: ReadonlyArray<Rekeyed>) =>
    moves.length === 0 ? Effect.void : Effect.map(recorder.rekey(moves), (moved) => {
      // If two old keys become the same new key, the second row keeps its old one.
      if (moved < moves.filter((move) => move.isCopied !== true).length) collided = true
    })

  /** Returns the move of a ledger's row to a row of the source that has its old key. Undefined if their contents differ, which is noted. */
  const moveTo = (known: KnownRow, cells: Cells, old: string, move: Rekeyed): Rekeyed | undefined => {
    if (isUnsent(known) || contents.same(known, cells)) {
      placed.mark(known.id, true)
      contested.delete(known.id)
      return move
    }
    // A fixed row keeps its old key, because the source may be corrected later, which changes the new key.
    if (contents.isReplaced(known, cells)) return { ...move, isCopied: true }
    const other = contested.get(known.id)
    if (other === undefined) contested.set(known.id, { key: old, move, rows: 1 })
    else other.rows++
    return undefined
  }

  /** Moves the rows of the ledger whose old key only one row of the source has. If several have one, and no person has accepted that, stops the run, and returns true. */
  const settleContested = Effect.gen(function*() {
    const doubtful = [...contested.values()].filter(({ rows }) => rows > 1)
    if (doubtful.length > 0 && (yield* refuseContested(doubtful))) return true
    const alone = [...contested].filter(([, { rows }]) => rows === 1)
    for (const [id] of alone) placed.mark(id, true)
    yield* record(alone.map(([, { move }]) => move))
    contested.clear()
    return false
  })
  return { placed, record, moveTo, settleContested, hasCollided: () => collided }
}

/** Records rows that have no key any more, but whose earlier key and content are known. */
const unkeyRows = (
  recorder: LedgerSession,
  contents: ReturnType<typeof makeContents>,
  placed: SeenLedgerRows,
  rows: ReadonlyArray<RekeyedRow>,
) =>
  Effect.gen(function*() {
    const run = yield* CurrentRun
    const { ledger: { digest }, view } = yield* RunLedger
    const asked = rows.flatMap(({ cells, key, old }) =>
      key !== undefined ? [] : old.flatMap((was) => was === undefined ? [] : [{ cells, from: digest.key(was) }])
    )
    const known = yield* view.lookUp(asked.map(({ from }) => from))
    const columns = coveredColumns(run)(undefined)
    const unkeyed = asked.flatMap(({ cells, from }, at) => {
      const row = known[at]
      if (row === undefined || row.id === 0 || !contents.same(row, cells)) return []
      placed.mark(row.id, true)
      return [{ from, columns, content: contents.filled(columns, cells) }]
    })
    if (unkeyed.length > 0) yield* recorder.unkey(unkeyed)
  })

/** Moves the rows of the ledger whose old keys these rows have by one of the earlier rules. */
const moveRows = (
  { moveTo, placed, record }: ReturnType<typeof makeMoves>,
  rows: ReadonlyArray<RekeyedRow>,
  rules: number,
) =>
  Effect.gen(function*() {
    const { ledger: { digest }, view } = yield* RunLedger
    const isTaken = (id: number) => placed.marks[id] === 1
    const keyed = rows.flatMap(({ cells, key, old }) =>
      key === undefined ? [] : [{ cells, key, to: digest.key(key), old }]
    )
    const known = yield* view.lookUp(keyed.map(({ to }) => to))
    for (const row of known) if (row !== undefined && row.id > 0) placed.mark(row.id, true)
    let unknown = keyed.filter((_, at) => (known[at]?.id ?? 0) === 0)
    const moves: Array<Rekeyed> = []
    for (let rule = 0; rule < rules; rule++) {
      const asked = unknown.flatMap(({ cells, key, old, to }) => {
        const was = old[rule]
        return was === undefined || was === key ? [] : [{ cells, was, move: { from: digest.key(was), to, key } }]
      })
      const found = yield* view.lookUp(asked.map(({ move }) => move.from))
      const matched = new Set<Cells>()
      for (const [at, { cells, move, was }] of asked.entries()) {
        const known = found[at]
        if (known === undefined || known.id === 0 || isTaken(known.id)) {
          moves.push({ ...move, isCopied: true })
          continue
        }
        matched.add(cells)
        const moved = moveTo(known, cells, was, move)
        if (moved !== undefined) moves.push(moved)
      }
      unknown = unknown.filter(({ cells }) => !matched.has(cells))
    }
    yield* record(moves)
  })

/**
 * Reads the source and gives the rows of the ledger their new keys. Reads it once more if `where` skips rows: such a row gets an old key only if no other
 * row has it. Returns whether any row keeps an old key.
 */
export const moveKeys = (recorder: LedgerSession, earlier: ReadonlyArray<() => KeyOf>) =>
  Effect.gen(function*() {
    const run = yield* CurrentRun
    const { ledger, view } = yield* RunLedger
    const stop = yield* Stop
    const numbering = yield* rowKeys(run, { ledger, view })
    const contents = makeContents(run, ledger.digest)
    const moves = makeMoves(recorder, contents)
    for (const isSkipped of run.pipeline.source.where.length === 0 ? [false] : [false, true]) {
      const rowsOf = keyedRows(run.mapping, numbering, earlier, isSkipped)
      const moveChunk = (chunk: RowChunk) => {
        const rows = rowsOf(chunk)
        return Effect.zipRight(
          unkeyRows(recorder, contents, moves.placed, rows),
          moveRows(moves, rows, earlier.length),
        )
      }
      yield* eachChunk(run.source.read(), moveChunk, stop.requested)
      if (stop.requested()) return true
      if (yield* moves.settleContested) return true
    }
    return moves.hasCollided() || moves.placed.imported < (yield* view.standing).rows
  })
