import { NodeContext } from "@effect/platform-node"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parse, stringify } from "yaml"
import { isLong } from "../long.ts"
import { projectFolder } from "../project/projectFolder.ts"
import { formferry, inProcess } from "./formferry.ts"

const root = resolve(import.meta.dirname, "../..")

/** Returns the form of a pair as a file of the practice service. */
const formOf = (pair: string): string =>
  stringify(parse(readFileSync(join(root, "test/suggest/pairs", `${pair}.yaml`), "utf8")).form)

layer(NodeContext.layer)("init from a file and a form", (it) => {
  it.scoped.runIf(isLong)(
    "init writes a SurveyMonkey pipeline that check and run accept without an edit",
    () =>
      Effect.gen(function*() {
        const cwd = yield* projectFolder({ "forms/sw1.yaml": formOf("surveymonkey-star-wars") })
        copyFileSync(join(root, "samples/surveymonkey/538-StarWars.first200.csv"), join(cwd, "survey.csv"))
        const made = yield* formferry([
          "init",
          "starwars",
          "--source",
          "survey.csv",
          "--forms",
          "forms",
          "--form",
          "sw1",
        ], { cwd })
        expect([made.status, made.stderr]).toEqual([0, ""])
        expect(made.stdout).toContain("12 entries suggested")
        expect(made.stdout.trimEnd().split("\n").at(-1)).toBe("Next: formferry check starwars")

        const checked = yield* inProcess(["check", "starwars", "--json"], { cwd })
        expect(checked.status).toBe(0)
        expect(JSON.parse(checked.stdout).pipelines[0].data).toMatchObject({ rows: 200, invalid: 0, choices: [] })

        const ran = yield* formferry(["run", "starwars", "--json"], { cwd })
        expect(ran.status).toBe(0)
        const report = JSON.parse(ran.stdout.trimEnd().split("\n").at(-1) ?? "")
        expect([report.rows.imported, report.readBack.verified, report.balance.holds]).toEqual([200, 200, true])
      }),
    60_000,
  )

  it.scoped(
    "without a terminal, init names every missing option, and --output github writes its findings as annotations",
    () =>
      Effect.gen(function*() {
        const cwd = yield* projectFolder({
          "forms/f.yaml":
            "id: f1\nname: F\nquestions: [{ id: q1, name: Name, type: ShortAnswer }, { id: q2, name: Color, type: Dropdown, options: [Red] }]\n",
        })
        writeFileSync(
          join(cwd, "rows.csv"),
          `No,Name,Color\n${Array.from({ length: 150 }, (_, at) => `${at},Ada,Red\n`).join("")}200,Bob,Green\n`,
        )
        const nowhere = yield* inProcess(["init", "people"], { cwd })
        expect(nowhere.status).toBe(2)
        expect(nowhere.stderr).toMatch(/--base-url URL[^]*--forms DIR/)
        const little = yield* inProcess(["init", "people", "--forms", "forms"], { cwd })
        expect(little.status).toBe(2)
        expect(little.stderr).toMatch(/--source FILE[^]*--form ID/)
        expect(
          (yield* inProcess(["init", "people", "--forms", "forms", "--source", "rows.csv", "--form", "f1"], { cwd }))
            .status,
        ).toBe(0)

        const github = yield* inProcess(["check", "--output", "github"], { cwd })
        expect(github.status).toBe(0)
        expect(github.stdout).toMatch(
          /^::warning file=pipelines\/people\.yaml,line=\d+,col=\d+,title=formferry::1 choice in the column "Color"/,
        )
        expect((yield* inProcess(["check", "--strict"], { cwd })).status).toBe(2)
        expect((yield* inProcess(["check", "--offline"], { cwd })).status).toBe(0)
      }),
    60_000,
  )
})
