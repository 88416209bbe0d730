import * as Effect from "effect/Effect"
import type { SourceFile } from "../domain/report.ts"
import type { RowChunk } from "../domain/row.ts"
import type { LedgerError } from "../ledger/errors.ts"
import { type FixedState, type FoundRow, wasImported } from "../ledger/rows.ts"
import { theRunsId } from "../mapping/stamps.ts"
import type { RejectedRow } from "../report/csvFiles.ts"
import { RunFolder } from "../report/RunFolder.ts"
import { eachChunk } from "../source/chunks.ts"
import { accountForLines } from "../source/lineCount.ts"
import type { Fingerprint } from "../source/Source.ts"
import type { CanaryRows } from "./canary.ts"
import { CellTable } from "./CellTable.ts"
import type { ChangedRow } from "./changedRows.ts"
import { Classifier, type ClassifierOptions } from "./classify.ts"
import {
  certainKey,
  conditionsOf,
  findSameKeyRows,
  type KeyOf,
  type Origin,
  rejectionOf,
  rowKeys,
  rowTexts,
  type SameKeyRows,
} from "./content.ts"
import type { FateTable, SeenLedgerRows } from "./FateTable.ts"
import { type NewRows, newRows } from "./NewRows.ts"
import { showProgress } from "./Progress.ts"
import { changedKey } from "./rowProblems.ts"
import { CurrentRun, RunLedger } from "./RunContext.ts"
import { RunCounts } from "./RunCounts.ts"
import { type SharedRows, sharedRows } from "./sharedRows.ts"
import { Stop } from "./Stop.ts"

/** The result of reading the whole source once, before anything is sent. */
export interface Survey {
  readonly fates: FateTable
  readonly read: number
  readonly files: ReadonlyArray<{ readonly file: SourceFile; readonly fingerprint: Fingerprint }>
  readonly canary: CanaryRows
  /** Returns a function that makes row keys, for one reading of the source. */
  readonly numbering: () => KeyOf
  /** The rows of the ledger that the source contains. */
  readonly seen: SeenLedgerRows
  /** The states of the source's cells. */
  readonly cells: CellTable
  /** The first rows whose fate is `changed`. */
  readonly changed: ReadonlyArray<ChangedRow>
  /** The rows that are new. Undefined if the ledger has no rows, because then no new row can be a known one. */
  readonly newRows: NewRows | undefined
  /** Rows that keys from content can't distinguish, although the mapping reads different cells of them, or an edited `where` skips one of them. */
  readonly sameKey: SameKeyRows | undefined
  /** Rows that would be sent, although other pipelines may have imported them into the form. */
  readonly shared: ReadonlyArray<SharedRows>
  /** Returns a row that was spooled as rejected, with its final fate. Undefined if the row is not rejected in the end. */
  readonly rejectedAs: (row: RejectedRow) => RejectedRow | undefined
}

/** The number of rows after which the survey shows its progress. It is larger than a chunk, because showing the progress costs as much as a dozen rows. */
const shownEvery = 4_096

/** How many rows of a dry run are mapped. To map all of them would double its time. */
const mostMapped = 10_000

/** Reads the whole source, checks every row, looks up each key in the ledger, and gives every row its fate. Sends nothing. */
export const survey = Effect.gen(function*() {
  const plan = yield* CurrentRun
  const folder = yield* RunFolder
  const stop = yield* Stop
  const counts = yield* RunCounts
  const { mapping, source } = plan
  let mappedRows = 0
  const { end, fates, take } = yield* classifying({
    dropped: (row, problem) => counts.problem(row, problem),
    // Looks at the first rows of a dry run. In other runs, rows are looked at when they are sent.
    sendable: plan.mode !== "dry-run" ? undefined : ({ cells, row }, key) => {
      if (mappedRows === mostMapped) return
      const mapped = mapping.map(cells, key, theRunsId)
      if (!("item" in mapped)) return
      mappedRows++
      const { samples } = counts
      if (samples.hasRoom) samples.add({ row, key, cells: rowTexts(cells, plan), item: mapped.item })
      plan.traps?.add(row, cells, mapped.item)
    },
  })
  counts.fates = fates
  const cells = new CellTable(plan.columns, source.columns.length, mapping)
  let read = 0
  let showAt = 0
  const surveyChunk = (chunk: RowChunk) =>
    Effect.flatMap(take(chunk), (rejected) => {
      chunk.rows.forEach((row, index) => cells.read(chunk.firstRow + index, row, fates))
      read += chunk.rows.length
      counts.read = read
      const isDue = read >= showAt
      if (isDue) showAt = read + shownEvery
      const shown = isDue ? showProgress : Effect.void
      return rejected.length === 0 ? shown : Effect.zipRight(folder.reject(rejected), shown)
    })

  yield* eachChunk(source.read(), surveyChunk, stop.requested)
  yield* showProgress
  const classified = end()
  const files = stop.requested() ? [] : yield* source.files
  yield* accountForLines(files)
  return { ...classified, read, files, cells } satisfies Survey
})

