// Tests that rows that were fixed in rejected.csv stay known, whatever changes afterwards.
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { isLong } from "../long.ts"
import { type Bench, bench, pipelineYaml } from "./contacts.ts"
import { onOneLine } from "./formferry.ts"
import { databasesIfLong } from "./inPostgres.ts"
import { fix, importFixed } from "./rejected.ts"

const header = "No,Name,Mail,Born"

interface Change {
  /** The source's lines below the header. */
  readonly rows: ReadonlyArray<string>
  /** Changes of the pipeline before the first run. */
  readonly before?: (pipeline: string) => string
  /** Corrects one row. */
  readonly fix: readonly [RegExp | string, string]
  /** Changes of the pipeline after the fixed row was imported. With `isEarly`, after it was rejected. */
  readonly isEarly?: true
  readonly after?: (pipeline: string) => string
  /** Changes of the source after the fixed row was imported. */
  readonly source?: (source: string) => string
}

const without = (question: string) => (pipeline: string) =>
  pipeline.replace(new RegExp(`.*name: ${question}, .*\n`), "")
const lenient = (pipeline: string) => pipeline.replace("as: email", "as: email, onInvalid: drop")
const rowKey = (key: string) => (pipeline: string) => pipeline.replace("rowKey: [No]", `rowKey: ${key}`)
const source = (more: string) => (pipeline: string) => pipeline.replace("rowKey: [No]", `rowKey: [No]\n  ${more}`)
const again = (pipeline: string) =>
  pipeline.replace("form: contacts", "form: contacts\n  onChange: import-again").replace(
    "100% }",
    "100%, changed: 100% }",
  )

const keyless = ["1,Ada,ada@example.org,", ",Bob,bob@example.org,", "3,Cid,cid@example.org,"]

const changes: Readonly<Record<string, Change>> = {
  "the mapping takes another column, and the row was fixed under another key": {
    rows: ["1,Ada,ada@example.org,", "2,Bob,none,1990-01-17", "3,Cid,cid@example.org,"],
    before: without("Born"),
    fix: ["2,Bob,none", "9,Bob,bob@example.org"],
    after: lenient,
  },
  "the mapping takes another column, and changed rows are imported again": {
    rows: ["1,Ada,ada@example.org,", "2,Bob,none,1990-01-17", "3,Cid,cid@example.org,"],
    before: (pipeline) => again(without("Born")(pipeline)),
    fix: ["2,Bob,none", "2,Bob,bob@example.org"],
    after: (pipeline) => again(lenient(pipeline)),
  },
  "the mapping takes another column, and the other row with the key vanishes": {
    rows: ["1,Ada,ada@example.org,", "3,Bob,bob@example.org,", "3,Cid,cid@example.org,1990-01-17"],
    before: (pipeline) => again(without("Born")(pipeline)),
    fix: ["3,Cid", "4,Cid"],
    after: again,
    source: (text) => text.replace(/3,Bob.*\n/, ""),
  },
  "the mapping was edited before the row was fixed": {
    rows: ["1,Ada,ada@example.org,", "2,Bob,none,1990-01-17", "3,Cid,cid@example.org,"],
    fix: ["2,Bob,none", "9,Bob,bob@example.org"],
    isEarly: true,
    after: (pipeline) => lenient(without("Born")(pipeline)),
  },
  "a row without a key gets one from other columns": {
    rows: keyless,
    fix: [",Bob", "9,Bob"],
    after: rowKey("[Mail]"),
  },
  "a cell that counted as empty is a key now": {
    rows: keyless.map((row) => row.replace(/^,/, "-,")),
    before: source('empty: ["", "-"]'),
    fix: ["-,Bob", "9,Bob"],
  },
  "short rows are read now": {
    rows: ["1,Ada,ada@example.org,", "2,Bob,bob@example.org", "3,Cid,cid@example.org,"],
    fix: [/2,Bob,bob@example.org,,(\w+),2,,ragged-row/, "9,Bob,bob@example.org,,$1,2,,"],
    after: source("raggedRows: pad"),
  },
  "the export has another column": {
    rows: keyless,
    fix: [",Bob", "9,Bob"],
    source: (text) => text.replaceAll(/$(?<=.)/gm, ",more"),
  },
}

