import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { FateTable } from "../../src/run/FateTable.ts"
import { roomForLedger } from "../../src/run/review.ts"
import { CurrentRun, RunLedger, type RunPlan } from "../../src/run/RunContext.ts"
import type { Survey } from "../../src/run/survey.ts"

/**
 * Returns the space requested from the ledger before a survey's rows are sent: the number of rows, and the bytes of
 * their cells.
 */
const askedFor = (rows: number, bytes: number, limit?: number) => {
  const fates = new FateTable()
  for (let row = 1; row <= rows; row++) fates.set(row, "pending")
  const asked: Array<readonly [number, number]> = []
  const roomFor = (...one: readonly [number, number]) => Effect.sync(() => void asked.push(one))
  return roomForLedger({ fates, read: rows, files: [{ file: { bytes } }] } as unknown as Survey).pipe(
    Effect.provideService(CurrentRun, { limit } as RunPlan),
    Effect.provideService(RunLedger, { ledger: { roomFor } } as unknown as RunLedger["Type"]),
    Effect.as(asked),
  )
}

it.effect("a run requires disk space only for the rows that it is about to send", () =>
  Effect.gen(function*() {
    expect(yield* askedFor(1_000, 5_000)).toEqual([[1_000, 5_000]])
    expect(yield* askedFor(1_000, 5_000, 10)).toEqual([[10, 50]])
    expect(yield* askedFor(0, 0)).toEqual([])
  }))
