import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { withoutValue } from "../domain/problem.ts"
import { RunReport } from "../domain/report.ts"
import { type Mask, OfRows, Redaction } from "../domain/reportFields.ts"

/** Returns a replacement for a value of this type, or none to keep the value. */
type Change = (type: AST.AST, value: unknown) => Option.Option<unknown>

/** Returns the type of a value that may be undefined, without undefined. Returns a union of several other types unchanged. */
export const withoutUndefined = (type: AST.AST): AST.AST => {
  const [one, ...others] = AST.isUnion(type) ? type.types.filter((each) => !AST.isUndefinedKeyword(each)) : []
  return one === undefined || others.length > 0 ? type : withoutUndefined(one)
}

/** Rebuilds a value by its type, with every declared field in order, and with replacements. */
const rebuilt = (type: AST.AST, value: unknown, change: Change): unknown => {
  const changed = value === undefined || value === null ? Option.some(value) : change(type, value)
  if (Option.isSome(changed)) return changed.value
  const present = withoutUndefined(type)
  if (present !== type) return rebuilt(present, value, change)
  if (AST.isTupleType(type)) {
    const member = type.rest[0]?.type
    return member === undefined ? value : (value as ReadonlyArray<unknown>).map((one) => rebuilt(member, one, change))
  }
  if (!AST.isTypeLiteral(type) || type.indexSignatures.length > 0) return value
  return Object.fromEntries(
    type.propertySignatures.map((field) => [
      field.name,
      rebuilt(field.type, (value as Readonly<Record<PropertyKey, unknown>>)[field.name], change),
    ]),
  )
}

/** Returns a function that rebuilds values of a type. */
const rebuilder = <A, I>(schema: Schema.Schema<A, I>) => {
  const type = AST.typeAST(schema.ast)
  return (value: A, change: Change) => rebuilt(type, value, change) as A
}

const report = rebuilder(RunReport)

/** Returns the text of report.json, with every field in the order of its declaration. A field without a value is null, so that every field is always present. */
export const reportJson = (content: RunReport): string =>
  JSON.stringify(report(content, Option.none), (_, value: unknown) => value ?? null, 2)

const decodeReport = Schema.decodeUnknownEither(RunReport)

/**
 * Reads the text of a report.json, even of a different version. Missing fields are empty, and unknown fields are skipped. Left: a sentence that says why the text is not a report, without repeating
 * its content.
 */
export const parseReport = (content: string): Either.Either<RunReport, string> =>
  Either.try({ try: (): unknown => JSON.parse(content), catch: () => "it is not JSON" }).pipe(
    Either.flatMap((json) =>
      Either.mapLeft(decodeReport(json), () => "fields that every report has are missing or damaged")
    ),
  )

const masked = (mask: Mask): Change => (type, value) =>
  Option.map(
    AST.getAnnotation<(value: unknown, mask: Mask) => unknown>(type, Redaction),
    (redact) => redact(value, mask),
  )

/** Returns a function that replaces values of rows with digests, where a type declares them. */
export const redacter = <A, I>(schema: Schema.Schema<A, I>) => {
  const rebuild = rebuilder(schema)
  return (value: A, mask: Mask): A => rebuild(value, masked(mask))
}

/** Masks the values of rows in a report. Titles, names, counts and submission ids remain. */
export const redactReport = (content: RunReport, mask: Mask): RunReport => {
  const hidden = report(content, masked(mask))
  return {
    ...hidden,
    problems: hidden.problems.map((group) => ({
      ...group,
      examples: group.examples.map((one) => ({ ...one, message: withoutValue(group) })),
    })),
    // Row keys and the service's messages are between quotes, and may contain quotes themselves.
    because: content.because.map((sentence) => sentence.replace(/".*"/s, '"(masked)"')),
    // A masked rejected.csv can't be imported.
    next: content.next?.includes(" --source ") === true ? `formferry run ${content.pipeline}` : content.next,
    values: "masked",
  }
}

/** Returns a report's counts, without its rows and the service's messages. */
export const forgetRows = (content: RunReport): RunReport => ({
  ...report(content, (type) => Option.map(AST.getAnnotation(type, OfRows), () => [])),
  warnings: ["Rows of this run were forgotten on a person's request. Only the run's counts are kept."],
})