/**
 * Prepares to give the rows of a source their fates while they are read: in a run, a dry run, or a check. `take` gets each chunk in order, and returns
 * the rows that it rejected. Call `end` once, after the last chunk.
 *
 * @param options.isComparable whether the ledger's row keys are made from the same columns. If not, no row is looked up. Default: true
 */
export const classifying = (
  { isComparable = true, ...options }: ClassifierOptions & { readonly isComparable?: boolean },
) =>
  Effect.gen(function*() {
    const plan = yield* CurrentRun
    const { ledger, view } = yield* RunLedger
    const facts = yield* view.facts
    // If the ledger has no rows, no key has to be looked up, so no key needs a digest.
    const isLookedUp = isComparable && !facts.isBlank
    const added = isLookedUp ? yield* newRows(plan, { ledger, view }) : undefined
    const classifier = new Classifier(plan, ledger.digest, added, options)
    const { canary, contents, fates, rejected, seen } = classifier
    const numbering = yield* rowKeys(plan, { ledger, view })
    const keyOf = numbering()
    const { firstColumns } = facts
    const { sentBefore } = conditionsOf(plan, facts, ledger.digest)
    const sameKey = plan.mapping.keyed === "content" && firstColumns !== undefined
        && (sentBefore > 0 || !plan.shape.every((name) => firstColumns.includes(name)))
      ? findSameKeyRows(plan, plan.shape, ledger.digest, sentBefore)
      : undefined
    const originOf = plan.isFixed ? rejectionOf(plan) : undefined
    const shared = yield* sharedRows({ fates, contents })

    // No generator for each chunk. Generators keep used chunks alive until a full garbage collection, which cost 1 s and 60 MB for a million rows.
    const take = (chunk: RowChunk): Effect.Effect<ReadonlyArray<RejectedRow>, LedgerError> =>
      Effect.suspend(() => {
        const keys = chunk.rows.map((cells, index) => (chunk.faults.has(index) ? undefined : keyOf(cells)))
        const looked = chunk.faults.size === 0
          ? lookUp(chunk, keys)
          : Effect.zipLeft(lookUp(chunk, keys), markKept(chunk))
        const classified = Effect.map(looked, (known) => {
          classifyRows(chunk, keys, known)
          return rejected.take()
        })
        return shared.find === undefined ? classified : Effect.zipLeft(classified, shared.find(chunk, keys))
      })

    /** Marks the ledger's rows of rejected rows whose keys are certain. They have not vanished. */
    const markKept = ({ faults, rows }: RowChunk) => {
      const keys = [...faults].flatMap(([index, fault]) => certainKey(plan, fault, rows[index]!) ?? [])
      if (!isLookedUp || keys.length === 0) return Effect.void
      return Effect.map(view.lookUp(keys.map(ledger.digest.key)), (found) => {
        for (const one of found) {
          if (one !== undefined && one.id > 0) seen.mark(one.id, wasImported(one))
        }
      })
    }

    /** Returns what the ledger knows about the rows of a chunk, and about the rejected rows that they fix. */
    const lookUp = ({ rows }: RowChunk, keys: ReadonlyArray<string | undefined>): Effect.Effect<Known, LedgerError> => {
      const origins = originOf === undefined ? [] : rows.map(originOf)
      if (!isLookedUp) return Effect.succeed({ found: [], origins, states: [] })
      const looked = view.lookUpRows(keys, {
        over: (at, columns) => contents.over(columns, rows[at]!),
        filled: (at, columns) => contents.filled(columns, rows[at]!),
      })
      const fixed = originOf === undefined ? Effect.succeed([]) : view.fixed(origins)
      return Effect.zipWith(looked, fixed, (found, states) => ({ found, origins, states }))
    }

    const classifyRows = (
      { faults, firstRow, rows }: RowChunk,
      keys: ReadonlyArray<string | undefined>,
      { found, origins, states }: Known,
    ): void => {
      for (let index = 0; index < rows.length; index++) {
        const cells = rows[index]!
        const row = firstRow + index
        const state = states[index]
        const fault = faults.get(index) ?? (state === "changed key" ? changedKey(row) : undefined)
        const key = fault === undefined ? keys[index] : undefined
        const origin = origins[index]
        const known = found[index]
        classifier.classify({ row, cells, key, fault, found: known, origin, isSent: state === "sent" })
        if (key !== undefined) {
          sameKey?.add(row, key, cells, known === undefined || known.state === "keyless" ? 0 : known.id)
        }
      }
    }

    const end = (): Omit<Survey, "cells" | "files" | "read"> => {
      const changed = classifier.end()
      return {
        fates,
        canary,
        numbering,
        seen,
        changed,
        newRows: added,
        sameKey: sameKey?.found(),
        shared: shared.found(),
        rejectedAs: rejected.final,
      }
    }
    return { fates, take, end }
  })

/** What the ledger knows about each row of a chunk. Only the rows of a rejected.csv have origins. */
interface Known {
  readonly found: ReadonlyArray<FoundRow | undefined>
  readonly origins: ReadonlyArray<Origin | undefined>
  readonly states: ReadonlyArray<FixedState>
}
