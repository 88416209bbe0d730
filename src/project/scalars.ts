import { Duration, ParseResult, Schema } from "effect"
import { compilePattern } from "../kinds/pattern.ts"
import { expecting } from "./annotated.ts"

/** Text that is not empty: a name, an id, a column. */
export const Name = Schema.String.pipe(Schema.minLength(1)).annotations(expecting("a name"))

export const Column = Schema.String.annotations({ ...expecting("a column"), description: "A column, by its header" })

export const Columns = Schema.NonEmptyArray(Column).annotations(expecting("a list of columns"))

/** A regular expression as RE2 knows them. */
export const Expression = Schema.String.pipe(
  Schema.minLength(1),
  Schema.filter((text) => {
    const compiled = compilePattern(text)
    return typeof compiled === "string" ? compiled : true
  }, { jsonSchema: {} }),
).annotations(expecting("a regular expression"))

/** The name of a pipeline, a service or a target: it becomes part of file names and addresses. */
export const Identifier = Schema.String.pipe(
  Schema.pattern(/^[A-Za-z0-9][A-Za-z0-9._-]*$/),
  Schema.maxLength(100),
).annotations({
  ...expecting("a name of letters, digits, `.`, `_` and `-` that begins with a letter or digit"),
  description: "A name of letters, digits, `.`, `_` and `-`",
})

export const Path = Schema.String.pipe(
  Schema.minLength(1),
  Schema.filter((path) => !/^[A-Za-z][A-Za-z0-9+.-]+:\/\//.test(path), {
    jsonSchema: { not: { pattern: "^[A-Za-z][A-Za-z0-9+.-]+://" } },
  }),
).annotations(expecting("a path, relative to this file"))

const span = (least: number, most: number): string =>
  most === Number.MAX_SAFE_INTEGER ? (least === 0 ? "" : ` from ${least} on`) : ` from ${least} to ${most}`

/** A whole number from `least` to `most`. */
export const whole = (least: number, most = Number.MAX_SAFE_INTEGER) =>
  Schema.Number.pipe(Schema.int(), Schema.between(least, most)).annotations({
    ...expecting(`a whole number${span(least, most)}`),
    description: `A whole number${span(least, most)}`,
    jsonSchema: { type: "integer", minimum: least, ...(most === Number.MAX_SAFE_INTEGER ? {} : { maximum: most }) },
  })

const units = { millis: 1, seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const
const unitOf = (word: string): keyof typeof units | undefined =>
  (Object.keys(units) as Array<keyof typeof units>).find((unit) => unit === word || unit === `${word}s`)

const durationPattern = /^(\d+(?:\.\d+)?) ?([a-z]+)$/

const durationText = (duration: Duration.Duration): string => {
  const millis = Duration.toMillis(duration)
  const unit = (["days", "hours", "minutes", "seconds"] as const).find((one) => millis > 0 && millis % units[one] === 0)
    ?? "millis"
  const count = millis / units[unit]
  // 60 seconds stay seconds, 24 hours hours: that is how people write it.
  return unit === "minutes" && count === 1
    ? "60 seconds"
    : unit === "days" && count === 1
    ? "24 hours"
    : `${count} ${unit}`
}

/** @param nothing whether a time of zero is one */
const timeFrom = (nothing: boolean) =>
  Schema.transformOrFail(
    Schema.String.annotations({
      jsonSchema: {
        type: "string",
        pattern: `^${nothing ? "" : "(?!0+(\\.0+)? ?[a-z])"}\\d+(\\.\\d+)? ?(millis?|seconds?|minutes?|hours?|days?)$`,
      },
    }),
    Schema.DurationFromSelf,
    {
      strict: true,
      decode: (text, _options, ast) => {
        const [, count, word] = durationPattern.exec(text) ?? []
        const unit = unitOf(word ?? "")
        return count !== undefined && unit !== undefined && (nothing || Number(count) > 0)
          ? ParseResult.succeed(Duration.millis(Number(count) * units[unit]))
          : ParseResult.fail(new ParseResult.Type(ast, text))
      },
      encode: (duration) => ParseResult.succeed(durationText(duration)),
    },
  )

/** A length of time: `500 millis`, `30 seconds`, `2 minutes`. */
export const Time = timeFrom(true).annotations(
  expecting("a number and a unit, such as `500 millis`, `30 seconds` or `2 minutes`"),
)

/** A length of time above zero. */
export const PositiveTime = timeFrom(false).annotations(expecting("a time above zero, such as `30 seconds`"))

const sharePattern = /^(\d+(?:\.\d+)?) ?%$/

/** A share of rows, written `5%`; from 0 to 1. */
export const Share = Schema.transformOrFail(
  Schema.String.annotations({ jsonSchema: { type: "string", pattern: "^(100(\\.0+)?|\\d{1,2}(\\.\\d+)?) ?%$" } }),
  Schema.Number,
  {
    strict: true,
    decode: (text, _options, ast) => {
      const percent = Number(sharePattern.exec(text)?.[1] ?? NaN)
      return percent >= 0 && percent <= 100
        ? ParseResult.succeed(percent / 100)
        : ParseResult.fail(new ParseResult.Type(ast, text))
    },
    encode: (share) => ParseResult.succeed(`${Number((share * 100).toPrecision(12))}%`),
  },
).annotations(expecting("a share such as `5%`"))

/** Things by their names, one at least. */
export const byName = <A, I>(value: Schema.Schema<A, I>) =>
  Schema.Record({ key: Identifier, value }).pipe(
    Schema.filter((all) => Object.keys(all).length > 0, { jsonSchema: { minProperties: 1 } }),
  )
