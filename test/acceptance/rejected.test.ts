// Tests rejected.csv as a source: rows that could not be read properly, and masked copies.
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { row, text, xlsx, zip } from "../source/workbooks.ts"
import { bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { fix, importFixed, rejectedLines, runAsWorkbook, sheetOf } from "./rejected.ts"

const sink = "service: live\n  form: contacts\n  stopWhen: { invalid: 100% }"

const withMail = (cell: string) => cell.replace("not an address", "a@example.org")

it.scopedLive("rows that could not be read stay rejected until they are corrected and their code is deleted", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("pipelines/contacts.yaml", pipelineYaml({ sink }))
    const source = Buffer.concat([
      Buffer.from(csv(upTo(8), (key) =>
        key === 2
          ? "Åsa,2@example.org"
          : key === 3
          ? "Lee, Bob,3@example.org,1990-01-17"
          : `Zoë ${key},${key}@example.org,1990-01-17`)),
      Buffer.from("9,M\xfcller,9@example.org,1990-01-17\n", "latin1"),
    ])
    at.write("source.csv", source)
    const first = yield* at.run("run", "contacts")
    expect(first.status, first.stdout + first.stderr).toBe(1)
    // The cell beyond the header counts as rejected, so it is not left behind.
    expect(first.stdout).not.toContain("without a title")
    expect(at.report().rows).toMatchObject({ imported: 6, invalid: 3 })

    const again = yield* importFixed(at, first.lastLine)
    expect(again.status, again.stdout + again.stderr).toBe(1)
    expect(at.report().rows).toMatchObject({ read: 3, imported: 0, invalid: 3 })
    expect(at.count()).toBe(6)
    expect(again.stdout + again.stderr).toContain("delete")

    // No cell is lost, although the second file was made from the first one.
    fix(
      at,
      [/2,Åsa,2@example.org,,(\w+),1,,ragged-row/, "2,Åsa,2@example.org,1991-02-03,$1,1,,"],
      [/3,Lee," Bob",3@example.org,(\w+),2,,ragged-row/, '3,"Lee, Bob",3@example.org,1990-01-17,$1,2,,'],
      [",1990-01-17\n", "\n"],
      [/9,M\ufffdller,9@example.org,1990-01-17,(\w+),3,,damaged-text/, "9,Müller,9@example.org,1990-01-17,$1,3,,"],
    )
    const fixed = yield* importFixed(at, again.lastLine)
    expect(fixed.status, fixed.stdout + fixed.stderr).toBe(0)
    expect(at.answers("qName")).toEqual(
      ["Åsa", "Lee, Bob", "Müller", ...[1, 4, 5, 6, 7, 8].map((key) => `Zoë ${key}`)].toSorted(),
    )
    expect(at.answers("qBorn")).toContain("1991-02-03")

    yield* at.exits(0, "run", "contacts")
    expect(at.count()).toBe(9)
  }))

it.scopedLive("a fixed row sends the same digits of a number as its original would have", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("pipelines/contacts.yaml", pipelineYaml({ file: "../source.json", sink }))
    const numbers = [0.0000001, 1.5e22, -3e-9]
    const records = (mail: string) =>
      JSON.stringify(
        numbers.map((number, at) => ({ No: at, Name: number, Mail: at === 0 ? mail : "a@example.org", Born: "" })),
      )
    at.write("source.json", records("none"))
    const first = yield* at.exits(1, "run", "contacts")
    fix(at, ["none", "a@example.org"])
    expect((yield* importFixed(at, first.lastLine)).status).toBe(0)
    expect(at.answers("qName")).toEqual(["-0.000000003", "0.0000001", "15000000000000000000000"])
    at.write("source.json", records("a@example.org"))
    yield* at.exits(0, "run", "contacts")
    expect(at.count()).toBe(3)
  }))

it.scopedLive("a fixed row meets `where` with a truth value of its source, also after a spreadsheet program wrote it in capitals", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const records = upTo(6).map((No) => ({
      No,
      Name: `P${No}`,
      Mail: No > 2 ? "a@example.org" : "none",
      Born: "",
      Active: true,
    }))
    at.write("source.json", JSON.stringify(records))
    for (const [where, saved, count] of [["TRUE", "true", 5], ['"true"', "TRUE", 6]] as const) {
      const pipeline = pipelineYaml({ file: "../source.json", sink })
      at.write("pipelines/contacts.yaml", pipeline.replace("[No]", `[No]\n  where: { Active: ${where} }`))
      const first = yield* at.exits(1, "run", "contacts")
      fix(at, ["none,,true", `a@example.org,,${saved}`])
      yield* importFixed(at, first.lastLine)
      expect([at.count(), at.report().rows.filtered], where).toEqual([count, 0])
    }
  }))

