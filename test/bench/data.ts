import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { random } from "../random.ts"

/** The names of the twelve columns. `Id` is the row key. */
export const columns = [
  "Id",
  "Name",
  "Mail",
  "Born",
  "Amount",
  "City",
  "Colour",
  "Note",
  "Score",
  "Joined",
  "Second mail",
  "Status",
] as const

/**
 * Draws rows of twelve cells from a seed: text, numbers, dates in two formats, email addresses and choices. Every
 * tenth row has a cell with quotes and a line break.
 */
export const rows = function*(count: number, seed: number): Generator<ReadonlyArray<string>> {
  const next = random(seed)
  const pick = (list: ReadonlyArray<string>) => list[Math.floor(next() * list.length)] ?? ""
  const two = (value: number) => String(value).padStart(2, "0")
  for (let row = 1; row <= count; row++) {
    const day = two(1 + Math.floor(next() * 28))
    const month = two(1 + Math.floor(next() * 12))
    yield [
      `K${row}`,
      `Person Number ${row}`,
      `person${row}@example.org`,
      `${day}.${month}.${1940 + Math.floor(next() * 70)}`,
      (next() * 1000).toFixed(2),
      pick(["Berlin", "Hamburg", "München", "Köln"]),
      pick(["Red", "Green", "Blue"]),
      row % 10 === 0 ? `Said "hello", twice\nand left ${row}` : `a note of some length about row ${row}`,
      String(Math.floor(next() * 100)),
      `${2000 + (row % 24)}-${month}-${day}`,
      `second.mail${row % 50_000}@example.com`,
      pick(["Active", "Blocked"]),
    ]
  }
}

const quoted = (cell: string) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/**
 * Writes rows as a CSV file with a header. @param changed number of the row whose name differs from the name in `rows`
 */
export const writeCsv = async (file: string, count: number, seed: number, changed?: number): Promise<void> => {
  const out = createWriteStream(file)
  let text = `${columns.join(",")}\n`
  let number = 0
  for (const row of rows(count, seed)) {
    const cells = ++number === changed ? row.with(1, "Somebody Else") : row
    text += `${cells.map(quoted).join(",")}\n`
    if (text.length < 1 << 20) continue
    if (!out.write(text)) await once(out, "drain")
    text = ""
  }
  out.end(text)
  await once(out, "close")
}