const write = (at: Bench, change: Change, pipeline: Change["before"]) => {
  const made = pipelineYaml({ sink: "service: live\n  form: contacts\n  stopWhen: { refused: 100%, invalid: 100% }" })
  at.write("pipelines/contacts.yaml", pipeline?.(made) ?? made)
  at.write("source.csv", [header, ...change.rows, ""].join("\n"))
}

/** Runs the pipeline, and expects an exit code and a number of submissions in the form. */
const runs = (at: Bench, expected: readonly [exitCode: number, submissions: number]) =>
  Effect.map(at.inProcess("run", "contacts"), (ran) => {
    expect([ran.status, at.count()], ran.stdout + ran.stderr).toEqual(expected)
    return ran
  })

/** `npm test` tries every second change, the longer proofs each. */
const tried = Object.entries(changes).filter((_, at) => isLong || at % 2 === 0)

for (const [what, change] of tried) {
  it.scopedLive(`a fixed row stays known after a change: ${what}`, () =>
    Effect.gen(function*() {
      const at = yield* bench()
      write(at, change, change.before)
      const first = yield* runs(at, [1, 2])
      fix(at, change.fix)
      if (change.isEarly) write(at, change, change.after)
      const fixed = yield* importFixed(at, first.lastLine)
      expect([fixed.status, at.count()], fixed.stdout + fixed.stderr).toEqual([0, 3])
      write(at, change, change.after)
      at.write("source.csv", change.source?.(at.read("source.csv")) ?? at.read("source.csv"))
      yield* runs(at, [0, 3])
    }))
}

it.scopedLive.each(databasesIfLong)(
  "a row in doubt that was fixed is not sent as it was, although it is valid now ($name)",
  ({ place }) =>
    Effect.gen(function*() {
      const at = yield* bench({ faults: [{ fault: "reset", on: "create", when: "after", at: [2] }] })
      ;(yield* place)(at)
      const change = { rows: keyless, fix: [",Bob", "9,Bob"] } as const
      write(at, change, undefined)
      const first = yield* at.inProcess("run", "contacts")
      fix(at, change.fix)
      expect((yield* importFixed(at, first.lastLine)).status).toBe(4)
      write(at, change, rowKey("[Mail]"))
      yield* runs(at, [4, 3])
      expect(at.report().rows).toMatchObject({ inDoubt: 1, alreadyImported: 2, imported: 0 })
    }),
)

it.scopedLive.each(databasesIfLong)(
  "an imported row that lost its key, because the cell counts as empty now, stays known ($name)",
  ({ place }) =>
    Effect.gen(function*() {
      const at = yield* bench()
      ;(yield* place)(at)
      write(at, { rows: keyless.map((row) => row.replace(/^,/, "-,")), fix: ["", ""] }, undefined)
      expect([(yield* at.inProcess("run", "contacts")).status, at.count()]).toEqual([0, 3])
      at.write("pipelines/contacts.yaml", source('empty: ["", "-"]')(at.read("pipelines/contacts.yaml")))
      for (const _ of [1, 2]) {
        yield* runs(at, [0, 3])
        expect(at.report().rows).toMatchObject({ read: 3, alreadyImported: 3 })
      }
    }),
)

it.scopedLive.each(databasesIfLong)(
  "a row without a key that a person skipped is not sent once it has a key ($name)",
  ({ place }) =>
    Effect.gen(function*() {
      const at = yield* bench()
      ;(yield* place)(at)
      const change = { rows: keyless, fix: ["", ""] } as const
      write(at, change, undefined)
      yield* at.exits(1, "run", "contacts")
      const skip = ["acknowledge", "contacts", "--all", "--leave-out", "--because", "test data"]
      yield* at.exits(0, ...skip)
      write(at, change, rowKey("[Mail]"))
      yield* runs(at, [0, 2])
    }),
)

