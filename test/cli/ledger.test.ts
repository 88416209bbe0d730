// Tests the command `ledger`: its input, its output and its exit codes.
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { onOneLine } from "../acceptance/formferry.ts"
import { world } from "../run/world.ts"
import { command } from "./inProcess.ts"

it.scopedLive("ledger compacts, backs up, exports and forgets, and exits with code 2 if that isn't possible", () =>
  Effect.gen(function*() {
    const here = yield* world
    // Joins lines, because their breaks depend on the length of the folder's name.
    const ledger = (...words: ReadonlyArray<string>) =>
      Effect.map(
        command(["ledger", ...words, "--project", here.root]),
        (ran) => ({ ...ran, told: onOneLine(ran.err) }),
      )
    const fs = yield* FileSystem.FileSystem
    const none = yield* ledger("compact")
    expect([none.status, none.told]).toEqual([2, expect.stringContaining("nothing has been imported yet")])

    yield* here.source(["K-1,Ada,ada@example.org", "K-2,Bob,bob@example.org"])
    yield* here.run()
    const faults: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
      [[], "Which command: `compact`, `backup`, `export`, `forget`, `rekey`, `key`, `migrate` or `move`?"],
      [["compat"], "Did you mean `compact`?"],
      [["compact", "--rows", "K-1"], "`--rows` belongs to `ledger forget`."],
      [["export", "--format", "xml"], "csv or jsonl"],
      [["backup"], "FILE is missing."],
      [["forget", "people", "--because", "request 1"], "`--rows` is missing."],
      [["forget", "people", "--rows", "K-1"], "`--because` is missing."],
      [
        ["forget", "people", "--rows", "K-9", "--because", "request 1"],
        "lists all keys.\nformferry ledger export people",
      ],
      [["export", "poeple"], "There is no pipeline `poeple`"],
    ]
    for (const [words, message] of faults) {
      const { err, status } = yield* ledger(...words)
      expect([status, err]).toEqual([2, expect.stringContaining(message)])
    }

    const compacted = yield* ledger("compact", "--json")
    expect(JSON.parse(compacted.out)).toEqual({
      before: expect.any(Number),
      after: expect.any(Number),
      runs: 0,
      rejected: 0,
    })
    const to = `${here.root}/safe/copy.db`
    expect((yield* ledger("backup", to)).out).toContain(`its secret in ${to}.key`)
    const copied = yield* fs.readFile(to)
    const refused = {
      status: 2,
      told: expect.stringContaining("already exists, and a copy of the ledger never replaces a file"),
    }
    expect(yield* ledger("backup", to)).toMatchObject(refused)
    expect(yield* fs.readFile(to)).toEqual(copied)
    // A secret alone is not replaced either.
    const other = `${here.root}/safe/other.db`
    yield* fs.copyFile(`${to}.key`, `${other}.key`)
    expect(yield* ledger("backup", other)).toMatchObject(refused)
    expect(yield* fs.exists(other)).toBe(false)

    const lines = (yield* ledger("export", "people")).out.trimEnd().split("\n")
    expect(lines).toHaveLength(3)
    const file = `${here.root}/rows.jsonl`
    expect((yield* ledger("export", "--format", "jsonl", "--out", file)).status).toBe(0)
    expect((yield* ledger("export", "--out", file)).status).toBe(2)
    expect((yield* fs.readFileString(file)).trimEnd().split("\n")).toHaveLength(2)
    expect(Number((yield* fs.stat(file)).mode) & 0o777).toBe(0o600)

    const forgotten = yield* ledger("forget", "people", "--rows", "K-1", "--because", "request 1")
    expect(forgotten.status).toBe(0)
    expect(forgotten.out).toContain("1 row of people forgotten")
    expect(forgotten.out).toContain("is still in form people: delete it there")
    expect(forgotten.out).toMatch(
      /still contain forgotten rows[^]*reports\/people\/[^/]+ \(imported\.csv, report\.html, report\.json\)/,
    )
    expect((yield* ledger("export", "people")).out).not.toContain("K-1")
    const again = yield* ledger("forget", "people", "--rows", "K-1", "--because", "request 1", "--reports")
    expect([again.status, again.out]).toEqual([0, expect.stringMatching(/^Already forgotten,.* left: K-1\.\nEmptied/)])

    // An older copy replaces the ledger. Rows forgotten in the copy would return with the correct ledger.
    yield* here.source(["K-2,Bob,bob@example.org", "K-3,Cleo,cleo@example.org"])
    yield* here.run()
    for (const end of ["", "-wal", "-shm", ".key"]) {
      yield* fs.remove(`${here.root}/.formferry/ledger.db${end}`, { force: true })
    }
    yield* fs.copyFile(to, `${here.root}/.formferry/ledger.db`)
    yield* fs.copyFile(`${to}.key`, `${here.root}/.formferry/ledger.db.key`)
    const older = yield* ledger("forget", "people", "--rows", "K-2", "--because", "request 2", "--log-format", "json")
    expect(older.status).toBe(2)
    for (const words of [["compact"], ["backup", `${here.root}/safe/wrong.db`]]) {
      const { status, told } = yield* ledger(...words)
      expect([status, told]).toEqual([2, expect.stringContaining("is an older copy")])
    }
    // A refused run does not create a missing ledger, so it is reported as missing every time.
    for (const end of ["", "-wal", "-shm", ".key"]) {
      yield* fs.remove(`${here.root}/.formferry/ledger.db${end}`, { force: true })
    }
    for (const words of [["compact"], ["backup", `${here.root}/safe/none.db`], ["export"]]) {
      expect((yield* Effect.flip(here.run())).message).toContain("is missing or empty, but an earlier run wrote to it")
      const { status, told } = yield* ledger(...words)
      expect([status, told]).toEqual([
        2,
        expect.stringContaining("is missing or empty, but an earlier run wrote to it"),
      ])
    }
    expect(yield* fs.exists(`${here.root}/safe/none.db`)).toBe(false)
    expect(JSON.parse(older.err.split("\n")[0] ?? "")).toMatchObject({
      logLevel: "ERROR",
      message: expect.stringContaining("is an older copy"),
      annotations: { error: "LedgerRefused", exitCode: 2 },
    })
  }).pipe(Effect.provide(NodeContext.layer)))

it.scopedLive("ledger exits with code 2 if `ledger.file` can't be examined", () =>
  Effect.gen(function*() {
    const here = yield* world
    const fs = yield* FileSystem.FileSystem
    yield* fs.makeDirectory(`${here.root}/.formferry`, { recursive: true })
    yield* fs.symlink("ledger.db", `${here.root}/.formferry/ledger.db`)
    for (const words of [["compact"], ["backup", `${here.root}/copy.db`], ["export"]]) {
      const { err, status } = yield* command(["ledger", ...words, "--project", here.root])
      expect([status, onOneLine(err)]).toEqual([2, expect.stringContaining("leads back to itself")])
    }
  }).pipe(Effect.provide(NodeContext.layer)))
