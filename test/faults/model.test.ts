// Compares any sequence of events with a very simple model, in which each row is absent, imported or in doubt.
import * as fc from "fast-check"
import { expect, it } from "vitest"
import type { Pipeline } from "../../src/project/Pipeline.ts"
import { seeds } from "../long.ts"
import { pipeline as decoded } from "./pipeline.ts"
import { quietDay } from "./scenario.ts"
import type { SourceRow } from "./source.ts"
import { type Day, type Mishap, World } from "./World.ts"

type State = "absent" | "there" | "in doubt"

/** The state of every row that was ever in the source, by key. */
type Model = Map<string, State>

const batchSize = 4
const concurrency = 2

const row = (no: number, edition: number): SourceRow => ({
  no: String(no),
  name: `Person ${no} ${edition}`,
  mail: `p${no}@example.org`,
  amount: String(no),
  note: "",
})

/** The possible next states of a row, by its current state. */
type Moves = { readonly [S in State]: ReadonlyArray<State> }

const nothingIsUndone = { there: ["there"], "in doubt": ["in doubt"] } as const

class Reality {
  readonly world: World
  readonly pipeline: Pipeline
  private day = 0

  constructor(pipeline: Pipeline) {
    this.pipeline = pipeline
    this.world = new World(7, Array.from({ length: 12 }, (_, index) => row(index + 1, 0)), {}, true)
  }

  /** Runs a day, then compares every row's state with its possible states. */
  async does(model: Model, change: Partial<Day>, moves: Moves, mostDoubts: number): Promise<void> {
    const day = { ...quietDay("run", this.pipeline, ++this.day), ...change }
    await this.world.day(day)
    // Meanwhile, requests in flight arrive, and a killed process counts as ended.
    await this.world.time.pass(600_000)
    expect(this.world.truth.violations).toEqual([])
    const ledger = new Map(this.world.disk.rows().map((one) => [one.key, one.state]))
    let doubts = 0
    for (const [key, before] of model) {
      const state = ledger.get(key)
      const now: State = state === "imported"
        ? "there"
        : state === "inDoubt" || state === "intended"
        ? "in doubt"
        : "absent"
      expect(moves[before], `row ${key} was ${before} and is ${now}`).toContain(now)
      const held = this.world.truth.count(key)
      expect(held, `row ${key}, ${now}`).toBeGreaterThanOrEqual(now === "there" ? 1 : 0)
      expect(held, `row ${key}, ${now}`).toBeLessThanOrEqual(now === "absent" ? 0 : 1)
      if (now === "in doubt" && before === "absent") doubts++
      model.set(key, now)
    }
    expect(doubts).toBeLessThanOrEqual(mostDoubts)
  }
}

type Command = fc.AsyncCommand<Model, Reality>

const command = (name: string, run: (model: Model, reality: Reality) => Promise<void>): Command => ({
  check: () => true,
  run,
  toString: () => name,
})

const resume = command(
  "resume",
  (model, reality) => reality.does(model, {}, { ...nothingIsUndone, absent: ["there"] }, 0),
)

const mishap = (what: Mishap["what"], step: number): Command =>
  command(`${what} at ${step}`, (model, reality) =>
    reality.does(
      model,
      { mishaps: [{ what, step }] },
      { ...nothingIsUndone, absent: ["absent", "there", "in doubt"] },
      batchSize * concurrency,
    ))

const cut = (at: number, when: "before" | "after"): Command =>
  command(`cut ${when} at create ${at}`, (model, reality) =>
    reality.does(
      model,
      { faults: { seed: at, faults: [{ fault: "reset", when, at: [at] }] } },
      { ...nothingIsUndone, absent: ["there", "in doubt"] },
      batchSize,
    ))

const settle = command("settle", (model, reality) =>
  reality.does(
    model,
    { command: "settle" },
    { absent: ["absent", "in doubt"], there: ["there"], "in doubt": ["there", "absent", "in doubt"] },
    0,
  ))

const settleByHand = command("settle manually", (model, reality) =>
  reality.does(
    model,
    { command: "settle manually" },
    { absent: ["absent"], there: ["there"], "in doubt": ["there", "absent"] },
    0,
  ))

const edit = (edition: number): Command =>
  command(`edit ${edition}`, (model, { world }) => {
    world.edit((rows) => [
      ...rows.map((one, index) => (index % 5 === edition % 5 ? { ...one, name: `${one.name} ${edition}` } : one)),
      row(100 + model.size, edition),
    ])
    for (const { no } of world.rows) if (!model.has(no)) model.set(no, "absent")
    return Promise.resolve()
  })

it(
  "any sequence of runs, crashes, disk errors, edits and settlements matches the model, and ends with every row in the form once",
  async () => {
    const pipeline = { ...decoded, sink: { ...decoded.sink, batchSize, concurrency, canary: 0 } }
    const step = fc.integer({ min: 1, max: 60 })
    const commands = fc.commands([
      fc.constant(resume),
      fc.constant(settle),
      fc.tuple(fc.constantFrom("crash" as const, "vanish" as const), step).map(([what, at]) => mishap(what, at)),
      fc.tuple(fc.constantFrom("full" as const, "full before" as const, "full after" as const), step)
        .map(([what, at]) => mishap(what, at)),
      fc.tuple(fc.integer({ min: 1, max: 6 }), fc.constantFrom("before" as const, "after" as const))
        .map(([at, when]) => cut(at, when)),
      fc.integer({ min: 1, max: 1_000 }).map(edit),
    ], { maxCommands: 10 })
    await fc.assert(
      fc.asyncProperty(commands, async (sequence) => {
        const reality = new Reality(pipeline)
        const model: Model = new Map(reality.world.rows.map(({ no }) => [no, "absent"]))
        try {
          await fc.asyncModelRun(() => ({ model, real: reality }), sequence)
          await settle.run(model, reality)
          await settleByHand.run(model, reality)
          await resume.run(model, reality)
          for (const { no } of reality.world.rows) expect(model.get(no), `row ${no} at the end`).toBe("there")
        } finally {
          reality.world.close()
        }
      }),
      { seed: 20261120, numRuns: seeds(8, 25) },
    )
  },
  120_000,
)