it.scopedLive("with rowKey: content, a fixed row that equals an imported one is named, not treated as that row", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const rows = ["1,Ada,ada@example.org,", "1,Ada,none,", "2,Bob,bob@example.org,"]
    write(at, { rows, fix: ["", ""] }, rowKey("content"))
    const first = yield* runs(at, [1, 2])
    fix(at, ["none", "ada@example.org"])
    const fixed = yield* importFixed(at, first.lastLine)
    expect([fixed.status, at.count()], fixed.stdout).toEqual([1, 2])
    expect(onOneLine(fixed.stdout)).toContain("Correct it in the source")
    at.edit("source.csv", "none", "ada@example.org")
    yield* runs(at, [0, 3])
  }))

it.scopedLive("a fixed row stays known if the row key gets the corrected column, and then the source is corrected", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const rows = ["1,Ada,ada@example.org,", "2,Bob,none,", "3,Cid,cid@example.org,"]
    write(at, { rows, fix: ["", ""] }, undefined)
    const first = yield* at.inProcess("run", "contacts")
    fix(at, ["2,Bob,none", "2,Bob,bob@example.org"])
    expect((yield* importFixed(at, first.lastLine)).status).toBe(0)
    write(at, { rows, fix: ["", ""] }, rowKey("[No, Mail]"))
    for (const mail of ["none", "bob@example.org"]) {
      at.edit("source.csv", "none", mail)
      yield* runs(at, [0, 3])
    }
  }))

it.scopedLive("a fixed row stays undone if the row key gets the corrected column, and then the source is corrected", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const rows = ["1,Ada,ada@example.org,", "2,Bob,none,", "3,Cid,cid@example.org,"]
    write(at, { rows, fix: ["", ""] }, undefined)
    at.edit("config/formferry.yaml", "confirm: false", "confirm: false\n    capabilities: [delete]")
    const first = yield* runs(at, [1, 2])
    fix(at, ["2,Bob,none", "2,Bob,bob@example.org"])
    expect((yield* importFixed(at, first.lastLine)).status).toBe(0)
    yield* at.exits(0, "undo", "contacts", "--run", at.report().run)
    write(at, { rows, fix: ["", ""] }, rowKey("[No, Mail]"))
    for (const mail of ["none", "bob@example.org"]) {
      at.edit("source.csv", "none", mail)
      yield* runs(at, [0, 2])
      expect(at.report().rows).toMatchObject({ alreadyImported: 2, undone: 1 })
    }
    const resent = yield* at.inProcess("run", "contacts", "--resend-undone")
    expect([resent.status, at.count()], resent.stdout).toEqual([0, 3])
  }))

it.scopedLive("a row that was fixed in two rounds stays known", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    write(at, { rows: ["1,Ada,ada@example.org,", ",Bob,none,", "3,Cid,cid@example.org,"], fix: ["", ""] }, undefined)
    const first = yield* runs(at, [1, 2])
    fix(at, [",Bob", "8,Bob"])
    const second = yield* importFixed(at, first.lastLine)
    expect([second.status, at.count()]).toEqual([1, 2])
    fix(at, ["8,Bob,none", "9,Bob,bob@example.org"])
    const third = yield* importFixed(at, second.lastLine)
    expect([third.status, at.count()], third.stdout).toEqual([0, 3])
    yield* runs(at, [0, 3])
  }))

it.scopedLive("a fixed row that the service refused, and that was fixed again, stays known", () =>
  Effect.gen(function*() {
    const at = yield* bench({ faults: [{ fault: "invalid", containing: "Bobby", named: true }] })
    const rows = ["1,Ada,ada@example.org,", "2,Bob,none,", "3,Cid,cid@example.org,"]
    write(
      at,
      { rows, fix: ["", ""] },
      (pipeline) => pipeline.replace("form: contacts", "form: contacts\n  canary: off"),
    )
    const first = yield* runs(at, [1, 2])
    fix(at, ["2,Bob,none", "8,Bobby,bob@example.org"])
    const second = yield* importFixed(at, first.lastLine)
    expect([second.status, at.count(), at.report().rows], second.stdout).toMatchObject([1, 2, { refused: 1 }])
    fix(at, ["8,Bobby", "9,Bob"])
    const third = yield* importFixed(at, second.lastLine)
    expect([third.status, at.count()], third.stdout).toEqual([0, 3])
    yield* runs(at, [0, 3])
  }))

