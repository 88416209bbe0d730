// Tests init, check and run without an edit, with an export that contains codes, the form tool's own definition and a
// form.
import { FileSystem, Path } from "@effect/platform"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { copyFileSync, readFileSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { parse } from "yaml"
import { platform, projectFolder } from "../project/projectFolder.ts"
import { inProcess, onOneLine } from "./formferry.ts"

const samples = resolve(import.meta.dirname, "../../samples")

/** A project folder with a source and a definition. Returns what arrives in the practice service. */
const world = (files: Readonly<Record<string, string>>, sample?: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const cwd = yield* projectFolder(files)
    if (sample !== undefined) copyFileSync(join(samples, sample), join(cwd, basename(sample)))
    const run = (...args: ReadonlyArray<string>) => inProcess(args, { cwd })
    const text = () => readFileSync(join(cwd, "pipelines/p.yaml"), "utf8")
    return {
      run,
      init: (labels: string, source = "export.csv") =>
        run("init", "p", "--source", source, "--labels", labels, "--forms", "forms", "--form", "f"),
      pipeline: () => parse(text()),
      text,
      exists: (name: string) => fs.exists(path.join(cwd, name)),
      /** Checks and runs the pipeline, and returns the answers that arrived, by question. */
      arrived: Effect.gen(function*() {
        const checked = yield* run("check", "p")
        expect(checked.status, checked.stdout + checked.stderr).toBe(0)
        const ran = yield* run("run", "p")
        expect(ran.status, ran.stdout + ran.stderr).toBe(0)
        const store = (yield* fs.readDirectory(path.join(cwd, ".formferry/practice"))).find((name) =>
          name.endsWith(".jsonl")
        )
        const lines = (yield* fs.readFileString(path.join(cwd, ".formferry/practice", store ?? ""))).trim().split("\n")
        return lines.map((line) => {
          const { questions } = JSON.parse(line) as {
            readonly questions: ReadonlyArray<{ readonly id: string; readonly value: unknown }>
          }
          return Object.fromEntries(
            questions.filter(({ value }) => value !== null).map(({ id, value }) => [id, value]),
          )
        })
      }),
    }
  })

const form = (questions: string) => `id: f\nname: Form\nquestions:\n${questions}`

