// Looks up all rows of a benchmark in the ledger of the project in the working directory, chunk by chunk, as a run does. Prints as JSON how many seconds
// the look-ups took, and how many rows were found.
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect } from "effect"
import { performance } from "node:perf_hooks"
import { ledgerOf } from "../../src/jobs/projectLedger.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { columns, rows } from "./data.ts"
import { openBench } from "./fillLedger.ts"

const [count = 0, seed = 0] = process.argv.slice(2).map(Number)

/** About as many rows as a run reads from a file at once. */
const chunkRows = 400

const program = Effect.gen(function*() {
  const { ledger, view } = yield* openBench(yield* ledgerOf(yield* loadProject(process.cwd())), "practice:bench")
  const positions = new Map<ReadonlyArray<string>, ReadonlyArray<number>>()
  const positionsOf = (names: ReadonlyArray<string>) => {
    const known = positions.get(names) ?? names.map((name) => columns.findIndex((one) => one === name))
    positions.set(names, known)
    return known
  }
  let seconds = 0
  let known = 0
  const lookUp = (chunk: ReadonlyArray<ReadonlyArray<string>>) =>
    Effect.suspend(() => {
      const startedAt = performance.now()
      const keys = chunk.map(([key]) => key)
      return Effect.map(
        view.lookUpRows(keys, {
          over: (at, names) => {
            const cells = chunk[at] ?? []
            return ledger.digest.content(positionsOf(names).map((position) => cells[position] ?? ""))
          },
          filled: (at) => ledger.digest.content([...chunk[at] ?? []]),
        }),
        (found) => {
          seconds += (performance.now() - startedAt) / 1_000
          for (const row of found) if (row !== undefined) known++
        },
      )
    })
  let chunk: Array<ReadonlyArray<string>> = []
  for (const cells of rows(count, seed)) {
    chunk.push(cells)
    if (chunk.length < chunkRows) continue
    yield* lookUp(chunk)
    chunk = []
  }
  yield* lookUp(chunk)
  process.stdout.write(`${JSON.stringify({ seconds, rows: known })}\n`)
})

void Effect.runPromise(Effect.provide(Effect.scoped(program), NodeContext.layer))
