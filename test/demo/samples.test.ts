import { FileSystem, Path } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { platform } from "../project/projectFolder.ts"
import { demonstration, repository } from "./demonstration.ts"
import { runOf } from "./runOf.ts"

interface Stored {
  readonly questions: ReadonlyArray<{ readonly name: string; readonly value: unknown }>
  readonly urlParameters: ReadonlyArray<{ readonly name: string; readonly value: unknown }>
  readonly scheduling: ReadonlyArray<{ readonly value: unknown }>
  readonly payments: ReadonlyArray<{ readonly value: unknown }>
  readonly login?: unknown
}

/** Runs a pipeline and returns the submissions in the service's store. */
const imported = (pipeline: string, form: string, rows: number) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const root = yield* demonstration
    const report = yield* runOf(root, pipeline)
    expect(report.problems).toEqual([])
    expect(report).toMatchObject({
      outcome: "complete",
      exitCode: 0,
      rows: { read: rows, imported: rows },
      readBack: { verified: rows },
    })
    const text = yield* fs.readFileString(path.join(root, ".formferry", "practice", `${form}.jsonl`))
    const stored = text.trimEnd().split("\n").map((line): Stored => JSON.parse(line))
    expect(stored).toHaveLength(rows)
    const again = yield* runOf(root, pipeline)
    expect(again).toMatchObject({ exitCode: 0, rows: { alreadyImported: rows }, requests: { create: 0 } })
    return stored
  }).pipe(Effect.provide(platform))

const answers = (submission: Stored | undefined) =>
  Object.fromEntries(submission?.questions.map(({ name, value }) => [name, value]) ?? [])

const byParameter = (stored: ReadonlyArray<Stored>, name: string, value: string) =>
  stored.find(({ urlParameters }) => urlParameters.some((one) => one.name === name && one.value === value))

it.effect("the generator writes the committed samples", () =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folder = yield* fs.makeTempDirectoryScoped()
    execFileSync(process.execPath, [path.join(repository, ".ci", "samples.mjs"), folder])
    for (const name of ["contacts.csv", "registrations.xlsx", "tickets.csv"]) {
      const [written, committed] = [
        yield* fs.readFile(path.join(folder, name)),
        yield* fs.readFile(path.join(repository, "samples", name)),
      ]
      expect(Buffer.from(written).equals(Buffer.from(committed)), name).toBe(true)
    }
  }).pipe(Effect.scoped, Effect.provide(platform)))

// The expected values below were read manually from the samples.

it.scopedLive(
  "the contacts pipeline imports German dates, numbers, phone numbers and options from a Windows-1252 file",
  () =>
    Effect.gen(function*() {
      const stored = yield* imported("contacts", "kT7cWm2Lq9", 160)
      const first = byParameter(stored, "legacy_id", "K-00001")
      expect(answers(first)).toEqual({
        Salutation: "mx",
        "Full name": "Hülya Müller",
        "E-mail": "huelya.mueller1@example.net",
        Phone: "+492214710225",
        Birthday: "1972-02-07",
        Street: "Lindenstraße 48b",
        Town: "80331 München",
        "Customer since": "2020-04-28",
        Revenue: 245263.19,
        "Discount in percent": 5.5,
        "Wants the newsletter": false,
        Interests: ["cycling", "food"],
        Satisfaction: null,
        Website: "https://www.mueller-1.example.de/",
        "Imported from": "legacy CRM",
      })
    }),
  60_000,
)

it.scopedLive(
  "the registrations pipeline imports typed cells, appointments and payments from a workbook",
  () =>
    Effect.gen(function*() {
      const stored = yield* imported("registrations", "Zr4Hn8Xb1V", 96)
      const first = byParameter(stored, "registration", "20001")
      expect(answers(first)).toMatchObject({
        Name: "Ida Groß",
        Company: "Łódź Analytics",
        Ticket: "Sponsor (gold, silver)",
        Workshops: ["Typed errors", "Testing"],
        Guests: null,
        "Day of arrival": "2024-06-11",
        "Time of arrival": "13:15",
      })
      expect(first?.scheduling[0]?.value).toMatchObject({ eventStartTime: "2024-06-13T13:00:00.000Z" })
      expect(first?.payments[0]?.value).toEqual({
        paymentId: "TX-272740-0",
        totalAmount: 52.9,
        currency: "USD",
        status: "refunded",
      })
      expect(first?.login).toEqual({ email: "ida.gross@example.com" })
    }),
  60_000,
)

it.scopedLive(
  "the tickets pipeline imports files, JSON, and times with and without an offset into an untyped form",
  () =>
    Effect.gen(function*() {
      const stored = yield* imported("tickets", "tk_5Q", 120)
      expect(answers(byParameter(stored, "ticket", "HD-1002"))).toMatchObject({
        Requester: "Kowalski",
        Priority: "Normal",
        Channels: ["phone", "chat"],
        Page: "https://app.example.com/p/18?tab=a&q=x,y",
        "Time of the incident": "2024-07-19T02:41:00.000Z",
        "Call back at": "15:00",
        Due: "2024-11-21",
        "Hours worked": 38,
        Resolved: null,
        Attachments: [{ url: "https://files.example.com/2/log.txt", filename: "log.txt" }],
        "Technical context": { os: "mac", version: [2, 6], beta: true },
        Reference: "Ticket HD-1002: Export, slow",
        Origin: "help desk of 2024",
      })
    }),
  60_000,
)
