// Tests a form that is edited between runs. The ledger records the form as the last run found it.
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { cpSync, existsSync } from "node:fs"
import { join } from "node:path"
import { type Bench, bench } from "./contacts.ts"
import { onOneLine, type Ran } from "./formferry.ts"

const pipeline = (mail = "E-mail") =>
  `pipeline: people
source:
  file: ../people.csv
  rowKey: [No]
mapping:
  questions:
    - { name: Name, from: Name }
    - { name: ${mail}, from: Mail }
    - { name: Color, from: Color }
  ignoreQuestions: [Fax, Phone]
sink: { service: practice, form: people }
`

const form = `id: people
name: People
questions:
  - { id: q1, name: Name, type: ShortAnswer }
  - { id: q2, name: E-mail, type: EmailInput }
  - { id: q3, name: Color, type: Dropdown, options: [Red, Blue, Green] }
  - { id: q4, name: Fax, type: ShortAnswer }
`

const csv = (rows: number) =>
  ["No,Name,Mail,Color", ...Array.from({ length: rows }, (_, at) => `${at + 1},Person,p${at + 1}@example.org,Red`), ""]
    .join("\n")

/** A project that imported two rows in the first run, and has a new third row. */
const afterFirstNight = Effect.gen(function*() {
  const at = yield* bench()
  at.write("config/formferry.yaml", "services: { practice: { practice: { forms: ../forms } } }\n")
  at.write("pipelines/contacts.yaml", "")
  at.write("pipelines/people.yaml", pipeline())
  at.write("forms/people.yaml", form)
  at.write("people.csv", csv(2))
  expect((yield* at.inProcess("check", "people")).stdout).toContain("The form is not recorded yet")
  yield* at.exits(0, "run", "people")
  expect(existsSync(join(at.folder, "config/forms"))).toBe(false)
  at.write("people.csv", csv(3))
  return at
})

const said = (ran: Ran) => onOneLine(`${ran.stdout} ${ran.stderr}`)

const accept = ["accept", "people", "form", "--because", "looked at"] as const

const everyCommand = [["run"], ["run", "--dry-run"], ["rehearse"], ["check"], ["preview"]]

/** Runs a command of a pipeline. */
const command = (at: Bench, [name = "", ...more]: ReadonlyArray<string>, pipeline: string) =>
  at.inProcess(name, pipeline, ...more)

/** Expects every command to report the change, and to refuse to send rows. */
const isRefused = (at: Bench, message: string, commands = [["run"], ["check"]]) =>
  Effect.gen(function*() {
    for (const line of commands) {
      const ran = yield* command(at, line, "people")
      expect([line, ran.status], said(ran)).toEqual([line, line[0] === "preview" ? 0 : 2])
      expect(said(ran)).toContain(message)
      expect(said(ran)).toContain("formferry accept people form --because TEXT")
    }
    expect(at.runs("people")).toHaveLength(1)
  })

it.scopedLive("without a recorded file, a removed option stops a run until it is accepted", () =>
  Effect.gen(function*() {
    const at = yield* afterFirstNight
    const nothing = yield* at.inProcess(...accept)
    expect([nothing.status, said(nothing)]).toEqual([2, expect.stringContaining("nothing to accept")])
    const without = form.replace(", Blue", "")
    at.write("forms/people.yaml", without)
    const change = 'The options of the question "Color" (q3) changed: "Blue" was removed.'
    yield* isRefused(at, change, everyCommand)
    const refused = yield* at.inProcess("run", "people")
    expect([refused.status, said(refused)]).toEqual([2, expect.stringContaining(change)])
    const accepted = yield* at.inProcess(...accept)
    expect([accepted.status, said(accepted)]).toEqual([0, expect.stringContaining(change)])
    yield* at.exits(2, ...accept)
    expect(said(yield* at.inProcess("check", "people"))).not.toContain(change)
    yield* at.exits(0, "run", "people")
    expect(at.report("people").rows).toMatchObject({ imported: 1, alreadyImported: 2 })

    // An option that returns is new, so its second removal is refused again.
    at.write("forms/people.yaml", form)
    expect(said(yield* at.inProcess("run", "people"))).toContain('"Blue" is new')
    at.write("forms/people.yaml", without)
    yield* at.exits(2, "run", "people")
    yield* at.exits(0, ...accept)
    yield* at.exits(0, "run", "people")
  }))

it.scopedLive("a changed type and a renamed question stop a run, even with a corrected mapping", () =>
  Effect.gen(function*() {
    const at = yield* afterFirstNight
    at.write("forms/people.yaml", form.replace("name: Name, type: ShortAnswer", "name: Name, type: LongAnswer"))
    yield* isRefused(at, 'The question "Name" (q1) was of the type ShortAnswer and is LongAnswer now.')
    at.write("forms/people.yaml", form.replace("E-mail", "Work e-mail"))
    const change = 'The question "E-mail" (q2) is called "Work e-mail" now.'
    yield* isRefused(at, change)
    // Accepting the form can't hide a wrong mapping.
    yield* at.exits(2, ...accept)
    at.write("pipelines/people.yaml", pipeline("Work e-mail"))
    yield* isRefused(at, change)
    yield* at.exits(0, ...accept)
    yield* at.exits(0, "run", "people")
  }))

