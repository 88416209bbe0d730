import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { formToolNamed, formTools } from "../../src/formtools/index.ts"
import { sampleOf } from "../../src/formtools/sample.ts"
import { candidates, enough } from "../../src/source/asFormTool.ts"
import { openSource } from "../../src/source/openSource.ts"
import { config, file, read, run } from "../source/opening.ts"

const samples = fileURLToPath(new URL("../../samples", import.meta.url))

/** The tool of each sample, and its number of responses. */
const exports: ReadonlyArray<readonly [path: string, tool: string, rows: number]> = [
  ["google-forms/rstudio-2019-spanish-r-community-survey.xlsx", "google-forms", 338],
  ["surveymonkey/538-steak-risk-survey.csv", "surveymonkey", 550],
  ["surveymonkey/538-StarWars.first200.csv", "surveymonkey", 200],
  ["qualtrics/qualtRics-sample.csv", "qualtrics", 1],
  ["redcap/REDCapR-survey.csv", "redcap", 2],
  ["odk/briefcase-choice-lists.csv", "odk", 1],
  ["form-tools/typeform.csv", "typeform", 3],
  ["form-tools/typeform-2018.csv", "typeform", 2],
  ["form-tools/google-forms.csv", "google-forms", 2],
  ["form-tools/google-forms-zip.csv", "google-forms", 3],
  ["form-tools/microsoft-forms.csv", "microsoft-forms", 2],
  ["form-tools/microsoft-forms-es.csv", "microsoft-forms", 1],
  ["form-tools/jotform.csv", "jotform", 2],
  ["form-tools/surveymonkey.csv", "surveymonkey", 3],
  ["form-tools/qualtrics.csv", "qualtrics", 2],
  ["form-tools/qualtrics-2016.csv", "qualtrics", 1],
  ["form-tools/qualtrics-legacy.csv", "qualtrics", 1],
  ["form-tools/typeform-responses.json", "typeform", 3],
  ["form-tools/jotform-submissions.json", "jotform", 2],
  ["form-tools/kobo-data.json", "kobo", 2],
  ["form-tools/tally.csv", "tally", 2],
  ["form-tools/fillout.csv", "fillout", 2],
  ["form-tools/limesurvey-codes.csv", "limesurvey", 2],
  ["form-tools/limesurvey-texts.csv", "limesurvey", 2],
  ["form-tools/limesurvey-vv.txt", "limesurvey", 2],
  ["form-tools/kobo.csv", "kobo", 2],
  ["form-tools/kobo-labels.csv", "kobo", 1],
  ["form-tools/odk-central.csv", "odk", 1],
  ["form-tools/surveycto.csv", "odk", 1],
  ["form-tools/redcap-labels.csv", "redcap", 2],
  ["form-tools/redcap-plain.csv", "redcap", 2],
  ["form-tools/redcap-repeats.csv", "redcap", 2],
  ["form-tools/alchemer.csv", "alchemer", 1],
  ["form-tools/gravity-forms.csv", "gravity-forms", 2],
  ["form-tools/cognito-forms.csv", "cognito-forms", 1],
  ["form-tools/zoho-forms.csv", "zoho-forms", 1],
  ["form-tools/paperform.csv", "paperform", 1],
  ["form-tools/contacts-Grid view.csv", "airtable", 1],
]

const encodingOf = (path: string) => (path.includes("StarWars") ? { encoding: "windows-1252" } : {})

describe("recognising an export", () => {
  it.each([
    ["fillout", ["Submission ID", "Last updated", "Submission started", "Errors"], [
      'there are columns "Submission ID", "Last updated", "Submission started", "Current step" (3 of 4)',
      'there are columns "Errors", "Url", "Network ID" (1 of 3)',
    ]],
    ["alchemer", ["Response ID", "Time Started", "Date Submitted", "Extended User Agent"], [
      'there are columns "Response ID", "Time Started", "Date Submitted" (3 of 3)',
      'there are columns "Legacy Comments", "Extended Referer", "SessionID", "Extended User Agent" (1 of 4)',
    ]],
  ])("a reason names every title that it counts: %s", (tool, titles, reasons) => {
    const sample = sampleOf([titles], { file: "a.csv", sheet: undefined, delimiter: ",", isFixed: false })
    expect(formToolNamed(tool)?.recognise(sample)?.reasons).toEqual(reasons)
  })

  it("every tool has a sample", () => {
    expect([...new Set(exports.map(([, tool]) => tool))].toSorted()).toEqual(
      formTools.map(({ name }) => name).toSorted(),
    )
    const committed = readdirSync(`${samples}/form-tools`).map((name) => `form-tools/${name}`)
    expect(exports.map(([path]) => path)).toEqual(expect.arrayContaining(committed))
  })

  it.each(exports)(
    "formferry recognises %s as an export of %s with %i responses, and reports the reasons",
    async (path, tool, count) => {
      const { files, rows, source } = await run(read(config(`${samples}/${path}`, encodingOf(path))))
      expect(source.tool?.name).toBe(tool)
      expect(rows).toHaveLength(count)
      expect(source.tool?.asked).toBe(false)
      expect(source.tool?.reasons).not.toEqual([])
      expect(source.taken[0]).toEqual({ what: "tool", value: expect.stringContaining("recognised with") })
      expect(files[0]?.file).toMatchObject({ format: tool, rows: count })
    },
  )
})

