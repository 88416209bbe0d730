// Tests the command printed last on stderr, which must work if it is pasted into a shell.
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { chmodSync, linkSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Failure } from "../../src/cli/Failure.ts"
import type { JobRefused } from "../../src/jobs/JobRefused.ts"
import { isLong } from "../long.ts"
import { type Bench, bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { apiKey, inScript, onOneLine, type Ran, start, until } from "./formferry.ts"

/** Pastes a command into a shell in a folder other than the project's. */
const paste = (at: Bench, text: string) =>
  Effect.async<{ readonly status: number | null; readonly out: string }>((resume) => {
    at.write("bin/formferry", `#!/bin/sh\nexec ${inScript} "$@"\n`)
    at.write("bin/xdg-open", "#!/bin/sh\nexit 0\n")
    for (const name of ["formferry", "xdg-open"]) chmodSync(join(at.folder, "bin", name), 0o700)
    const child = spawn("sh", ["-c", text], {
      cwd: at.folder,
      env: { PATH: `${join(at.folder, "bin")}:/usr/bin:/bin`, HOME: at.folder, FORM_SERVICE_API_KEY: apiKey },
    })
    let out = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (part: string) => {
        out += part
      })
    }
    child.on("close", (status) => resume(Effect.succeed({ status, out })))
  })

/** Returns the last line of a command with this exit code, and expects it to occur only once. */
const next = (ran: Ran, status: number): string => {
  expect(ran.status, ran.stdout + ran.stderr).toBe(status)
  expect((ran.stdout + ran.stderr).split(ran.lastLine)).toHaveLength(2)
  return ran.lastLine
}

const careful = "service: careful\n  form: contacts"

it.scopedLive.runIf(isLong)(
  "the suggested command works in a path with spaces, for an unconfirmed run, rows to fix and changed rows",
  () =>
    Effect.gen(function*() {
      const at = yield* bench()
      const project = "our project"
      const write = (file: string, text: string) => at.write(`${project}/${file}`, text)
      write("config/formferry.yaml", at.read("config/formferry.yaml"))
      write("pipelines/contacts.yaml", pipelineYaml({ sink: careful }))
      write("source.csv", csv(upTo(2)) + "3,Person 3,no address,1990-01-17\n")
      const unconfirmed = next(yield* at.inProcess("run", "contacts", "--project", project), 2)
      expect(unconfirmed).toBe("formferry run contacts --project 'our project' --confirm careful")
      expect(at.count()).toBe(0)
      expect(yield* paste(at, unconfirmed)).toMatchObject({ status: 1 })
      expect(at.count()).toBe(2)

      const fix = next(yield* at.inProcess("run", "contacts", "--project", project, "--confirm=careful"), 1)
      expect(fix).toMatch(
        /^formferry run contacts --source '.+our project.+rejected\.csv' --confirm careful --project 'our project'$/,
      )
      const rejected = /--source '(.+?)'/.exec(fix)?.[1]?.replace(/^.*our project/, project) ?? ""
      at.edit(rejected, "no address", "p3@example.org")
      expect(yield* paste(at, fix)).toMatchObject({ status: 0 })
      expect(at.count()).toBe(3)

      write("source.csv", csv(upTo(3), (key) => `Edited ${key},p${key}@example.org,1990-01-17`))
      const again = ["run", "contacts", "--project", project, "--confirm", "careful"] as const
      const acknowledge = next(yield* at.inProcess(...again), 1)
      // Without a reason, nothing is acknowledged.
      expect(yield* paste(at, acknowledge)).toMatchObject({ status: 2 })
      expect(yield* paste(at, acknowledge.replace("TEXT", "known"))).toMatchObject({ status: 0 })
      yield* at.exits(0, ...again)
    }),
)