it.scopedLive("each target of a pipeline has its own recorded form, which is refused and accepted separately", () =>
  Effect.gen(function*() {
    const at = yield* afterFirstNight
    const trial = form.replace("id: people", "id: trial")
    at.write("forms/trial.yaml", trial)
    at.write(
      "pipelines/people.yaml",
      pipeline().replace(
        /sink: .*/,
        "sink: { targets: { real: { service: practice, form: people }, trial: { service: practice, form: trial } } }",
      ),
    )
    const run = (to: string) => at.inProcess("run", "people", "--to", to)
    // The first run to this target records its form. The other target keeps its own.
    at.write("forms/people.yaml", form.replace(", Blue", ""))
    expect([(yield* run("trial")).status, (yield* run("real")).status]).toEqual([0, 2])
    at.write("forms/trial.yaml", trial.replace(", Green", ""))
    for (const [to, option] of [["real", "Blue"], ["trial", "Green"]] as const) {
      const refused = yield* run(to)
      expect([refused.status, said(refused)]).toEqual([2, expect.stringContaining(`"${option}" was removed`)])
      expect(said(refused)).toContain(`formferry accept people form --to ${to} --because TEXT`)
    }
    yield* at.exits(0, ...accept, "--to", "trial")
    expect([(yield* run("trial")).status, (yield* run("real")).status]).toEqual([0, 2])
    yield* at.exits(0, ...accept, "--to", "real")
    expect((yield* run("real")).status).toBe(0)
  }))

it.scopedLive("changes that affect no answer are reported once and don't stop a run", () =>
  Effect.gen(function*() {
    const at = yield* afterFirstNight
    const added = form.replace("Green]", "Green, Black]").replace("name: Fax", "name: Telefax")
    at.write("forms/people.yaml", `${added}  - { id: q5, name: Phone, type: PhoneNumber }\n`)
    at.write("pipelines/people.yaml", pipeline().replace("Fax", "Telefax"))
    const changes = [
      'The question "Fax" (q4) is called "Telefax" now.',
      'The question "Phone" (q5) is new.',
      'The options of the question "Color" (q3) changed: "Black" is new.',
    ]
    // A check, a dry run and a rehearsal record nothing.
    for (const line of [["check"], ["run", "--dry-run"], ["rehearse"], ["preview"], ["run"]]) {
      const ran = yield* command(at, line, "people")
      expect([line, ran.status], said(ran)).toEqual([line, 0])
      for (const change of changes) expect(said(ran)).toContain(change)
    }
    expect(at.report("people").warnings).toEqual(expect.arrayContaining(changes))
    const next = yield* at.inProcess("run", "people")
    expect([next.status, said(next)]).toEqual([0, expect.not.stringContaining("Phone")])
  }))

it.scopedLive("a form recorded in a file takes precedence over the ledger's, and is accepted with a different command", () =>
  Effect.gen(function*() {
    const at = yield* afterFirstNight
    yield* at.exits(0, "check", "people", "--accept-form")
    yield* at.exits(0, "run", "people")
    at.write("forms/people.yaml", form.replace(", Blue", ""))
    const refused = yield* at.exits(2, "run", "people")
    expect(said(refused)).toContain("formferry check people --accept-form")
    const inLedger = yield* at.exits(2, ...accept)
    expect(said(inLedger)).toMatch(/people\.json records the form of people.*formferry check people --accept-form/)
    yield* at.exits(0, "check", "people", "--accept-form")
    yield* at.exits(0, "run", "people")
  }))

it.scopedLive("the recorded form stays with a renamed pipeline, and is used offline instead of the live form", () =>
  Effect.gen(function*() {
    const at = yield* afterFirstNight
    at.write("pipelines/people.yaml", pipeline().replace("pipeline: people", "pipeline: staff\nrenamedFrom: people"))
    at.write("forms/people.yaml", form.replace(", Blue", ""))
    const offline = yield* at.inProcess("check", "staff", "--offline")
    expect(offline.status, said(offline)).toBe(0)
    expect(said(offline)).not.toContain("form is not recorded yet")
    for (const line of [["check"], ["run", "--dry-run"], ["run"]]) {
      const ran = yield* command(at, line, "staff")
      expect([line, ran.status], said(ran)).toEqual([line, 2])
      expect(said(ran)).toContain("formferry accept staff form --because TEXT")
    }
    yield* at.exits(0, "accept", "staff", "form", "--because", "looked at")
    yield* at.exits(0, "run", "staff")
  }))

it.scopedLive("a run reports an outdated ledger first, and a changed form once the ledger is accepted", () =>
  Effect.gen(function*() {
    const at = yield* afterFirstNight
    const copy = join(at.folder, "copy")
    cpSync(join(at.folder, ".formferry"), copy, { recursive: true })
    yield* at.exits(0, "run", "people")
    cpSync(join(copy, "ledger.db"), join(at.folder, ".formferry/ledger.db"))
    at.write("forms/people.yaml", form.replace(", Blue", ""))
    const refused = yield* at.inProcess("run", "people")
    expect([refused.status, said(refused)]).toEqual([2, expect.stringContaining("accept people ledger --because TEXT")])
    yield* at.exits(0, "accept", "people", "ledger", "--because", "nothing is sent twice")
    // The copy contains the old form.
    expect(said(yield* at.inProcess("run", "people"))).toContain("formferry accept people form --because TEXT")
  }))
