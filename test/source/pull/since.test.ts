import { it as itEffect } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { loadProject } from "../../../src/project/loadProject.ts"
import { readTime, sinceText, sinceVariables, writeTime } from "../../../src/source/pull/since.ts"
import { platform, projectFolder } from "../../project/projectFolder.ts"

const at = Date.UTC(2026, 0, 31, 8, 0, 5, 700)

describe("times of records", () => {
  it.each([
    ["iso", "2026-01-31T08:00:05.700Z", at],
    ["iso", "2026-01-31T09:00:05.7+01:00", at],
    ["iso", "2026-01-31T08:00:05.700123+0000", at],
    ["iso", " 2026-01-31T08:00:05.700Z ", at],
    ["unix", 1769846405, at - 700],
    ["unix", "1769846405.7", at],
    ["unix-ms", 1769846405700, at],
    ["yyyy-MM-dd HH:mm:ss", "2026-01-31 08:00:05", at - 700],
    ["yyyy-MM-dd'T'HH:mm:ssZZ", "2026-01-31T09:00:05+01:00", at - 700],
    ["yyyy-MM-dd", "2026-01-31", Date.UTC(2026, 0, 31)],
  ])("are read as %s: %s", (format, value, time) => expect(readTime(value, { format })).toBe(time))

  it.each([
    // Without a zone, the instant is unknown.
    ["iso", "2026-01-31T08:00:05"],
    ["iso", "2026-01-31"],
    ["iso", "2026-02-31T08:00:05Z"],
    ["iso", "31.01.2026 08:00 Z"],
    ["iso", 1769846405700],
    ["iso", null],
    ["iso", undefined],
    ["iso", ""],
    ["unix", ""],
    ["unix", null],
    ["unix", "2026-01-31T08:00:05Z"],
    ["unix", true],
    ["yyyy-MM-dd", "31.01.2026"],
    ["yyyy-MM-dd", 20260131],
  ])("can't be read as %s: %s", (format, value) => expect(readTime(value, { format })).toBeNaN())

  it.each([
    ["iso", "2026-01-31T08:00:05Z"],
    ["unix", 1769846405],
    ["unix-ms", 1769846405700],
    ["yyyy-MM-dd HH:mm", "2026-01-31 08:00"],
    ["d MMM yyyy", "31 Jan 2026"],
  ])("are written as %s, never later than they are", (format, text) => {
    expect(writeTime(at, { format })).toBe(text)
    expect(readTime(text, { format })).toBeLessThanOrEqual(at)
  })
})

const since = {
  at: "/at",
  format: "iso",
  overlap: Duration.days(1),
  skipped: "hold",
  fullEvery: Duration.days(7),
} as const

it("a pull since a mark starts earlier by the overlap, and ends a second before its start", () => {
  expect(sinceVariables(since, { mark: at, until: at + 86_400_000 })).toEqual({
    since: "2026-01-30T08:00:05Z",
    until: "2026-02-01T08:00:04Z",
  })
  const all = { since: undefined, until: "2026-01-31T08:00:04Z" }
  expect(sinceVariables(since, { mark: undefined, until: at })).toEqual(all)
  expect(sinceVariables(undefined, { mark: undefined, until: at })).toEqual(all)
  const from = { members: [], columns: [], selection: "" }
  expect(sinceText(since, { ...from, mark: at })).toBe(" since 2026-01-31T08:00:05Z (overlap 1d)")
  expect(sinceText(since, { ...from, mark: undefined })).toBe("")
  expect(sinceText(since, { ...from, mark: undefined, because: "--full" })).toBe(", all of them: --full")
})

describe("a pipeline that pulls only new records", () => {
  const keys = {
    request: `{ path: /records, query: { since: "{since}", offset: "{offset}" } }`,
    page: "{ offset: 0 }",
    since: "{ at: /at }",
    rowKey: "[id]",
  }
  const load = (change: Readonly<Record<string, string | undefined>>) =>
    Effect.gen(function*() {
      const source = Object.entries({ ...keys, ...change })
        .flatMap(([key, value]) => value === undefined ? [] : [`  ${key}: ${value}\n`]).join("")
      const root = yield* projectFolder({
        "config/formferry.yaml":
          `services: { live: { practice: { forms: forms } } }\nconnections: { tool: { base: "https://tool.example" } }\n`,
        "pipelines/people.yaml":
          `pipeline: people\nsource:\n  connection: tool\n${source}mapping: { questions: [{ name: Name, from: name }] }\nsink: { service: live, form: people }\n`,
      })
      return yield* loadProject(root)
    })

  itEffect.scoped("has an overlap of a day, and pulls all records every week", () =>
    Effect.gen(function*() {
      const { pipelines } = yield* load({})
      expect(pipelines.get("people")?.source.file).toMatchObject({
        since: { format: "iso", overlap: Duration.days(1), skipped: "hold", fullEvery: Duration.days(7) },
      })
      expect((yield* load({ since: "none" })).pipelines.get("people")?.source.file).toMatchObject({ since: undefined })
    }).pipe(Effect.provide(platform)))

  const refused: ReadonlyArray<readonly [Parameters<typeof load>[0], string]> = [
    [{ request: `{ path: /records, query: { offset: "{offset}" } }` }, "`request` doesn't contain `{since}`"],
    [{ since: undefined }, "`{since}` in `request` has no value"],
    [
      { page: undefined, request: `{ path: /records, query: { since: "{since}" } }` },
      "`since` needs pages of JSON",
    ],
    [{ rowKey: "content" }, "the row key can't be `content`"],
    [{ combine: "{ by: [id] }" }, "combine"],
    [{ since: "{ at: /at, overlap: 1 hour }" }, "a time of at least 2 hours"],
    [{ since: "{ at: /at, format: dd.MM. HH:mm }" }, "a format with a year"],
    [{ since: "{ overlap: 1 day }" }, "`at`"],
  ]
  itEffect.scoped.each(refused)("is refused: %j", ([change, message]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(load(change))
      expect(error.message).toContain(message)
      expect(error.message).toMatch(/^pipelines\/people\.yaml:\d+:\d+: /)
    }).pipe(Effect.provide(platform)))
})
