import * as Schema from "effect/Schema"
import type { YamlPath } from "../domain/diagnostic.ts"
import { problemCodes } from "../domain/problem.ts"
import { cronFault, isZone } from "./cron.ts"
import { decodeYaml, removeBroken } from "./decodeYaml.ts"
import type { ReadResult } from "./decodeYaml.ts"
import type { Document, Finding } from "./errors.ts"
import {
  allDefaults,
  becoming,
  Column,
  expecting,
  filled,
  Identifier,
  lazily,
  Name,
  needed,
  oneOfThese,
  optional,
  placed,
  section,
  Share,
  Time,
  whole,
} from "./fields.ts"
import {
  defaultOptions,
  ownEntry,
  paymentEntry,
  questionEntry,
  schedulingEntry,
  urlParameterEntry,
} from "./mappingEntries.ts"
import type { PresetNames } from "./preset.ts"
import { pullFindings } from "./pull.ts"
import { source } from "./sourceSection.ts"
import type { SourceConfig } from "./sourceSection.ts"
import { quoted } from "./suggestion.ts"
import { substituteSets } from "./valueSets.ts"
import type { ValueSets } from "./valueSets.ts"
import { isMapping, nothing } from "./yamlText.ts"
import type { YamlText } from "./yamlText.ts"

export type { ColumnName, KindOptions } from "./fields.ts"
export type { Input, MappingEntry, PartEntry } from "./mappingEntries.ts"
export type { ColumnAlias, Condition, SourceConfig } from "./sourceSection.ts"

// mapping

const mapping = () =>
  section({
    defaults: optional(defaultOptions(), {
      description: "Options by kind, for every entry and part of that kind",
      examples: [{ date: { format: "dd.MM.yyyy" } }],
      absent: {},
    }),
    questions: optional(Schema.Array(questionEntry()), { description: "Answers, question by question", absent: [] }),
    urlParameters: optional(Schema.Array(urlParameterEntry()), {
      description: "URL parameters of the form",
      absent: [],
    }),
    submissionTime: optional(ownEntry("dateTime"), { description: "When the answers were given" }),
    lastUpdatedAt: optional(ownEntry("dateTime"), { description: "When the answers were last changed" }),
    login: optional(ownEntry("email"), { description: "The e-mail address of the respondent who logged in" }),
    scheduling: optional(Schema.Array(schedulingEntry()), { description: "Scheduling fields", absent: [] }),
    payments: optional(Schema.Array(paymentEntry()), { description: "Payment fields", absent: [] }),
    ignore: optional(becoming(Schema.Array(Column.annotations({ identifier: "Column.ignored" })), placed), {
      description: "Columns that are skipped on purpose. The title of a block skips all of its columns",
      examples: [["Internal note"]],
      absent: [],
    }),
    ignoreQuestions: optional(becoming(Schema.Array(Name.annotations({ identifier: "Question.any" })), placed), {
      description: "Questions left unanswered on purpose, by name or id",
      examples: [["Remarks"]],
      absent: [],
    }),
    unmapped: optional(Schema.Literal("error", "warn", "ignore"), {
      description: "What to do with any other column that is not mapped",
      default: "warn",
    }),
  }, {
    rules: {
      atLeastOne: ["questions", "urlParameters", "submissionTime", "lastUpdatedAt", "login", "scheduling", "payments"],
    },
  })

export type MappingConfig = Schema.Schema.Type<ReturnType<typeof mapping>>

// sink

/** A limit: a number of rows, or a share (0 to 1) that applies if there are at least `atLeast` rows. */
export type StopLimit = { readonly rows: number } | { readonly share: number; readonly atLeast: number }

const Limit = oneOfThese(
  becoming(whole(0), (rows): StopLimit => ({ rows })).annotations(expecting("a number of rows")),
  becoming(Share, (share): StopLimit => ({ share, atLeast: 10 })).annotations(expecting("a share such as `5%`")),
  section({
    share: needed(Share, { description: "The maximum share of the rows" }),
    atLeast: needed(whole(1), { description: "The minimum number of rows for the share to apply" }),
  }),
).annotations({
  ...expecting("a number of rows, a share such as `5%`, or { share: 20%, atLeast: 50 }"),
  identifier: "StopLimit",
  description:
    "A number of rows, or a share of the rows that are new in this run. A share applies only if there are at least 10 rows",
})

const limit = (standard: string | number, description: string) => optional(Limit, { description, default: standard })

