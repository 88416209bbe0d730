import { Effect } from "effect"
import type { SourceFile } from "../domain/report.ts"
import type { RowChunk } from "../domain/row.ts"
import type { LedgerError } from "../ledger/Ledger.ts"
import type { KnownRow } from "../ledger/records.ts"
import type { RejectedRow } from "../report/csvFiles.ts"
import type { ReportError } from "../report/partFiles.ts"
import { eachChunk } from "../source/eachChunk.ts"
import { accountForLines } from "../source/lineCount.ts"
import type { Fingerprint, SourceChanged, SourceError } from "../source/Source.ts"
import { CanaryRows } from "./canaryRows.ts"
import { CellTable } from "./CellTable.ts"
import { type Gathered, makeClassify, makeContents, type Reject, type SameRow } from "./classify.ts"
import { rowTexts } from "./content.ts"
import { Deferred } from "./Deferred.ts"
import { FateTable } from "./FateTable.ts"
import { KeyHashes } from "./KeyHashes.ts"
import { duplicateOf, missingKey } from "./keyProblems.ts"
import { KeyTable } from "./KeyTable.ts"
import { MetRows } from "./MetRows.ts"
import { type NewRows, newRows } from "./NewRows.ts"
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
  /** Rows in doubt that may go out once more: in doubt still unless they were created. */
  readonly resending: ReadonlySet<number>
  /** Rows of the ledger that the source holds. */
  readonly met: MetRows
  /** What became of the source's cells. */
  readonly cells: CellTable
  /** Duplicates of a row with the same content, of those whose fate was known at the end only. */
  readonly repeated: ReadonlySet<number>
  /** Rows that are new, if the ledger knows others. */
  readonly fresh: NewRows | undefined
  /** The final word on a row that was spooled as rejected. */
  readonly fateOf: (row: RejectedRow) => RejectedRow | undefined
}

/** Rows after which the survey tells how far it is: a few times as many as a chunk has, for telling costs as much as a dozen rows. */
const toldEvery = 4_096

/** Rows of a chunk without a key that the ledger knows by their content, by index. */
interface Keyless {
  readonly superseded: ReadonlySet<number>
  readonly leftOut: ReadonlySet<number>
}

const unknown: Keyless = { superseded: new Set(), leftOut: new Set() }