it.scopedLive("the suggested command or name is right if no row fits the mapping, or if a file or pipeline is unknown", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(3), () => "Someone,no address,1990-01-17"))
    const check = next(yield* at.inProcess("run", "contacts"), 1)
    expect(check).toBe("formferry check contacts")
    expect(yield* paste(at, check)).toMatchObject({ status: 0, out: expect.stringContaining("3 of 3 rows") })

    const missing = yield* at.exits(2, "run", "contacts", "--source", "sources.csv")
    expect(onOneLine(missing.stderr)).toMatch(/Did you mean `source\.csv`\? Correct its path\. $/)

    const unknown = yield* at.exits(2, "report", "contact")
    expect(unknown.stderr).toContain("There is no pipeline `contact`. Did you mean `contacts`?")
  }))

it.scopedLive("the suggested command works after a wrong mapping and an exceeded limit", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(2)))
    at.write("pipelines/contacts.yaml", pipelineYaml({ question: "Nmae" }))
    const wrong = next(yield* at.inProcess("run", "contacts"), 2)
    expect(yield* paste(at, wrong)).toMatchObject({ status: 2, out: expect.stringContaining("Nmae") })

    at.write(
      "pipelines/contacts.yaml",
      pipelineYaml({ sink: "service: live\n  form: contacts\n  stopWhen: { invalid: 1% }" }),
    )
    at.write("source.csv", csv(upTo(20)) + "21,Person 21,no address,1990-01-17\n")
    const limit = next(yield* at.inProcess("run", "contacts"), 3)
    expect(yield* paste(at, limit)).toMatchObject({ status: 0, out: expect.stringContaining("report.html") })
  }))

it.scopedLive.runIf(isLong)("the suggested command works after a concurrent run", () =>
  Effect.gen(function*() {
    const at = yield* bench({ requestsPerSecond: 2 })
    at.write("source.csv", csv(upTo(100)))
    const first = start(["run", "contacts"], { cwd: at.folder })
    yield* until(() => at.count() > 0)
    const busy = next(yield* at.run("run", "contacts"), 6)
    expect(yield* paste(at, busy)).toMatchObject({ status: 0, out: expect.stringContaining("in flight") })
    first.signal("SIGINT")
    yield* Effect.promise(() => first.ended)
  }))

it.scopedLive("the suggested command after rows in doubt shows how to settle them", () =>
  Effect.gen(function*() {
    const at = yield* bench({ faults: [{ fault: "reset", on: "create", when: "after", chance: 1, times: 1 }] })
    at.write("source.csv", csv(upTo(3)))
    const settle = next(yield* at.inProcess("run", "contacts"), 4)
    expect(settle).toBe("formferry settle contacts")
    const shown = yield* paste(at, settle)
    expect(shown).toMatchObject({ status: 4, out: expect.stringContaining("--results FILE") })
    expect(shown.out.trimEnd().split("\n").at(-1)).toBe("formferry settle contacts --results FILE")
    // No command helps if the export can't be read: the message names the file.
    const missing = yield* at.inProcess("settle", "contacts", "--results", "results.csv")
    expect([missing.status, missing.lastLine], missing.stderr).toEqual([2, expect.not.stringMatching(/^formferry /)])
  }))

it.scopedLive("the suggested command is never the one that failed, and a run of several pipelines suggests only one", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(2)))
    at.write("pipelines/contacts.yaml", pipelineYaml({ question: "Nmae" }))
    for (const command of [["check"], ["check", "contacts", "--strict"]]) {
      expect((yield* at.inProcess(...command)).stderr).not.toContain("formferry")
    }
    at.write("pipelines/other.yaml", pipelineYaml({ name: "other", sink: careful }))
    const both = yield* at.exits(2, "run", "contacts", "other")
    // Only one command may follow, because a person pastes the last line. It must name the pipeline that failed first.
    expect(both.stderr.trimEnd().split("\n").slice(-2)).toEqual([
      "Not complete: contacts (exit code 2) and other (exit code 2).",
      "formferry check contacts",
    ])
    expect(both.stderr.match(/^formferry /gm)).toHaveLength(1)
    at.write("pipelines/other.yaml", pipelineYaml({ name: "other", question: "Nmae" }))
    expect((yield* at.inProcess("run", "contacts", "other")).lastLine).toBe("formferry check contacts other")
  }))

const imported = (at: Bench) =>
  Effect.andThen(Effect.sync(() => at.write("source.csv", csv(upTo(3)))), at.inProcess("run", "contacts"))

