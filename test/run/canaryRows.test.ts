import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CanaryRows } from "../../src/run/canary.ts"

const answers = 6

const offer = (canary: CanaryRows, row: number, indexes: ReadonlyArray<number>) => {
  const answered = new Uint8Array(answers)
  for (const index of indexes) answered[index] = 1
  canary.offer(row, answered)
}

describe("the canary's rows", () => {
  it("the canary's rows cover every question that any row answers, if enough rows are allowed", () => {
    fc.assert(
      fc.property(
        fc.array(fc.uniqueArray(fc.nat({ max: answers - 1 })), { minLength: 1, maxLength: 60 }),
        (rows) => {
          const canary = new CanaryRows(10, answers)
          rows.forEach((indexes, at) => offer(canary, at + 1, indexes))
          const chosen = canary.choose(10, () => true)
          expect(new Set(chosen.flatMap((row) => rows[row - 1] ?? []))).toEqual(new Set(rows.flat()))
          expect(chosen.length).toBe(Math.min(10, rows.length))
          expect([...chosen].sort((a, b) => a - b)).toEqual(chosen)
        },
      ),
      { seed: 20261120 },
    )
  })

  it("the canary's rows never exceed the allowed number", () => {
    const canary = new CanaryRows(2, answers)
    ;[[0], [1], [2]].forEach((indexes, at) => offer(canary, at + 1, indexes))
    expect(canary.choose(2, () => true).length).toBe(2)
  })
})