it.scopedLive("rows that got other keys are missed, although fixed duplicates still have the earlier keys in the source", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const numbers = Array.from({ length: 12 }, (_, index) => index + 1)
    const rows = numbers.flatMap((no) => [`${no},Ada ${no},a${no}@example.org,`, `${no},Bob ${no},b${no}@example.org,`])
    write(at, { rows, fix: ["", ""] }, undefined)
    const first = yield* runs(at, [1, 12])
    fix(at, [/^\d+,Bob/gm, "9$&"])
    expect([(yield* importFixed(at, first.lastLine)).status, at.count()]).toEqual([0, 24])
    at.edit("source.csv", /^\d+,Ada/gm, "M$&")
    yield* runs(at, [3, 24])
  }))

it.scopedLive.each([{ key: "[No]" }, { key: "content" }])(
  "a rejected row that is twice in a fixed file is sent once (rowKey: $key)",
  ({ key }) =>
    Effect.gen(function*() {
      const at = yield* bench()
      write(
        at,
        { rows: ["1,Ada,ada@example.org,", "2,Bob,none,", "3,Cid,cid@example.org,"], fix: ["", ""] },
        rowKey(key),
      )
      const first = yield* runs(at, [1, 2])
      fix(at, [/^2,Bob,none(.*)/m, "2,Bob,bob@example.org$1\n9,Bob,bob@example.org$1"])
      const fixed = yield* importFixed(at, first.lastLine)
      expect([fixed.status, at.count(), at.report().rows], fixed.stdout).toMatchObject([1, 3, { duplicate: 1 }])
      yield* runs(at, [0, 3])
    }),
)

it.scopedLive("a rejected row that is twice in a fixed file is sent once, also as the first row of a form", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    write(at, { rows: ["2,Bob,none,"], fix: ["", ""] }, undefined)
    yield* runs(at, [1, 0])
    fix(at, [/^2,Bob,none(.*)/m, "2,Bob,bob@example.org$1\n9,Bob,bob@example.org$1"])
    const fixed = yield* at.inProcess("run", "contacts", "--source", "reports/contacts/latest/rejected.csv")
    expect([fixed.status, at.count(), at.report().rows], fixed.stdout).toMatchObject([1, 1, { duplicate: 1 }])
  }))

it.scopedLive("a row that was corrected in the source is not sent again from an older rejected.csv, under another key", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    write(at, { rows: ["1,Ada,ada@example.org,", "2,Bob,none,", "3,Cid,cid@example.org,"], fix: ["", ""] }, undefined)
    yield* at.exits(1, "run", "contacts")
    const older = at.read("reports/contacts/latest/rejected.csv")
    at.edit("source.csv", "none", "bob@example.org")
    expect([(yield* at.inProcess("run", "contacts")).status, at.count()]).toEqual([0, 3])
    at.write("older.csv", older.replace("2,Bob,none", "9,Bob,bob@example.org"))
    const fixed = yield* at.inProcess("run", "contacts", "--source", "older.csv")
    expect([fixed.status, at.count(), at.report().rows], fixed.stdout).toMatchObject([1, 3, { changed: 1 }])
  }))

it.scopedLive.each(databasesIfLong)(
  "a row that got its key in the source is not sent again from an older rejected.csv, under another key ($name)",
  ({ place }) =>
    Effect.gen(function*() {
      const at = yield* bench()
      ;(yield* place)(at)
      write(at, { rows: ["1,Ada,ada@example.org,", ",Bob,bob@example.org,1990-01-17"], fix: ["", ""] }, undefined)
      yield* at.exits(1, "run", "contacts")
      const older = at.read("reports/contacts/latest/rejected.csv")
      at.edit("source.csv", ",Bob", "2,Bob")
      expect([(yield* at.inProcess("run", "contacts")).status, at.count()]).toEqual([0, 2])
      at.write("older.csv", older.replace(",Bob,bob", "9,Bob,bob.b"))
      const fixed = yield* at.inProcess("run", "contacts", "--source", "older.csv")
      expect([fixed.status, at.count(), at.report().rows], fixed.stdout).toMatchObject([1, 2, { changed: 1 }])
    }),
)

