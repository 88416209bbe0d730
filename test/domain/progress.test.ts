import { expect, it } from "vitest"
import { paceTexts, type ProgressEvent } from "../../src/domain/progress.ts"

it("paceTexts gives the rate and the time left of a phase, but neither if it would mislead", () => {
  const texts = (phase: ProgressEvent["phase"], rate: number | undefined, read: number, total?: number) =>
    paceTexts({
      phase,
      read,
      total,
      rate,
      sent: 0,
      readBack: { verified: 0, differing: 0, missing: 0, unread: 0 },
      inDoubt: 0,
      throttled: 0,
    })
  expect(texts("import", 10, 100, 200)).toEqual(["10 a second", "about 10s left"])
  expect(texts("download", 1234.5, 5000)).toEqual(["1,235 a second"])
  expect(texts("readBack", 0.25, 1, 2)).toEqual(["0.3 a second", "about 4s left"])
  // The rows of a survey come in bursts.
  expect(texts("survey", 10, 100, 200)).toEqual(["about 10s left"])
  expect(texts("import", 0.06, 0, 1_000_000)).toEqual(["0.1 a second"])
  for (const rate of [undefined, 0]) expect(texts("import", rate, 0, 10)).toEqual([])
  expect(texts("rewrite", 10, 0, 10)).toEqual([])
  expect(texts("import", 10, 20, 10)).toEqual(["10 a second"])
})
