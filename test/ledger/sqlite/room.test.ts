import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { neededRoom, requireRoom } from "../../../src/ledger/sqlite/room.ts"

const mebibyte = 1024 * 1024

it.effect("a disk without space for the rows is reported, with the space that the rows may need", () =>
  Effect.gen(function*() {
    const look = (free: number | undefined, rows: number, bytes: number) => requireRoom("ledger.db", free, rows, bytes)
    const failure = yield* Effect.flip(look(50 * mebibyte, 100_000, 20 * mebibyte))
    expect(failure._tag).toBe("LedgerError")
    expect(failure.message).toContain("its disk has 50 MiB free, and 100,000 rows may need")
    expect(failure.message).toMatch(/Make room, then run again\. Nothing more is sent/)
    yield* look(1_000 * mebibyte, 100_000, 20 * mebibyte)
    yield* look(50 * mebibyte, 10, 2_100)
    // If the system doesn't report the free space, no run is stopped.
    yield* look(undefined, 100_000, 20 * mebibyte)
  }))

it("the space that rows need increases with their number and their cells", () => {
  expect(neededRoom(0, 0)).toBe(8 * mebibyte)
  // Measured: 20,000 rows of twelve answers (3.3 MB of source) took 27 MiB for the ledger file and its log.
  expect(neededRoom(20_000, 3_300_000)).toBeGreaterThan(27 * mebibyte)
  expect(neededRoom(2_000, 2_000_000)).toBeGreaterThan(neededRoom(1_000, 1_000_000))
  expect(neededRoom(1_000, 8_000_000)).toBeGreaterThan(neededRoom(1_000, 4_000_000))
})
