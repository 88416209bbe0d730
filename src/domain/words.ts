import { cached } from "./cached.ts"

/** How good or bad a fact is. Determines its colour. */
export type Tone = "good" | "calm" | "warn" | "bad"

/** A few words as shown in messages and pages, and how good or bad they are. */
export interface Label {
  readonly title: string
  readonly tone: Tone
}

/** A term as shown in messages and pages. */
export interface Word extends Label {
  readonly meaning: string
}

/** The title of a table's column, and whether the column contains numbers, which are shown on the right. */
export interface Heading {
  readonly title: string
  readonly isNumber: boolean
}

/** Returns the heading of a column of numbers. */
export const numbers = (title: string): Heading => ({ title, isNumber: true })

/** Returns the headings of a table's columns. A title alone is that of a column of texts. */
export const headingsOf = (columns: ReadonlyArray<string | Heading>): ReadonlyArray<Heading> =>
  columns.map((column) => typeof column === "string" ? { title: column, isNumber: false } : column)

/** Returns the names that a table declares, in its order. */
export const namesOf = <K extends string>(table: { readonly [N in K]: unknown }): ReadonlyArray<K> =>
  Object.keys(table) as Array<K>

/** Returns a count, or a rate rounded to three decimals, with thousands separators. Intl would do the same, but takes 10 ms to load. */
export const count = (value: number): string => {
  const [whole = "", ...part] = String(Number.isInteger(value) ? value : Math.round(value * 1000) / 1000).split(".")
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, ","), ...part].join(".")
}

/** Returns a name as spreadsheet programs give it to a column, by its number from 0: A to Z, then AA. */
export const columnName = (column: number): string =>
  (column >= 26 ? columnName(Math.floor(column / 26) - 1) : "") + String.fromCharCode(65 + column % 26)

/** Returns a count with its noun: `1 row`, `2 rows`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

/** Says that a source has fewer rows. */
export const noSuchRow = (row: number, rows: number): string =>
  `The source has ${counted(rows, "row")}: there is no row ${count(row)}.`

/** Returns the counts that are not zero, each with its title: `2 invalid`. */
export const titledCounts = <K extends string>(
  words: { readonly [N in K]: Word },
  counts: { readonly [N in NoInfer<K>]?: number },
): ReadonlyArray<string> =>
  namesOf(words).flatMap((name) => {
    const value = counts[name] ?? 0
    return value === 0 ? [] : [`${count(value)} ${words[name].title}`]
  })

/** Says whether what is sent to services can be taken back. */
export const permanence = (services: string, canDelete: boolean): string =>
  canDelete
    ? `What is sent to ${services} can be taken back only with \`formferry undo\`, which deletes it.`
    : `Writes to ${services} can't be undone.`

/** Returns a share from 0 to 1 in percent, with at most this number of decimals. Only a whole is 100%, and only nothing is 0%. */
export const percent = (share: number, decimals = 0): string => {
  const rounded = Number((share * 100).toFixed(decimals))
  return `${share < 1 && rounded === 100 ? "<100" : share > 0 && rounded === 0 ? ">0" : rounded}%`
}

/** Returns a text on one line, without white space at its ends and with single spaces. */
export const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, " ")

/** Returns the parts that are present. A part such as `number > 0 && sentence` is absent if its condition is false. */
export const present = <A>(parts: ReadonlyArray<A | false | undefined>): ReadonlyArray<A> =>
  parts.filter((part): part is A => part !== false && part !== undefined)

