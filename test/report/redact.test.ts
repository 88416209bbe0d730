import { FileSystem, type Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { createHmac } from "node:crypto"
import type { Difference, Replacement, RunReport } from "../../src/domain/report.ts"
import { maskOf } from "../../src/domain/reportFields.ts"
import { makeDigester } from "../../src/ledger/secret.ts"
import type { ImportedRow, InDoubtRow, RejectedRow, VanishedRow } from "../../src/report/csvFiles.ts"
import { readReport } from "../../src/report/pastRuns.ts"
import { redactRun } from "../../src/report/redactRun.ts"
import { redactReport } from "../../src/report/reportFile.ts"
import { openRunFolder } from "../../src/report/RunFolder.ts"
import { exampleReport } from "./exampleReport.ts"

const secret = "0123456789abcdef".repeat(4)
const mask = maskOf(makeDigester(secret).value)

/** Computes the digest as docs/review.md describes it. */
const byHand = (text: string) =>
  `hmac:${createHmac("sha256", secret).update(`v${JSON.stringify(text)}`).digest().subarray(0, 16).toString("hex")}`

const names = [
  "rejected.csv",
  "in-doubt.csv",
  "differences.csv",
  "imported.csv",
  "replaced.csv",
  "vanished.csv",
  "whole-form.csv",
  "report.html",
  "report.json",
]

/** Values that a masked report must not contain. */
const ada = "Ada Lovelace"
const born = "31.02.1815"
const phone = '=+49 (30) 123, "5"'
const key = "K-4711"
/** Values that occur only in the rows side by side. */
const [cellOnly, sentOnly, returnedOnly, keyOnly] = ["Babbage", "Menabrea", "Somerville", "K-0815"]
/** Values that occur only in a translation. */
const [translated, meaning] = ["Countess", "Nobility"]
const values = [
  ada,
  born,
  phone,
  key,
  "Byron",
  "secret-link",
  cellOnly,
  sentOnly,
  returnedOnly,
  keyOnly,
  translated,
  meaning,
]

const rejected: ReadonlyArray<RejectedRow> = [{
  id: "r1",
  row: 1,
  key,
  fate: "invalid",
  problems: [
    { code: "not-a-date", column: "Born", question: "q1", value: born, message: `Born: "${born}" is not a date.` },
    { code: "required", column: "Phone", message: "Phone: there is no answer." },
  ],
  cells: [key, ada, born, ""],
  needsReview: true,
}, {
  id: "r2",
  row: 2,
  key: "other",
  fate: "refused",
  problems: [{ code: "refused", message: `The service does not like ${ada} Byron` }],
  cells: ["other", ada, "", phone],
  needsReview: true,
}]

const inDoubt: ReadonlyArray<InDoubtRow> = [
  { row: 3, key, batch: 7, sentAt: "2025-03-01T02:00:30.000Z", reason: "no answer within 30 s", cells: [key, ada] },
]

const difference: Difference = {
  row: 4,
  key,
  submissionId: "sub4",
  question: "q2",
  name: "Phone",
  verdict: "different",
  sent: phone,
  returned: { of: ada },
  editLink: "https://forms.example/secret-link",
}

const imported: ReadonlyArray<ImportedRow> = [
  { row: 4, key, submissionId: "sub4", verdict: "differing", submissionTime: undefined },
  { row: 5, key: ada, submissionId: "sub5", verdict: "missing", submissionTime: "2025-03-01T02:00:00.000Z" },
]

const replacement: Replacement = {
  row: 4,
  key,
  submissionId: "sub4",
  replaces: "sub3",
  editLink: "https://forms.example/secret-link",
}

const vanished: ReadonlyArray<VanishedRow> = [
  { row: 6, key: ada, submissionId: "sub6", missingSince: "2025-03-01T02:00:00.000Z", run: "masked" },
  { row: 7, key, submissionId: undefined },
]

const report = (change: Partial<RunReport> = {}) =>
  exampleReport({
    because: [
      `The service refuses every row for the same reason: "questions.1.value: "${ada} Byron" is not liked"`,
      `A new row has the same key as an imported row. Known as: ${JSON.stringify(key)} (row 3). Nothing was sent.`,
    ],
    problems: [
      {
        code: "not-a-date",
        column: "Born",
        question: "q1",
        count: 1,
        examples: [{ row: 1, value: born, message: `Born: "${born}" is not a date.` }],
      },
      {
        code: "refused",
        column: undefined,
        question: undefined,
        count: 1,
        examples: [{ row: 2, value: undefined, message: `The service does not like ${ada} Byron` }],
      },
    ],
    replaced: { count: 1, examples: [replacement] },
    differences: [difference],
    findings: [{
      question: "q2",
      name: "Phone",
      verdict: "different",
      pattern: "text came back as an object",
      count: 1,
      note: undefined,
      tolerated: undefined,
      examples: [difference],
    }],
    normalised: [{
      question: "q2",
      name: "Phone",
      what: "way of writing",
      count: 3,
      example: { row: 7, submissionId: "sub7", sent: phone, returned: [ada] },
    }],
    mapping: [{
      columns: ["Name"],
      question: "q1",
      name: "Full name",
      values: [{ cell: translated, answer: meaning }],
      translated: 1,
    }],
    samples: [{
      row: 4,
      key,
      submissionId: "sub4",
      columns: ["Name", "Born"],
      cells: [ada, born],
      question: "q1",
      name: "Full name",
      sent: [sentOnly],
      returned: { of: returnedOnly },
      verdict: "different",
    }, {
      row: 4,
      key: keyOnly,
      submissionId: "sub4",
      columns: ["Phone"],
      cells: [cellOnly],
      question: "q2",
      name: "Phone",
      sent: phone,
      returned: phone,
      verdict: "same",
    }],
    ...change,
  })

const write = (reports: string, run: string, masked: boolean, change: Partial<RunReport> = {}) =>
  Effect.gen(function*() {
    const folder = yield* openRunFolder({ reports, pipeline: "contacts", run, mask: masked ? mask : undefined })
    yield* folder.reject(rejected)
    yield* folder.differ([difference])
    yield* folder.replace([replacement])
    const whole = report({ run, ...change })
    yield* folder.finish({
      report: masked ? redactReport(whole, mask) : whole,
      columns: ["No", "Name", "Born", "Phone"],
      imported: Stream.make(imported),
      vanished: Stream.make(vanished),
      wholeForm: [{ submissionId: "sub9", standing: "missing" }],
      inDoubt: Stream.make(inDoubt),
      fateOf: (row) => row,
    })
    return folder.path
  }).pipe(Effect.scoped)

const inReports = <A, E>(use: (reports: string) => Effect.Effect<A, E, FileSystem.FileSystem | Path.Path>) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => Effect.flatMap(fs.makeTempDirectoryScoped(), use))