/** What can be wrong with a ledger's files, and whether a person can accept it. Otherwise, only repairing a file helps. */
const faults: Readonly<Record<string, readonly [harm: (at: Bench) => void, isAcceptable: boolean]>> = {
  "a missing ledger": [(at) => rmSync(join(at.folder, ".formferry"), { recursive: true }), true],
  // A new file: this process may still hold a lock on the old one, until the garbage of earlier runs is collected.
  "an empty ledger": [
    (at) => {
      rmSync(join(at.folder, ".formferry/ledger.db"))
      at.write(".formferry/ledger.db", "")
    },
    true,
  ],
  "a missing secret": [(at) => rmSync(join(at.folder, ".formferry/ledger.db.key")), false],
  "a hard link": [(at) => linkSync(join(at.folder, ".formferry/ledger.db"), join(at.folder, "copy.db")), false],
  "a file where the folder of marks should be": [
    (at) => {
      rmSync(join(at.folder, "reports/.ledger"), { recursive: true })
      at.write("reports/.ledger", "")
    },
    false,
  ],
  "a damaged ledger": [(at) => at.write(".formferry/ledger.db", "no database".repeat(500)), false],
}

it.scopedLive.each(Object.entries(faults))(
  "a refused ledger never leads to a command that repeats the refusal or imports rows twice: %s",
  ([, [harm, isAcceptable]]) =>
    Effect.gen(function*() {
      const at = yield* bench()
      yield* imported(at)
      harm(at)
      for (const command of [["run", "contacts"], ["status", "contacts", "--verify"], ["status"]]) {
        const { lastLine, stderr, stdout } = yield* at.inProcess(...command)
        expect(lastLine, stdout + stderr).not.toMatch(/^formferry /)
      }
      if (!isAcceptable) return
      const accepted = yield* at.exits(0, "accept", "contacts", "ledger", "--because", "a trial")
      expect(onOneLine(accepted.stdout)).toContain(
        "the next run sends them, even if the form already has them",
      )
      yield* at.exits(0, "run", "contacts")
    }),
)

/** Splits a line into words as a shell does. Only single quotes occur in suggested commands. */
const shellWords = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/(?:'[^']*'|\\'|[^\s'\\])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|\\'/g, (_, quoted: string | undefined) => quoted ?? "'")
  )

/** Errors of a command that can't be what the suggestion meant: it does not exist, or names nothing in the project. */
const mistaken: ReadonlyArray<string | undefined> = [
  "UsageWrong",
  "PipelineUnknown",
  "ServiceUnknown",
  "NothingSelected",
  "ProjectNotFound",
] satisfies ReadonlyArray<Failure["_tag"] | JobRefused["code"]>

/** What leads to a refusal, and the refused command. */
type Refusal = readonly [before: (at: Bench) => void | Effect.Effect<unknown>, ...command: ReadonlyArray<string>]

const nothing = () => {}
const sink = (more: string) => (at: Bench) => {
  at.write("source.csv", csv(upTo(20)) + "21,Person 21,no address,1990-01-17\n")
  at.write("pipelines/contacts.yaml", pipelineYaml({ sink: more }))
}