layer(platform)("init --labels", (it) => {
  it.scoped(
    "titles and labels come from a REDCap data dictionary, and answers arrive with these labels",
    () =>
      Effect.gen(function*() {
        const { arrived, init, pipeline } = yield* world({
          // A form with the same questions worded differently, and with the options in a different order.
          "forms/f.yaml": form(`  - { id: q1, name: First name, type: ShortAnswer }
  - { id: q2, name: Gender, type: Dropdown, options: [Male, Female] }
  - { id: q3, name: "Race (select all that apply)", type: Checkboxes, options: [{ value: w, label: White }, { value: a, label: Asian }, American Indian / Alaska Native, Black or African American, Native Hawaiian or Other Pacific Islander, Unknown / Not Reported] }
  - { id: q4, name: Ethnicity, type: MultipleChoice, options: [Hispanic or Latino, NOT Hispanic or Latino, Unknown / Not Reported] }
  - { id: q5, name: Height in cm, type: NumberInput }
`),
          "export.csv":
            `record_id,name_first,sex,demographics_complete,height,health_complete,race___1,race___2,race___3,race___4,race___5,race___6,ethnicity,race_and_ethnicity_complete
1,Ada,0,2,171.5,2,0,1,0,0,1,0,2,2
2,Ben,1,2,,0,0,0,0,0,0,1,0,2
3,Cleo,0,2,160,2,0,0,0,0,0,0,1,0
`,
        }, "definitions/REDCapR-simple-dictionary.csv")
        const made = yield* init("REDCapR-simple-dictionary.csv")
        expect([made.status, made.stderr]).toEqual([0, ""])
        expect(onOneLine(made.stdout)).toContain("labels REDCap data dictionary, 11 of 14 columns")
        expect(pipeline().mapping.questions.find(({ id }: { id: string }) => id === "q2")).toEqual({
          id: "q2",
          name: "Gender",
          from: "sex",
          as: "choice",
          values: { 0: "Female", 1: "Male" },
        })
        expect(yield* arrived).toEqual([
          { q1: "Ada", q2: "Female", q3: ["w", "a"], q4: "Hispanic or Latino", q5: 171.5 },
          { q1: "Ben", q2: "Male", q3: ["Unknown / Not Reported"], q4: "Unknown / Not Reported" },
          { q1: "Cleo", q2: "Female", q4: "NOT Hispanic or Latino", q5: 160 },
        ])
      }),
    60_000,
  )

  it.scoped("a REDCap checkbox with the code 0 is not ticked by a 0", () =>
    Effect.gen(function*() {
      const { arrived, init } = yield* world({
        "forms/f.yaml": form(`  - { id: q1, name: Which pets?, type: Checkboxes, options: [Cat, Dog, None] }\n`),
        "dictionary.csv": `Variable / Field Name,Field Type,Field Label,"Choices, Calculations, OR Slider Labels"
record_id,text,Record,
pets,checkbox,Which pets?,"0, None | 1, Cat | 2, Dog"
`,
        "export.csv": `record_id,pets___0,pets___1,pets___2,pets_complete\n1,0,1,0,2\n2,1,0,0,2\n3,0,1,1,2\n`,
      })
      expect((yield* init("dictionary.csv")).status).toBe(0)
      expect(yield* arrived).toEqual([{ q1: ["Cat"] }, { q1: ["None"] }, { q1: ["Cat", "Dog"] }])
    }), 60_000)

  it.scoped(
    "titles and labels come from an XLSForm: several choices in one cell, a switch, and codes that answer a text question",
    () =>
      Effect.gen(function*() {
        const { arrived, init } = yield* world({
          "forms/f.yaml": form(`  - { id: q1, name: Name, type: ShortAnswer }
  - { id: q2, name: Which sports do you do?, type: Checkboxes, options: [Running, Rowing, Table tennis] }
  - { id: q3, name: Do you smoke?, type: Switch }
  - { id: q4, name: Home district, type: ShortAnswer }
`),
          "form.csv": `survey,,,
,type,name,label::English (en)
,begin_group,person,
,text,q_name,Name
,select_one yn,smk,Do you smoke?
,end_group,,
,select_multiple sports,spt,Which sports do you do?
,select_one districts,dst,Home district
choices,,,
,list_name,name,label::English (en)
,yn,1,Yes
,yn,2,No
,sports,s1,Rowing
,sports,s2,Running
,sports,s3,Table tennis
,districts,d1,North
,districts,d2,South
`,
          "export.csv": `"person/q_name";"person/smk";"spt";"dst";"_id";"_uuid";"_submission_time";"_index"
"Ada";"2";"s2 s3";"d1";"101";"0f0e";"2024-05-01T08:05:10";"1"
"Ben";"1";"s1";"d2";"102";"1f0e";"2024-05-02T08:05:10";"2"
`,
        })
        expect((yield* init("form.csv")).status).toBe(0)
        expect(yield* arrived).toEqual([
          { q1: "Ada", q2: ["Running", "Table tennis"], q3: false, q4: "North" },
          { q1: "Ben", q2: ["Rowing"], q3: true, q4: "South" },
        ])
      }),
    60_000,
  )

  it.scoped(
    "titles and labels come from a Qualtrics survey with recoded values, multiple answers and a grid",
    () =>
      Effect.gen(function*() {
        const question = (id: string, payload: Readonly<Record<string, unknown>>) => ({
          Element: "SQ",
          PrimaryAttribute: id,
          Payload: { QuestionID: id, DataExportTag: id.replace("QID", "Q"), ...payload },
        })
        const named = (...names: ReadonlyArray<string>) =>
          Object.fromEntries(names.map((Display, at) => [String(at + 1), { Display }]))
        const { arrived, init } = yield* world({
          "forms/f.yaml": form(
            `  - { id: q1, name: How are you?, type: MultipleChoice, options: [Bad, Fine, Very well] }
  - { id: q2, name: Which do you own?, type: Checkboxes, options: [A bicycle, A boat, A car] }
  - { id: q3, name: Please rate us, type: Matrix, options: [Good, Fair, Poor] }
`,
          ),
          "survey.qsf": JSON.stringify({
            SurveyEntry: {},
            SurveyElements: [
              question("QID1", {
                QuestionType: "MC",
                Selector: "SAVR",
                QuestionText: "<p>How are you?</p>",
                Choices: named("Very well", "Fine", "Bad"),
                RecodeValues: { 1: "3", 2: "2", 3: "1" },
              }),
              question("QID2", {
                QuestionType: "MC",
                Selector: "MAVR",
                QuestionText: "Which do you own?",
                Choices: named("A car", "A bicycle", "A boat"),
              }),
              question("QID3", {
                QuestionType: "Matrix",
                Selector: "Likert",
                SubSelector: "SingleAnswer",
                QuestionText: "Please rate us",
                Choices: named("Price", "Service"),
                Answers: named("Poor", "Fair", "Good"),
              }),
            ],
          }),
          // The file was saved again without the second and third header rows, so it has nothing but ids.
          "export.csv":
            `StartDate,EndDate,Status,Progress,Duration (in seconds),Finished,RecordedDate,ResponseId,UserLanguage,Q1,Q2,Q3_1,Q3_2
2024-01-05 08:28:09,2024-01-05 08:28:48,0,100,39,1,2024-01-05 08:28:49,R_2YPOQ602ER1jkf1,EN,3,"1,3",3,1
2024-01-06 08:28:09,2024-01-06 08:28:48,0,100,39,1,2024-01-06 08:28:49,R_3abcDEF456ghij7,EN,1,2,2,2
`,
        })
        expect((yield* init("survey.qsf")).status).toBe(0)
        expect(yield* arrived).toEqual([
          { q1: "Very well", q2: ["A boat", "A car"], q3: { Price: "Good", Service: "Poor" } },
          { q1: "Bad", q2: ["A bicycle"], q3: { Price: "Fair", Service: "Fair" } },
        ])
      }),
    60_000,
  )

  it.scoped(
    "titles and labels come from a LimeSurvey survey structure that has coded choices and an Other option",
    () =>
      Effect.gen(function*() {
        const { arrived, init } = yield* world({
          "forms/f.yaml": form(`  - { id: q1, name: Country of birth, type: LongAnswer }
  - { id: q2, name: Year of birth, type: NumberInput }
  - { id: q3, name: Favourite colour, type: Dropdown, options: [Blue, Green, Orange, Red, Yellow] }
`),
          "export.csv": `"id";"submitdate";"lastpage";"startlanguage";"seed";"cob";"yob";"fcol"
"1";"2021-09-24 11:39:34";"1";"en";"123456";"Chile";"1990";"3"
"2";"2021-09-25 11:39:34";"1";"en";"223456";"Spain";"1985";"1"
`,
        }, "definitions/limesurveyrc2api.lss")
        expect((yield* init("limesurveyrc2api.lss")).status).toBe(0)
        expect(yield* arrived).toEqual([
          { q1: "Chile", q2: 1990, q3: "Blue" },
          { q1: "Spain", q2: 1985, q3: "Red" },
        ])
      }),
    60_000,
  )

  it.scoped("init lists codes whose labels are not options, each with its label", () =>
    Effect.gen(function*() {
      const { init, pipeline, run, text } = yield* world({
        "forms/f.yaml": form(`  - { id: q1, name: Gender, type: Dropdown, options: [Female, Diverse] }\n`),
        "export.csv": `record_id,sex,demographics_complete\n${
          Array.from({ length: 300 }, (_, at) => `${at},0,2\n`).join("")
        }400,1,2\n401,1,2\n`,
      }, "definitions/REDCapR-simple-dictionary.csv")
      expect((yield* init("REDCapR-simple-dictionary.csv")).stdout).toMatch(/Cells that match no option/)
      expect(pipeline().mapping.questions[0].values).toEqual({ 0: "Female" })
      expect(text()).toContain('  "1": # Male · 2 ×')
      expect((yield* run("check", "p")).stdout).toMatch(/"sex"/)
    }), 60_000)

  it.scoped(
    "init leaves a question open if the form uses a code of the source with a different meaning",
    () =>
      Effect.gen(function*() {
        const { init, pipeline, text } = yield* world({
          "forms/f.yaml": form(
            `  - { id: q1, name: Gender, type: Dropdown, options: [{ value: "0", label: Female }, { value: "1", label: Diverse }] }\n`,
          ),
          "export.csv": `record_id,sex,demographics_complete\n${
            Array.from({ length: 300 }, (_, at) => `${at},0,2\n`).join("")
          }400,1,2\n401,1,2\n`,
        }, "definitions/REDCapR-simple-dictionary.csv")
        yield* init("REDCapR-simple-dictionary.csv")
        expect(pipeline().mapping.questions).toBeNull()
        expect(text()).toMatch(/one choice is not an option of the question/)
        expect(text()).toMatch(/"1": # Male · 2 ×/)
      }),
    60_000,
  )

  it.scoped(
    "init refuses a different form's definition or a file that is not a definition, and writes nothing",
    () =>
      Effect.gen(function*() {
        const { exists, init } = yield* world({
          "forms/f.yaml": form(`  - { id: q1, name: Name, type: ShortAnswer }\n`),
          "export.csv": "No,Name\n1,Ada\n",
        }, "definitions/REDCapR-simple-dictionary.csv")
        const other = yield* init("REDCapR-simple-dictionary.csv")
        expect(other.status).toBe(2)
        expect(onOneLine(other.stderr)).toMatch(
          /REDCapR-simple-dictionary\.csv is a REDCap data dictionary, but it describes none of the source's columns: it has columns such as "[^"]+", and the source "No"\./,
        )
        const none = yield* init("export.csv")
        expect(none.status).toBe(2)
        expect(onOneLine(none.stderr)).toContain(
          "export.csv is not a form definition that formferry can read.",
        )
        expect([yield* exists("config"), yield* exists("pipelines")]).toEqual([false, false])
      }),
    60_000,
  )
})
