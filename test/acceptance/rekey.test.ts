import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { onOneLine } from "./formferry.ts"
import { databasesIfLong } from "./inPostgres.ts"

it.scopedLive("with rowKey: content, the rows are shown by their numbers and first mapped cells, because their keys are digests", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("pipelines/contacts.yaml", pipelineYaml().replace("rowKey: [No]", "rowKey: content"))
    at.write("source.csv", csv(upTo(3)))
    yield* at.exits(0, "run", "contacts")
    at.write("source.csv", csv(upTo(3)).replace("Person 2", "PERSON 2"))
    yield* at.exits(3, "run", "contacts")
    const shown = yield* at.inProcess("ledger", "rekey", "contacts")
    expect([shown.status, shown.stdout], shown.stderr).toEqual([2, "Row 2: PERSON 2, p2@example.org, 1990-01-17\n"])
    const recorded = yield* at.inProcess("ledger", "rekey", "contacts", "--yes")
    expect(recorded.stdout).toContain("1 row key recorded")
  }))

it.scopedLive.each(databasesIfLong)(
  "the keys of reformatted rows are recorded after a person agrees, and the run continues ($name)",
  ({ place }) =>
    Effect.gen(function*() {
      const at = yield* bench()
      ;(yield* place)(at)
      const rows = (key: (number: number) => string) =>
        csv(upTo(12)).replaceAll(/^(\d+),/gm, (_, number: string) => `${key(Number(number))},`)
      at.write("source.csv", rows((number) => `C-${String(number).padStart(6, "0")}`))
      yield* at.exits(0, "run", "contacts")
      at.write(
        "source.csv",
        rows((number) => (number % 3 === 0 ? `C-${number}` : `C-${String(number).padStart(6, "0")}`)),
      )
      const refused = yield* at.run("run", "contacts")
      expect([refused.status, at.count(), refused.lastLine]).toEqual([2, 12, "formferry ledger rekey contacts"])
      expect(onOneLine(refused.stdout + refused.stderr)).toContain("formferry ledger rekey contacts")
      const checked = yield* at.exits(2, "check", "contacts")
      const [sentence = ""] = /4 new rows have the same key, apart from .* Nothing was sent\./.exec(
        onOneLine(refused.stdout),
      ) ?? []
      expect(sentence).toContain('"C-000003" (row 3)')
      expect(onOneLine(checked.stdout)).toContain(sentence)
      const shown = yield* at.inProcess("ledger", "rekey", "contacts")
      expect([shown.status, shown.stdout], shown.stderr).toEqual([2, expect.stringContaining("C-000003 → C-3")])
      expect(shown.stderr.trim().split("\n").at(-1)).toBe("formferry ledger rekey contacts --yes")
      const recorded = yield* at.inProcess("ledger", "rekey", "contacts", "--yes")
      expect([recorded.status, recorded.stdout], recorded.stderr).toEqual([
        0,
        expect.stringContaining("4 row keys recorded"),
      ])
      yield* at.exits(0, "run", "contacts")
      expect(at.count()).toBe(12)
      // Keys that resemble no known key come from a file.
      at.write(
        "source.csv",
        rows((
          number,
        ) => (number === 1 ? "anna" : number % 3 === 0 ? `C-${number}` : `C-${String(number).padStart(6, "0")}`)),
      )
      at.write("map.csv", "old,new\nC-000001,anna\n")
      const mapped = yield* at.inProcess("ledger", "rekey", "contacts", "--map", "map.csv", "--yes")
      expect([mapped.status, mapped.stdout], mapped.stderr).toEqual([0, expect.stringContaining("1 row key recorded")])
      yield* at.exits(0, "run", "contacts")
      expect(at.count()).toBe(12)
      const again = yield* at.inProcess("ledger", "rekey", "contacts", "--map", "map.csv", "--yes")
      expect([again.status, again.stdout], again.stderr).toEqual([
        0,
        expect.stringContaining("the ledger already has the new key of 1 row, and none of the earlier ones"),
      ])
      // As after an interruption: some pairs are recorded, the others are not.
      at.write("map.csv", "old,new\nC-000001,anna\nC-000002,berta\n")
      const rest = yield* at.inProcess("ledger", "rekey", "contacts", "--map", "map.csv", "--yes")
      expect([rest.status, rest.stdout], rest.stderr).toEqual([0, expect.stringContaining("1 row key recorded")])
      at.write("map.csv", "old,new\nC-000004,dora\nC-000004,doris\n")
      const twice = yield* at.inProcess("ledger", "rekey", "contacts", "--map", "map.csv", "--yes")
      expect([twice.status, twice.stdout, onOneLine(twice.stderr)]).toEqual([
        2,
        "",
        expect.stringContaining("a row would get two keys. Nothing was recorded."),
      ])
      at.write("map.csv", "old,new\nC-000009,otto\n")
      const unknown = yield* at.inProcess("ledger", "rekey", "contacts", "--map", "map.csv", "--yes")
      expect([unknown.status, onOneLine(unknown.stderr)]).toEqual([
        2,
        expect.stringContaining('"C-000009" is not the key of a known row'),
      ])
      at.write("map.csv", "C-000004,dora\nC-000005,emma\n")
      const headless = yield* at.inProcess("ledger", "rekey", "contacts", "--map", "map.csv", "--yes")
      expect([headless.status, headless.lastLine, onOneLine(headless.stderr)]).toEqual([
        2,
        "formferry ledger export contacts --format jsonl",
        expect.stringContaining("its first line is a pair of keys instead of a header. Nothing was recorded."),
      ])
    }),
)

