import { Either, Option, Schema } from "effect"
import { anomalyCodes } from "../domain/anomaly.ts"
import { cellStates, columnUses } from "../domain/cells.ts"
import { answerVerdicts } from "../domain/comparison.ts"
import { fates, verdicts } from "../domain/fate.ts"
import type { Json } from "../domain/json.ts"
import { problemCodes } from "../domain/problem.ts"
import { modes, outcomes } from "../domain/run.ts"
import type { Difference, ProblemGroup, RunReport, SourceFile } from "../domain/run.ts"

/** What a report.json may leave out: reports of older and newer versions stay readable. */
const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

const list = maybe(Schema.Array(Schema.Unknown))
const counts = maybe(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

/** A report.json as far as it must be right to be a report at all; members of lists are decoded one by one. */
const ReportFile = Schema.Struct({
  pipeline: Schema.String,
  run: Schema.String,
  mode: Schema.Literal(...modes),
  outcome: Schema.Literal(...outcomes),
  exitCode: Schema.Number,
  startedAt: Schema.String,
  finishedAt: Schema.String,
  form: maybe(Schema.Struct({ service: Schema.String, id: Schema.String, name: maybe(Schema.String) })),
  because: list,
  next: maybe(Schema.String),
  ledger: maybe(Schema.Struct({ id: Schema.String, lastIntent: Schema.Number })),
  acknowledged: maybe(Schema.Number),
  sources: list,
  rows: counts,
  readBack: counts,
  balance: maybe(Schema.Struct({ holds: Schema.Boolean })),
  columns: list,
  requests: counts,
  pace: maybe(
    Schema.Struct({
      from: Schema.String,
      every: Schema.Number,
      buckets: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
    }),
  ),
  problems: list,
  differences: list,
  findings: list,
  normalised: list,
  inDoubt: list,
  settled: list,
  replaced: maybe(Schema.Struct({ count: Schema.Number, examples: list })),
  vanished: maybe(Schema.Struct({ count: Schema.Number, fresh: maybe(Schema.Number) })),
  unchangedSince: maybe(Schema.String),
  anomalies: list,
  discarded: list,
  sent: maybe(Schema.Number),
  questions: list,
  unanswered: list,
  values: maybe(Schema.String),
  warnings: list,
  versions: counts,
  fingerprints: counts,
})

const Source = Schema.Struct({
  file: Schema.String,
  format: maybe(Schema.String),
  bytes: maybe(Schema.Number),
  sha256: maybe(Schema.String),
  rows: maybe(Schema.Number),
  taken: maybe(Schema.Array(Schema.Struct({ what: Schema.String, value: Schema.String }))),
  unread: maybe(
    Schema.Array(Schema.Struct({
      what: Schema.Literal("sheet", "member", "outside"),
      name: Schema.String,
      cells: Schema.optionalWith(Schema.Number, { nullable: true }),
    })),
  ),
  lines: maybe(Schema.Struct({
    physical: Schema.Number,
    above: Schema.Number,
    records: Schema.Number,
    inside: Schema.Number,
    blank: Schema.Number,
  })),
  longest: maybe(Schema.Struct({ column: Schema.String, row: Schema.Number, length: Schema.Number })),
})

const Column = Schema.Struct({
  title: Schema.String,
  position: Schema.Number,
  use: Schema.Literal(...columnUses),
  cells: Schema.Number,
  states: Schema.Record({ key: Schema.String, value: Schema.Number }),
})

const Unanswered = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  state: Schema.Literal("ignored", "notMapped"),
})

const Example = Schema.Struct({ row: Schema.Number, value: maybe(Schema.String), message: maybe(Schema.String) })

const Problem = Schema.Struct({
  code: Schema.Literal(...problemCodes),
  column: maybe(Schema.String),
  question: maybe(Schema.String),
  dropped: maybe(Schema.Boolean),
  count: Schema.Number,
  examples: maybe(Schema.Array(Example)),
})

const Differing = Schema.Struct({
  row: Schema.Number,
  key: Schema.String,
  submissionId: Schema.String,
  question: Schema.String,
  name: maybe(Schema.String),
  verdict: Schema.Literal(...answerVerdicts),
  sent: Schema.optional(Schema.Unknown),
  returned: Schema.optional(Schema.Unknown),
  editLink: maybe(Schema.String),
})

