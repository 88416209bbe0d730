// Tests files in which text and meaning differ: rejected.csv contains the text, and answers are made from the meaning.
import { FileSystem, Path } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import Papa from "papaparse"
import { runOf } from "../demo/runOf.ts"
import { platform, projectFolder } from "../project/projectFolder.ts"

const header =
  "#,Name,Phone number,Hiking,Cycling,Other,Response Type,Start Date (UTC),Stage Date (UTC),Submit Date (UTC),Network ID,Tags"
const tail = "completed,2026-02-10 07:49:00,,2026-02-10 07:51:02,1a2b3c4d5e,"

const typeform = [
  header,
  `r1,Ada,'+4930231250,Hiking,,,${tail}`,
  `r2,Ben,'+49 no number,,Cycling,,${tail}`,
  `r3,Cem,'+4930231252,Hiking,Cycling,Chess,${tail}`,
].join("\n")

const vv = [
  "Response ID\tDate submitted\tLast page\tStart language\tWords\tMail",
  "id\tsubmitdate\tlastpage\tstartlanguage\tQ1\tQ2",
  "1\t2021-09-24 11:39:34\t3\ten\tone{newline}two\tada@example.org",
  "2\t{question_not_shown}\t3\ten\tthree{tab}four\tnobody",
].join("\n")

const project = (source: string, text: string, pipeline: string, form: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const root = yield* projectFolder({
      "config/formferry.yaml": "services:\n  practice:\n    practice: { forms: ../forms, store: ../store }\n",
      "forms/form.yaml": `id: f1\nname: form\nquestions:\n${form}`,
      "pipelines/p.yaml":
        `pipeline: p\nsource:\n  file: ../${source}\n${pipeline}\n  unmapped: ignore\nsink: { service: practice, form: f1 }\n`,
      [source]: text,
    })
    const read = (name: string) => fs.readFileString(path.join(root, name))
    return {
      root,
      read,
      write: (name: string, content: string) => fs.writeFileString(path.join(root, name), content),
      rejected: (run: string) =>
        Effect.map(read(`reports/p/${run}/rejected.csv`), (csv) =>
          Papa.parse<ReadonlyArray<string>>(csv.replace(/^\ufeff/, ""), { skipEmptyLines: true }).data),
      stored: Effect.map(read("store/f1.jsonl"), (lines) =>
        lines.trimEnd().split("\n").map((line) => {
          const { questions } = JSON.parse(line) as { questions: ReadonlyArray<{ name: string; value: unknown }> }
          return Object.fromEntries(questions.flatMap(({ name, value }) => (value === null ? [] : [[name, value]])))
        })),
      fixed: path.join(root, "fixed.csv"),
    }
  })

