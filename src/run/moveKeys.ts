import * as Effect from "effect/Effect"
import type { Cells, RowChunk } from "../domain/row.ts"
import { commandLine } from "../domain/shell.ts"
import { counted } from "../domain/words.ts"
import type { Rekeyed } from "../ledger/facts.ts"
import type { LedgerSession } from "../ledger/Ledger.ts"
import { isUnsent, type KnownRow } from "../ledger/rows.ts"
import { eachChunk } from "../source/chunks.ts"
import { coveredColumns, type KeyOf, makeContents, rowKeys } from "./content.ts"
import { SeenLedgerRows } from "./FateTable.ts"
import { type EarlierKeys, refuse, rekeyCommand } from "./rowIdentity.ts"
import { CurrentRun, RunLedger, type RunPlan } from "./RunContext.ts"
import { Stop } from "./Stop.ts"

/** A row of the ledger whose old key was seen in the source, but only in rows with different content so far. */
interface Contested {
  readonly cells: Cells
  readonly key: string
  readonly move: Rekeyed
  rows: number
}

const refuseContested = (rows: ReadonlyArray<Contested>) =>
  Effect.flatMap(CurrentRun, (run) => {
    const next = commandLine(["run", run.pipeline.name], { "--to": run.target, "--project": run.projectOption })
    return refuse(
      [{ contested: rows.map((one) => [one.key, one.rows]) }],
      `${counted(rows.length, "row")} of earlier runs can't be identified: ${
        rows[0]?.rows === 1 ? "a row of the source has" : "several rows of the source have"
      } the earlier row key, such as ${JSON.stringify(rows[0]?.key)}, but not the imported content.`,
      run.ownSource
        ? { how: `To match them, run: ${rekeyCommand(run, { "--map": "old-new.csv" })}.` }
        : {
          how: `Correct such rows in the pipeline's own source and run it, or remove them from this file: ${next}.`,
          next,
        },
    )
  })

/** A row of the source with its key now and by the earlier rules. */
interface RekeyedRow {
  readonly cells: Cells
  readonly key: string | undefined
  readonly old: ReadonlyArray<string | undefined>
}

/**
 * Returns a function that returns the rows of a chunk with their keys now and by the earlier rules.
 *
 * @param isSkipped returns only the rows that `where` skips, or does not skip. Default: all
 */
export const keyedRows = (
  { filtered }: RunPlan["mapping"],
  numbering: () => KeyOf,
  earlier: ReadonlyArray<EarlierKeys>,
  isSkipped?: boolean,
) => {
  const key = numbering()
  const makers = earlier.map(({ keys }) => keys())
  return ({ faults, rows }: RowChunk): ReadonlyArray<RekeyedRow> =>
    rows.flatMap((cells, at) => {
      if (faults.has(at)) return []
      // Keys may number rows with the same content, so each is made for every row.
      const one = { cells, key: key(cells), old: makers.map((make) => make(cells)) }
      return isSkipped === undefined || filtered(cells) === isSkipped ? [one] : []
    })
}

/** Gives rows of the ledger the keys that their rows in the source have now. */
class KeyMoves {
  private readonly recorder: LedgerSession
  private readonly earlier: ReadonlyArray<EarlierKeys>
  private readonly run: RunPlan
  private readonly inLedger: RunLedger["Type"]
  private readonly contents: ReturnType<typeof makeContents>
  /** The rows of the ledger that a row of the source has taken. */
  private readonly taken = new SeenLedgerRows()
  private readonly contested = new Map<number, Contested>()
  private isOldKeyKept = false

  constructor(
    recorder: LedgerSession,
    earlier: ReadonlyArray<EarlierKeys>,
    run: RunPlan,
    inLedger: RunLedger["Type"],
  ) {
    this.recorder = recorder
    this.earlier = earlier
    this.run = run
    this.inLedger = inLedger
    this.contents = makeContents(run, inLedger.ledger.digest)
  }

  /** Whether a row of the ledger may have to be found by an old key later. */
  keepsOldKeys() {
    return Effect.map(this.inLedger.view.standing, ({ rows }) => this.isOldKeyKept || this.taken.imported < rows)
  }

  /** Moves the rows of the ledger that have the old keys of these rows. */
  move(rows: ReadonlyArray<RekeyedRow>) {
    return Effect.zipRight(this.unkey(rows), this.rekey(rows))
  }

  /**
   * Moves the rows of the ledger whose old key only one row of the pipeline's source has, after all rows were read. Returns true if the run stops, because
   * rows can't be identified and no person has accepted that.
   */
  moveContested() {
    return Effect.gen(this, function*() {
      const isAlone = ({ rows }: Contested) => rows === 1 && this.run.ownSource && !this.run.isPartial
      const doubtful = [...this.contested.values()].filter((one) => !isAlone(one))
      if (doubtful.length > 0 && (yield* refuseContested(doubtful))) return true
      const alone = [...this.contested].filter(([, one]) => isAlone(one))
      // A row that was rejected under the old key as a duplicate is not the imported row, which may return.
      const states = yield* this.inLedger.view.attended(
        alone.map(([, { cells, key }]) => ({ key, content: this.contents.now(cells), fate: "duplicate" })),
      )
      const moves = alone.map(([, { move }], at) => ({ ...move, isCopied: states[at] !== "new" }))
      for (const [at, [id]] of alone.entries()) if (moves[at]?.isCopied === false) this.taken.mark(id, true)
      yield* this.record(moves)
      this.contested.clear()
      return false
    })
  }

