import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { assign } from "../../../src/mapping/suggest/rank.ts"

/** The best sum over all one-to-one arrangements, tried one by one. */
const best = (worth: ReadonlyArray<ReadonlyArray<number>>, unit = 0, used: ReadonlySet<number> = new Set()): number => {
  const row = worth[unit]
  if (row === undefined) return 0
  return row.reduce(
    (most, value, target) =>
      used.has(target) ? most : Math.max(most, value + best(worth, unit + 1, new Set([...used, target]))),
    best(worth, unit + 1, used),
  )
}

describe("The assignment of columns to questions", () => {
  it("is the best one overall, not the one that takes the best pair first", () => {
    // The first column fits both, the second only the first question.
    expect(assign([[5, 4.5], [4.8, -9]]).map(({ target, unit }) => [unit, target])).toEqual([[0, 1], [1, 0]])
  })

  it("is as good as the best of all arrangements, and one to one", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }).chain((targets) =>
          fc.array(
            fc.array(fc.integer({ min: -60, max: 60 }).map((tenths) => tenths / 10), {
              minLength: targets,
              maxLength: targets,
            }),
            {
              minLength: 1,
              maxLength: 5,
            },
          )
        ),
        (logits) => {
          const found = assign(logits)
          const worth = logits.map((row) => row.map((logit) => Math.max(0, logit + 3)))
          const sum = found.reduce((all, { target, unit }) => all + (worth[unit]?.[target] ?? 0), 0)
          expect(sum).toBeCloseTo(best(worth), 6)
          expect(new Set(found.map(({ unit }) => unit)).size).toBe(found.length)
          expect(new Set(found.map(({ target }) => target)).size).toBe(found.length)
        },
      ),
      { seed: 4, numRuns: 300 },
    )
  })

  it("has no margin if another arrangement is as good", () => {
    expect(assign([[3, 3]])[0]?.margin).toBeCloseTo(0)
    expect(assign([[3, 3], [3, 3]]).every(({ margin }) => Math.abs(margin) < 1e-9)).toBe(true)
    expect(assign([[4, -9], [-9, 4]]).every(({ margin }) => margin > 3)).toBe(true)
  })
})
