import { Effect, Stream } from "effect"
import { cut, type Problem } from "../domain/problem.ts"
import type { Cells, RowChunk } from "../domain/row.ts"
import type { SourceFile } from "../domain/run.ts"
import type { KnownRow, LedgerError } from "../ledger/Ledger.ts"
import type { RejectedRow, ReportError } from "../report/RunFolder.ts"
import { eachChunk } from "../source/eachChunk.ts"
import type { Fingerprint, SourceChanged, SourceError } from "../source/Source.ts"
import { CanaryRows } from "./canaryRows.ts"
import { contentDigest, rowTexts } from "./content.ts"
import { Deferred } from "./Deferred.ts"
import { FateTable } from "./FateTable.ts"
import { KeyTable } from "./KeyTable.ts"
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
    const fates = new FateTable()
    const seen = new KeyTable()
    const deferred = new Deferred()
    const canary = new CanaryRows(run.pipeline.sink.canary)
    const keys = yield* rowKeys(run)
    const numbering = keys.numbering()
    const contents = yield* makeContents(run)
    let read = 0

    const chunkRows = (chunk: RowChunk) =>
      Effect.gen(function*() {
        const digests = chunk.rows.map((cells, index) => {
          const key = chunk.faults.has(index) ? undefined : numbering(cells)
          return { key, digest: key === undefined ? undefined : run.ledger.digest.key(key) }
        })
        const keyed = digests.flatMap((one) => (one.digest === undefined ? [] : [one.digest]))
        const known = yield* run.view.lookUp(keyed)
        yield* contents.learn(known)
        const keyless = chunk.rows.flatMap((cells, index) =>
          digests[index]?.digest === undefined ? [contents.now(cells)] : []
        )
        const superseded = keyless.length === 0 ? [] : yield* run.view.superseded(keyless)
        const rejected: Array<RejectedRow> = []
        let atKeyed = 0
        let atKeyless = 0
        chunk.rows.forEach((cells, index) => {
          const row = chunk.firstRow + index
          const { key, digest } = digests[index] ?? { key: undefined, digest: undefined }
          const memory = digest === undefined ? undefined : known[atKeyed++]
          const reject = (fate: RejectedRow["fate"], problems: ReadonlyArray<Problem>, quiet = false) => {
            rejected.push({ row, key, fate, problems, cells: rowTexts(cells, run.columns), quiet })
          }
          const give = (fate: Parameters<FateTable["set"]>[1]) => fates.set(row, fate)
          const fault = chunk.faults.get(index)
          if (digest === undefined || key === undefined) {
            const mended = superseded[atKeyless++] === true
            if (fault === undefined && run.mapping.filtered(cells)) return give("filtered")
            if (mended) return give("alreadyImported")
            give("invalid")
            return reject("invalid", [fault ?? missingKey(run)])
          }
          classify({ row, cells, key, digest, memory, give, reject })
        })
        read += chunk.rows.length
        if (rejected.length > 0) yield* run.folder.reject(rejected)
        tally.read = read
        yield* showProgress(run, tally)
      })

    const classify = (one: {
      readonly row: number
      readonly cells: Cells
      readonly key: string
      readonly digest: Buffer
      readonly memory: KnownRow | undefined
      readonly give: (fate: Parameters<FateTable["set"]>[1]) => void
      readonly reject: (fate: RejectedRow["fate"], problems: ReadonlyArray<Problem>, quiet?: boolean) => void
    }): void => {
      const { row, cells, digest, memory, give, reject } = one
      const doubt = memory !== undefined && (memory.state === "inDoubt" || memory.state === "intended")
      const held = doubt && !(run.pipeline.sink.inDoubt === "resend" && !memory.resent)
      if (!doubt && (memory?.leftOut === true || run.mapping.filtered(cells))) return give("filtered")
      const content = contents.now(cells)
      const slot = seen.find(digest)
      if (memory !== undefined && (held || memory.state === "imported" || contents.replaced(memory, cells))) {
        if (contents.same(memory, cells)) {
          if (slot >= 0 && seen.matched(slot)) {
            give("duplicate")
            return reject("duplicate", [duplicateOf(run, seen.row(slot), true)], true)
          }
          seen.match(slot >= 0 ? slot : seen.add(digest, content, row))
          return give(held ? "inDoubt" : "alreadyImported")
        }
        const mapped = run.mapping.map(cells)
        deferred.add(row, digest, held, "item" in mapped)
        if ("problems" in mapped) reject("invalid", mapped.problems)
        else reject("duplicate", [duplicateOf(run, undefined, false)])
        if (!held) reject("changed", [changed(run)], run.pipeline.sink.onChange === "ignore")
        return
      }
      const mapped = run.mapping.map(cells)
      if ("problems" in mapped) {
        if (doubt) return give("inDoubt")
        give("invalid")
        return reject("invalid", mapped.problems)
      }
      if (slot >= 0) {
        const same = seen.hasContent(slot, content)
        give("duplicate")
        return reject("duplicate", [duplicateOf(run, seen.row(slot), same)], same)
      }
      seen.add(digest, content, row)
      const refusal = memory?.state === "refused" ? memory.refusal : undefined
      if (
        refusal !== undefined && !run.retryRefused && refusal.mapping === run.mapping.fingerprint
        && refusal.form === run.formFingerprint && refusal.item.equals(run.ledger.digest.value(mapped.item))
      ) {
        give("refused")
        return reject("refused", [{ code: "refused", message: refusal.message }])
      }
      give("pending")
      canary.offer(row, mapped.item)
    }

    yield* eachChunk(Stream.takeWhile(run.source.read(), () => !run.stop.requested()), chunkRows)
    deferred.resolve(
      (key) => {
        const slot = seen.find(key)
        return slot >= 0 && seen.matched(slot)
      },
      (key) => {
        const slot = seen.find(key)
        if (slot >= 0) return false
        seen.add(key, key, 0)
        return true
      },
      (row, fate) => fates.set(row, fate),
    )
    const files = run.stop.requested() ? [] : yield* run.source.files
    return {
      fates,
      read,
      files,
      canary,
      keys,
      fateOf: (row) => (fates.get(row.row) === row.fate ? row : undefined),
    }
  })