it.scopedLive("a fixed row of a text file meets `where` with a truth value that a spreadsheet program wrote in capitals", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const rows = upTo(3).map((no) => `${no},P${no},${no > 2 ? "a@example.org" : "none"},,true\n`)
    at.write("source.csv", `No,Name,Mail,Born,Active\n${rows.join("")}`)
    for (const [where, count] of [['"true"', 2], ["{ matches: ^true$ }", 3]] as const) {
      at.write("pipelines/contacts.yaml", pipelineYaml({ sink }).replace("[No]", `[No]\n  where: { Active: ${where} }`))
      const first = yield* at.exits(1, "run", "contacts")
      fix(at, ["none,,true", "a@example.org,,TRUE"])
      yield* importFixed(at, first.lastLine)
      expect([at.count(), at.report().rows.filtered], where).toEqual([count, 0])
    }
  }))

it.scopedLive("a report names fixed rows that `where` skips", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", "No,Name,Mail,Born,Active\n1,P1,none,,yes\n2,P2,none,,yes\n3,P3,c@example.org,,yes\n")
    at.write("pipelines/contacts.yaml", pipelineYaml({ sink }).replace("[No]", "[No]\n  where: { Active: yes }"))
    const first = yield* at.inProcess("run", "contacts")
    fix(at, ["1,P1,none,,yes", "1,P1,a@example.org,,Yes"], ["2,P2,none", "2,P2,b@example.org"])
    yield* importFixed(at, first.lastLine)
    expect([at.count(), at.report().rows.filtered]).toEqual([2, 1])
    expect(at.report().warnings).toContain(
      "1 corrected row is skipped on purpose, by `where` or by a person. To import rows that `where` skips, correct the cells that it compares.",
    )
  }))

it.scopedLive("a fixed row of a text file meets or fails `not` and `when` exactly as its original", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const rows = upTo(3).map((no) => `${no},P${no},${no > 2 ? "a@example.org" : "none"},,true\n`)
    at.write("source.csv", `No,Name,Mail,Born,Active\n${rows.join("")}`)
    for (
      const [count, before, after] of [
        [2, "[No]", '[No]\n  where: { Active: { not: "TRUE" } }'],
        [3, "    - { name: Name,", '    - { name: Name, when: { Active: "TRUE" }, value: WRONG }\n$&'],
      ] as const
    ) {
      at.write("pipelines/contacts.yaml", pipelineYaml({ sink }).replace(before, after))
      const first = yield* at.exits(1, "run", "contacts")
      fix(at, ["none,,true", "a@example.org,,true"])
      yield* importFixed(at, first.lastLine)
      expect([at.count(), at.report().rows.filtered], after).toEqual([count, 0])
    }
    expect(at.answers("qName")).toEqual(["P1", "P2", "P3"])
  }))

it.scopedLive("records with half of a character or with conflicting values stay rejected until a person has corrected them", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const record = (no: number, name: string) =>
      JSON.stringify({ No: no, Name: name, Mail: `${no}@example.org`, Born: "1990-01-17" })
    const half = record(2, "half").replace("half", "\\ud83d")
    at.write("source.jsonl", `${record(1, "Ann")}\n${half}\n${record(3, "Cy")}\n${record(3, "Di")}\n`)
    const file = "../source.jsonl\n  combine: { by: [No] }"
    at.write("pipelines/contacts.yaml", pipelineYaml({ sink, file }))
    const first = yield* at.exits(1, "run", "contacts")
    expect(at.report().problems.map(({ code }) => code).toSorted()).toEqual(["conflict", "damaged-text"])

    const again = yield* importFixed(at, first.lastLine)
    expect(again.status, again.stdout + again.stderr).toBe(1)
    expect(at.answers("qName")).toEqual(["Ann"])

    fix(at, ["\ufffd", "Bo"], ["damaged-text", ""], ["conflict", ""])
    const fixed = yield* importFixed(at, again.lastLine)
    expect(fixed.status, fixed.stdout + fixed.stderr).toBe(0)
    expect(at.answers("qName")).toEqual(["Ann", "Bo", "Cy"])
  }))

it.scopedLive("a masked file of rows is refused as a source", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(2), (key) => `Person ${key},${key === 2 ? "none" : "a@example.org"},1990-01-17`))
    yield* at.exits(1, "run", "contacts", "--redact")
    for (const file of ["rejected.csv", "in-doubt.csv"]) {
      const refused = yield* at.exits(2, "run", "contacts", "--source", join(at.report().folder, file))
      expect(refused.stderr).toContain("masked copy")
    }
    expect(at.count()).toBe(1)
  }))

