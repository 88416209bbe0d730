import { describe, expect, it } from "vitest"
import { SentRequests } from "../../src/service/SentRequests.ts"

/** Records requests, given as the times at which they were sent and answered, in the order of their answers. */
const sent = (...requests: ReadonlyArray<readonly [at: number, answeredAt: number]>): SentRequests => {
  const all = new SentRequests()
  for (const [at] of requests.toSorted(([a], [b]) => a - b)) all.add(at)
  for (const [at, answeredAt] of requests) all.answered(at, answeredAt)
  return all
}

describe("when the service counted a request", () => {
  it("a request whose answer was the fastest is counted when it was sent", () => {
    expect(sent([0, 20]).countedAt(1, 250)).toBe(0)
  })

  it("a slow first answer counts as late as soon as a later one is faster", () => {
    expect(sent([0, 60], [100, 120]).countedAt(2, 250)).toBe(40)
  })

  it("a fast answer is used for the requests that were answered soon after it", () => {
    const all = sent([0, 20], [100, 160])
    for (let at = 200; at < 2_200; at++) {
      all.add(at)
      all.answered(at, at + 60)
    }
    expect(all.countedAt(2_001, 250)).toBeCloseTo(140, 0)
  })

  it("a slow answer is no later than one to a request that was sent after it", () => {
    expect(sent([10, 30], [0, 200]).countedAt(2, 250)).toBeCloseTo(10, 0)
  })

  it("a very slow answer counts as late by at most the given time", () => {
    expect(sent([0, 900], [1_000, 1_020]).countedAt(2, 250)).toBe(250)
  })

  it("a request without an answer is counted when it was sent", () => {
    const all = sent([0, 20])
    all.add(30)
    expect(all.countedAt(1, 250)).toBe(30)
  })

  it("a request that was refused is not counted", () => {
    const all = sent([0, 20], [30, 50])
    all.add(60)
    all.refused(60)
    expect(all.countedAt(1, 250)).toBe(30)
  })
})
