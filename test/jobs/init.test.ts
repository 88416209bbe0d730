import { FileSystem, Path } from "@effect/platform"
import { expect, layer } from "@effect/vitest"
import { Effect, Either, Redacted } from "effect"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { checkProject } from "../../src/jobs/check.ts"
import { initialise } from "../../src/jobs/init.ts"
import { preview } from "../../src/jobs/preview.ts"
import { type InitOptions, surveySource } from "../../src/jobs/suggestMapping.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { decodeSource } from "../../src/project/sourceSection.ts"
import { asFound } from "../../src/source/openSource.ts"
import { platform, projectFolder } from "../project/projectFolder.ts"

const samples = join(import.meta.dirname, "../../samples")

const people = `No;Name;E-mail;Born;Color;Due
1;Ada Lovelace;ada@example.org;10.12.1815;Karmin;01/02/2024
2;Zoë Öz;zoe@example.org;;Blue;03/04/2024
3;Bob Müller;bob@example.net;01.02.1990;Karmin;05/06/2024
`

const form = `id: people1
name: People
questions:
  - { id: q1, name: Full name, type: ShortAnswer }
  - { id: q2, name: E-Mail-Adresse, type: EmailInput }
  - { id: q3, name: Geburtstag, type: DatePicker }
  - { id: q4, name: Color, type: Dropdown, options: [{ value: r, label: Red }, { value: b, label: Blue }] }
  - { id: q5, name: Due date, type: DatePicker }
  - { id: q6, name: Shoe size, type: NumberInput }
`

const start = (files: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const root = yield* projectFolder({ "people.csv": people, "forms/people.yaml": form, ...files })
    const file = (name: string) => path.join(root, name)
    return {
      root,
      read: (name: string) => Effect.orDie(fs.readFileString(file(name))),
      write: (name: string, text: string) => Effect.orDie(fs.writeFileString(file(name), text)),
      exists: (name: string) => Effect.orDie(fs.exists(file(name))),
      mode: (name: string) => Effect.map(Effect.orDie(fs.stat(file(name))), ({ mode }) => mode & 0o777),
      init: (options: Partial<InitOptions> = {}) =>
        initialise({
          root,
          newService: { _tag: "Practice", name: "practice", forms: "../forms" },
          name: "people",
          source: asFound(file("people.csv")),
          service: "practice",
          form: "people1",
          ...options,
        }),
      again: () =>
        initialise({
          root,
          newService: undefined,
          name: "people",
          source: undefined,
          service: undefined,
          form: undefined,
        }),
    }
  })

