// Tests rejected.csv as a source: rows that could not be read properly, and masked copies.
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { type Bench, bench, csv, pipelineYaml, upTo } from "./contacts.ts"

/** Runs the command that the last run suggested, unchanged. */
const pasted = (at: Bench, lastLine: string) => {
  expect(lastLine).toMatch(/^formferry run contacts --source \S+rejected\.csv$/)
  return at.inProcess(...lastLine.split(" ").slice(1))
}

/** Changes the last run's rejected.csv. */
const fix = (at: Bench, ...changes: ReadonlyArray<readonly [string, string]>) => {
  const file = join("reports/contacts/latest", "rejected.csv")
  for (const [before, after] of changes) {
    expect(at.read(file)).toContain(before)
    at.write(file, at.read(file).replace(before, after))
  }
}

const sink = "service: live\n  form: contacts\n  stopWhen: { invalid: 100% }"

it.scopedLive("rows that could not be read stay rejected until they are corrected and their code is deleted", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("pipelines/contacts.yaml", pipelineYaml({ sink }))
    const source = Buffer.concat([
      Buffer.from(csv(upTo(8), (key) =>
        key === 2
          ? "Åsa,2@example.org"
          : key === 3
          ? "Lee, Bob,3@example.org,1990-01-17"
          : `Zoë ${key},${key}@example.org,1990-01-17`)),
      Buffer.from("9,M\xfcller,9@example.org,1990-01-17\n", "latin1"),
    ])
    at.write("source.csv", source)
    const first = yield* at.run("run", "contacts")
    expect(first.status, first.stdout + first.stderr).toBe(1)
    expect(at.report().rows).toMatchObject({ imported: 6, invalid: 3 })

    const again = yield* pasted(at, first.lastLine)
    expect(again.status, again.stdout + again.stderr).toBe(1)
    expect(at.report().rows).toMatchObject({ read: 3, imported: 0, invalid: 3 })
    expect(at.count()).toBe(6)
    expect(again.stdout + again.stderr).toContain("delete")

    // No cell is lost, although the second file was made from the first one.
    fix(
      at,
      ["2,Åsa,2@example.org,,1,,ragged-row", "2,Åsa,2@example.org,1991-02-03,1,,"],
      ['3,Lee," Bob",3@example.org,2,,ragged-row', '3,"Lee, Bob",3@example.org,1990-01-17,2,,'],
      [",1990-01-17\n", "\n"],
      ["9,M\ufffdller,9@example.org,1990-01-17,3,,damaged-text", "9,Müller,9@example.org,1990-01-17,3,,"],
    )
    const fixed = yield* pasted(at, again.lastLine)
    expect(fixed.status, fixed.stdout + fixed.stderr).toBe(0)
    expect(at.answers("qName")).toEqual(
      ["Åsa", "Lee, Bob", "Müller", ...[1, 4, 5, 6, 7, 8].map((key) => `Zoë ${key}`)].toSorted(),
    )
    expect(at.answers("qBorn")).toContain("1991-02-03")

    const night = yield* at.inProcess("run", "contacts")
    expect(night.status, night.stdout + night.stderr).toBe(0)
    expect(at.count()).toBe(9)
  }))

it.scopedLive("records with half of a character or with conflicting values stay rejected until a person has corrected them", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const record = (no: number, name: string) =>
      JSON.stringify({ No: no, Name: name, Mail: `${no}@example.org`, Born: "1990-01-17" })
    const half = record(2, "half").replace("half", "\\ud83d")
    at.write("source.jsonl", `${record(1, "Ann")}\n${half}\n${record(3, "Cy")}\n${record(3, "Di")}\n`)
    const file = "../source.jsonl\n  combine: { by: [No] }"
    at.write("pipelines/contacts.yaml", pipelineYaml({ sink, file }))
    const first = yield* at.inProcess("run", "contacts")
    expect(first.status, first.stdout + first.stderr).toBe(1)
    expect(at.report().problems.map(({ code }) => code).toSorted()).toEqual(["conflict", "damaged-text"])

    const again = yield* pasted(at, first.lastLine)
    expect(again.status, again.stdout + again.stderr).toBe(1)
    expect(at.answers("qName")).toEqual(["Ann"])

    fix(at, ["\ufffd", "Bo"], ["damaged-text", ""], ["conflict", ""])
    const fixed = yield* pasted(at, again.lastLine)
    expect(fixed.status, fixed.stdout + fixed.stderr).toBe(0)
    expect(at.answers("qName")).toEqual(["Ann", "Bo", "Cy"])
  }))

it.scopedLive("a masked file of rows is refused as a source", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(2), (key) => `Person ${key},${key === 2 ? "none" : "a@example.org"},1990-01-17`))
    const masked = yield* at.inProcess("run", "contacts", "--redact")
    expect(masked.status, masked.stdout + masked.stderr).toBe(1)
    for (const file of ["rejected.csv", "in-doubt.csv"]) {
      const refused = yield* at.inProcess("run", "contacts", "--source", join(at.report().folder, file))
      expect(refused.status, refused.stdout + refused.stderr).toBe(2)
      expect(refused.stderr).toContain("masked copy")
    }
    expect(at.count()).toBe(1)
  }))

it.scopedLive.each([["the row's content", "content"], ["a column", "[No]"]] as const)(
  "a fixed row that was sent is not sent again after another correction, if its key is %s",
  ([, rowKey]) =>
    Effect.gen(function*() {
      const at = yield* bench()
      at.write("pipelines/contacts.yaml", pipelineYaml({ sink }).replace("[No]", rowKey))
      at.write(
        "source.csv",
        csv(upTo(4), (key) => `Person ${key},${key > 2 ? "none" : `${key}@example.org`},1990-01-17`),
      )
      const first = yield* at.inProcess("run", "contacts")
      expect(first.status, first.stdout + first.stderr).toBe(1)
      const file = join(at.report().folder, "rejected.csv")
      const text = at.read(file.slice(at.folder.length + 1))
      const rows = (third: string, fourth = "4,Person 4,none,") =>
        at.write("fixed.csv", text.replace("3,Person 3,none,", third).replace("4,Person 4,none,", fourth))
      const run = at.inProcess("run", "contacts", "--source", "fixed.csv")
      rows("33,Person 3,3@example.org,")
      expect((yield* run).status).toBe(1)
      expect(at.count()).toBe(3)

      rows("34,Person Three,3@example.org,", "4,Person 4,4@example.org,")
      const again = yield* run
      expect(again.status, again.stdout + again.stderr).toBe(1)
      expect(at.report().rows).toMatchObject({ read: 2, changed: 1, imported: 1 })
      expect(at.answers("qName")).toEqual(["Person 1", "Person 2", "Person 3", "Person 4"])

      // The rejected rows of the source are known under their earlier content.
      const night = yield* at.inProcess("run", "contacts")
      expect(night.status, night.stdout + night.stderr).toBe(0)
      expect(at.count()).toBe(4)
    }),
)
