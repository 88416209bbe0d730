import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { answered, CanaryRows } from "../../src/run/canaryRows.ts"

const item = (ids: ReadonlyArray<string>) => ({ questions: ids.map((id) => ({ id, value: "x" })) })

describe("the canary's rows", () => {
  it("cover every question that any row answers, when so many rows can", () => {
    fc.assert(
      fc.property(
        fc.array(fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e", "f")), { minLength: 1, maxLength: 60 }),
        (rows) => {
          const canary = new CanaryRows(10)
          rows.forEach((ids, index) => canary.offer(index + 1, item(ids)))
          const chosen = canary.choose(10)
          expect(new Set(chosen.flatMap((row) => rows[row - 1] ?? []))).toEqual(new Set(rows.flat()))
          expect(canary.uncovered(chosen)).toEqual([])
          expect(chosen.length).toBe(Math.min(10, rows.length))
          expect([...chosen].sort((a, b) => a - b)).toEqual(chosen)
        },
      ),
      { seed: 20261120 },
    )
  })

  it("are never more than allowed, and what they leave out is told", () => {
    const canary = new CanaryRows(2)
    ;[["a"], ["b"], ["c"]].forEach((ids, index) => canary.offer(index + 1, item(ids)))
    const chosen = canary.choose(2)
    expect(chosen.length).toBe(2)
    expect(canary.uncovered(chosen).length).toBe(1)
  })

  it("count every member of an item that a mapping can fill", () => {
    expect(answered({
      questions: [{ id: "q", value: 1 }],
      urlParameters: [{ id: "u", name: "u", value: "1" }],
      scheduling: [{ id: "s", value: {} }],
      payments: [{ id: "p", value: {} }],
      submissionTime: "2024-01-01T00:00:00.000Z",
      lastUpdatedAt: "2024-01-01T00:00:00.000Z",
      login: { email: "a@example.org" },
    })).toEqual(["q", "u", "s", "p", "submissionTime", "lastUpdatedAt", "login"])
  })
})
