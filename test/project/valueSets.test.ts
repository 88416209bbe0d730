import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { loadProject } from "../../src/project/loadProject.ts"
import { pipelineYaml, platform, projectFolder, projectYaml } from "./projectFolder.ts"

const sets = `valueSets:
  agree: { Agree: "5", Neutral: 3, No idea: null, yes: 1.50 }
  countries: { file: ../lists/countries.csv, key: name, value: code }
`
const pipeline = pipelineYaml("contacts").replace(
  "      from: Name\n",
  `      from: Name
      as: choice
      values: { set: countries }
    - name: Opinion
      from: { A: Name, B: { from: Name } }
      as: matrix
      values: { set: agree }
    - name: Own
      from: Name
      as: choice
      values: { set: agree, other: x }
`,
).replace("mapping:\n", "mapping:\n  defaults: { choices: { values: { set: agree } } }\n")
const csv = '\uFEFFcode;name;more\nDE;Germany;x\n;Atlantis;\nGB;" United Kingdom ";y\nDE;Germany;again\n;;\n'

const load = (files: Readonly<Record<string, string | Uint8Array>>) =>
  Effect.flatMap(
    projectFolder({ "config/formferry.yaml": projectYaml + sets, "pipelines/contacts.yaml": pipeline, ...files }),
    (root) => loadProject(root),
  )

describe("value sets of a project", () => {
  it.scoped("pipelines can name value sets of the project file, which may be read from CSV files", () =>
    Effect.gen(function*() {
      const project = yield* load({ "lists/countries.csv": csv })
      const mapping = project.pipelines.get("contacts")?.mapping
      const agree = { Agree: "5", Neutral: "3", "No idea": null, yes: "1.50" }
      expect(mapping?.questions.map(({ options }) => options["values"])).toEqual([
        { Germany: "DE", Atlantis: null, "United Kingdom": "GB" },
        agree,
        // With keys other than `set`, the object contains the values themselves.
        { set: "agree", other: "x" },
      ])
      expect(mapping?.defaults["choices"]).toEqual({ values: agree })
    }).pipe(Effect.provide(platform)))

  const wrong = (files: Readonly<Record<string, string | Uint8Array>>) =>
    Effect.map(Effect.flip(load(files)), (error) =>
      "diagnostics" in error
        ? error.diagnostics.map((
          { file, line, column, message, suggestion },
        ) => [file, line, column, message, suggestion])
        : [error])

  it.scoped("a missing value set is reported at the place that names it", () =>
    Effect.gen(function*() {
      const found = yield* wrong({
        "lists/countries.csv": csv,
        "pipelines/contacts.yaml": pipeline.replace("set: countries", "set: contries"),
      })
      expect(found).toEqual([[
        "pipelines/contacts.yaml",
        11,
        22,
        "config/formferry.yaml has no value set `contries`.",
        "Did you mean `countries`?",
      ]])
    }).pipe(Effect.provide(platform)))

  it.scoped("a value set with an invalid file is reported in the project file", () =>
    Effect.gen(function*() {
      const file = "config/formferry.yaml"
      expect(yield* wrong({})).toEqual([[file, 9, 22, expect.stringContaining("can't be read"), expect.any(String)]])
      expect(yield* wrong({ "lists/countries.csv": "code,title\n" })).toEqual([
        [file, 9, 51, "../lists/countries.csv has no column `name`.", "Its columns are: `code` and `title`."],
      ])
      expect(yield* wrong({ "lists/countries.csv": "code,name\nDE,Germany\nAT,Germany\n" })).toEqual([
        [
          file,
          9,
          22,
          "../lists/countries.csv, record 2: `Germany` has a different meaning further up.",
          expect.any(String),
        ],
      ])
      expect(yield* wrong({ "lists/countries.csv": new Uint8Array([0x6e, 0xe4, 0x0a]) })).toEqual([
        [file, 9, 22, "../lists/countries.csv is not UTF-8.", "Save it as UTF-8."],
      ])
    }).pipe(Effect.provide(platform)))

  const damaged: ReadonlyArray<readonly [what: string, text: string, column: number, message: string]> = [
    [
      "a record without the option's cell",
      "code,name\nDE,Germany\nFR\n",
      22,
      "record 2 has 1 cell, but the header has 2.",
    ],
    [
      "a record with too many cells",
      "name,code\nKorea, Republic of,KR\n",
      22,
      "record 1 has 3 cells, but the header has 2.",
    ],
    [
      "a quotation mark that is never closed",
      'name,code\n"Korea,KR\nGermany,DE\n',
      22,
      "record 1: a quotation mark is missing",
    ],
    ["a column twice", "code,name,name\nDE,Germany,Deutschland\n", 51, "has several columns `name`."],
  ]
  it.scoped.each(damaged)("a file with %s is refused", ([, text, column, message]) =>
    Effect.gen(function*() {
      expect(yield* wrong({ "lists/countries.csv": text })).toEqual([
        ["config/formferry.yaml", 9, column, expect.stringContaining(message), expect.any(String)],
      ])
    }).pipe(Effect.provide(platform)))
})