layer(platform)("init", (it) => {
  it.scoped("init writes the options that say how to read the file into the pipeline", () =>
    Effect.gen(function*() {
      const latin = Buffer.from("Export\n\nNo;Name\n1;J\u00FCrgen\n", "latin1")
      const world = yield* start({})
      const file = `${world.root}/old.csv`
      writeFileSync(file, latin)
      const given = { encoding: "windows-1252", delimiter: ";", quoteChar: "none", headerRow: 3 } as const
      const source = decodeSource({ file }, given)
      if ("key" in source) return yield* Effect.die(source.message)
      yield* world.init({ source })
      const text = yield* world.read("pipelines/people.yaml")
      expect(text).toContain(", 1 row\n")
      const written = parse(text)
      expect(written.source).toEqual({ file: "../old.csv", format: "csv", ...given, rowKey: ["No"] })
      expect(written.mapping.questions).toContainEqual({ id: "q1", name: "Full name", from: "Name" })
    }))

  it.scoped("init names the visible sheets that it does not read, unless you chose the sheet", () =>
    Effect.gen(function*() {
      const world = yield* start()
      const file = `${samples}/registrations.xlsx`
      const about = expect.stringContaining('Another visible sheet is not read: "Registrations"')
      expect((yield* world.init({ source: asFound(file) })).warnings).toContainEqual(about)
      const chosen = yield* world.init({ name: "chosen", source: { ...asFound(file), sheet: "About" } })
      expect(chosen.warnings).not.toContainEqual(about)
    }))

  it.each([
    [
      { encoding: "klingon" },
      "encoding",
      "There is no encoding called `klingon`. Encodings are, for example, utf-8, windows-1252 and iso-8859-15.",
    ],
    [{ format: "exel" }, "format", "Did you mean `excel`?"],
    [{ delimiter: ";;" }, "delimiter", "`delimiter` expects one character"],
    [{ sheet: "Data", range: "B" }, "range", "`range` expects a range such as `B3:H400`, not `B`."],
  ])("says which key of %j is wrong, and what it expects", (given, key, message) => {
    expect(decodeSource({ file: "/a: b.csv" }, given)).toEqual({ key, message: expect.stringContaining(message) })
  })

  it.scoped("init creates a project and a pipeline that loads, and gives a reason for each entry that it leaves open", () =>
    Effect.gen(function*() {
      const world = yield* start({ ".gitignore": "node_modules/" })
      const result = yield* world.init()
      expect(result.written).toEqual([
        "config/formferry.yaml",
        "config/schemas/project.schema.json",
        "config/schemas/pipeline.schema.json",
        ".env.example",
        ".gitignore",
        "pipelines/people.yaml",
        "config/schemas/pipelines/people.json",
        "config/forms/people.json",
      ])
      expect(yield* world.read(".gitignore")).toBe("node_modules/\n.formferry/\nreports/\n.env\n")
      expect(result.open).toEqual(["Color", "Due date", "Shoe size"])

      const text = yield* world.read("pipelines/people.yaml")
      expect(parse(text)).toEqual({
        pipeline: "people",
        source: { file: "../people.csv", format: "csv", rowKey: ["No"] },
        mapping: {
          questions: [
            { id: "q1", name: "Full name", from: "Name" },
            { id: "q2", name: "E-Mail-Adresse", from: "E-mail" },
            { id: "q3", name: "Geburtstag", from: "Born", as: "date", format: "dd.MM.yyyy" },
          ],
        },
        sink: { service: "practice", form: "people1" },
      })
      // The comments show the confidence, two cells and the reasons, a choice that is not an option, and a format that no cell
      // determines.
      expect(text).toMatch(
        /# confidence 0\.\d\d · "Ada Lovelace" · "Zoë Öz" · the titles are about similar things\n {4}- id: q1/,
      )
      expect(text).toContain("# left open: one choice is not an option of the question. Complete `values`")
      expect(text).toMatch(
        /# {3}as: choice\n {4}# {3}# values: #[^\n]+\n {4}# {3}# {3}# options: Red · Blue\n {4}# {3}# {3}Karmin: # 2 ×/,
      )
      expect(text).toContain(
        `    # left open: no cell shows whether the day or the month comes first. Choose the format, then remove the #.
    # - id: q5
    #   name: Due date
    #   from: Due
    #   as: date
    #   format: dd/MM/yyyy # or MM/dd/yyyy
`,
      )
      const project = yield* loadProject(world.root)
      expect([...project.pipelines.keys()]).toEqual(["people"])
    }))

  it.scoped("writes open entries that are valid after they are uncommented and filled in", () =>
    Effect.gen(function*() {
      const world = yield* start()
      yield* world.init()
      const text = yield* world.read("pipelines/people.yaml")
      yield* world.write(
        "pipelines/people.yaml",
        text.replaceAll(
          /^( +)# ((?:- id: q[45]| {2}(?:name: [CD]|from: [CD]|as: |format: |# values:|# {3}Karmin:)).*)$/gm,
          "$1$2",
        )
          .replace(/# (values:)/, "$1").replace(/# ( {2}Karmin:)/, "$1 Red")
          .replace("mapping:\n", "mapping:\n  ignoreQuestions: [Shoe size]\n"),
      )
      const { diagnostics, pipelines: [checked] } = yield* checkProject(world.root, [])
      expect(diagnostics).toEqual([])
      expect(checked?.diagnostics).toEqual([])
      expect(checked?.data).toMatchObject({ rows: 3, invalid: 0, problems: [], choices: [] })
    }))

  it.scoped("adds new entries to a pipeline, and leaves every byte of the existing text unchanged", () =>
    Effect.gen(function*() {
      const world = yield* start()
      yield* world.init()
      const edited = (yield* world.read("pipelines/people.yaml")).replace(
        "from: Name",
        "from:   Name   # as they call themselves",
      )
      yield* world.write("pipelines/people.yaml", edited)
      const nothing = yield* world.again()
      expect([nothing.added, nothing.mapped, nothing.open, nothing.written]).toEqual([true, 0, [], []])
      expect(yield* world.read("pipelines/people.yaml")).toBe(edited)

      yield* world.write(
        "forms/people.yaml",
        `${form}  - { id: q7, name: City, type: ShortAnswer }\n  - { id: q8, name: Favourite pet, type: ShortAnswer }\n`,
      )
      yield* world.write(
        "people.csv",
        people.split("\n").map((line, at) => line === "" ? "" : `${line};${at === 0 ? "Town" : "Bonn"}`).join("\n"),
      )
      const more = yield* world.again()
      expect([more.mapped, more.open]).toEqual([1, ["Favourite pet"]])
      const text = yield* world.read("pipelines/people.yaml")
      const at = Array.from(edited).findIndex((letter, index) => text[index] !== letter)
      expect(text.endsWith(edited.slice(at))).toBe(true)
      expect(parse(text).mapping.questions.at(-1)).toEqual({ id: "q7", name: "City", from: "Town" })
      // Added and open entries are not suggested a second time.
      expect((yield* world.again()).written).toEqual([])
    }))

  it.scoped("never overwrites a pipeline's file that someone else wrote while the source was read", () =>
    Effect.gen(function*() {
      const world = yield* start()
      const meanwhile = (text: string): Partial<InitOptions> => ({
        survey: (...of) => Effect.zipLeft(surveySource(...of), world.write("pipelines/people.yaml", text)),
      })
      mkdirSync(`${world.root}/pipelines`)
      const created = yield* Effect.either(world.init(meanwhile("pipeline: people\n# made by a colleague\n")))
      expect(Either.isLeft(created) && created.left.message).toMatch(
        /^pipelines\/people.yaml was created by someone else while the source was read\. It was not overwritten\./,
      )
      expect(yield* world.read("pipelines/people.yaml")).toContain("# made by a colleague")

      rmSync(`${world.root}/pipelines/people.yaml`)
      yield* world.init()
      const edited = (yield* world.read("pipelines/people.yaml")).replace("from: Name", "from: Name # checked")
      yield* world.write("forms/people.yaml", `${form}  - { id: q7, name: City, type: ShortAnswer }\n`)
      const added = yield* Effect.either(world.init({ source: undefined, ...meanwhile(edited) }))
      expect(Either.isLeft(added) && added.left.message).toBe(
        "pipelines/people.yaml was changed in the meantime. Nothing was written. Run `init` again.",
      )
      expect(yield* world.read("pipelines/people.yaml")).toBe(edited)
      yield* world.again()
      const text = yield* world.read("pipelines/people.yaml")
      expect([text.includes("from: Name # checked"), text.includes("City")]).toEqual([true, true])
    }))

  it.scoped("refuses impossible requests with advice, and writes no pipeline", () =>
    Effect.gen(function*() {
      const world = yield* start()
      // Some names are not allowed for a pipeline file.
      for (const name of ["../evil", "My import", "Märchen", "-"]) {
        const bad = yield* Effect.either(world.init({ name }))
        expect(Either.isLeft(bad) && bad.left.message).toContain(
          "can't be a pipeline's name. It must begin with a letter from A to Z or a digit",
        )
      }
      const unknown = yield* Effect.either(world.init({ form: "nope" }))
      // Form files are found by their ids, not by their names.
      expect(Either.isLeft(unknown) && unknown.left).toMatchObject({
        _tag: "ServiceUnusable",
        message: "The service `practice` has no form with the id `nope`. Its forms: `people1` (People).",
      })
      expect(yield* world.exists("pipelines/people.yaml")).toBe(false)
      yield* world.init({ newService: undefined })
      const other = yield* Effect.either(world.init({ newService: undefined, form: "other" }))
      expect(Either.isLeft(other) && other.left.message).toContain(
        "The pipeline people already exists with --form people1, not other.",
      )
      const missing = yield* Effect.either(world.init({ newService: undefined, name: "more", source: undefined }))
      expect(Either.isLeft(missing) && missing.left.message).toContain(
        "needs --source FILE or --connection NAME, --service SERVICE and --form ID",
      )
    }))

  it.scoped("writes a key only to a file that its owner alone can read", () =>
    Effect.gen(function*() {
      const world = yield* start()
      const key = "fk_very_secret"
      yield* Effect.either(world.init({
        newService: { _tag: "Live", name: "live", baseUrl: "http://127.0.0.1:9/v1", keyVariable: "THE_KEY" },
        service: "nothing-of-that-name",
        apiKey: Redacted.make(key),
      }))
      expect(yield* world.read(".env")).toBe(`THE_KEY="${key}"\n`)
      expect(yield* world.mode(".env")).toBe(0o600)
      for (const name of ["config/formferry.yaml", ".env.example", ".gitignore"]) {
        expect(yield* world.read(name), name).not.toContain(key)
      }
    }))

  it.scoped("init and check keep options, rows, choices and columns that are called __proto__", () =>
    Effect.gen(function*() {
      const odd = `id: odd
name: Odd
questions:
  - { id: q1, name: Likes, type: Checkboxes, options: [__proto__, Tea, constructor] }
  - { id: q2, name: Rate, type: Matrix, options: [Good, Bad] }
  - { id: q3, name: Colour, type: Dropdown, options: [Red, Blue] }
`
      const rows = [
        "Response,Likes [__proto__],Likes [Tea],Likes [constructor],Rate [__proto__],Rate [Tea],Colour",
        "1,Yes,No,Yes,Good,Bad,Red",
        "2,No,Yes,No,Bad,Good,Blue",
        "3,Yes,Yes,Yes,Bad,Good,Red",
      ]
      const world = yield* start({ "odd.csv": `${rows.join("\n")}\n`, "forms/odd.yaml": odd })
      yield* world.init({ name: "odd", form: "odd", source: asFound(`${world.root}/odd.csv`) })
      const text = yield* world.read("pipelines/odd.yaml")
      yield* world.write(
        "pipelines/odd.yaml",
        text.replace("# rowKey: [Response]", "rowKey: [Response]").replace(
          "from: Colour",
          "from: Colour\n      as: choice\n      values: { __proto__: Red }",
        ),
      )
      const { diagnostics, pipelines: [checked] } = yield* checkProject(world.root, ["odd"])
      expect([...diagnostics, ...checked?.diagnostics ?? []]).toEqual([])
      expect([checked?.data?.invalid, checked?.fits?.answers]).toEqual([0, 3])
      expect(checked?.translations.flatMap(({ values }) => values)).toEqual([{ cell: "__proto__", answer: "Red" }])
      const { rows: [row] } = yield* preview(yield* loadProject(world.root), {
        pipeline: "odd",
        to: undefined,
        source: undefined,
        rows: 1,
        row: undefined,
      })
      expect(row?.answers.map(({ value }) => JSON.stringify(value))).toEqual([
        '["__proto__","constructor"]',
        '{"__proto__":"Good","Tea":"Bad"}',
        '"Red"',
      ])
    }))

  it.scoped("init proposes an option of a long list", () =>
    Effect.gen(function*() {
      const towns = Array.from({ length: 400 }, (_, at) => `Town of ${["North", "South"][at % 2]} ${at}`)
      const world = yield* start({
        "long.csv": "Id,Town\n1,Zimbabwaen Plains\n2,Town of South 1\n3,Town of North 0\n",
        "forms/long.yaml": `id: long\nname: Long\nquestions: [{ id: q1, name: Town, type: Dropdown, options: [${
          towns.join(", ")
        }, Zimbabwean Plains] }]\n`,
      })
      yield* world.init({ name: "long", form: "long", source: asFound(`${world.root}/long.csv`) })
      expect(yield* world.read("pipelines/long.yaml")).toMatch(
        /Zimbabwaen Plains: Zimbabwean Plains # confidence 0\.\d\d · 1 ×/,
      )
    }))

  it.scoped("init and check fill a ranking from LimeSurvey's columns, which are named after ranks, and a grid", () =>
    Effect.gen(function*() {
      const meta = '"Response ID","Date submitted","Last page","Start language","Seed"'
      const rows = [
        `${meta},"Rank the films [Rank 1]","Rank the films [Rank 2]","Rank the films [Rank 3]","Rate us [Price]","Rate us [Shop]"`,
        '"1","2021-09-24 11:39:34","3","en","1","Alien","Brazil","Cube","Good","Bad"',
        '"2","2021-09-25 11:39:34","3","en","2","Cube","Aliens","","Bad","Good"',
        '"3","2021-09-26 11:39:34","3","en","3","","","","Bad",""',
        '"4","2021-09-27 11:39:34","3","en","4","Brazil","Cube","Alien","Good","Good"',
      ]
      const world = yield* start({
        "lime.csv": `${rows.join("\n")}\n`,
        "forms/lime.yaml": `id: lime
name: Lime
questions:
  - { id: q1, name: Rank the films, type: Ranking, options: [Alien, Brazil, Cube] }
  - { id: q2, name: Rate us, type: Matrix, options: [Good, Bad] }
`,
      })
      yield* world.init({ name: "lime", form: "lime", source: asFound(`${world.root}/lime.csv`) })
      const text = yield* world.read("pipelines/lime.yaml")
      expect(text).toContain("    #   #   Aliens: Alien # confidence")
      yield* world.write(
        "pipelines/lime.yaml",
        text.replaceAll(/^ {4}# (- id: q1| {2}name: Rank.*| {2}from: \{ block: Rank.*| {2}as: ranking)$/gm, "    $1")
          .replace("# submissionTime: { from: Date submitted }", "submissionTime: { from: Date submitted, zone: UTC }"),
      )
      const { diagnostics, pipelines: [checked] } = yield* checkProject(world.root, ["lime"])
      expect([...diagnostics, ...checked?.diagnostics ?? []].map(({ message }) => message)).toEqual([
        '1 choice in the columns of "Rank the films" is not an option of "Rank the films": "Aliens" (1 ×).',
      ])
      expect([checked?.data?.invalid, checked?.fits?.answers]).toEqual([1, 2])
      const project = yield* loadProject(world.root)
      const { rows: [first] } = yield* preview(project, {
        pipeline: "lime",
        to: undefined,
        source: undefined,
        rows: 1,
        row: 1,
      })
      expect(first?.answers.slice(0, 2).map(({ value }) => value)).toEqual([
        ["Alien", "Brazil", "Cube"],
        { Price: "Good", Shop: "Bad" },
      ])
    }))

  it.scoped("init names numbered columns of ticks by the labels of their codes", () =>
    Effect.gen(function*() {
      const world = yield* start({
        "pets.csv": "id,pets__1,pets__2,pets__3\n1,1,0,1\n2,0,1,0\n3,0,0,0\n4,1,1,0\n",
        "pets-dictionary.csv": [
          '"Variable / Field Name","Form Name","Field Type","Field Label","Choices, Calculations, OR Slider Labels"',
          'id,f,text,Id,""',
          'pets,f,checkbox,Which pets do you have?,"1, Cat | 2, Dog | 3, Bird"',
        ].join("\n"),
        "forms/pets.yaml":
          "id: pets\nname: Pets\nquestions: [{ id: q1, name: Your pets, type: Checkboxes, options: [Cat, Dog, Bird] }]\n",
      })
      yield* world.init({
        name: "pets",
        form: "pets",
        source: asFound(`${world.root}/pets.csv`),
        labels: `${world.root}/pets-dictionary.csv`,
      })
      expect(parse(yield* world.read("pipelines/pets.yaml")).mapping.questions).toEqual([
        { id: "q1", name: "Your pets", from: { Cat: "pets__1", Dog: "pets__2", Bird: "pets__3" } },
      ])
    }))

  it.scoped("init sends the labels of a grid's codes if the form does not show its options", () =>
    Effect.gen(function*() {
      const choices = (...names: ReadonlyArray<string>) =>
        Object.fromEntries(names.map((name, at) => [at + 1, { Display: name }]))
      const payload = {
        QuestionText: "Please rate",
        DataExportTag: "Q3",
        QuestionType: "Matrix",
        Selector: "Likert",
        SubSelector: "SingleAnswer",
        Choices: choices("Price", "Service"),
        Answers: choices("Bad", "Good"),
      }
      const world = yield* start({
        "rate.csv": [
          "ResponseId,RecordedDate,Duration (in seconds),Q3_1,Q3_2",
          "Response ID,Recorded Date,Duration,Please rate - Price,Please rate - Service",
          ...[1, 2, 3, 4].map((no) => `R_${no},2024-01-0${no} 10:00:00,3,${1 + no % 2},2`),
        ].join("\n"),
        "rate.qsf": JSON.stringify({
          SurveyEntry: { SurveyID: "SV_1", SurveyName: "Rate", SurveyLanguage: "EN" },
          SurveyElements: [{ Element: "SQ", PrimaryAttribute: "QID3", Payload: payload }],
        }),
        "forms/rate.yaml": "id: rate\nname: Rate\nquestions: [{ id: q1, name: Please rate, type: Matrix }]\n",
      })
      const source = asFound(`${world.root}/rate.csv`)
      yield* world.init({ name: "rate", form: "rate", source, labels: `${world.root}/rate.qsf` })
      expect(parse(yield* world.read("pipelines/rate.yaml")).mapping.questions).toEqual([{
        id: "q1",
        name: "Please rate",
        from: { block: "Please rate" },
        as: "matrix",
        options: ["Bad", "Good"],
        values: { 1: "Bad", 2: "Good" },
      }])
    }))

  it.scoped("init uses labels of codes, and ignores the form tool's own columns, in combined records", () =>
    Effect.gen(function*() {
      const world = yield* start({
        "visits.csv": [
          "record_id,redcap_event_name,redcap_data_access_group,sex,visit_complete",
          ...[1, 2, 3, 4].map((no) => `S${no},first_arm_1,site_${no % 2},${1 + no % 2},2`),
        ].join("\n"),
        "visits-dictionary.csv": [
          '"Variable / Field Name","Form Name","Field Type","Field Label","Choices, Calculations, OR Slider Labels"',
          'record_id,visit,text,Id,""',
          'sex,visit,radio,Sex,"1, Female | 2, Male"',
        ].join("\n"),
        "forms/visits.yaml": `id: visits
name: Visits
questions:
  - { id: q1, name: Sex, type: Dropdown, options: [Female, Male] }
  - { id: q2, name: Study group, type: ShortAnswer }
`,
      })
      const labels = `${world.root}/visits-dictionary.csv`
      const options = { name: "visits", form: "visits", source: asFound(`${world.root}/visits.csv`), labels }
      const { notes } = yield* world.init(options)
      expect(notes).toEqual([expect.stringContaining("join them with `source.combine`")])
      const text = (yield* world.read("pipelines/visits.yaml"))
        .replace(/ rowKey:.*/, " rowKey: [record_id]\n  combine: { by: [record_id], name: [redcap_event_name] }")
        .replace(/mapping:[^]*(?=\nsink:)/, "mapping:\n  questions: []\n")
      yield* world.write("pipelines/visits.yaml", text)
      yield* world.init({ ...options, source: undefined, newService: undefined })
      expect(parse(yield* world.read("pipelines/visits.yaml")).mapping.questions).toEqual([
        { id: "q1", name: "Sex", from: "first_arm_1.sex", as: "choice", values: { 1: "Female", 2: "Male" } },
      ])
    }))

  it.scoped("init proposes the option whose initials a cell contains, unless several options have these initials", () =>
    Effect.gen(function*() {
      const world = yield* start({
        "short.csv": "id,Sex,Paid,View,Grade\n1,F,Y,SA,C\n2,M,N,D,B\n3,F,Y,SD,A\n4,M,Y,A,D\n",
        "forms/short.yaml": `id: short
name: Short
questions:
  - { id: q1, name: Sex, type: Dropdown, options: [Female, Male, Other] }
  - { id: q2, name: Paid, type: Dropdown, options: ["Yes", "No"] }
  - { id: q3, name: View, type: Dropdown, options: [Strongly agree, Agree, Disagree, Strongly disagree] }
  - { id: q4, name: Grade, type: Dropdown, options: [Excellent, Average, Adequate, Bad] }
`,
      })
      yield* world.init({ name: "short", form: "short", source: asFound(`${world.root}/short.csv`) })
      const text = yield* world.read("pipelines/short.yaml")
      const proposed = [...text.matchAll(/^ *# {3}#? *(\w+): (.+) # confidence/gm)].map(([, choice, option]) =>
        `${choice} ${option}`
      )
      expect(proposed.toSorted()).toEqual([
        "A Agree",
        "D Disagree",
        "F Female",
        "M Male",
        "SA Strongly agree",
        "SD Strongly disagree",
      ])
      expect(parse(text).mapping.questions).toEqual([
        { id: "q2", name: "Paid", from: "Paid", as: "choice", values: { Y: "Yes", N: "No" } },
      ])
    }))
})
