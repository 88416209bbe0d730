import { Effect } from "effect"
import type { Fate } from "../domain/fate.ts"
import { cut, type Problem } from "../domain/problem.ts"
import type { Cells } from "../domain/row.ts"
import type { KnownRow, SameRow } from "../ledger/records.ts"
import type { RejectedRow } from "../report/csvFiles.ts"
import type { CanaryRows } from "./canary.ts"
import { type Contents, positionsOf } from "./content.ts"
import type { FateTable, SeenLedgerRows } from "./FateTable.ts"
import type { KeyTable, RowHash } from "./KeyTable.ts"
import type { NewRows } from "./NewRows.ts"
import { CurrentRun, RunLedger, type RunPlan } from "./RunContext.ts"
import type { Reason, UndecidedRows } from "./UndecidedRows.ts"
import { UniqueAnswers } from "./UniqueAnswers.ts"

/** What a survey collects while it reads the rows. */
export interface SurveyState {
  readonly fates: FateTable
  /** The row keys that the source has. */
  readonly keys: KeyTable
  /** The hash of a row's key when the row is classified. */
  readonly hash: RowHash
  readonly undecided: UndecidedRows
  readonly canary: CanaryRows
  /** Rows in doubt that may be resent (`inDoubt: resend`): pending until that is decided. */
  readonly resending: Set<number>
  /** Rows of the ledger that the source has. */
  readonly seen: SeenLedgerRows
  /** Rows that are new; undefined if the ledger knows no rows: then no new row can be a known one. */
  readonly newRows: NewRows | undefined
  /** Counts an answer that is dropped from a row that is sent without it. */
  readonly dropped: (row: number, problem: Problem) => void
}

/** Records a row that can't be sent, and why. */
export type Reject = (
  row: number,
  key: string | undefined,
  cells: Cells,
  fate: RejectedRow["fate"],
  problems: ReadonlyArray<Problem>,
  quiet?: boolean,
) => void

/** Gives a row with a key its fate. Synchronous: it runs for every row. */
export type Classify = (
  row: number,
  cells: Cells,
  key: string,
  known: KnownRow | SameRow | undefined,
  reject: Reject,
) => void