const read = (folder: string) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) =>
    Effect.map(
      Effect.forEach(names, (name) =>
        Effect.map(fs.readFileString(`${folder}/${name}`), (text) => [name, text] as const)),
      (files) =>
        Object.fromEntries(files) as Readonly<Record<string, string>>,
    ))

describe("a masked report", () => {
  it.scoped("a masked report contains no value in any of its files, and states this", () =>
    inReports((reports) =>
      Effect.gen(function*() {
        const plain = yield* read(yield* write(reports, "plain", false))
        for (const value of values) {
          expect(
            Object.values(plain).some((text) => text.includes(value) || text.includes(value.replaceAll('"', '""'))),
          )
            .toBe(true)
        }
        const files = yield* read(yield* write(reports, "masked", true))
        for (const [name, text] of Object.entries(files)) {
          for (const value of values) expect(text.includes(value), `${value} in ${name}`).toBe(false)
        }
        expect(files["report.html"]).toContain("Masked.")
        expect(JSON.parse(files["report.json"] ?? "")).toMatchObject({ values: "masked", findings: [{ count: 1 }] })
        // Everything except values stays, so that the report remains usable.
        expect(files["rejected.csv"]?.split("\n")[0]).toBe(
          "No,Name,Born,Phone,_id,_row,_key,_code,_column,_message,_masked",
        )
        expect(files["rejected.csv"]).toContain(
          "not-a-date · required,Born · Phone,Born: not a date · Phone: a required answer is",
        )
        expect(files["imported.csv"]).toContain("sub5,missing,2025-03-01T02:00:00.000Z")
      })
    ).pipe(Effect.provide(NodeContext.layer)))

  it.scoped("a masked report can be checked value by value with the secret, as documented", () =>
    inReports((reports) =>
      Effect.gen(function*() {
        const files = yield* read(yield* write(reports, "masked", true))
        expect(files["rejected.csv"]?.split("\n")[1]?.split(",").slice(0, 7)).toEqual([
          byHand(key),
          byHand(ada),
          byHand(born),
          "",
          "r1",
          "1",
          byHand(key),
        ])
        expect(files["differences.csv"]).toContain(
          `4,${byHand(key)},sub4,q2,Phone,different,${byHand(phone)},${byHand(JSON.stringify({ of: ada }))},\n`,
        )
        const other = maskOf(makeDigester("f".repeat(64)).value)
        expect(other(ada)).not.toBe(mask(ada))
      })
    ).pipe(Effect.provide(NodeContext.layer)))

  it.scoped("a report that the run masked is the same as one that was masked later, even for a rehearsal", () =>
    inReports((reports) =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        for (const mode of ["run", "rehearsal"] as const) {
          const masked = yield* read(yield* write(reports, `masked-${mode}`, true, { mode }))
          yield* write(reports, `plain-${mode}`, false, { mode })
          const plain = yield* readReport(reports, "contacts", `plain-${mode}`)
          const first = yield* redactRun(plain, mask)
          const copy = yield* redactRun(plain, mask)
          expect(copy.folder).toBe(first.folder)
          expect((yield* fs.readDirectory(copy.folder)).toSorted()).toEqual(names.toSorted())
          const copied = yield* read(copy.folder)
          for (const name of names) {
            const same = (text = "") => text.replaceAll(/(plain|masked)-(run|rehearsal)/g, "id")
            // The page's details about rows come from messages, which a masked CSV lacks.
            if (name !== "report.html") expect(same(copied[name]), name).toBe(same(masked[name]))
            for (const value of values) expect(copied[name]?.includes(value), `${value} in ${name}`).toBe(false)
          }
          if (mode === "rehearsal") {
            for (const name of names) expect(copied[name], name).toMatch(/rehearsal/i)
          }
        }
      })
    ).pipe(Effect.provide(NodeContext.layer)))

  it.scoped("a masked copy of a report that lacks a file fails because that file can't be read", () =>
    inReports((reports) =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        yield* fs.remove(`${yield* write(reports, "plain", false)}/rejected.csv`)
        const failed = yield* Effect.flip(redactRun(yield* readReport(reports, "contacts", "plain"), mask))
        expect(failed.message).toMatch(
          /^The report .*\/plain\/rejected\.csv can't be read or written: it does not exist\. /,
        )
      })
    ).pipe(Effect.provide(NodeContext.layer)))
})