it.scopedLive("a row without a key can be fixed, although the source got a row with the same cells and a key", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    write(at, { rows: ["1,Ada,ada@example.org,", ",Bob,bob@example.org,"], fix: ["", ""] }, undefined)
    yield* at.inProcess("run", "contacts")
    at.write("source.csv", `${at.read("source.csv")}2,Bob,bob@example.org,\n`)
    const second = yield* at.inProcess("run", "contacts")
    expect([second.status, at.count(), at.report().rows], second.stdout).toMatchObject([1, 2, { invalid: 1 }])
    fix(at, [",Bob", "9,Bob"])
    expect([(yield* importFixed(at, second.lastLine)).status, at.count()]).toEqual([0, 3])
  }))

it.scopedLive.each(
  [
    {
      what: "all keys, and the row is still invalid",
      rows: ["C-0001,Ada,ada@example.org,", "C-0002,Bob,none,", "C-0003,Cid,cid@example.org,"],
      fix: ["C-0002,Bob,none", "N-5,Bob,bob@example.org"],
      change: (text: string) => text.replaceAll("C-000", "C-"),
    },
    {
      what: "only the key of a duplicate",
      rows: ["C-0001,Ada,ada@example.org,", "C-0001,Bob,bob@example.org,", "C-0003,Cid,cid@example.org,"],
      fix: ["C-0001,Bob", "N-5,Bob"],
      change: (text: string) => text.replace("C-0001,Bob", "C-1,Bob"),
    },
    {
      what: "all keys, and the row is a duplicate",
      rows: ["C-0001,Ada,ada@example.org,", "C-0001,Bob,bob@example.org,", "C-0003,Cid,cid@example.org,"],
      fix: ["C-0001,Bob", "N-5,Bob"],
      change: (text: string) => text.replaceAll("C-000", "C-"),
    },
  ] as const,
)(
  "a row that was fixed under another key stays known if keys are reformatted in the source: $what",
  (one) =>
    Effect.gen(function*() {
      const at = yield* bench()
      write(at, { rows: one.rows, fix: ["", ""] }, undefined)
      const first = yield* at.inProcess("run", "contacts")
      fix(at, one.fix)
      expect([(yield* importFixed(at, first.lastLine)).status, at.count()]).toEqual([0, 3])
      at.write("source.csv", one.change(at.read("source.csv")))
      const refused = yield* at.inProcess("run", "contacts")
      expect([refused.status, refused.lastLine], refused.stdout).toEqual([2, "formferry ledger rekey contacts"])
      yield* at.exits(0, "ledger", "rekey", "contacts", "--yes")
      yield* runs(at, [0, 3])
    }),
)

it.scopedLive("a fixed row whose _id was changed is rejected, and a row without one is new", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    write(
      at,
      { rows: ["1,Ada,ada@example.org,", "2,Bob,none,", "3,Cid,none,", "4,Dan,none,"], fix: ["", ""] },
      undefined,
    )
    const first = yield* at.inProcess("run", "contacts")
    fix(at, [/^2,Bob,none,,\w+,/m, "2,Bob,bob@example.org,,,"], [/^3,Cid,none,,r/m, "3,Cid,cid@example.org,,R"])
    fix(at, [/^4,Dan,none.*/m, "5,Eve,eve@example.org,,,,,,,"])
    const fixed = yield* importFixed(at, first.lastLine)
    expect([fixed.status, at.count(), at.report().rows], fixed.stdout).toMatchObject([1, 2, {
      invalid: 2,
      imported: 1,
    }])
    expect(fixed.stdout).toContain("unknown-original")
  }))

it.scopedLive.each([
  { lacks: "_id", of: (text: string) => text.replace(/,_id/, "").replace(/,r\w{32}/, "") },
  {
    lacks: "_code, _column and _message",
    of: (text: string) => text.replace(/,_code.*/, "").replace(/(?<=,r\w{32},2,2).*/, ""),
  },
])("a rejected.csv without $lacks is refused", ({ of }) =>
  Effect.gen(function*() {
    const at = yield* bench()
    write(at, { rows: ["1,Ada,ada@example.org,", "2,Bob,none,"], fix: ["", ""] }, undefined)
    yield* at.inProcess("run", "contacts")
    const lacking = of(at.read("reports/contacts/latest/rejected.csv"))
    at.write("lacking.csv", lacking.replace("none", "bob@example.org"))
    const refused = yield* at.inProcess("run", "contacts", "--source", "lacking.csv")
    expect([refused.status, at.count()], lacking).toEqual([2, 1])
    expect(onOneLine(refused.stderr)).toContain("seems to be a rejected.csv")
  }))

