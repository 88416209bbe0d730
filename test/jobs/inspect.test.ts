import { NodeContext } from "@effect/platform-node"
import { Effect } from "effect"
import stringWidth from "fast-string-width"
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"
import { parse } from "yaml"
import { showInspection } from "../../src/cli/inspect.ts"
import { hashOf } from "../../src/domain/textHash.ts"
import { surveyDraft } from "../../src/jobs/draft.ts"
import { inspectFile, type Inspection } from "../../src/jobs/inspect.ts"
import { openShown } from "../../src/jobs/prepare.ts"
import { collectHashes } from "../../src/profile/TextHashes.ts"
import { asFound } from "../../src/source/openSource.ts"
import { formOf } from "../mapping/pipeline.ts"

const samples = fileURLToPath(new URL("../../samples", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "formferry-inspect-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
const inspect = (path: string, labels?: string): Promise<Inspection> =>
  Effect.runPromise(Effect.provide(inspectFile(asFound(path), labels), NodeContext.layer))
const inspectText = (text: string): Promise<Inspection> => {
  const path = join(folder, `${++files}.csv`)
  writeFileSync(path, text)
  return inspect(path)
}
/** Inspects a file with an id and one more column. */
const inspectColumn = async (title: string, cells: ReadonlyArray<string>) => {
  const rows = cells.map((cell, at) => `${at},"${cell.replaceAll('"', '""')}"`)
  const [, column] = (await inspectText(`No,"${title}"\n${rows.join("\n")}\n`)).columns
  if (column === undefined) throw new Error("no column")
  return column
}
const trapsOf = async (title: string, cells: ReadonlyArray<string>) =>
  (await inspectColumn(title, cells)).traps.map(({ code, count }) => [code, count])

const many = (count: number, make: (at: number) => string) => Array.from({ length: count }, (_, at) => make(at))

describe("the rows of a table", () => {
  it("are shown, each with its role in the table", async () => {
    const { head } = await inspectText("Members 2024,,\n\nNo,Name,Weight\n,,kg\n1,Ada,60\n2,Bob,70\n3,Eve,80\n")
    expect(head.map(({ is, row }) => [row, is])).toEqual([
      [1, "not read"],
      [2, "empty"],
      [3, "header"],
      [4, "units"],
      [5, "row"],
      [6, "row"],
    ])
  })

  it.each([
    ["units", 1, "No,Weight,Height\n,(kg),cm\n1,60,160\n2,70,170\n3,80,180\n", { Weight: { not: "(kg)" } }],
    ["totals", 4, "No,Name,Sum\n1,Ada,6\n2,Bob,7\n3,Eve,8\nTotal:,,21\n", { No: { not: "Total:" } }],
    ["totals", 4, "Name;Mail;Note\nAda;a@b.org;6\nBob;b@b.org;7\nEve;c@b.org;8\nGesamtdurchschnitt;;7\n", {
      Name: { not: "Gesamtdurchschnitt" },
    }],
    ["totals", 4, "名前,メール,点数\nAda,a@b.org,6\nBob,b@b.org,7\nEve,c@b.org,8\n合計,,21\n", {
      名前: { not: "合計" },
    }],
    ["totals", 4, "Ort;Name;Betrag\nUlm;Ada;6\nBonn;Bob;7\nUlm;Eve;8\nSumme;;21\nStand: Mai;;\n", {
      Ort: { not: "Summe" },
    }],
  ])(
    "that contain %s, such as row %i, are named with the `where` that leaves them out",
    async (is, row, text, where) => {
      const { columns, rows, warnings } = await inspectText(text)
      expect(warnings.filter((warning) => !warning.includes("a note"))).toEqual([
        expect.stringContaining(`looks like ${is}, not like a record. Skip it with`),
      ])
      expect(warnings[0]).toMatch(new RegExp(`^Row ${row} `))
      expect(parse(/`(where: .*?)` under/.exec(warnings[0] ?? "")?.[1] ?? "")).toEqual({ where })
      // Without that row, the column has a single kind. The row is still counted.
      expect(columns.at(-1)).toMatchObject({ kind: "number", share: 1 })
      expect(rows).toBeGreaterThanOrEqual(4)
    },
  )

  it("that contain totals anywhere are named, and skipped by one `where`", async () => {
    const rows = ["Dept;Name;Amount", "A;Ada;10", "A;Bob;20", "A Total;;30", "B;Cy;5", "B;Di;6", "Subtotal B;;11"]
    const { columns, warnings } = await inspectText(`${rows.join("\n")}\nGrand total;;41\n`)
    expect(warnings).toEqual([
      'Rows 3 ("A Total"), 6 ("Subtotal B"), 7 ("Grand total") look like totals, not like records. Skip them with `where: { Dept: { not: [A Total, Subtotal B, Grand total] } }` under `source`, as `init` does. The columns are shown without them.',
    ])
    expect(columns[0]?.distinct.count).toBe(2)
  })

  it.each([
    [4, "Total,Ulm,8\nAda,Ulm,6\nBob,Ulm,7\nTotal,,21\n"],
    [1, "Total,,21\nAda,Ulm,6\nBob,Ulm,7\nTotal,Ulm,8\n"],
  ])("that contain totals, such as row %i, are not skipped if a record has the same name", async (row, text) => {
    expect((await inspectText(`Name,Town,Sum\n${text}`)).warnings).toEqual([
      `Row ${row} ("Total") looks like totals, not like a record. It is read like all rows. If it is not a record, remove it from the file.`,
    ])
  })

  it("that contain a name and a value are named as totals or notes", async () => {
    const people = "Name,Mail,Town,Job\nAda,a@b.org,Ulm,x\nBob,b@b.org,Bonn,x\nExported on,c@b.org,Ulm,x\n"
    expect((await inspectText(`${people}Total entries:,3,,\nExported on:,2026-11-30 10:00,,\n`)).warnings).toEqual([
      expect.stringContaining('Row 4 ("Total entries:") looks like totals, not like a record. Skip it with'),
      expect.stringContaining('Row 5 ("Exported on:") looks like a note, not like a record.'),
    ])
  })

  it("that contain a single cell are named as notes, which nothing skips, wherever they are in a long file", async () => {
    const people = many(1200, (at) => `Name ${at},C${at},Ulm\n${at === 700 ? "Page 2,,\n" : ""}`).join("")
    const { columns, warnings } = await inspectText(`Name,Code,Town\n${people}--- end of file: 1200 records ---,,\n`)
    expect(warnings).toEqual([
      'Rows 702 ("Page 2"), 1202 ("--- end of file: 1200 records ---") look like notes, not like records. They are read like all rows. If they are not records, remove them from the file.',
    ])
    expect(columns[0]?.filled).toBe(1202)
  })

  it.each([
    ["a record with the name of totals", "Name,Town,Sum\nAda,Ulm,6\nBob,Ulm,7\nTotal,Ulm,8\n"],
    ["rows of one cell, if others have few", "Name,Town,Age\nAda,,\nBob,Ulm,7\nEve,,\nDi,Bonn,\nCy,,8\n"],
    ["a first row whose cells are answers", "Unit,Name\nkg,m\ncm,h\nkg,s\n"],
    ["a title with the name of totals", "Total,Name,Sum\n1,Ada,6\n2,Bob,7\n"],
  ])("are all records: %s", async (_, text) => {
    expect((await inspectText(text)).warnings).toEqual([])
  })
})

describe("inspecting a column", () => {
  it.each([
    ["text", many(20, (at) => `something that ${at} wrote`)],
    ["number", many(40, (at) => `${at * 7},5`)],
    ["boolean", many(20, (at) => (at % 3 === 0 ? "yes" : "no"))],
    ["date", many(20, (at) => `${at + 1}.12.2024`)],
    ["dateTime", many(20, (at) => `2024-12-01 10:${at + 10}`)],
    ["time", many(20, (at) => `10:${at + 10}`)],
    ["email", many(20, (at) => `p${at}@example.org`)],
    ["phone", many(20, (at) => `+49 30 231250${at + 10}`)],
    ["url", many(20, (at) => `https://example.org/${at}`)],
    ["choice", many(20, (at) => ["Red", "Green", "Blue"][at % 3] ?? "")],
    [
      "choices",
      many(40, (at) =>
        [["Tea", "Coffee", "Mate", "Water", "Milk"][at % 5], ["Rum", "Cake"][at % 2]].join("; ")
        + (at % 7 === 0 ? "; Soup" : "")),
    ],
    ["empty", many(5, () => "")],
  ])("inspect reports the kind %s", async (kind, cells) => {
    expect((await inspectColumn("A", cells)).kind).toBe(kind)
  })

  it("inspect does not read x and y as yes and no, because both words mean yes", async () => {
    expect((await inspectColumn("A", many(20, (at) => (at % 2 === 0 ? "x" : "y")))).kind).toBe("choice")
    expect((await inspectColumn("A", many(20, () => "x"))).kind).toBe("boolean")
    expect((await inspectColumn("A", many(20, (at) => (at % 2 === 0 ? "J" : "N")))).kind).toBe("boolean")
  })

  it("inspect reports the filled rows, the distinct cells, and the most frequent cells, truncated", async () => {
    const long = "x".repeat(500)
    const column = await inspectColumn("A", ["b", "a", "", "b", long, "", "", ""])
    expect(column).toMatchObject({ filled: 4, fill: 0.5, distinct: { count: 3, exact: true }, unique: false })
    expect(column.samples[0]).toEqual({ text: "b", times: 2 })
    expect(column.samples.every(({ text }) => text.length <= 60)).toBe(true)
  })
})

describe("traps found by inspect", () => {
  it("inspect finds options that Excel turned into dates", async () => {
    expect(await trapsOf("Employees", ["1-5", "Jun-25", "26-100", "Jun-25", "01-May", "500-1000", "100-500", "1-5"]))
      .toContainEqual(["excel-date", 3])
  })

  it("inspect finds numbers that lost digits", async () => {
    expect(await trapsOf("Phone", ["9.23188E+11", "+49 30 23125000", "9.23E+11", "+49 30 23125001"])).toContainEqual([
      "scientific",
      2,
    ])
    expect(await trapsOf("Card", many(5, (at) => `1234567890123${at}00000`))).toContainEqual(["rounded-digits", 5])
  })

  it("inspect finds lost leading zeros, unless some cells still have them", async () => {
    const lost = ["10115", "80331", "1067", "4109", "50667", "20095"]
    expect(await trapsOf("PLZ", lost)).toContainEqual(["lost-zeros", 2])
    expect(await trapsOf("PLZ", [...lost, "01067"])).not.toContainEqual(expect.arrayContaining(["lost-zeros"]))
    expect(await trapsOf("Salary", lost)).not.toContainEqual(expect.arrayContaining(["lost-zeros"]))
  })

  it("inspect finds two orders of day and month, and columns in which the order is ambiguous", async () => {
    const codes = async (cells: ReadonlyArray<string>) => (await trapsOf("Born", cells)).map(([code]) => code)
    expect(await codes(["25/12/2024", "12/25/2024", "01/02/2024"])).toEqual(["two-date-orders"])
    expect(await codes(["01/02/2024", "03/04/2024", "05/06/2024"])).toEqual(["open-date-order"])
    expect(await codes(["25/12/2024", "03/04/2024", "05/06/2024"])).toEqual([])
  })

  it("inspect finds cells of a different kind from the others", async () => {
    const column = await inspectColumn("Age", [...many(30, (at) => String(at)), "about 30"])
    expect(column).toMatchObject({ kind: "number" })
    expect(column.traps).toEqual([
      {
        code: "mixed-kinds",
        count: 1,
        message: expect.stringContaining("1 of 31 filled cells is not of the kind number"),
        examples: ["about 30"],
      },
    ])
  })

  it("inspect finds texts that are written as spreadsheet formulas", async () => {
    expect(await trapsOf("Code", ['="0123"', '="0456"', "x"])).toContainEqual(["wrapped", 2])
  })

  it("inspect finds white space, spreadsheet errors, apostrophes before formula characters, letters of a wrong encoding, and cells that Excel truncated", async () => {
    expect(await trapsOf("A", [" a", "b ", "c"])).toContainEqual(["spaces", 2])
    expect(await trapsOf("A", ["#N/A", "#REF!", "x"])).toContainEqual(["excel-error", 2])
    expect(await trapsOf("A", ["'=1+1", "'+49", "it's"])).toContainEqual(["guarded", 2])
    expect(await trapsOf("A", ["MÃ¼ller", "itâ€™s", "Ärzte"])).toContainEqual(["garbled", 2])
    expect(await trapsOf("A", ["M³ller", "J„ger", "ein m³je Tag", "er sagt: „hallo“"])).toContainEqual(["garbled", 2])
    expect(await trapsOf("A", ["x".repeat(32_767)])).toContainEqual(["cut-off", 1])
  })

  it("inspect finds texts and dates that programs write for no answer", async () => {
    expect(await trapsOf("A", ["NULL", "\\N", "(null)", "none of these", "Nil"])).toContainEqual(["no-answer", 4])
    const dates = ["1900-01-01 00:00:00.000", "31.12.9999", "0000-00-00", "1/1/1900", "99991231", "1990-01-01"]
    expect(await trapsOf("A", dates)).toContainEqual(["no-answer", 5])
  })

  it("inspect finds HTML, the escapes of databases, and invisible characters", async () => {
    expect(await trapsOf("A", ["Tom &amp; Al", "a<br>b", "M&uuml;ller", "AT&T; x < y"])).toContainEqual(["markup", 3])
    expect(await trapsOf("A", ["a\\nb", "Tom\\, jr", "'Ada'", "it's", "R\\D"])).toContainEqual(["escaped", 3])
    expect(await trapsOf("A", ["A\u00adda", "a\0b", "a\u200bb", "👩\u200d🔬"])).toContainEqual(["invisible", 3])
  })

  it("inspect finds a first column in which an empty cell may mean the value above it", async () => {
    const codes = async (text: string) =>
      (await inspectText(text)).columns.map(({ traps }) => traps.map(({ code }) => code))
    expect(await codes("Name,Code\nAda,a1\n,a2\n,a3\nBob,b2\n,b3\n")).toEqual([["empty-below"], []])
    expect(await codes("Name,Code\nAda,a1\nAda,a2\n,a3\nBob,b2\n,b3\n")).toEqual([[], []])
  })

  it("inspect finds repeated and missing titles", async () => {
    const { columns } = await inspectText("No,Why?,Why?,\n1,a,b,c\n")
    expect(columns.map(({ traps }) => traps.map(({ code }) => code))).toEqual([
      [],
      ["repeated-title"],
      ["repeated-title"],
      ["empty-title"],
    ])
    expect(columns[1]?.traps[0]?.message).toContain("columns 2, 3")
  })

  it("inspect doesn't report apostrophes before formula characters if the form tool is known to write them", async () => {
    const { columns, tool } = await inspect(`${samples}/form-tools/typeform.csv`)
    expect(tool?.name).toBe("typeform")
    expect(columns[3]).toMatchObject({ kind: "phone", name: "Phone number" })
    expect(columns.flatMap(({ traps }) => traps.map(({ code }) => code))).not.toContain("guarded")
    // If the tool is not known to add apostrophes, an apostrophe may be part of the answer.
    expect(await trapsOf("Phone", ["'+49 30 231250", "'-5"])).toContainEqual(["guarded", 2])
  })
})

describe("inspecting a whole file", () => {
  it("inspect reports the tool with reasons and other candidates, the columns' meanings, blocks, unfinished responses and the row key", async () => {
    const inspection = await inspect(`${samples}/form-tools/qualtrics.csv`)
    expect(inspection.tool).toMatchObject({ name: "qualtrics", score: 1, variant: "three header rows" })
    expect(inspection.tool?.reasons.length).toBeGreaterThan(0)
    expect(inspection).toMatchObject({ rows: 2, unfinished: 1, faulty: 0 })
    expect(inspection.columns[7]).toMatchObject({ name: "ResponseId", role: "id" })
    expect(inspection.columns[9]).toMatchObject({ name: "Q1", label: "How are you?", role: undefined })
    expect(inspection.columns[10]?.block).toBe("Which do you own?")
    expect(inspection.rowKey[0]).toEqual({ columns: ["ResponseId"], because: expect.stringContaining("Qualtrics") })
  })

  it("inspect names the likely tool even if it is not certain", async () => {
    const { others, tool } = await inspectText(
      "Timestamp,Level,What happened here?\n2024-01-01 10:00:00,INFO,started\n",
    )
    expect(tool === undefined ? others.map(({ name }) => name) : [tool.name]).toEqual(["google-forms"])
  })

  it("inspect counts rows whose cells can't be separated, and excludes them from the columns", async () => {
    const { columns, faulty, rows } = await inspectText("A,B\n1,2\n1,2,3\n4,5\n")
    expect([rows, faulty]).toEqual([3, 1])
    expect(columns[0]).toMatchObject({ filled: 2, fill: 1 })
  })

  it("inspect reports rows that repeat the titles in concatenated files", async () => {
    const inspection = await inspectText("id,name\n1,Ada\nid,name\n2,Bob\nid,name\n")
    expect(inspection.faults).toEqual([
      expect.stringContaining("Row 2 (line 3) repeats the header"),
      expect.stringContaining("Row 4 (line 5) repeats the header"),
    ])
    expect((await inspectText("id,name\n1,Ada\nid,x\n")).faults).toEqual([])
  })

  it("inspect names the first faulty rows", async () => {
    const path = join(folder, "bad.jsonl")
    writeFileSync(path, '{"a":1}\n{"a":2\n{"a":3}\n')
    const inspection = await inspect(path)
    expect(inspection.faults).toEqual([expect.stringContaining("Row 2 (line 2) is not JSON")])
    expect(showInspection(inspection, { width: 120, colour: false })).toMatch(
      /faulty row +│ Row 2 \(line 2\) is not JSON/,
    )
  })

  it("inspect names the visible sheets that it does not read", async () => {
    expect((await inspect(`${samples}/registrations.xlsx`)).warnings).toContain(
      'Another visible sheet is not read: "Registrations". To read it, name it with `--sheet`, or with `source.sheet` in a pipeline.',
    )
  })

  it("inspect says that a file with only a header has no rows", async () => {
    const shown = showInspection(await inspectText("No,Name\n"), { width: 120, colour: false })
    expect(shown).toMatch(/Row key\n +The file has no rows\.$/)
  })

  it("inspect never suggests a file with which Excel locks a workbook", async () => {
    writeFileSync(join(folder, "~$locked.xlsx"), "")
    await expect(inspect(join(folder, "locked.xlsx"))).rejects.toThrow(/There is no file \S+\. Correct its path\.$/)
  })

  it("inspect names the workbook of a file with which Excel locks it", async () => {
    writeFileSync(join(folder, "~$open.xlsx"), "\u0005Ada")
    await expect(inspect(join(folder, "~$open.xlsx"))).rejects.toThrow(
      /~\$open\.xlsx has no rows: Excel writes it while open\.xlsx is open\. Name open\.xlsx instead\.$/,
    )
  })

  it("inspect distinguishes a missing file, a link to a missing file, and a link to itself", async () => {
    symlinkSync("absent.csv", join(folder, "broken.csv"))
    symlinkSync("endless.csv", join(folder, "endless.csv"))
    await expect(inspect(join(folder, "broken.csv"))).rejects.toThrow(
      /broken\.csv is a link to a file that does not exist\./,
    )
    await expect(inspect(join(folder, "endless.csv"))).rejects.toThrow(
      /: a symbolic link in its path leads back to itself\./,
    )
  })

  it("inspect prints JSON that can be read back", async () => {
    const inspection = await inspect(`${samples}/form-tools/typeform-responses.json`)
    expect(JSON.parse(JSON.stringify(inspection))).toMatchObject({ rows: 3, tool: { name: "typeform" }, unfinished: 1 })
  })
})

describe("a survey of a draft", () => {
  it.each(["contacts.csv", "tickets.csv", "registrations.xlsx", "surveymonkey/538-StarWars.first200.csv"])(
    "inspects %s while it reads the rows, with the result of inspect",
    async (name) => {
      const file = `${samples}/${name}`
      const surveyed = Effect.flatMap(
        openShown(asFound(file)),
        (source) => surveyDraft({ form: formOf([]), source }, true),
      )
      const { inspection, isWhole } = await Effect.runPromise(
        surveyed.pipe(Effect.scoped, Effect.provide(NodeContext.layer)),
      )
      expect(isWhole).toBe(true)
      expect(inspection).toEqual(await inspect(file))
    },
  )
})

describe("approximate counts beyond a limit", () => {
  it.each([[500, 0], [20_000, 0.1], [200_000, 0.1]])(
    "the count of %i different texts is estimated to within %d",
    (number, tolerance) => {
      const distinct = collectHashes({ left: 100_000 })
      for (let round = 0; round < 2; round++) {
        for (let at = 0; at < number; at++) distinct.add(hashOf(`text ${at}`))
      }
      const { count, exact } = distinct.counted()
      expect(exact).toBe(tolerance === 0)
      expect(Math.abs(count - number)).toBeLessThanOrEqual(number * tolerance)
    },
  )

  it("a late repetition is found, or reported as unknown if there is no more memory for it", () => {
    const room = { left: 5_000 }
    const [late, unique, crowded] = [collectHashes(room), collectHashes(room), collectHashes(room)]
    for (let at = 0; at < 4_000; at++) {
      late.add(hashOf(`a${at}`))
      unique.add(hashOf(`b${at}`))
    }
    for (let at = 0; at < 4_000; at++) crowded.add(hashOf(`c${at}`))
    expect([late.counted().unique, unique.counted().unique, crowded.counted().unique]).toEqual([true, true, undefined])
    late.add(hashOf("a0"))
    expect(late.counted().unique).toBe(false)
    expect(room.left).toBe(5_000 - 2_048)
  })
})

describe("inspect on a terminal", () => {
  const evil = 'No,"\u001b[31mRed\u0007"\n1,"a\u001b]0;title\u0007b"\n2,\u009b2Jc\n'

  it.each([[40], [80], [120]])("the output fits %i columns, whatever the file contains", async (width) => {
    for (const path of ["surveymonkey/538-StarWars.first200.csv", "form-tools/kobo.csv", "contacts.csv"]) {
      const text = showInspection(await inspect(`${samples}/${path}`), { width, colour: false })
      for (const line of text.split("\n")) expect(stringWidth(line), line).toBeLessThanOrEqual(width)
    }
  })

  it("the output contains no control character of a file", async () => {
    const text = showInspection(await inspectText(evil), { width: 80, colour: false })
    expect(text.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u)
  })

  it("the table has the titles and labels of the form tool's own definition", async () => {
    const [source, dictionary] = [join(folder, "coded.csv"), join(folder, "dictionary.csv")]
    writeFileSync(source, "id,area,note\n1,2,a\n2,2,b\n3,1,c\n")
    writeFileSync(
      dictionary,
      '"Variable / Field Name","Form Name","Field Type","Field Label","Choices, Calculations, OR Slider Labels"\n'
        + 'area,f,radio,Where do you live?,"1, Suburban | 2, Rural"\n',
    )
    const inspection = await inspect(source, dictionary)
    const text = showInspection(inspection, { width: 120, colour: false })
    expect(text).toContain("REDCap data dictionary, 1 of 3 columns")
    expect(text).toMatch(/ area: Where do you live\? .* 2 = Rural \(2\) · 1 = Suburban/)
    expect(inspection.columns[1]?.samples[0]).toEqual({ text: "2", times: 2, label: "Rural" })
    await expect(inspect(`${samples}/contacts.csv`, dictionary)).rejects.toThrow(
      "describes none of the source's columns",
    )
  })
})
