import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { type Bench, bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { onOneLine, type Ran } from "./formferry.ts"

it.scopedLive("a repeated run sends nothing, and a run with one new row sends only that row", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(25)))
    const first = yield* at.exits(0, "run", "contacts")
    expect(first.stdout).toContain("Complete")
    expect(at.count()).toBe(25)
    expect(at.answers("qName")).toEqual(upTo(25).map((key) => `Person ${key}`).toSorted())
    expect(new Set(at.answers("qBorn"))).toEqual(new Set(["1990-01-17"]))
    expect(at.report()).toMatchObject({
      exitCode: 0,
      rows: { read: 25, imported: 25 },
      readBack: { verified: 25, differing: 0, missing: 0, unread: 0 },
      balance: { holds: true },
    })

    yield* at.exits(0, "run", "contacts")
    expect(at.count()).toBe(25)
    expect(at.report()).toMatchObject({
      rows: { read: 25, alreadyImported: 25, imported: 0 },
      requests: { create: 0, read: 0 },
    })

    at.write("source.csv", csv(upTo(26)))
    yield* at.exits(0, "run", "contacts")
    expect(at.count()).toBe(26)
    expect(at.report()).toMatchObject({ rows: { alreadyImported: 25, imported: 1 }, requests: { create: 1 } })
  }))

it.scopedLive("submissions carry the row key, the run and the pipeline that sent them, and the next run finds no changed row", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const stamp = "stamp: { urlParameter: row_key, run: run_id, pipeline: imported_by }"
    at.write("pipelines/contacts.yaml", pipelineYaml({ sink: `service: live\n  form: stamped\n  ${stamp}` }))
    at.write("source.csv", csv(upTo(3)))
    const preview = yield* at.inProcess("preview", "contacts", "--row", "1")
    expect(preview.stdout).toMatch(/run_id +│ +│ the run's id/)
    yield* at.exits(0, "run", "contacts")
    const first = at.report()
    expect(first.readBack).toEqual({ verified: 3, differing: 0, missing: 0, unread: 0 })

    at.write("source.csv", csv(upTo(4)))
    yield* at.exits(0, "run", "contacts")
    const second = at.report()
    expect(second.rows).toMatchObject({ alreadyImported: 3, changed: 0, imported: 1 })
    expect(second.run).not.toBe(first.run)
    expect(at.answers("row_key", "stamped")).toEqual(["1", "2", "3", "4"])
    expect(at.answers("run_id", "stamped")).toEqual([first.run, first.run, first.run, second.run])
    expect(new Set(at.answers("imported_by", "stamped"))).toEqual(new Set(["contacts"]))

    yield* at.exits(0, "reconcile", "contacts")
    expect(at.report().readBack).toMatchObject({ verified: 4, differing: 0 })
  }))

it.scopedLive("a bad row is rejected with exit code 1, and is imported once after it is fixed", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const source = csv(
      upTo(12),
      (key) => key === 7 ? "Person 7,not an address,31.02.1990" : `Person ${key},p${key}@example.org,1990-01-17`,
    )
    at.write("source.csv", source)
    const first = yield* at.exits(1, "run", "contacts")
    expect(at.count()).toBe(11)
    const report = at.report()
    expect(report.rows).toMatchObject({ imported: 11, invalid: 1 })
    const rejected = join(report.folder, "rejected.csv")
    expect(first.lastLine).toBe(`formferry run contacts --source ${rejected}`)

    const lines = at.read(rejected.slice(at.folder.length + 1))
    expect(lines).toContain("not-an-email")
    expect(lines).toContain("not-a-date")
    at.write("fixed.csv", lines.replace("not an address", "p7@example.org").replace("31.02.1990", "1990-01-17"))
    yield* at.exits(0, "run", "contacts", "--source", "fixed.csv")
    expect(at.count()).toBe(12)
    expect(at.answers("qMail")).toContain("p7@example.org")

    yield* at.exits(0, "run", "contacts")
    expect(at.count()).toBe(12)
    expect(at.report().requests.create).toBe(0)
  }))

