import { FileSystem, Path } from "@effect/platform"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { checkProject } from "../../src/jobs/check.ts"
import { initialise } from "../../src/jobs/init.ts"
import { asFound } from "../../src/source/openSource.ts"
import { platform, projectFolder } from "../project/projectFolder.ts"

/**
 * A survey with a title row, two columns that fit the question `Werkzeuge`, a column at a different place whose title
 * says nothing, and more choices than are listed.
 */
const survey = [
  "Umfrage vom 1. März",
  "No;Farben;Werkzeuge (heute);Werkzeuge (früher);Frage 5;Land",
  ...Array.from({ length: 60 }, (_, at) =>
    [
      at,
      at % 2 === 0 ? "Rot, Blau" : "Rot",
      at === 0 ? "Hammer, Beil" : "Hammer, Säge",
      at === 0 ? "Hammer" : "Säge",
      at % 3 === 0 ? "Bauen" : "Bauen, Basteln",
      `Land ${at}`,
    ].join(";")),
].join("\n")

const form = `id: werk1
name: Werkstatt
questions:
  - { id: f, name: Farben, type: Checkboxes, options: [Rot, Blau] }
  - { id: w, name: Werkzeuge, type: Checkboxes, options: [Hammer, Säge] }
  - { id: l, name: Land, type: Dropdown, options: [Peru] }
  - { id: z, name: Verwendungszweck, type: Checkboxes, options: [Bauen, Basteln] }
`

