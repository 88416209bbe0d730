// What a person does with the rows that the last run rejected.
import { expect } from "@effect/vitest"
import Papa from "papaparse"
import { row, text, xlsx, zip } from "../source/workbooks.ts"
import type { Bench } from "./contacts.ts"

/** Runs the command that the last run suggested, unchanged. */
export const importFixed = (at: Bench, lastLine: string) => {
  expect(lastLine).toMatch(/^formferry run contacts --source \S+rejected\.csv$/)
  return at.inProcess(...lastLine.split(" ").slice(1))
}

/** Changes the last run's rejected.csv. */
export const fix = (at: Bench, ...changes: ReadonlyArray<readonly [RegExp | string, string]>) => {
  for (const [before, after] of changes) at.edit("reports/contacts/latest/rejected.csv", before, after)
}

type Lines = ReadonlyArray<ReadonlyArray<string>>

/** Returns the cells of the last run's rejected.csv, changed by a function. */
export const rejectedLines = (at: Bench, change = (cell: string) => cell): Lines =>
  Papa.parse<Array<string>>(at.read("reports/contacts/latest/rejected.csv"), { skipEmptyLines: true })
    .data.map((line) => line.map(change))

/** Returns a worksheet's rows with these texts. */
export const sheetOf = (lines: Lines): string =>
  lines.map((line, index) => row(index + 1, ...line.map((cell) => cell === "" ? "" : text(cell)))).join("")

/** Saves rejected rows as a workbook, and imports it. */
export const runAsWorkbook = (at: Bench, name: string, lines = rejectedLines(at)) => {
  at.write(name, zip(xlsx([{ name: "rejected", rows: sheetOf(lines) }])))
  return at.inProcess("run", "contacts", "--source", name)
}