  /** Records rows that have no key any more, but whose earlier key and content are known. They may get a key later. */
  private unkey(rows: ReadonlyArray<RekeyedRow>) {
    return Effect.gen(this, function*() {
      const { ledger: { digest }, view } = this.inLedger
      const asked = rows.flatMap(({ cells, key, old }) =>
        key !== undefined ? [] : old.flatMap((was) => was === undefined ? [] : [{ cells, from: digest.key(was) }])
      )
      const known = yield* view.lookUp(asked.map(({ from }) => from))
      const columns = coveredColumns(this.run)(undefined)
      const unkeyed = asked.flatMap(({ cells, from }, at) => {
        const row = known[at]
        if (row === undefined || row.id === 0 || !this.contents.same(row, cells)) return []
        this.taken.mark(row.id, true)
        return [{ from, columns, content: this.contents.filled(columns, cells) }]
      })
      if (unkeyed.length === 0) return
      this.isOldKeyKept = true
      yield* this.recorder.unkey(unkeyed)
    })
  }

  private rekey(rows: ReadonlyArray<RekeyedRow>) {
    return Effect.gen(this, function*() {
      const { ledger: { digest }, view } = this.inLedger
      const keyed = rows.flatMap(({ cells, key, old }) =>
        key === undefined ? [] : [{ cells, key, to: digest.key(key), old }]
      )
      const known = yield* view.lookUp(keyed.map(({ to }) => to))
      for (const row of known) if (row !== undefined && row.id > 0) this.taken.mark(row.id, true)
      let unknown = keyed.filter((_, at) => (known[at]?.id ?? 0) === 0)
      const moves: Array<Rekeyed> = []
      for (let rule = 0; rule < this.earlier.length; rule++) {
        const asked = unknown.flatMap(({ cells, key, old, to }) => {
          const was = old[rule]
          return was === undefined || was === key ? [] : [{ cells, was, move: { from: digest.key(was), to, key } }]
        })
        const found = yield* view.lookUp(asked.map(({ move }) => move.from))
        const matched = new Set<Cells>()
        for (const [at, { cells, move, was }] of asked.entries()) {
          const row = found[at]
          if (row === undefined || row.id === 0 || this.taken.marks[row.id] === 1) {
            moves.push({ ...move, isCopied: true })
            continue
          }
          matched.add(cells)
          moves.push(...this.moveTo(row, cells, was, move))
        }
        unknown = unknown.filter(({ cells }) => !matched.has(cells))
      }
      yield* this.record(moves)
    })
  }

  /** Returns the move of a ledger's row to a row of the source that has its old key. None if their contents differ, which is noted. */
  private moveTo(row: KnownRow, cells: Cells, old: string, move: Rekeyed): ReadonlyArray<Rekeyed> {
    if (isUnsent(row) || this.contents.same(row, cells)) {
      this.taken.mark(row.id, true)
      this.contested.delete(row.id)
      return [move]
    }
    // A fixed row keeps its old key, because the source may be corrected later, which changes the new key.
    if (this.contents.isReplaced(row, cells)) return [{ ...move, isCopied: true }]
    const other = this.contested.get(row.id)
    if (other === undefined) this.contested.set(row.id, { cells, key: old, move, rows: 1 })
    else other.rows++
    return []
  }

  private record(moves: ReadonlyArray<Rekeyed>) {
    return moves.length === 0 ? Effect.void : Effect.map(this.recorder.rekey(moves), (moved) => {
      // If two old keys become the same new key, the second row keeps its old one.
      if (moved < moves.filter((move) => move.isCopied !== true).length) this.isOldKeyKept = true
    })
  }
}

/**
 * Reads the source and gives the rows of the ledger their new keys. Reads it once more if `where` skips rows: such a row gets an old key only if no other
 * row has it. Returns whether any row keeps an old key.
 */
export const moveKeys = (recorder: LedgerSession, earlier: ReadonlyArray<EarlierKeys>) =>
  Effect.gen(function*() {
    const run = yield* CurrentRun
    const inLedger = yield* RunLedger
    const stop = yield* Stop
    const numbering = yield* rowKeys(run, inLedger)
    const moves = new KeyMoves(recorder, earlier, run, inLedger)
    for (const isSkipped of run.pipeline.source.where.length === 0 ? [false] : [false, true]) {
      const rowsOf = keyedRows(run.mapping, numbering, earlier, isSkipped)
      yield* eachChunk(run.source.read(), (chunk) => moves.move(rowsOf(chunk)), stop.requested)
      if (stop.requested() || (yield* moves.moveContested())) return true
    }
    return yield* moves.keepsOldKeys()
  })
