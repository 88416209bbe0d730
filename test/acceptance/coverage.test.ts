// Tests exports with unread rows: dumps that no run read, and a rolling export that skipped some days.
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { renameSync, utimesSync } from "node:fs"
import { bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { onOneLine } from "./formferry.ts"

const dumps = (source = "") => pipelineYaml({ file: `{ glob: ../dumps/*.csv, take: newest }${source}` })

/** Returns a text without the line breaks of a narrow terminal. */

const from = (first: number, last: number) => upTo(last).slice(first - 1)

it.scopedLive("matching dumps that were never read need review until they are read or accepted", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("pipelines/contacts.yaml", dumps())
    at.write("dumps/2026-11-01.csv", csv(upTo(5)))
    yield* at.exits(0, "run", "contacts")

    // There was no run for two nights.
    at.write("dumps/2026-11-02.csv", csv(from(2, 7)))
    at.write("dumps/2026-11-03.csv", csv(from(4, 9)))
    at.write("dumps/2026-11-04.csv", csv(from(5, 10)))
    const late = yield* at.exits(1, "run", "contacts")
    expect(onOneLine(late.stdout + late.stderr)).toContain(
      "2 files match the pattern and were not read as they are now: 2026-11-02.csv, 2026-11-03.csv.",
    )
    expect(late.stdout + late.stderr).toContain("Needs your decision")
    expect(late.stdout + late.stderr).not.toContain("Rows need review")
    expect(onOneLine(late.stdout + late.stderr)).toContain("formferry accept contacts files --because TEXT")
    expect(late.lastLine).toBe(`formferry run contacts --source ${at.folder}/dumps/2026-11-02.csv`)
    expect(at.report().rows).toMatchObject({ imported: 5, alreadyImported: 1 })

    // Another run changes nothing. A file that was read counts as read, even after the reports were removed.
    yield* at.exits(1, "run", "contacts")
    yield* at.exits(0, ...late.lastLine.split(" ").slice(1))
    expect(at.report().rows).toMatchObject({ imported: 0, alreadyImported: 6 })
    const one = yield* at.exits(1, "run", "contacts")
    expect(one.stdout + one.stderr).toContain(
      "1 file matches the pattern and was not read as it is now: 2026-11-03.csv.",
    )
    expect(onOneLine(one.stdout + one.stderr)).toContain("If its rows are in no other file, import it with --source.")
    expect(one.lastLine).toBe(`formferry run contacts --source ${at.folder}/dumps/2026-11-03.csv`)
    const dry = yield* at.inProcess("run", "contacts", "--dry-run")
    expect(dry.lastLine).toBe(`formferry run contacts --dry-run --source ${at.folder}/dumps/2026-11-03.csv`)

    const accepted = yield* at.exits(
      0,
      "accept",
      "contacts",
      "files",
      "--because",
      "all of its rows came with the others",
    )
    expect(accepted.stdout).toContain("2026-11-03.csv")
    yield* at.exits(0, "run", "contacts")
    at.write("dumps/2026-11-05.csv", csv(from(5, 11)))
    yield* at.exits(0, "run", "contacts")

    // An older dump arrives late, while the newest is unchanged.
    at.write("dumps/2026-10-31.csv", csv([99]))
    const old = yield* at.exits(1, "run", "contacts")
    expect(old.stdout + old.stderr).toContain("2026-10-31.csv")
  }))

it.scopedLive("a dump counts as unread if a run read only part of it", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("pipelines/contacts.yaml", dumps())
    at.write("dumps/2026-11-01.csv", csv(upTo(5)))
    yield* at.exits(0, "run", "contacts", "--limit", "2")
    at.write("dumps/2026-11-02.csv", csv(upTo(2)))
    const next = yield* at.exits(1, "run", "contacts")
    expect(next.stdout + next.stderr).toContain("2026-11-01.csv")
  }))

