import * as Effect from "effect/Effect"
import type { Problem } from "../domain/problem.ts"
import type { SourceFile } from "../domain/report.ts"
import type { Cells, RowChunk } from "../domain/row.ts"
import type { LedgerError } from "../ledger/errors.ts"
import type { PipelineLedger } from "../ledger/Ledger.ts"
import type { FixedState, FoundRow } from "../ledger/rows.ts"
import { theRunsId } from "../mapping/stamps.ts"
import type { RejectedRow } from "../report/csvFiles.ts"
import { RunFolder } from "../report/RunFolder.ts"
import { eachChunk } from "../source/chunks.ts"
import { accountForLines } from "../source/lineCount.ts"
import type { Fingerprint } from "../source/Source.ts"
import type { CanaryRows } from "./canary.ts"
import { CellTable } from "./CellTable.ts"
import type { ChangedRow } from "./changedRows.ts"
import { makeClassifier } from "./classify.ts"
import { alikeRows, type KeyOf, type Origin, rejectionOf, rowKeys, rowTexts } from "./content.ts"
import type { FateTable, SeenLedgerRows } from "./FateTable.ts"
import { type NewRows, newRows } from "./NewRows.ts"
import { showProgress } from "./Progress.ts"
import { CurrentRun, RunLedger } from "./RunContext.ts"
import { RunCounts } from "./RunCounts.ts"
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
  /** The numbers of two rows that keys from content can't distinguish, although the mapping reads different cells of them. */
  readonly alike: readonly [one: number, other: number] | undefined
  /** Returns a row that was spooled as rejected, with its final fate. Undefined if the row is not rejected in the end. */
  readonly rejectedAs: (row: RejectedRow) => RejectedRow | undefined
}

/**
 * Returns a function that looks up the rows of a chunk in the ledger, and gives them their fates. It must receive all chunks of the source in order.
 *
 * @param options.view the ledger's rows. Undefined if no row has to be looked up
 * @param options.each called with each row that has its fate
 */
export const chunkClassifier = (
  { classify, contents }: Effect.Effect.Success<ReturnType<typeof makeClassifier>>,
  { each, keyOf, origin, view }: {
    readonly view: PipelineLedger | undefined
    readonly keyOf: KeyOf
    /** Finds which rejected row a row was. Undefined if the source is not a rejected.csv. */
    readonly origin?: ReturnType<typeof rejectionOf> | undefined
    readonly each?: (row: number, cells: Cells, key: string | undefined) => void
  },
) => {
  const classifyRows = (
    { faults, firstRow, rows }: RowChunk,
    texts: ReadonlyArray<string | undefined>,
    found: ReadonlyArray<FoundRow | undefined>,
    origins: ReadonlyArray<Origin | undefined> = [],
    states: ReadonlyArray<FixedState> = [],
  ) =>
    Effect.sync(() => {
      for (let index = 0; index < rows.length; index++) {
        const cells = rows[index]!
        const row = firstRow + index
        const fault = faults.get(index) ?? (states[index] === "changed key" ? changedKey(row) : undefined)
        const key = fault === undefined ? texts[index] : undefined
        const origin = origins[index]
        classify({
          row,
          cells,
          key,
          fault,
          found: found[index],
          origin,
          isSent: states[index] === "sent",
        })
        each?.(row, cells, key)
      }
    })
  return (chunk: RowChunk): Effect.Effect<void, LedgerError> =>
    Effect.suspend(() => {
      const texts = chunk.rows.map((cells, index) => (chunk.faults.has(index) ? undefined : keyOf(cells)))
      if (view === undefined) return classifyRows(chunk, texts, [])
      const known = view.lookUpRows(texts, {
        over: (at, columns) => contents.over(columns, chunk.rows[at]!),
        filled: (at, columns) => contents.filled(columns, chunk.rows[at]!),
      })
      if (origin === undefined) return Effect.flatMap(known, (found) => classifyRows(chunk, texts, found))
      const origins = chunk.rows.map(origin)
      const sent = view.fixed(origins)
      return Effect.flatMap(
        Effect.zip(known, sent),
        ([found, sent]) => classifyRows(chunk, texts, found, origins, sent),
      )
    })
}

/** Returns the problem of a row of rejected.csv whose key is not that of a rejected row with its content. */
const changedKey = (row: number): Problem => ({
  code: "unknown-original",
  column: "_key",
  message:
    `The _key of row ${row} was changed, so it is unknown which row it replaces. Copy the _key, and the cells of the row key, from the rejected.csv of the run. `
    + "Spreadsheet programs change keys that look like dates or long numbers: import them as text.",
})

/** The number of rows after which the survey shows its progress. It is larger than a chunk, because showing the progress costs as much as a dozen rows. */
const shownEvery = 4_096

/** Reads the whole source, checks every row, looks up each key in the ledger, and gives every row its fate. Sends nothing. */
export const survey = Effect.gen(function*() {
  const plan = yield* CurrentRun
  const { ledger, view } = yield* RunLedger
  const folder = yield* RunFolder
  const stop = yield* Stop
  const counts = yield* RunCounts
  const { mapping, source } = plan
  // If the ledger has no rows, no key has to be looked up, so no key needs a digest.
  const { firstColumns, isBlank: blank } = yield* view.facts
  const alike = alikeRows(plan, firstColumns)
  const added = blank ? undefined : yield* newRows(plan, { ledger, view })
  const classifier = yield* makeClassifier({
    newRows: added,
    dropped: (row, problem) => counts.problem(row, problem),
    // Collects samples for a dry run. In other runs, the samples are rows that were sent.
    sendable: plan.mode !== "dry-run" ? undefined : ({ cells, row }, key) => {
      if (!counts.samples.hasRoom) return
      const mapped = mapping.map(cells, key, theRunsId)
      if ("item" in mapped) counts.samples.add({ row, key, cells: rowTexts(cells, plan), item: mapped.item })
    },
  })
  const { canary, changed, decideWaiting, fates, rejectedAs, seen, takeRejected } = classifier
  counts.fates = fates
  const cellTable = new CellTable(plan.columns, source.columns.length, mapping)
  const numbering = yield* rowKeys(plan, { ledger, view })
  let read = 0
  let showAt = 0

  const classifyChunk = chunkClassifier(classifier, {
    view: blank ? undefined : view,
    keyOf: numbering(),
    origin: plan.isFixed ? rejectionOf(plan) : undefined,
    each: (row, cells, key) => {
      cellTable.read(row, cells, fates)
      if (key !== undefined) alike?.add(row, key, cells)
    },
  })
  // Avoids a generator for each chunk. Generators keep used chunks alive until a full garbage collection, which cost 1 s and 60 MB for a million rows.
  const surveyChunk = (chunk: RowChunk) =>
    Effect.flatMap(classifyChunk(chunk), () => {
      const rejected = takeRejected()
      read += chunk.rows.length
      counts.read = read
      const isDue = read >= showAt
      if (isDue) showAt = read + shownEvery
      const shown = isDue ? showProgress : Effect.void
      return rejected.length === 0 ? shown : Effect.zipRight(folder.reject(rejected), shown)
    })

  yield* eachChunk(source.read(), surveyChunk, stop.requested)
  yield* showProgress
  decideWaiting()
  const files = stop.requested() ? [] : yield* source.files
  yield* accountForLines(files)
  return {
    fates,
    read,
    files,
    canary,
    numbering,
    seen,
    cells: cellTable,
    changed: changed(),
    newRows: added,
    alike: alike?.found(),
    rejectedAs,
  } satisfies Survey
})
