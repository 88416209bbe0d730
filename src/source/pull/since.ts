import * as Duration from "effect/Duration"
import { DateTime } from "luxon"
import type { Json } from "../../domain/json.ts"
import { lasting } from "../../domain/times.ts"
import { unixUnits } from "../../kinds/dateFormats.ts"
import type { Pull } from "../../project/pull.ts"

type Since = NonNullable<Pull["since"]>

/** What a run knows about earlier pulls, and what it pulls: the records since a mark, or all. */
export interface PullFrom {
  /** The mark, in milliseconds since 1970. Undefined to pull all records. */
  readonly mark: number | undefined
  /** The members that the records of earlier pulls had, and the columns of the source. A pull of few records must have the same columns. */
  readonly members: ReadonlyArray<string>
  readonly columns: ReadonlyArray<string>
  /** Digest of everything that decides which records are pulled. */
  readonly selection: string
  /** Why all records are pulled although the pipeline has `since`. */
  readonly because?: string | undefined
}

/** A pull of all records whose mark is not recorded. */
export const everything: PullFrom = { mark: undefined, members: [], columns: [], selection: "" }

/** The times of the records that were pulled. */
export interface Increment extends PullFrom {
  /** When the pull started, in milliseconds since 1970. */
  readonly startedAt: number
  /** The time of each record in order, in milliseconds since 1970. NaN if it can't be read. */
  readonly times: ReadonlyArray<number>
}

const iso = { zone: "utc", setZone: false } as const

/** An ISO 8601 time with a zone or an offset. Without one, the instant is unknown. */
const zoned = /T.*(?:Z|[+-]\d{2}(?::?\d{2})?)$/i

/** Returns a record's time in milliseconds since 1970, or NaN. Texts without a zone are read as UTC, and written in the same way. */
export const readTime = (value: Json | undefined, { format }: Pick<Since, "format">): number => {
  const unit = unixUnits[format]
  if (unit !== undefined) {
    const isNumber = typeof value === "number" || (typeof value === "string" && /^\d+(?:\.\d+)?$/.test(value.trim()))
    return isNumber ? Math.floor(Number(value) * unit) : Number.NaN
  }
  if (typeof value !== "string") return Number.NaN
  const text = value.trim()
  if (format !== "iso") return DateTime.fromFormat(text, format, { ...iso, locale: "en" }).toMillis()
  return zoned.test(text) ? DateTime.fromISO(text, iso).toMillis() : Number.NaN
}

/** Returns a time as the tool writes it, cut to the format's precision. */
export const writeTime = (millis: number, { format }: Pick<Since, "format">): string | number => {
  const unit = unixUnits[format]
  if (unit !== undefined) return Math.floor(millis / unit)
  const time = DateTime.fromMillis(millis, { zone: "utc", locale: "en" })
  return time.toFormat(format === "iso" ? "yyyy-MM-dd'T'HH:mm:ss'Z'" : format)
}

/**
 * Returns the values of `{since}` and `{until}` for a pull.
 *
 * @param until the start of the pull. `{until}` is a second earlier, because some tools include that second, which is not over yet
 */
export const sinceVariables = (
  since: Since | undefined,
  { mark, until }: Pick<PullFrom, "mark"> & { readonly until: number },
) => ({
  since: since === undefined || mark === undefined
    ? undefined
    : writeTime(mark - Duration.toMillis(since.overlap), since),
  until: writeTime(until - 1000, since ?? { format: "iso" }),
})

/** Returns how a report describes the records that were pulled: all, or those since a time. */
export const sinceText = (since: Since, { because, mark }: PullFrom): string =>
  mark === undefined
    ? because === undefined ? "" : `, all of them: ${because}`
    : ` since ${new Date(mark).toISOString().slice(0, 19)}Z (overlap ${lasting(Duration.toMillis(since.overlap))})`