/** Compares a row's content with what the ledger knows, over the columns that were mapped when the row was sent. */
const makeContents = (run: RunContext) =>
  Effect.sync(() => {
    const digestOf = (names: ReadonlyArray<string>) => contentDigest(names, run.columns, run.ledger.digest)
    const now = digestOf(run.shape)
    const shapes = new Map<number, (cells: Cells) => Buffer>()
    const replaced = (memory: KnownRow, cells: Cells) =>
      memory.superseded.length > 0 && memory.superseded.some((content) => content.equals(now(cells)))
    return {
      now,
      replaced,
      same: (memory: KnownRow, cells: Cells) =>
        memory.content.equals((shapes.get(memory.shape) ?? now)(cells)) || replaced(memory, cells),
      /** Fetches the column lists of the rows that were sent under another one. */
      learn: (known: ReadonlyArray<KnownRow | undefined>) =>
        Effect.forEach(
          new Set(known.flatMap((row) => (row === undefined || shapes.has(row.shape) ? [] : [row.shape]))),
          (shape) =>
            Effect.map(run.view.shape(shape), (names) => {
              const current = names.join("\n") === [...run.shape].sort().join("\n")
              shapes.set(shape, current ? now : digestOf(names))
            }),
          { discard: true },
        ),
    }
  })

const missingKey = (run: RunContext): Problem => ({
  code: "missing-key",
  column: run.keyColumns[0],
  message: `${run.keyColumns.join(", ")} is empty, so that the row could not be known again: give it a value.`,
})

const duplicateOf = (run: RunContext, row: number | undefined, same: boolean): Problem => ({
  code: "duplicate-key",
  column: run.keyColumns[0],
  message: `${cut(run.keyColumns.join(", "))} holds a key that ${
    row === undefined ? "another row of this source has already" : `row ${row} has already`
  }, with ${same ? "the same content: nothing is lost" : "other content: give one of them another key, or remove it"}.`,
})

const changed = (run: RunContext): Problem => ({
  code: "changed",
  column: run.keyColumns[0],
  message: "The row was imported before with other content. The service can't change a submission: "
    + "edit it there, or acknowledge the row.",
})
