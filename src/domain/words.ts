/** How good or bad a piece of news is. It decides the colour. */
export type Tone = "good" | "calm" | "warn" | "bad"

/** A term as messages and pages show it. */
export interface Word {
  readonly title: string
  readonly meaning: string
  readonly tone: Tone
}

/** Returns the names that a table declares, in its order. */
export const namesOf = <K extends string>(table: { readonly [N in K]: unknown }): ReadonlyArray<K> =>
  Object.keys(table) as Array<K>

/** Returns a count, or a rate to a thousandth, with separated thousands. Intl does the same, but loading it takes 10 ms. */
export const count = (value: number): string => {
  const [whole = "", ...part] = String(Number.isInteger(value) ? value : Math.round(value * 1000) / 1000).split(".")
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, ","), ...part].join(".")
}

/** Returns a count with its noun: `1 row`, `2 rows`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

/** Joins parts of a sentence: `a, b and c`. */
export const listed = (parts: ReadonlyArray<string>, joint: "and" | "or" = "and"): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} ${joint} ${parts.at(-1)}`

/** Joins the first parts of a long list: `a, b and 5 more`. */
export const firstOf = (parts: ReadonlyArray<string>, most: number): string =>
  parts.slice(0, most).join(", ") + (parts.length > most ? ` and ${count(parts.length - most)} more` : "")

/** Units of time and their milliseconds. */
const units = [["d", 86_400_000], ["h", 3_600_000], ["m", 60_000], ["s", 1000], ["ms", 1]] as const

/** Returns a time (milliseconds) in at most two units: `1h 5m`. */
export const lasting = (millis: number): string => {
  let rest = millis < 10_000 ? Math.round(millis) : Math.round(millis / 1000) * 1000
  const parts = units.flatMap(([unit, size]) => {
    const whole = Math.floor(rest / size)
    rest -= whole * size
    return whole === 0 ? [] : [`${whole}${unit}`]
  })
  return parts.slice(0, 2).join(" ") || "0"
}

/** Returns the time between two instants (ISO 8601) in at most two units, or undefined if they can't be read. */
export const span = (from: string, to: string): string | undefined => {
  // Date.parse alone reads nearly any text that contains a digit.
  const [start, end] = [from, to].map((text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? Date.parse(text) : NaN)
  const millis = (end ?? NaN) - (start ?? NaN)
  return millis >= 0 ? lasting(millis) : undefined
}

/** What the system's codes for a file that can't be read or written mean. */
const systemReasons = new Map<unknown, string>([
  ["EACCES", "you don't have permission"],
  ["EPERM", "you don't have permission"],
  ["EROFS", "its file system is read-only"],
  ["ENOSPC", "the disk is full"],
  ["EDQUOT", "your share of the disk is full"],
])

/** Returns why an operation on a file failed, as half a sentence: the system's code in words, otherwise the error's own message. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  // An error of @effect/platform wraps Node's.
  const system = "_tag" in error && error.cause instanceof Error ? error.cause : error
  return systemReasons.get("code" in system ? system.code : undefined) ?? error.message
}
