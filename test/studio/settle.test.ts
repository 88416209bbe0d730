import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { resultsExport } from "../jobs/resultsExport.ts"
import { skip } from "../quickly.ts"
import { people, scoped, world } from "../run/world.ts"
import { pageOf, served } from "./opened.ts"

scoped(
  "an export that settles only some rows says why each of the others is in doubt and what to do, until it settles them all",
  Effect.gen(function*() {
    const { fail, practice, root, run, settings, source } = yield* world
    yield* settings({ reconcile: ", lateWithin: 1 millis", sink: ", canary: off", visibleWithin: "10 minutes" })
    yield* source(people(1, 10))
    yield* run()
    yield* source(people(1, 20))
    // The service received the row, but its answer was lost. The export lacks it.
    fail("POST", "lost")
    expect((yield* run()).rows.inDoubt).toBe(10)
    const studio = yield* served(root)
    const { call, send } = yield* Effect.promise(() => pageOf(studio))
    const settle = (without?: (name: unknown) => boolean, more = "") =>
      Effect.promise(() =>
        send(
          `results/settle?pipeline=people&name=results.csv${more}`,
          resultsExport(practice.submissions("people"), without),
        )
      )
    const before = yield* Effect.promise(() => call("results", "doubts", { pipeline: "people" }))
    expect(before).toMatchObject({ left: 10, advice: [] })
    const isHidden = (name: unknown) => name === "Person 11" || name === "Person 12"

    const early = yield* settle(isHidden)
    expect(early).toMatchObject({
      done: [expect.stringMatching(/^8 rows landed, 2 rows still in doubt\.$/), expect.stringMatching(/reads back/)],
      left: 2,
      advice: [expect.stringMatching(/^Settle again later, with a new/)],
    })
    expect(early.rows.map(({ key }: { key: string }) => key)).toEqual(["11", "12"])
    expect(early.rows[0].reason).toMatch(/^its submission might not be visible before/)

    yield* skip("11 minutes")
    const late = yield* settle(isHidden)
    expect(late.rows[0].reason).toMatch(/^nothing in the export is known to be later than/)
    expect(late.advice[0]).toMatch(/submit a test entry with the text formferry-\S+ in any text question/)
    expect(late.advice.at(-1)).toContain("tick the box below, give the reason and choose the export again")

    // A page that is loaded again shows the text of the test entry.
    const [text] = /formferry-\S+/.exec(late.advice[0]) ?? []
    const again = yield* Effect.promise(() => call("results", "doubts", { pipeline: "people" }))
    expect(again.advice).toEqual([expect.stringContaining(`submitted the test entry with the text ${text},`)])

    expect(yield* settle(isHidden, "&complete=true&because=Counted")).toMatchObject({
      done: ["2 rows did not land, nothing is left in doubt.", "The next run of people sends the rows that did not."],
      left: 0,
      rows: [],
      advice: [],
    })
  }),
)

scoped(
  "rows that only a person can settle come with the command that settles them",
  Effect.gen(function*() {
    const { fail, practice, root, run, settings, source } = yield* world
    yield* settings({ sink: ", canary: off" })
    yield* source(people(1, 3))
    fail("POST", "lost")
    yield* run()
    const { send } = yield* Effect.flatMap(served(root), (studio) => Effect.promise(() => pageOf(studio)))
    const changed = resultsExport(practice.submissions("people")).replaceAll("@example.org", "@example.com")
    const settled = yield* Effect.promise(() => send("results/settle?pipeline=people&name=results.csv", changed))
    expect(settled).toMatchObject({
      left: 3,
      advice: [
        "Look for these rows in the form's results, then settle them in a terminal with `formferry settle people --as landed --rows KEY --because TEXT` or --as not-landed.",
      ],
    })
    expect(settled.rows[0].reason).toContain("resembles it")
  }),
)