/** Joins parts of a sentence: `a, b and c`. */
export const listed = (parts: ReadonlyArray<string>, joint: "and" | "or" = "and"): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} ${joint} ${parts.at(-1)}`

/** Joins the first parts of a long list: `a, b and 5 more`. */
export const firstOf = (parts: ReadonlyArray<string>, most: number, joint = ", "): string =>
  parts.slice(0, most).join(joint) + (parts.length > most ? ` and ${count(parts.length - most)} more` : "")

/** Names row keys of which one is meant: `the key K-1`, `one of the keys K-1, K-2`. */
export const anyKeyOf = (keys: ReadonlyArray<string>): string =>
  `${keys.length === 1 ? "the key" : "one of the keys"} ${keys.join(", ")}`

/** The milliseconds in each unit of time. */
export const millisIn = { day: 86_400_000, hour: 3_600_000, minute: 60_000, second: 1_000, milli: 1 } as const

const { day, hour, minute, second, milli } = millisIn
const units = [["d", day], ["h", hour], ["m", minute], ["s", second], ["ms", milli]] as const

const toSeconds = (millis: number): number => Math.round(millis / 1000) * 1000

/** Rounds a time to milliseconds, or to seconds if it is 10 s or longer. */
const rounded = (millis: number): number => millis < 10_000 ? Math.round(millis) : toSeconds(millis)

/** Returns the units of a time (milliseconds), the largest first, with the number of each. */
const partsOf = (millis: number) => {
  let rest = rounded(millis)
  return units.flatMap(([unit, size]) => {
    const whole = Math.floor(rest / size)
    rest -= whole * size
    return whole === 0 ? [] : [{ whole, unit, size }]
  })
}

const partsText = (parts: ReturnType<typeof partsOf>): string =>
  parts.map(({ unit, whole }) => `${whole}${unit}`).join(" ") || "0"

/** Returns a time (milliseconds) in at most two units: `1h 5m`. */
export const lasting = (millis: number): string => partsText(partsOf(millis).slice(0, 2))

/** Returns a time (milliseconds) as `lasting` does, in whole seconds, rounded up. */
export const lastingSeconds = (millis: number): string => lasting(Math.ceil(millis / 1000) * 1000)

/** Formats consecutive times (milliseconds) as `lasting` does, but rounds them so that they add up to the shown total. */
export const lastingEach = (parts: ReadonlyArray<number>): ReadonlyArray<string> => {
  const all = parts.reduce((sum, part) => sum + part, 0)
  const [first, second] = partsOf(all)
  const next = second?.size ?? units.find(([, size]) => size < (first?.size ?? 0))?.[1] ?? 1
  const size = all < 10_000 ? 1 : Math.max(next, 1000)
  const at = (millis: number) => Math.floor((all < 10_000 ? millis : toSeconds(millis)) / size) * size
  let end = 0
  return parts.map((part) => {
    const start = end
    end += part
    return partsText(partsOf(at(end) - at(start)))
  })
}

/** Returns an instant (ISO 8601) in milliseconds since 1970, or NaN. `Date.parse` alone would accept nearly any text that contains a digit. */
const instant = (text: string): number => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? Date.parse(text) : NaN

/** Returns a time (milliseconds since 1970) as an instant (ISO 8601) in UTC. */
export const isoOf = (millis: number): string => new Date(millis).toISOString()

/** Returns the time between two instants (ISO 8601) in at most two units. Undefined if they can't be read. */
export const span = (from: string, to: string): string | undefined => {
  const millis = instant(to) - instant(from)
  return millis >= 0 ? lasting(millis) : undefined
}

/** The meanings of the system's error codes for a file that can't be read or written. */
const systemReasons = new Map<unknown, string>([
  ["ENOENT", "it does not exist"],
  ["EACCES", "you don't have permission"],
  ["EPERM", "you don't have permission"],
  ["EISDIR", "it is a folder"],
  ["ENOTDIR", "a part of its path is a file, not a folder"],
  ["ELOOP", "a symbolic link in its path leads back to itself"],
  ["ENAMETOOLONG", "its path is too long"],
  ["EROFS", "its file system is read-only"],
  ["ENOSPC", "the disk is full"],
  ["EDQUOT", "your share of the disk is full"],
  ["EFBIG", "a file may not become that large here"],
])

/** Returns the code of an error of the system or of a database, such as `ENOENT`. Empty if it has none. */
export const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string" ? error.code : ""

/** Whether an operation of @effect/platform failed because a file or folder does not exist. */
export const isMissing = (error: { readonly _tag: string; readonly reason?: string }): boolean =>
  error._tag === "SystemError" && error.reason === "NotFound"

/** Whether an operation of @effect/platform failed because of missing permissions. */
export const isDenied = (error: { readonly _tag: string; readonly reason?: string }): boolean =>
  error._tag === "SystemError" && error.reason === "PermissionDenied"

/** Whether an operation of @effect/platform failed because a file or folder exists. */
export const isPresent = (error: { readonly _tag: string; readonly reason?: string }): boolean =>
  error._tag === "SystemError" && error.reason === "AlreadyExists"

/** Returns an error's message. If the error is of @effect/platform, names the file and the reason. */
export const messageOf = (error: { readonly message: string }): string =>
  "pathOrDescriptor" in error
    ? `${String(error.pathOrDescriptor)} can't be read or written: ${reasonOf(error)}.`
    : error.message

/** Returns why an operation on a file failed, as the end of a sentence: the meaning of the system's code, otherwise the error's own message. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  // An error of @effect/platform contains Node's error.
  const system = "_tag" in error && error.cause instanceof Error ? error.cause : error
  return systemReasons.get("code" in system ? system.code : undefined) ?? error.message
}

/** Returns an instant (ISO 8601) as clocks in the zone show it. If the text is not an instant, returns it unchanged. */
export const instantIn = (zone: string, text: string): string => {
  const millis = instant(text)
  return Number.isNaN(millis) ? text : inZone(millis, zone)
}

/** Returns an instant (ISO 8601) to the minute, as clocks in the zone show it. For columns whose title names the zone. */
export const minuteIn = (zone: string, text: string): string =>
  instantIn(zone, text).slice("Mon ".length, "Mon 2026-11-20 02:00".length)

/**
 * Returns a time (milliseconds since 1970) as clocks in the zone show it, or in UTC for an unknown zone. Includes the offset, because an hour occurs
 * twice when daylight saving time ends.
 */
export const inZone = (millis: number, zone: string): string => {
  const parts = new Map(clockOf(zone).formatToParts(millis).map(({ type, value }) => [type, value]))
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? ""
  const seconds = of("second") === "00" ? "" : `:${of("second")}`
  const offset = of("timeZoneName").replace("GMT", "") || "+00:00"
  return `${of("weekday")} ${of("year")}-${of("month")}-${of("day")} ${of("hour")}:${of("minute")}${seconds} ${offset}`
}

/** Making one takes 7 ms. */
const clockOf = cached((zone: string): Intl.DateTimeFormat => {
  const format = (timeZone: string) =>
    new Intl.DateTimeFormat("en-US", {
      timeZone,
      weekday: "short",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
      timeZoneName: "longOffset",
    })
  try {
    return format(zone)
  } catch {
    return format("UTC")
  }
})

/** Prepares a text for a comma-separated list: puts it in quotes if it contains a comma. */
export const asListed = (text: string): string => (text.includes(",") ? JSON.stringify(text) : text)
