import { Effect, Stream } from "effect"
import type { Cells, RowChunk } from "../domain/row.ts"
import type { SourceFile } from "../domain/run.ts"
import type { KnownRow, LedgerError } from "../ledger/Ledger.ts"
import type { RejectedRow, ReportError } from "../report/RunFolder.ts"
import { eachChunk } from "../source/eachChunk.ts"
import type { Fingerprint, SourceChanged, SourceError } from "../source/Source.ts"
import { CanaryRows } from "./canaryRows.ts"
import { type Gathered, makeClassify, makeContents, type Reject } from "./classify.ts"
import { rowTexts } from "./content.ts"
import { Deferred } from "./Deferred.ts"
import { FateTable } from "./FateTable.ts"
import { missingKey } from "./keyProblems.ts"
import { KeyTable } from "./KeyTable.ts"
import { RowHash } from "./RowHash.ts"
import { type RowKeys, rowKeys } from "./rowKeys.ts"
import type { RunContext } from "./RunContext.ts"
import { showProgress } from "./showProgress.ts"
import type { Tally } from "./Tally.ts"

/** What reading the whole source once has shown, before anything is sent. */
export interface Survey {
  readonly fates: FateTable
  readonly read: number
  readonly files: ReadonlyArray<{ readonly file: SourceFile; readonly fingerprint: Fingerprint }>
  readonly canary: CanaryRows
  readonly keys: RowKeys
  /** The final word on a row that was spooled as rejected. */
  readonly fateOf: (row: RejectedRow) => RejectedRow | undefined
}

/** Reads the whole source, maps and validates every row, looks each key up in the ledger, and gives every row its fate. Sends nothing. */
export const survey = (
  run: RunContext,
  tally: Tally,
): Effect.Effect<Survey, SourceError | SourceChanged | LedgerError | ReportError> =>
  Effect.gen(function*() {
    const gathered: Gathered = {
      fates: new FateTable(),
      seen: new KeyTable(),
      hash: new RowHash(),
      deferred: new Deferred(),
      canary: new CanaryRows(run.pipeline.sink.canary, run.mapping.answers.length),
    }
    const { fates } = gathered
    const keys = yield* rowKeys(run)
    const numbering = keys.numbering()
    const contents = makeContents(run)
    const classify = makeClassify(run, gathered, contents)
    // Where the ledger knows nothing there is nothing to look up, and no key needs a digest.
    const blank = yield* run.view.isBlank
    let read = 0

    const chunkRows = (chunk: RowChunk) =>
      Effect.gen(function*() {
        const texts = chunk.rows.map((cells, index) => (chunk.faults.has(index) ? undefined : numbering(cells)))
        const known = blank ? [] : yield* lookUp(texts)
        const keyless = yield* keylessRows(chunk, texts)
        const rejected: Array<RejectedRow> = []
        const reject: Reject = (row, key, cells, fate, problems, quiet = false) => {
          rejected.push({ row, key, fate, problems, cells: rowTexts(cells, run.columns), quiet })
        }
        for (let index = 0; index < chunk.rows.length; index++) {
          const cells = chunk.rows[index]!
          const row = chunk.firstRow + index
          const key = texts[index]
          if (key !== undefined) {
            classify(row, cells, key, known[index], reject)
            continue
          }
          const fault = chunk.faults.get(index)
          if (fault === undefined && (run.mapping.filtered(cells) || keyless.leftOut.has(index))) {
            fates.set(row, "filtered")
          } else if (keyless.superseded.has(index)) {
            fates.set(row, "alreadyImported")
          } else {
            fates.set(row, "invalid")
            reject(row, undefined, cells, "invalid", [fault ?? missingKey(run)])
          }
        }
        read += chunk.rows.length
        if (rejected.length > 0) yield* run.folder.reject(rejected)
        tally.read = read
        yield* showProgress(run, tally)
      })

    /** What the ledger knows of each row of a chunk, by its index. */
    const lookUp = (texts: ReadonlyArray<string | undefined>) =>
      Effect.gen(function*() {
        const digests = texts.flatMap((key) => (key === undefined ? [] : [run.ledger.digest.key(key)]))
        const found = yield* run.view.lookUp(digests)
        yield* contents.learn(found)
        let at = 0
        return texts.map((key): KnownRow | undefined => (key === undefined ? undefined : found[at++]))
      })

    /** Which rows of a chunk without a key were mended and went in since, or were left out by a person. */
    const keylessRows = (chunk: RowChunk, texts: ReadonlyArray<string | undefined>) =>
      Effect.gen(function*() {
        const rows = chunk.rows.flatMap((cells: Cells, index) => (texts[index] === undefined ? [{ cells, index }] : []))
        if (blank || rows.length === 0) return { superseded: new Set<number>(), leftOut: new Set<number>() }
        const digests = rows.map(({ cells }) => contents.now(cells))
        const superseded = yield* run.view.superseded(digests)
        const leftOut = yield* run.view.leftOut(digests)
        const those = (flags: ReadonlyArray<boolean>) =>
          new Set(rows.flatMap(({ index }, at) => (flags[at] === true ? [index] : [])))
        return { superseded: those(superseded), leftOut: those(leftOut) }
      })

    yield* eachChunk(Stream.takeWhile(run.source.read(), () => !run.stop.requested()), chunkRows)
    settleDeferred(gathered)
    const files = run.stop.requested() ? [] : yield* run.source.files
    return {
      fates,
      read,
      files,
      canary: gathered.canary,
      keys,
      fateOf: (row) => (fates.get(row.row) === row.fate ? row : undefined),
    }
  })

/** Gives the rows their fates that depended on rows after them. */
const settleDeferred = ({ deferred, fates, hash, seen }: Gathered): void => {
  deferred.resolve(
    hash,
    () => {
      const slot = seen.find(hash)
      return slot >= 0 && seen.matched(slot)
    },
    () => {
      if (seen.find(hash) >= 0) return false
      seen.add(hash, 0)
      return true
    },
    (row, fate) => fates.set(row, fate),
  )
}
