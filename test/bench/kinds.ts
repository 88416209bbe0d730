import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { formWith } from "../fakeForms.ts"
import { random } from "../random.ts"
import { embedded, writeConfig } from "./project.ts"

const options = ["Red", "Green", "Blue", "Yellow"]
const topics = ["Sports", "Music", "Food & drink", "Travel"]

const listed = (labels: ReadonlyArray<string>) => labels.map((label) => ({ value: label.toLowerCase(), label }))

/** The name of a column and its question, the question's type, its options, and its entry in the pipeline. */
const columns = [
  ["Name", "ShortAnswer", undefined, ""],
  ["Mail", "EmailInput", undefined, ""],
  ["Phone", "PhoneNumber", undefined, "as: phone, country: DE"],
  ["Website", "URLInput", undefined, ""],
  ["Born", "DatePicker", undefined, "as: date, format: dd.MM.yyyy"],
  ["Appointment", "DateTimePicker", undefined, "as: dateTime, format: dd.MM.yyyy HH:mm, zone: Europe/Berlin"],
  ["Opens", "TimePicker", undefined, "as: time, format: HH:mm"],
  ["Revenue", "NumberInput", undefined, 'as: number, decimal: ",", group: "."'],
  ["Rating", "StarRating", undefined, "as: number, integer: true, min: 1, max: 5"],
  ["Newsletter", "Switch", undefined, 'as: boolean, "true": [ja], "false": [nein]'],
  ["Colour", "Dropdown", listed(options), ""],
  ["Topics", "Checkboxes", listed(topics), 'as: choices, split: ","'],
  ["Note", "LongAnswer", undefined, ""],
  ["Code", "ShortAnswer", undefined, 'as: text, pattern: "^[A-Z]{2}\\\\d{4}$"'],
] as const

const form = formWith({
  id: "kinds1",
  name: "Kinds",
  questions: columns.map(([name, type, options], index) => ({ id: `q${index + 1}`, name, type, options })),
  urlParameters: [{ id: "u1", name: "key" }],
})

/** Draws rows of fifteen cells from a seed. The cells cover every common kind. */
const rows = function*(count: number, seed: number): Generator<ReadonlyArray<string>> {
  const next = random(seed)
  const below = (limit: number) => Math.floor(next() * limit)
  const two = (value: number) => String(value).padStart(2, "0")
  const day = (from: number, years: number) => `${two(1 + below(28))}.${two(1 + below(12))}.${from + below(years)}`
  for (let row = 1; row <= count; row++) {
    yield [
      `K${row}`,
      `Person Number ${row}`,
      `person${row}@example.org`,
      `030 / 23125-${two(below(100))}${below(10)}`,
      `https://www.person-${row}.example.de/page?of=${row}`,
      day(1940, 70),
      // Times are in the daytime, when no clock change occurs.
      `${day(2015, 10)} ${two(8 + below(10))}:${two(below(60))}`,
      `${two(6 + below(5))}:30`,
      `${1 + below(999)}.${String(below(1_000)).padStart(3, "0")},${two(below(100))}`,
      String(1 + below(5)),
      next() < 0.5 ? "ja" : "nein",
      options[below(4)] ?? "",
      [topics[below(2)], topics[2 + below(2)]].join(", "),
      `a note of some length about row ${row}`,
      `AB${String(below(10_000)).padStart(4, "0")}`,
    ]
  }
}

/** Writes a project whose source has a mapped column of every common kind. */
export const writeKinds = (root: string, count: number, seed: number): void => {
  writeConfig(root, { service: embedded, form })
  const quoted = (cell: string) => (/[",\n]/.test(cell) ? `"${cell}"` : cell)
  const lines = Array.from(rows(count, seed), (row) => row.map(quoted).join(","))
  writeFileSync(join(root, "source.csv"), `Id,${columns.map(([name]) => name).join(",")}\n${lines.join("\n")}\n`)
  writeFileSync(
    join(root, "pipelines", "bench.yaml"),
    [
      "pipeline: bench",
      "source: { file: ../source.csv, rowKey: [Id] }",
      "mapping:",
      "  questions:",
      ...columns.map(([name, , , more]) => `    - { name: ${name}, from: ${name}${more === "" ? "" : `, ${more}`} }`),
      "  urlParameters: [{ name: key, from: Id }]",
      `sink: { service: bench, form: ${form.id} }`,
      "",
    ].join("\n"),
  )
}