it.scopedLive("acknowledged rows no longer raise the exit code, and unknown keys are reported", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write(
      "source.csv",
      csv([1, 2, 3], (key) => `Person ${key},${key === 2 ? "nonsense" : "a@example.org"},1990-01-17`),
    )
    yield* at.exits(1, "run", "contacts")

    const nothing = yield* at.exits(2, "acknowledge", "contacts", "--rows", "99", "--because", "typo")
    expect(nothing.stderr).toContain("99")

    const seen = yield* at.exits(0, "acknowledge", "contacts", "--rows", "2", "99", "--because", "has no address")
    expect(seen.stdout).toContain("1 row acknowledged")
    expect(seen.stderr).toContain("99")

    yield* at.exits(0, "run", "contacts")
    expect(at.report()).toMatchObject({ acknowledged: 1, rows: { invalid: 1, alreadyImported: 2 } })
    expect(at.count()).toBe(2)
  }))

it.scopedLive("a run at a different destination treats every row as new, and says so once", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(3)))
    yield* at.exits(0, "run", "contacts")
    at.write("pipelines/contacts.yaml", pipelineYaml({ sink: "service: live\n  form: other" }))
    const other = yield* at.exits(0, "run", "contacts")
    expect(other.stdout).toContain("its rows are new there")
    expect([at.count("contacts"), at.count("other")]).toEqual([3, 3])
    expect((yield* at.inProcess("run", "contacts")).stdout).not.toContain("its rows are new there")
    expect([at.count("contacts"), at.count("other")]).toEqual([3, 3])
  }))

it.scopedLive("`--to` chooses the target, which is never guessed", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(3)))
    at.write(
      "pipelines/contacts.yaml",
      pipelineYaml({
        sink: "targets: { staging: { service: live, form: other }, production: { service: live, form: contacts } }",
      }),
    )
    const none = yield* at.exits(2, "run", "contacts")
    expect(none.stderr).toContain("staging")
    expect(none.lastLine).toBe("formferry run contacts --to staging")
    expect((yield* at.inProcess("run", "contacts", "--to", "stagin")).stderr).toContain("Did you mean")
    yield* at.exits(0, "run", "contacts", "--to", "staging")
    expect([at.count("contacts"), at.count("other")]).toEqual([0, 3])
  }))

it.scopedLive("a copy of the pipeline under a different name is refused, and nothing is sent", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(3)))
    yield* at.exits(0, "run", "contacts")
    at.write("pipelines/copy.yaml", pipelineYaml({ name: "copy" }))
    const copy = yield* at.exits(2, "run", "copy")
    expect(copy.stderr).toMatch(/renamedFrom|alongside/)
    expect(at.count()).toBe(3)
  }))

it.scopedLive("a ledger that vanished is refused until a person accepts it", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(3)))
    yield* at.exits(0, "run", "contacts")
    rmSync(join(at.folder, ".formferry"), { recursive: true })
    const refused = yield* at.exits(2, "run", "contacts")
    expect(onOneLine(refused.stderr)).toContain(
      "formferry accept contacts ledger --because TEXT",
    )
    expect(at.count()).toBe(3)
    yield* at.exits(0, "accept", "contacts", "ledger", "--because", "a trial")
    yield* at.exits(0, "run", "contacts")
    expect(at.count()).toBe(6)
  }))

it.scopedLive("`accept` records nothing unless a run was refused, and accepts only known reasons", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(3)))
    yield* at.exits(0, "run", "contacts")
    const nothing = yield* at.exits(2, "accept", "contacts", "canary", "--because", "seen")
    expect(onOneLine(nothing.stderr)).toContain("so there is nothing to accept")
    const unknown = yield* at.exits(2, "accept", "contacts", "canery", "--because", "seen")
    expect(onOneLine(unknown.stderr)).toContain("Did you mean `canary`?")
    const address = yield* at.inProcess("accept", "contacts", "address", "--because", "moved")
    expect([address.status, address.stderr]).toEqual([2, expect.stringContaining("`previousBaseUrls`")])
  }))

