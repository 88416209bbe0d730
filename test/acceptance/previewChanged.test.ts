import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { platform, projectFolder } from "../project/projectFolder.ts"
import { inProcess } from "./formferry.ts"

const files = {
  "config/formferry.yaml": "services: { practice: { practice: { forms: ../forms, store: ../store } } }\n",
  "forms/f.yaml":
    "id: f\nname: F\nquestions: [{ id: q1, name: Name, type: ShortAnswer }, { id: q2, name: City, type: ShortAnswer }, { id: q3, name: Size, type: NumberInput }]\n",
  "pipelines/p.yaml":
    "pipeline: p\nsource: { file: ../rows.csv, rowKey: [No] }\nmapping: { questions: [{ name: Name, from: Name }, { name: City, from: Town }, { name: Size, from: Size }] }\nsink: { service: practice, form: f }\n",
  "rows.csv": "No,Name,Town,Size\n1,Ada,London,38\n2,Bob,,40\n3,Cleo,Rome,41\n4,Dan,Oslo,42\n5,Eve,Bonn,43\n",
}

layer(platform)("preview of rows that were imported with different content", (it) => {
  it.scoped("shows the column that changed, the value in the form and the value now", () =>
    Effect.gen(function*() {
      const cwd = yield* projectFolder(files)
      const run = (...args: ReadonlyArray<string>) => inProcess(args, { cwd })
      const shown = () =>
        Effect.map(run("preview", "p", "--json"), ({ stdout }) =>
          (JSON.parse(stdout) as { readonly rows: ReadonlyArray<{ readonly change?: { readonly answers: unknown } }> })
            .rows.map(({ change }) =>
              change
            ))
      expect(yield* shown()).toEqual([undefined, undefined, undefined, undefined, undefined])
      expect((yield* run("run", "p")).status).toBe(0)
      expect(yield* shown()).toEqual([undefined, undefined, undefined, undefined, undefined])

      writeFileSync(
        join(cwd, "rows.csv"),
        "No,Name,Town,Size\n1,Ada,Paris,38\n2,Bob,Berlin,40\n3,Cleo,,41\n4,Dan,Oslo,42.0\n5,Eve,Bonn,many\n",
      )
      const [paris, berlin, none, spelling, invalid] = yield* shown()
      expect(paris?.answers).toEqual([{ name: "City", columns: ["Town"], inForm: "London", now: "Paris" }])
      expect(berlin?.answers).toEqual([{ name: "City", columns: ["Town"], inForm: null, now: "Berlin" }])
      expect(none?.answers).toEqual([{ name: "City", columns: ["Town"], inForm: "Rome", now: null }])
      expect(spelling).toMatchObject({ answers: [], note: expect.stringMatching(/^No answer differs/) })
      expect(invalid).toMatchObject({ answers: [], note: expect.stringMatching(/^The row is not valid/) })

      const screen = (yield* run("preview", "p", "--row", "1")).stdout.replaceAll(/\s+/g, " ")
      expect(screen).toMatch(/Row 1 key 1 changed/)
      expect(screen).toMatch(/Imported before as \S+, with different answers:/)
      expect(screen).toMatch(/City │ Town │ London │ Paris/)
    }))
})
