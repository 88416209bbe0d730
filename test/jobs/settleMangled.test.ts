import { FileSystem, Path } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Submission } from "../../src/domain/submission.ts"
import { openExport, settleFromExport } from "../../src/jobs/settleFromExport.ts"
import { findTarget } from "../../src/jobs/target.ts"
import { openLedger } from "../../src/ledger/openLedger.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { Draws } from "../faults/Draws.ts"
import { listed } from "../ledger/rows.ts"
import { seeds } from "../long.ts"
import { platform } from "../project/projectFolder.ts"
import { type Fault, world } from "../run/world.ts"
import { resultsExport } from "./resultsExport.ts"

const answer = (submission: Submission, id: string): string =>
  String(submission.questions.find((one) => one.id === id)?.value)

const by = (of: (submission: Submission) => string) => (a: Submission, b: Submission): number => of(a) < of(b) ? -1 : 1

/** Changes to an export: first its order, then which lines remain. */
const mangle = (draws: Draws, all: ReadonlyArray<Submission>): readonly [what: string, ReadonlyArray<Submission>] => {
  const [order, lines] = draws.pick<readonly [string, ReadonlyArray<Submission>]>([
    ["as it was created", all],
    ["newest first", all.toReversed()],
    ["by name", all.toSorted(by((one) => answer(one, "name")))],
    ["by mail", all.toSorted(by((one) => answer(one, "mail")))],
    ["by id", all.toSorted(by((one) => one.submissionId))],
  ])
  const at = draws.int(0, lines.length)
  const team = `@team${draws.int(1, 3)}.`
  const [how, left] = draws.pick<readonly [string, ReadonlyArray<Submission>]>([
    ["whole", lines],
    [`cut after ${at}`, lines.slice(0, at)],
    [`without the last ${at % 12}`, lines.slice(0, lines.length - at % 12)],
    [`from ${at} on`, lines.slice(at)],
    [`without the first ${at % 12}`, lines.slice(at % 12)],
    ["one team", lines.filter((one) => answer(one, "mail").includes(team))],
    ["all but one team", lines.filter((one) => !answer(one, "mail").includes(team))],
    ["a copy of the form", lines.map((one) => ({ ...one, submissionId: `copy ${one.submissionId}` }))],
    ["header only", []],
  ])
  return [`${order}, ${how}`, left]
}

for (const seed of [1, 2].slice(0, seeds(1, 2))) {
  it.scopedLive(
    `a mangled export never settles a landed row as not landed, and the intact export finds all rows that did not land (seed ${seed})`,
    () =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const draws = new Draws(seed)
        const { fail, practice, root, run, settings, source } = yield* world
        yield* settings({
          sink: ", canary: off, concurrency: 2, stopWhen: { inDoubt: 1000 }",
          visibleWithin: "1 seconds",
        })
        const rows = Array.from({ length: 150 }, (_, at) => {
          const name = `P${draws.int(100_000, 999_999)}`
          return `${at + 1},${name},${name}@team${draws.int(1, 3)}.example`
        })
        // Earlier submissions, some rows in doubt, and later submissions.
        yield* source(rows.slice(0, 40))
        yield* run()
        const faults: ReadonlyArray<Fault> = ["lost", { status: 502, body: "" }, "lost", { status: 500, body: "" }]
        yield* source(rows.slice(0, 110))
        fail("POST", ...faults.slice(draws.int(0, 1)))
        yield* run()
        yield* Effect.sleep("1100 millis")
        yield* source(rows)
        yield* run()

        const all = practice.submissions("people")
        const there = new Set(all.map((one) => answer(one, "name")))
        const project = yield* loadProject(root)
        const at = yield* findTarget(project, { pipeline: "people", to: undefined })
        const ledger = yield* openLedger({ file: project.ledger.name })
        const [place] = yield* ledger.places
        if (place === undefined) return yield* Effect.dieMessage("nothing was sent")
        const view = yield* ledger.pipeline({ ...place, renamedFrom: undefined, alongside: [] })
        const doubtful = yield* listed(view, "doubtful", { limit: 1000 })
        const lost = doubtful.filter(({ item }) => !there.has(String(item?.questions[0]?.value))).map(({ key }) => key)
        expect(lost.length).toBeGreaterThan(0)
        expect(lost.length).toBeLessThan(doubtful.length)
        const file = path.join(root, "results.csv")
        /** Returns the keys of rows that an export settles as not landed. */
        const notLanded = (lines: ReadonlyArray<Submission>) =>
          Effect.gen(function*() {
            yield* fs.writeFileString(file, resultsExport(lines.length === 0 ? all : lines, () => lines.length === 0))
            const opened = yield* openExport(at, file)
            const { settled } = yield* settleFromExport(doubtful, view, ledger.digest.key, opened, false)
            return settled.flatMap(({ as, row }) => as.outcome._tag === "NotLanded" ? [row.key] : [])
          })
        expect(yield* notLanded(all)).toEqual(lost)
        for (let round = 0; round < seeds(10, 40); round++) {
          const [what, lines] = mangle(draws, all)
          const keys = yield* notLanded(lines)
          expect(keys.filter((key) => !lost.includes(key)), what).toEqual([])
        }
      }).pipe(Effect.provide(platform)),
    120_000,
  )
}