it.scopedLive.each([
  { what: "imported", mail: "ada@example.org" },
  { what: "corrected later", mail: "none" },
])(
  "a row keeps its key if a duplicate of it was fixed under another key and then forgotten: $what",
  ({ mail }) =>
    Effect.gen(function*() {
      const at = yield* bench()
      const bob = mail === "none" ? "none" : "bob@example.org"
      write(at, { rows: [`1,Ada,${mail},`, `1,Bob,${bob},`], fix: ["", ""] }, undefined)
      const first = yield* at.inProcess("run", "contacts")
      fix(at, [`1,Bob,${bob}`, "2,Bob,bob@example.org"])
      yield* importFixed(at, first.lastLine)
      yield* at.exits(0, "ledger", "forget", "contacts", "--rows", "2", "--because", "request 12")
      at.edit("source.csv", `1,Ada,${mail}`, "1,Ada,ada@example.org")
      yield* runs(at, [1, 2])
      expect(at.report().rows).toMatchObject({ filtered: 0, duplicate: 1 })
    }),
)

it.scopedLive("a row that was fixed under another key is paired if the source is corrected under its earlier key", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const rows = ["1,Ada,ada@example.org,", "2,Bob,none,", "3,Cid,cid@example.org,"]
    write(at, { rows, fix: ["", ""] }, undefined)
    const first = yield* at.inProcess("run", "contacts")
    fix(at, ["2,Bob,none", "9,Bob,bob@example.org"])
    expect((yield* importFixed(at, first.lastLine)).status).toBe(0)
    // The original was edited, but is still invalid.
    at.edit("source.csv", "none", "bob")
    yield* at.exits(1, "run", "contacts")
    expect((yield* at.inProcess("ledger", "rekey", "contacts", "--yes")).stdout).not.toContain("→")
    at.edit("source.csv", "bob,", "bob@example.org,")
    const refused = yield* at.inProcess("run", "contacts")
    expect([refused.status, refused.lastLine], refused.stdout).toEqual([2, "formferry ledger rekey contacts"])
    expect(onOneLine(refused.stdout)).toContain('Known as: "9", rejected before as "2" (row 2).')
    const recorded = yield* at.inProcess("ledger", "rekey", "contacts", "--yes")
    expect(recorded.stdout, recorded.stderr).toBe("9 → 2\n1 row key recorded.\n")
    yield* runs(at, [0, 3])
  }))

it.scopedLive("a fixed row is paired by its old key and by that of its original, if the row key and its format change", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const rows = ["1,Ada,ada@example.org,", "2,Bob,none,", "3,Cid,cid@example.org,"]
    write(at, { rows, fix: ["", ""] }, undefined)
    const first = yield* at.inProcess("run", "contacts")
    fix(at, ["none", "bob@example.org"])
    expect((yield* importFixed(at, first.lastLine)).status).toBe(0)
    write(at, { rows, fix: ["", ""] }, rowKey("[No, Name]"))
    yield* at.exits(0, "run", "contacts")
    at.edit("source.csv", "none", "bob@example.org")
    at.edit("source.csv", /^(?=\d)/gm, "00")
    const refused = yield* at.inProcess("run", "contacts")
    expect([refused.status, refused.lastLine], refused.stdout).toEqual([2, "formferry ledger rekey contacts"])
    yield* at.exits(0, "ledger", "rekey", "contacts", "--yes")
    yield* runs(at, [0, 3])
  }))

