import fc from "fast-check"
import { expect, it } from "vitest"
import { Timeline } from "../../src/service/requests.ts"

const start = Date.parse("2025-03-01T02:00:00.000Z")

it("the timeline counts requests second by second", () => {
  const timeline = new Timeline()
  expect(timeline.pace).toBeUndefined()
  timeline.count("metadata", start + 10)
  timeline.count("create", start + 500)
  timeline.count("read", start + 1_500)
  timeline.count("throttled", start + 3_010)
  const none = { metadata: 0, create: 0, read: 0, retried: 0, throttled: 0 }
  expect(timeline.pace).toEqual({
    from: "2025-03-01T02:00:00.010Z",
    every: 1_000,
    buckets: [{ ...none, metadata: 1, create: 1 }, { ...none, read: 1 }, none, { ...none, throttled: 1 }],
  })
})

it("the timeline counts every request in at most 240 spans, however long the run takes and whatever the clock does", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -5_000, max: 40 * 3_600_000 }), { minLength: 1, maxLength: 400 }),
      (times) => {
        const timeline = new Timeline()
        for (const time of times) timeline.count("read", start + time)
        const pace = timeline.pace
        expect(pace?.buckets.length).toBeLessThanOrEqual(240)
        expect(pace?.buckets.reduce((sum, { read }) => sum + read, 0)).toBe(times.length)
        expect(Math.log2((pace?.every ?? 0) / 1_000) % 1).toBe(0)
      },
    ),
    { seed: 5, numRuns: 100 },
  )
})

it("a request stays in the span that contains its time when spans grow", () => {
  const timeline = new Timeline()
  for (let second = 0; second < 1_000; second++) timeline.count("read", start + second * 1_000)
  expect(timeline.pace?.every).toBe(8_000)
  expect(timeline.pace?.buckets.map(({ read }) => read)).toEqual(Array.from({ length: 125 }, () => 8))
})
