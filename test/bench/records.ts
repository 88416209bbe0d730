// Records rows of a benchmark in the ledger of the project in the working directory, as an import does: intents, outcomes, and verdicts with the digests of
// all answers, 4 batches in flight. Nothing is sent. Prints as JSON how many seconds that took, and how many rows were recorded.
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect, Stream } from "effect"
import { randomUUID } from "node:crypto"
import { performance } from "node:perf_hooks"
import { ledgerOf } from "../../src/jobs/projectLedger.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { columns, rows } from "./data.ts"
import { openBench } from "./fillLedger.ts"

const [count = 0, seed = 0] = process.argv.slice(2).map(Number)

const program = Effect.gen(function*() {
  const { ledger, view } = yield* openBench(yield* ledgerOf(yield* loadProject(process.cwd())), "practice:bench")
  const session = yield* view.hold("recorded")
  const submissionTime = "2026-01-01T00:00:00.000Z"
  yield* session.startRun({ run: "recorded", mode: "run", startedAt: submissionTime })
  const recorded = (batch: ReadonlyArray<{ readonly cells: ReadonlyArray<string>; readonly row: number }>) =>
    Effect.gen(function*() {
      const keyed = batch.map((one) => ({ ...one, keyDigest: ledger.digest.key(one.cells[0] ?? "") }))
      const intent = yield* session.intend({
        rows: keyed.map(({ cells, keyDigest, row }) => ({
          keyDigest,
          key: cells[0] ?? "",
          row,
          content: ledger.digest.content(cells),
          supersedes: undefined,
          item: { questions: [] },
          cells: [],
        })),
        resend: false,
        columns,
        contentColumns: columns,
        mapping: "recorded",
      })
      const ids = keyed.map(() => randomUUID())
      yield* session.recordReturned(intent, ids, () => ({
        rows: ids.map((submissionId) => ({ _tag: "Imported", submissionId, submissionTime })),
        loose: [],
      }))
      yield* session.recordVerdicts(keyed.map(({ cells, keyDigest }) => ({
        keyDigest,
        verdict: "verified",
        answers: new Map(cells.map((cell, at) => {
          const digest = ledger.digest.value(cell)
          return [columns[at] ?? "", { sent: digest, returned: digest }]
        })),
      })))
    })
  const startedAt = performance.now()
  yield* Stream.fromIterable(rows(count, seed)).pipe(
    Stream.zipWithIndex,
    Stream.map(([cells, index]) => ({ cells, row: index + 1 })),
    Stream.grouped(10),
    Stream.mapEffect((batch) => recorded([...batch]), { concurrency: 4, unordered: true }),
    Stream.runDrain,
  )
  const seconds = (performance.now() - startedAt) / 1_000
  const { imported } = yield* view.standing
  process.stdout.write(`${JSON.stringify({ seconds, rows: imported })}\n`)
})

void Effect.runPromise(Effect.provide(Effect.scoped(program), NodeContext.layer))