it.scopedLive.each(databasesIfLong)(
  "a row that was not created gives its key to the imported row with the reformatted key, from the source or a map ($name)",
  ({ place }) =>
    Effect.gen(function*() {
      const refusal = { fault: "status", status: 401, body: "json", on: "create", when: "before", at: [2] } as const
      const at = yield* bench({ faults: [refusal] })
      ;(yield* place)(at)
      const write = (last: string) => at.write("source.csv", csv(upTo(4)).replace("\n4,", `\n${last},`))
      at.write("source.csv", csv(upTo(3)))
      yield* at.exits(0, "run", "contacts")
      write("4")
      yield* at.exits(5, "run", "contacts")
      write("#4")
      expect([(yield* at.inProcess("run", "contacts")).status, at.count()]).toEqual([0, 4])
      write("4")
      const refused = yield* at.inProcess("run", "contacts")
      expect([refused.status, at.count(), refused.lastLine]).toEqual([2, 4, "formferry ledger rekey contacts"])
      const shown = yield* at.inProcess("ledger", "rekey", "contacts")
      expect(shown.stdout, shown.stderr).toContain("#4 → 4")
      at.write("map.csv", "old,new\n#4,4\n")
      for (const said of ["1 row key recorded", "the ledger already has the new key of 1 row"]) {
        const recorded = yield* at.inProcess("ledger", "rekey", "contacts", "--map", "map.csv", "--yes")
        expect([recorded.status, recorded.stdout], recorded.stderr).toEqual([0, expect.stringContaining(said)])
      }
      expect([(yield* at.inProcess("run", "contacts")).status, at.count()]).toEqual([0, 4])
      at.write("map.csv", "old,new\n4,3\n")
      const taken = yield* at.inProcess("ledger", "rekey", "contacts", "--map", "map.csv", "--yes")
      expect([taken.status, onOneLine(taken.stderr)]).toEqual([
        2,
        expect.stringContaining('"3" is the key of another row'),
      ])
    }),
)

