import { NodeContext } from "@effect/platform-node"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as XLSX from "xlsx"
import { stringify } from "yaml"
import { isLong } from "../long.ts"
import { projectFolder } from "../project/projectFolder.ts"
import { formferry, inProcess, onOneLine } from "./formferry.ts"

const long = "Why did you choose us? ".repeat(40).slice(0, 800).trim()

const question = (id: string, name: string, type: string, options?: ReadonlyArray<string>) => ({
  id,
  name,
  type,
  ...(options === undefined ? {} : { options }),
})

const form = {
  id: "people1",
  name: "People",
  questions: [
    question("q1", "Name", "ShortAnswer"),
    question("q2", "Name", "ShortAnswer"),
    question("q3", "=SUM(A1:A9)", "ShortAnswer"),
    question("q4", long, "LongAnswer"),
    question("q5", "Row ID", "ShortAnswer"),
    question("q6", "Color", "Dropdown", ["Red", "Blue"]),
    question("q7", "Interests", "Checkboxes", ["Reading", "Sports, outdoor", "Music"]),
    question("q8", "Born", "DatePicker"),
    question("q9", "E-mail", "EmailInput"),
    question("q10", "Age", "NumberInput"),
    question("q11", "Home", "Address"),
    question("q12", "Stay", "DateRange"),
    question("q13", "+Grid", "Matrix", ["Good", "Bad"]),
    question("q14", "Nobody answers this", "ShortAnswer"),
  ],
}

const header = [
  "Import Row ID",
  "Name (q1)",
  "Name (q2)",
  "=SUM(A1:A9)",
  long,
  "Row ID",
  "Color",
  "Interests",
  "Born",
  "E-mail",
  "Age",
  "Home (address)",
  "Home (city)",
  "Home (state)",
  "Home (zipCode)",
  "Home (country)",
  "Stay (start)",
  "Stay (end)",
  "Nobody answers this",
]

const rows = [
  "r1|Ada|Lovelace|7|Because|A-1|Red|Reading; Sports, outdoor|1815-12-10|ada@example.org|36|1 Main St|London||N1|UK|2026-01-01|2026-01-05|",
  "r2|Zoë|Öz|=1+1||A-2|Blue|Music|1990-02-28|zoe@example.org|41||Bonn||53111||||",
  "r3|Bob|||So|A-3|Red||2001-01-31||||||||2026-02-01|2026-02-02|",
].map((row) => row.split("|"))

const answers = [
  {
    q1: "Ada",
    q2: "Lovelace",
    q3: "7",
    q4: "Because",
    q5: "A-1",
    q6: "Red",
    q7: ["Reading", "Sports, outdoor"],
    q8: "1815-12-10",
    q9: "ada@example.org",
    q10: 36,
    q11: { address: "1 Main St", city: "London", zipCode: "N1", country: "UK" },
    q12: { start: "2026-01-01", end: "2026-01-05" },
  },
  {
    q1: "Zoë",
    q2: "Öz",
    q3: "=1+1",
    q5: "A-2",
    q6: "Blue",
    q7: ["Music"],
    q8: "1990-02-28",
    q9: "zoe@example.org",
    q10: 41,
    q11: { city: "Bonn", zipCode: "53111" },
  },
  { q1: "Bob", q4: "So", q5: "A-3", q6: "Red", q8: "2001-01-31", q12: { start: "2026-02-01", end: "2026-02-02" } },
]

interface Stored {
  readonly questions: ReadonlyArray<{ readonly id: string; readonly value: unknown }>
}

const project = `services:
  practice:
    practice: { forms: ../forms, store: ../.formferry/practice }
ledger: { file: ../.formferry/ledger.db }
reports: ../reports
`

layer(NodeContext.layer)("a filled-in template", (it) => {
  it.scoped.each(([["csv"], ["xlsx"]] as const).slice(isLong ? 0 : 1))(
    "a filled-in template passes init, check and run without edits: %s",
    ([ending]) =>
      Effect.gen(function*() {
        const cwd = yield* projectFolder({
          "config/formferry.yaml": project,
          "forms/people.yaml": stringify(form),
        })
        const name = `people.${ending}`
        const file = join(cwd, name)
        const words = ["template", "practice", "people1", name]
        const made = yield* formferry(words, { cwd })
        expect([made.status, made.stderr]).toEqual([0, ""])
        expect(made.stdout).toContain("Questions without a column, because the form does not list their rows: +Grid.")
        expect(made.stdout).toContain(`formferry init NAME --source ${name} --service practice --form people1`)
        const again = yield* inProcess(words, { cwd })
        expect([again.status, onOneLine(again.stderr)])
          .toEqual([2, expect.stringContaining("already exists. Choose a different name.")])
        for (
          const elsewhere of [[...words.slice(0, 3), `nowhere/${name}`], [
            "ledger",
            "export",
            "--out",
            `nowhere/${name}`,
          ]]
        ) {
          const lost = yield* inProcess(elsewhere, { cwd })
          expect([lost.status, onOneLine(lost.stderr)])
            .toEqual([2, expect.stringContaining("nowhere can't be written to: it does not exist.")])
        }

        const book = XLSX.read(readFileSync(file), ending === "csv" ? { raw: true, codepage: 65_001 } : {})
        const [sheet = "", choices = ""] = book.SheetNames
        const written = XLSX.utils.sheet_to_json<ReadonlyArray<string>>(book.Sheets[sheet]!, { header: 1 })
        const titles = header.map((title) => (ending === "csv" && title.startsWith("=") ? `'${title}` : title))
        expect(written).toEqual([titles])
        if (ending === "xlsx") {
          expect(XLSX.utils.sheet_to_json(book.Sheets[choices]!, { header: 1 })).toEqual([
            ["Color", "Interests"],
            ["Red", "Reading"],
            ["Blue", "Sports, outdoor"],
            [undefined, "Music"],
          ])
        }
        XLSX.utils.sheet_add_aoa(book.Sheets[sheet]!, rows, { origin: -1 })
        writeFileSync(file, XLSX.write(book, { type: "buffer", bookType: ending }))

        const from = ["--source", name, "--service", "practice", "--form", "people1"]
        const started = yield* inProcess(["init", "people", ...from, "--json"], { cwd })
        expect(started.status, started.stderr).toBe(0)
        expect(JSON.parse(started.stdout)).toMatchObject({ mapped: 13, rowKey: ["Import Row ID"], unmapped: [] })
        const checked = yield* inProcess(["check", "people", "--json"], { cwd })
        expect(checked.status, checked.stdout).toBe(0)
        const ran = yield* formferry(["run", "people"], { cwd })
        expect(ran.status, ran.stdout + ran.stderr).toBe(0)
        const stored = readFileSync(join(cwd, ".formferry/practice/people1.jsonl"), "utf8").trimEnd().split("\n")
          .map((line): Stored => JSON.parse(line))
        expect(stored.map(({ questions }) =>
          Object.fromEntries(
            questions.filter(({ value }) => value !== null && value !== undefined).map(({ id, value }) => [id, value]),
          )
        )).toEqual(answers)
      }),
    60_000,
  )
})
