import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { quickly } from "../quickly.ts"
import { type Bench, bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { inProcess, onOneLine, type Ran } from "./formferry.ts"

/** Expects that a run doesn't start and sends nothing. Checks its exit code, its message and the next command. */
const refused = (at: Bench, ran: Ran, status: number, sentence: RegExp) => {
  expect(ran.status, ran.stdout + ran.stderr).toBe(status)
  expect(onOneLine(ran.stderr)).toMatch(sentence)
  expect(ran.lastLine).toMatch(/^formferry /)
  expect(ran.stderr).not.toMatch(/ at .*\.[jt]s:\d+/)
  expect(at.count("contacts") + at.count("other") + at.count("empty")).toBe(0)
}

const withSource = Effect.map(bench(), (at) => {
  at.write("source.csv", csv(upTo(3)))
  return at
})

it.scopedLive("a wrong or missing key is refused before anything is sent", () =>
  Effect.gen(function*() {
    const at = yield* withSource
    const wrong = { cwd: at.folder, env: { FORM_SERVICE_API_KEY: "fk_wrong_0123456789" } }
    const ran = yield* inProcess(["run", "contacts"], wrong)
    refused(at, ran, 5, /API key/i)
    expect(ran.stdout + ran.stderr).not.toContain("fk_wrong_0123456789")
    const none = { cwd: at.folder, env: { FORM_SERVICE_API_KEY: "" } }
    refused(at, yield* inProcess(["run", "contacts"], none), 2, /FORM_SERVICE_API_KEY is not set/)
    expect((yield* inProcess(["check"], wrong)).status).toBe(5)
  }))

it.scopedLive("an unknown form is refused", () =>
  Effect.gen(function*() {
    const at = yield* withSource
    at.write("pipelines/contacts.yaml", pipelineYaml({ sink: "service: live\n  form: nowhere" }))
    refused(at, yield* at.inProcess("run", "contacts"), 5, /form/)
  }))

it.scopedLive("an unknown question and a missing column are reported together, with their lines", () =>
  Effect.gen(function*() {
    const at = yield* withSource
    at.write("pipelines/contacts.yaml", pipelineYaml({ question: "Nmae", column: "Nane" }))
    const ran = yield* at.inProcess("run", "contacts")
    refused(at, ran, 2, /pipelines\/contacts\.yaml:7:\d+.*Nmae.*Name/)
    expect(ran.stderr).toContain("Nane")
    expect(ran.lastLine).toBe("formferry check contacts")
    yield* at.exits(2, "check")
  }))

it.scopedLive("an empty or missing file is refused, but a header without rows is not", () =>
  Effect.gen(function*() {
    const at = yield* withSource
    at.write("source.csv", "")
    refused(at, yield* at.inProcess("run", "contacts"), 2, /source\.csv is empty\. Name/)
    at.write("pipelines/contacts.yaml", pipelineYaml({ file: "../nowhere.csv" }))
    refused(at, yield* at.inProcess("run", "contacts"), 2, /nowhere\.csv/)
    at.write("source.csv", "No,Name,Mail,Born\n")
    at.write("pipelines/contacts.yaml", pipelineYaml())
    yield* at.exits(0, "run", "contacts")
    expect(at.report().rows.read).toBe(0)
  }))

it.scopedLive("a file that is only named like a workbook is refused", () =>
  Effect.gen(function*() {
    const at = yield* withSource
    at.write("source.xlsx", csv(upTo(3)))
    at.write("pipelines/contacts.yaml", pipelineYaml({ file: "../source.xlsx" }))
    refused(at, yield* at.inProcess("run", "contacts"), 2, /named like a workbook, but it is not one/)
    at.write("source.xlsx", Buffer.from("504b0304deadbeef", "hex"))
    refused(at, yield* at.inProcess("run", "contacts"), 2, /source\.xlsx/)
  }))

it.scopedLive("a form without questions is refused", () =>
  Effect.gen(function*() {
    const at = yield* withSource
    at.write("pipelines/contacts.yaml", pipelineYaml({ sink: "service: live\n  form: empty" }))
    refused(at, yield* at.inProcess("run", "contacts"), 2, /has no questions/)
  }))

it.scopedLive(
  "a run is refused if the service is unreachable, and the suggested check reports when the pipeline can run again",
  () =>
    Effect.gen(function*() {
      const at = yield* withSource
      const config = at.read("config/formferry.yaml")
      at.write("config/formferry.yaml", config.replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:9"))
      const away = yield* quickly(at.inProcess("run", "contacts"))
      refused(at, away, 5, /can't be reached/)
      expect(away.lastLine).toBe("formferry check contacts")
      expect((away.stdout + away.stderr).split(away.lastLine)).toHaveLength(2)
      at.write("config/formferry.yaml", config)
      const check = yield* at.inProcess(...away.lastLine.split(" ").slice(1))
      expect([check.status, check.stdout]).toEqual([0, expect.stringContaining("can run")])
    }),
  60_000,
)

it.scopedLive("a service that must be confirmed is refused without --confirm or with a wrong name, and accepted with the right name", () =>
  Effect.gen(function*() {
    const at = yield* withSource
    at.write("pipelines/contacts.yaml", pipelineYaml({ sink: "service: careful\n  form: contacts" }))
    const ran = yield* at.inProcess("run", "contacts")
    refused(at, ran, 2, /--confirm careful/)
    expect(ran.lastLine).toBe("formferry run contacts --confirm careful")
    refused(at, yield* at.inProcess("run", "contacts", "--confirm", "live"), 2, /--confirm careful/)
    yield* at.exits(0, "run", "contacts", "--dry-run")
    yield* at.exits(0, "run", "contacts", "--confirm", "careful")
    expect(at.count()).toBe(3)
  }))

it.scopedLive("--confirm with a service that the project lacks is refused, even if nothing needs a confirmation", () =>
  Effect.gen(function*() {
    const at = yield* withSource
    const message = /has no service `production`\. Its services are: `live` and `careful`/
    refused(at, yield* at.inProcess("run", "contacts", "--confirm", "production"), 2, message)
    refused(at, yield* at.inProcess("undo", "contacts", "--run", "any", "--confirm", "production"), 2, message)
    at.write("pipelines/contacts.yaml", `${pipelineYaml()}schedule: { cron: 0 2 * * *, zone: Europe/Berlin }\n`)
    refused(at, yield* at.inProcess("schedule", "--once", "--confirm", "live", "production"), 2, message)
  }))

it.scopedLive("a wrong command line, an unknown pipeline and a missing project are refused", () =>
  Effect.gen(function*() {
    const at = yield* withSource
    refused(at, yield* at.inProcess("chekc"), 2, /no command `chekc`. Did you mean `check`\?/)
    refused(
      at,
      yield* at.inProcess("run", "contacts", "--limt", "3"),
      2,
      /no option `--limt`. Did you mean `--limit`\?/,
    )
    refused(at, yield* at.inProcess("run", "contacts", "--limit", "-1"), 2, /`--limit` takes a whole number, 0 or more/)
    refused(at, yield* at.inProcess("run"), 2, /NAME is missing/)
    refused(at, yield* at.inProcess("run", "contcats"), 2, /no pipeline `contcats`. Did you mean `contacts`\?/)
    refused(at, yield* at.inProcess("form", "lvie", "contacts"), 2, /no service `lvie`. Did you mean `live`\?/)
    refused(at, yield* at.inProcess("status", "--project", "pipelines"), 2, /no config\/formferry\.yaml/)
    refused(at, yield* at.inProcess(), 2, /Which command\?/)
  }))

it.scopedLive("a broken pipeline does not stop other pipelines, and the most severe exit code is used", () =>
  Effect.gen(function*() {
    const at = yield* withSource
    at.write("pipelines/lost.yaml", pipelineYaml({ name: "lost", sink: "service: live\n  form: nowhere" }))
    const both = yield* at.exits(5, "run", "lost", "contacts")
    expect(both.lastLine).toBe("formferry check lost")
    expect(at.count()).toBe(3)
    const check = yield* at.exits(5, "check")
    expect(check.stdout).toContain("contacts can run")
    at.write("pipelines/broken.yaml", "pipeline: broken\nsource: {}\n")
    const more = yield* at.exits(2, "check")
    expect(more.stdout).toContain("contacts can run")
    expect(more.stdout).toContain("pipelines/broken.yaml")
    // A broken file stops nothing if its pipeline is not requested.
    yield* at.exits(0, "run", "contacts")
  }))
