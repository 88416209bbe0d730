// Tests each line of the first table of docs/nightly.md with the real run.
import { FileSystem, Path } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import iconv from "iconv-lite"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import type { RunReport } from "../../src/domain/report.ts"
import { platform } from "../project/projectFolder.ts"
import { world } from "./world.ts"

const header = "No,Name,Mail"

/** Returns rows of an export with the columns `No,Name,Mail`. */
const people = (from: number, to: number, name = "Jürgen") =>
  Array.from({ length: to - from + 1 }, (_, at) => `${from + at},${name} ${from + at},p${from + at}@example.org`)

const csv = (rows: ReadonlyArray<string>, head = header) => `${[head, ...rows].join("\n")}\n`

/** The files of a night. A file whose content is undefined is deleted. */
type Files = Readonly<Record<string, string | Uint8Array | undefined>>

interface Night {
  readonly files: Files
  readonly settings?: Readonly<Record<string, string>>
  /** Returns the run's exit code, or the failure's message. */
  readonly gives: object | RegExp
}

const source = (text: string | Uint8Array, gives: Night["gives"]): Night => ({ files: { "source.csv": text }, gives })

const twelve = csv(people(1, 12))
const all = { exitCode: 0, rows: { alreadyImported: 12, imported: 0 } }

/**
 * The files of each night in the table's order, with the table's wording and the final number of submissions in the
 * service.
 */
const nights: Readonly<Record<string, { readonly nights: ReadonlyArray<Night>; readonly standing: number }>> = {
  "the same file again": {
    nights: [
      source(twelve, { rows: { imported: 12 } }),
      source(twelve, { ...all, unchangedSince: expect.any(String) }),
    ],
    standing: 12,
  },
  "more rows": {
    nights: [
      source(twelve, { rows: { imported: 12 } }),
      source(csv(people(1, 15)), { exitCode: 0, rows: { alreadyImported: 12, imported: 3 } }),
    ],
    standing: 15,
  },
  "the rows in a different order": {
    nights: [source(twelve, { rows: { imported: 12 } }), source(csv(people(1, 12).toReversed()), all)],
    standing: 12,
  },
  "the columns in a different order": {
    nights: [
      source(twelve, { rows: { imported: 12 } }),
      source(csv(people(1, 12).map((row) => row.split(",").toReversed().join(",")), "Mail,Name,No"), all),
    ],
    standing: 12,
  },
  "one more column": {
    nights: [
      source(twelve, { rows: { imported: 12 } }),
      source(csv(people(1, 12).map((row) => `${row},new`), `${header},Added`), all),
    ],
    standing: 12,
  },
  "a different encoding, delimiter or line end": {
    nights: [
      source(twelve, { rows: { imported: 12 } }),
      source(iconv.encode(twelve, "windows-1252"), all),
      source(iconv.encode(twelve, "utf-16le", { addBOM: true }), all),
      source(twelve.replaceAll(",", ";").replaceAll("\n", "\r\n"), all),
      source(twelve.replace(/^(\d+),(.*),(.*)$/gm, '"$1","$2","$3"'), all),
    ],
    standing: 12,
  },
  "a cell that is only written differently, or a column that is no longer mapped": {
    nights: [
      source(twelve, { rows: { imported: 12 } }),
      source(twelve.replace("p1@example.org", "p1@EXAMPLE.org"), all),
    ],
    standing: 12,
  },
  "a row that was edited": {
    nights: [
      source(twelve, { rows: { imported: 12 } }),
      source(csv(["1,Edited,p1@example.org", ...people(2, 12)]), { exitCode: 1, rows: { changed: 1 } }),
      {
        files: {},
        settings: { sink: ", onChange: ignore" },
        gives: { exitCode: 0, rows: { changed: 1, alreadyImported: 11 } },
      },
      {
        files: {},
        settings: { sink: ", onChange: import-again" },
        gives: { exitCode: 0, rows: { imported: 1, alreadyImported: 11 }, replaced: { count: 1 } },
      },
    ],
    standing: 13,
  },
  "rows that vanished": {
    nights: [
      source(csv(people(1, 15)), { rows: { imported: 15 } }),
      source(csv(people(3, 15)), { exitCode: 0, rows: { alreadyImported: 13 }, vanished: { count: 2, fresh: 2 } }),
      source(csv(people(3, 16)), { exitCode: 0, rows: { imported: 1 }, vanished: { count: 2, fresh: 0 } }),
      source(csv(people(1, 16)), { exitCode: 0, rows: { alreadyImported: 16 }, vanished: { count: 0, fresh: 0 } }),
    ],
    standing: 16,
  },
  "the latest rows only (a rolling export)": {
    nights: [1, 5, 9, 13].map((from, night): Night => ({
      files: { "source.csv": csv(people(from, from + 11)) },
      settings: { source: ", vanished: ignore" },
      gives: night === 0
        ? { exitCode: 0, rows: { imported: 12 }, because: [] }
        : { exitCode: 0, rows: { imported: 4, alreadyImported: 8 }, because: [] },
    })),
    standing: 24,
  },
  "a dump with the date in its name": {
    nights: [12, 14, 14].map((rows, night): Night => ({
      files: { [`dump-2026-11-${18 + night}.csv`]: csv(people(1, rows)), "source.csv": undefined },
      settings: { file: "{ glob: ../dump-*.csv, take: newest }" },
      gives: [
        { rows: { read: 12, imported: 12 } },
        { rows: { read: 14, imported: 2, alreadyImported: 12 } },
        { unchangedSince: expect.any(String), sources: [{ file: expect.stringContaining("dump-2026-11-20.csv") }] },
      ][night]!,
    })),
    standing: 14,
  },
  "one more file in a list, or a file that grew": {
    nights: [
      {
        files: { "part-1.csv": twelve, "part-2.csv": csv(people(13, 14)) },
        settings: { file: "{ glob: ../part-*.csv }" },
        gives: { rows: { read: 14, imported: 14 } },
      },
      {
        files: { "part-2.csv": csv(people(13, 15)), "part-10.csv": csv(people(20, 21)) },
        gives: { exitCode: 0, rows: { read: 17, imported: 3, alreadyImported: 14 }, vanished: { count: 0 } },
      },
      { files: {}, gives: { unchangedSince: expect.any(String) } },
    ],
    standing: 17,
  },
  "identical rows": {
    nights: [
      source(csv([...people(1, 12), ...people(1, 1)]), { exitCode: 0, rows: { imported: 12, duplicate: 1 } }),
      source(csv([...people(1, 1), ...people(1, 13)]), { exitCode: 0, rows: { imported: 1, duplicate: 1 } }),
    ],
    standing: 13,
  },
  "rows known by `content`": {
    nights: [
      {
        files: { "source.csv": csv([...people(1, 11), ...people(1, 1)]) },
        settings: { rowKey: "content" },
        // The two rows are identical, but both are imported.
        gives: { exitCode: 0, rows: { imported: 12 } },
      },
      source(csv([...people(1, 1), ...people(1, 12)].toReversed()), {
        exitCode: 0,
        rows: { alreadyImported: 12, imported: 1 },
      }),
      // An edited row counts as a new row, and the old row has vanished.
      source(csv(["1,Edited,p1@example.org", ...people(1, 12)]), {
        exitCode: 0,
        rows: { alreadyImported: 12, imported: 1 },
        vanished: { count: 1, fresh: 1 },
      }),
    ],
    standing: 14,
  },
  "half of a file": {
    nights: [
      ...[40, 41, 42].map((rows) => source(csv(people(1, rows)), { exitCode: 0 })),
      source(csv(people(1, 16)), {
        exitCode: 0,
        rows: { alreadyImported: 16 },
        vanished: { count: 26, fresh: 26 },
        anomalies: [{ code: "shrunken-source", fresh: true }, { code: "vanished", fresh: true }],
      }),
      source(csv(people(1, 43)), { exitCode: 0, rows: { alreadyImported: 42, imported: 1 }, vanished: { count: 0 } }),
    ],
    standing: 43,
  },
  "a file that is cut in its last cell": {
    nights: [
      ...[12, 13, 14].map((rows) => source(csv(people(1, rows)), { exitCode: 0 })),
      source(csv(people(1, 15)).slice(0, -2), {
        exitCode: 0,
        rows: { alreadyImported: 14, imported: 1 },
        anomalies: [{ code: "shrunken-source", fresh: true }],
      }),
      source(csv(people(1, 15)), { exitCode: 1, rows: { alreadyImported: 14, changed: 1 } }),
    ],
    standing: 15,
  },
  "no row at all, or no file": {
    nights: [
      source(twelve, { rows: { imported: 12 } }),
      source(`${header}\n`, {
        exitCode: 0,
        rows: { read: 0 },
        vanished: { count: 12 },
        anomalies: [{ code: "empty-source", fresh: true }, { code: "vanished", fresh: true }],
      }),
      source("", /is empty/),
      { files: { "source.csv": undefined }, gives: /There is no file/ },
      source(csv(people(1, 13)), { exitCode: 0, rows: { alreadyImported: 12, imported: 1 }, vanished: { count: 0 } }),
    ],
    standing: 13,
  },
}