it.scopedLive("check counts rows as ready only if no earlier run knows them", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const check = Effect.map(at.inProcess("check", "contacts"), ({ stdout }) => onOneLine(stdout))
    at.write("source.csv", csv(upTo(3)))
    expect(yield* check).toContain("3 rows are ready to send.")
    yield* at.inProcess("run", "contacts")
    expect(yield* check).toContain("0 rows are ready to send, 3 are known from earlier runs.")
    at.write("source.csv", csv(upTo(5)) + "6,Person 6,no address,1990-01-17\n")
    expect(yield* check).toContain(
      "2 of 6 rows are ready to send, 1 can't be sent: see above, 3 are known from earlier runs.",
    )
    yield* at.exits(1, "run", "contacts", "--dry-run")
    expect(at.report().rows).toMatchObject({ pending: 2, invalid: 1, alreadyImported: 3 })
    // The columns of the row key have changed, so the keys have to be looked up by a run.
    at.write("pipelines/contacts.yaml", pipelineYaml().replace("rowKey: [No]", "rowKey: [No, Born]"))
    expect(yield* check).toContain("5 of 6 rows fit the form, 1 can't be sent: see above.")
  }))

/** Runs a command of a refusal's output, with a reason instead of the placeholder. Returns its words. */
const pasteFrom = (at: Bench, refused: Ran, command: string) =>
  Effect.gen(function*() {
    expect(onOneLine(refused.stdout + refused.stderr)).toContain(command)
    const [, ...words] = command.split(" ").map((word) => (word === "TEXT" ? "seen" : word))
    yield* at.exits(0, ...words)
    return words
  })

/** Runs the command in a refusal that accepts its state. */
const acceptAsTold = (at: Bench, refused: Ran, reason: string) =>
  Effect.gen(function*() {
    const words = yield* pasteFrom(at, refused, `formferry accept contacts ${reason} --because TEXT`)
    // The state was accepted, so there is nothing to accept any more.
    yield* at.exits(2, ...words)
  })

it.scopedLive("a failed canary stops each run until its command is run, and so does the canary of a mapping changed later", () =>
  Effect.gen(function*() {
    const at = yield* bench({ faults: [{ fault: "trim-answers", length: 3, at: [1, 3] }] })
    at.write("source.csv", csv(upTo(20)))
    const refused = yield* at.inProcess("run", "contacts")
    expect([refused.status, at.count()], refused.stdout).toEqual([3, 10])
    expect([(yield* at.inProcess("run", "contacts")).status, at.count()]).toEqual([3, 10])
    yield* acceptAsTold(at, refused, "canary")
    const rest = yield* at.inProcess("run", "contacts")
    expect([rest.status, at.count()], rest.stdout).toEqual([4, 20])

    at.write(
      "pipelines/contacts.yaml",
      pipelineYaml().replace("required: true", "required: true, as: text, minLength: 1"),
    )
    at.write("source.csv", csv(upTo(40)))
    const again = yield* at.inProcess("run", "contacts")
    expect([again.status, at.count()], again.stdout + again.stderr).toEqual([3, 30])
    expect([(yield* at.inProcess("run", "contacts")).status, at.count()]).toEqual([3, 30])
  }))

it.scopedLive("reformatted keys stop each run until the command is run, which accepts only these keys", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const withKeys = (...keys: ReadonlyArray<string>) =>
      csv(upTo(keys.length)).replaceAll(/^(\d+),/gm, (_, number: string) => `${keys[Number(number) - 1]},`)
    at.write("source.csv", withKeys("C-01", "C-02", "C-03"))
    yield* at.exits(0, "run", "contacts")
    at.write("source.csv", withKeys("C-1", "C-02", "C-03"))
    const refused = yield* at.inProcess("run", "contacts")
    expect([refused.status, at.count()], refused.stdout).toEqual([2, 3])
    expect([(yield* at.inProcess("run", "contacts")).status, at.count()]).toEqual([2, 3])
    yield* acceptAsTold(at, refused, "row-key")
    at.write("source.csv", withKeys("C-1", "C-2", "C-03"))
    const wider = yield* at.inProcess("run", "contacts")
    expect([wider.status, at.count()], wider.stdout).toEqual([2, 3])
    at.write("source.csv", withKeys("C-1", "C-02", "C-03"))
    const sent = yield* at.inProcess("run", "contacts")
    expect([sent.status, at.count()], sent.stdout).toEqual([0, 4])
    at.write("source.csv", withKeys("C-1", "C-2", "C-03"))
    const again = yield* at.inProcess("run", "contacts")
    expect([again.status, at.count()], again.stdout).toEqual([2, 4])
  }))

