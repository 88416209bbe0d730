// The state of each pipeline on the studio's first view.
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { appendFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { stateAfter } from "../../src/domain/run.ts"
import { resultsExport } from "../jobs/resultsExport.ts"
import { live, people, world } from "../run/world.ts"
import { pageOf, served } from "./opened.ts"

/** Opens the studio of a project. Returns how it is called, and a function that returns its cards by name. */
const opened = (root: string) =>
  Effect.map(Effect.flatMap(served(root), (studio) => Effect.promise(() => pageOf(studio))), (page) => ({
    page,
    cards: Effect.map(
      Effect.promise(() => page.call("project", "home", {})),
      ({ pipelines }) => Object.fromEntries(pipelines.map((card) => [card.name, card])),
    ),
  }))

live(
  "a pipeline whose file has mistakes can't run",
  Effect.gen(function*() {
    const { root, write } = yield* world
    yield* write("pipelines/broken.yaml", "pipeline: broken\nsource: 1\n")
    const { broken, people } = yield* (yield* opened(root)).cards
    expect(broken).toMatchObject({
      state: { title: "Can't run", tone: "bad" },
      problem: "The pipeline's file has mistakes, so it can't run. Its map shows them.",
    })
    expect(people).toMatchObject({ state: { title: "Never ran", tone: "calm" } })
    expect(people).not.toHaveProperty("problem")
  }),
)

live(
  "a pipeline whose ledger is lost can't run, and keeps its next scheduled run",
  Effect.gen(function*() {
    const { root, run, source } = yield* world
    appendFileSync(join(root, "pipelines/people.yaml"), `schedule: { cron: "0 2 * * *", zone: UTC }\n`)
    yield* source(people(1, 3))
    yield* run()
    rmSync(join(root, ".formferry/ledger.db"))
    const card = (yield* (yield* opened(root)).cards)["people"]
    expect(card).toMatchObject({ state: { title: "Can't run", tone: "bad" }, standings: [] })
    expect(card?.nextRun).toMatch(/T02:00:00Z$/)
  }),
)

live(
  "a run that left rows unsent is shown until another run reads the source, also after a good reconciliation",
  Effect.gen(function*() {
    const { fail, reconcile, root, run, source } = yield* world
    yield* source(people(1, 3))
    yield* run()
    yield* source(people(1, 30))
    fail("POST", { status: 401, body: "{}" })
    expect((yield* run()).outcome).toBe("unavailable")
    expect((yield* reconcile()).outcome).toBe("complete")
    const card = (yield* (yield* opened(root)).cards)["people"]
    expect(card?.state).toMatchObject({ title: "Not finished", tone: "bad" })
    expect(card?.standings[0]?.runs.map(({ state }) => state.title)).toEqual(["Complete", "Not finished", "Complete"])
  }),
)

live(
  "settled rows in doubt still need a run",
  Effect.gen(function*() {
    const { fail, practice, root, run, settings, source } = yield* world
    yield* settings({ sink: ", canary: off" })
    yield* source(people(1, 10))
    fail("POST", "lost")
    expect((yield* run()).rows.inDoubt).toBe(10)
    const { cards, page } = yield* opened(root)
    yield* Effect.promise(() =>
      page.send("results/settle?pipeline=people&name=results.csv", resultsExport(practice.submissions("people")))
    )
    expect((yield* cards)["people"]?.state).toEqual({ title: "Rows in doubt were settled: run again", tone: "warn" })
  }),
)

it("rows in doubt that were settled don't hide submissions that differ, unless they are acknowledged", () => {
  const after = (differing: number, acknowledged: number) =>
    stateAfter({
      going: undefined,
      lastRun: { outcome: "inDoubt" },
      standing: {
        inDoubt: 0,
        verdicts: { verified: 1, differing, missing: 0, unread: 1 },
        acknowledged: { differing: acknowledged, missing: 0 },
      },
    })
  expect(after(1, 0)).toMatchObject({ title: "Not everything is verified", tone: "bad" })
  expect(after(1, 1)).toMatchObject({ title: "Rows in doubt were settled: run again", tone: "warn" })
})