/** Reads the whole source, maps and validates every row, looks each key up in the ledger, and gives every row its fate. Sends nothing. */
export const survey = (
  run: RunContext,
  tally: Tally,
): Effect.Effect<Survey, SourceError | SourceChanged | LedgerError | ReportError> =>
  Effect.gen(function*() {
    // Where the ledger knows nothing there is nothing to look up, and no key needs a digest.
    const blank = yield* run.view.isBlank
    const gathered: Gathered = {
      fates: new FateTable(),
      seen: new KeyTable(),
      hash: new RowHash(),
      deferred: new Deferred(),
      canary: new CanaryRows(run.pipeline.sink.canary, run.mapping.answers.length),
      resending: new Set(),
      met: new MetRows(),
      fresh: blank ? undefined : yield* newRows(run),
      dropped: (row, problem) => tally.problem(row, problem),
    }
    const { fates, hash, seen } = gathered
    const hashes = new KeyHashes()
    const table = new CellTable(run.columns, run.source.columns.length, run.mapping)
    const keys = yield* rowKeys(run)
    const numbering = keys.numbering()
    const contents = makeContents(run, gathered.met)
    const classify = makeClassify(run, gathered, contents)
    let read = 0
    let tellAt = 0

    // No generator runs per chunk: theirs keep one another's chunks alive until the slow collector comes, which cost a second and 60 MB.
    const chunkRows = (chunk: RowChunk): Effect.Effect<void, LedgerError | ReportError> =>
      Effect.suspend(() => {
        const texts = chunk.rows.map((cells, index) => (chunk.faults.has(index) ? undefined : numbering(cells)))
        return blank
          ? through(chunk, texts, [], unknown)
          : Effect.flatMap(lookUp(chunk, texts), (known) =>
            texts.includes(undefined)
              ? Effect.flatMap(keylessRows(chunk, texts), (keyless) => through(chunk, texts, known, keyless))
              : through(chunk, texts, known, unknown))
      })

    /** Gives the rows of a chunk their fates. */
    const through = (
      chunk: RowChunk,
      texts: ReadonlyArray<string | undefined>,
      known: ReadonlyArray<KnownRow | SameRow | undefined>,
      keyless: Keyless,
    ) =>
      Effect.suspend(() => {
        hashes.take(texts, hash, seen)
        const rejected: Array<RejectedRow> = []
        const reject: Reject = (row, key, cells, fate, problems, quiet = false) => {
          rejected.push({ row, key, fate, problems, cells: rowTexts(cells, run.columns), quiet })
        }
        for (let index = 0; index < chunk.rows.length; index++) {
          const cells = chunk.rows[index]!
          const row = chunk.firstRow + index
          const key = texts[index]
          if (key === undefined) withoutKey(chunk, index, keyless, reject)
          else {
            hashes.into(hash, index)
            classify(row, cells, key, known[index], reject)
          }
          const fate = gathered.resending.has(row) ? undefined : fates.get(row)
          const repeats = fate === "duplicate" && rejected.at(-1)?.quiet === true
          table.read(row, cells, fate, repeats)
        }
        read += chunk.rows.length
        tally.read = read
        let told: Effect.Effect<void> = Effect.void
        if (read >= tellAt) {
          tellAt = read + toldEvery
          told = showProgress(run, tally)
        }
        return rejected.length === 0 ? told : Effect.zipRight(run.folder.reject(rejected), told)
      })

    const withoutKey = (chunk: RowChunk, index: number, keyless: Keyless, reject: Reject): void => {
      const cells = chunk.rows[index]!
      const row = chunk.firstRow + index
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

    /** What the ledger knows of each row of a chunk, by its index. */
    const lookUp = (chunk: RowChunk, texts: ReadonlyArray<string | undefined>) =>
      Effect.flatMap(
        run.view.unchanged(texts, (at, shape) => contents.over(shape, chunk.rows[at]!)),
        (same): Effect.Effect<ReadonlyArray<KnownRow | SameRow | undefined>, LedgerError> => {
          const digests: Array<Buffer> = []
          texts.forEach((key, at) => {
            if (key !== undefined && same[at] === undefined) digests.push(run.ledger.digest.key(key))
          })
          const rows = (found: ReadonlyArray<KnownRow | undefined>) => {
            let next = 0
            return texts.map((key, at): KnownRow | SameRow | undefined => {
              const id = same[at]
              return id !== undefined ? { state: "same", id } : key === undefined ? undefined : found[next++]
            })
          }
          return digests.length === 0
            ? Effect.succeed(rows([]))
            : Effect.flatMap(run.view.lookUp(digests), (found) => Effect.as(contents.learn(found), rows(found)))
        },
      )

    /** Which rows of a chunk without a key were mended and went in since, or were left out by a person. */
    const keylessRows = (
      chunk: RowChunk,
      texts: ReadonlyArray<string | undefined>,
    ): Effect.Effect<Keyless, LedgerError> =>
      Effect.gen(function*() {
        const rows = chunk.rows.flatMap((cells, index) => (texts[index] === undefined ? [{ cells, index }] : []))
        const digests = rows.map(({ cells }) => contents.now(cells))
        const mended = yield* run.view.superseded(digests)
        for (const id of mended) if (id !== undefined) gathered.met.mark(id, true)
        const superseded = mended.map((id) => id !== undefined)
        const leftOut = yield* run.view.leftOut(digests)
        const those = (flags: ReadonlyArray<boolean>) =>
          new Set(rows.flatMap(({ index }, at) => (flags[at] === true ? [index] : [])))
        return { superseded: those(superseded), leftOut: those(leftOut) }
      })

    yield* eachChunk(run.source.read(), chunkRows, run.stop.requested)
    yield* showProgress(run, tally)
    const repeated = settleDeferred(gathered)
    const files = run.stop.requested() ? [] : yield* run.source.files
    yield* accountForLines(files)
    return {
      fates,
      read,
      files,
      canary: gathered.canary,
      keys,
      resending: gathered.resending,
      met: gathered.met,
      cells: table,
      repeated,
      fresh: gathered.fresh,
      fateOf: (row) => {
        if (fates.get(row.row) !== row.fate) return undefined
        return repeated.has(row.row) ? { ...row, problems: [duplicateOf(run, undefined, true)], quiet: true } : row
      },
    }
  })

/** Gives the rows their fates that depended on rows after them. Gives those that only repeat a row that goes in again. */
const settleDeferred = ({ deferred, fates, hash, seen }: Gathered): ReadonlySet<number> => {
  const repeated = new Set<number>()
  deferred.resolve(
    hash,
    {
      matched: () => {
        const slot = seen.find(hash)
        return slot >= 0 && seen.matched(slot)
      },
      claim: () => {
        const slot = seen.find(hash)
        if (slot >= 0) return seen.hasContent(slot, hash) ? "same" : "other"
        seen.add(hash, 0)
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