it.scopedLive("a forgotten row stops each run under a reformatted key until that key is forgotten, too, or accepted", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(3)).replaceAll(/^(\d),/gm, "C-0$1,"))
    yield* at.exits(0, "run", "contacts")
    for (const key of ["C-01", "C-02"]) {
      yield* at.exits(0, "ledger", "forget", "contacts", "--rows", key, "--because", "1")
    }
    at.write("source.csv", csv(upTo(3)).replaceAll(/^(\d),/gm, "C-$1,").replace("C-3", "C-03"))
    const refused = yield* at.inProcess("run", "contacts")
    expect([refused.status, at.count()], refused.stdout).toEqual([2, 3])
    const command = "formferry ledger forget contacts --rows KEY --because TEXT"
    expect(onOneLine(refused.stdout)).toContain(
      `"C-1" (row 1), "C-2" (row 2). Nothing was sent. If they are the same, forget this spelling, too: ${command}`,
    )
    // Webhooks and summaries of GitHub Actions, which contain no keys, get this command.
    expect(at.report().next).toBe("formferry report contacts --open")
    yield* at.inProcess("run", "contacts", "--redact")
    expect(at.report().because.join(" ")).toContain("have the same key, apart from formatting")
    expect(JSON.stringify(at.report())).not.toContain("C-1")
    yield* at.exits(0, "ledger", "forget", "contacts", "--rows", "C-1", "C-2", "--because", "seen")
    expect(readFileSync(join(at.folder, ".formferry/ledger.db"), "latin1")).not.toContain("(row 1)")
    const again = yield* at.inProcess("run", "contacts")
    expect([again.status, at.count(), at.report().rows], again.stdout)
      .toEqual([0, 3, expect.objectContaining({ filtered: 2, alreadyImported: 1 })])

    // A source with both keys has two rows. Otherwise, a person may say that the row is a different one.
    at.write("source.csv", csv(upTo(4)).replaceAll(/^(\d),/gm, "C-$1,").replace("C-3", "C-03").replace("C-4", "c1"))
    const both = yield* at.inProcess("run", "contacts")
    expect([both.status, at.count()], both.stdout).toEqual([0, 4])
    at.write("source.csv", csv(upTo(4)).replaceAll(/^(\d),/gm, "C-$1,").replace("C-3", "C-03").replace("C-2", "c 02"))
    const other = yield* at.inProcess("run", "contacts")
    expect([other.status, at.count()], other.stdout).toEqual([2, 4])
    yield* acceptAsTold(at, other, "row-key")
    expect([(yield* at.inProcess("run", "contacts")).status, at.count()]).toEqual([0, 6])
  }))

it.scopedLive("--dry-run and --limit leave rows pending and exit with code 0", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(30)))
    yield* at.exits(0, "run", "contacts", "--dry-run")
    expect(at.report()).toMatchObject({ mode: "dry-run", rows: { read: 30, pending: 30 } })
    expect(at.count()).toBe(0)
    yield* at.exits(0, "run", "contacts", "--limit", "4")
    expect(at.report().rows).toMatchObject({ imported: 4, pending: 26 })
    expect(at.count()).toBe(4)
    yield* at.exits(0, "run", "contacts", "--limit", "0")
    expect(at.count()).toBe(4)
    yield* at.exits(0, "run", "contacts")
    expect(at.answers("qName")).toEqual(upTo(30).map((key) => `Person ${key}`).toSorted())
  }))