it.scopedLive("the keys of the same rows are recorded if the source lost a column of the row key, as the refusal suggests", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.edit("pipelines/contacts.yaml", "[No]", "[No, Part]")
    at.write("source.csv", csv(upTo(3)).replace("No,", "Part,No,").replaceAll(/^(?=\d)/gm, "a,"))
    yield* at.exits(0, "run", "contacts")
    at.edit("pipelines/contacts.yaml", "[No, Part]", "[No]")
    at.write("source.csv", csv(upTo(3)))
    const refused = yield* at.exits(2, "run", "contacts")
    expect(onOneLine(refused.stdout)).toContain(
      "If they are gone, but the rows are the same, run: formferry ledger rekey contacts. If the rows have their new keys, or are really new, run: formferry accept contacts row-key --because TEXT.",
    )
    expect((yield* at.inProcess("ledger", "rekey", "contacts", "--yes")).stdout).toContain("3 row keys recorded")
    yield* at.exits(0, "accept", "contacts", "row-key", "--because", "Part is gone")
    const known = yield* at.inProcess("run", "contacts")
    expect([known.status, at.count()], known.stdout).toEqual([0, 3])
  }))

it.scopedLive("a map may contain keys as `ledger export` protects them from spreadsheets", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(2)).replace("\n2,", "\n-2,"))
    yield* at.exits(0, "run", "contacts")
    expect((yield* at.inProcess("ledger", "export", "contacts")).stdout).toContain(`,"'-2",imported,`)
    at.write("source.csv", csv(upTo(2)).replace("\n2,", "\ntwo,"))
    at.write("map.csv", "old,new\n'-2,two\n")
    const recorded = yield* at.inProcess("ledger", "rekey", "contacts", "--map", "map.csv", "--yes")
    expect(recorded.stdout, recorded.stderr).toContain("1 row key recorded")
    yield* at.exits(0, "run", "contacts")
    expect(at.count()).toBe(2)
  }))

it.scopedLive.each(databasesIfLong)(
  "a map gives new keys to rows that a person skipped, and that of an undone row to the imported one ($name)",
  ({ place }) =>
    Effect.gen(function*() {
      const at = yield* bench()
      ;(yield* place)(at)
      at.edit("config/formferry.yaml", "live:", "live:\n    capabilities: [delete]")
      at.write("source.csv", csv(upTo(3)).replace("p1@example.org", "none"))
      yield* at.exits(1, "run", "contacts")
      yield* at.exits(0, "acknowledge", "contacts", "--rows", "1", "--leave-out", "--because", "a test")
      const undo = ["undo", "contacts", "--run", at.report().run, "--confirm", "live"]
      yield* at.exits(0, ...undo)
      at.write("source.csv", csv([0, 3, 5]).replace("0,", "one,"))
      at.write("map.csv", "old,new\n1,one\n")
      const recorded = yield* at.inProcess("ledger", "rekey", "contacts", "--map", "map.csv", "--yes")
      expect([recorded.status, recorded.stdout], recorded.stderr).toEqual([
        0,
        expect.stringContaining("1 row key recorded"),
      ])
      yield* at.exits(0, "run", "contacts")
      expect(at.count()).toBe(1)
      at.write("map.csv", "old,new\n5,2\n")
      const merged = yield* at.inProcess("ledger", "rekey", "contacts", "--map", "map.csv", "--yes")
      expect(merged.stdout, merged.stderr).toContain("1 row key recorded")
      at.write("source.csv", csv([2, 3]).replace("Person 2,p2", "Person 5,p5"))
      yield* at.exits(0, "run", "contacts")
      expect(at.report().rows).toMatchObject({ alreadyImported: 1, undone: 1, imported: 0 })
    }),
)

it.scopedLive("a fixed duplicate keeps its own key, although the row of which it was a duplicate is undone and sent again", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.edit("config/formferry.yaml", "live:", "live:\n    capabilities: [delete]")
    at.write("source.csv", csv(upTo(3)).replace("\n3,", "\n2,"))
    yield* at.exits(1, "run", "contacts")
    const { run } = at.report()
    const rejected = `reports/contacts/${run}/rejected.csv`
    at.write("fixed.csv", at.read(rejected).replace("\n2,", "\n3,"))
    yield* at.exits(0, "run", "contacts", "--source", "fixed.csv")
    yield* at.exits(0, "undo", "contacts", "--run", run, "--confirm", "live")
    expect(at.count()).toBe(1)
    at.write("source.csv", csv(upTo(3)).replace("\n3,", "\n#3,"))
    yield* at.exits(2, "run", "contacts", "--resend-undone")
    const recorded = yield* at.inProcess("ledger", "rekey", "contacts", "--yes")
    expect(recorded.stdout.trimEnd().split("\n"), recorded.stderr).toEqual(["3 → #3", "1 row key recorded."])
    yield* at.exits(0, "run", "contacts", "--resend-undone")
    expect(at.report().rows).toMatchObject({ alreadyImported: 1, imported: 2 })
    expect(at.count()).toBe(3)
  }))