const Finding = Schema.Struct({
  question: Schema.String,
  name: maybe(Schema.String),
  verdict: Schema.Literal(...answerVerdicts),
  pattern: Schema.String,
  count: Schema.Number,
  note: maybe(Schema.String),
  tolerated: maybe(Schema.String),
  examples: maybe(Schema.Array(Schema.Unknown)),
})

const Normalised = Schema.Struct({
  question: Schema.String,
  name: maybe(Schema.String),
  what: Schema.String,
  count: Schema.Number,
  example: Schema.Struct({
    row: Schema.Number,
    submissionId: Schema.String,
    sent: Schema.optional(Schema.Unknown),
    returned: Schema.optional(Schema.Unknown),
  }),
})

const Doubtful = Schema.Struct({
  reason: Schema.String,
  count: Schema.Number,
  acknowledged: maybe(Schema.Number),
  fresh: maybe(Schema.Number),
  firstSentAt: Schema.String,
  lastSentAt: Schema.String,
})

const Discarded = Schema.Struct({ type: Schema.String, count: Schema.Number })

const Settled = Schema.Struct({
  at: Schema.String,
  by: Schema.String,
  because: maybe(Schema.String),
  file: maybe(Schema.Struct({ name: Schema.String, sha256: Schema.String, isComplete: Schema.Boolean })),
  landed: Schema.Number,
  notLanded: Schema.Number,
})

const Replaced = Schema.Struct({
  row: Schema.Number,
  key: Schema.String,
  submissionId: Schema.String,
  replaces: maybe(Schema.String),
  editLink: maybe(Schema.String),
})

const Unusual = Schema.Struct({
  code: Schema.Literal(...anomalyCodes),
  sentence: Schema.String,
  fresh: maybe(Schema.Boolean),
})

const Question = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  kind: Schema.String,
  answered: Schema.Number,
  verdicts: maybe(Schema.Record({ key: Schema.String, value: Schema.Number })),
})

const decodeReport = Schema.decodeUnknownEither(ReportFile)

/** The members of a list that are what they should be. */
const each = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownOption(schema)
  return (members: ReadonlyArray<unknown> | null | undefined): ReadonlyArray<A> =>
    (members ?? []).flatMap((member) => Option.toArray(decode(member)))
}

const sources = each(Source)
const problems = each(Problem)
const findings = each(Finding)
const normalised = each(Normalised)
const doubtful = each(Doubtful)
const settlements = each(Settled)
const replacements = each(Replaced)
const unusual = each(Unusual)
const differing = each(Differing)
const differences = (members: ReadonlyArray<unknown> | null | undefined) =>
  differing(members).map((difference): Difference => ({
    row: difference.row,
    key: difference.key,
    submissionId: difference.submissionId,
    question: difference.question,
    name: difference.name ?? difference.question,
    verdict: difference.verdict,
    // Parsed by JSON.parse, so it is JSON.
    sent: difference.sent as Json | undefined,
    returned: difference.returned as Json | undefined,
    editLink: difference.editLink ?? undefined,
  }))
const discarded = each(Discarded)
const questions = each(Question)
const columns = each(Column)
const unanswered = each(Unanswered)
const texts = each(Schema.String)

type Counts = { readonly [name: string]: unknown } | null | undefined
const number = (of: Counts, name: string): number => {
  const value = of?.[name]
  return typeof value === "number" ? value : 0
}
const text = (of: Counts, name: string): string => {
  const value = of?.[name]
  return typeof value === "string" ? value : ""
}
const numbers = <K extends string>(names: ReadonlyArray<K>, of: Counts) =>
  Object.fromEntries(names.map((name) => [name, number(of, name)])) as { readonly [N in K]: number }

const requestNames = ["metadata", "create", "read", "retried", "throttled"] as const

/**
 * Decodes the text of a report.json leniently: what is missing is empty or 0, what is unknown is passed over. Left: a sentence that says why it is no report; it repeats nothing of
 * the file's content.
 */
export const parseReport = (content: string): Either.Either<RunReport, string> => {
  let json: unknown
  try {
    json = JSON.parse(content)
  } catch {
    return Either.left("it is not JSON")
  }
  return Either.match(decodeReport(json), {
    onLeft: () => Either.left("fields that every report has are missing or damaged"),
    onRight: (file) => Either.right(toReport(file)),
  })
}

