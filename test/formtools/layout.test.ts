import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { type Cell, JsonCell } from "../../src/domain/cell.ts"
import { config, file, read, run } from "../source/opening.ts"

const samples = fileURLToPath(new URL("../../samples", import.meta.url))

/** Reads a sample. Returns column names by position, blocks in a short form, and rows both unchanged and cleaned. */
const layoutOf = async (path: string, said = {}) => {
  const { rows, source } = await run(read(config(path, said)))
  const { tool } = source
  if (tool === undefined) throw new Error(`${path} was not recognised`)
  return {
    tool,
    detectedRow: source.head?.detectedRow,
    names: source.columns.map(({ name }) => name),
    blocks: Object.fromEntries(source.blocks.map(({ columns, title }) => [
      title,
      columns.map(({ option, position, role }) => `${position} ${option}${role === "option" ? "" : ` (${role})`}`),
    ])),
    meta: Object.fromEntries(tool.meta.map(({ position, role }) => [position, role])),
    /** Cells that cleaning changed, by row and position. */
    cleaned: rows.flatMap((row, at) =>
      tool.clean(row).flatMap((cell, position): ReadonlyArray<readonly [number, number, Cell]> =>
        cell === row[position] ? [] : [[at + 1, position, cell]]
      )
    ),
    rows,
  }
}

const sample = (name: string) => layoutOf(`${samples}/form-tools/${name}`)

it("a record that repeats one of a tool's header rows is reported, not read", async () => {
  const part = [
    "ResponseId,Q1",
    "Response ID,Your name",
    '"{""ImportId"":""_recordId""}","{""ImportId"":""QID1""}"',
  ]
  const { faults } = await run(
    read(config(file([...part, "R_1abcDEF456ghij7,Ada", ...part, "R_2abcDEF456ghij7,Bob", ""].join("\n")))),
  )
  const problem = expect.stringMatching(/^Row \d .*repeats the header/)
  expect(Object.fromEntries(faults)).toEqual({ 2: problem, 3: problem, 4: problem })
})

it("the header rows of a Qualtrics export that was sorted are reported, not read", async () => {
  const { faults, rows } = await run(read(config(file([
    "StartDate,ResponseId,Duration (in seconds),RecordedDate,Q1",
    "2024-01-01 10:00:00,R_1abcDEF456ghij7,3,2024-01-01 10:00:03,Well",
    // An incomplete response is not a header.
    ",Ada,,,Fine",
    ",,,,Good",
    "Startdatum,Antwort-ID,Dauer,Aufgezeichnetes Datum,Wie geht es?",
    `{'ImportId': 'startDate'},"{""ImportId"":""_recordId""}","{""ImportId"":""duration""}",,"{""ImportId"":""QID1""}"`,
    "",
  ].join("\n")))))
  expect(rows).toHaveLength(5)
  const message = expect.stringMatching(/^Row [45] contains titles, and no response/)
  expect(Object.fromEntries(faults)).toEqual({ 4: message, 5: message })
})

it("the HXL tags of a KoboToolbox export that was sorted are reported, not read", async () => {
  const { faults } = await run(
    read(
      config(
        file("name,_id,_uuid,_submission_time\nAda,1,u1,2024-05-01T08:05:10\n#name,,,\nBen,2,u2,2024-05-02T08:05:10\n"),
      ),
    ),
  )
  expect(Object.fromEntries(faults)).toEqual({ 2: expect.stringMatching(/^Row 2 contains titles/) })
})

it("both header rows of a SurveyMonkey export are recognised without the columns of ids", async () => {
  const { blocks, rows, tool } = await layoutOf(file([
    "Start Date,Email Address,Which fruits do you eat?,,,How old are you?,Rank these,,Which one?",
    ",,Apples,Pears,Other (please specify),Response,Red,Blue,Response",
    "05/10/2018 04:01:11 AM,ada@example.org,Apples,,,30,1,2,A",
    "05/11/2018 04:01:11 AM,ben@example.org,,Pears,Figs,31,2,1,B",
    "",
  ].join("\n")))
  expect([tool.name, tool.variant, rows.length]).toEqual(["surveymonkey", "two header rows", 2])
  expect(blocks).toMatchObject({ "Rank these": ["6 Red", "7 Blue"] })
})