it.scopedLive("rekey names the earlier keys that several new rows resemble, and pairs only the others", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const withKeys = (...keys: ReadonlyArray<string>) =>
      csv(upTo(keys.length)).replaceAll(/^(\d+),/gm, (_, number: string) => `${keys[Number(number) - 1]},`)
    at.write("source.csv", withKeys("C-01", "C-02", "C-03", "c-3"))
    yield* at.exits(0, "run", "contacts")
    at.write("source.csv", withKeys("C-1", "C1", "C2", "C3"))
    const recorded = yield* at.inProcess("ledger", "rekey", "contacts", "--yes")
    expect(recorded.lastLine).toBe("formferry ledger export contacts")
    expect([recorded.status, recorded.stdout.trimEnd().split("\n")], recorded.stderr).toEqual([1, [
      "C-02 → C2",
      "1 row key recorded.",
      "3 earlier keys can't be paired with certainty. Write the pairs into a file, and pass it with --map:",
      "C-01",
      "C-03",
      "c-3",
    ]])
  }))

it.scopedLive("the keys of rows in another file are recorded with --source, as the refusal suggests", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(3)))
    yield* at.exits(0, "run", "contacts")
    at.write("other file.csv", csv(upTo(3)).replace("\n2,", "\n02,"))
    const refused = yield* at.exits(2, "run", "contacts", "--source", "other file.csv")
    const file = join(at.folder, "other file.csv")
    expect(onOneLine(refused.stdout)).toContain(`formferry ledger rekey contacts --source '${file}'`)
    const recorded = yield* at.inProcess("ledger", "rekey", "contacts", "--source", file, "--yes")
    expect(recorded.stdout, recorded.stderr).toContain("1 row key recorded")
    yield* at.exits(0, "run", "contacts", "--source", file)
    expect(at.count()).toBe(3)
  }))

it.scopedLive("rows known by content that are only written differently get their new keys after a person agrees", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("pipelines/contacts.yaml", pipelineYaml().replace("[No]", "content"))
    at.write("source.csv", csv(upTo(12)))
    yield* at.exits(0, "run", "contacts")
    at.write(
      "source.csv",
      csv(upTo(12)).replaceAll("1990-01-17", "17.01.1990").replaceAll("@example.org", "@Example.org "),
    )
    at.write(
      "pipelines/contacts.yaml",
      pipelineYaml().replace("[No]", "content").replace("as: date", "as: date, format: dd.MM.yyyy"),
    )
    const sentence =
      "12 of 12 rows that are new in this run are replaced (100%), more than stopWhen allows (10%). Apart from formatting, their answers equal those of imported rows that are no longer in the source, such as row 1."
    for (const command of [["run", "contacts"], ["check", "contacts"]]) {
      const refused = yield* at.inProcess(...command)
      expect([refused.status, onOneLine(refused.stdout)]).toEqual([
        command[0] === "run" ? 3 : 2,
        expect.stringContaining(sentence),
      ])
      expect(onOneLine(refused.stdout)).toContain(
        "If they are the same rows, run: formferry ledger rekey contacts.",
      )
    }
    const recorded = yield* at.inProcess("ledger", "rekey", "contacts", "--yes")
    expect(recorded.stdout, recorded.stderr).toContain("12 row keys recorded")
    yield* at.exits(0, "run", "contacts")
    expect(at.count()).toBe(12)
  }))
