import { Effect } from "effect"
import type { Fate } from "../domain/fate.ts"
import type { Problem } from "../domain/problem.ts"
import type { Cells } from "../domain/row.ts"
import type { LedgerError } from "../ledger/Ledger.ts"
import type { KnownRow } from "../ledger/records.ts"
import type { RejectedRow } from "../report/csvFiles.ts"
import type { CanaryRows } from "./canaryRows.ts"
import { contentDigest, positionsOf } from "./content.ts"
import type { Deferred, Waiting } from "./Deferred.ts"
import type { FateTable } from "./FateTable.ts"
import { changed, duplicateOf } from "./keyProblems.ts"
import type { KeyTable } from "./KeyTable.ts"
import type { MetRows } from "./MetRows.ts"
import type { NewRows } from "./NewRows.ts"
import type { RowHash } from "./RowHash.ts"
import type { RunContext } from "./RunContext.ts"
import { UniqueAnswers } from "./UniqueAnswers.ts"

/** What a survey gathers while it goes through the rows. */
export interface Gathered {
  readonly fates: FateTable
  readonly seen: KeyTable
  /** Holds the hash of a row's key when the row is classified. */
  readonly hash: RowHash
  readonly deferred: Deferred
  readonly canary: CanaryRows
  /** Rows in doubt that may go out once more (`inDoubt: resend`): pending as long as it is open whether they do. */
  readonly resending: Set<number>
  /** Rows of the ledger that the source holds. */
  readonly met: MetRows
  /** Rows that are new; undefined if the ledger knows none, so that none of these can be known otherwise. */
  readonly fresh: NewRows | undefined
  /** Counts an answer that is left out of a row that goes on without it. */
  readonly dropped: (row: number, problem: Problem) => void
}

/** A row that the ledger has as imported, with the content that it has now. */
export interface SameRow {
  readonly state: "same"
  readonly id: number
}

/** Takes down a row that can't go out, and why. */
export type Reject = (
  row: number,
  key: string | undefined,
  cells: Cells,
  fate: RejectedRow["fate"],
  problems: ReadonlyArray<Problem>,
  quiet?: boolean,
) => void

/** Gives a row with a key its fate (product.md, "Fates and the balance"), in the order written there. Synchronous: it runs for every row. */
export type Classify = (
  row: number,
  cells: Cells,
  key: string,
  memory: KnownRow | SameRow | undefined,
  reject: Reject,
) => void