describe("a text column next to options", () => {
  const blocksOf = async (...lines: ReadonlyArray<string>) =>
    Object.values((await layoutOf(file(lines.join("\n") + "\n"))).blocks)[0]

  it("a text column is distinguished from the tick column if SurveyMonkey names both Other", async () => {
    expect(
      await blocksOf(
        "Respondent ID,Collector ID,Sides,,,,Age",
        ",,Corn,Rice,Other (please specify),Other (please specify),Response",
        "1,7,Corn,,Other (please specify),pie,20",
        "2,7,,Rice,,,30",
      ),
    ).toEqual(["2 Corn", "3 Rice", "4 Other (please specify) (other)", "5 Other (please specify) (text)"])
  })

  it("a text column is recognised by its cells, whatever its title", async () => {
    expect(
      await blocksOf(
        "Respondent ID,Collector ID,Sides,,,Age",
        ",,Corn,Rice,Sonstiges (bitte angeben),Response",
        "1,7,Corn,,Kuchen,20",
        "2,7,,Rice,,30",
      ),
    ).toEqual(["2 Corn", "3 Rice", "4 Sonstiges (bitte angeben) (other)"])
  })

  it("a text column is not detected in a ranking or a grid", async () => {
    expect(await blocksOf("Respondent ID,Collector ID,Rank,,Age", ",,Corn,Rice,Response", "1,7,1,2,20", "2,7,1,2,30"))
      .toEqual(["2 Corn", "3 Rice"])
    expect(await blocksOf("Respondent ID,Collector ID,Views,,Age", ",,Corn,Rice,Response", "1,7,Good,Bad,20"))
      .toEqual(["2 Corn", "3 Rice"])
  })
})

describe("the layout of a Typeform export", () => {
  it("a Typeform export has a block of options without a title, an apostrophe before phone numbers, and dates written as times", async () => {
    const { blocks, cleaned, meta, rows, tool } = await sample("typeform.csv")
    expect(tool.defaultRowKey).toEqual(["#"])
    expect(tool.complete).toEqual({ position: 11, is: ["completed"] })
    expect(blocks).toEqual({
      "Hiking … Cycling, also by train": ["5 Hiking", "6 Cycling, also by train", "7 Other (other)"],
    })
    expect(meta).toMatchObject({ 0: "id", 11: "status", 12: "started", 14: "submitted" })
    expect(tool.meta.find(({ role }) => role === "submitted")).toMatchObject({ zone: "UTC" })
    expect(cleaned).toEqual([
      [1, 3, "+4930231250"],
      [1, 4, "1990-02-12"],
      [2, 3, "+4989999980"],
      [2, 4, "1985-11-30"],
      [3, 3, "+49221471012"],
      [3, 4, "2001-01-01"],
    ])
    expect(rows[0]?.[3]).toBe("'+4930231250")
  })

  it("a Typeform export from before 2024 has two blocks for two questions with the same options", async () => {
    const { blocks, names, tool } = await sample("typeform-2018.csv")
    expect(blocks).toEqual({
      "Anxiety disorder … Mood disorder": ["2 Anxiety disorder", "3 Mood disorder", "4 Other (other)"],
      "Anxiety disorder … Mood disorder (2)": ["5 Anxiety disorder", "6 Mood disorder", "7 Other (other)"],
    })
    expect(names.slice(2, 10)).toEqual(Array(8).fill(undefined))
    expect(tool.labels[1]).toBe("Are you self-employed?")
  })

  it("an option that was never chosen belongs to the block around it, but a question without answers does not", async () => {
    const text = (last: string) =>
      `#,A,B,C,Empty,Name,Start Date (UTC),Submit Date (UTC),Network ID\n1,A,,,,x,,,\n2,,,${last},,y,,,\n`
    expect((await layoutOf(file(text("C")))).blocks).toEqual({ "A … C": ["1 A", "2 B", "3 C"] })
    expect((await layoutOf(file(text("")))).blocks).toEqual({})
  })

  it("a block's options are found wherever they were first chosen in a large file", async () => {
    const rows = Array.from(
      { length: 20_000 },
      (_, at) => `${at},${at === 19_990 ? "A" : ""},${at === 19_999 ? "B" : ""},n,,,`,
    )
    const text = `#,A,B,Name,Start Date (UTC),Submit Date (UTC),Network ID\n${rows.join("\n")}\n`
    expect((await layoutOf(file(text))).blocks).toEqual({ "A … B": ["1 A", "2 B"] })
  })
})

