import { FileSystem, Path } from "@effect/platform"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { checkProject } from "../../src/jobs/check.ts"
import { platform } from "../project/projectFolder.ts"
import { initialised } from "./initialised.ts"

/**
 * A survey with a title row, two columns that fit the question `Werkzeuge`, a column at a different place whose title
 * says nothing, and more choices than are listed.
 */
const survey = [
  "Umfrage vom 1. März",
  "No;Farben;Werkzeuge (früher);Werkzeuge (heute);Frage 5;Land",
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
      const { root, text, write } = yield* initialised(survey, form)
      expect(text).toContain("  headerRow: 2 # detected: lines above it are not read\n")
      // If several columns fit, the draft lists the choices of the best one.
      expect(text).toContain(`    #   as: choices
    #   split: ","
    #   # values: # these are not options: write one after each, or null for no answer, and remove the #
    #   #   # options: Hammer · Säge
    #   #   Beil: # 1 ×
`)
      // Not all choices are listed, so the line that counts the rest stays a comment.
      expect(text).toMatch(
        /\n {4}# {3}# {3}# and 10 more, which `formferry check` lists\n {4}# {3}# otherwise: # or choose what happens to all /,
      )

      const filled = text
        .replaceAll(/^( {4})# ((?:- id: | {2}).*)$/gm, "$1$2")
        .replaceAll(/^( {6})# (values:|otherwise:| {2})/gm, "$1$2")
        .replaceAll(/^( +(?:Beil|Land \d+):)/gm, "$1 null")
        .replace("otherwise:", "otherwise: drop")
      yield* write(filled)
      const { diagnostics, pipelines: [checked] } = yield* checkProject(root, [])
      expect(diagnostics).toEqual([])
      expect(checked?.diagnostics.map(({ message }) => message)).toEqual([
        "1 of 6 columns is not mapped: Werkzeuge (heute).",
      ])
      expect(checked?.data).toMatchObject({ rows: 60, invalid: 0, problems: [], choices: [] })
    }))

  it.scoped("writes the option that a choice names in a different spelling, and proposes one for a typo", () =>
    Effect.gen(function*() {
      const { root, text } = yield* initialised(
        "Respondent ID,Collector ID,Start Date,End Date,IP Address,School,Pets,,\n,,,,,Response,Cat,Dog,Other (please specify)\n"
          + "1,7,01/02/2024 10:00:00,01/02/2024 10:05:00,192.0.2.1,Tertairy School,Cat,,a newt\n"
          + "2,7,01/02/2024 11:00:00,01/02/2024 11:05:00,192.0.2.2,Primary school.,,Dog,\n",
        "id: schools1\nname: Schools\nquestions:\n  - { id: s, name: School, type: Dropdown, options: [Primary school, Tertiary school] }\n  - { id: p, name: Pets, type: Checkboxes, options: [Cat, Dog, Other] }\n",
      )
      expect(text).toMatch(/Tertairy School: Tertiary school # confidence 0\.\d\d · 1 ×\n/)
      expect(text).toContain("      other: { use: Other } # sent without the texts\n")
      const { pipelines: [checked] } = yield* checkProject(root, [])
      expect(checked?.data).toMatchObject({ rows: 2, invalid: 0, choices: [] })
    }))

  it.scoped("an open entry for a phone number is complete once the proposed country is added", () =>
    Effect.gen(function*() {
      const { root, text, write } = yield* initialised(
        "No,Name,Phone\n1,Ada,030 1234567\n2,Bob,030 1234568\n",
        "id: people1\nname: People\nquestions: [{ id: n, name: Name, type: ShortAnswer }, { id: p, name: Phone, type: PhoneNumber }]\n",
      )
      expect(text).toContain("Add their country, such as country: DE, then remove the #.")
      yield* write(
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
      const file = path.join(import.meta.dirname, "../../samples/form-tools/jotform.csv")
      const { text } = yield* initialised(
        yield* fs.readFileString(file),
        "id: f1\nname: F\nquestions: [{ id: n, name: First Name, type: ShortAnswer }]\n",
      )
      expect(text).toMatch(/# submissionTime:/)
      expect(text).not.toContain("dd-MMM-yy")
      expect(text).toMatch(/cells? can't be read like this/)
    }))

  it.scoped("a question whose type has no default kind is left open, and one without a name is called by its id", () =>
    Effect.gen(function*() {
      const { open, root, text, write } = yield* initialised(
        "No,Mood,Name\n1,happy,Ada\n2,sad,Bob\n",
        'id: people1\nname: People\nquestions: [{ id: m, name: Mood, type: MoodPicker }, { id: n, name: Name, type: ShortAnswer }, { id: x1, name: " ", type: DatePicker }]\n',
      )
      expect(open).toEqual(["Mood", "x1"])
      expect(text).toContain("left open: the question's type, MoodPicker, has no default kind. Set the kind with `as`,")
      const errors = Effect.map(
        checkProject(root, []),
        ({ pipelines: [checked] }) => checked?.diagnostics.filter(({ severity }) => severity === "error"),
      )
      expect(yield* errors).toEqual([])
      const entry = "    # - id: m\n    #   name: Mood\n    #   from: Mood\n"
      expect(text).toContain(entry)
      yield* write(text.replace(entry, `${entry.replaceAll("# ", "")}      as: text\n`))
      expect(yield* errors).toEqual([])
    }))

  it.scoped("numbers that would lose zeros are left open, and check warns of years that may be in the century before", () =>
    Effect.gen(function*() {
      const days = ["01.12.75", "02.11.48", "03.10.99"]
      const { open, root, text } = yield* initialised(
        `No,Born,Joined,Zip,Guests,Part\n${
          days.map((day, at) => `${at},${day},1${at}.06.2${at},0123${at},0${at},${["012", '"1,234"', 7][at]}\n`).join(
            "",
          )
        }`,
        "id: people1\nname: People\nquestions: [{ id: b, name: Born, type: DatePicker }, { id: j, name: Joined, type: DatePicker }, { id: z, name: Zip, type: NumberInput }, { id: g, name: Guests, type: NumberInput }, { id: p, name: Part, type: NumberInput }]\n",
      )
      expect(open).toEqual(["Zip", "Part"])
      expect(text).toContain(
        '# left open: a number such as "01230" would lose its zeros. Check the type of the question,',
      )
      expect(text).toContain('then remove the #. Also: every "," comes before three digits')
      const { pipelines: [checked] } = yield* checkProject(root, [])
      expect(checked?.diagnostics.map(({ message }) => message).join("\n")).toContain(
        '"Born": 1 date has a year of two digits',
      )
    }))

  it.scoped("percentages are left open, and complete once the proposed key is added", () =>
    Effect.gen(function*() {
      const { root, text, write } = yield* initialised(
        "No,Discount\n1,12%\n2,7.5 %\n",
        "id: f\nname: F\nquestions:\n  - { id: q, name: Discount, type: NumberInput }\n",
      )
      expect(text).toContain("12% may be sent as 12 (whole) or as 0.12 (fraction). Set percent, then remove the #.")
      expect(text).toContain("    #   percent: whole # or fraction\n")
      yield* write(text.replaceAll(/^( {4})# ((?:- id: | {2}).*)$/gm, "$1$2"))
      const { pipelines: [checked] } = yield* checkProject(root, [])
      expect(checked?.data).toMatchObject({ rows: 2, invalid: 0, problems: [] })
    }))

  it.scoped("texts that may mean no answer are left open, and check suggests to list them", () =>
    Effect.gen(function*() {
      const { open, root, text, write } = yield* initialised(
        "No,Name,Color\n1,Ada,Red\n2,Bob,k. A.\n3,Eve,Blue\n4,Zoe,k. A.\n",
        "id: people1\nname: People\nquestions: [{ id: n, name: Name, type: ShortAnswer }, { id: c, name: Color, type: Dropdown, options: [Red, Blue] }]\n",
      )
      expect(open).toContain("source.empty")
      expect(text).toContain('  # empty: [k. A.] # left open: remove the # if these mean "no answer": 2 ×\n')
      yield* write(
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
      const { text } = yield* initialised(
        "No,Name,Mail\n1,Ada,a@example.org\n2,Bob,b@example.org\n",
        "id: people1\nname: People\nquestions: [{ id: n, name: Name, type: ShortAnswer }]\n",
      )
      expect(text).toContain("; so are Name, Mail\n")
    }))

  it.scoped("writes a `where` that skips a row of totals", () =>
    Effect.gen(function*() {
      const { root, text, warnings } = yield* initialised(
        "No,Name,Amount\n1,Ada,6\n2,Bob,7\n3,Eve,8\nTotal,,21\n",
        "id: sales1\nname: Sales\nquestions: [{ id: n, name: Name, type: ShortAnswer }, { id: a, name: Amount, type: NumberInput }]\n",
      )
      expect(warnings).toEqual([
        'Row 4 ("Total") looks like totals, not like a record. `where` skips it, and reports count it as skipped on purpose.',
      ])
      expect(text).toContain("  where: { No: { not: Total } } #")
      const { pipelines: [checked] } = yield* checkProject(root, [])
      expect(checked?.data).toMatchObject({ rows: 4, filtered: 1, invalid: 0 })
    }))

  it.scoped("writes a `where` that names a text once which several rows of totals have", () =>
    Effect.gen(function*() {
      const { text } = yield* initialised(
        "No,Name,Amount\n1,Ada,6\n2,Bob,7\n3,Eve,8\nTotal,,21\nTotal,,42\n",
        "id: sales1\nname: Sales\nquestions: [{ id: n, name: Name, type: ShortAnswer }, { id: a, name: Amount, type: NumberInput }]\n",
      )
      expect(text).toContain("  where: { No: { not: Total } } #")
    }))
})