it.scopedLive.each([["the row's content", "content"], ["a column", "[No]"]] as const)(
  "a fixed row that was sent is not sent again after another correction, if its key is %s",
  ([, rowKey]) =>
    Effect.gen(function*() {
      const at = yield* bench()
      at.write("pipelines/contacts.yaml", pipelineYaml({ sink }).replace("[No]", rowKey))
      at.write(
        "source.csv",
        csv(upTo(4), (key) => `Person ${key},${key > 2 ? "none" : `${key}@example.org`},1990-01-17`),
      )
      yield* at.exits(1, "run", "contacts")
      const file = join(at.report().folder, "rejected.csv")
      const text = at.read(file.slice(at.folder.length + 1))
      const rows = (third: string, fourth = "4,Person 4,none,") =>
        at.write("fixed.csv", text.replace("3,Person 3,none,", third).replace("4,Person 4,none,", fourth))
      const run = at.inProcess("run", "contacts", "--source", "fixed.csv")
      rows("33,Person 3,3@example.org,")
      expect((yield* run).status).toBe(1)
      expect(at.count()).toBe(3)

      rows("34,Person Three,3@example.org,", "4,Person 4,4@example.org,")
      const again = yield* run
      expect(again.status, again.stdout + again.stderr).toBe(1)
      expect(at.report().rows).toMatchObject({ read: 2, changed: 1, imported: 1 })
      expect(at.answers("qName")).toEqual(["Person 1", "Person 2", "Person 3", "Person 4"])

      // The rejected rows of the source are known under their earlier content.
      yield* at.exits(0, "run", "contacts")
      expect(at.count()).toBe(4)
    }),
)

it.scopedLive("a fixed row replaces exactly the row that it was, whichever rows stay rejected or come later", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("pipelines/contacts.yaml", pipelineYaml({ sink }))
    const born = ",1990-01-17"
    const lines = [
      "1,A,1@example.org" + born,
      "2,B,2@example.org",
      "3,C,3@example.org",
      "4,D,none" + born,
      "4,E,none" + born,
    ]
    const source = (...more: ReadonlyArray<string>) =>
      at.write("source.csv", ["No,Name,Mail,Born", ...lines, ...more, ""].join("\n"))
    source()
    yield* at.exits(1, "run", "contacts")
    const first = join("reports/contacts", at.report().run, "rejected.csv")
    const rejected = at.read(first)
    // Of the two short rows, and of the two invalid rows with the same key, one each.
    at.write(
      "fixed.csv",
      rejected.replace(/2,B,2@example.org,,(\w+),2,,ragged-row/, "2,B,2@example.org,1990-01-17,$1,2,,")
        .replace("4,E,none", "5,E,5@example.org"),
    )
    yield* at.exits(1, "run", "contacts", "--source", "fixed.csv")
    expect(at.answers("qName")).toEqual(["A", "B", "E"])

    // A row that equals a fixed row in every mapped cell, under a different key.
    source("7,B,2@example.org")
    yield* at.exits(1, "run", "contacts")
    expect(at.report().rows).toMatchObject({ alreadyImported: 3, invalid: 3, imported: 0 })
    const left = at.read(join("reports/contacts/latest", "rejected.csv"))
    expect(["3,C,", "4,D,", "7,B,"].filter((row) => !left.includes(`\n${row}`))).toEqual([])

    // The first file still names the same rows.
    at.write(
      "fixed.csv",
      rejected.replace(/3,C,3@example.org,,(\w+),3,,ragged-row/, "3,C,3@example.org,1990-01-17,$1,3,,"),
    )
    yield* at.inProcess("run", "contacts", "--source", "fixed.csv")
    expect(at.answers("qName")).toEqual(["A", "B", "C", "E"])
    yield* at.inProcess("run", "contacts")
    expect(at.report().rows).toMatchObject({ alreadyImported: 4, invalid: 2 })
  }))

it.scopedLive("a rejected duplicate is not imported until it has another key or no code", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("pipelines/contacts.yaml", pipelineYaml({ sink: `${sink}\n  onChange: import-again` }))
    at.write("source.csv", "No,Name,Mail,Born\n1,A,a@example.org,\n1,B,b@example.org,\n1,C,c@example.org,\n")
    const first = yield* at.inProcess("run", "contacts")
    expect(at.report().rows).toMatchObject({ imported: 1, duplicate: 2 })
    const again = yield* importFixed(at, first.lastLine)
    expect(again.status, again.stdout + again.stderr).toBe(1)
    expect(at.report().rows).toMatchObject({ read: 2, duplicate: 2 })
    expect(at.answers("qName")).toEqual(["A"])
    fix(at, ["1,B,", "2,B,"], [/(1,C,.*),duplicate-key,/, "$1,,"])
    const fixed = yield* importFixed(at, again.lastLine)
    expect(fixed.status, fixed.stdout + fixed.stderr).toBe(0)
    expect(at.answers("qName")).toEqual(["A", "B", "C"])
  }))

