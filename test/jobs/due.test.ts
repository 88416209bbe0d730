import { describe, expect, it } from "vitest"
import { countsFrom, dueNow } from "../../src/jobs/schedules.ts"
import type { LastTurn } from "../../src/ledger/turns.ts"

const schedule = { cron: "0 2 * * *", zone: "UTC" }
const at = (time: string) => Date.parse(`2026-11-${time}:00Z`)
const last = (change: Partial<LastTurn> = {}): LastTurn => ({
  at: undefined,
  state: "done",
  lease: undefined,
  tries: 0,
  ran: undefined,
  ...change,
})
const due = (change: Partial<LastTurn>, now: string) => dueNow(schedule, last(change), at(now), "later")

describe("a pipeline's schedule", () => {
  it("a pipeline is due if a scheduled time has passed since both its last turn and its last run", () => {
    expect(due({ at: at("20T02:00") }, "21T01:59")).toBe("later")
    expect(due({ at: at("20T02:00") }, "21T02:00")).toBe("due")
    expect(due({ at: at("20T02:00"), ran: at("21T02:30") }, "21T03:00")).toBe("later")
    expect(due({ at: at("21T02:00"), ran: at("20T02:30") }, "21T03:00")).toBe("later")
    expect(due({ ran: at("01T02:30") }, "21T03:00")).toBe("due")
  })

  it("a pipeline that never ran is due or waits, as the caller chooses", () => {
    expect(due({}, "21T03:00")).toBe("later")
    expect(dueNow(schedule, last(), at("21T03:00"), "due")).toBe("due")
  })

  it("a pipeline is due again if its turn ended early, but at most three times before its next scheduled time", () => {
    const broken = { at: at("21T02:00"), ran: at("21T02:00"), state: "stopped" } as const
    expect(due({ ...broken, tries: 1 }, "21T02:05")).toBe("due")
    expect(due({ ...broken, tries: 2 }, "21T02:05")).toBe("due")
    expect(due({ ...broken, tries: 3 }, "21T02:05")).toBe("later")
    expect(due({ ...broken, tries: 3 }, "22T02:00")).toBe("due")
  })

  it("a pipeline is not due while a different process is running it, however late it is", () => {
    expect(due({ at: at("01T02:00"), state: "inProgress", tries: 1 }, "21T03:00")).toBe("elsewhere")
  })
})

describe("a clock that was wrong", () => {
  const future = Date.parse("2099-01-01")

  it("a time in the near future counts, so that a small clock change causes no second run", () => {
    expect(countsFrom(last({ at: at("21T02:00") }), at("21T01:59"))).toBe(at("21T02:00"))
    expect(due({ at: at("21T02:00") }, "21T01:59")).toBe("later")
  })

  it("a pipeline whose only times are in the far future is due", () => {
    expect(countsFrom(last({ at: future }), at("21T01:00"))).toBe(undefined)
    expect(due({ at: future, ran: future, tries: 1 }, "21T01:00")).toBe("due")
    expect(due({ ran: future }, "21T01:00")).toBe("due")
  })

  it("a time in the far future is ignored if the other one is right", () => {
    expect(due({ at: future, ran: at("21T02:30"), tries: 1 }, "21T03:00")).toBe("later")
    expect(due({ at: at("20T02:00"), ran: future, tries: 1 }, "21T03:00")).toBe("due")
  })
})
