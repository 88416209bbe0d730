import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { DateCell, ErrorCell, JsonCell } from "../../src/domain/cell.ts"
import type { SourceConfig } from "../../src/project/Pipeline.ts"
import { isFixed } from "../../src/source/fixed.ts"
import { openSource } from "../../src/source/openSource.ts"
import { config, file, read, readAll, refusal, run, texts } from "./opening.ts"
import { row, text, xlsx, zip } from "./workbooks.ts"

const byEvent: NonNullable<SourceConfig["combine"]> = { by: ["id"], name: ["event"], places: [], with: [] }

/** Reads delimited text with `source.combine`. Returns columns, rows as text, and the problems by row. */
const combined = async (csv: string, combine = byEvent) => {
  const { faults, files, rows, source } = await run(read(config(file(csv), { combine })))
  const titles = source.columns.map(({ title }) => title)
  return { titles, rows: texts(rows, titles.length), faults, files, source }
}

describe("a source with combined records", () => {
  it("a combined source has a row for each key, and each column once for each place", async () => {
    const { rows, titles } = await combined("id,event,weight\n1,base,70\n2,base,80\n1,later,71\n")
    expect(titles).toEqual(["id", "base.weight", "later.weight"])
    expect(rows).toEqual([["1", "70", "71"], ["2", "80", ""]])
  })

  it("places are named by all filled columns that distinguish records", async () => {
    const name = ["event", "form", "nth"]
    const { titles } = await combined("id,event,form,nth,a\n1,base,,,x\n1,base,visit,1,y\n1,,,,z\n", {
      ...byEvent,
      name,
    })
    expect(titles).toEqual(["id", "base.a", "base.visit.1.a", "a"])
  })

  it("a row is rejected if one of its places has the name of a place that other cells name", async () => {
    const { faults } = await combined("id,event,nth,a,b\n1,visit.1,,x,\n1,visit,1,,y\n2,visit.1,,x,y\n", {
      ...byEvent,
      name: ["event", "nth"],
    })
    expect([...faults]).toEqual([[
      1,
      'Row 1 (record 2) has the place "visit.1", but so have records with other cells in event and nth. Correct the records.',
    ]])
  })

  it("records that fill different columns are joined if no column distinguishes them", async () => {
    const { rows, titles } = await combined("id,a,b\n1,x,\n1,,y\n", { ...byEvent, name: [] })
    expect(titles).toEqual(["id", "a", "b"])
    expect(rows).toEqual([["1", "x", "y"]])
  })

  it("records that equal an earlier one of their row are counted, also in other files, unless each has its own place", async () => {
    const noteOf = async (csv: string, combine = byEvent) =>
      (await combined(csv, combine)).source.taken.find(({ what }) => what === "combined")?.value
    expect(await noteOf("id,event,a\n1,base,x\n2,base,x\n1,later,x\n")).toBe("3 records into 2 rows by id")
    expect(await noteOf("id,event,a\n1,base,x\n1,later,x\n1,base,x\n")).toBe(
      "3 records into 1 row by id; 1 record equals an earlier one of its row",
    )
    const visits = file("id,day\n1,Mon\n1,Mon\n")
    const noteWith = (repeats: boolean) =>
      noteOf("id,a\n1,x\n", {
        by: ["id"],
        name: [],
        places: [],
        with: [{ file: visits, sheet: undefined, by: ["id"], as: "visit", repeats }],
      })
    expect(await noteWith(true)).toBe("3 records into 1 row by id")
    expect(await noteWith(false)).toBe("3 records into 1 row by id; 1 record equals an earlier one of its row")
  })

  it("a row with two different values in the same place is rejected, and the message names the place", async () => {
    const { faults } = await combined("id,event,a\n1,base,x\n2,base,x\n1,base,y\n2,base,x\n")
    expect([...faults]).toEqual([[1, expect.stringContaining(`Row 1: base.a is both "x" and "y" (record 3).`)]])
  })

  it("the whole row is rejected if one of its records is ragged", async () => {
    const { faults, rows } = await combined("id,event,a,b\n1,base,x,y\n1,later,z\n2,base,x,y\n")
    expect([...faults.keys()]).toEqual([1])
    expect(faults.get(1)).toContain("Row 1 (record 2)")
    expect(rows[1]).toEqual(["2", "x", "y"])
  })

  it("all cells of a ragged record are kept, at the end of its row if they have no place", async () => {
    const { faults, rows, titles } = await combined(
      "id,event,a,b\n1,later,7,8,9\n1,base,5,6\n2,base,9,10\n2,oh, no,later,11,12\n3,later,1,2\n",
    )
    expect(titles).toEqual(["id", "later.a", "later.b", "base.a", "base.b"])
    expect(rows).toEqual([
      ["1", "7", "8", "5", "6", "9"],
      ["2", "", "", "9", "10", "2", "oh", " no", "later", "11", "12"],
      ["3", "1", "2", "", ""],
    ])
    expect([...faults.keys()]).toEqual([1, 2])
  })

  it("a record without a key is rejected as a separate row", async () => {
    const { faults, rows } = await combined("id,event,a\n,base,x\n,base,y\n")
    expect(rows.map((row) => row[1])).toEqual(["x", "y"])
    expect(faults.get(2)).toContain("Row 2 (record 2) has no id")
  })

  it("a combined source has the columns of expected places even if no record has these places", async () => {
    const { rows, titles } = await combined("id,event,a\n", { ...byEvent, places: ["base", "later"] })
    expect(titles).toEqual(["id", "base.a", "later.a"])
    expect(rows).toEqual([])
  })

  it("a missing column is refused, and the message suggests a column", async () => {
    const said = await refusal(config(file("id,event,a\n1,base,x\n"), { combine: { ...byEvent, name: ["evnt"] } }))
    expect(said).toMatch(/has no column "evnt", which `source\.combine` names\. Did you mean "event"\?$/)
  })

  it("a combined source with too many columns is refused", async () => {
    const columns = Array.from({ length: 200 }, (_, at) => `c${at}`).join(",")
    const records = Array.from({ length: 100 }, (_, at) => `1,${at}${",".repeat(200)}`).join("\n")
    expect(await refusal(config(file(`id,event,${columns}\n${records}\n`), { combine: byEvent })))
      .toContain("20,001 columns, more than 16,384. Use columns under `source.combine.name`")
    const other = file(`id,a\n${Array.from({ length: 16_400 }, (_, at) => `1,${at}\n`).join("")}`)
    const visits = { file: other, sheet: undefined, by: ["id"], as: "visit", repeats: true } as const
    expect(await refusal(config(file("id,b\n1,x\n"), { combine: { ...byEvent, name: [], with: [visits] } })))
      .toContain("One row would have 16,400 records of visit. Check the key of these records.")
  })

  it("each sheet that no part of a combined source reads is named once, and the sheets that are read are not", async () => {
    const book = file(
      zip(xlsx([
        { name: "S", rows: row(1, text("id"), text("a")) + row(2, text("1"), text("x")) },
        { name: "V", rows: row(1, text("id"), text("b")) + row(2, text("1"), text("y")) },
        { name: "U", rows: row(1, text("z")) },
      ])),
      "xlsx",
    )
    const own = { by: ["id"], as: "v", repeats: false } as const
    const combine = { ...byEvent, name: [], with: [{ ...own, sheet: "V" }] }
    const all = await run(read(config(book, { combine })))
    expect(all.rows).toEqual([["1", "x", "y"]])
    expect(all.files.flatMap(({ file }) => file.unread ?? [])).toEqual([{ what: "sheet", name: "U" }])
    const other = await run(read(config(book, {
      combine: {
        ...combine,
        with: [{
          ...own,
          file: file(
            zip(xlsx([
              { name: "W", rows: row(1, text("id"), text("b")) },
              { name: "U", rows: row(1, text("z")) },
            ])),
            "xlsx",
          ),
        }],
      },
    })))
    expect(other.files.map(({ file }) => file.unread?.map(({ name }) => name))).toEqual([["V", "U"], ["U"]])
  })

  it("each hidden sheet that no part of a combined source reads is named once, and the hidden sheets that are read are not", async () => {
    const sheet = (name: string, state?: "hidden") => ({
      name,
      rows: row(1, text("id"), text(name)) + row(2, text("1"), text("x")),
      ...(state && { state }),
    })
    const book = file(zip(xlsx([sheet("S"), sheet("Archive", "hidden"), sheet("Old", "hidden")])), "xlsx")
    const part = (name: string) => ({ by: ["id"] as const, as: name, repeats: false, sheet: name })
    const warnings = async (...names: ReadonlyArray<string>) => {
      const combine = { ...byEvent, name: [], with: names.map(part) }
      return (await run(read(config(book, { combine })))).source.warnings
    }
    expect(await warnings("Archive")).toEqual([expect.stringContaining("has hidden sheets that are not read: Old.")])
    expect(await warnings("Archive", "Old")).toEqual([])
  })

  it("the counts of the file's own records are kept, and the number of combined rows is reported", async () => {
    const { files } = await combined("id,event,a\n1,base,x\n1,later,y\n")
    expect(files[0]?.file.rows).toBe(2)
    expect(files[0]?.file.lines?.records).toBe(2)
  })

  it("a combined source keeps the types of its cells", async () => {
    const records = [{ id: 1, event: "base", a: [1, { b: 2 }] }, { id: 1, event: "later", a: true }]
    const json = await run(read(config(file(JSON.stringify(records), "json"), { combine: byEvent })))
    expect(json.rows).toEqual([[1, new JsonCell([1, { b: 2 }]), true]])
    const sheet = row(1, text("id"), text("event"), text("a"))
      + row(2, "><v>7</v>", text("base"), 's="1"><v>45000</v>')
      + row(3, "><v>7</v>", text("later"), 't="e"><v>#N/A</v>')
    const book = zip(xlsx([{ name: "Rows", rows: sheet }], { formats: ["yyyy-mm-dd"] }))
    const excel = await run(read(config(file(book, "xlsx"), { combine: byEvent })))
    expect(excel.rows).toEqual([[7, new DateCell("2023-03-15"), new ErrorCell("#N/A")]])
  })

  it("a rejected.csv is read unchanged, because its rows are already combined", async () => {
    const csv = "id,base.a,_id,_row,_key,_code,_column,_message\n1,x,r0,1,1,required,base.a,It is missing\n"
    const { rows, source } = await combined(csv)
    expect(isFixed(source.columns)).toBe(true)
    expect(rows).toEqual([["1", "x", "r0", "1", "1", "required", "base.a", "It is missing"]])
  })

  it("a combined REDCap export is still recognised, with a block for each event", async () => {
    const csv = [
      "record_id,redcap_event_name,sports___1,sports___2,demographics_complete",
      "1,baseline_arm_1,1,0,2",
      "1,later_arm_1,0,1,2",
      "",
    ].join("\n")
    const { source } = await combined(csv, { by: ["record_id"], name: ["redcap_event_name"], places: [], with: [] })
    expect(source.tool?.name).toBe("redcap")
    expect(source.tool?.defaultRowKey).toEqual(["record_id"])
    expect(source.blocks.map(({ columns, title }) => [title, columns.map(({ position }) => position)])).toEqual([
      ["baseline_arm_1.sports", [1, 2]],
      ["later_arm_1.sports", [4, 5]],
    ])
  })

  it("columns of a different file are added, even if its key columns have different names", async () => {
    const other = file("parent,email\n2,b@example.org\n1,a@example.org\n")
    const { rows, titles } = await combined("id,name\n1,Ada\n2,Bob\n", {
      ...byEvent,
      name: [],
      with: [{ file: other, sheet: undefined, by: ["parent"], as: "login", repeats: false }],
    })
    expect(titles).toEqual(["id", "name", "login.email"])
    expect(rows).toEqual([["1", "Ada", "a@example.org"], ["2", "Bob", "b@example.org"]])
  })

  it("records of a repeated sheet are numbered, and both sheets are read from the same workbook", async () => {
    const parents = row(1, text("_index"), text("name")) + row(2, "><v>1</v>", text("Ada"))
      + row(3, "><v>2</v>", text("Bob"))
    const visits = row(1, text("_parent_index"), text("kg")) + row(2, "><v>2</v>", "><v>80</v>")
      + row(3, "><v>1</v>", "><v>70</v>") + row(4, "><v>2</v>", "><v>81</v>")
    const book = file(zip(xlsx([{ name: "main", rows: parents }, { name: "visits", rows: visits }])), "xlsx")
    const sheet = { file: undefined, sheet: "visits", by: ["_parent_index"], as: "visit", repeats: true } as const
    const one: NonNullable<SourceConfig["combine"]> = {
      by: ["_index"],
      name: [],
      places: ["visit.3"],
      with: [sheet],
    }
    const all = await run(read(config(book, { combine: one })))
    expect(all.source.columns.map(({ title }) => title)).toEqual([
      "_index",
      "name",
      "visit.1.kg",
      "visit.2.kg",
      "visit.3.kg",
    ])
    expect(all.rows).toEqual([[1, "Ada", 70, null, null], [2, "Bob", 80, 81, null]])
    expect(all.files.map(({ file }) => file.rows)).toEqual([2, 3])
  })

  it("a repeated sheet is read from the same member of an archive, with the settings of the first sheet except for its place", async () => {
    const book = (name: string) =>
      zip(xlsx([
        { name: "main", rows: row(2, text("id")) + row(3, text(name)) },
        { name: "visits", rows: row(1, text("id"), text("kg")) + row(2, text(name), text("70")) },
      ]))
    const archive = file(zip({ "a.xlsx": book("a"), "b.xlsx": book("b") }), "zip")
    const combine = {
      ...byEvent,
      name: [],
      with: [{ sheet: "visits", by: ["id"], as: "visit", repeats: false }],
    } as const
    expect((await run(read(config(archive, { member: "b.xlsx", headerRow: 2, combine })))).rows).toEqual([["b", "70"]])
  })

  it("a repeated sheet without a file is refused if the source has several files", async () => {
    const book = () => file(zip(xlsx([{ name: "main", rows: row(1, text("id")) + row(2, text("1")) }])), "xlsx")
    const combine = {
      ...byEvent,
      name: [],
      with: [{ sheet: "visits", by: ["id"], as: "visit", repeats: true }],
    } as const
    expect(await refusal({ ...config(book()), file: [book(), book()], combine })).toMatch(
      /`source\.file` has 2 files, so it is unknown which of them contains the records of "visit"\..*`file:` under `source\.combine\.with`/,
    )
  })

  it("records of a different file are rejected if they belong to no row, or are repeated unexpectedly", async () => {
    const other = file("parent,a\n1,x\n1,y\n9,z\n")
    const { faults, rows } = await combined("id\n1\n", {
      ...byEvent,
      name: [],
      with: [{ file: other, sheet: undefined, by: ["parent"], as: "b", repeats: false }],
    })
    expect(rows).toEqual([["1", "x"], ["9", "z"]])
    expect(faults.get(1)).toContain(`b.a is both "x" and "y" (record 2 of b).`)
    expect(faults.get(2)).toMatch(/Row 2 \(record 3 of b\) of .* belongs to no record of .*: none has the key "9"/)
  })

  it("a row is not sent without a record of a different file whose key is written in a different way", async () => {
    const other = file("parent,a\n112,x\nAb,y\n2024-001,z\n")
    const { faults, rows } = await combined("id,name\n0112,Ada\nAB,Bob\n113,Cy\nab,Dan\n2024001,Eve\n", {
      ...byEvent,
      name: [],
      with: [{ file: other, sheet: undefined, by: ["parent"], as: "b", repeats: false }],
    })
    expect(rows).toEqual([
      ["0112", "Ada", "x"],
      ["AB", "Bob", "y"],
      ["113", "Cy", ""],
      ["ab", "Dan", "y"],
      ["2024001", "Eve", "z"],
    ])
    expect([...faults.keys()]).toEqual([1, 2, 4, 5])
    expect(faults.get(1)).toMatch(
      /^Row 1 \(record 1 of b\) of .* none has the key "112" \(parent\), but this row has a similar one, and is not sent without the record\. Write both keys in the same way\.$/,
    )
  })

  it("a different file without records is reported", async () => {
    const visits = (csv: string) => ({
      file: file(csv),
      sheet: undefined,
      by: ["id"] as const,
      as: "visit",
      repeats: false,
    })
    const warnings = async (csv: string) =>
      (await combined("id,name\n1,Ada\n", { ...byEvent, name: [], with: [visits(csv)] })).source.warnings
    expect(await warnings("id,day\n")).toEqual([
      expect.stringMatching(/ has no records of visit, so all rows are without them\. Check whether it is complete\.$/),
    ])
    expect(await warnings("id,day\n1,Mon\n")).toEqual([])
  })

  it("a different file must have as many key columns", async () => {
    const other = file("parent,a\n1,x\n")
    const said = await refusal(config(file("id,event,a\n1,base,x\n"), {
      combine: {
        ...byEvent,
        by: ["id", "event"],
        name: [],
        with: [{ file: other, sheet: undefined, by: ["parent"], as: "b", repeats: false }],
      },
    }))
    expect(said).toContain('`by` of "b" names 1 column, but `source.combine.by` names 2.')
  })

  it("a combined source has the digests of all its files", async () => {
    const other = file("id,b\n1,x\n")
    const { source } = await combined("id,a\n1,y\n", {
      ...byEvent,
      name: [],
      with: [{ file: other, sheet: undefined, by: ["id"], as: "b", repeats: false }],
    })
    const digests = await run(Effect.orDie(source.digest!))
    expect(digests.map(({ file }) => file)).toContain(other)
    expect(digests.length).toBe(2)
  })

  it("every filled cell belongs to its key and place, whatever the order of the records", () =>
    fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 5 }), fc.string()), {
          selector: ([id, event]) => `${id} ${event}`,
          maxLength: 120,
        }),
        async (drawn) => {
          const records = drawn.map(([id, event, value]) =>
            [id, `e${event}`, value.replaceAll(/[^a-z0-9]/gi, "v")] as const
          )
          const opened = await combined(`id,event,a\n${records.map((cells) => cells.join(",")).join("\n")}\n`)
          expect(opened.faults.size).toBe(0)
          const found = opened.rows.flatMap((row) =>
            opened.titles.flatMap((title, at) => at === 0 || row[at] === "" ? [] : [`${row[0]} ${title} ${row[at]}`])
          )
          expect(found.toSorted()).toEqual(
            records.flatMap(([id, event, value]) => value === "" ? [] : [`${id} ${event}.a ${value}`]).toSorted(),
          )
          expect(new Set(opened.rows.map(([id]) => id)).size).toBe(opened.rows.length)
        },
      ),
      { numRuns: 40, seed: 20261123 },
    ))

  it("a combined source returns the same rows in a second reading, and refuses different bytes", () =>
    run(Effect.gen(function*() {
      const opened = yield* openSource(config(file("id,event,a\n1,base,x\n1,later,y\n"), { combine: byEvent }))
      const first = yield* readAll(opened)
      const [one] = yield* opened.files
      expect(yield* readAll(opened, [one!.fingerprint])).toEqual(first)
      const other = yield* Effect.flip(readAll(opened, [{ ...one!.fingerprint, sha256: "00" }]))
      expect(other._tag).toBe("SourceChanged")
    })))
})
