import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { scoped, world } from "../run/world.ts"
import { withDraft } from "./opened.ts"

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
