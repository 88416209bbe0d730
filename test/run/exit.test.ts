import { describe, expect, it } from "vitest"
import { mostSevere } from "../../src/domain/exit.ts"
import { ending } from "../../src/run/ending.ts"
import { overLimit } from "../../src/run/review.ts"

const clean = { balanced: true, reasons: [], inDoubt: 0, unproven: 0, needed: 0, uncovered: false }
const interrupted = { _tag: "Interrupted", signal: "SIGTERM" } as const
const unavailable = { _tag: "Unavailable", because: "down" } as const
const stopped = { _tag: "Protected", because: "canary" } as const

describe("the exit code of a run", () => {
  it("the exit code is 0 if nothing is left to do", () => {
    expect(ending(clean)).toEqual({ exitCode: 0, outcome: "complete" })
  })

  it("the exit code is 1 or 4 if people must review something", () => {
    expect(ending({ ...clean, needed: 1 })).toEqual({ exitCode: 1, outcome: "attention" })
    expect(ending({ ...clean, uncovered: true })).toEqual({ exitCode: 1, outcome: "attention" })
    expect(ending({ ...clean, unproven: 1 })).toEqual({ exitCode: 4, outcome: "differing" })
    expect(ending({ ...clean, inDoubt: 1 })).toEqual({ exitCode: 4, outcome: "inDoubt" })
    expect(ending({ ...clean, reasons: [{ _tag: "CanaryInDoubt" }] })).toEqual({ exitCode: 4, outcome: "inDoubt" })
  })

  it("the exit code is the most severe if several apply", () => {
    const all = {
      balanced: true,
      reasons: [stopped, unavailable, interrupted],
      inDoubt: 1,
      unproven: 1,
      needed: 1,
      uncovered: false,
    }
    expect(ending({ ...all, balanced: false }).exitCode).toBe(70)
    expect(ending(all).exitCode).toBe(143)
    expect(ending({ ...all, reasons: [stopped, unavailable] }).exitCode).toBe(5)
    expect(ending({ ...all, reasons: [stopped] }).exitCode).toBe(3)
    expect(ending({ ...all, reasons: [] }).exitCode).toBe(4)
  })

  it("the exit code is the most severe of several pipelines, and a busy pipeline's is the least severe", () => {
    expect(mostSevere([0, 0])).toBe(0)
    expect(mostSevere([0, 6])).toBe(6)
    expect(mostSevere([6, 1])).toBe(1)
    expect(mostSevere([1, 4, 3, 5])).toBe(5)
    expect(mostSevere([5, 2, 130])).toBe(130)
    expect(mostSevere([130, 70])).toBe(70)
  })
})

describe("a limit of stopWhen", () => {
  const share = { share: 0.2, atLeast: 10 }
  const amount = (rows: number, of: number) => ({ rows, of, among: "rows that are new in this run" })

  it("a limit given as a share is exceeded only above this share", () => {
    expect(overLimit("invalid", share, amount(2, 10))).toBeUndefined()
    expect(overLimit("invalid", share, amount(3, 10))).toBe(
      "3 of 10 rows that are new in this run are invalid (30%), more than stopWhen allows (20%).",
    )
  })

  it("a small share that exceeds its limit is shown as more than nothing, and the limit as it was given", () => {
    expect(overLimit("invalid", { share: 0.0004 }, amount(49, 100_000))).toContain(
      "49 of 100,000 rows that are new in this run are invalid (0.049%), more than stopWhen allows (0.04%).",
    )
  })

  it("a limit given as a share applies only from a minimum number of rows", () => {
    expect(overLimit("invalid", share, amount(9, 9))).toBeUndefined()
    expect(overLimit("invalid", { share: 0.2, atLeast: 50 }, amount(49, 49))).toBeUndefined()
  })

  it("a limit given as a number of rows applies whatever their share", () => {
    expect(overLimit("in doubt", { rows: 20 }, amount(20, 20))).toBeUndefined()
    expect(overLimit("in doubt", { rows: 20 }, amount(21, 1_000_000))).toContain("21 rows are in doubt")
  })
})
