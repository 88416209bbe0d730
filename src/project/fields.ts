import * as Duration from "effect/Duration"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { YamlPath } from "../domain/diagnostic.ts"
import { millisIn } from "../domain/times.ts"
import { compilePattern } from "../kinds/pattern.ts"
import { isAtAddress, scheme } from "./address.ts"
import { expecting, type FileSchema } from "./section.ts"

// Names, text, numbers

/** A string that is not empty, such as a name or an id. */
export const Name = Schema.String.pipe(Schema.minLength(1)).annotations(expecting("a name"))

/**
 * This is a refinement, so that the JSON Schema contains a definition that keys also refer to. The schema of a single
 * pipeline lists its columns in that definition.
 */
export const Column = Schema.String.pipe(Schema.filter(() => true, { jsonSchema: {} })).annotations({
  ...expecting("a column"),
  identifier: "Column",
  description: "A column, by its header",
})

export const Columns = Schema.NonEmptyArray(Column).annotations(expecting("a list of columns"))

/** A column as a pipeline names it, and its place in the file. */
export interface ColumnName {
  readonly name: string
  readonly path: YamlPath
  /** Set if the name is a key in the file, and not a value. */
  readonly at?: "key"
}

/** Adds to each name its place in the list that contains it. */
export const placed = (names: ReadonlyArray<string>, path: YamlPath): ReadonlyArray<ColumnName> =>
  names.map((name, index) => ({ name, path: [...path, index] }))

/** A regular expression in the syntax of RE2. */
export const Expression = Schema.String.pipe(
  Schema.minLength(1),
  Schema.filter((text) => {
    const compiled = compilePattern(text)
    return typeof compiled === "string" ? compiled : true
  }, { jsonSchema: {} }),
).annotations(expecting("a regular expression"))

/** The name of a pipeline, a service or a target. It becomes part of file names and addresses. */
export const Identifier = Schema.String.pipe(
  Schema.pattern(/^[A-Za-z0-9][A-Za-z0-9._-]*$/),
  Schema.maxLength(100),
).annotations({
  ...expecting("a name of letters, digits, `.`, `_` and `-` that begins with a letter or digit"),
  description: "A name of letters, digits, `.`, `_` and `-`",
})

export const Path = Schema.String.pipe(
  Schema.minLength(1),
  Schema.filter((path) => !isAtAddress(path), { jsonSchema: { not: { pattern: `^${scheme}` } } }),
).annotations(expecting("a path, relative to this file"))

/** A record that has at least one key. */
export const filled = <A, I>(key: Schema.Schema<string>, value: Schema.Schema<A, I>) =>
  Schema.Record({ key, value }).pipe(
    Schema.filter((all) => Object.keys(all).length > 0, { jsonSchema: { minProperties: 1 } }),
  )

/** A maximum number of requests per second. */
export const rate = (most: number) =>
  Schema.Number.pipe(Schema.greaterThan(0), Schema.lessThanOrEqualTo(most))
    .annotations(expecting(`a number above 0 and at most ${most}`))

/** The place of a value in JSON, as a JSON pointer. */
export const Pointer = Schema.String.pipe(Schema.pattern(/^\/./)).annotations(expecting("a place such as `/next`"))

/** A pattern of a header's name (RFC 9110, section 5.6.2). */
export const headerName = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"

/** The value of a header. HTTP has no encoding for characters beyond Latin-1. */
export const HeaderValue = Name.pipe(Schema.filter((text) => /^[ -~\u00a0-\u00ff]+$/.test(text), { jsonSchema: {} }))
  .annotations(expecting("a text of Latin letters, digits and punctuation"))

/** The path of a request to a connection. */
export const RequestPath = Schema.String.pipe(Schema.pattern(/^\/[^?#\s]*$/))
  .annotations(expecting("a path such as /forms/abc/responses"))

const span = (least: number, most: number): string =>
  most === Number.MAX_SAFE_INTEGER ? (least === 0 ? "" : `, ${least} or more`) : ` from ${least} to ${most}`

/** A whole number between `least` and `most`, inclusive. */
export const whole = (least: number, most = Number.MAX_SAFE_INTEGER) =>
  Schema.Number.pipe(Schema.int(), Schema.between(least, most)).annotations({
    ...expecting(`a whole number${span(least, most)}`),
    description: `A whole number${span(least, most)}`,
    jsonSchema: { type: "integer", minimum: least, ...(most === Number.MAX_SAFE_INTEGER ? {} : { maximum: most }) },
  })

// Times and shares

/** Decodes text with a function that returns undefined if the text does not fit. Encoding changes nothing. */
const fromText = <A>(pattern: string, decode: (text: string) => A | undefined): FileSchema<A> =>
  Schema.transformOrFail(
    Schema.String.annotations({ jsonSchema: { type: "string", pattern } }) as FileSchema<string>,
    Schema.Any as Schema.Schema<A, unknown>,
    {
      strict: false,
      decode: (text, _options, ast) => {
        const value = decode(text)
        return value === undefined ? ParseResult.fail(new ParseResult.Type(ast, text)) : ParseResult.succeed(value)
      },
      encode: (value: unknown) => ParseResult.succeed(value),
    },
  )

const units: ReadonlyMap<string | undefined, number> = new Map(Object.entries(millisIn))

const durationIn = (text: string): Duration.Duration | undefined => {
  const [, count, word] = /^(\d+(?:\.\d+)?) ?([a-z]+?)s?$/.exec(text) ?? []
  const unit = units.get(word)
  return count === undefined || unit === undefined ? undefined : Duration.millis(Number(count) * unit)
}

const timePattern = "\\d+(\\.\\d+)? ?(millis?|seconds?|minutes?|hours?|days?)$"

/** A duration: `500 millis`, `30 seconds`, `2 minutes`. */
export const Time = fromText(`^${timePattern}`, durationIn).annotations(
  expecting("a number and a unit, such as `500 millis`, `30 seconds` or `2 minutes`"),
)

/** A duration above zero. */
export const PositiveTime = fromText(`^(?!0+(\\.0+)? ?[a-z])${timePattern}`, (text) => {
  const duration = durationIn(text)
  return duration !== undefined && Duration.toMillis(duration) > 0 ? duration : undefined
}).annotations(expecting("a time above zero, such as `30 seconds`"))

/** A share of rows, written as `5%` and decoded to a number from 0 to 1. */
export const Share = fromText("^(100(\\.0+)?|\\d{1,2}(\\.\\d+)?) ?%$", (text) => {
  const percent = Number(/^(\d+(?:\.\d+)?) ?%$/.exec(text)?.[1] ?? NaN)
  return percent >= 0 && percent <= 100 ? percent / 100 : undefined
}).annotations(expecting("a share such as `5%`"))