describe("the layout of a Google Forms export", () => {
  it("a Google Forms export has a block for each grid, with the grid's rows in the last balanced brackets, and no id", async () => {
    const { blocks, meta, tool } = await sample("google-forms.csv")
    expect(blocks).toEqual({ "How content are you?": ["4 Price", "5 Service [phone]"] })
    expect(meta).toEqual({ 0: "submitted", 1: "email" })
    expect(tool.defaultRowKey).toBeUndefined()
  })

  it("a zipped Google Forms export has ISO times with offsets, including midnight and half hours", async () => {
    const { cleaned, meta } = await sample("google-forms-zip.csv")
    expect(cleaned).toEqual([
      [1, 0, "2026-09-27T15:00:00+03:00"],
      [2, 0, "2026-10-04T10:15:00+05:30"],
      [3, 0, "2026-10-05T00:00:00+00:00"],
    ])
    expect(meta).toEqual({ 0: "submitted", 1: "score" })
  })

  it("a Google Forms export is recognised by cells and other titles if its first title is in a different language", async () => {
    const text = "Marca temporal,¿Cómo te llamas?,¿Qué usas?\n13/12/2019 12:02:32,Ada,R\n"
    expect((await layoutOf(file(text))).tool.name).toBe("google-forms")
  })
})

describe("the layout of a Microsoft Forms export", () => {
  it('"anonymous" in a Microsoft Forms export counts as no answer, and titles with an added number are recognised', async () => {
    const { cleaned, meta, tool } = await sample("microsoft-forms.csv")
    expect(cleaned).toEqual([[1, 3, null]])
    expect(meta).toEqual({ 0: "id", 1: "started", 2: "submitted", 3: "email", 4: "name" })
    expect(tool.labels.slice(6)).toEqual(["Name", "Rank the days"])
  })

  it("points and feedback of a Microsoft Forms quiz are metadata, not answers", async () => {
    const { meta } = await layoutOf(file(
      "ID,Start time,Completion time,Email,Name,Total points,Quiz feedback,Last modified time,2+2?,Points - 2+2?,Feedback - 2+2?\n"
        + "1,7/2/20 11:00:22,7/2/20 11:04:10,anonymous,,1,,,4,1,\n",
    ))
    expect(meta).toMatchObject({ 5: "score", 6: "note", 7: "lastUpdated", 9: "score", 10: "note" })
    expect(meta[8]).toBeUndefined()
  })

  it("a question directly after Microsoft Forms' own columns is a question, whatever its title", async () => {
    const { meta } = await layoutOf(file(
      "ID,Start time,Completion time,Email,Name,Constructor\n1,7/2/20 11:00:22,7/2/20 11:04:10,anonymous,,Ferrari\n",
    ))
    expect(Object.keys(meta)).toHaveLength(5)
  })

  it("a Spanish Microsoft Forms export is recognised", async () => {
    expect((await sample("microsoft-forms-es.csv")).meta).toEqual({
      0: "id",
      1: "started",
      2: "submitted",
      3: "email",
      4: "name",
    })
  })
})

