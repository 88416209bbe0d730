import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { version } from "../../src/project/version.ts"
import { isLong } from "../long.ts"
import { bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { inProcess, onOneLine, start, until } from "./formferry.ts"

it.scopedLive("preview of a row beyond the source's end fails and says how many rows there are", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(3)))
    const preview = yield* at.inProcess("preview", "contacts", "--row", "4")
    expect([preview.status, preview.stdout]).toEqual([2, ""])
    expect(preview.stderr).toContain("The source has 3 rows: there is no row 4.")
  }))

it.scopedLive("status, report, form, check, preview and schema report the same facts to people and programs", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write(
      "source.csv",
      csv([1, 2, 3], (key) => `Person ${key},${key === 2 ? "nonsense" : "a@example.org"},1990-01-17`),
    )
    const before = yield* at.exits(0, "status")
    expect(before.stdout).toContain("Nothing has been imported yet")
    expect(existsSync(join(at.folder, ".formferry"))).toBe(false)
    yield* at.exits(2, "report", "contacts")

    const preview = yield* at.exits(0, "preview", "contacts", "--row", "2")
    expect(preview.stdout).toMatch(/Born\s+│ 1990-01-17\s+│ 1990-01-17/)
    expect(preview.stdout).toContain("nonsense")
    const rows = JSON.parse((yield* at.inProcess("preview", "contacts", "--rows", "2", "--json")).stdout).rows
    expect(rows).toMatchObject([
      {
        row: 1,
        key: "1",
        valid: true,
        answers: [{ name: "Name", value: "Person 1" }, { value: "a@example.org" }, { value: "1990-01-17" }],
      },
      {
        row: 2,
        key: "2",
        valid: false,
        answers: [{ value: "Person 2" }, { problems: [{ code: "not-an-email" }] }, { value: "1990-01-17" }],
      },
    ])
    expect(at.count()).toBe(0)

    const check = yield* at.exits(0, "check", "--json")
    expect(JSON.parse(check.stdout)).toMatchObject({
      exitCode: 0,
      diagnostics: [],
      pipelines: [{
        pipeline: "contacts",
        problems: [],
        fits: { columns: 4, answers: 3, form: { id: "contacts", questions: 3 } },
      }],
    })

    const run = yield* at.inProcess("run", "contacts", "--json")
    const events: ReadonlyArray<Record<string, unknown>> = run.stdout.trimEnd().split("\n").map((line) =>
      JSON.parse(line)
    )
    const { runs } = at
    expect(events.at(-1)).toMatchObject({
      event: "report",
      pipeline: "contacts",
      exitCode: 1,
      rows: { imported: 2, invalid: 1 },
    })
    expect(events.slice(0, -1).every(({ event }) => event === "progress" || event === "warnings")).toBe(true)

    const status = yield* at.inProcess("status", "--verify")
    expect(status.stdout).toContain("contacts")
    expect(status.stdout).toContain("The ledger is sound.")
    expect(JSON.parse((yield* at.inProcess("status", "contacts", "--json")).stdout)).toMatchObject({
      ledger: { exists: true },
      pipelines: [{
        pipeline: "contacts",
        standing: { imported: 2, verdicts: { verified: 2 } },
        lastRun: { exitCode: 1 },
      }],
      untouched: [],
      damage: null,
    })

    const report = yield* at.exits(0, "report", "contacts")
    expect(report.stdout).toContain("report.html")
    const [id = ""] = runs()
    expect(JSON.parse((yield* at.inProcess("report", "contacts", "--run", id, "--json")).stdout).run).toBe(id)
    yield* at.exits(2, "report", "contacts", "--run", "nonsense")

    const form = yield* at.inProcess("form", "live", "contacts")
    expect(form.stdout).toMatch(/Born\s+│ qBorn\s+│ DatePicker/)
    expect(JSON.parse((yield* at.inProcess("form", "live", "contacts", "--json")).stdout).questions).toHaveLength(3)

    expect(JSON.parse((yield* at.inProcess("schema")).stdout)).toHaveProperty("$schema")
    expect((yield* at.inProcess("schema", "project")).stdout).toContain("baseUrl")

    yield* at.exits(0, "reconcile", "contacts")
    expect(at.report()).toMatchObject({ mode: "reconcile", readBack: { verified: 2 } })

    rmSync(join(at.folder, ".formferry"), { recursive: true })
    const gone = yield* at.exits(2, "status", "--verify")
    expect(gone.stdout.replaceAll("\n", " ")).toMatch(
      /ledger \S+ is missing or empty, but an earlier run wrote to it.*accept contacts ledger --because/,
    )
    expect(gone.stdout).not.toMatch(/Nothing has been imported yet|sound/)
    expect(gone.lastLine).not.toMatch(/^formferry /)
  }))