export const makeClassify = (state: SurveyState, contents: Contents) =>
  Effect.gen(function*() {
    const plan = yield* CurrentRun
    const { digest } = (yield* RunLedger).ledger
    const { canary, fates, hash, keys, seen, undecided } = state
    const { mapping } = plan
    const { inDoubt, onChange } = plan.pipeline.sink
    const positions = positionsOf(plan.shape, plan.columns)
    const answered = new Uint8Array(mapping.answers.length)
    const uniques = new UniqueAnswers(mapping.uniques)
    const dropped: Array<Problem> = []
    // Setting a length is a call out of compiled code, whatever its value.
    const forget = () => {
      if (dropped.length > 0) dropped.length = 0
    }
    const isItem = (cells: Cells, key: string, item: Buffer) => {
      const mapped = mapping.map(cells, key)
      return "item" in mapped && item.equals(digest.value(mapped.item))
    }
    const wasRefused = ({ refusal }: KnownRow, cells: Cells, key: string): boolean =>
      refusal !== undefined && !plan.retryRefused && refusal.mapping === mapping.fingerprint
      && refusal.form === plan.formFingerprint && isItem(cells, key, refusal.item)
    /** A row with the content that the ledger has, or a repetition of it. */
    const asKnown = (row: number, cells: Cells, key: string, slot: number, fate: Fate, reject: Reject) => {
      if (slot >= 0 && keys.matched(slot)) {
        fates.set(row, "duplicate")
        return reject(row, key, cells, "duplicate", [duplicateOf(plan, keys.row(slot), true)], true)
      }
      keys.match(slot >= 0 ? slot : keys.add(hash, row))
      uniques.take(cells, key, row)
      fates.set(row, fate)
    }
    const classify: Classify = (row, cells, key, known, reject) => {
      if (known?.state === "same") {
        seen.mark(known.id, true)
        if (mapping.filtered(cells)) return fates.set(row, "filtered")
        // All rows of this key are known, and the content of a matched key is not compared.
        hash.noContent()
        return asKnown(row, cells, key, keys.find(hash), "alreadyImported", reject)
      }
      if (known !== undefined) seen.mark(known.id, known.state === "imported")
      const doubt = known !== undefined && (known.state === "inDoubt" || known.state === "intended")
      // No policy resends what a person left out.
      const held = doubt && (known.leftOut || inDoubt !== "resend" || known.resent)
      if (!doubt && (known?.leftOut === true || mapping.filtered(cells))) return fates.set(row, "filtered")
      hash.content(cells, positions)
      const slot = keys.find(hash)
      if (known !== undefined && (held || known.state === "imported" || contents.replaced(known, cells))) {
        if (contents.same(known, cells)) {
          return asKnown(row, cells, key, slot, held ? "inDoubt" : "alreadyImported", reject)
        }
        // Without its id, the earlier submission could not be distinguished from a new one that ends in doubt.
        const again = !held && onChange === "import-again" && known.submissionId !== undefined
        forget()
        const problems = mapping.check(cells, answered, dropped)
          ?? (again ? uniques.take(cells, key, row) : undefined)
        const reason: Reason = held
          ? "doubt"
          : !again
          ? "changed"
          : wasRefused(known, cells, key)
          ? "refused"
          : "again"
        undecided.add(row, hash, reason, problems === undefined)
        if (problems !== undefined) reject(row, key, cells, "invalid", problems)
        else reject(row, key, cells, "duplicate", [duplicateOf(plan, undefined, false)])
        if (reason === "changed") reject(row, key, cells, "changed", [changed(plan)], onChange === "ignore")
        else if (reason === "refused") reject(row, key, cells, "refused", refusedBefore(known))
        else if (reason === "again" && problems === undefined) {
          for (const problem of dropped) state.dropped(row, problem)
          canary.offer(row, answered)
        }
        return
      }
      forget()
      const problems = mapping.check(cells, answered, dropped)
        ?? (slot >= 0 ? undefined : uniques.take(cells, key, row))
      if (problems !== undefined) {
        if (doubt) return fates.set(row, "inDoubt")
        fates.set(row, "invalid")
        return reject(row, key, cells, "invalid", problems)
      }
      if (slot >= 0) {
        const same = keys.hasContent(slot, hash)
        fates.set(row, "duplicate")
        return reject(row, key, cells, "duplicate", [duplicateOf(plan, keys.row(slot), same)], same)
      }
      keys.add(hash, row)
      if (known?.state === "refused" && wasRefused(known, cells, key)) {
        fates.set(row, "refused")
        return reject(row, key, cells, "refused", refusedBefore(known))
      }
      for (const problem of dropped) state.dropped(row, problem)
      fates.set(row, "pending")
      if (known === undefined || known.id === 0) state.newRows?.add(row, key, cells)
      if (doubt) state.resending.add(row)
      canary.offer(row, answered)
    }
    return classify
  })

const refusedBefore = ({ refusal }: KnownRow): ReadonlyArray<Problem> => [
  { code: "refused", message: refusal?.message ?? "" },
]

type Keyed = Pick<RunPlan, "keyColumns">

/** The row's key columns are empty. */
export const missingKey = ({ keyColumns }: Keyed): Problem => ({
  code: "missing-key",
  column: keyColumns[0],
  message: `${keyColumns.join(", ")} is empty, so that the row could not be known again: give it a value.`,
})

/**
 * Another row of the source has the same key.
 *
 * @param row the other row's number, if it is known already
 */
export const duplicateOf = ({ keyColumns }: Keyed, row: number | undefined, same: boolean): Problem => ({
  code: "duplicate-key",
  column: keyColumns[0],
  message: `${cut(keyColumns.join(", "))} holds a key that ${
    row === undefined ? "another row of this source has already" : `row ${row} has already`
  }, with ${same ? "the same content: nothing is lost" : "other content: give one of them another key, or remove it"}.`,
})

/** The row was imported with different content. */
const changed = ({ keyColumns }: Keyed): Problem => ({
  code: "changed",
  column: keyColumns[0],
  message: "The row was imported before with other content. The service can't change a submission: "
    + "edit it there, or acknowledge the row.",
})