describe("the layout of a SurveyMonkey export", () => {
  it("a SurveyMonkey export has blocks for titles that span columns, and keeps the title of a single-column question", async () => {
    const { blocks, cleaned, names, tool } = await sample("surveymonkey.csv")
    expect(blocks).toEqual({
      "Which fruits do you eat?": ["9 Apples", "10 Pears", "11 Other (please specify) (other)"],
      "Rank these": ["13 Red", "14 Blue"],
    })
    expect(names.slice(9)).toEqual([
      "Which fruits do you eat? [Apples]",
      "Which fruits do you eat? [Pears]",
      "Which fruits do you eat? [Other (please specify)]",
      "How old are you?",
      "Rank these [Red]",
      "Rank these [Blue]",
      "Which one? <br>Choose.",
      "Which one? <br>Choose. [Other (please specify)]",
    ])
    expect(tool.labels[15]).toBe("Which one? Choose.")
    expect(cleaned).toEqual([[3, 10, null]])
    expect(tool.defaultRowKey).toEqual(["Respondent ID"])
  })

  it("a SurveyMonkey export has blocks even if someone joined its two header rows with dashes", async () => {
    const { blocks } = await layoutOf(file(
      "RespondentID,Which?,Which pies? - Apple,Which pies? - Pecan,Which pies? - Other (please specify),A - b?\n1,,Apple,,,\n",
    ))
    expect(blocks).toEqual({ "Which pies?": ["2 Apple", "3 Pecan", "4 Other (please specify) (other)"] })
  })

  it("a SurveyMonkey export with one header row keeps a first response without a Respondent ID", async () => {
    const { rows, tool } = await layoutOf(file(
      "Respondent ID,Collector ID,Start Date,How old are you?\n,400000001,05/10/2018 04:01:11 AM,30\n2,400000001,05/10/2018 04:02:11 AM,40\n",
    ))
    expect(tool.variant).toBe("one header row")
    expect(rows).toHaveLength(2)
  })

  it("a SurveyMonkey export has correct columns even if blank titles at the end of the second header were cut off", async () => {
    const { blocks, rows } = await layoutOf(file("Respondent ID,Collector ID,Q,,R\n,,A,B,Response\n1,2,A,,x\n"))
    expect(blocks).toEqual({ Q: ["2 A", "3 B"] })
    expect(rows).toEqual([["1", "2", "A", null, "x"]])
  })
})

describe("the layout of a Qualtrics export", () => {
  it("a Qualtrics export takes its blocks from ImportId and choiceId, its options from the texts, and its zone from the third row", async () => {
    const { blocks, names, tool } = await sample("qualtrics.csv")
    expect(blocks).toEqual({
      "Which do you own?": ["10 A car", "11 A bicycle, or two", "12 Other", "13 Other (text)"],
      Rate: ["14 Price", "15 Service"],
    })
    expect(names[9]).toBe("Q1")
    expect(tool.labels[9]).toBe("How are you?")
    expect(tool.meta.find(({ role }) => role === "submitted")?.zone).toBe("America/Denver")
    expect(tool.complete).toMatchObject({ position: 5 })
    expect(tool.defaultRowKey).toEqual(["ResponseId"])
  })

  it("a Qualtrics question with a text at an option has options without the words that Qualtrics adds", async () => {
    const header = "ResponseId,RecordedDate,Duration (in seconds),Q2_1,Q2_5,Q2_5_TEXT"
    const texts =
      "Response ID,Recorded Date,Duration,Own? - Selected Choice - A car,Own? - Selected Choice - Other,Own? - Other - Text"
    const { blocks } = await layoutOf(file(`${header}\n${texts}\nR_1,2024-01-01 10:00:00,3,1,1,A boat\n`))
    expect(blocks).toEqual({ "Own?": ["3 A car", "4 Other", "5 Other (text)"] })
  })

  it("a Qualtrics question keeps its title if the column of a text does not name its option", async () => {
    const header = "ResponseId,RecordedDate,Duration (in seconds),Q2_1,Q2_2,Q2_2_TEXT"
    const texts = "Response ID,Recorded Date,Duration,Pick - A car,Pick - Other,Pick - Text"
    const { blocks } = await layoutOf(file(`${header}\n${texts}\nR_1,2024-01-01 10:00:00,3,1,1,A boat\n`))
    expect(blocks).toEqual({ Pick: ["3 A car", "4 Other", "5 Text (text)"] })
  })

  it("a Qualtrics export of 2016 has ImportIds with single quotes and dashes", async () => {
    const { blocks, rows, tool } = await sample("qualtrics-2016.csv")
    expect(blocks).toEqual({ Q2: ["12 1", "13 2"] })
    expect(tool.variant).toBe("three header rows")
    expect(rows).toHaveLength(1)
  })

  it("a Qualtrics export from before 2016 has two header rows and lettered columns", async () => {
    const { names, tool } = await sample("qualtrics-legacy.csv")
    expect(tool.variant).toBe("two header rows")
    expect(names.slice(0, 12)).toEqual([
      "ResponseID",
      "ResponseSet",
      "Name",
      "ExternalDataReference",
      "EmailAddress",
      "IPAddress",
      "Status",
      "StartDate",
      "EndDate",
      "Finished",
      "Q1",
      "Q2",
    ])
  })

  it("a Qualtrics export without ImportIds keeps responses whose ids are missing or anonymised", async () => {
    const header = "ResponseId,Duration (in seconds),RecordedDate,Q1"
    const labels = "Antwort-ID,Dauer (in Sekunden),Aufgezeichnetes Datum,Wie geht es?"
    const responses = ["1,3,2024-01-01 10:00:00,x", ",4,2024-01-01 11:00:00,y", "3,5,2024-01-01 12:00:00,z"]
    for (const first of [responses, responses.slice(1)]) {
      const one = await layoutOf(file([header, ...first, ""].join("\n")))
      expect([one.tool.variant, one.rows.length]).toEqual(["one header row", first.length])
      const two = await layoutOf(file([header, labels, ...first, ""].join("\n")))
      expect([two.tool.variant, two.rows.length]).toEqual(["two header rows", first.length])
    }
  })

  it("a Qualtrics export in UTF-16 with tabs is recognised", async () => {
    const text = "\ufeff" + [
      "StartDate\tResponseId\tQ1",
      "Start Date\tResponse ID\tHow?",
      '{"ImportId":"startDate"}\t{"ImportId":"_recordId"}\t{"ImportId":"QID1"}',
      "2024-01-01 10:00:00\tR_1abcDEF456ghij7\tWell",
    ].join("\n")
    const { rows, tool } = await layoutOf(file(Buffer.from(text, "utf16le"), "tsv"))
    expect(tool).toMatchObject({ name: "qualtrics", variant: "three header rows" })
    expect(rows).toEqual([["2024-01-01 10:00:00", "R_1abcDEF456ghij7", "Well"]])
  })
})