const stopWhen = section({
  new: limit("100%", "Rows never seen before"),
  replaced: limit("10%", "New rows that equal a vanished row except for the key, so the key may have changed"),
  changed: limit("10%", "Rows that changed since they were imported"),
  invalid: limit("20%", "Rows that can't be turned into a valid submission"),
  refused: limit("5%", "Rows that the service refused"),
  differing: limit("1%", "Rows that did not come back as they were sent"),
  inDoubt: limit(20, "Rows whose outcome is unknown"),
})

const retries = section({
  attempts: optional(whole(1, 100), { description: "The maximum number of attempts", default: 6 }),
  base: optional(Time, { description: "The first wait", default: "500 millis" }),
  max: optional(Time, { description: "The longest wait", default: "30 seconds" }),
})

/** The destination of the rows. */
interface Target {
  /** Undefined if the pipeline has a single `service` and `form`. */
  readonly target: string | undefined
  readonly service: string
  readonly form: string
  readonly path: YamlPath
}

const service = { description: "The name of a service in config/formferry.yaml" }
const form = { description: "The form's id in the service" }

const Targets = becoming(
  filled(
    Identifier,
    section({ service: needed(Identifier, service), form: needed(Name, form) }).annotations({ identifier: "Target" }),
  ),
  (targets, path) =>
    Object.entries(targets).map(([target, place]): Target => ({ target, ...place, path: [...path, target] })),
).annotations(expecting("a mapping from names to targets"))

const ParameterName = Name.annotations({ identifier: "UrlParameter.name" })

const sink = becoming(
  section({
    service: optional(Identifier, service),
    form: optional(Name, form),
    targets: optional(Targets, {
      description: "Several destinations by name, chosen with --to, instead of service and form",
    }),
    alongside: optional(Schema.Array(Identifier), {
      description: "Other pipelines that feed the same form",
      absent: [],
    }),
    batchSize: optional(whole(1, 10), { description: "The number of rows in one request", default: 10 }),
    concurrency: optional(whole(1, 64), { description: "The maximum number of batches in flight", default: 4 }),
    retries: optional(retries, {
      description: "How often a request that is proven not to have arrived is retried",
      absent: allDefaults(retries),
    }),
    inDoubt: optional(Schema.Literal("hold", "resend"), {
      description:
        "What to do with rows whose outcome is unknown: hold them, or resend them in the next run, which may create duplicates",
      default: "hold",
    }),
    onChange: optional(Schema.Literal("report", "ignore", "import-again"), {
      description:
        "What to do with rows that changed since they were imported: report them, ignore them, or import them again. The earlier submission stays, because the service can't change submissions. Needs columns as `rowKey`",
      default: "report",
    }),
    blankRows: optional(Schema.Literal("reject", "allow"), {
      description: "What to do with rows in which no cell gives an answer: reject them as `blank-row`, or send them",
      default: "reject",
    }),
    canary: optional(
      oneOfThese(whole(1, 10), becoming(Schema.Literal("off"), () => 0))
        .annotations(expecting("a number of rows from 1 to 10, or `off`")),
      { description: "The maximum number of rows that are sent and verified before all others, or `off`", default: 10 },
    ),
    stopWhen: optional(stopWhen, { description: "Limits that stop the run", absent: allDefaults(stopWhen) }),
    stamp: optional(
      section({
        urlParameter: optional(ParameterName, {
          description: "The name of the URL parameter that carries the row key",
          examples: ["row_key"],
        }),
        run: optional(ParameterName, {
          description: "The name of the URL parameter that carries the id of the run that sends the row",
          examples: ["run_id"],
        }),
        pipeline: optional(ParameterName, {
          description: "The name of the URL parameter that carries the pipeline's name",
          examples: ["imported_by"],
        }),
      }, { rules: { atLeastOne: ["urlParameter", "run", "pipeline"] } }),
      {
        description:
          "Also sends the row key, the run's id and the pipeline's name, so that people recognise imported submissions. No row counts as changed because of them",
        examples: [{ urlParameter: "row_key", run: "run_id", pipeline: "imported_by" }],
      },
    ),
  }, { rules: { exactlyOne: ["service", "targets"], needs: { service: ["form"] }, excludes: { targets: ["form"] } } }),
  ({ form = "", service = "", targets, ...rest }, path) => ({
    ...rest,
    targets: targets ?? [{ target: undefined, service, form, path } satisfies Target],
  }),
)

export type SinkConfig = typeof sink.Type

// reconcile, schedule, examples