const refusals: Readonly<Record<string, Refusal>> = {
  "an unknown pipeline": [nothing, "run", "contcats"],
  "a glob that matches nothing": [nothing, "run", "x*"],
  "an unknown service": [nothing, "form", "lvie", "contacts"],
  "a missing source": [nothing, "run", "contacts"],
  "quotes with two readings": [
    (at) => at.write("source.csv", csv(upTo(9)).replace("Person 4", '"P').replace("Person 6", 'P"')),
    "run",
    "contacts",
  ],
  "an unknown form": [sink("service: live\n  form: nowhere"), "run", "contacts"],
  "a missing confirmation": [sink("service: careful\n  form: contacts"), "run", "contacts"],
  "an exceeded limit": [sink("service: live\n  form: contacts\n  stopWhen: { invalid: 1% }"), "run", "contacts"],
  "a rejected row": [sink("service: live\n  form: contacts"), "run", "contacts"],
  "a wrong mapping": [
    (at) => at.write("pipelines/contacts.yaml", pipelineYaml({ question: "Nmae" })),
    "rehearse",
    "contacts",
  ],
  "a copy of a pipeline": [
    (at) => Effect.tap(imported(at), () => at.write("pipelines/copy.yaml", pipelineYaml({ name: "copy" }))),
    "run",
    "copy",
  ],
  "a reformatted key": [
    (at) => Effect.tap(imported(at), () => at.write("source.csv", csv(upTo(3)).replace("\n1,", "\n01,"))),
    "run",
    "contacts",
  ],
  "new keys without an agreement": [
    (at) => Effect.tap(imported(at), () => at.write("source.csv", csv(upTo(3)).replace("\n1,", "\n01,"))),
    "ledger",
    "rekey",
    "contacts",
  ],
  "a file of keys that names an unknown row": [
    (at) => Effect.tap(imported(at), () => at.write("keys.csv", "old,new\n9,09\n")),
    "ledger",
    "rekey",
    "contacts",
    "--map",
    "keys.csv",
    "--yes",
  ],
  "a changed row": [
    (at) => Effect.tap(imported(at), () => at.write("source.csv", csv(upTo(3), () => "P,p@example.org,1990-01-17"))),
    "run",
    "contacts",
  ],
  "a report before the first run": [nothing, "report", "contacts"],
  "a report of an unknown run": [imported, "report", "contacts", "--run", "nonsense"],
  "an unknown row to acknowledge": [imported, "acknowledge", "contacts", "--rows", "9", "--because", "seen"],
  "an unknown row to forget": [imported, "ledger", "forget", "contacts", "--rows", "9", "--because", "request 1"],
  "a state that is not refused": [imported, "accept", "contacts", "canary", "--because", "seen"],
  "a service that can't delete": [imported, "undo", "contacts", "--run", "nonsense"],
  "a ledger that does not exist": [nothing, "ledger", "compact"],
  "a project without a schedule": [nothing, "schedule", "--once"],
  "a practice service without forms": [nothing, "practice"],
}

for (const [what, [before, ...command]] of Object.entries(refusals)) {
  it.scopedLive.runIf(isLong)(
    `the last line after a refusal is another command, which exists: ${what}`,
    () =>
      Effect.gen(function*() {
        const at = yield* bench()
        const prepared = before(at)
        if (Effect.isEffect(prepared)) yield* prepared
        const refused = yield* at.inProcess(...command)
        expect(refused.status, refused.stdout).toBeGreaterThan(0)
        expect(refused.lastLine).toMatch(/^formferry /)
        const [, ...words] = shellWords(refused.lastLine).map((word) => (word === "TEXT" ? "seen" : word))
        expect(words).not.toEqual(command)
        const pasted = yield* at.inProcess(...words, "--log-format", "json")
        // A command line that can't be read is reported as text.
        const errors = pasted.stderr.split("\n").filter((line) => line !== "").map((line) =>
          line.startsWith("{")
            ? (JSON.parse(line) as { readonly annotations?: { readonly error?: string } }).annotations?.error
            : "UsageWrong"
        )
        // `rekey` shows the pairs, and asks a person to agree.
        const isAsking = words.includes("rekey") && pasted.lastLine.includes("--yes")
        for (const error of isAsking ? [] : errors) expect(mistaken, pasted.stderr).not.toContain(error)
        expect(pasted.status, pasted.stderr).not.toBe(70)
      }),
  )
}

it.scopedLive("a command in a folder that was removed meanwhile says so, and --project still works", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv([1]))
    const inRemoved = (args: string) => paste(at, `mkdir gone; cd gone; rmdir ../gone; formferry ${args}`)
    for (const args of ["status", "check --project x", "inspect x.csv", "init --source x.csv"]) {
      const { out, status } = yield* inRemoved(args)
      expect(status, out).toBe(2)
      expect(onOneLine(out)).toContain(
        "The current folder can't be read: it does not exist. Go to another one, or name files and the project (--project DIR) by absolute paths.",
      )
    }
    const named = yield* inRemoved(`run contacts --project ${at.folder}`)
    expect(named.status, named.out).toBe(0)
  }))