describe("the layout of a LimeSurvey export", () => {
  it("a LimeSurvey export with codes has blocks marked by brackets, an apostrophe only before =, and a column that marks complete responses", async () => {
    const { blocks, cleaned, tool } = await sample("limesurvey-codes.csv")
    expect(blocks).toEqual({ G1Q2: ["8 SQ001", "9 SQ002", "10 other (other)"] })
    expect(cleaned).toEqual([[1, 7, "=2+2"]])
    expect(tool.complete).toEqual({ position: 1, is: "filled" })
    expect(tool.variant).toBe("codes")
  })

  it("a LimeSurvey export with texts reads N/A of an option as no answer, and has blocks for scales and ranks but not for times", async () => {
    const { blocks, cleaned, meta } = await sample("limesurvey-texts.csv")
    expect(blocks).toEqual({
      "Which sports?": ["6 Rowing", "7 Running, also slowly", "8 Other (other)"],
      "Rank them": ["9 Rank 1", "10 Rank 2"],
      Rate: ["11 Price [Scale 1]", "12 Price [Scale 2]"],
    })
    expect(cleaned).toEqual([[2, 6, null], [2, 7, null]])
    expect(meta).toMatchObject({ 13: "timing", 14: "timing" })
  })

  it("a LimeSurvey export in VV format has two header rows, and escapes are undone in the right order", async () => {
    const { cleaned, names, rows, tool } = await sample("limesurvey-vv.txt")
    expect(names.slice(0, 6)).toEqual(["id", "submitdate", "lastpage", "startlanguage", "seed", "12345X6X78"])
    expect(tool.labels[5]).toBe("Your words")
    expect(rows).toHaveLength(2)
    expect(cleaned).toEqual([
      [1, 5, "two\nlines\twith {braces}"],
      [1, 7, null],
      [2, 1, null],
      [2, 5, '"quoted'],
      [2, 6, null],
    ])
  })

  const titles = ["Response ID", "Date submitted", "Last page", "Start language", "Your words"]
  const codes = ["id", "submitdate", "lastpage", "startlanguage", "Q1"]
  const vv = (...rows: ReadonlyArray<ReadonlyArray<string>>) =>
    file(rows.map((row) => row.join("\t")).join("\n"), "txt")

  it("a LimeSurvey export in VV format is recognised if every question was shown", async () => {
    const { cleaned, tool } = await layoutOf(vv(titles, codes, ["1", "2021-09-24 11:39:34", "3", "en", "a{newline}b"]))
    expect(tool.variant).toBe("VV")
    expect(cleaned).toEqual([[1, 4, "a\nb"]])
  })

  it("a LimeSurvey export in VV format is recognised if the pipeline names its row of codes as the header", async () => {
    const row = ["1", "{question_not_shown}", "3", "en", "a{newline}b"]
    const { cleaned, rows } = await layoutOf(vv(titles, codes, row), { headerRow: 2 })
    expect(rows).toEqual([row])
    expect(cleaned).toEqual([[1, 1, null], [1, 4, "a\nb"]])
  })

  it("a LimeSurvey export in VV format is recognised if most questions have no text, so that no headerRow is suggested", async () => {
    const questions = ["Q2", "Q3", "Q4", "Q5", "Q6"]
    const row = ["1", "2021-09-24 11:39:34", "3", "en", "a{newline}b", ...questions]
    const { detectedRow, tool } = await layoutOf(vv(titles.slice(0, 4), [...codes, ...questions], row))
    expect(tool.variant).toBe("VV")
    expect(detectedRow).toBeUndefined()
  })

  it("a LimeSurvey export with codes below a heading is not in VV format", async () => {
    const row = ["1", "2021-09-24 11:39:34", "3", "en", "a{newline}b"]
    for (const heading of [["Survey of 2021"], ["Survey", "of", "2021"]]) {
      expect((await layoutOf(vv(heading, codes, row))).tool.variant).toBe("codes")
    }
  })
})

