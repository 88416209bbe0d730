import Papa from "papaparse"
import { row, text, xlsx, zip } from "../source/workbooks.ts"

/** Values of the column `Team`. */
export const teams = ["Red", "Blue"] as const

/**
 * Why a row is rejected as the source has it. A format that can't have the flaw has a bad address in its place.
 * `unknown team`: the form gets that option later, and then the row is valid. `keyOf`: the row has the key of another
 * row, and the other cells of the key as well.
 */
export type Flaw = "bad mail" | "unknown team" | "no key" | "too short" | "damaged" | { readonly keyOf: number }

/** The rows of a source, by number. Each number stands for one record, whatever the source has as its key. */
export interface Rows {
  readonly numbers: ReadonlyArray<number>
  readonly flaws: ReadonlyMap<number, Flaw>
  /** Whether keys have leading zeros. */
  readonly isPadded: boolean
}

/** The cells of a row. */
export interface Row {
  readonly No: number | string
  readonly Name: string
  readonly Mail: string
  readonly Team: string
}

const titles = ["No", "Name", "Mail", "Team"] as const

/** Returns a row without its flaw. */
export const correctRow = (no: number, isPadded: boolean): Row => ({
  No: isPadded ? String(no).padStart(6, "0") : no,
  Name: `Person ${no}`,
  Mail: `p${no}@example.org`,
  Team: teams[no % 2] ?? teams[0],
})

/** A character whose byte is replaced by one that is not valid UTF-8. */
const broken = "\u0001"

/** Returns a row as the source has it. @param damage what damages a cell in this format, if anything can */
const rowOf = (no: number, { flaws, isPadded, numbers }: Rows, damage: string | undefined): Row => {
  const row = correctRow(no, isPadded)
  const flaw = flaws.get(no)
  if (flaw === undefined) return row
  if (flaw === "unknown team") return { ...row, Team: "Team 0" }
  // A key of several columns lacks none of them.
  if (flaw === "no key") return { No: "", Name: row.Name, Mail: "", Team: "" }
  if (flaw === "damaged" && damage !== undefined) return { ...row, Name: `${row.Name} é${damage}` }
  if (typeof flaw === "object" && numbers.includes(flaw.keyOf)) {
    return { ...correctRow(flaw.keyOf, isPadded), Name: row.Name }
  }
  return { ...row, Mail: "nobody" }
}

const objects = (rows: Rows) => rows.numbers.map((no) => ({ no, row: rowOf(no, rows, "\ud83d") }))

const delimited = (rows: Rows, delimiter: string) => {
  const lines = rows.numbers.map((no) => {
    const row = rowOf(no, rows, broken)
    return rows.flaws.get(no) === "too short" ? [row.No, row.Name] : titles.map((title) => row[title])
  })
  const bytes = Buffer.from(`${Papa.unparse([[...titles], ...lines], { delimiter, newline: "\n" })}\n`)
  return bytes.map((byte) => byte === broken.charCodeAt(0) ? 0xff : byte)
}

/** The lowest number of a record that arrives long after its time. */
export const firstLate = 1_000

const arrival = (no: number) => new Date(Date.UTC(no < firstLate ? 2025 : 2024, 0, 1, no)).toISOString()

const writers = {
  csv: { file: "source.csv", write: (rows: Rows) => delimited(rows, ",") },
  semicolons: {
    file: "export.csv",
    write: (rows: Rows) => Buffer.concat([Buffer.from("\uFEFF"), delimited(rows, ";")]),
  },
  jsonl: {
    file: "source.jsonl",
    write: (rows: Rows) => objects(rows).map(({ row }) => `${JSON.stringify(row)}\n`).join(""),
  },
  json: { file: "source.json", write: (rows: Rows) => JSON.stringify(objects(rows).map(({ row }) => row)) },
  // What a tool has, from which it is pulled. The time of each record is an hour after that of the previous one.
  pull: {
    file: "tool.json",
    write: (rows: Rows) => JSON.stringify(objects(rows).map(({ no, row }) => ({ ...row, at: arrival(no) }))),
  },
  xlsx: {
    file: "source.xlsx",
    write: (rows: Rows) =>
      zip(xlsx([{
        name: "People",
        rows: [
          row(1, ...titles.map(text)),
          ...rows.numbers.map((no, at) => {
            const cells = rowOf(no, rows, undefined)
            return row(
              at + 2,
              ...titles.map((title) => {
                const cell = cells[title]
                return typeof cell === "number" ? `><v>${cell}</v>` : text(cell)
              }),
            )
          }),
        ].join(""),
      }])),
  },
} as const

export type Format = keyof typeof writers

export const formats = ["csv", "semicolons", "jsonl", "json", "xlsx", "pull"] as const satisfies ReadonlyArray<Format>

/** Whether a source in this format has a header even without rows. */
export const hasHeader = (format: Format): boolean => format !== "json" && format !== "jsonl" && format !== "pull"

export const fileOf = (format: Format): string => writers[format].file

/** Returns the same rows in any format. */
export const sourceIn = (format: Format, rows: Rows): string | Uint8Array => writers[format].write(rows)

/** The project's connection to the tool. */
export const connection = `connections: { tool: { base: "https://tool.example", requestsPerSecond: 100 } }\n`

/** The keys of a pipeline's source in this format. */
export const sourceKeys = (format: Format): string =>
  format !== "pull"
    ? `file: ../${fileOf(format)}`
    // The overlap is short, and no run pulls all records without a reason, so that a mark that passed a row would be noticed.
    : `connection: tool, request: { path: /records, query: { since: "{since}", offset: "{offset}" } }, page: { offset: 0, total: /total, id: /at }, records: /items, since: { at: /at, overlap: 2 hours, fullEvery: 10000 days }`

/** Returns the tool's answer to a request, from the file that contains its records. */
export const answer = (url: URL, file: string): Response => {
  const since = url.searchParams.get("since")
  const all = JSON.parse(file) as ReadonlyArray<{ readonly at: string }>
  const found = since === null ? all : all.filter(({ at }) => Date.parse(at) >= Date.parse(since))
  const offset = Number(url.searchParams.get("offset"))
  return Response.json({ total: found.length, items: found.slice(offset, offset + 20) })
}
