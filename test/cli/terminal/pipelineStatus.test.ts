import stringWidth from "fast-string-width"
import { expect, it } from "vitest"
import { showPipelineStatus, sparkline } from "../../../src/cli/status.ts"
import type { PastRecord, PipelineStanding } from "../../../src/jobs/status.ts"

const now = Date.parse("2026-11-20T12:00:00Z")

const run = (day: number, read: number, outcome: PastRecord["outcome"] = "complete"): PastRecord => {
  const startedAt = `2026-11-${String(day).padStart(2, "0")}T01:00:00.000Z`
  return {
    run: `r${day}`,
    mode: "run",
    startedAt,
    finishedAt: startedAt.replace("01:00:00", "01:01:05"),
    outcome,
    exitCode: outcome === "complete" ? 0 : 4,
    counts: null,
    facts: {
      run: `r${day}`,
      startedAt,
      duration: 65_000,
      whole: true,
      partial: false,
      unchanged: false,
      read,
      invalid: 2,
      sent: day,
      shared: 0,
      alreadyKnown: read - day,
      vanished: { count: 3, fresh: 1 },
      anomalies: [],
    },
  }
}

const standing: PipelineStanding = {
  pipeline: "contacts",
  destination: { service: "https://forms.example.com/v1/api", form: "kT7cWm2Lq9" },
  zone: "Europe/Berlin",
  standing: {
    imported: 12_345,
    inDoubt: 4,
    intended: 0,
    refused: 1,
    undone: 0,
    leftOut: 2,
    replaced: 0,
    verdicts: { verified: 12_340, differing: 5, missing: 0, unread: 0 },
    acknowledged: { inDoubt: 1, differing: 0, missing: 0, unread: 0 },
  },
  going: undefined,
  lastRun: run(20, 12_345, "inDoubt"),
  lastDone: run(19, 12_000),
  runs: [run(20, 12_345, "inDoubt"), run(19, 12_000), run(18, 6_000), run(17, 0)],
  doubts: [{ age: "younger than a day", count: 3 }, { age: "older than 30 days", count: 1 }],
  drift: { edited: 7, gone: 0, acknowledged: { edited: 0, gone: 0 } },
  nextRun: { at: "2026-11-21T02:00:00+01:00", zone: "Europe/Berlin" },
}

it("the status of a pipeline shows the counts, past runs and the next run", () => {
  const shown = showPipelineStatus(standing, now, { width: 80, colour: false })
  expect(shown.split("\n").slice(0, 12)).toMatchInlineSnapshot(`
    [
      "contacts → kT7cWm2Lq9 of https://forms.example.com/v1/api",
      "  imported    12,345 · 12,340 verified · 5 differing",
      "  in doubt    4 · 3 younger than a day · 1 older than 30 days · 1 acknowledged",
      "  also        1 refused · 2 skipped on purpose · 3 vanished from the source · 7",
      "              edited since they were verified",
      "  last good   Thu 2026-11-19 02:01:05 +01:00, 1d 10h ago",
      "  next run    Sat 2026-11-21 02:00 +01:00, in 13h",
      "  time zone   Europe/Berlin",
      "  read        ▁▄██  12,345 rows",
      "  sent        ▇▇██  20 rows",
      "  took        ████  1m 5s",
      " started          │ mode │  took │   read │ sent │ invalid │ outcome",
    ]
  `)
})

it("the status of a pipeline shows the start of a run in progress, its rows in flight, and its lease", () => {
  const { outcome: _, ...begun } = run(20, 0)
  const now20 = { ...begun, outcome: undefined, finishedAt: undefined, facts: undefined }
  const lease = { host: "web-2", pid: 71, silentFor: 3_100, expiresIn: 56_900 }
  const going = { run: "r20", since: "2026-11-20T11:55:00.000Z", inFlight: 16, lease }
  const shown = showPipelineStatus({ ...standing, going, runs: [now20, run(19, 12_000)] }, now, {
    width: 80,
    colour: false,
  })
  expect(shown).toContain("  in progress since Fri 2026-11-20 12:55 +01:00, 5m · 16 rows in flight\n")
  expect(shown).toContain("  run by      web-2 (process 71) · last heartbeat 4s ago · lease ends in 57s\n")
  expect(shown).toMatch(/2026-11-20 02:00 .* In progress/)
  const killed = showPipelineStatus({ ...standing, runs: [now20] }, now, { width: 80, colour: false })
  expect(killed).toMatch(/2026-11-20 02:00 .* Ended without a$/m)
})

it("the status of a pipeline fits terminals of 80 columns and fewer", () => {
  for (const width of [80, 60, 40]) {
    for (const line of showPipelineStatus(standing, now, { width, colour: false }).split("\n")) {
      expect(stringWidth(line), line).toBeLessThanOrEqual(width)
    }
  }
})

it("a sparkline scales from zero to the highest value, with the lowest bar only for zero and a gap for unknown values", () => {
  expect(sparkline([0, 1, 50, 100, undefined, 100])).toBe("▁▂▅█ █")
  expect(sparkline([0, 0])).toBe("▁▁")
  expect(sparkline([])).toBe("")
})