describe("the layout of an export based on XForms", () => {
  it("a Kobo export skips HXL tags, finds options next to their question, and separates the text of Other", async () => {
    const { blocks, rows, tool } = await sample("kobo.csv")
    expect(rows.map((row) => row[2])).toEqual(["Ada Example", "Ben Example"])
    expect(blocks).toEqual({
      sports: ["4 rowing", "5 running", "6 other (other)", "7 sports_other (text)"],
    })
    expect(tool.defaultRowKey).toEqual(["_id"])
  })

  it("a Kobo export with labels accepts an option whose label contains a slash", async () => {
    expect((await sample("kobo-labels.csv")).blocks).toEqual({
      "Which sports?": ["2 Rowing", "3 Running and/or walking"],
    })
  })

  it("a Kobo export has no block for a group of questions", async () => {
    const text = "g/name;g/age;_id;_uuid;_submission_time\nAda;40;1;u1;2024-05-01T08:05:10\n"
    expect((await layoutOf(file(text))).blocks).toEqual({})
  })

  it("ODK Central, Briefcase and SurveyCTO are distinguished by how they write times", async () => {
    const variants = await Promise.all(
      ["form-tools/odk-central.csv", "odk/briefcase-choice-lists.csv", "form-tools/surveycto.csv"].map((path) =>
        layoutOf(`${samples}/${path}`)
      ),
    )
    expect(variants.map(({ tool }) => tool.variant)).toEqual(["Central", "Briefcase", "SurveyCTO"])
    expect(variants.map(({ tool }) => tool.meta.find(({ role }) => role === "submitted")?.format)).toEqual([
      "iso",
      "MMM d, yyyy h:mm:ss a",
      "MMM d, yyyy h:mm:ss a",
    ])
    expect(variants.map(({ tool }) => tool.defaultRowKey)).toEqual([["KEY"], ["KEY"], ["KEY"]])
    expect(variants[0]?.blocks).toEqual({ "g1-sports": ["4 rowing", "5 running"] })
  })
})

