// A pipeline that was written for an export is switched to a pull of the same form.
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { type FakeRecord, records, startTools, token } from "../source/pull/fakeTools.ts"
import type { FakePreset } from "../source/pull/presets/FakePreset.ts"
import { surveymonkey } from "../source/pull/presets/surveymonkey.ts"
import { typeform } from "../source/pull/presets/typeform.ts"
import { bench } from "./contacts.ts"

interface Exported {
  readonly preset: FakePreset
  readonly header: ReadonlyArray<string>
  readonly row: (record: FakeRecord) => string
}

const tools: ReadonlyArray<Exported> = [
  {
    preset: surveymonkey,
    header: [
      "Respondent ID,Collector ID,Start Date,End Date,IP Address,Your name?,What do you drink?,,",
      ",,,,,Open-Ended Response,Tea,Coffee,Other (please specify)",
    ],
    row: ({ id, name }) => `${10_900_000_000 + id},400000001,1/1/26 0:01,1/1/26 0:01,192.0.2.1,${name},,Coffee,Juice`,
  },
  {
    preset: typeform,
    header: [
      "#,What is your *name*?,Tea,Coffee,Other,source,Response Type,Start Date (UTC),Stage Date (UTC),Submit Date (UTC),Network ID,Tags",
    ],
    row: ({ id, name }) => `t${id},${name},,Coffee,,web,completed,2026-01-01 00:00:00,,2026-01-01 00:00:00,0a1b,`,
  },
]

describe.each(tools.map((tool) => [tool.preset.api, tool] as const))("a pipeline for an export of %s", (_, tool) => {
  const { preset: { answer, api, column, signIn, source } } = tool
  it.scopedLive("fits the pull of the same form, so that no row is sent twice", () =>
    Effect.gen(function*() {
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => startTools(answer)),
        (tools) => Effect.sync(tools.stop),
      )
      const at = yield* bench()
      const pipeline = (source: string) =>
        at.write(
          "pipelines/contacts.yaml",
          `pipeline: contacts
source:
  ${source}
mapping:
  questions: [{ name: Name, from: ${JSON.stringify(column)}, required: true }]
  ignoreQuestions: [E-mail, Born]
sink: { service: live, form: contacts }
`,
        )
      at.write("export.csv", [...tool.header, ...records(1, 60).map(tool.row), ""].join("\n"))
      pipeline("file: ../export.csv")
      yield* at.exits(0, "run", "contacts")
      expect(at.count()).toBe(60)

      server.store = records(1, 65)
      at.write(
        "config/formferry.yaml",
        `${at.read("config/formferry.yaml")}
connections:
  tool: { api: ${api}, base: "${server.base}", ${signIn}, requestsPerSecond: 100 }
`,
      )
      at.write(".env", `TOOL_TOKEN=${token}\n`)
      pipeline(`connection: tool\n  ${source}`)
      yield* at.exits(0, "run", "contacts")
      expect(at.report().rows).toMatchObject({ read: 65, alreadyImported: 60, imported: 5, changed: 0 })
      expect(at.report().vanished?.count ?? 0).toBe(0)
      expect(at.answers("qName")).toEqual(records(1, 65).map(({ name }) => name).toSorted())
    }))
})
