import type { Draws } from "../faults/Draws.ts"

/** A date and time as clocks show them. */
export interface Wall {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
}

export const two = (number: number): string => String(number).padStart(2, "0")

const formats = new Map<string, Intl.DateTimeFormat>()

const formatOf = (zone: string): Intl.DateTimeFormat => {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  })
  formats.set(zone, format)
  return format
}

/**
 * Returns the local time of a zone at an instant in milliseconds. Uses the tables of the JavaScript engine, not the
 * library that formferry uses.
 */
export const wallIn = (zone: string, instant: number): Wall => {
  const parts = new Map(formatOf(zone).formatToParts(instant).map(({ type, value }) => [type, Number(value)]))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? Number.NaN
  return {
    year: part("year"),
    month: part("month"),
    day: part("day"),
    hour: part("hour"),
    minute: part("minute"),
    second: part("second"),
  }
}

const same = (a: Wall, b: Wall) => JSON.stringify(a) === JSON.stringify(b)
const hour = 3_600_000

/** Draws an instant from 2001 to 2030 whose local time occurs only once in the zone. */
export const drawInstant = (draws: Draws, zone: string, step: "second" | "minute" = "second"): number => {
  for (;;) {
    const seconds = draws.int(Date.UTC(2001, 0, 1) / 1000, Date.UTC(2030, 11, 31) / 1000)
    const instant = (step === "minute" ? seconds - (seconds % 60) : seconds) * 1000
    const shown = wallIn(zone, instant)
    if (!same(shown, wallIn(zone, instant - hour)) && !same(shown, wallIn(zone, instant + hour))) return instant
  }
}

/** Formats an instant as the service writes it. */
export const utc = (instant: number): string => new Date(instant).toISOString()
