import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { checkProject } from "../../src/jobs/check.ts"
import { platform, projectFolder } from "../project/projectFolder.ts"

const files = (phones: ReadonlyArray<string>) => ({
  "config/formferry.yaml": "services: { practice: { practice: { forms: ../forms } } }\n",
  "forms/f.yaml":
    "id: f\nname: F\nquestions: [{ id: q1, name: Called at, type: DateTimePicker }, { id: q2, name: Phone, type: PhoneNumber }]\n",
  "pipelines/p.yaml":
    "pipeline: p\nsource: { file: ../rows.csv, rowKey: [No] }\nmapping:\n  questions:\n    - { name: Called at, from: At }\n    - { name: Phone, from: Phone }\nsink: { service: practice, form: f }\n",
  "rows.csv": `No,At,Phone\n${phones.map((phone, at) => `${at},2024-05-31 10:00,${phone}\n`).join("")}`,
})

const errors = (phones: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const { pipelines: [one] } = yield* checkProject(yield* projectFolder(files(phones)), [], {})
    return one?.diagnostics.filter(({ severity }) => severity === "error").map(({ line, message, suggestion }) =>
      `${line}: ${message} ${suggestion}`
    )
  })

layer(platform)("check of cells that need a setting", (it) => {
  it.scoped("asks for a missing zone or country at the entry that needs it", () =>
    Effect.gen(function*() {
      expect(yield* errors(["030 1234567", "030 7654321"])).toEqual([
        `5: Cells in the column "At" have no time zone: 2 of 2 rows: rows 1 ("2024-05-31 10:00"), 2 ("2024-05-31 10:00"). Set \`zone\` in this entry, such as \`zone: Europe/Berlin\`.`,
        `6: Cells in the column "Phone" have no country code: 2 of 2 rows: rows 1 ("030 1234567"), 2 ("030 7654321"). Set \`country\` in this entry, such as \`country: DE\`.`,
      ])
    }))

  it.scoped("doesn't ask for a country if a cell is not a phone number, or if a number without country code is rare", () =>
    Effect.gen(function*() {
      expect((yield* errors(["+49 30 1234567", "call me"]))?.join()).not.toMatch(/country/)
      const rare = [...Array.from({ length: 199 }, () => "+49 30 1234567"), "030 7654321"]
      expect((yield* errors(rare))?.join()).not.toMatch(/country/)
    }))
})