export const makeClassify = (run: RunContext, gathered: Gathered, contents: Contents): Classify => {
  const { canary, deferred, fates, hash, seen } = gathered
  const { mapping } = run
  const resends = run.pipeline.sink.inDoubt === "resend"
  const { onChange } = run.pipeline.sink
  const positions = positionsOf(run.shape, run.columns)
  const answered = new Uint8Array(mapping.answers.length)
  const uniques = new UniqueAnswers(mapping.uniques)
  const dropped: Array<Problem> = []
  // To set a length is a call out of compiled code, whatever it is.
  const forget = () => {
    if (dropped.length > 0) dropped.length = 0
  }
  const isItem = (cells: Cells, key: string, digest: Buffer) => {
    const mapped = mapping.map(cells, key)
    return "item" in mapped && digest.equals(run.ledger.digest.value(mapped.item))
  }
  const wasRefused = (memory: KnownRow, cells: Cells, key: string): boolean => {
    const { refusal } = memory
    return refusal !== undefined && !run.retryRefused && refusal.mapping === mapping.fingerprint
      && refusal.form === run.formFingerprint && isItem(cells, key, refusal.item)
  }
  /** A row with the content that the ledger has, or a repetition of it. */
  const known = (row: number, cells: Cells, key: string, slot: number, fate: Fate, reject: Reject) => {
    if (slot >= 0 && seen.matched(slot)) {
      fates.set(row, "duplicate")
      return reject(row, key, cells, "duplicate", [duplicateOf(run, seen.row(slot), true)], true)
    }
    seen.match(slot >= 0 ? slot : seen.add(hash, row))
    uniques.take(cells, key, row)
    fates.set(row, fate)
  }
  return (row, cells, key, memory, reject) => {
    if (memory?.state === "same") {
      gathered.met.mark(memory.id, true)
      if (mapping.filtered(cells)) return fates.set(row, "filtered")
      // All rows of this key are known, and a key that is matched asks for no content.
      hash.noContent()
      return known(row, cells, key, seen.find(hash), "alreadyImported", reject)
    }
    if (memory !== undefined) gathered.met.mark(memory.id, memory.state === "imported")
    const give = (fate: Fate) => fates.set(row, fate)
    const doubt = memory !== undefined && (memory.state === "inDoubt" || memory.state === "intended")
    // What a person left out is not sent once more by any policy.
    const held = doubt && (memory.leftOut || !resends || memory.resent)
    if (!doubt && (memory?.leftOut === true || mapping.filtered(cells))) return give("filtered")
    hash.content(cells, positions)
    const slot = seen.find(hash)
    if (memory !== undefined && (held || memory.state === "imported" || contents.replaced(memory, cells))) {
      if (contents.same(memory, cells)) {
        return known(row, cells, key, slot, held ? "inDoubt" : "alreadyImported", reject)
      }
      // A submission without a known id could not be told from the new one, should that end in doubt.
      const again = !held && onChange === "import-again" && memory.submissionId !== undefined
      forget()
      const problems = mapping.check(cells, answered, dropped) ?? (again ? uniques.take(cells, key, row) : undefined)
      const waiting: Waiting = held
        ? "doubt"
        : !again
        ? "changed"
        : wasRefused(memory, cells, key)
        ? "refused"
        : "again"
      deferred.add(row, hash, waiting, problems === undefined)
      if (problems !== undefined) reject(row, key, cells, "invalid", problems)
      else reject(row, key, cells, "duplicate", [duplicateOf(run, undefined, false)])
      if (waiting === "changed") reject(row, key, cells, "changed", [changed(run)], onChange === "ignore")
      else if (waiting === "refused") reject(row, key, cells, "refused", refusedBefore(memory))
      else if (waiting === "again" && problems === undefined) {
        for (const problem of dropped) gathered.dropped(row, problem)
        canary.offer(row, answered)
      }
      return
    }
    forget()
    const problems = mapping.check(cells, answered, dropped)
      ?? (slot >= 0 ? undefined : uniques.take(cells, key, row))
    if (problems !== undefined) {
      if (doubt) return give("inDoubt")
      give("invalid")
      return reject(row, key, cells, "invalid", problems)
    }
    if (slot >= 0) {
      const same = seen.hasContent(slot, hash)
      give("duplicate")
      return reject(row, key, cells, "duplicate", [duplicateOf(run, seen.row(slot), same)], same)
    }
    seen.add(hash, row)
    if (memory?.state === "refused" && wasRefused(memory, cells, key)) {
      give("refused")
      return reject(row, key, cells, "refused", refusedBefore(memory))
    }
    for (const problem of dropped) gathered.dropped(row, problem)
    give("pending")
    if (memory === undefined || memory.id === 0) gathered.fresh?.add(row, key, cells)
    if (doubt) gathered.resending.add(row)
    canary.offer(row, answered)
  }
}

const refusedBefore = ({ refusal }: KnownRow): ReadonlyArray<Problem> => [
  { code: "refused", message: refusal?.message ?? "" },
]

/** Compares a row's content with what the ledger knows, over the columns that were mapped when the row was sent. */
export interface Contents {
  readonly now: (cells: Cells) => Buffer
  /** The content over the columns of a shape that `learn` has met. */
  readonly over: (shape: number, cells: Cells) => Buffer | undefined
  /** Whether a mended row has replaced this one. */
  readonly replaced: (memory: KnownRow, cells: Cells) => boolean
  readonly same: (memory: KnownRow, cells: Cells) => boolean
  /** Fetches the column lists of the rows that were sent under another one. */
  readonly learn: (known: ReadonlyArray<KnownRow | undefined>) => Effect.Effect<void, LedgerError>
}

/** @param met takes down which rows of the ledger the source holds */
export const makeContents = (run: RunContext, met: MetRows): Contents => {
  const digestOf = (names: ReadonlyArray<string>) => contentDigest(names, run.columns, run.ledger.digest)
  const now = digestOf(run.shape)
  const current = [...run.shape].sort().join("\n")
  const shapes = new Map<number, (cells: Cells) => Buffer>()
  const replaced = (memory: KnownRow, cells: Cells) => {
    if (memory.superseded.length === 0) return false
    const content = now(cells)
    const one = memory.superseded.find((superseded) => superseded.content.equals(content))
    // The mended row stands in the source as it was before.
    if (one !== undefined) met.mark(one.mended, true)
    return one !== undefined
  }
  return {
    now,
    over: (shape, cells) => shapes.get(shape)?.(cells),
    replaced,
    same: (memory, cells) => memory.content.equals((shapes.get(memory.shape) ?? now)(cells)) || replaced(memory, cells),
    learn: (known) => {
      const strange = new Set<number>()
      for (const row of known) if (row !== undefined && !shapes.has(row.shape)) strange.add(row.shape)
      return Effect.forEach(strange, (shape) =>
        Effect.map(run.view.shape(shape), (names) => {
          shapes.set(shape, names.join("\n") === current ? now : digestOf(names))
        }), { discard: true })
    },
  }
}
