import { Effect } from "effect"
import type { SourceFile } from "../domain/report.ts"
import type { RowChunk } from "../domain/row.ts"
import type { FoundRow, KeylessRow } from "../ledger/records.ts"
import type { RejectedRow } from "../report/csvFiles.ts"
import { RunFolder } from "../report/RunFolder.ts"
import { eachChunk } from "../source/eachChunk.ts"
import { accountForLines } from "../source/lineCount.ts"
import type { Fingerprint } from "../source/Source.ts"
import { CanaryRows } from "./canary.ts"
import { CellTable } from "./CellTable.ts"
import { duplicateOf, makeClassify, missingKey, type Reject, type SurveyState } from "./classify.ts"
import { type KeyOf, makeContents, rowKeys, rowTexts } from "./content.ts"
import { FateTable, SeenLedgerRows } from "./FateTable.ts"
import { KeyTable, RowHash } from "./KeyTable.ts"
import { type NewRows, newRows } from "./NewRows.ts"
import { showProgress } from "./Progress.ts"
import { CurrentRun, RunLedger } from "./RunContext.ts"
import { RunCounts } from "./RunCounts.ts"
import { Stop } from "./Stop.ts"
import { UndecidedRows } from "./UndecidedRows.ts"

/** What reading the whole source once has shown, before anything is sent. */
export interface Survey {
  readonly fates: FateTable
  readonly read: number
  readonly files: ReadonlyArray<{ readonly file: SourceFile; readonly fingerprint: Fingerprint }>
  readonly canary: CanaryRows
  /** Makes the function that returns row keys, for one reading of the source. */
  readonly numbering: () => KeyOf
  /** Rows in doubt that may be resent: still in doubt unless they are created. */
  readonly resending: ReadonlySet<number>
  /** Rows of the ledger that the source has. */
  readonly seen: SeenLedgerRows
  /** The states of the source's cells. */
  readonly cells: CellTable
  /** Duplicates of a row with the same content whose fate was known only at the end. */
  readonly repeated: ReadonlySet<number>
  /** Rows that are new; undefined if the ledger knows no rows. */
  readonly newRows: NewRows | undefined
  /** Returns a row that was spooled as rejected with its final fate, or undefined if it is not rejected after all. */
  readonly fateOf: (row: RejectedRow) => RejectedRow | undefined
}

/** Rows after which the survey shows its progress: a few times as many as a chunk has, because showing it costs as much as a dozen rows. */
const shownEvery = 4_096