it.scopedLive("of two identical rows without a key, one that is fixed does not hide the other", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    write(at, { rows: ["1,Ada,ada@example.org,", ...Array(2).fill(",Bob,bob@example.org,")], fix: ["", ""] }, undefined)
    const first = yield* runs(at, [1, 1])
    fix(at, [",Bob", "8,Bob"])
    const fixed = yield* importFixed(at, first.lastLine)
    expect([fixed.status, at.count(), at.report().rows], fixed.stdout).toMatchObject([1, 2, {
      imported: 1,
      invalid: 1,
    }])
    const later = yield* at.inProcess("run", "contacts")
    expect([later.status, at.report().rows]).toMatchObject([0, { alreadyImported: 2, duplicate: 1 }])
    expect(at.read("reports/contacts/latest/rejected.csv")).toContain(
      "If it is a different record, correct it in the source",
    )
    at.edit("source.csv", ",Bob", "9,Bob")
    const last = yield* at.inProcess("run", "contacts")
    expect([last.status, at.count(), at.report().rows], last.stdout).toMatchObject([0, 3, { imported: 1 }])
  }))

/** Two invalid rows with the key 2. */
const repeated = ["1,Ada,ada@example.org,", "2,Bob,none,", "2,Cid,none,"]

it.scopedLive("an invalid row whose key an earlier invalid row has is a duplicate, and is sent once it has a different key", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    write(at, { rows: repeated, fix: ["", ""] }, undefined)
    const first = yield* runs(at, [1, 1])
    expect(at.report().rows).toMatchObject({ invalid: 1, duplicate: 1 })
    expect(at.read("reports/contacts/latest/rejected.csv")).toMatch(/2,Cid,none,.*,duplicate-key · not-an-email,/)
    fix(at, ["2,Bob,none", "2,Bob,bob@example.org"])
    const second = yield* importFixed(at, first.lastLine)
    expect([second.status, at.count(), at.report().rows], second.stdout).toMatchObject([1, 2, { duplicate: 1 }])
    fix(at, ["2,Cid,none", "3,Cid,cid@example.org"])
    const third = yield* importFixed(at, second.lastLine)
    expect([third.status, at.count()], third.stdout).toEqual([0, 3])
    yield* runs(at, [0, 3])
  }))

it.scopedLive("an invalid row whose key a later valid row has is a duplicate, and the valid row is sent", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    write(at, { rows: repeated.with(2, "2,Cid,cid@example.org,"), fix: ["", ""] }, undefined)
    for (const expected of [{ imported: 2, duplicate: 1 }, { alreadyImported: 2, duplicate: 1 }]) {
      yield* runs(at, [1, 2])
      expect(at.report().rows).toMatchObject(expected)
    }
    expect(at.answers("qName")).toEqual(["Ada", "Cid"])
  }))

it.scopedLive("an invalid row with the key of a fixed row is a duplicate, also if changed rows are imported again", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    write(at, { rows: repeated, fix: ["", ""] }, again)
    const first = yield* runs(at, [1, 1])
    fix(at, ["2,Bob,none", "2,Bob,bob@example.org"])
    yield* importFixed(at, first.lastLine)
    at.edit("source.csv", "2,Cid,none", "2,Cid,cid@example.org")
    yield* runs(at, [1, 2])
    expect(at.report().rows).toMatchObject({ alreadyImported: 2, duplicate: 1 })
  }))

it.scopedLive.each([{ key: "[No]" }, { key: "content" }])(
  "a fixed row does not hide a row that equals its original, if both are in the source (rowKey: $key)",
  ({ key }) =>
    Effect.gen(function*() {
      const at = yield* bench()
      const rows = ["1,Ada,ada@example.org,", "2,Bob,none,"]
      write(at, { rows, fix: ["", ""] }, rowKey(key))
      const first = yield* runs(at, [1, 1])
      fix(at, ["2,Bob,none", "3,Bob,bob@example.org"])
      expect((yield* importFixed(at, first.lastLine)).status).toBe(0)
      yield* runs(at, [0, 2])
      const both = [...rows, "3,Bob,bob@example.org,"]
      for (const now of [both, both.toReversed()]) {
        write(at, { rows: now, fix: ["", ""] }, rowKey(key))
        yield* runs(at, [1, 2])
        expect(at.report().rows).toMatchObject({ alreadyImported: 2, duplicate: 1 })
      }
    }),
)

it.scopedLive("of two identical invalid rows with one key, the second is a duplicate after the first was fixed", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    write(at, { rows: repeated.with(2, "2,Bob,none,"), fix: ["", ""] }, undefined)
    const first = yield* runs(at, [1, 1])
    fix(at, ["2,Bob,none", "2,Bob,bob@example.org"])
    yield* importFixed(at, first.lastLine)
    yield* runs(at, [0, 2])
    expect(at.report().rows).toMatchObject({ alreadyImported: 2, duplicate: 1 })
  }))