describe("rows of a form tool's file", () => {
  it.scopedLive("rejected rows keep their original text, and are read by the tool's rules after they are fixed", () =>
    Effect.gen(function*() {
      const at = yield* project(
        "typeform.csv",
        typeform,
        "mapping:\n  questions:\n    - { name: Name, from: Name }\n    - { name: Phone, from: Phone number }\n    - { name: Sports, from: { block: Hiking … Cycling }, as: choices, otherwise: keep }",
        "  - { id: q1, name: Name }\n  - { id: q2, name: Phone, type: PhoneNumber }\n  - { id: q3, name: Sports, type: MultiSelect, options: [Hiking, Cycling] }\n",
      )
      const first = yield* runOf(at.root, "p")
      expect(first.rows).toMatchObject({ read: 3, imported: 2, invalid: 1 })
      const [titles = [], row = []] = yield* at.rejected(first.run)
      expect(titles.slice(0, 12)).toEqual(header.split(","))
      expect(row.slice(0, 4)).toEqual(["r2", "Ben", "'+49 no number", ""])
      expect(row[titles.indexOf("_key")]).toBe("r2")
      const fixed = row.map((cell, position) => position === 2 ? "'+4930231251" : cell)
      yield* at.write("fixed.csv", Papa.unparse([[...titles], fixed]))
      const second = yield* runOf(at.root, "p", at.fixed)
      expect(second.rows).toMatchObject({ read: 1, imported: 1 })
      expect(yield* at.stored).toEqual([
        { Name: "Ada", Phone: "+4930231250", Sports: ["Hiking"] },
        { Name: "Cem", Phone: "+4930231252", Sports: ["Hiking", "Cycling", "Chess"] },
        { Name: "Ben", Phone: "+4930231251", Sports: ["Cycling"] },
      ])
      // The original row counts as superseded, so nothing is imported twice.
      const third = yield* runOf(at.root, "p")
      expect(third.rows).toMatchObject({ read: 3, alreadyImported: 3 })
    }).pipe(Effect.provide(platform)))

  it.scopedLive("rows arrive correctly from a fixed file with one header, even if the original had escapes and two headers", () =>
    Effect.gen(function*() {
      const at = yield* project(
        "vv.txt",
        vv,
        "mapping:\n  questions:\n    - { name: Words, from: Q1 }\n    - { name: Mail, from: Q2 }",
        "  - { id: q1, name: Words }\n  - { id: q2, name: Mail, type: EmailInput }\n",
      )
      const first = yield* runOf(at.root, "p")
      expect(first.rows).toMatchObject({ read: 2, imported: 1, invalid: 1 })
      const [titles = [], row = []] = yield* at.rejected(first.run)
      expect(row.slice(0, 6)).toEqual(["2", "{question_not_shown}", "3", "en", "three{tab}four", "nobody"])
      yield* at.write(
        "fixed.csv",
        Papa.unparse([[...titles], row.map((cell) => cell === "nobody" ? "ben@example.org" : cell)]),
      )
      expect((yield* runOf(at.root, "p", at.fixed)).rows).toMatchObject({ read: 1, imported: 1 })
      expect(yield* at.stored).toEqual([
        { Words: "one\ntwo", Mail: "ada@example.org" },
        { Words: "three\tfour", Mail: "ben@example.org" },
      ])
    }).pipe(Effect.provide(platform)))

  it.scopedLive("rows don't change if the file is later read as plain CSV", () =>
    Effect.gen(function*() {
      const mapping =
        '  rowKey: ["#"]\nmapping:\n  questions:\n    - { name: Name, from: Name }\n    - { name: Phone, from: Phone number }'
      const form = "  - { id: q1, name: Name }\n  - { id: q2, name: Phone }\n"
      const at = yield* project("typeform.csv", typeform, mapping, form)
      const first = yield* runOf(at.root, "p")
      expect(first.rows).toMatchObject({ imported: 3 })
      const pipeline = yield* at.read("pipelines/p.yaml")
      yield* at.write("pipelines/p.yaml", pipeline.replace("source:\n", "source:\n  format: csv\n"))
      const second = yield* runOf(at.root, "p")
      expect(second.rows).toMatchObject({ alreadyImported: 3, changed: 0, imported: 0 })
      // The cells now have a different meaning, which is reported like an edited mapping.
      expect(second.fingerprints.mapping).not.toBe(first.fingerprints.mapping)
      expect((yield* at.stored)[0]).toEqual({ Name: "Ada", Phone: "+4930231250" })
    }).pipe(Effect.provide(platform)))

  it.scopedLive("a source with neither an id column nor a rowKey is refused, and the message names the setting", () =>
    Effect.gen(function*() {
      const at = yield* project(
        "google.csv",
        "Timestamp,What is your name?\n12/13/2019 12:02:32,Ada\n",
        'mapping:\n  questions:\n    - { name: Name, from: "What is your name?" }',
        "  - { id: q1, name: Name }\n",
      )
      const error = yield* Effect.flip(runOf(at.root, "p"))
      expect(error.message).toContain("rowKey")
    }).pipe(Effect.provide(platform)))
})