it.scopedLive("a rejected row that was sent later as it was is not sent again after it is fixed, under a different key", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const pipeline = pipelineYaml({ sink }).replace("[No]", "content")
    at.write("pipelines/contacts.yaml", pipeline)
    at.write("source.csv", csv(upTo(3), (key) => `Person ${key},${key === 3 ? "none" : `${key}@example.org`},`))
    const first = yield* at.inProcess("run", "contacts")
    fix(at, ["none", "3@example.org"])
    at.write("pipelines/contacts.yaml", pipeline.replace("as: email", "as: email, onInvalid: drop"))
    const later = yield* at.inProcess("run", "contacts")
    expect([later.status, at.count()], later.stdout + later.stderr).toEqual([0, 3])
    yield* at.exits(1, ...first.lastLine.split(" ").slice(1))
    expect(at.report().rows).toMatchObject({ read: 1, changed: 1 })
    expect(at.count()).toBe(3)
  }))

it.scopedLive("broken records of JSON lines are distinguished by their text, which rejected.csv contains", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("pipelines/contacts.yaml", pipelineYaml({ sink, file: "../source.jsonl" }))
    const record = (no: number) =>
      JSON.stringify({ No: no, Name: `P${no}`, Mail: `${no}@example.org`, Born: "1990-01-17" })
    const broken = (no: number) => record(no).slice(0, -1)
    at.write("source.jsonl", `${record(1)}\n${broken(2)}\n`)
    yield* at.exits(1, "run", "contacts")
    expect(at.read("reports/contacts/latest/rejected.csv")).toContain('""Name"":""P2""')
    yield* at.exits(0, "acknowledge", "contacts", "--all", "--because", "known")
    yield* at.exits(0, "run", "contacts")
    at.write("source.jsonl", `${record(1)}\n${broken(3)}\n${broken(2)}\n`)
    yield* at.exits(1, "run", "contacts")
    expect(at.report()).toMatchObject({ acknowledged: 1, rows: { invalid: 2 } })
  }))

it.scopedLive("rejected rows that a spreadsheet program has saved as a workbook are held as well, also if they are masked", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("pipelines/contacts.yaml", pipelineYaml({ sink }))
    at.write(
      "source.csv",
      csv(
        upTo(3),
        (key) =>
          key === 2 ? "B, b,2@example.org,1990-01-17" : key === 3 ? "C,3@example.org" : "A,1@example.org,1990-01-17",
      ),
    )
    yield* at.exits(1, "run", "contacts")
    const held = yield* runAsWorkbook(at, "rejected.xlsx")
    expect(held.status, held.stdout + held.stderr).toBe(1)
    expect(at.report().rows).toMatchObject({ read: 2, invalid: 2 })
    yield* at.exits(1, "run", "contacts", "--redact")
    const masked = yield* runAsWorkbook(at, "masked.xlsx")
    expect(masked.status, masked.stdout + masked.stderr).toBe(2)
    expect(masked.stderr).toContain("masked copy")
    expect(at.count()).toBe(1)
  }))

it.scopedLive("errors of a workbook stay rejected until they are corrected, also in a row with another problem", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("pipelines/contacts.yaml", pipelineYaml({ sink, file: "../source.xlsx" }))
    const error = `t="e"><f>A1/0</f><v>#DIV/0!</v>`
    const uncalculated = "><f>A1</f>"
    const contact = (number: number, key: string, name: string) =>
      row(number, text(key), name, text(`${number}@example.org`), text("1990-01-17"))
    const rows = row(1, text("No"), text("Name"), text("Mail"), text("Born"))
      + contact(2, "1", text("Ada")) + contact(3, "2", error) + contact(4, "3", uncalculated) + contact(5, "1", error)
    at.write("source.xlsx", zip(xlsx([{ name: "S", rows }])))
    const first = yield* at.exits(1, "run", "contacts")
    expect(at.report().rows).toMatchObject({ imported: 1, invalid: 2, duplicate: 1 })

    fix(at, [/^1,/m, "4,"])
    const again = yield* importFixed(at, first.lastLine)
    expect(again.status, again.stdout + again.stderr).toBe(1)
    expect(at.report().rows).toMatchObject({ read: 3, imported: 0, invalid: 3 })
    expect(at.report().problems).toMatchObject([{ code: "excel-error", count: 3 }])

    fix(at, [/^2,[^,]*/m, "2,Bob"], [/^3,[^,]*/m, "3,#DIV/0!"], [/^4,[^,]*/m, "4,Dora"])
    const last = yield* importFixed(at, again.lastLine)
    expect(last.status, last.stdout + last.stderr).toBe(0)
    expect(at.report().rows).toMatchObject({ read: 3, imported: 3 })
  }))

