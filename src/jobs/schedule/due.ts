import type { LastTurn } from "../../ledger/Ledger.ts"
import { nextTime, type Schedule } from "../../project/cron.ts"

/** `elsewhere`: another process is at it. */
export type Due = "due" | "elsewhere" | "later"

/** A turn that breaks off again and again (the machine's memory is too small, say) is not tried for ever: the next time comes. */
const mostTries = 3

/** A clock that was set back by more than this had been wrong: what it wrote says nothing. */
const clockFault = 3_600_000

/** From when on a schedule's times count; undefined: the pipeline never ran, and no schedule has seen it. In milliseconds since 1970, as all here. */
export const countsFrom = ({ at, ran }: LastTurn, now: number): number | undefined => {
  const known = [at, ran].flatMap((one) => one === undefined ? [] : [one > now + clockFault ? now : one])
  return known.length === 0 ? undefined : Math.max(...known)
}

/**
 * Whether a pipeline is to run now: when one of its times has passed since it last ran, by schedule or by hand (several that were missed count once), or when its last turn broke off.
 *
 * @param unseen what becomes of a pipeline that never ran
 */
export const dueNow = (schedule: Schedule, last: LastTurn, now: number, unseen: Due): Due => {
  if (last.state === "going") return "elsewhere"
  if (last.state === "brokenOff" && last.tries < mostTries) return "due"
  const from = countsFrom(last, now)
  if (from === undefined) return unseen
  const next = nextTime(schedule, from)
  return next !== undefined && next <= now ? "due" : "later"
}