for (const [what, { nights: each, standing }] of Object.entries(nights)) {
  it.scopedLive(`a real run does what docs/nightly.md describes: ${what}`, () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const { names, root, run, settings } = yield* world
      for (const { files, gives, settings: changed } of each) {
        if (changed !== undefined) yield* settings(changed)
        for (const [name, content] of Object.entries(files)) {
          const file = path.join(root, name)
          if (content === undefined) yield* fs.remove(file, { force: true })
          else yield* fs.writeFile(file, typeof content === "string" ? new TextEncoder().encode(content) : content)
        }
        const exit: Exit.Exit<RunReport, unknown> = yield* Effect.exit(run())
        if (gives instanceof RegExp) {
          expect(Exit.isFailure(exit) && JSON.stringify(exit.cause)).toMatch(gives)
        } else {
          expect(Exit.isSuccess(exit) ? exit.value : exit.cause).toMatchObject({ balance: { holds: true }, ...gives })
        }
      }
      expect(names().length).toBe(standing)
      expect(new Set(names()).size).toBe(what === "rows known by `content`" ? standing - 1 : standing)
    }).pipe(Effect.provide(platform)))
}

it("docs/nightly.md has a line for each of these nights", () => {
  const text = readFileSync(resolve(import.meta.dirname, "../../docs/nightly.md"), "utf8")
  const table = text.split("\n## What happens if the source changes\n")[1]?.split(/\n##+ /)[0] ?? ""
  const lines = [...table.matchAll(/^\| ([^|]+?) +\|/gm)].map(([, first]) => first).filter((one) =>
    !/^-+$|^the next export/.test(one ?? "")
  )
  expect(lines).toEqual(Object.keys(nights))
})
