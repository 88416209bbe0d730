import { FileSystem, Path } from "@effect/platform"
import { expect, layer } from "@effect/vitest"
import { Effect, Either } from "effect"
import type { Diagnostic } from "../../src/domain/diagnostic.ts"
import { type CheckOptions, checkProject } from "../../src/jobs/check.ts"
import { rehearsePipeline } from "../../src/jobs/rehearse.ts"
import { runPipeline } from "../../src/jobs/run.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { platform, projectFolder } from "../project/projectFolder.ts"
import { unattended } from "../run/unattended.ts"

const pipeline = `pipeline: people
source:
  file: ../people.csv
  rowKey: [No]
mapping:
  questions:
    - { id: q1, name: Full name, from: Name }
    - { name: E-mail, from: Mail }
    - { name: Color, from: Color }
    - { name: Interests, from: Interests, as: choices, split: "," }
sink: { service: practice, form: people1 }
`

const form = `id: people1
name: People
questions:
  - { id: q1, name: Full name, type: ShortAnswer }
  - { id: q2, name: E-mail, type: EmailInput }
  - { id: q3, name: Color, type: Dropdown, options: [Red, Blue] }
  - { id: q4, name: Interests, type: Checkboxes, options: [Reading, Music] }
`

const people = `No,Name,Mail,Color,Interests
1,Ada,ada@example.org,Red,"Reading, Music"
2,Zoë,zoe@example.org,Green,"Chess, Go, Music"
3,Bob,not an address,Green,Chess
,Eve,eve@example.org,Blue,
`

const start = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* projectFolder({
    "config/formferry.yaml": "services: { practice: { practice: { forms: ../forms } } }\n",
    "pipelines/people.yaml": pipeline,
    "forms/people.yaml": form,
    "people.csv": people,
  })
  const check = (options: CheckOptions = {}) =>
    Effect.map(checkProject(root, [], options), ({ diagnostics, pipelines: [one] }) => ({
      ...one,
      found: [...diagnostics, ...one?.diagnostics ?? []].map(({ column, line, message, severity }) =>
        `${severity} ${line}:${column} ${message}`
      ),
    }))
  const warned: Array<string> = []
  const options = {
    ...unattended,
    pipeline: "people",
    warn: (warnings: ReadonlyArray<Diagnostic>) =>
      Effect.sync(() => void warned.push(...warnings.map(({ message }) => message))),
  }
  const runWith = (more: { readonly dryRun?: boolean; readonly source?: string | undefined }) =>
    Effect.flatMap(loadProject(root), (project) => runPipeline(project, { ...options, ...more }))
  return {
    root,
    check,
    /** Returns the warnings of a report. */
    warned,
    write: (name: string, text: string) => Effect.orDie(fs.writeFileString(path.join(root, name), text)),
    run: runWith({ dryRun: true }),
    runWith,
    rehearse: Effect.flatMap(loadProject(root), (project) => rehearsePipeline(project, options)),
  }
})

