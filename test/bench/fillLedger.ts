import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect } from "effect"
import { type AnyLedgerOptions, openLedger } from "../../src/ledger/openLedger.ts"
import { columns, rows } from "./data.ts"
import { form } from "./project.ts"

const batchRows = 10_000

/** Opens a ledger, and the benchmark's pipeline in it, for the scope. */
export const openBench = (options: AnyLedgerOptions, address: string) =>
  Effect.gen(function*() {
    const ledger = yield* openLedger(options)
    const view = yield* ledger.pipeline({
      pipeline: "bench",
      destination: { service: address, form: form.id },
      renamedFrom: undefined,
      alongside: [],
    })
    return { ledger, view }
  })

/**
 * Writes a ledger like the one that an import of these rows leaves: each row was sent once and verified.
 *
 * @param isDoubtful whether all rows are in doubt instead
 */
export const fillLedger = (
  options: AnyLedgerOptions,
  address: string,
  count: number,
  seed: number,
  isDoubtful = false,
): Promise<void> =>
  Effect.gen(function*() {
    const { ledger, view } = yield* openBench(options, address)
    const session = yield* view.hold("filled")
    const startedAt = "2026-01-01T00:00:00.000Z"
    yield* session.startRun({ run: "filled", mode: "run", startedAt })
    const sorted = [...columns].sort()
    const positions = sorted.map((name) => columns.findIndex((one) => one === name))
    let batch: Array<{ readonly cells: ReadonlyArray<string>; readonly row: number; readonly keyDigest: Buffer }> = []
    const record = Effect.suspend(() => {
      const all = batch
      batch = []
      return Effect.gen(function*() {
        const intent = yield* session.intend({
          rows: all.map(({ cells, keyDigest, row }) => ({
            keyDigest,
            key: cells[0] ?? "",
            row,
            content: ledger.digest.content(positions.map((position) => cells[position] ?? "")),
            supersedes: undefined,
            item: { questions: [] },
            cells: [],
          })),
          resend: false,
          columns,
          contentColumns: sorted,
          mapping: "filled",
        })
        if (isDoubtful) {
          yield* session.recordOutcomes(intent, all.map(() => ({ _tag: "InDoubt", reason: "timeout" })))
          return
        }
        yield* session.recordOutcomes(
          intent,
          all.map(({ row }) => ({
            _tag: "Imported",
            submissionId: `0f8fad5b-d9cb-469f-a165-${String(row).padStart(12, "0")}`,
            submissionTime: startedAt,
          })),
        )
        // Answer digests are left out. No benchmark reads them, and writing them would take three times as long as the
        // rest.
        yield* session.recordVerdicts(
          all.map(({ keyDigest }) => ({ keyDigest, verdict: "verified", answers: new Map() })),
        )
      })
    })
    let row = 0
    for (const cells of rows(count, seed)) {
      batch.push({ cells, row: ++row, keyDigest: ledger.digest.key(cells[0] ?? "") })
      if (batch.length === batchRows) yield* record
    }
    if (batch.length > 0) yield* record
    yield* session.finishRun({ run: "filled", finishedAt: startedAt, outcome: "complete", exitCode: 0, counts: {} })
  }).pipe(Effect.scoped, Effect.provide(NodeContext.layer), Effect.runPromise)