it.scopedLive("a project is found from any folder inside it, and with --project before or after the command", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(3)))
    at.write("elsewhere/other.csv", csv([4, 5]))
    const ran = yield* inProcess(["run", "contacts", "--source", "other.csv"], { cwd: join(at.folder, "elsewhere") })
    expect(ran.status, ran.stderr).toBe(0)
    expect(at.answers("qName")).toEqual(["Person 4", "Person 5"])
    for (const args of [["--project", at.folder, "status", "--json"], ["status", `--project=${at.folder}`, "--json"]]) {
      const outside = yield* inProcess(args, { cwd: "/" })
      expect(JSON.parse(outside.stdout).pipelines[0].standing.imported).toBe(2)
    }
    const failed = yield* inProcess(["run", "nobody", "--project", at.folder], { cwd: "/" })
    expect(failed.lastLine).toBe(`formferry status --project ${at.folder}`)
  }))

it.scopedLive("the practice service serves a folder of forms until the first Ctrl-C, and exits with code 0", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("forms/one.yaml", "id: one\nname: One\nquestions:\n  - { id: q1, name: Name, type: ShortAnswer }\n")
    at.write("nowhere/note.txt", "no project here")
    const practice = start(["practice", "--forms", "../forms", "--json"], { cwd: join(at.folder, "nowhere") })
    yield* until(() => practice.stdout().includes("\n"))
    const { baseUrl, apiKey, forms } = JSON.parse(practice.stdout()) as {
      readonly baseUrl: string
      readonly apiKey: string
      readonly forms: unknown
    }
    expect(forms).toEqual([{ id: "one", name: "One" }])

    at.write(
      "second/config/formferry.yaml",
      `services: { live: { baseUrl: "${baseUrl}", apiKey: { env: FORM_SERVICE_API_KEY }, requestsPerSecond: 1000, confirm: false } }\n`,
    )
    at.write("second/source.csv", csv(upTo(12)))
    at.write(
      "second/pipelines/names.yaml",
      "pipeline: names\nsource: { file: ../source.csv, rowKey: [No] }\n"
        + "mapping: { questions: [{ name: Name, from: Name }], unmapped: ignore }\nsink: { service: live, form: one }\n",
    )
    const run = start(["run", "names"], { cwd: join(at.folder, "second"), env: { FORM_SERVICE_API_KEY: apiKey } })
    const ran = yield* Effect.promise(() => run.ended)
    expect(ran.status, ran.stderr).toBe(0)
    expect(ran.stdout + ran.stderr).not.toContain(apiKey)

    const without = yield* inProcess(["practice"], { cwd: join(at.folder, "nowhere", "..", "..") })
    expect(without.status).toBe(2)
    expect(without.lastLine).toBe("formferry practice --forms DIR")
    practice.signal("SIGINT")
    expect((yield* Effect.promise(() => practice.ended)).status).toBe(0)
  }))

it.scopedLive("only the owner can access reports and ledger, and no file contains the key", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(3)))
    const ran = yield* at.run("run", "contacts", "--log-level", "all")
    expect(ran.status, ran.stderr).toBe(0)
    const { folder } = at.report()
    expect(statSync(folder).mode & 0o077).toBe(0)
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077, name).toBe(0)
    for (const name of readdirSync(join(at.folder, ".formferry"))) {
      expect(statSync(join(at.folder, ".formferry", name)).mode & 0o077, name).toBe(0)
    }
  }))