it.scopedLive("a rejected.csv that was saved as a workbook is read without the places of the pipeline's own workbook", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("pipelines/contacts.yaml", pipelineYaml({ sink, file: "../source.xlsx\n  sheet: S\n  headerRow: 2" }))
    const rows = row(1, text("Contacts")) + row(2, text("No"), text("Name"), text("Mail"), text("Born"))
      + row(3, text("1"), text("Ada"), text("not an address"), text("1990-01-17"))
    at.write("source.xlsx", zip(xlsx([{ name: "S", rows }])))
    yield* at.exits(1, "run", "contacts")
    const sent = yield* runAsWorkbook(at, "fixed.xlsx", rejectedLines(at, withMail))
    expect(sent.status, sent.stdout + sent.stderr).toBe(0)
    expect(at.report().rows).toMatchObject({ read: 1, imported: 1 })
  }))

it.scopedLive("rejected rows in the pipeline's sheet of a workbook with several sheets are read from that sheet, also if a form tool wrote the source", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write(
      "pipelines/contacts.yaml",
      pipelineYaml({ sink, file: "../source.xlsx\n  sheet: Answers" }).replace("[No]", "[ID]"),
    )
    const titles = ["ID", "Start time", "Completion time", "Email", "Name", "Mail", "Born"]
    const times = ["7/2/20 11:00:22", "7/2/20 11:04:10", "anonymous"]
    const book = (lines: ReadonlyArray<ReadonlyArray<string>>) => {
      const notes = sheetOf([["ID", "Name"], ["9", "Zed"]])
      return zip(xlsx([{ name: "Notes", rows: notes }, { name: "Answers", rows: sheetOf(lines) }]))
    }
    at.write("source.xlsx", book([titles, ["1", ...times, "Ada", "not an address", "1990-01-17"]]))
    yield* at.exits(1, "run", "contacts")
    at.write("fixed.xlsx", book(rejectedLines(at, withMail)))
    yield* at.exits(0, "run", "contacts", "--source", "fixed.xlsx")
    expect(at.report().rows).toMatchObject({ read: 1, imported: 1 })
  }))

it.scopedLive("a masked rejected.csv that was saved as a workbook is refused, also if the pipeline's source has no header", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write(
      "pipelines/contacts.yaml",
      `pipeline: contacts
source: { file: ../source.csv, headerRow: none, rowKey: [column 1] }
mapping:
  questions:
    - { name: Name, from: column 2, required: true }
sink: { service: live, form: contacts }
`,
    )
    at.write("source.csv", "1,Ada,x\n2,,y\n3,,z\n")
    yield* at.exits(1, "run", "contacts", "--redact")
    const masked = yield* runAsWorkbook(at, "masked.xlsx")
    expect(masked.status, masked.stdout + masked.stderr).toBe(2)
    expect(masked.stderr).toContain("masked copy")
    expect(at.answers("qName")).toEqual(["Ada"])
  }))

it.scopedLive("a masked rejected.csv, or one without its _id, that was saved as a workbook is refused although the pipeline names a range", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("pipelines/contacts.yaml", pipelineYaml({ sink, file: "../source.xlsx\n  range: A1:D9" }))
    const rows = row(1, text("No"), text("Name"), text("Mail"), text("Born"))
      + row(2, text("1"), text("Ada"), text("not an address"), text("1990-01-17"))
    at.write("source.xlsx", zip(xlsx([{ name: "S", rows }])))
    yield* at.exits(1, "run", "contacts")
    const moved = yield* runAsWorkbook(at, "moved.xlsx", rejectedLines(at).map((line) => line.toSpliced(4, 1)))
    expect(moved.status, moved.stdout + moved.stderr).toBe(2)
    expect(moved.stderr).toContain("columns from _id to _message were removed or moved")
    yield* at.exits(1, "run", "contacts", "--redact")
    const masked = yield* runAsWorkbook(at, "masked.xlsx")
    expect(masked.status, masked.stdout + masked.stderr).toBe(2)
    expect(masked.stderr).toContain("masked copy")
  }))
