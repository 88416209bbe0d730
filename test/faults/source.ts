import { Effect, Stream } from "effect"
import { createHash } from "node:crypto"
import type { Problem } from "../../src/domain/problem.ts"
import type { Cells, RowChunk } from "../../src/domain/row.ts"
import { toColumns } from "../../src/source/columns.ts"
import { rejectUnread } from "../../src/source/fixed.ts"
import { type Fingerprint, readerVersion, type Source, SourceChanged } from "../../src/source/Source.ts"

/** A row of the simulation's source. */
export interface SourceRow {
  readonly no: string
  readonly name: string
  readonly mail: string
  readonly amount: string
  readonly note: string
  /** Why the row is not read, if it isn't: it can't be, or nobody has corrected a rejected duplicate. It then has no key of its own. */
  readonly unread?: "ragged-row" | "damaged-text" | "duplicate-key"
}

/**
 * Returns the number of the record that a row describes, according to its name: the key that a person gives it. The row may lack its key, or have
 * that of another row.
 */
export const recordIn = (name: unknown): string | undefined => /\b(?:of|Forbidden) (\d+)/.exec(String(name))?.[1]

/** Whether a row has the key of its record. If not, it is in the ledger under a different key, or not at all. */
export const hasOwnKey = ({ name, no, unread }: SourceRow): boolean =>
  unread === undefined && no !== "" && no === (recordIn(name) ?? no)

/** Whether nobody has to correct a row. */
export const isSound = (row: SourceRow): boolean =>
  hasOwnKey(row) && row.mail !== "nobody" && !row.name.startsWith("Forbidden")

const titles = ["No", "Name", "Mail", "Amount", "Note"] as const

const columns = toColumns(titles)

interface ReadRow {
  readonly cells: Cells
  readonly fault?: Problem
}

const readRow = ({ unread, ...row }: SourceRow): ReadRow => {
  const cells = [row.no, row.name, row.mail, row.amount, row.note]
  return unread === undefined
    ? { cells }
    : { cells: unread === "ragged-row" ? cells.slice(0, 2) : cells, fault: { code: unread, message: unread } }
}

/** A file of rejected rows, as a run wrote it. */
export interface RejectedRows {
  readonly titles: ReadonlyArray<string>
  readonly lines: ReadonlyArray<ReadonlyArray<string>>
}

/** Returns the rows of a rejected.csv. */
export const rowsOf = ({ lines, titles: all }: RejectedRows): ReadonlyArray<SourceRow> =>
  lines.map((line) => {
    const [no = "", name = "", mail = "", amount = "", note = ""] = line
    const unread = (["ragged-row", "damaged-text", "duplicate-key"] as const).find((code) =>
      code === line[all.indexOf("_code")]
    )
    return { no, name, mail, amount, note, ...(unread === undefined ? {} : { unread }) }
  })

/** Corrects a row, as a person does who knows every record. */
export const correctRow = ({ amount, mail, name, no, note }: SourceRow): SourceRow => {
  const record = recordIn(name) ?? no
  return {
    no: record,
    name: name.replace("Forbidden", "Person 0 of"),
    mail: ["", "nobody"].includes(mail) ? `p${record}@Example.org` : mail,
    amount: amount || "1",
    note: note.replace("\ufffd", ""),
  }
}

/** Corrects some rows of a rejected.csv. */
export const correctRows = (rejected: RejectedRows, choose: () => boolean): RejectedRows => {
  const rows = rowsOf(rejected)
  const code = rejected.titles.indexOf("_code")
  const lines = rejected.lines.map((line, at) => {
    const row = rows[at]
    return row !== undefined && choose()
      ? [...readRow(correctRow(row)).cells.map(String), ...line.slice(titles.length).with(code - titles.length, "")]
      : line
  })
  return { ...rejected, lines }
}

/** Returns a rejected.csv as a source. */
export const rejectedSource = ({ lines, titles }: RejectedRows): Source => rejectUnread(tableSource(titles, lines))

const chunkRows = 16

/**
 * A source that is read from memory immediately, so that nothing waits for a disk. Each reading uses
 * `rows` as they are when the reading starts.
 */
export const memorySource = (rows: () => ReadonlyArray<SourceRow>): Source =>
  cellSource(columns, () => rows().map(readRow))

/** Returns a source with the rows of a table. */
export const tableSource = (titles: ReadonlyArray<string>, rows: ReadonlyArray<Cells>): Source =>
  cellSource(toColumns(titles), () => rows.map((cells) => ({ cells })))

const cellSource = (columns: Source["columns"], rows: () => ReadonlyArray<ReadRow>): Source => {
  let files: Effect.Effect.Success<Source["files"]> = []
  const file = "source.csv"
  const digested = (read: ReadonlyArray<ReadRow>) => {
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
          const some = read.slice(at, at + chunkRows)
          const faults = some.flatMap(({ fault }, index) => fault === undefined ? [] : [[index, fault] as const])
          chunks.push({ firstRow: at + 1, rows: some.map(({ cells }) => cells), faults: new Map(faults) })
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
