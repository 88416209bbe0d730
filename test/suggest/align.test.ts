import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { align } from "../../src/suggest/align.ts"

/** Returns the probabilities, rounded to two decimals. */
const aligned = (evidence: ReadonlyArray<ReadonlyArray<number>>) =>
  align(evidence).map((row) => Array.from(row, (one) => Math.round(one * 100) / 100))

/** Evidence for some pairs. All others have evidence against them. */
const sureOf = (
  units: number,
  questions: number,
  pairs: ReadonlyArray<readonly [unit: number, question: number]>,
): Array<Array<number>> =>
  Array.from(
    { length: units },
    (_, unit) =>
      Array.from(
        { length: questions },
        (_, question) => pairs.some(([one, other]) => one === unit && other === question) ? 7 : -1,
      ),
  )

/** Columns and questions in the same order. Only their position connects the pair in the middle. */
const inOrder = sureOf(7, 7, [[0, 0], [1, 1], [2, 2], [4, 4], [5, 5], [6, 6]])

describe("The alignment of columns with questions", () => {
  it("gives each column one question at most, and each question one column", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }).chain((questions) =>
          fc.array(
            fc.array(fc.integer({ min: -60, max: 60 }).map((tenths) => tenths / 10), {
              minLength: questions,
              maxLength: questions,
            }),
            { minLength: 1, maxLength: 6 },
          )
        ),
        (evidence) => {
          const found = align(evidence)
          const sure = found.flatMap((row, unit) =>
            Array.from(row, (one, question) => ({ one, question, unit })).filter(({ one }) => one > 0.7)
          )
          expect(found.flatMap((row) => [...row]).every((one) => one >= 0 && one <= 1)).toBe(true)
          expect(new Set(sure.map(({ unit }) => unit)).size).toBe(sure.length)
          expect(new Set(sure.map(({ question }) => question)).size).toBe(sure.length)
        },
      ),
      { seed: 4, numRuns: 300 },
    )
  })

  it("prefers neither of two columns that fit a question equally well", () => {
    expect(Math.max(...aligned([[4], [4]]).flat())).toBeLessThan(0.6)
  })

  it("gives a question to the second best column if the best one fits another question better", () => {
    const found = aligned([[6, 5], [4, -6]])
    expect(found[0]?.[1]).toBeGreaterThan(0.8)
    expect(found[1]?.[0]).toBeGreaterThan(0.8)
  })

  it("connects a column and a question that have the same neighbours in the file and in the form", () => {
    expect(aligned(inOrder)[3]?.[3]).toBeGreaterThan(0.85)
  })

  it("does not connect a column and a question by order if the cells contradict it", () => {
    const evidence = inOrder.map((row) => [...row])
    evidence[3]![3] = -6
    expect(aligned(evidence)[3]?.[3]).toBeLessThan(0.1)
  })

  it("gives less weight to order if the sure pairs show that the file does not keep the form's order", () => {
    const shuffled = sureOf(7, 7, [[0, 4], [1, 2], [2, 6], [4, 0], [5, 5], [6, 1]])
    const found = aligned(shuffled)
    expect(found[0]?.[4]).toBeGreaterThan(0.9)
    expect(found[6]?.[1]).toBeGreaterThan(0.9)
    expect(found[3]?.[3]).toBeLessThan(0.85)
  })

  it.each([0, 1, 2])(
    "finds each of 200 questions between 400 columns if evidence for all other pairs is %d",
    (other) => {
      const pairs = Array.from({ length: 200 }, (_, question) => [question + 150, question] as const)
      const found = align(sureOf(400, 200, pairs).map((row) => row.map((one) => one === 7 ? 9 : other)))
      expect(found.every((row) => row.every(Number.isFinite))).toBe(true)
      expect(Math.min(...pairs.map(([unit, question]) => found[unit]![question]!))).toBeGreaterThan(0.85)
    },
  )

  it("connects nothing in an empty file or form", () => {
    expect(align([])).toEqual([])
    expect(align([[], []])).toHaveLength(2)
  })
})