it.scopedLive("acknowledge --leave-out mentions duplicates only if there are any", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const skip = at.inProcess("acknowledge", "contacts", "--all", "--leave-out", "--because", "test data")
    write(at, { rows: repeated.slice(0, 2), fix: ["", ""] }, undefined)
    yield* runs(at, [1, 1])
    expect((yield* skip).stdout).toMatch(/1 row acknowledged by .*: test data\. It is never imported\.\n$/)
    write(at, { rows: ["1,Ada,ada@example.org,", "1,Bob,bob@example.org,"], fix: ["", ""] }, undefined)
    yield* runs(at, [1, 1])
    expect((yield* skip).stdout).toContain("but 1 duplicate is only skipped as long as another row has the same key.")
  }))

it.scopedLive("check counts an acknowledged row, also if no row was ever sent", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    write(at, { rows: ["1,Ada,none,"], fix: ["", ""] }, undefined)
    yield* runs(at, [1, 0])
    yield* at.inProcess("acknowledge", "contacts", "--all", "--because", "has no address")
    expect(onOneLine((yield* at.inProcess("check", "contacts")).stdout)).toContain(
      "0 of 1 row is ready to send, 1 can't be sent and is acknowledged",
    )
  }))

it.scopedLive("check counts rows that are imported again, and neither fixed nor acknowledged rows as rows to fix", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const check = Effect.map(at.inProcess("check", "contacts"), ({ stdout }) => onOneLine(stdout))
    const rows = ["1,Ada,ada@example.org,", "2,Bob,none,", "3,Cid,none,", "4,Dan,dan@example.org,"]
    write(at, { rows, fix: ["", ""] }, again)
    const first = yield* runs(at, [1, 2])
    expect(yield* check).toContain(
      "0 of 4 rows are ready to send, 2 can't be sent: see above, 2 are known from earlier",
    )
    fix(at, ["2,Bob,none", "2,Bob,bob@example.org"])
    yield* importFixed(at, first.lastLine)
    yield* at.inProcess("acknowledge", "contacts", "--rows", "3", "--because", "has no address")
    at.edit("source.csv", "Dan,", "Daniel,")
    expect(yield* check).toContain(
      "1 of 4 rows is ready to send, 1 of them again, because it changed, 1 can't be sent and is acknowledged, 2 are known from earlier runs.",
    )
    yield* runs(at, [0, 4])
  }))

it.scopedLive("rows fixed under `latest` are sent after a dry run and in parts, and their file is kept until then", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write(
      "config/formferry.yaml",
      `${at.read("config/formferry.yaml")}reports: { directory: ../reports, keepRuns: 1 }\n`,
    )
    at.write("source.csv", [header, "1,Ada,ada@example.org,", "2,Bob,none,", "3,Cid,none,", ""].join("\n"))
    at.write(
      "pipelines/contacts.yaml",
      pipelineYaml({ sink: `service: live\n  form: contacts\n  stopWhen: { invalid: 100% }` }),
    )
    yield* at.exits(1, "run", "contacts")
    const [first = ""] = at.runs()
    const fixed = "reports/contacts/latest/rejected.csv"
    at.edit(fixed, "2,Bob,none", "2,Bob,bob@example.org")
    at.edit(fixed, "3,Cid,none", "3,Cid,cid@example.org")
    const looked = yield* at.exits(0, "run", "contacts", "--source", fixed, "--dry-run")
    const next = `reports/contacts/${first}/rejected.csv`
    expect(looked.stdout).toContain(`formferry run contacts --source ${at.folder}/${next}`)
    for (const sent of [2, 3]) {
      yield* at.exits(0, "run", "contacts", "--source", next, "--limit", "1")
      expect(at.count()).toBe(sent)
    }
    // The link leads to the last run's own file.
    const empty = yield* at.inProcess("run", "contacts", "--source", fixed)
    expect(onOneLine(empty.stdout)).toContain("rejected.csv has no rows, so nothing was sent.")
  }))