it.scopedLive("a dump counts as unread if a file of the same name has replaced it since a run read it", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("pipelines/contacts.yaml", dumps("\n  vanished: ignore"))
    let minutes = 0
    const write = (name: string, text: string) => {
      at.write(`dumps/${name}`, text)
      minutes++
      utimesSync(`${at.folder}/dumps/${name}`, minutes * 60, minutes * 60)
    }
    const run = () => at.inProcess("run", "contacts")
    const isUnread = (name: string) =>
      Effect.map(run(), ({ lastLine, status, stderr, stdout }) => {
        expect(status, stdout + stderr).toBe(1)
        expect(lastLine).toBe(`formferry run contacts --source ${at.folder}/dumps/${name}`)
      })
    const accept = (what: string) => at.inProcess("accept", "contacts", what, "--because", "looked at")

    // Each weekday has its file, which is replaced a week later.
    for (const [index, day] of ["mon", "tue", "wed"].entries()) {
      write(`dump-${day}.csv`, csv([10 + index]))
      yield* run()
      yield* accept("gap")
    }
    expect((yield* run()).status).toBe(0)
    write("dump-mon.csv", csv([20]))
    expect((yield* run()).status).toBe(0)
    // There was no run on Tuesday.
    write("dump-tue.csv", csv([21]))
    write("dump-wed.csv", csv([22]))
    yield* isUnread("dump-tue.csv")
    expect((yield* accept("files")).stdout).toContain("dump-tue.csv")
    expect((yield* run()).status).toBe(0)
    // The acceptance does not cover the next Tuesday.
    write("dump-tue.csv", csv([31]))
    write("dump-wed.csv", csv([32]))
    yield* isUnread("dump-tue.csv")
    expect((yield* at.inProcess("run", "contacts", "--source", `${at.folder}/dumps/dump-tue.csv`)).status).toBe(0)
    expect((yield* run()).status).toBe(0)
    expect(at.count()).toBe(7)
    // A file that was read is only renamed.
    renameSync(`${at.folder}/dumps/dump-tue.csv`, `${at.folder}/dumps/dump-old.csv`)
    expect((yield* run()).status).toBe(0)
  }))

it.scopedLive("a dump with a date in its name counts as unread if its size has changed, but not if it was copied", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("pipelines/contacts.yaml", dumps())
    at.write("dumps/2026-11-01.csv", csv(upTo(5)))
    const run = () => at.inProcess("run", "contacts")
    expect((yield* run()).status).toBe(0)
    at.write("dumps/2026-11-02.csv", csv(upTo(6)))
    utimesSync(`${at.folder}/dumps/2026-11-01.csv`, 60, 60)
    expect((yield* run()).status).toBe(0)
    at.write("dumps/2026-11-01.csv", csv(upTo(7)))
    const grown = yield* run()
    expect(grown.status, grown.stdout + grown.stderr).toBe(1)
    expect(grown.stdout + grown.stderr).toContain(
      "1 file matches the pattern and was not read as it is now: 2026-11-01.csv.",
    )
  }))

it.scopedLive("a rolling export that shares no row with the last one needs review until it is accepted", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("pipelines/contacts.yaml", pipelineYaml({ file: "../source.csv\n  vanished: ignore" }))
    at.write("source.csv", csv(from(1, 10)))
    yield* at.exits(0, "run", "contacts")
    at.write("source.csv", csv(from(6, 15)))
    yield* at.exits(0, "run", "contacts")

    at.write("source.csv", csv(from(21, 30)))
    const gap = yield* at.exits(1, "run", "contacts")
    expect(gap.stdout + gap.stderr).toContain("shares no row with the previous source")
    expect(gap.lastLine).toBe("formferry accept contacts gap --because TEXT")
    expect(at.count()).toBe(25)

    // The finding stays while the export continues as usual.
    at.write("source.csv", csv(from(26, 35)))
    const next = yield* at.exits(1, "run", "contacts")
    expect(next.stdout + next.stderr).toContain(`The source of run ${at.runs().toSorted().at(-2)} shared no row`)

    yield* at.exits(0, "accept", "contacts", "gap", "--because", "nobody answered")
    yield* at.exits(0, "run", "contacts")
    yield* at.exits(2, "accept", "contacts", "gap", "--because", "again")
  }))

it.scopedLive("exports that contain only new rows need exactly one acceptance", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("pipelines/contacts.yaml", pipelineYaml({ file: "../source.csv\n  vanished: ignore" }))
    at.write("source.csv", csv(from(1, 10)))
    yield* at.exits(0, "run", "contacts")
    at.write("source.csv", csv(from(11, 12)))
    yield* at.exits(1, "run", "contacts")
    yield* at.exits(0, "accept", "contacts", "gap", "--because", "each holds the new rows")
    for (const key of [13, 14]) {
      at.write("source.csv", csv([key]))
      yield* at.exits(0, "run", "contacts")
    }
  }))