layer(platform)("check", (it) => {
  it.scoped("warns about an entry that init was not sure of, until it is reviewed", () =>
    Effect.gen(function*() {
      const { check, write } = yield* start
      const remarked = (remark: string) =>
        write(
          "pipelines/people.yaml",
          pipeline.replace("    - { name: E-mail", `    # ${remark} · "a@b.org"\n    - { name: E-mail`),
        )
      const unsure = Effect.map(check(), ({ found }) => found.filter((one) => one.includes("nobody has reviewed")))
      yield* remarked("confidence 0.89")
      expect(yield* unsure).toEqual([
        "warning 9:7 It was not certain that this entry is right when it was suggested, and nobody has reviewed it.",
      ])
      yield* remarked("confidence 0.90")
      expect(yield* unsure).toEqual([])
      yield* remarked("reviewed")
      expect(yield* unsure).toEqual([])
    }))

  it.scoped("reads every row, and counts unknown choices and other problems by column", () =>
    Effect.gen(function*() {
      const world = yield* start
      const checked = yield* world.check()
      expect(checked.found).toEqual([
        'warning 4:11 missing-key in the column "No": 1 of 4 rows: row 4.',
        'warning 8:7 not-an-email in the column "Mail": 1 of 4 rows: row 3 ("not an address").',
        'warning 9:28 1 choice in the column "Color" is not an option of "Color": "Green" (2 ×).',
        'warning 10:32 2 choices in the column "Interests" are not options of "Interests": "Chess" (2 ×), "Go" (1 ×).',
      ])
      expect(checked.data).toMatchObject({
        rows: 4,
        invalid: 3,
        choices: [
          { id: "q3", question: "Color", column: "Color", choices: [{ choice: "Green", count: 2 }] },
          { question: "Interests", choices: [{ choice: "Chess", count: 2 }, { choice: "Go", count: 1 }] },
        ],
      })
    }))

  it.scoped("reports rows with the same key or the same unique answer, and doesn't count them as ready", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const { check, root } = yield* start
      yield* fs.writeFileString(
        `${root}/people.csv`,
        "No,Name,Mail,Color,Interests\n1,Ada,a@example.org,Red,\n1,Ada,a@example.org,Red,\n1,Zoë,z@example.org,Red,\n2,Bob,a@example.org,Red,\n3,,not an address,Red,\n3,Eve,e@example.org,Red,\n",
      )
      yield* fs.writeFileString(
        `${root}/pipelines/people.yaml`,
        pipeline.replace("from: Mail }", "from: Mail, unique: true }"),
      )
      const { data, found } = yield* check()
      expect(data).toMatchObject({ rows: 6, duplicate: 2, invalid: 2 })
      expect(found).toContain('warning 4:11 duplicate-key in the column "No": 2 of 6 rows: rows 2, 3.')
      expect(found).toContain('warning 8:7 not-unique in the column "Mail": 1 of 6 rows: row 4 ("a@example.org").')
    }))

  it.scoped("reports an invalid row whose key an earlier invalid row has as a duplicate, with its own problems", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const { check, root } = yield* start
      yield* fs.writeFileString(
        `${root}/people.csv`,
        "No,Name,Mail,Color,Interests\n1,Ada,a@example.org,Red,\n2,Bob,none,Red,\n2,Cid,none,Red,\n",
      )
      const { data, found } = yield* check()
      expect(data).toMatchObject({ rows: 3, duplicate: 1, invalid: 1 })
      expect(found.join("\n")).toContain('duplicate-key in the column "No": 1 of 3 rows: row 3.')
      expect(found.join("\n")).toContain('not-an-email in the column "Mail": 2 of 3 rows: rows 2 ("none"), 3 ("none").')
    }))

  it.scoped("reports a problem with a block once, not for each of its columns", () =>
    Effect.gen(function*() {
      const root = yield* projectFolder({
        "config/formferry.yaml": "services: { practice: { practice: { forms: ../forms } } }\n",
        "forms/f.yaml":
          "id: f\nname: F\nquestions: [{ id: q1, name: Colors, type: Checkboxes, options: [Red, Blue] }]\n",
        "pipelines/p.yaml":
          "pipeline: p\nsource: { file: ../rows.csv, format: redcap, rowKey: [record_id] }\nmapping:\n  questions:\n    - { name: Colors, from: { block: colors } }\nsink: { service: practice, form: f }\n",
        "rows.csv": "record_id,colors___red,colors___blue\n1,1,0\n2,maybe,maybe\n3,0,maybe\n",
      })
      const { pipelines: [one] } = yield* checkProject(root, [], {})
      expect(one?.diagnostics.map(({ message }) => message)).toEqual([
        'not-an-option in the columns of "colors": 2 of 3 rows: rows 2 ("maybe"), 3 ("maybe").',
      ])
    }))

  const spoilt = `${
    [
      "No,Name,Code,Born,Amount",
      "1,M³ller,9.23E+11,02.03.58,9.23E+11",
      "2,NULL,92345678901,02.03.62,7",
      "3,n/a,92345678902,02.03.60,8",
      "4,-,92345678903,02.03.61,9",
    ].join("\n")
  }\n`

  const startSpoilt = (entries: string, rows = spoilt) =>
    Effect.gen(function*() {
      const root = yield* projectFolder({
        "config/formferry.yaml": "services: { practice: { practice: { forms: ../forms } } }\n",
        "forms/f.yaml": `id: f
name: F
questions:
  - { id: q1, name: Name, type: ShortAnswer }
  - { id: q2, name: Code, type: ShortAnswer }
  - { id: q3, name: Born, type: DatePicker }
  - { id: q4, name: Amount, type: NumberInput }
`,
        "pipelines/p.yaml":
          `pipeline: p\nsource: { file: ../rows.csv, rowKey: [No] }\nmapping:\n  questions:\n${entries}sink: { service: practice, form: f }\n`,
        "rows.csv": rows,
      })
      const { pipelines: [one] } = yield* checkProject(root, [], {})
      return one?.diagnostics.map(({ line, message }) => `${line} ${message}`)
    })

  const allEntries = `    - { name: Name, from: Name }
    - { name: Code, from: Code }
    - { name: Born, from: Born, as: date, format: dd.MM.yy }
    - { name: Amount, from: Amount }
`

  it.scoped("warns about spoilt cells and years of the wrong century that would be sent", () =>
    Effect.gen(function*() {
      const lost = "1 cell contains a number whose last digits are lost, because Excel shortens long numbers."
      expect(yield* startSpoilt(allEntries)).toEqual([
        expect.stringMatching(
          /^5 "Name": 1 cell contains letters that were read in the wrong encoding.* For example "M³ller"\.$/,
        ),
        expect.stringMatching(
          /^5 "Name": 3 cells are what programs write for no answer.* For example "NULL", "n\/a", "-"\.$/,
        ),
        expect.stringContaining(`6 "Code": ${lost}`),
        expect.stringMatching(
          /^7 "Born": 2 dates have a year of two digits that is read as 2035 or later\..* For example "2058-03-02"\.$/,
        ),
        expect.stringContaining(`8 "Amount": ${lost}`),
      ])
    }))

  it.scoped("warns about texts as websites and databases store them, and about guards against formulas", () =>
    Effect.gen(function*() {
      const rows = "No,Name,Code,Born,Amount\n1,O&#039;Hara,'+49 123,02.03.01,7\n2,O\\'Hara,x2,02.03.02,8\n"
      expect(yield* startSpoilt(allEntries, rows)).toEqual([
        expect.stringMatching(/^5 "Name": 1 cell contains HTML such as .* For example "O&#039;Hara"\.$/),
        expect.stringMatching(/^5 "Name": 1 cell is written as databases do.* For example "O\\'Hara"\.$/),
        expect.stringMatching(/^6 "Code": 1 cell has an apostrophe before .* For example "'\+49 123"\.$/),
      ])
    }))

  it.scoped("warns about dates whose century was lost", () =>
    Effect.gen(function*() {
      const rows = "No,Name,Code,Born,Amount\n1,Ada,x1,0024-03-02,7\n2,Bob,x2,1024-03-02,8\n"
      expect(yield* startSpoilt(allEntries.replace("dd.MM.yy", "dd.MM.yyyy"), rows)).toEqual([
        '7 "Born": 1 date is before the year 1000, as if the century was lost. Correct the file. For example "0024-03-02".',
      ])
      expect(yield* startSpoilt(allEntries.replace("dd.MM.yy", "dd.MM.yyyy"), rows.replace("0024-03-02", "0001-01-01")))
        .toEqual([expect.stringMatching(/^7 "Born": 1 cell is what programs write for no answer/)])
    }))

  it.scoped("warns about no cell that the pipeline skips or corrects, nor about what people answer", () =>
    Effect.gen(function*() {
      const corrected = `    - { name: Name, from: Name, when: { No: ["3", "4"] } }
    - { name: Code, from: Code, when: { No: { not: "1" } } }
    - { name: Born, from: Born, as: date, format: dd.MM.yy, when: { No: ["2", "4"] } }
    - { name: Amount, from: Amount, when: { No: { not: "1" } } }
`
      expect(yield* startSpoilt(corrected)).toEqual(["2 blank-row: 1 of 4 rows: row 1."])
    }))

  it.scoped("warns about totals that would be sent, until the pipeline skips them", () =>
    Effect.gen(function*() {
      const totals = `${spoilt.split("\n")[0]}\n1,Ada,x1,02.03.2001,7\n2,Bob,x2,02.03.2042,8\nTotal,,,,15\n`
      const entries = allEntries.replace("dd.MM.yy", "[dd.MM.yyyy, dd.MM.yy]")
      expect(yield* startSpoilt(entries, totals)).toEqual([
        '2 Row 3 ("Total") looks like totals, not like a record. Skip it with `where: { No: { not: Total } }` under `source`.',
      ])
    }))

  it.scoped("check and a run skip separator lines and repeated headers with `where`, but no row of a second table", () =>
    Effect.gen(function*() {
      const world = yield* start
      const row = (no: number) => `${no},Ada,a${no}@example.org,Red,\n`
      const head = "No,Name,Mail,Color,Interests\n"
      const table = ",,,,\nItem,Shelf,Size,Color,Note\nFig,left,big,Red,\n"
      yield* world.write(
        "people.csv",
        `${head}${[1, 2, 3, 4, 5].map(row).join("")}-----,--,--,--,--\n${head}${row(6)}${table}`,
      )
      expect((yield* world.check()).data).toMatchObject({ rows: 10, filtered: 0, invalid: 4 })
      const where = "where: { No: { not: [No, -----, Item] }, Color: { not: Red } }"
      yield* world.write(
        "pipelines/people.yaml",
        pipeline.replace("  rowKey", `  ${where.replace(", Color: { not: Red }", "")}\n  rowKey`),
      )
      expect((yield* world.check()).data).toMatchObject({ rows: 10, filtered: 3, invalid: 1 })
      expect((yield* world.run).rows).toMatchObject({ read: 10, filtered: 3, invalid: 1, pending: 6 })
      yield* world.write("pipelines/people.yaml", pipeline.replace("  rowKey", `  ${where}\n  rowKey`))
      expect((yield* world.run).rows).toMatchObject({ read: 10, filtered: 9, invalid: 1 })
    }))

  it.scoped("check and a run name the first row of a second table directly below the first", () =>
    Effect.gen(function*() {
      const world = yield* start
      const row = (no: string, color = "Red") => `${no},Ada,a${no}@example.org,${color},Music\n`
      const first = ["1", "2", "3", "4", "5"].map((no) => row(no)).join("")
      const head = "No,Name,Mail,Color,Interests\n"
      const titles = "Item,Shelf,Maker,Red,Music\n"
      const warned = (text: string) =>
        Effect.gen(function*() {
          yield* world.write("people.csv", `${head}${text}`)
          return ((yield* world.check()).diagnostics ?? []).flatMap(({ message }) =>
            message.includes("second table") ? [message] : []
          )
        })
      expect(yield* warned(`${first}${titles}b7,left,Acme,Red,\n`)).toEqual([
        'Row 6 ("Item", "Shelf", "Maker") seems to contain the titles of a second table: unlike all rows above, it has neither digits nor an @ in No and Mail. It and the rows below are read like records. If they are not, move them to a separate file.',
      ])
      // A single unusual record, too few records, and a row that is not full.
      for (const text of [`${first}${titles}${row("6")}`, `${row("1")}${titles}`, `${first}Item,,Maker,Red,Music\n`]) {
        expect(yield* warned(text)).toEqual([])
      }
    }))

  it.scoped("check names a first row of titles, as below a header of codes, until the pipeline skips it", () =>
    Effect.gen(function*() {
      const world = yield* start
      const rows = ["1", "2", "3", "4", "5"].map((no) => `${no},Ada,a${no}@example.org,Red,Music\n`).join("")
      const warned = (first: string, others = rows) =>
        Effect.gen(function*() {
          yield* world.write("people.csv", `No,Name,Mail,Color,Interests\n${first}${others}`)
          return ((yield* world.check()).diagnostics ?? []).flatMap(({ message }) =>
            message.includes("titles") ? [message] : []
          )
        })
      const texts = pipeline.replace("    - { name: E-mail, from: Mail }\n", "")
      yield* world.write("pipelines/people.yaml", texts)
      const labels = "Number,Your name?,Address,Red,Music\n"
      expect(yield* warned(labels)).toEqual([
        'Row 1 ("Number", "Address") seems to contain titles, not a record: unlike all rows below, it has neither digits nor an @ in No and Mail. If so, skip it with `where: { No: { not: Number } }` under `source`.',
      ])
      // A record that lacks them, a single unusual cell, too few records, and the same text twice.
      for (const first of [",Ada,,Red,\n", "Number,Ada,a@example.org,Red,\n", "none,Ada,none,Red,\n"]) {
        expect(yield* warned(first)).toEqual([])
      }
      expect(yield* warned(labels, "1,Ada,a@example.org,Red,\n")).toEqual([])
      yield* world.write(
        "pipelines/people.yaml",
        texts.replace("  rowKey", "  where: { No: { not: Number } }\n  rowKey"),
      )
      expect(yield* warned(labels)).toEqual([])
    }))

  it.scoped("check names the first row below an empty line, where a table of texts may begin unnoticed", () =>
    Effect.gen(function*() {
      const world = yield* start
      const rows = "No,Name,Mail,Color,Interests\n1,Ada,ada@example.org,Red,\n\n2,Bob,bob@example.org,Red,\n"
      const account = "Empty lines: 1 omitted, first above row 2, where another table may begin."
      yield* world.write("people.csv", rows)
      expect((yield* world.check()).data?.accounts).toContain(account)
      yield* world.write("people.csv", `${rows.replace("\n\n", "\n")}\n`)
      expect((yield* world.check()).data?.accounts.join()).not.toContain("Empty")
    }))

  it.scoped("check and a run warn about cells that nearly equal a text of `where`", () =>
    Effect.gen(function*() {
      const world = yield* start
      const row = (no: number, color: string) => `${no},Ada,a${no}@example.org,${color},\n`
      yield* world.write(
        "people.csv",
        `No,Name,Mail,Color,Interests\n${
          ["Red", "red", "RED ", "Blue"].map((color, at) => row(at + 1, color)).join("")
        }`,
      )
      const where = (no: string) =>
        pipeline.replace("  rowKey", `  where: { Color: Red, No: { not: "${no}" } }\n  rowKey`)
      yield* world.write("pipelines/people.yaml", where("01"))
      const { data, diagnostics = [] } = yield* world.check()
      expect(data).toMatchObject({ rows: 4, filtered: 3 })
      expect(diagnostics.map(({ message }) => message)).toEqual([
        '"red" is not "Red", so rows with this cell are skipped. If they should be sent, list both.',
        '"RED" is not "Red", so rows with this cell are skipped. If they should be sent, list both.',
        '"1" is not "01", so rows with this cell are not skipped. If they should be, list both.',
      ])
      expect((yield* world.run).warnings).toEqual([
        "`where` compares Color with a text that some cells nearly equal. To see the values, run: formferry check people",
        "`where` compares No with a text that some cells nearly equal. To see the values, run: formferry check people",
      ])
      yield* world.write("pipelines/people.yaml", where("9").replace("Red", "[Red, red, RED]"))
      expect((yield* world.check()).diagnostics).toEqual([])
    }))

  it.scoped("check warns about a condition of `where` that no row meets, and about misspelt texts", () =>
    Effect.gen(function*() {
      const world = yield* start
      const where = (conditions: string) =>
        world.write("pipelines/people.yaml", pipeline.replace("  rowKey", `  where: { ${conditions} }\n  rowKey`))
      const found = Effect.map(
        world.check(),
        ({ diagnostics = [] }) =>
          diagnostics.filter(({ line }) => line === 4).map(({ message, suggestion, withoutCells }) => ({
            message,
            suggestion,
            withoutCells,
          })),
      )
      const skipped = "No row that was compared meets the condition for Color, so `where` skips all of them."
      yield* where("Color: Gren")
      expect(yield* found).toEqual([{
        message: skipped,
        suggestion: "Did you mean `Green`?",
        withoutCells: `${skipped} To see the values, run: formferry check people`,
      }])
      yield* where("Name: [Ada, Bob], Color: { matches: ^B }")
      expect(yield* found).toEqual([{ message: skipped, suggestion: undefined, withoutCells: undefined }])

      yield* where("Color: [Green, Purple, Rde], Name: { not: Test }")
      expect(yield* found).toMatchObject([{
        message: "No row that was compared has `Rde` in Color.",
        suggestion: "Did you mean `Red`?",
      }])
      yield* where("Color: [Green, Rde, Rdd, Reed, Rad, Rod, Bed]")
      expect((yield* found).map(({ message }) => message)).toEqual([
        "No row that was compared has `Rde`, `Rdd`, `Reed`, `Rad`, `Rod` and 1 more in Color.",
      ])
      // Allowed values that today's rows lack are no mistake, nor are codes that resemble others.
      yield* where('Color: [Green, Red, Purple], No: ["1", "2", "4"], Name: { not: Ada }')
      expect(yield* found).toEqual([])
    }))

  it.scoped("check names a mistake in `where` once, also if a different column has the same text", () =>
    Effect.gen(function*() {
      const world = yield* start
      const row = (color: string, name: string) => `1,${name},a@example.org,${color},\n`
      const messages = (where: string, ...rows: ReadonlyArray<string>) =>
        Effect.gen(function*() {
          yield* world.write("people.csv", `No,Name,Mail,Color,Interests\n${rows.join("")}`)
          yield* world.write("pipelines/people.yaml", pipeline.replace("  rowKey", `  where: ${where}\n  rowKey`))
          return ((yield* world.check()).diagnostics ?? []).flatMap(({ line, message }) => line === 4 ? [message] : [])
        })
      const near = '"red" is not "Red", so rows with this cell are skipped. If they should be sent, list both.'
      const kept = '"red" is not "Red", so rows with this cell are not skipped. If they should be, list both.'
      const skipped = "No row that was compared meets the condition for Color, so `where` skips all of them."
      expect(yield* messages("{ Color: Red }", row("red", "Ada"))).toEqual([near])
      expect(yield* messages("{ Name: { not: Red }, Color: Red }", row("Blue", "red"))).toEqual([kept, skipped])
    }))

  it.scoped("a run warns about a condition of `where` that no row meets only if it reads its whole source for the first time", () =>
    Effect.gen(function*() {
      const world = yield* start
      const skipped = "No row that was compared meets the condition for Color, so `where` skips all of them."
      const rows = (count: number) =>
        world.write(
          "people.csv",
          `No,Name,Mail,Color,Interests\n${
            Array.from({ length: count }, (_, at) => `${at},Ada,a${at}@example.org,Red,\n`).join("")
          }`,
        )
      const where = (conditions: string, more = "") =>
        world.write(
          "pipelines/people.yaml",
          pipeline.replace("  rowKey", `  where: { Color: ${conditions} }\n${more}  rowKey`),
        )
      const warnings = (source?: string) =>
        Effect.map(
          world.runWith({ dryRun: true, source }),
          (report) => report.warnings.filter((text) => text.includes("compared")),
        )
      yield* where("Gren")
      yield* rows(19)
      expect(yield* warnings()).toEqual([])
      yield* rows(20)
      expect(yield* warnings()).toEqual([`${skipped} To see the values, run: formferry check people`])
      yield* where("[Red, Rde]")
      expect(yield* warnings()).toEqual([])
      yield* where("{ matches: ^B }")
      expect(yield* warnings()).toEqual([skipped])
      expect(yield* warnings(`${world.root}/people.csv`)).toEqual([])
      yield* where("Blue", "  vanished: ignore\n")
      expect(yield* warnings()).toEqual([])
      yield* where("Red")
      expect((yield* world.runWith({})).rows).toMatchObject({ imported: 20 })
      yield* where("Blue")
      expect(yield* warnings()).toEqual([])
    }))

  it.scoped("reports new columns, and columns of times that no entry uses", () =>
    Effect.gen(function*() {
      const world = yield* start
      yield* world.check({ acceptForm: true })
      yield* world.write(
        "people.csv",
        "No,Name,Mail,Color,Interests,Created at\n1,Ada,ada@example.org,Red,Music,2024-03-01 10:00:00\n",
      )
      expect((yield* world.check()).found).toEqual([
        "warning 3:9 The source has a column that it did not have when the pipeline was made: Created at.",
        "warning 5:1 1 of 6 columns is not mapped: Created at.",
        'warning 5:1 No entry uses the times in the column "Created at", which could be the submission times. Without them, each submission gets the time of its import.',
      ])
      yield* world.write("pipelines/people.yaml", pipeline.replace("sink:", "  ignore: [Created at]\nsink:"))
      expect((yield* world.check({ acceptForm: true })).found).toEqual([])
    }))

  it.scoped("suggests an entry for unused times that reads them", () =>
    Effect.gen(function*() {
      const world = yield* start
      const suggested = (time: string) =>
        Effect.gen(function*() {
          yield* world.write(
            "people.csv",
            `No,Name,Mail,Color,Interests,Created at\n1,Ada,ada@example.org,Red,Music,${time}\n`,
          )
          const { diagnostics = [] } = yield* world.check()
          return diagnostics.flatMap(({ suggestion = "" }) => /`submissionTime: (.+?)`/.exec(suggestion)?.[1] ?? [])
        })
      expect(yield* suggested("2024-03-01 10:00:00")).toEqual(["{ from: Created at, zone: … }"])
      expect(yield* suggested("21.03.2024 10:00")).toEqual(["{ from: Created at, format: dd.MM.yyyy HH:mm, zone: … }"])
    }))

  it.scoped("names the nearest column and question for all wrong names in one call", () =>
    Effect.gen(function*() {
      const world = yield* start
      yield* world.write(
        "pipelines/people.yaml",
        pipeline.replace("from: Mail", "from: Mial").replace("name: Color", "name: Colour"),
      )
      const { diagnostics } = yield* world.check()
      expect(
        diagnostics?.filter(({ severity }) => severity === "error").map(({ line, suggestion }) => [line, suggestion]),
      ).toEqual([
        [8, "Did you mean `Mail`?"],
        [9, "Did you mean `Color`?"],
      ])
    }))

  it.scoped("check reports a changed form at the affected entry, and a run stops until a person accepts the form", () =>
    Effect.gen(function*() {
      const world = yield* start
      yield* world.write("people.csv", "No,Name,Mail,Color,Interests\n1,Ada,ada@example.org,Red,Music\n")
      expect((yield* world.check({ acceptForm: true })).accepted).toBe("config/forms/people.json")
      expect((yield* world.check()).found).toEqual([])

      const renamed = form.replace("name: E-mail", "name: Work e-mail").replace("[Red, Blue]", "[Red, Navy]")
      yield* world.write("forms/people.yaml", `${renamed}  - { id: q5, name: Phone, type: PhoneNumber }\n`)
      const changed = yield* world.check()
      expect(changed.found).toEqual([
        'error 8:15 The question "E-mail" (q2) is called "Work e-mail" now.',
        'error 9:15 The options of the question "Color" (q3) changed: "Blue" was removed; "Navy" is new.',
        'warning 11:1 The question "Phone" (q5) is new.',
      ])
      expect(changed.diagnostics?.[0]?.suggestion).toContain("name: Work e-mail")
      const stopped = yield* Effect.either(world.run)
      expect(Either.isLeft(stopped) && stopped.left._tag).toBe("ConfigurationInvalid")
      // A successful rehearsal would wrongly suggest that the run can start.
      expect(yield* Effect.either(world.rehearse)).toEqual(stopped)

      // A person must accept the form even if the mapping was corrected.
      yield* world.write("pipelines/people.yaml", pipeline.replace("name: E-mail", "name: Work e-mail"))
      expect(Either.isLeft(yield* Effect.either(world.run))).toBe(true)
      yield* world.check({ acceptForm: true })
      expect((yield* world.run).exitCode).toBe(0)
      expect(yield* world.rehearse).toMatchObject({ mode: "rehearsal", exitCode: 0 })
    }))

  it.scoped("a change that affects nothing mapped is reported, but doesn't stop a run", () =>
    Effect.gen(function*() {
      const world = yield* start
      yield* world.write("people.csv", "No,Name,Mail,Color,Interests\n1,Ada,ada@example.org,Red,Music\n")
      yield* world.write("forms/people.yaml", `${form}  - { id: q9, name: Fax, type: ShortAnswer }\n`)
      yield* world.check({ acceptForm: true })
      yield* world.write("forms/people.yaml", form.replace("[Red, Blue]", "[Red, Blue, Green]"))
      const report = yield* world.run
      expect(report.exitCode).toBe(0)
      expect(world.warned).toEqual([
        'The question "Fax" (q9) was removed.',
        'The options of the question "Color" (q3) changed: "Green" is new.',
      ])
    }))

  it.scoped("reports a header below the first line at the pipeline's line that names the file", () =>
    Effect.gen(function*() {
      const world = yield* start
      yield* world.write("people.csv", `Export of May\n\n${people}`)
      expect((yield* world.check()).found).toContainEqual(
        expect.stringMatching(/^warning 3:9 .* seems to have its header on line 3:/),
      )
    }))

  it.scoped("check compares an offline pipeline with the recorded form, or checks only the source if no form was recorded", () =>
    Effect.gen(function*() {
      const world = yield* start
      yield* world.write("people.csv", "No,Name,Mail,Colour,Interests\n1,Ada,ada@example.org,Red,Music\n")
      const blind = yield* world.check({ offline: true })
      expect(blind.found).toEqual([
        'error 9:28 The source has no column "Color".',
        "warning 11:1 The form is not recorded yet, so --offline checks only the file and the source's header.",
      ])
      yield* world.write("people.csv", "No,Name,Mail,Color,Color,Interests\n1,Ada,ada@example.org,Red,Red,Music\n")
      expect((yield* world.check({ offline: true })).found).toEqual([
        'error 9:28 2 columns of the source have the title "Color" (columns 4, 5).',
        "warning 11:1 The form is not recorded yet, so --offline checks only the file and the source's header.",
      ])
      yield* world.write("people.csv", people)
      yield* world.check({ acceptForm: true })
      yield* world.write("forms/people.yaml", "not a form")
      expect((yield* world.check({ offline: true })).data?.rows).toBe(4)
      expect((yield* world.check()).failures?.length).toBe(1)
    }))
})