layer(platform)("entries that init leaves open", (it) => {
  it.scoped("an open entry is complete once its commented separator and values are uncommented", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const root = yield* projectFolder({ "survey.csv": survey, "forms/werk.yaml": form })
      yield* initialise({
        root,
        newService: { _tag: "Practice", name: "practice", forms: "../forms" },
        name: "survey",
        source: asFound(path.join(root, "survey.csv")),
        service: "practice",
        form: "werk1",
      })
      const file = path.join(root, "pipelines", "survey.yaml")
      const text = yield* fs.readFileString(file)
      expect(text).toContain("  headerRow: 2 # detected: lines above it are not read\n")
      // If several columns fit, the draft lists the choices of the best one. An uncertain column is split like the others.
      expect(text).toContain(`    #   as: choices
    #   split: ","
    #   # values: # these are not options: write one after each, or null for no answer, and remove the #
    #   #   # options: Hammer · Säge
    #   #   Beil: # 1 ×
`)
      expect(text).toMatch(/ {4}# - id: z\n(?: {4}# .*\n)* {4}# {3}split: ","/)
      // Not all choices are listed, so the line that counts the rest stays a comment.
      expect(text).toMatch(
        /\n {4}# {3}# {3}# and 10 more, which `formferry check` lists\n {4}# {3}# otherwise: # or choose what happens to all /,
      )

      const filled = text
        .replaceAll(/^( {4})# ((?:- id: | {2}).*)$/gm, "$1$2")
        .replaceAll(/^( {6})# (values:|otherwise:| {2})/gm, "$1$2")
        .replaceAll(/^( +(?:Beil|Land \d+):)/gm, "$1 null")
        .replace("otherwise:", "otherwise: drop")
      yield* fs.writeFileString(file, filled)
      const { diagnostics, pipelines: [checked] } = yield* checkProject(root, [])
      expect(diagnostics).toEqual([])
      expect(checked?.diagnostics.map(({ message }) => message)).toEqual([
        "1 of 6 columns is not mapped: Werkzeuge (früher).",
      ])
      expect(checked?.data).toMatchObject({ rows: 60, invalid: 0, problems: [], choices: [] })
    }))

  it.scoped("writes the option that a choice names in a different spelling, and proposes one for a typo", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const root = yield* projectFolder({
        "schools.csv":
          "Respondent ID,Collector ID,Start Date,End Date,IP Address,School,Pets,,\n,,,,,Response,Cat,Dog,Other (please specify)\n"
          + "1,7,01/02/2024 10:00:00,01/02/2024 10:05:00,192.0.2.1,Tertairy School,Cat,,a newt\n"
          + "2,7,01/02/2024 11:00:00,01/02/2024 11:05:00,192.0.2.2,Primary school.,,Dog,\n",
        "forms/schools.yaml":
          "id: schools1\nname: Schools\nquestions:\n  - { id: s, name: School, type: Dropdown, options: [Primary school, Tertiary school] }\n  - { id: p, name: Pets, type: Checkboxes, options: [Cat, Dog, Other] }\n",
      })
      yield* initialise({
        root,
        newService: { _tag: "Practice", name: "practice", forms: "../forms" },
        name: "schools",
        source: asFound(path.join(root, "schools.csv")),
        service: "practice",
        form: "schools1",
      })
      const text = yield* fs.readFileString(path.join(root, "pipelines", "schools.yaml"))
      expect(text).toMatch(
        /Tertairy School: Tertiary school # confidence 0\.\d\d · 1 ×\n/,
      )
      expect(text).toContain("      other: { use: Other } # the texts are not sent\n")
      const { pipelines: [checked] } = yield* checkProject(root, [])
      expect(checked?.data).toMatchObject({ rows: 2, invalid: 0, choices: [] })
    }))

  it.scoped("an open entry for a phone number is complete once the proposed country is added", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const root = yield* projectFolder({
        "people.csv": "No,Name,Phone\n1,Ada,030 1234567\n2,Bob,030 1234568\n",
        "forms/people.yaml":
          "id: people1\nname: People\nquestions: [{ id: n, name: Name, type: ShortAnswer }, { id: p, name: Phone, type: PhoneNumber }]\n",
      })
      yield* initialise({
        root,
        newService: { _tag: "Practice", name: "practice", forms: "../forms" },
        name: "people",
        source: asFound(path.join(root, "people.csv")),
        service: "practice",
        form: "people1",
      })
      const file = path.join(root, "pipelines", "people.yaml")
      const text = yield* fs.readFileString(file)
      expect(text).toContain("Add their country, such as country: DE, then remove the #.")
      yield* fs.writeFileString(
        file,
        text.replaceAll(/^( {4})# ((?:- id: | {2}).*)$/gm, "$1$2").replace(/^( +)from: Phone$/m, "$&\n$1country: DE"),
      )
      const { diagnostics, pipelines: [checked] } = yield* checkProject(root, [])
      expect([diagnostics, checked?.diagnostics]).toEqual([[], []])
      expect(checked?.data).toMatchObject({ rows: 2, invalid: 0 })
    }))

  it.scoped("proposes no format without a time for the time of a submission", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const root = yield* projectFolder({
        "forms/f.yaml": "id: f1\nname: F\nquestions: [{ id: n, name: First Name, type: ShortAnswer }]\n",
      })
      yield* initialise({
        root,
        newService: { _tag: "Practice", name: "practice", forms: "../forms" },
        name: "jotform",
        source: asFound(path.join(import.meta.dirname, "../../samples/form-tools/jotform.csv")),
        service: "practice",
        form: "f1",
      })
      const text = yield* fs.readFileString(path.join(root, "pipelines", "jotform.yaml"))
      expect(text).toMatch(/# submissionTime:/)
      expect(text).not.toContain("dd-MMM-yy")
      expect(text).toMatch(/cells? can't be read like this/)
    }))

  it.scoped("a question whose type has no default kind is left open, and one without a name is called by its id", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const root = yield* projectFolder({
        "people.csv": "No,Mood,Name\n1,happy,Ada\n2,sad,Bob\n",
        "forms/people.yaml":
          'id: people1\nname: People\nquestions: [{ id: m, name: Mood, type: MoodPicker }, { id: n, name: Name, type: ShortAnswer }, { id: x1, name: " ", type: DatePicker }]\n',
      })
      const { open } = yield* initialise({
        root,
        newService: { _tag: "Practice", name: "practice", forms: "../forms" },
        name: "people",
        source: asFound(path.join(root, "people.csv")),
        service: "practice",
        form: "people1",
      })
      expect(open).toEqual(["Mood", "x1"])
      const file = path.join(root, "pipelines", "people.yaml")
      const text = yield* fs.readFileString(file)
      expect(text).toContain("left open: the question's type, MoodPicker, has no default kind. Set the kind with `as`,")
      const errors = Effect.map(
        checkProject(root, []),
        ({ pipelines: [checked] }) => checked?.diagnostics.filter(({ severity }) => severity === "error"),
      )
      expect(yield* errors).toEqual([])
      const entry = "    # - id: m\n    #   name: Mood\n    #   from: Mood\n"
      expect(text).toContain(entry)
      yield* fs.writeFileString(file, text.replace(entry, `${entry.replaceAll("# ", "")}      as: text\n`))
      expect(yield* errors).toEqual([])
    }))

  it.scoped("years of two digits are left open if they may be in the century before, and numbers that would lose zeros", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const days = ["01.12.75", "02.11.48", "03.10.99"]
      const root = yield* projectFolder({
        "people.csv": `No,Born,Joined,Zip,Guests\n${
          days.map((day, at) => `${at},${day},1${at}.06.2${at},0123${at},0${at}\n`).join("")
        }`,
        "forms/people.yaml":
          "id: people1\nname: People\nquestions: [{ id: b, name: Born, type: DatePicker }, { id: j, name: Joined, type: DatePicker }, { id: z, name: Zip, type: NumberInput }, { id: g, name: Guests, type: NumberInput }]\n",
      })
      const { open } = yield* initialise({
        root,
        newService: { _tag: "Practice", name: "practice", forms: "../forms" },
        name: "people",
        source: asFound(path.join(root, "people.csv")),
        service: "practice",
        form: "people1",
      })
      expect(open).toEqual(["Born", "Zip"])
      const text = yield* fs.readFileString(path.join(root, "pipelines", "people.yaml"))
      expect(text).toContain(
        '# left open: a number such as "01230" would lose its zeros. Check the type of the question,',
      )
      expect(text).toContain(
        '# left open: "02.11.48" is read as 2048. If it is an earlier year, write years with four digits in the file, then remove the #.\n',
      )
    }))

  it.scoped("texts that may mean no answer are left open, and check suggests to list them", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const root = yield* projectFolder({
        "people.csv": "No,Name,Color\n1,Ada,Red\n2,Bob,k. A.\n3,Eve,Blue\n4,Zoe,k. A.\n",
        "forms/people.yaml":
          "id: people1\nname: People\nquestions: [{ id: n, name: Name, type: ShortAnswer }, { id: c, name: Color, type: Dropdown, options: [Red, Blue] }]\n",
      })
      const { open } = yield* initialise({
        root,
        newService: { _tag: "Practice", name: "practice", forms: "../forms" },
        name: "people",
        source: asFound(path.join(root, "people.csv")),
        service: "practice",
        form: "people1",
      })
      expect(open).toContain("source.empty")
      const file = path.join(root, "pipelines", "people.yaml")
      const text = yield* fs.readFileString(file)
      expect(text).toContain('  # empty: [k. A.] # left open: remove the # if these mean "no answer": 2 ×\n')
      yield* fs.writeFileString(
        file,
        text.slice(0, text.indexOf("mapping:")) + "mapping:\n  questions:\n    - { id: c, name: Color, from: Color }\n"
          + text.slice(text.indexOf("sink:")),
      )
      const { pipelines: [checked] } = yield* checkProject(root, [])
      expect(checked?.diagnostics.map(({ suggestion }) => suggestion)).toContainEqual(
        expect.stringContaining('If "k. A." means no answer everywhere, write `empty: [k. A.]` under `source`.'),
      )
    }))

  it.scoped("names the other columns that identify a row", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const root = yield* projectFolder({
        "people.csv": "No,Name,Mail\n1,Ada,a@example.org\n2,Bob,b@example.org\n",
        "forms/people.yaml": "id: people1\nname: People\nquestions: [{ id: n, name: Name, type: ShortAnswer }]\n",
      })
      yield* initialise({
        root,
        newService: { _tag: "Practice", name: "practice", forms: "../forms" },
        name: "people",
        source: asFound(path.join(root, "people.csv")),
        service: "practice",
        form: "people1",
      })
      expect(yield* fs.readFileString(path.join(root, "pipelines", "people.yaml"))).toContain(
        "; so are Name, Mail\n",
      )
    }))

  it.scoped("writes a `where` that skips a row of totals", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const root = yield* projectFolder({
        "sales.csv": "No,Name,Amount\n1,Ada,6\n2,Bob,7\n3,Eve,8\nTotal,,21\n",
        "forms/sales.yaml":
          "id: sales1\nname: Sales\nquestions: [{ id: n, name: Name, type: ShortAnswer }, { id: a, name: Amount, type: NumberInput }]\n",
      })
      const { warnings } = yield* initialise({
        root,
        newService: { _tag: "Practice", name: "practice", forms: "../forms" },
        name: "sales",
        source: asFound(path.join(root, "sales.csv")),
        service: "practice",
        form: "sales1",
      })
      expect(warnings).toEqual([
        'Row 4 ("Total") looks like totals, not like a record. `where` skips it, and reports count it as skipped on purpose.',
      ])
      expect(yield* fs.readFileString(path.join(root, "pipelines", "sales.yaml"))).toContain(
        "  where: { No: { not: Total } } #",
      )
      const { pipelines: [checked] } = yield* checkProject(root, [])
      expect(checked?.data).toMatchObject({ rows: 4, filtered: 1, invalid: 0 })
    }))

  it.scoped("writes a `where` that names a text once which several rows of totals have", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const root = yield* projectFolder({
        "sales.csv": "No,Name,Amount\n1,Ada,6\n2,Bob,7\n3,Eve,8\nTotal,,21\nTotal,,42\n",
        "forms/sales.yaml":
          "id: sales1\nname: Sales\nquestions: [{ id: n, name: Name, type: ShortAnswer }, { id: a, name: Amount, type: NumberInput }]\n",
      })
      yield* initialise({
        root,
        newService: { _tag: "Practice", name: "practice", forms: "../forms" },
        name: "sales",
        source: asFound(path.join(root, "sales.csv")),
        service: "practice",
        form: "sales1",
      })
      expect(yield* fs.readFileString(path.join(root, "pipelines", "sales.yaml"))).toContain(
        "  where: { No: { not: Total } } #",
      )
    }))
})
