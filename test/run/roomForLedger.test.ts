import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { FateTable } from "../../src/run/FateTable.ts"
import { neededRoom, roomForLedger } from "../../src/run/review.ts"
import { CurrentRun, RunLedger, type RunPlan } from "../../src/run/RunContext.ts"
import type { Survey } from "../../src/run/survey.ts"

const mebibyte = 1024 * 1024

/** A survey of so many rows that are to be sent, of a source of so many bytes. */
const surveyOf = (rows: number, bytes: number) => {
  const fates = new FateTable()
  for (let row = 1; row <= rows; row++) fates.set(row, "pending")
  return { fates, read: rows, files: [{ file: { bytes } }] } as unknown as Survey
}

const look = (free: number | undefined, survey: Survey, limit?: number) =>
  roomForLedger(survey).pipe(
    Effect.provideService(CurrentRun, { limit } as RunPlan),
    Effect.provideService(
      RunLedger,
      {
        ledger: { file: "ledger.db", freeSpace: Effect.succeed(free) },
      } as unknown as RunLedger["Type"],
    ),
  )

it.effect("a disk without room for what is about to be sent is found before anything is", () =>
  Effect.gen(function*() {
    const survey = surveyOf(100_000, 20 * mebibyte)
    const failure = yield* Effect.flip(look(50 * mebibyte, survey))
    expect(failure._tag).toBe("LedgerError")
    expect(failure.message).toContain("its disk has 50 MiB free, and 100000 rows may need")
    expect(failure.message).toContain("nothing was sent")
    yield* look(1_000 * mebibyte, survey)
    // A few rows of many take little, none nothing; and where the system does not tell, nobody is stopped.
    yield* look(50 * mebibyte, survey, 10)
    yield* look(0, surveyOf(0, 0))
    yield* look(undefined, survey)
  }))

it("what rows take grows with them and with their cells", () => {
  expect(neededRoom(0, 0, 0)).toBe(8 * mebibyte)
  // As measured: 20,000 rows of twelve answers, 3.3 MB of source, took 27 MiB of file and log.
  expect(neededRoom(20_000, 20_000, 3_300_000)).toBeGreaterThan(27 * mebibyte)
  expect(neededRoom(2_000, 4_000, 4_000_000)).toBeGreaterThan(neededRoom(1_000, 4_000, 4_000_000))
  expect(neededRoom(1_000, 1_000, 8_000_000)).toBeGreaterThan(neededRoom(1_000, 1_000, 4_000_000))
})