const Tolerated = becoming(
  section({
    id: optional(Name.annotations({ identifier: "Question.id" }), { description: "The question's id" }),
    name: optional(Name.annotations({ identifier: "Question.name" }), { description: "The question's name" }),
    because: needed(Name.annotations(expecting("a reason")), {
      description: "Why differences in this question don't matter",
    }),
  }, { rules: { atLeastOne: ["id", "name"] } }),
  (tolerated, path) => ({ ...tolerated, path }),
).annotations({ identifier: "Tolerated" })

const reconcile = section({
  visibleWithin: optional(Time, {
    description: "How long a created submission may remain unreadable",
    default: "60 seconds",
  }),
  lateWithin: optional(Time, {
    description: "How long a request of a process that has ended may still arrive",
    default: "5 minutes",
  }),
  tolerate: optional(Schema.Array(Tolerated), {
    description: "Questions in which differences don't matter, and why",
    absent: [],
  }),
})

const Cron = Schema.String.pipe(
  Schema.filter((text) => cronFault(text) ?? true, { jsonSchema: { minLength: 9 } }),
).annotations(expecting("a cron expression such as `0 2 * * *`"))

const Zone = Schema.String.pipe(
  Schema.filter((name) => isZone(name) || `There is no time zone called ${quoted(name)}.`, {
    jsonSchema: { minLength: 1 },
  }),
).annotations(expecting("a time zone such as Europe/Berlin"))

const schedule = section({
  cron: needed(Cron, {
    description: "Minute, hour, day, month and day of the week; with six fields, seconds come first",
    examples: ["0 2 * * *", "*/15 7-19 * * MON-FRI"],
  }),
  zone: needed(Zone, { description: "The time zone of the schedule's times", examples: ["Europe/Berlin"] }),
  to: optional(Identifier, { description: "The target, if the sink has several", examples: ["production"] }),
}).annotations(expecting("{ cron: TIMES, zone: ZONE }"))

/** The expected answer: a string as written, a list or object of strings, or null for no answer. */
export type Expected = string | null | ReadonlyArray<Expected> | { readonly [member: string]: Expected }

const ExpectedAnswer: Schema.Schema<Expected> = Schema.Union(
  Schema.String,
  Schema.Null,
  Schema.Array(Schema.suspend(() => ExpectedAnswer)),
  Schema.Record({ key: Schema.String, value: Schema.suspend(() => ExpectedAnswer) }),
).annotations({
  ...expecting("an answer: text, a list, members of an object, or null for no answer"),
  identifier: "Expected",
  description: "The answer as it would be sent. Text is taken literally. Null means no answer",
})

/** A test of the pipeline: a row, and its expected answers or problems. */
export interface Example {
  readonly path: YamlPath
  /** The cells by column. */
  readonly row: Readonly<Record<string, string | null>>
  /** The answers by name or id, or the codes of all problems. */
  readonly expected:
    | { readonly _tag: "Gives"; readonly answers: Readonly<Record<string, Expected>> }
    | { readonly _tag: "Fails"; readonly codes: ReadonlyArray<string> }
}

const ExampleEntry = becoming(
  section({
    row: needed(
      Schema.Record({ key: Column, value: Schema.NullOr(Schema.String) }).annotations(
        expecting("columns with their cells"),
      ),
      {
        description: "Cells by column, as written. Omitted columns are empty",
        examples: [{ Name: "Ada Lovelace" }],
      },
    ),
    gives: optional(
      Schema.Record({ key: Name.annotations({ identifier: "Answered" }), value: ExpectedAnswer }).annotations(
        expecting("a mapping from questions to answers"),
      ),
      {
        description:
          "Answers by the name or id of the question or element that they fill. Other answers are not checked",
        examples: [{ "Full name": "Ada Lovelace" }],
      },
    ),
    fails: optional(
      Schema.NonEmptyArray(Schema.Literal(...problemCodes)).annotations(expecting("a list of problem codes")),
      { description: "The codes of all problems that the row has", examples: [["not-an-email"]] },
    ),
  }, { rules: { exactlyOne: ["gives", "fails"] } }),
  ({ fails, gives, row }, path): Example => ({
    path,
    row,
    expected: gives === undefined ? { _tag: "Fails", codes: fails ?? [] } : { _tag: "Gives", answers: gives },
  }),
).annotations({ identifier: "Example" })

// The file

