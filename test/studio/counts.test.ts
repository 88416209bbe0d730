import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { live, world } from "../run/world.ts"
import { withDraft } from "./opened.ts"

const rows = (...lines: ReadonlyArray<string>) => ["1,Ada,ada@example.org", "2,Bob,bob@example.org", ...lines]

live(
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

live(
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

live(
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
