import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { platform } from "../project/projectFolder.ts"
import { world } from "../run/world.ts"
import { pageOf, served } from "./opened.ts"

const scoped = <A, E>(name: string, body: Effect.Effect<A, E, Effect.Effect.Context<typeof world>>) =>
  it.scopedLive(name, () => Effect.provide(body, platform))

/** Serves the studio, opens the pipeline in a page, and calls `body` with both. */
const withDraft = (
  root: string,
  body: (page: Awaited<ReturnType<typeof pageOf>>, draft: { pipeline: string; text: string }) => Promise<void>,
) =>
  Effect.flatMap(served(root), (studio) =>
    Effect.promise(async () => {
      const page = await pageOf(studio)
      const { text } = await page.call("draft", "open", { pipeline: "people" })
      await body(page, { pipeline: "people", text })
    }))

const rows = (...lines: ReadonlyArray<string>) => ["1,Ada,ada@example.org", "2,Bob,bob@example.org", ...lines]

scoped(
  "the rows of a draft are counted as a dry run counts them: known rows, repeated keys and changed rows are not sent",
  Effect.gen(function*() {
    const { root, run, source } = yield* world
    yield* source(rows())
    yield* run()
    yield* source(rows(
      "2,Bob,bob@example.org",
      "1,Ada,other@example.org",
      "3,Cleo,cleo@example.org",
      "3,Cleo,cleo@example.org",
      "4,Dan,dan@example.org",
      "5,Eve,no-address",
    ))
    yield* withDraft(root, async ({ call, done }, draft) => {
      const counts = await call("draft", "counts", { ...draft, whole: true })
      expect(counts.fates).toMatchObject({ pending: 2, alreadyImported: 2, duplicate: 3, invalid: 1 })
      expect(counts).not.toHaveProperty("note")
      await done({ pipeline: "people", mode: "dry-run" })
      const { read: _, ...fates } = (await call("results", "report", { pipeline: "people" })).report.rows
      expect(counts.fates).toEqual(fates)
    })
  }),
)

scoped(
  "a draft is counted without a ledger, and creates none",
  Effect.gen(function*() {
    const { root, source } = yield* world
    yield* source(rows("2,Bob,bob@example.org"))
    yield* withDraft(root, async ({ call }, draft) => {
      const { fates } = await call("draft", "counts", { ...draft, whole: false })
      expect(fates).toMatchObject({ pending: 2, duplicate: 1 })
      expect(() => readFileSync(join(root, "ledger", "formferry.db"))).toThrow("ENOENT")
    })
  }),
)

scoped(
  "a draft says that known rows count as new if its row key is not the ledger's",
  Effect.gen(function*() {
    const { root, run, source } = yield* world
    yield* source(rows())
    yield* run()
    yield* withDraft(root, async ({ call }, draft) => {
      const text = draft.text.replace("rowKey: [No]", "rowKey: [Mail]")
      const { fates, note } = await call("draft", "counts", { ...draft, text, whole: true })
      expect(fates.pending).toBe(2)
      expect(note).toContain("rows that were imported before are counted as new")
    })
  }),
)

scoped(
  "a question that two columns answer is mapped to both",
  Effect.gen(function*() {
    const { root, source } = yield* world
    yield* source(["1,Ada,ada@example.org,Lovelace"], "No,Name,Mail,Family")
    yield* withDraft(root, async ({ call }, draft) => {
      const operation = { _tag: "Map", question: "name", columns: [2, 4], answers: {} } as const
      const edited = await call("draft", "edit", { ...draft, operation })
      expect(edited.entry?.asks).toEqual([])
      const shown = await call("draft", "preview", { ...draft, text: edited.text, row: 1, rows: 1 })
      expect(shown.rows[0]?.answers[0]?.value).toBe("Ada Lovelace")
    })
  }),
)
