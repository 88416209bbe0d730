import { once } from "node:events"
import { createWriteStream, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Numbers between 0 and 1 from a seed, the same on every machine (mulberry32). */
const numbers = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (state + 0x6D2B79F5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

/** Names of the twelve columns; `Id` is the row key. */
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

/** Rows of twelve cells from a seed: text, numbers, dates in two formats, e-mail addresses and choices; every tenth has quotes and a line break in a cell. */
export const rows = function*(count: number, seed: number): Generator<ReadonlyArray<string>> {
  const next = numbers(seed)
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

/** Writes rows as a CSV file with its header. */
export const writeCsv = async (file: string, count: number, seed: number): Promise<void> => {
  const out = createWriteStream(file)
  let text = `${columns.join(",")}\n`
  for (const row of rows(count, seed)) {
    text += `${row.map(quoted).join(",")}\n`
    if (text.length < 1 << 20) continue
    if (!out.write(text)) await once(out, "drain")
    text = ""
  }
  out.end(text)
  await once(out, "close")
}

const choice = (name: string, options: ReadonlyArray<string>) => ({
  name,
  type: "Dropdown",
  options: options.map((label) => ({ value: label.toLowerCase(), label })),
})

const questions = [
  { name: "Name", type: "ShortAnswer" },
  { name: "Mail", type: "EmailInput" },
  { name: "Born", type: "DatePicker" },
  { name: "Amount", type: "NumberInput" },
  { name: "City", type: "ShortAnswer" },
  choice("Colour", ["Red", "Green", "Blue"]),
  { name: "Note", type: "LongAnswer" },
  { name: "Score", type: "NumberInput" },
  { name: "Joined", type: "DatePicker" },
  { name: "Second mail", type: "EmailInput" },
  choice("Status", ["Active", "Blocked"]),
].map((question, index) => ({ id: `q${index + 1}`, ...question }))

/** The form that takes these rows, as the practice service reads it: the row key goes into a URL parameter, so that all twelve columns are mapped. */
export const form = { id: "bench1", name: "Bench", questions, urlParameters: [{ id: "u1", name: "key" }] }

/** A project in a folder: one pipeline that maps all twelve columns of `source.csv`. */
export const writeProject = (root: string, service: string, sink = ""): void => {
  for (const folder of ["config", "pipelines", "forms"]) mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(join(root, "config", "formferry.yaml"), `services:\n  bench: ${service}\n`)
  writeFileSync(join(root, "forms", "bench.json"), JSON.stringify(form))
  const entries = questions.map(({ name }) =>
    `    - { name: ${name}, from: ${name}${name === "Born" ? ", as: date, format: dd.MM.yyyy" : ""} }`
  )
  writeFileSync(
    join(root, "pipelines", "bench.yaml"),
    [
      "pipeline: bench",
      "source: { file: ../source.csv, rowKey: [Id] }",
      "mapping:",
      "  questions:",
      ...entries,
      "  urlParameters: [{ name: key, from: Id }]",
      `sink: { service: bench, form: ${form.id}${sink} }`,
      "",
    ].join("\n"),
  )
}
