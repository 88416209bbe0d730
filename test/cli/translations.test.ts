import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { CheckedPipeline } from "../../src/jobs/check.ts"
import type { Initialised } from "../../src/jobs/suggestMapping.ts"
import { onOneLine } from "../acceptance/formferry.ts"
import { projectFolder } from "../project/projectFolder.ts"
import { command } from "./inProcess.ts"

const form = `id: f1
name: People
questions:
  - { id: country, name: Country, type: Dropdown, options: [Australia, Germany, { value: at, label: Austria }, Chad] }
  - { id: q1, name: Service, type: MultipleChoice, options: [{ value: "a", label: Agree }, { value: "d", label: Disagree }] }
  - { id: q2, name: Price, type: MultipleChoice, options: [{ value: "a", label: Agree }, { value: "d", label: Disagree }] }
  - { id: member, name: Member, type: Switch }
`

const source = "Id,Land,S,P,M\n1,Chad,1,2,ja\n2,Oesterreich,2,1,nein\n"

const pipeline = (countries: string) =>
  `pipeline: people
source: { file: ../people.csv, rowKey: [Id] }
mapping:
  questions:
    - { id: country, from: Land, as: choice, values: { ${countries} } }
    - { id: q1, from: S, as: choice, values: { 1: a, 2: Disagree } }
    - { id: q2, from: P, as: choice, values: { 1: a, 2: Disagree } }
    - { id: member, from: M, as: boolean, "true": [ja], "false": [nein] }
sink: { service: practice, form: f1 }
`

const checked = (countries: string, ...words: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const root = yield* projectFolder({
      "people.csv": source,
      "forms/f1.yaml": form,
      "config/formferry.yaml": "services: { practice: { practice: { forms: ../forms } } }\n",
      "pipelines/people.yaml": pipeline(countries),
    })
    const { err, out, status } = yield* command(["check", "people", "--project", root, ...words])
    expect([status, err]).toEqual([0, ""])
    return out
  })

/** Returns the lines about translations. */
const listed = (out: string): ReadonlyArray<string> => {
  const lines = out.split("\n")
  const from = lines.findIndex((line) => line.includes("translated"))
  return lines.slice(from).filter((line, at) => at === 0 || line.startsWith("    "))
}

it.scoped("check lists translated cells: those that contradict an option first, those that differ in spelling last", () =>
  Effect.gen(function*() {
    const out = yield* checked(
      "germany.: Germany, DE: Germany, Oesterreich: Austria, Östereich: at, Austria: Australia, unknown: null, Chad: Chad",
    )
    expect(listed(out)).toEqual([
      "  These cells are translated. Check that each one means the same as its answer.",
      "    Land → Country: Austria → Australia · unknown → no answer · Oesterreich, Östereich → Austria ·",
      "    DE, germany. → Germany",
      "    M → Member: nein → false · ja → true",
      "    S → Service and 1 more question: 1 → Agree · 2 → Disagree",
    ])
  }).pipe(Effect.provide(NodeContext.layer)))

it.scoped("check cuts a long list of translated cells, and --json has all of them", () =>
  Effect.gen(function*() {
    const many = Array.from({ length: 30 }, (_, at) => `Land ${at}: Chad, Ort ${at}: Germany`).join(", ")
    const out = onOneLine(yield* checked(many))
    expect(out).toMatch(/To see all, run: formferry check people --json --project \S+ Land → Country: Land 0, Land 1,/)
    expect(out).toContain("Land 3 and 26 more → Chad · Ort 0, Ort 1, Ort 2, Ort 3 and 26 more → Germany")
    const { pipelines } = JSON.parse(yield* checked(many, "--json")) as {
      readonly pipelines: ReadonlyArray<CheckedPipeline>
    }
    const [{ translations } = { translations: [] }] = pipelines
    expect(translations.map(({ columns, name, values }) => [...columns, name, values.length])).toEqual([
      ["Land", "Country", 60],
      ["M", "Member", 2],
      ["S", "Service", 2],
      ["P", "Price", 2],
    ])
    expect(translations[0]?.values[1]).toEqual({ cell: "Ort 0", answer: "Germany" })
  }).pipe(Effect.provide(NodeContext.layer)))

it.scoped("init lists the translations that it wrote, before a row key is chosen", () =>
  Effect.gen(function*() {
    const root = yield* projectFolder({
      "answers.csv": "Country\nchad!\nchad!\nGermany\nchad!\n",
      "forms/f1.yaml": form,
    })
    const words = ["init", "people", "--source", `${root}/answers.csv`, "--forms", `${root}/forms`, "--form", "f1"]
    const { out } = yield* command([...words, "--project", root])
    expect(listed(out)).toContain("    Country → Country: chad! → Chad")
    const again = JSON.parse((yield* command(["init", "people", "--project", root, "--json"])).out) as Initialised
    expect(again.translations).toEqual([{
      question: "country",
      name: "Country",
      columns: ["Country"],
      values: [{ cell: "chad!", answer: "Chad" }],
    }])
  }).pipe(Effect.provide(NodeContext.layer)))