it.scopedLive("--help and --version work both alone and with a command", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    expect((yield* at.run("--version")).stdout).toBe(`${version}\n`)
    const help = yield* at.run("--help")
    expect(help.status).toBe(0)
    for (
      const command of [
        "demo",
        "check",
        "preview",
        "run",
        "reconcile",
        "accept",
        "acknowledge",
        "status",
        "report",
        "form",
        "practice",
        "schema",
      ]
    ) {
      expect(help.stdout).toContain(`  ${command} `)
    }
    const run = yield* at.inProcess("run", "--help")
    for (
      const option of [
        "--to",
        "--source",
        "--dry-run",
        "--limit",
        "--retry-refused",
        "--confirm",
        "--json",
        "--project",
      ]
    ) {
      expect(run.stdout).toContain(option)
    }
    expect(help.stdout + run.stdout).not.toContain("\u001B")
  }))

it.scopedLive.runIf(isLong)(
  "the demonstration imports its pipelines, sends nothing the second time, reconciles, and shows where the reports are",
  () =>
    Effect.gen(function*() {
      const at = yield* bench()
      at.write("somewhere/mine.txt", "mine")
      const cwd = join(at.folder, "somewhere")
      const demo = start(["demo"], { cwd, env: { TMPDIR: at.folder } })
      const ran = yield* Effect.promise(() => demo.ended)
      expect(ran.status, ran.stdout + ran.stderr).toBe(0)
      expect(readdirSync(cwd)).toEqual(["mine.txt"])
      const reports = [...ran.stdout.matchAll(/^ {2}(\/.*report\.html)$/gm)].map(([, file = ""]) => file)
      expect(reports.length).toBe(6)
      for (const file of reports) expect(existsSync(file), file).toBe(true)
      expect(ran.stdout).toMatch(/contacts: \d+ rows read, \d+ already imported, 0 sent/)
    }),
  60_000,
)

it.scopedLive("`alongside` lets a second pipeline import into the same form, but not the same rows, and status shows both pipelines", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(3)))
    yield* at.exits(0, "run", "contacts")
    at.write(
      "pipelines/copy.yaml",
      pipelineYaml({ name: "copy", sink: "service: live\n  form: contacts\n  alongside: [contacts]" }),
    )
    at.write("source.csv", csv([2, 3, 4]))
    const reason = "2 rows have the same key and cells as rows that contacts imported into this form, such as row 1."
    for (const command of ["check", "run"]) {
      const refused = yield* at.inProcess(command, "copy")
      expect([refused.status, onOneLine(refused.stdout)]).toEqual([2, expect.stringContaining(reason)])
    }
    expect(at.count()).toBe(3)
    yield* at.exits(0, "accept", "copy", "row-key", "--because", "other people")
    // Rows stay accepted if a run sends only some of them.
    yield* at.exits(0, "run", "copy", "--limit", "1")
    expect(at.count()).toBe(4)
    yield* at.exits(0, "run", "copy")
    expect(at.count()).toBe(6)
    at.write("source.csv", csv(upTo(4)))
    const another = yield* at.inProcess("run", "copy")
    expect([another.status, onOneLine(another.stdout)]).toEqual([
      2,
      expect.stringContaining("A row has the same key and cells as a row that contacts imported into this form"),
    ])
    const back = yield* at.inProcess("run", "contacts")
    expect([back.status, onOneLine(back.stdout)]).toEqual([
      2,
      expect.stringContaining("A row has the same key and cells as a row that copy imported into this form"),
    ])
    expect(JSON.parse((yield* at.inProcess("status", "--json")).stdout).pipelines).toHaveLength(2)
  }))

it.scopedLive("two pipelines that run at the same time never send the same row twice", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(60)))
    const names = ["contacts", "copy"]
    for (const name of names) {
      const [other] = names.filter((one) => one !== name)
      at.write(
        `pipelines/${name}.yaml`,
        pipelineYaml({ name, sink: `service: live\n  form: contacts\n  alongside: [${other}]` }),
      )
    }
    const ran = yield* Effect.forEach(names, (name) => at.inProcess("run", name), { concurrency: "unbounded" })
    expect(at.count()).toBe(60)
    expect(ran.map(({ status }) => status === 0).toSorted()).toEqual([false, true])
    const again = yield* Effect.forEach(names, (name) => at.inProcess("run", name))
    expect(again.map(({ status }) => status).toSorted()).toEqual([0, 2])
    for (const { status, stdout } of [...ran, ...again]) {
      if (status === 0) continue
      const report = onOneLine(stdout)
      expect(report).toContain("the same key and cells as ")
      expect(report).toContain("If they are the same rows, take them out of the source")
    }
    expect(at.count()).toBe(60)
  }))
