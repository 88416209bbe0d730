import { expect, it } from "vitest"
import type { RunFacts } from "../../src/domain/anomaly.ts"
import { anomalies } from "../../src/run/history.ts"

const usual: RunFacts = {
  run: "before",
  startedAt: "2026-11-01T02:00:00.000Z",
  duration: 30_000,
  whole: true,
  partial: false,
  unchanged: false,
  read: 1_000,
  invalid: 4,
  sent: 20,
  shared: 0,
  alreadyKnown: 980,
  vanished: { count: 0, fresh: 0 },
  anomalies: [],
}
const history = [usual, { ...usual, read: 990 }, { ...usual, read: 980 }]
const codes = (run: Partial<RunFacts>, before: ReadonlyArray<RunFacts> = history) =>
  anomalies({ ...usual, run: "now", ...run }, before).map(({ code }) => code)

it("no anomaly is reported for a run like the previous ones", () => {
  expect(codes({})).toEqual([])
  expect(codes({ read: 1_100, sent: 100, duration: 60_000 })).toEqual([])
})

it("an empty source is reported, even in the first run", () => {
  expect(codes({ read: 0, invalid: 0 })).toEqual(["empty-source"])
  expect(codes({ read: 0, invalid: 0 }, [])).toEqual(["empty-source"])
})

it("a source with less than half of its usual rows is reported if there are three runs to compare with", () => {
  expect(anomalies({ ...usual, read: 489 }, history)).toEqual([{
    code: "shrunken-source",
    sentence: "The source contains 489 rows, but contained 990 in the last runs: it may be cut short.",
    fresh: true,
  }])
  expect(codes({ read: 495 })).toEqual([])
  expect(codes({ read: 100 }, history.slice(1))).toEqual([])
  expect(codes({ read: 3 }, history.map((one) => ({ ...one, read: 9 })))).toEqual([])
})

it("a source whose last line has no line end is reported if all of three runs had one", () => {
  const closed = history.map((one) => ({ ...one, open: false }))
  expect(anomalies({ ...usual, open: true }, closed)).toEqual([{
    code: "shrunken-source",
    sentence:
      "The last line of the source has no line end, unlike in the last runs: it may be cut short. Compare the last row with the complete file.",
    fresh: true,
  }])
  expect(codes({ open: false }, closed)).toEqual([])
  expect(codes({ open: true }, closed.slice(1))).toEqual([])
  expect(codes({ open: true }, [{ ...usual, open: true }, ...closed])).toEqual([])
  expect(codes({ open: true })).toEqual([])
})

it("a source that shrank after nights without changes is reported", () => {
  const quiet = { ...usual, unchanged: true, sent: 0 }
  expect(codes({ read: 400 }, [quiet, quiet, usual])).toEqual(["shrunken-source"])
  expect(codes({ read: 400 }, [quiet, usual])).toEqual([])
  expect(codes({ duration: 200_000 }, [quiet, quiet, usual])).toEqual([])
})

it("a source that is too old is reported even if it is unchanged, but counts as a new anomaly only once", () => {
  const quiet = { ...usual, unchanged: true, sent: 0 }
  const stale = { code: "stale-source", sentence: "It is old." }
  expect(anomalies(quiet, [usual], "It is old.")).toEqual([{ ...stale, fresh: true }])
  expect(anomalies(quiet, [{ ...quiet, anomalies: ["stale-source"] }], "It is old.")).toEqual([{
    ...stale,
    fresh: false,
  }])
  expect(anomalies({ ...quiet, whole: false }, [usual], "It is old.")).toEqual([])
})

it("an unusually high share of invalid rows is reported", () => {
  expect(codes({ invalid: 51 })).toEqual(["invalid-share"])
  expect(codes({ invalid: 50 })).toEqual([])
  expect(codes({ invalid: 51 }, history.map((one) => ({ ...one, invalid: 40 })))).toEqual([])
  expect(codes({ read: 9, invalid: 9 }, [])).toEqual([])
  expect(codes({ read: 20, invalid: 10 }, [])).toEqual(["invalid-share"])
  const sentence = (past: typeof history) => anomalies({ ...usual, invalid: 60 }, past)[0]?.sentence
  expect(sentence([])).toBe("60 rows of 1,000 can't be imported (6%).")
  expect(sentence(history)).toBe("60 rows of 1,000 can't be imported (6%, usually 0.4%).")
})

it("vanished rows are reported in the first run without them, but not in later runs", () => {
  expect(codes({ vanished: { count: 50, fresh: 50 } })).toEqual(["vanished"])
  expect(codes({ vanished: { count: 500, fresh: 49 } })).toEqual([])
  expect(codes({ alreadyKnown: 9, vanished: { count: 9, fresh: 9 } })).toEqual([])
})

it("a run is reported if it took three times as long as usual, and at least a minute longer", () => {
  expect(codes({ duration: 90_001 })).toEqual(["slow-run"])
  expect(codes({ duration: 90_000 })).toEqual([])
  expect(codes({ duration: 20_000 }, history.map((one) => ({ ...one, duration: 1_000 })))).toEqual([])
  expect(codes({ duration: 200_000 }, history.slice(1))).toEqual([])
})

it("an anomaly is new if the previous run did not have it", () => {
  const shrunk = { ...usual, read: 100, anomalies: ["shrunken-source"] } as const
  expect(anomalies({ ...usual, read: 100 }, [shrunk, ...history])[0]?.fresh).toBe(false)
  expect(anomalies({ ...usual, read: 100 }, [usual, shrunk, ...history])[0]?.fresh).toBe(true)
  // A run in between that stopped early provides no information about the source.
  expect(anomalies({ ...usual, read: 100 }, [{ ...usual, whole: false, read: 0 }, shrunk, ...history])[0]?.fresh).toBe(
    false,
  )
})

it("no anomaly is reported for a run that did not read its source to the end", () => {
  expect(codes({ whole: false, read: 0, duration: 500_000 })).toEqual([])
})

it("an unchanged source repeats the previous run's anomalies, and is never reported as slow", () => {
  const shrunk = { ...usual, read: 100, anomalies: ["shrunken-source"] } as const
  const now = { ...usual, read: 100, unchanged: true, duration: 900_000 }
  expect(anomalies(now, [shrunk, ...history])).toMatchObject([{ code: "shrunken-source", fresh: false }])
  expect(anomalies(now, [usual, ...history])).toEqual([])
  const quick = { ...usual, unchanged: true, duration: 10 }
  expect(codes({ duration: 50_000 }, [quick, quick, quick, quick, ...history])).toEqual([])
})
