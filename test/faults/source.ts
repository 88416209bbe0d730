import { Effect, Stream } from "effect"
import { createHash } from "node:crypto"
import type { Cells, RowChunk } from "../../src/domain/row.ts"
import { toColumns } from "../../src/source/columns.ts"
import { type Fingerprint, readerVersion, type Source, SourceChanged } from "../../src/source/Source.ts"

/** A row of the simulation's source. */
export interface SourceRow {
  readonly no: string
  readonly name: string
  readonly mail: string
  readonly amount: string
  readonly note: string
}

const columns = toColumns(["No", "Name", "Mail", "Amount", "Note"])

const cellsOf = (row: SourceRow): Cells => [row.no, row.name, row.mail, row.amount, row.note]

const chunkRows = 16

/**
 * A source that is read from memory immediately, so that nothing waits for a disk. Each reading uses
 * `rows` as they are when the reading starts.
 */
export const memorySource = (rows: () => ReadonlyArray<SourceRow>): Source =>
  cellSource(columns, () => rows().map(cellsOf))

/** Returns a source with the rows of a table. */
export const tableSource = (titles: ReadonlyArray<string>, rows: ReadonlyArray<Cells>): Source =>
  cellSource(toColumns(titles), () => rows)

const cellSource = (columns: Source["columns"], rows: () => ReadonlyArray<Cells>): Source => {
  let files: Effect.Effect.Success<Source["files"]> = []
  const file = "source.csv"
  const digested = (read: ReadonlyArray<Cells>) => {
    const text = JSON.stringify(read)
    return { bytes: text.length, sha256: createHash("sha256").update(text).digest("hex") }
  }
  return {
    dialect: { format: "csv", reader: readerVersion },
    columns,
    blocks: [],
    taken: [],
    format: "csv",
    warnings: [],
    read: (expected) =>
      Stream.suspend(() => {
        const read = rows()
        const { bytes, sha256 } = digested(read)
        const fingerprint: Fingerprint = { bytes, sha256, blocks: new Uint8Array(0), blockSize: 0 }
        if (expected !== undefined && expected[0]?.sha256 !== sha256) return Stream.fail(new SourceChanged({ file }))
        const chunks: Array<RowChunk> = []
        for (let at = 0; at < read.length; at += chunkRows) {
          chunks.push({ firstRow: at + 1, rows: read.slice(at, at + chunkRows), faults: new Map() })
        }
        files = []
        return Stream.concat(
          Stream.fromIterable(chunks),
          Stream.execute(Effect.sync(() => {
            files = [{
              file: { file, format: "csv", bytes, sha256, rows: read.length, taken: [] },
              fingerprint,
            }]
          })),
        )
      }),
    files: Effect.sync(() => files),
    digest: Effect.sync(() => [{ file, ...digested(rows()) }]),
  }
}