/** Returns the schema of a pipeline file. Builds it on first use, because that is slow. */
export const pipelineSchema = lazily(() =>
  becoming(
    section({
      pipeline: needed(Identifier, {
        description:
          "The pipeline's identity in the ledger. You may rename the file. If you change this name, set `renamedFrom`",
        examples: ["contacts"],
      }),
      renamedFrom: optional(Identifier, { description: "The name under which the pipeline imported earlier" }),
      tags: optional(Schema.Array(Identifier), {
        description: "Words that select the pipeline together with others: `run --tag nightly`",
        examples: [["nightly"]],
        absent: [],
      }),
      source: needed(source, { description: "Where the rows come from" }),
      mapping: needed(mapping(), { description: "How a row becomes a submission" }),
      sink: needed(sink, { description: "Where the rows go, and how" }),
      reconcile: optional(reconcile, {
        description: "How submissions are verified",
        absent: allDefaults(reconcile),
      }),
      schedule: optional(schedule, {
        description: "When `formferry schedule` runs the pipeline. Needs columns as `rowKey`, or the id of a form tool",
        examples: [{ cron: "0 2 * * *", zone: "Europe/Berlin" }],
      }),
      examples: optional(Schema.Array(ExampleEntry), {
        description: "Tests of this pipeline, run by `check`: rows with their expected answers or problems",
        absent: [],
      }),
    }),
    ({ pipeline, ...rest }) => ({ name: pipeline, ...rest }),
  ).annotations({ title: "formferry pipeline", description: "One pipeline: source, mapping, sink, reconcile" })
)

type PipelineContent = Schema.Schema.Type<ReturnType<typeof pipelineSchema>>

/** A decoded pipeline file. */
export interface Pipeline extends Omit<PipelineContent, "source"> {
  readonly source: SourceConfig
  /** The pipeline's file, so that later steps can point at mistakes. */
  readonly document: Document
}

/** Returns the time zone in which a pipeline's times are shown: its schedule's zone, otherwise the first zone in which it reads times, otherwise UTC. */
export const zoneOf = ({ mapping, schedule }: Pick<Pipeline, "mapping" | "schedule">): string => {
  const { defaults, lastUpdatedAt, questions, submissionTime } = mapping
  const options = [
    defaults["dateTime"],
    ...[submissionTime, lastUpdatedAt, ...questions].map((entry) => entry?.options),
  ]
  const zones = [schedule?.zone, ...options.map((one) => one?.["zone"])]
  return zones.find((zone): zone is string => typeof zone === "string" && isZone(zone)) ?? "UTC"
}

/** Reads a key of a mapping without a value as an empty list. `init` writes such a key if it writes all of the key's entries as comments. */
const fillEmptyLists = (value: object): void => {
  const mapping = isMapping(value) ? value["mapping"] : undefined
  if (!isMapping(mapping)) return
  for (const key of ["questions", "urlParameters"]) if (mapping[key] === nothing) mapping[key] = []
}

/**
 * Decodes a pipeline file.
 *
 * @param options.sets the project's value sets; undefined if they can't be read, in which case their names are not
 * checked
 * @param options.connections the project's connections; undefined if they can't be read, in which case their names are not
 * checked, and presets add nothing
 * @param options.findings further mistakes in the file
 * @param options.isPartial whether to omit entries with mistakes if the rest doesn't depend on them
 */
export const decodePipeline = (
  yaml: YamlText,
  { connections, findings = [], isPartial = false, sets }: {
    readonly sets?: ValueSets | undefined
    readonly connections?: PresetNames | undefined
    readonly findings?: ReadonlyArray<Finding>
    readonly isPartial?: boolean
  } = {},
): ReadResult<Pipeline> => {
  const decode = (prepare: (value: object) => ReadonlyArray<Finding>): ReadResult<Pipeline> => {
    const result = decodeYaml(yaml, pipelineSchema(), "The pipeline", (value) => {
      fillEmptyLists(value)
      return prepare(value)
    })
    return result._tag === "Read" ? { _tag: "Read", value: { ...result.value, document: yaml } } : result
  }
  const substitute = (value: object) => [
    ...substituteSets(value, sets),
    ...(connections === undefined ? [] : pullFindings(yaml, value, connections)),
  ]
  const whole = decode((value) => [...yaml.findings, ...findings, ...substitute(value)])
  if (whole._tag === "Read" || !isPartial) return whole
  const offsets = whole.findings.map(({ offset }) => offset)
  return decode((value) => {
    substitute(value)
    return removeBroken(value, offsets) ? [] : whole.findings
  })
}
