import { expect, layer } from "@effect/vitest"
import { Effect, Either } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { ColumnLabels } from "../../src/formtools/Labels.ts"
import { openLabels } from "../../src/source/openLabels.ts"
import { platform, projectFolder } from "../project/projectFolder.ts"

const samples = resolve(import.meta.dirname, "../../samples")

const plain = ({ options, ...rest }: ColumnLabels) => ({
  ...rest,
  ...(options.size === 0 ? {} : { options: Object.fromEntries(options) }),
})

/** Reads a file of samples/, or a file with this content. Returns the labels as plain objects. */
const read = (name: string, content?: string | Uint8Array) =>
  Effect.gen(function*() {
    const file = content === undefined ? join(samples, name) : join(yield* projectFolder({}), name)
    if (content !== undefined) writeFileSync(file, content)
    const { labels, title } = yield* openLabels(file)
    return { title, labels: Object.fromEntries([...labels].map(([column, each]) => [column, plain(each)])) }
  })

/** Returns the reason why a file can't be read, without its folder. */
const refusal = (name: string, content: string | Uint8Array) =>
  Effect.map(
    Effect.either(read(name, content)),
    (result) => Either.isLeft(result) ? result.left.message.replace(/^\S*\//, "") : "it was read",
  )

const known =
  "It can be a REDCap data dictionary (.csv), an XLSForm (.xlsx or .csv), a Qualtrics survey (.qsf) or a LimeSurvey survey structure (.lss)."

layer(platform)("openLabels", (it) => {
  it.scoped("openLabels reads fields, choices and checkbox columns from a REDCap data dictionary", () =>
    Effect.gen(function*() {
      const { labels, title } = yield* read("definitions/REDCapR-simple-dictionary.csv")
      expect(title).toBe("REDCap data dictionary")
      expect(Object.keys(labels)).toHaveLength(21)
      expect(labels["name_first"]).toEqual({ title: "First Name" })
      expect(labels["sex"]).toEqual({ title: "Gender", options: { 0: "Female", 1: "Male" } })
      expect(labels["race___1"]).toEqual({
        title: "Race (Select all that apply)",
        part: { code: "1", label: "American Indian/Alaska Native" },
      })
      expect(labels["bmi"]).toEqual({ title: "BMI" })
    }))

  it.scoped("openLabels has no label for a code that a list repeats with a different label", () =>
    Effect.gen(function*() {
      const header = "field_name,form_name,field_type,field_label,select_choices_or_calculations"
      const redcap = yield* read(
        "metadata.csv",
        `${header}\na,f,radio,Sex,"1, Male | 2, Other | 1, Female | 2, Other"\n`,
      )
      expect(redcap.labels["a"]).toEqual({ title: "Sex", options: { 2: "Other" } })
      const towns = "choices\n,list_name,name,label\n,towns,1,Ely\n,towns,2,Ayr\n,towns,1,Rye\n"
      const form = yield* read("form.csv", `survey\n,type,name,label\n,select_one towns,town,Town\n${towns}`)
      expect(form.labels["town"]).toEqual({ title: "Town", options: { 2: "Ayr" } })
    }))

  it.scoped("openLabels reads the dictionary of REDCap's API, with negative codes and fields with fixed choices", () =>
    Effect.gen(function*() {
      const { labels } = yield* read(
        "metadata.csv",
        `field_name,form_name,field_type,field_label,select_choices_or_calculations
a,f,checkbox,"<b>Pick</b> some &amp; more","-1, None | 2, Two, or more"
b,f,yesno,Sure?,
c,f,radio,Plain,one|two
`,
      )
      expect(labels).toEqual({
        a____1: { title: "Pick some & more", part: { code: "_1", label: "None" } },
        a___2: { title: "Pick some & more", part: { code: "2", label: "Two, or more" } },
        b: { title: "Sure?", options: { 1: "Yes", 0: "No" } },
        c: { title: "Plain", options: { one: "one", two: "two" } },
      })
    }))

  it.scoped("openLabels reads lists, multiple choices, an Other option and groups from an XLSForm, as CSV and as a workbook", () =>
    Effect.gen(function*() {
      const widgets = yield* read("definitions/pyxform-widgets.csv")
      expect(widgets.title).toBe("XLSForm")
      expect(widgets.labels["my_string"]).toEqual({ title: "string widget" })
      expect(widgets.labels["my_select"]).toEqual({
        title: "select multiple widget",
        options: { a: "option a", b: "option b", c: "option c", d: "option d" },
        split: " ",
      })
      expect(widgets.labels["my_select/b"]).toEqual({
        title: "select multiple widget",
        part: { code: "b", label: "option b" },
      })
      const workbook = yield* read("definitions/pyxform-or_other.xlsx")
      expect(workbook.labels["fav_color"]).toEqual({
        title: "What is your favorite color?",
        options: { red: "red", green: "green", blue: "blue", mauve: "mauve", apricot: "apricot", other: "Other" },
      })
      expect(workbook.labels["fav_color_other"]?.part?.label).toBe("Other")
      const grouped = yield* read(
        "form.csv",
        `survey,,,,
,type,name,label::English,label::Deutsch
,begin group,who,,
,text,name,Name,Name
,select_one yn,ok,All right?,In Ordnung?
,end group,,,
,text,name,Name of the dog,Name des Hundes
choices,,,,
,list_name,name,label::English,label::Deutsch
,yn,1,Yes,Ja
settings,,,,
,default_language,,,
,Deutsch,,,
`,
      )
      expect(grouped.labels).toEqual({
        "who/name": { title: "Name" },
        "who-name": { title: "Name" },
        name: { title: "Name des Hundes" },
        ...Object.fromEntries(
          ["who/ok", "who-ok", "ok"].map((column) => [column, { title: "In Ordnung?", options: { 1: "Ja" } }]),
        ),
      })
    }))

  it.scoped("openLabels reads choices, multiple answers, a grid with its own names and recoded values from a Qualtrics survey", () =>
    Effect.gen(function*() {
      const { labels, title } = yield* read("definitions/sp-excerpt.qsf")
      expect(title).toBe("Qualtrics survey")
      expect(labels["Q1"]?.options).toMatchObject({ 5: "Let's include a choice with an apostrophe" })
      expect(labels["Q1_1"]).toBeUndefined()
      expect(labels["Q4"]).toMatchObject({ title: "Multiple answer", split: "," })
      expect(labels["Q4_5"]).toEqual({ title: "Multiple answer", part: { code: "5", label: "Other1" } })
      expect(labels["Q4_5_TEXT"]?.part?.label).toBe("Other1 - Text")
      expect(labels["statement2"]).toEqual({
        title: "Matrix single response per row",
        part: { code: "2", label: "Click to write Statement 2" },
        options: {
          1: "Click to write Scale point 1",
          2: "Click to write Scale point 2",
          3: "Click to write Scale point 3",
          4: "n/a",
        },
      })
      expect(labels["Q14"]).toBeUndefined()
      const survey = JSON.parse(readFileSync(join(samples, "definitions/sp-excerpt.qsf"), "utf8"))
      const single = survey.SurveyElements.find((one: { PrimaryAttribute: string }) => one.PrimaryAttribute === "QID1")
      single.Payload.RecodeValues = { 1: "10", 2: 20 }
      const recoded = yield* read("recoded.qsf", JSON.stringify(survey))
      expect(Object.keys(recoded.labels["Q1"]?.options ?? {})).toEqual(["3", "5", "6", "10", "20"])
    }))

  it.scoped("openLabels reads current and earlier versions of a LimeSurvey survey structure", () =>
    Effect.gen(function*() {
      const early = yield* read("definitions/limesurveyrc2api.lss")
      expect(early.title).toBe("LimeSurvey survey structure")
      expect(early.labels).toMatchObject({
        yob: { title: "What is your year of birth?" },
        fcol: {
          title: "What is your favourite colour?",
          options: { 1: "Red", 2: "Green", 3: "Blue", 4: "Yellow", 5: "Orange", "-oth-": "Other" },
        },
        "fcol[other]": { part: { code: "other", label: "Other" } },
      })
      const rows = (table: string, all: ReadonlyArray<Readonly<Record<string, string>>>) =>
        `<${table}><rows>${
          all.map((row) =>
            `<row>${
              Object.entries(row).map(([field, text]) => `<${field}><![CDATA[${text}]]></${field}>`).join("")
            }</row>`
          ).join("")
        }</rows></${table}>`
      const question = (qid: string, type: string, title: string, parent_qid = "0", scale_id = "0") => ({
        qid,
        type,
        title,
        parent_qid,
        scale_id,
      })
      const text = (qid: string, question: string, language = "en") => ({ qid, question, language })
      const today = yield* read(
        "today.lss",
        `<?xml version="1.0" encoding="UTF-8"?><document><LimeSurveyDocType>Survey</LimeSurveyDocType>${
          rows("answers", [{ aid: "1", qid: "3", code: "A1" }, { aid: "2", qid: "3", code: "A2" }])
        }${
          rows("answer_l10ns", [{ aid: "1", answer: "Good", language: "en" }, {
            aid: "2",
            answer: "<i>Bad</i>",
            language: "en",
          }])
        }${rows("questions", [question("1", "M", "sports"), question("3", "F", "rate"), question("6", "R", "best")])}${
          rows("subquestions", [question("2", "M", "SQ001", "1"), question("4", "F", "SQ001", "3")])
        }${
          rows("question_l10ns", [
            text("1", "Which sports?"),
            text("1", "Welche Sportarten?", "de"),
            text("2", "Rowing"),
            text("3", "Rate"),
            text("4", "Price"),
            text("6", "Order"),
          ])
        }${rows("surveys", [{ language: "en" }])}</document>`,
      )
      expect(today.labels).toMatchObject({
        "sports[SQ001]": { title: "Which sports?", part: { code: "SQ001", label: "Rowing" } },
        sports_SQ001: { title: "Which sports?" },
        "rate[SQ001]": { part: { code: "SQ001", label: "Price" }, options: { A1: "Good", A2: "Bad" } },
      })
    }))

  it.scoped("openLabels reports what is wrong with a file, and where", () =>
    Effect.gen(function*() {
      expect(yield* refusal("rows.csv", "No,Name\n1,Ada\n")).toBe(
        `rows.csv is not a form definition that formferry can read. ${known}`,
      )
      expect(yield* refusal("package.json", "{}")).toBe(
        `package.json is not a form definition that formferry can read. ${known}`,
      )
      expect(yield* refusal("page.html", "<html><body></body></html>")).toBe(
        `page.html is not a form definition that formferry can read. ${known}`,
      )
      expect(yield* refusal("half.qsf", `{\n"SurveyElements": [\n`)).toBe(
        "half.qsf: It starts like JSON, but line 3 can't be read. Export it again.",
      )
      expect(yield* refusal("half.lss", "<document>\n<answers>\n")).toBe(
        "half.lss: It starts like XML, but it has no end. It has 3 lines; it may be cut off. Export it again.",
      )
      expect(yield* refusal("none.qsf", `{ "SurveyElements": [] }`)).toMatch(/contain no question/)
      expect(yield* refusal("dictionary.csv", "Variable / Field Name,Field Type,Field Label\na,text,A\n")).toBe(
        `dictionary.csv: Its header, on line 1, looks like a REDCap data dictionary's, but has no column "Choices, Calculations, OR Slider Labels".`,
      )
      expect(yield* refusal("form.csv", "survey,,\n,type,name\n,select_one colors,q\nchoices,,\n,list_name,name\n"))
        .toBe(
          `form.csv: Its question "q", in the sheet "survey", uses the list "colors", which the sheet "choices" does not have.`,
        )
      expect(yield* refusal("book.xlsx", readFileSync(join(samples, "registrations.xlsx")))).toMatch(
        /^book\.xlsx: Its sheets are "[^]*: an XLSForm has a sheet "survey"\.$/,
      )
      expect(yield* refusal("broken.xlsx", "PK\u0003\u0004 and no more")).toMatch(/^broken\.xlsx/)
      const missing = yield* Effect.either(openLabels("/nowhere/dictionary.csv"))
      expect(Either.isLeft(missing) ? missing.left.message : "").toMatch(/dictionary\.csv/)
    }))
})