describe("the layout of a REDCap export", () => {
  it("a REDCap export with raw values has blocks of checkboxes, and no time for a survey that was not completed", async () => {
    const { blocks, cleaned, tool } = await layoutOf(`${samples}/redcap/REDCapR-survey.csv`)
    expect(blocks).toEqual({ consent: ["6 1"] })
    expect(cleaned).toEqual([[1, 19, null]])
    expect(tool.defaultRowKey).toEqual(["participant_id"])
  })

  it("options of a REDCap export with labels are found by their (choice=…), and columns with repeated titles get no name", async () => {
    const { blocks, cleaned, names } = await sample("redcap-labels.csv")
    expect(blocks).toEqual({ "Race (Select all that apply)": ["5 Asian", "6 White, or other"] })
    expect(cleaned).toEqual([[2, 3, null]])
    expect([names[7], names[9]]).toEqual([undefined, undefined])
  })

  it("a longitudinal REDCap export has a key of record, event, form and instance", async () => {
    expect((await sample("redcap-repeats.csv")).tool.defaultRowKey).toEqual([
      "study_id",
      "redcap_event_name",
      "redcap_repeat_instrument",
      "redcap_repeat_instance",
    ])
  })
})

describe("the layout of a JSON export", () => {
  it("a JSON export of Typeform has a column for every question of any record, and no time for unsubmitted responses", async () => {
    const { cleaned, meta, names, rows, tool } = await sample("typeform-responses.json")
    const at = (name: string) => names.indexOf(name)
    expect(tool.defaultRowKey).toEqual(["response_id"])
    expect(tool.variant).toBe("Responses API")
    expect(names.slice(at("calculated.score"))).toEqual([
      "calculated.score",
      "name",
      "colour",
      "sports",
      "born",
      "f5",
      "score",
      "mail",
      "variables.points",
    ])
    expect(rows[0]?.slice(at("name"))).toEqual([
      "Ada Example",
      "Red",
      new JsonCell(["Rowing", "Running, also slowly", "Chess"]),
      "1990-02-12",
      true,
      7,
      null,
      3,
    ])
    expect(rows[2]?.slice(at("name"))).toEqual([null, "Mauve", null, "2001-01-01", null, null, "cem@example.org", null])
    expect(cleaned).toEqual([[2, at("submitted_at"), null]])
    expect(tool.complete).toEqual({ position: at("submitted_at"), is: "filled" })
    expect(meta[at("hidden.legacy_id")]).toBe("url")
  })

  it("a JSON export of Jotform names questions by their texts, omits headings and buttons, and reads well-formed dates", async () => {
    const { names, rows, tool } = await sample("jotform-submissions.json")
    expect(tool.defaultRowKey).toEqual(["id"])
    const from = names.indexOf("Your name [first]")
    expect(names.slice(from)).toEqual([
      "Your name [first]",
      "Your name [last]",
      "E-mail",
      "Phone",
      "When",
      "Born",
      "Days",
    ])
    expect(rows[0]?.slice(from)).toEqual([
      "Ada",
      "Example",
      "ada@example.org",
      "030 23125000",
      "2024-01-06 00:00:00",
      "1990-01-09",
      new JsonCell(["Monday", "Friday"]),
    ])
    expect(rows[1]?.slice(from)).toEqual(["Ben", "Example", null, "(089) 99998000", null, null, null])
  })

  it("every part of a phone number or date in Jotform's JSON is read, and an answer without parts as it is", async () => {
    const answers = async (type: string, ...answers: ReadonlyArray<unknown>) => {
      const records = answers.map((answer, at) => ({
        id: `59${at}`,
        form_id: "23",
        created_at: "2024-01-05 10:00:00",
        answers: { 5: { name: "it", order: "1", text: "It", type, answer } },
      }))
      const { names, rows } = await layoutOf(file(JSON.stringify(records), "json"))
      return [names.slice(3), ...rows.map((row) => row.slice(3))]
    }
    expect(await answers("control_phone", { area: "30", phone: "231250" }, "+49 89 999", { full: "(089) 999" }))
      .toEqual([["It"], ["30 231250"], ["+49 89 999"], ["(089) 999"]])
    expect(await answers("control_phone", { country: "49", area: "30", phone: "231250" }, "+49 89 999")).toEqual([
      ["It", "It [country]", "It [area]", "It [phone]"],
      [null, "49", "30", "231250"],
      ["+49 89 999", null, null, null],
    ])
    const day = { year: "2024", month: "01", day: "06" }
    expect(await answers("control_datetime", { ...day, hour: "10", datetime: "2024-01-06 10:00:00" }, day, "today"))
      .toEqual([["It"], ["2024-01-06 10:00:00"], ["2024-01-06"], ["today"]])
    expect((await answers("control_datetime", { ...day, hour: "10" }))[1]).toEqual(["2024", "01", "06", "10"])
    expect(await answers("control_birthdate", "1990-01-09", { year: "1990", month: "January", day: "9" }))
      .toEqual([["It"], ["1990-01-09"], ["1990-01-09"]])
    expect((await answers("control_birthdate", { year: "1990", month: "", day: "" }))[1]).toEqual(["1990", null, null])
  })

  it("records of KoboToolbox's API have the row key and the cells of an export", async () => {
    const records = await sample("kobo-data.json")
    const exported = await sample("kobo.csv")
    expect(records.tool.defaultRowKey).toEqual(exported.tool.defaultRowKey)
    const shared = ["start", "end", "name", "_id", "_uuid", "_submission_time", "_status"]
    const cells = ({ cleaned, names }: typeof records) =>
      cleaned.map((row) => shared.map((name) => String(row[names.indexOf(name)])))
    expect(cells(records)).toEqual(cells(exported))
    expect(records.meta[records.names.indexOf("_attachments")]).toBe("note")
    expect(records.meta[records.names.indexOf("sport/sports")]).toBeUndefined()
  })
})

