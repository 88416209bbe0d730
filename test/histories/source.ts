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

const writers = {
  csv: { file: "source.csv", write: (rows: Rows) => delimited(rows, ",") },
  semicolons: { file: "export.csv", write: (rows: Rows) => `\uFEFF${delimited(rows, ";")}` },
  jsonl: {
    file: "source.jsonl",
    write: (rows: Rows) => objects(rows).map((one) => `${JSON.stringify(one)}\n`).join(""),
  },
  json: { file: "source.json", write: (rows: Rows) => JSON.stringify(objects(rows)) },
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

export const formats = ["csv", "semicolons", "jsonl", "json", "xlsx"] as const satisfies ReadonlyArray<Format>

/** Whether a source in this format has a header even without rows. */
export const hasHeader = (format: Format): boolean => format !== "json" && format !== "jsonl"

export const fileOf = (format: Format): string => writers[format].file

/** Returns the same rows in any format. */
export const sourceIn = (format: Format, rows: Rows): string | Uint8Array => writers[format].write(rows)