// Every rule sees every header. No rule may match a file of a different tool, whatever the order of the rules.
describe("recognising a file by the rules of other tools", () => {
  it.each(exports)("the rules match %s only as an export of %s", async (path, tool) => {
    const source = await run(openSource(config(`${samples}/${path}`, encodingOf(path))))
    const { head } = source
    // Records have no header. Opening the source already tried all JSON tools.
    if (head === undefined) return expect(source.candidates?.map(({ name }) => name)).toEqual([tool])
    const all = candidates(head, path)
    for (const one of formTools) {
      const found = all.find((candidate) => candidate.tool === one)
      if (one.name === tool) expect(found?.score, one.name).toBeGreaterThanOrEqual(enough)
      else expect(found?.score ?? 0, `${one.name}: ${found?.reasons.join("; ")}`).toBeLessThan(enough)
    }
  })

  it.each([
    ["a customer list", "Customer No,Name,E-mail,Created,Status\n7,Ada,ada@example.org,2024-01-01,new\n"],
    ["a log", "Timestamp,Level,Message\n2024-01-01 10:00:00,INFO,started\n"],
    ["bookings of Tally, the accounting program", "Voucher No,Date,Party Name,Amount\n1,01-Apr-24,Ada,5\n"],
    ["a shop's orders", "ID,Status,Email,Name,Url,Errors\n1,paid,ada@example.org,Ada,,None\n"],
    ["a helpdesk's tickets", "Submission Id,Subject,Created at\n1,Help,2024-01-01\n"],
    ["sensor readings", "Timestamp,Temperature in the room,Humidity in the room\nnow,20,40\n"],
    ["a list of respondents", "Respondent ID,Name,Age\n1,Ada,40\n"],
    ["a key register", "KEY,Room,Holder\n1,204,Ada\n"],
    ["a list of members", "id,name,start time,email\n1,Ada,10:00,ada@example.org\n"],
  ])("the rules match no tool in %s", async (_, text) => {
    const source = await run(openSource(config(file(text))))
    expect(source.tool).toBeUndefined()
    expect(source.format).toBe("csv")
  })
})

describe("recognising an edited export", () => {
  const typeform = `#,Name,Response Type,Start Date (UTC),Stage Date (UTC),Submit Date (UTC),Network ID,Tags
a1,Ada,completed,2026-02-10 07:49:00,,2026-02-10 07:51:02,1a2b3c4d5e,
`
  it.each([
    ["title rows above the header", `Export of our survey,,,,,,,\n,,,,,,,\n${typeform}`, "typeform", 1],
    ["semicolons after it was saved in Excel", typeform.replaceAll(",", ";"), "typeform", 1],
    ["the first column deleted", typeform.replaceAll(/^[^,]*,/gm, ""), "typeform", 1],
    ["different letter case and spaces", typeform.replace("Submit Date (UTC)", " submit  date (utc) "), "typeform", 1],
    [
      "a deleted second header row",
      "Respondent ID,Collector ID,Start Date,How old are you?\n1,2,05/10/2018,30\n",
      "surveymonkey",
      1,
    ],
    ["two merged header rows", "RespondentID,Films [A],Films [B]\n1,A,\n2,,B\n", "surveymonkey", 2],
    [
      "two header rows joined with dashes",
      "RespondentID,Do you celebrate?,Which pies? - Apple,Which pies? - Pecan,Which pies? - Other (please specify)\n1,Yes,Apple,,\n",
      "surveymonkey",
      1,
    ],
    [
      "only an id and questions left of an export with one header row",
      "RespondentID,In general how would you rate the cuisine of Algeria?\n1,5\n",
      "surveymonkey",
      1,
    ],
    [
      "all columns deleted except the answers",
      "How old?,Where?,Which films?,\nResponse,Response,A,B\n30,here,A,\n41,there,,B\n",
      "surveymonkey",
      2,
    ],
    [
      "only the ids left of three header rows",
      "ResponseId,Duration (in seconds),RecordedDate,Q1\nR_1abcDEF456ghij7,3,2024-01-01 10:00:00,x\n",
      "qualtrics",
      1,
    ],
    [
      "a deleted row of texts",
      `ResponseId,Q1\n"{""ImportId"":""_recordId""}","{""ImportId"":""QID1""}"\nR_1abcDEF456ghij7,x\n`,
      "qualtrics",
      1,
    ],
    ["rows of only commas below the data", `${typeform},,,,,,,\n,,,,,,,\n`, "typeform", 1],
  ])("formferry recognises an export with %s", async (name, text, tool, count) => {
    const { rows, source } = await run(read(config(file(text))))
    expect(source.tool?.name, name).toBe(tool)
    expect(rows).toHaveLength(count)
    expect(rows[0]?.[0]).not.toBe("")
  })
})

describe("the tool that a pipeline names", () => {
  it("the tool is not used if the pipeline names a plain format, so the file is read unchanged", async () => {
    const { rows, source } = await run(read(config(`${samples}/form-tools/surveymonkey.csv`, { format: "csv" })))
    expect(source.tool).toBeUndefined()
    expect(rows).toHaveLength(4)
  })

  it("the tool is used to read the file even without evidence", async () => {
    const { rows, source } = await run(read(config(file("Which?,\nA,B\nA,\n,B\n"), { format: "surveymonkey" })))
    expect(source.tool).toMatchObject({ name: "surveymonkey", asked: true })
    expect(source.taken[0]?.value).toContain("as given")
    expect(rows.length).toBeGreaterThan(0)
  })
})