describe("rows below several header rows", () => {
  it("a row's problem names the correct row and line", async () => {
    const text = "Respondent ID,Collector ID,Q,\n,,A,B\n1,2,A,\n2,2,A,,more\n3,2,,B\n"
    const { faults, rows } = await run(read(config(file(text))))
    expect(rows).toHaveLength(3)
    expect([...faults]).toEqual([[2, expect.stringMatching(/^Row 2 \(line 4\) has 5 cells/)]])
  })
})

describe("the layout of other exports", () => {
  it("an Alchemer export has options before their question, and metadata only before the questions", async () => {
    const { blocks, meta } = await sample("alchemer.csv")
    expect(blocks).toEqual({
      "Which sports do you like?": [
        "19 Rowing",
        "20 Running",
        "21 Other - Write In (other)",
        "22 Other - Write In (text)",
      ],
    })
    expect(meta[14]).toBe("location")
    expect(meta[23]).toBeUndefined()
  })

  it('a Fillout export has ISO times with offsets, and "None" in its column "Errors" counts as no answer', async () => {
    const { cleaned, tool } = await sample("fillout.csv")
    expect(cleaned).toEqual([
      [1, 1, "2026-09-19T15:05:00-04:00"],
      [1, 2, "2026-09-19T15:01:30-04:00"],
      [1, 11, null],
      [2, 1, "2026-01-06T09:00:00+01:00"],
      [2, 2, "2026-01-06T08:58:30+01:00"],
      [2, 11, null],
    ])
    expect(tool.complete).toEqual({ position: 3, is: ["finished"] })
    expect(tool.defaultRowKey).toEqual(["Submission ID"])
  })

  it("options of a Gravity Forms export are found by their cells, and its apostrophes are removed only before =", async () => {
    const { blocks, cleaned } = await sample("gravity-forms.csv")
    expect(blocks).toEqual({ "Rowing … Running": ["2 Rowing", "3 Running"] })
    expect(cleaned).toEqual([[1, 5, "=1+1"]])
  })

  it("matrix rows of a Jotform export are found after >>, and a Paperform export has an apostrophe before phone numbers", async () => {
    expect((await sample("jotform.csv")).blocks).toEqual({ "Rate us": ["4 Service", "5 Price"] })
    expect((await sample("paperform.csv")).cleaned).toEqual([[1, 4, "+49 30 23125000"]])
  })

  it.each([
    ["tally.csv", ["Submission ID"]],
    ["cognito-forms.csv", ["LoanApplication_Id"]],
    ["alchemer.csv", ["Response ID"]],
    ["gravity-forms.csv", ["Entry Id"]],
    ["paperform.csv", ["ID"]],
    ["microsoft-forms.csv", ["ID"]],
    ["zoho-forms.csv", undefined],
    ["jotform.csv", undefined],
  ])("the sample %s has the default row key %j", async (name, key) => {
    expect((await sample(name)).tool.defaultRowKey).toEqual(key)
  })
})
