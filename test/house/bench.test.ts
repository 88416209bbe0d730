import { describe, expect, it } from "vitest"
import type { Measured } from "../bench/measured.ts"
import { resultOf, table } from "../bench/results.ts"
import type { Target } from "../bench/Target.ts"

const round = (seconds: number, megabytes = 100): Measured => ({
  seconds,
  cpuSeconds: seconds,
  megabytes,
  exitCode: 0,
  stdout: "",
  stderr: "",
})

const target = (more: Partial<Target>): Target => ({
  name: "reading",
  title: "reading it",
  beside: "the bare parser",
  by: "times",
  of: "seconds",
  atMost: 2,
  open: () => Promise.reject(new Error("not asked for")),
  ...more,
})

const verdict = (more: Partial<Target>, ours: ReadonlyArray<Measured>, beside: ReadonlyArray<Measured>) => {
  const { met, ratio } = resultOf(target(more), ours, beside)
  return { met, ratio }
}

describe("a benchmark's verdict", () => {
  it("the verdict depends on the medians of both sides, not on a single slow or fast round", () => {
    const beside = [round(1), round(1), round(1)]
    expect(verdict({}, [round(9), round(2), round(1)], beside)).toEqual({ met: true, ratio: 2 })
    expect(verdict({}, [round(1), round(2.5), round(3)], beside)).toEqual({ met: false, ratio: 2.5 })
  })

  it("the target is missed if the highest peak of any round exceeds the limit, however fast the rounds were", () => {
    const beside = [round(1), round(1), round(1)]
    expect(verdict({ peak: 200 }, [round(1, 150), round(1, 200), round(1, 150)], beside).met).toBe(true)
    expect(verdict({ peak: 200 }, [round(1, 150), round(1, 201), round(1, 150)], beside).met).toBe(false)
  })

  it("the target is missed if a run uses more processor cores than allowed", () => {
    const beside = [round(1)]
    expect(verdict({ cores: 1 }, [{ ...round(2), cpuSeconds: 2 }], beside).met).toBe(true)
    expect(verdict({ cores: 1 }, [{ ...round(2), cpuSeconds: 2.1 }], beside).met).toBe(false)
  })

  it("the verdict compares megabytes if the target measures memory, and added seconds if the target is a difference", () => {
    expect(verdict({ of: "megabytes", atMost: 1.3 }, [round(9, 130)], [round(1, 100)])).toEqual({
      met: true,
      ratio: 1.3,
    })
    expect(verdict({ by: "over", atMost: 0.25 }, [round(0.5)], [round(0.125)])).toEqual({ met: false, ratio: 0.375 })
  })

  it("the table contains the ratio and its limit, and the stored figures contain every round", () => {
    const result = resultOf(target({}), [round(5), round(4)], [round(2), round(1)])
    expect(result.ours.rounds).toEqual([5, 4])
    expect(table([result])).toContain("| 3.00 × | 2.00 ×  |")
    expect(table([result])).toContain("**not met**")
  })
})
