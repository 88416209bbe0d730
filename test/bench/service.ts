// A process of its own: the practice service, with a limit or without one, that tells whether exactly the rows of data.ts arrived.
import { Duration, Effect, Redacted } from "effect"
import type { Submission } from "../../src/domain/submission.ts"
import { serve } from "../../src/practice/PracticeService.ts"
import type { StoredSubmission } from "../../src/practice/store.ts"
import { rows } from "./data.ts"
import { answersOf, apiKey, form } from "./project.ts"

const [limit = "", latency = ""] = process.argv.slice(2)
let kept = new Map<string, StoredSubmission>()
const store = {
  get: (_: string, id: string) => kept.get(id),
  all: () => [...kept.values()],
  append: (_: string, submissions: ReadonlyArray<StoredSubmission>) =>
    Effect.sync(() => {
      for (const one of submissions) kept.set(one.id, one)
    }),
}

const shown = (answers: ReadonlyMap<string, unknown>) => JSON.stringify([...answers])

/** What is wrong with what is kept; undefined: every row is there once, every answer as it has to be, and nothing else. */
const wrong = (count: number, seed: number): string | undefined => {
  if (kept.size !== count) return `${kept.size} submissions instead of ${count}`
  const found = new Map<string, string>()
  for (const { json } of kept.values()) {
    const { questions, urlParameters } = JSON.parse(json) as Pick<Submission, "questions" | "urlParameters">
    const answers = new Map([...urlParameters, ...questions].map(({ id, value }) => [id, value]))
    found.set(String(answers.get("u1")), shown(answers))
  }
  for (const cells of rows(count, seed)) {
    const expected = shown(answersOf(cells))
    const there = found.get(cells[0] ?? "")
    if (there !== expected) return `${there} instead of ${expected}`
  }
  return undefined
}

/** Asked by the process that started it. */
export type Asked = { readonly ask: "clear" } | { readonly ask: "check"; readonly count: number; readonly seed: number }
export type Told = { readonly baseUrl: string } | { readonly wrong: string | undefined }

const tell = (told: Told) => process.send?.(told)

process.on("message", (asked: Asked) => {
  const result = asked.ask === "check" ? wrong(asked.count, asked.seed) : undefined
  if (asked.ask === "clear") kept = new Map()
  tell({ wrong: result })
})
process.on("disconnect", () => process.exit())

Effect.runFork(Effect.scoped(
  Effect.gen(function*() {
    const { baseUrl } = yield* serve({
      forms: [form],
      store,
      port: 0,
      apiKey: Redacted.make(apiKey),
      ...(limit === "" ? {} : { rateLimit: { requests: Number(limit), windowSeconds: 1 } }),
      ...(latency === "" ? {} : {
        faults: {
          seed: 1,
          faults: [{ fault: "delay", for: Duration.millis(Number(latency)), when: "before", on: "any" }],
        },
      }),
    })
    tell({ baseUrl })
    return yield* Effect.never
  }),
))
