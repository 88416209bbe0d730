import Papa from "papaparse"
import { row, text, xlsx, zip } from "../source/workbooks.ts"

/** Values of the column `Team`. */
export const teams = ["Red", "Blue"] as const

const titles = ["No", "Name", "Mail", "Team"]

const cellsOf = (no: number): readonly [number, ...Array<string>] => [
  no,
  `Person ${no}`,
  `p${no}@example.org`,
  teams[no % 2] ?? teams[0],
]

type Rows = ReadonlyArray<number>

const objects = (rows: Rows) => rows.map((no) => Object.fromEntries(cellsOf(no).map((cell, at) => [titles[at], cell])))

const delimited = (rows: Rows, delimiter: string) =>
  `${Papa.unparse([titles, ...rows.map((no) => [...cellsOf(no)])], { delimiter, newline: "\n" })}\n`

/** The lowest number of a record that arrives long after its time. */
export const firstLate = 1_000

const arrival = (no: number) => new Date(Date.UTC(no < firstLate ? 2025 : 2024, 0, 1, no)).toISOString()

const writers = {
  csv: { file: "source.csv", write: (rows: Rows) => delimited(rows, ",") },
  semicolons: { file: "export.csv", write: (rows: Rows) => `\uFEFF${delimited(rows, ";")}` },
  jsonl: {
    file: "source.jsonl",
    write: (rows: Rows) => objects(rows).map((one) => `${JSON.stringify(one)}\n`).join(""),
  },
  json: { file: "source.json", write: (rows: Rows) => JSON.stringify(objects(rows)) },
  // What a tool has, from which it is pulled. The time of each record is an hour after that of the previous one.
  pull: {
    file: "tool.json",
    write: (rows: Rows) => JSON.stringify(objects(rows).map((one) => ({ ...one, at: arrival(Number(one["No"])) }))),
  },
  xlsx: {
    file: "source.xlsx",
    write: (rows: Rows) =>
      zip(xlsx([{
        name: "People",
        rows: [
          row(1, ...titles.map(text)),
          ...rows.map((no, at) =>
            row(at + 2, ...cellsOf(no).map((cell) => typeof cell === "number" ? `><v>${cell}</v>` : text(cell)))
          ),
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
    : `connection: tool, request: { path: /records, query: { since: "{since}", offset: "{offset}" } }, page: { offset: 0, total: /total }, records: /items, since: { at: /at, overlap: 2 hours, fullEvery: 10000 days }`

/** Returns the tool's answer to a request, from the file that contains its records. */
export const answer = (url: URL, file: string): Response => {
  const since = url.searchParams.get("since")
  const all = JSON.parse(file) as ReadonlyArray<{ readonly at: string }>
  const found = since === null ? all : all.filter(({ at }) => Date.parse(at) >= Date.parse(since))
  const offset = Number(url.searchParams.get("offset"))
  return Response.json({ total: found.length, items: found.slice(offset, offset + 20) })
}