/** Reads the whole source, maps and validates every row, looks each key up in the ledger, and gives every row its fate. Sends nothing. */
export const survey = Effect.gen(function*() {
  const plan = yield* CurrentRun
  const { ledger, view } = yield* RunLedger
  const folder = yield* RunFolder
  const stop = yield* Stop
  const counts = yield* RunCounts
  const { mapping, source } = plan
  // If the ledger knows nothing, there is nothing to look up, and no key needs a digest.
  const { isBlank: blank } = yield* view.facts
  const state: SurveyState = {
    fates: new FateTable(),
    keys: new KeyTable(),
    hash: new RowHash(),
    undecided: new UndecidedRows(),
    canary: new CanaryRows(plan.pipeline.sink.canary, mapping.answers.length),
    resending: new Set(),
    seen: new SeenLedgerRows(),
    newRows: blank ? undefined : yield* newRows(plan, { ledger, view }),
    dropped: (row, problem) => counts.problem(row, problem),
  }
  const { fates, hash, resending, seen } = state
  const cellTable = new CellTable(plan.columns, source.columns.length, mapping)
  const numbering = yield* rowKeys(plan, { ledger, view })
  const keyOf = numbering()
  const contents = makeContents(plan, ledger.digest, seen)
  const classify = yield* makeClassify(state, contents)
  let read = 0
  let showAt = 0

  // No generator runs for each chunk: generators keep used chunks alive until a full garbage collection, which cost 1 s and 60 MB for a million rows.
  const surveyChunk = (chunk: RowChunk) =>
    Effect.suspend(() => {
      const texts = chunk.rows.map((cells, index) => (chunk.faults.has(index) ? undefined : keyOf(cells)))
      return blank
        ? classifyChunk(chunk, texts, [])
        : Effect.flatMap(
          view.lookUpRows(texts, (at, columns) => {
            const cells = chunk.rows[at]!
            return columns === undefined ? contents.now(cells) : contents.over(columns, cells)
          }),
          (found) => classifyChunk(chunk, texts, found),
        )
    })

  /** Gives the rows of a chunk their fates. */
  const classifyChunk = (
    chunk: RowChunk,
    texts: ReadonlyArray<string | undefined>,
    found: ReadonlyArray<FoundRow | undefined>,
  ) =>
    Effect.suspend(() => {
      const rejected: Array<RejectedRow> = []
      const reject: Reject = (row, key, cells, fate, problems, quiet = false) => {
        rejected.push({ row, key, fate, problems, cells: rowTexts(cells, plan.columns), quiet })
      }
      for (let index = 0; index < chunk.rows.length; index++) {
        const cells = chunk.rows[index]!
        const row = chunk.firstRow + index
        const key = texts[index]
        const known = found[index]
        if (key === undefined || known?.state === "keyless") {
          classifyKeyless(chunk, index, known?.state === "keyless" ? known : undefined, reject)
        } else {
          hash.key(key)
          classify(row, cells, key, known, reject)
        }
        const fate = resending.has(row) ? undefined : fates.get(row)
        const repeats = fate === "duplicate" && rejected.at(-1)?.quiet === true
        cellTable.read(row, cells, fate, repeats)
      }
      read += chunk.rows.length
      counts.read = read
      const isDue = read >= showAt
      if (isDue) showAt = read + shownEvery
      const shown = isDue ? showProgress : Effect.void
      return rejected.length === 0 ? shown : Effect.zipRight(folder.reject(rejected), shown)
    })

  const classifyKeyless = (chunk: RowChunk, index: number, known: KeylessRow | undefined, reject: Reject): void => {
    const cells = chunk.rows[index]!
    const row = chunk.firstRow + index
    const fault = chunk.faults.get(index)
    const replacedBy = known?.replacedBy
    if (replacedBy !== undefined) seen.mark(replacedBy, true)
    if (fault === undefined && (mapping.filtered(cells) || known?.leftOut === true)) {
      fates.set(row, "filtered")
    } else if (replacedBy !== undefined) {
      fates.set(row, "alreadyImported")
    } else {
      fates.set(row, "invalid")
      reject(row, undefined, cells, "invalid", [fault ?? missingKey(plan)])
    }
  }

  yield* eachChunk(source.read(), surveyChunk, stop.requested)
  yield* showProgress
  const repeated = decideLast(state)
  const files = stop.requested() ? [] : yield* source.files
  yield* accountForLines(files)
  const surveyed: Survey = {
    fates,
    read,
    files,
    canary: state.canary,
    numbering,
    resending,
    seen,
    cells: cellTable,
    repeated,
    newRows: state.newRows,
    fateOf: (row) => {
      if (fates.get(row.row) !== row.fate) return undefined
      return repeated.has(row.row) ? { ...row, problems: [duplicateOf(plan, undefined, true)], quiet: true } : row
    },
  }
  return surveyed
})

/** Decides the fates that depended on later rows. Returns the rows that only repeat a row that is imported again. */
const decideLast = ({ fates, hash, keys, undecided }: SurveyState): ReadonlySet<number> => {
  const repeated = new Set<number>()
  undecided.resolve(
    hash,
    {
      matched: () => {
        const slot = keys.find(hash)
        return slot >= 0 && keys.matched(slot)
      },
      claim: () => {
        const slot = keys.find(hash)
        if (slot >= 0) return keys.hasContent(slot, hash) ? "same" : "other"
        keys.add(hash, 0)
        return "mine"
      },
    },
    (row, fate, same) => {
      fates.set(row, fate)
      if (fate === "pending") fates.mark(row)
      if (same) repeated.add(row)
    },
  )
  return repeated
}
