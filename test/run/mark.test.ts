import { describe, expect, it } from "vitest"
import { markAfter } from "../../src/run/mark.ts"

const never = () => false
const rows = (...numbers: ReadonlyArray<number>) => (row: number) => numbers.includes(row)
const pull = (times: ReadonlyArray<number>, mark?: number) => ({ times, mark, startedAt: 1_000 })

describe("markAfter", () => {
  it("returns the newest time, in any order of the records", () => {
    expect(markAfter(pull([10, 30, 20]), never)).toEqual({ at: 30, heldBy: undefined, unreadable: 0 })
    expect(markAfter(pull([10, 30, 20], 15), never).at).toBe(30)
  })

  it("does not pass a row that needs more, nor an earlier row with the same time", () => {
    expect(markAfter(pull([10, 20, 30, 40]), rows(2, 3))).toEqual({ at: 20, heldBy: 2, unreadable: 0 })
    expect(markAfter(pull([20, 20, 40]), rows(2)).at).toBe(20)
  })

  it("names no row if the newest one needs more, because later records are pulled anyway", () => {
    expect(markAfter(pull([10, 40]), rows(2))).toEqual({ at: 40, heldBy: undefined, unreadable: 0 })
  })

  it("moves back only after a pull of all records", () => {
    expect(markAfter(pull([10, 20, 30], 25), rows(1))).toEqual({ at: 25, heldBy: 1, unreadable: 0 })
    expect(markAfter(pull([10, 20, 30]), rows(1)).at).toBe(10)
  })

  it("stays if there are no records, or older ones only", () => {
    expect(markAfter(pull([], 25), never).at).toBe(25)
    expect(markAfter(pull([20], 25), never).at).toBe(25)
    expect(markAfter(pull([]), never).at).toBeUndefined()
  })

  it("stays if a time can't be read, even if the record is not the newest one", () => {
    expect(markAfter(pull([10, Number.NaN, 30], 5), never)).toEqual({ at: 5, heldBy: undefined, unreadable: 1 })
    expect(markAfter(pull([10, Number.NaN, 30]), never).at).toBeUndefined()
  })

  it("ignores times after the start of the pull, but not that such a row needs more", () => {
    expect(markAfter(pull([10, 99_999, 30]), never).at).toBe(30)
    expect(markAfter(pull([99_999]), never).at).toBeUndefined()
    expect(markAfter(pull([10, 99_999, 30]), rows(2)).at).toBe(30)
  })
})