const toReport = (file: typeof ReportFile.Type): RunReport => ({
  pipeline: file.pipeline,
  run: file.run,
  mode: file.mode,
  form: { service: file.form?.service ?? "", id: file.form?.id ?? "", name: file.form?.name ?? "" },
  startedAt: file.startedAt,
  finishedAt: file.finishedAt,
  outcome: file.outcome,
  exitCode: file.exitCode,
  because: texts(file.because),
  next: file.next ?? undefined,
  ledger: file.ledger ?? { id: "", lastIntent: 0 },
  acknowledged: file.acknowledged ?? 0,
  sources: sources(file.sources).map((source): SourceFile => ({
    file: source.file,
    format: source.format ?? "",
    bytes: source.bytes ?? 0,
    sha256: source.sha256 ?? "",
    rows: source.rows ?? 0,
    taken: source.taken ?? [],
    ...(source.unread == null ? {} : { unread: source.unread }),
    ...(source.lines == null ? {} : { lines: source.lines }),
    ...(source.longest == null ? {} : { longest: source.longest }),
  })),
  rows: numbers(["read", ...fates], file.rows),
  readBack: numbers(verdicts, file.readBack),
  balance: { holds: file.balance?.holds ?? true },
  ...(file.columns == null ? {} : {
    columns: columns(file.columns).map((column) => ({ ...column, states: numbers(cellStates, column.states) })),
  }),
  requests: numbers(requestNames, file.requests),
  pace: file.pace == null
    ? undefined
    : { ...file.pace, buckets: file.pace.buckets.map((bucket) => numbers(requestNames, bucket)) },
  problems: problems(file.problems).map((problem): ProblemGroup => ({
    code: problem.code,
    column: problem.column ?? undefined,
    question: problem.question ?? undefined,
    ...(problem.dropped === true ? { dropped: true } : {}),
    count: problem.count,
    examples: (problem.examples ?? []).map(({ row, value, message }) => ({
      row,
      value: value ?? undefined,
      message: message ?? "",
    })),
  })),
  differences: differences(file.differences),
  findings: findings(file.findings).map((finding) => ({
    ...finding,
    name: finding.name ?? finding.question,
    note: finding.note ?? undefined,
    tolerated: finding.tolerated ?? undefined,
    examples: differences(finding.examples),
  })),
  normalised: normalised(file.normalised).map((one) => ({
    ...one,
    name: one.name ?? one.question,
    example: {
      ...one.example,
      sent: one.example.sent as Json | undefined,
      returned: one.example.returned as Json | undefined,
    },
  })),
  inDoubt: doubtful(file.inDoubt).map((one) => ({
    ...one,
    acknowledged: one.acknowledged ?? 0,
    fresh: one.fresh ?? 0,
  })),
  ...(file.settled == null ? {} : {
    settled: settlements(file.settled).map((one) => ({
      ...one,
      because: one.because ?? undefined,
      file: one.file ?? undefined,
    })),
  }),
  ...(file.replaced == null ? {} : {
    replaced: {
      count: file.replaced.count,
      examples: replacements(file.replaced.examples).map((one) => ({
        ...one,
        replaces: one.replaces ?? undefined,
        editLink: one.editLink ?? undefined,
      })),
    },
  }),
  ...(file.vanished == null
    ? {}
    : { vanished: { count: file.vanished.count, fresh: file.vanished.fresh ?? 0 } }),
  ...(file.unchangedSince == null ? {} : { unchangedSince: file.unchangedSince }),
  ...(file.anomalies == null ? {} : {
    anomalies: unusual(file.anomalies).map((one) => ({ ...one, fresh: one.fresh ?? true })),
  }),
  discarded: discarded(file.discarded),
  questions: questions(file.questions).map((question) => ({ ...question, verdicts: question.verdicts ?? {} })),
  ...(file.unanswered == null ? {} : { unanswered: unanswered(file.unanswered) }),
  sent: file.sent ?? 0,
  values: file.values === "masked" ? "masked" : "shown",
  warnings: texts(file.warnings),
  versions: { formferry: text(file.versions, "formferry"), node: text(file.versions, "node") },
  fingerprints: { mapping: text(file.fingerprints, "mapping"), form: text(file.fingerprints, "form") },
})
