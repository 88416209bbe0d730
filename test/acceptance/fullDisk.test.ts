import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { openLedger } from "../../src/ledger/openLedger.ts"
import { bench, csv, upTo } from "./contacts.ts"
import { apiKey, inScript, onOneLine } from "./formferry.ts"

/** Runs the built command with a limit on the size of each file that it writes. For SQLite, that is like a full disk. */
const withLimit = (blocks: number, args: string, cwd: string) =>
  Effect.promise(() =>
    new Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }>((done) => {
      const script = `trap "" XFSZ; ulimit -f ${blocks}; exec ${inScript} ${args}`
      const env = { PATH: process.env["PATH"], HOME: cwd, FORM_SERVICE_API_KEY: apiKey }
      const child = spawn("bash", ["-c", script], { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
      let stdout = ""
      let stderr = ""
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout += text
      })
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        stderr += text
      })
      child.on("close", (status) => done({ status, stdout, stderr }))
    })
  )

it.scopedLive("a new ledger that the disk has no room for is reported as such, and the next run sends every row", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(3)))
    const { status, stderr } = yield* withLimit(8, "run contacts", at.folder)
    expect(status).toBe(70)
    expect(onOneLine(stderr)).toContain("ledger.db failed while opening it: the disk may be full")
    expect((yield* at.run("run", "contacts")).status).toBe(0)
  }))

it.scopedLive("a project file that the disk has no room for is named with the reason, and no part of it stays", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("new/people.csv", "No,Name\n1,Ada\n")
    const init = "init people --project . --source people.csv --forms . --form contacts"
    const { status, stderr } = yield* withLimit(1, init, `${at.folder}/new`)
    expect(status).toBe(70)
    expect(onOneLine(stderr)).toContain(
      "can't be read or written: a file may not become that large here.",
    )
    expect(readdirSync(`${at.folder}/new/config/schemas`)).toEqual([])
  }))

it.scopedLive("`check` reports a form and an editor schema that the disk has no room for, with the file and the reason", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(3)))
    const { status, stdout } = yield* withLimit(0, "check contacts --accept-form", at.folder)
    expect(status).toBe(70)
    expect(onOneLine(stdout)).toContain(
      "contacts.json can't be read or written: a file may not become that large here.",
    )
    expect(readdirSync(`${at.folder}/config/forms`)).toEqual([])
    at.write("config/schemas/pipelines/contacts.json", "{}")
    const checked = yield* withLimit(0, "check contacts", at.folder)
    expect(checked.status).toBe(0)
    expect(onOneLine(checked.stdout)).toContain(
      "the schema for editors, is out of date and can't be written: a file may not become that large here.",
    )
  }))

it.scopedLive("a file of exported rows that the disk has no room for is named with the reason, and no part of it stays", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(30)))
    yield* at.inProcess("run", "contacts")
    // The open ledger has its log and its index, so that only the export is too large.
    const ledger = yield* openLedger({ file: `${at.folder}/.formferry/ledger.db` })
    expect(ledger.id).not.toBe("")
    const { status, stderr } = yield* withLimit(1, "ledger export --out rows.csv", at.folder)
    expect(status).toBe(70)
    expect(onOneLine(stderr)).toContain(
      `${at.folder}/rows.csv can't be read or written: a file may not become that large here.`,
    )
    expect(existsSync(`${at.folder}/rows.csv`)).toBe(false)
  }))
