// Tests commands' output to terminals and browsers, on full disks, and with out-of-range numbers.
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { Database } from "../../src/ledger/sqlite/database.ts"
import { listening } from "../localServer.ts"
import { isLong } from "../long.ts"
import { optimiseLater } from "../optimiseLater.ts"
import { type Bench, bench, csv, upTo } from "./contacts.ts"
import { apiKey, command, formferry, onOneLine } from "./formferry.ts"

/** Runs a command whose stdout is this file. */
const into = (file: string, args: ReadonlyArray<string>, { folder }: Bench) =>
  Effect.async<{ readonly status: number | null; readonly stderr: string }>((resume) => {
    const stdout = openSync(file, "w")
    const child = spawn(process.execPath, [...optimiseLater, command, ...args], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder, FORM_SERVICE_API_KEY: apiKey },
      stdio: ["ignore", stdout, "pipe"],
    })
    closeSync(stdout)
    let stderr = ""
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr += text
    })
    child.on("close", (status) => resume(Effect.succeed({ status, stderr })))
  })

/** Commands whose output is written in different ways. The others run with the longer proofs. */
const printing: ReadonlyArray<ReadonlyArray<string>> = [
  ["--help"],
  ["schema"],
  ["ledger", "export"],
  ...(isLong
    ? [
      ["check"],
      ["inspect", "source.csv"],
      ["form", "live", "contacts"],
      ["preview", "contacts"],
      ["status"],
      ["report", "contacts"],
      ["rehearse", "contacts"],
      ["run", "contacts", "--json"],
      ["reconcile", "contacts"],
    ]
    : []),
]

it.scopedLive.skipIf(!existsSync("/dev/full"))(
  "a command whose output can't be written reports this and exits with code 70",
  () =>
    Effect.gen(function*() {
      const at = yield* bench()
      at.write("source.csv", csv(upTo(3)))
      yield* at.inProcess("run", "contacts")
      for (const args of printing) {
        const { status, stderr } = yield* into("/dev/full", args, at)
        expect([args, status, stderr]).toEqual([
          args,
          70,
          expect.stringContaining("The output could not be written: the disk is full."),
        ])
      }
      // The imported rows and the report are kept, and a later command shows them.
      at.write("source.csv", csv(upTo(5)))
      const { stderr } = yield* into("/dev/full", ["run", "contacts"], at)
      expect(stderr.trimEnd().split("\n").at(-1)).toBe("formferry report contacts")
      expect(at.report()).toMatchObject({ exitCode: 0, rows: { imported: 2 } })
      yield* at.exits(0, "status")
      // Rows that need review are less severe.
      at.write("source.csv", csv(upTo(6)).replace("p6@example.org", "none"))
      expect((yield* into("/dev/full", ["run", "contacts"], at)).status).toBe(70)
      expect(at.report()).toMatchObject({ exitCode: 1, rows: { invalid: 1 } })
    }),
)

it.scopedLive("an export keeps every byte of a key, including control characters", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const key = "K-1\u001B[31m\u001B]0;title\u0007"
    at.write("source.csv", `No,Name,Mail,Born\n${key},Ada,ada@example.org,1990-01-17\n`)
    yield* at.exits(0, "run", "contacts")
    const file = yield* into(join(at.folder, "rows.csv"), ["ledger", "export"], at)
    expect([file.status, file.stderr]).toEqual([0, ""])
    expect(at.read("rows.csv")).toContain(`,${key},`)
    yield* at.inProcess("ledger", "export", "--out", "same.csv")
    expect(at.read("same.csv")).toBe(at.read("rows.csv"))
  }))

it.scopedLive("an invalid or busy port, or a number out of range, exits with code 2", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const port = yield* listening(createServer())
    mkdirSync(join(at.folder, "forms"))
    const cases: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
      [["practice", "--forms", "forms", "--port", "99999"], "`--port` takes a whole number from 0 to 65535"],
      [["practice", "--forms", "forms", "--port", "65536"], "`--port` takes a whole number from 0 to 65535"],
      [["practice", "--forms", "forms", "--port=-1"], "`--port` takes a whole number from 0 to 65535"],
      [["practice", "--forms", "forms", "--port", String(port)], `can't listen on port ${port}`],
      [["preview", "contacts", "--rows", "0"], "`--rows` takes a whole number, 1 or more"],
      [["preview", "contacts", "--row", "1.5"], "`--row` takes a whole number, 1 or more"],
      [["preview", "contacts", "--row", "99999999999999999999"], "`--row` takes a whole number, 1 or more"],
      [["run", "contacts", "--limit", "many"], "`--limit` takes a whole number, 0 or more"],
      [["status", "--runs", "0"], "`--runs` takes a whole number, 1 or more"],
      [["status", "--max-age", "0"], "`--max-age` takes a time"],
      [["status", "--max-age", `${"9".repeat(400)}d`], "`--max-age` takes a time"],
      [
        ["settle", "contacts", "--as", "landed", "--batch", "0", "--because", "x"],
        "`--batch` takes a whole number, 1 or more",
      ],
    ]
    for (const [args, message] of cases) {
      const { status, stderr } = yield* at.inProcess(...args)
      expect([args, status, onOneLine(stderr)]).toEqual([args, 2, expect.stringContaining(message)])
    }
  }))

it.scopedLive.skipIf(process.platform !== "linux")(
  "report --open opens the page, or prints its path if no program can open it",
  () =>
    Effect.gen(function*() {
      const at = yield* bench()
      at.write("source.csv", csv(upTo(2)))
      yield* at.inProcess("run", "contacts")
      const page = join(at.report().folder.replace(/latest$/, ""), "report.html")
      const opened = (bin: string) =>
        formferry(["report", "contacts", "--open"], { cwd: at.folder, env: { PATH: join(at.folder, bin) } })

      at.write("none/readme", "")
      const none = yield* opened("none")
      expect([none.status, none.stderr, none.stdout.trim()]).toEqual([
        0,
        expect.stringContaining("No browser could be opened"),
        page,
      ])

      at.write("bin/xdg-open", '#!/bin/sh\necho "$1" > opened\n')
      chmodSync(join(at.folder, "bin/xdg-open"), 0o700)
      const some = yield* opened("bin")
      expect([some.status, some.stderr, some.stdout.trim()]).toEqual([0, "", page])
      expect(at.read("opened").trim()).toBe(page)

      at.write("bin/xdg-open", "#!/bin/sh\nexit 3\n")
      expect((yield* opened("bin")).stderr).toContain("No browser could be opened")
    }),
)

it.scopedLive.runIf(isLong)(
  "compacting is refused with exit code 6 while a process reads the ledger, and works afterwards",
  () =>
    Effect.gen(function*() {
      const at = yield* bench()
      at.write("source.csv", csv(upTo(3)))
      yield* at.inProcess("run", "contacts")
      const reader = new Database(join(at.folder, ".formferry/ledger.db"))
      reader.exec("BEGIN")
      reader.all("SELECT count(*) FROM row")
      const busy = yield* at.run("ledger", "compact")
      expect([busy.status, busy.lastLine]).toEqual([6, "formferry status"])
      expect(onOneLine(busy.stderr)).toContain("Another process is reading the ledger")
      reader.exec("COMMIT")
      reader.close()
      yield* at.exits(0, "ledger", "compact")
    }),
)
