import * as Schema from "effect/Schema"
import type { YamlPath } from "../domain/diagnostic.ts"
import { ownMembers, ownTimes } from "../domain/item.ts"
import { problemCodes } from "../domain/problem.ts"
import { cronFault, isZone, zoneFault } from "./cron.ts"
import { decodeYaml, type ReadResult, removeBroken } from "./decodeYaml.ts"
import type { Document, Finding } from "./errors.ts"
import { Column, Identifier, Name, placed, Time } from "./fields.ts"
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
import { allDefaults, becoming, expecting, lazily, needed, optional, section } from "./section.ts"
import { sink } from "./sinkSection.ts"
import { source, type SourceConfig } from "./sourceSection.ts"
import { substituteSets, type ValueSets } from "./valueSets.ts"
import { isMapping, nothing, type YamlText } from "./yamlText.ts"

export type { Condition } from "./conditions.ts"
export type { ColumnName } from "./fields.ts"
export type { Input, MappingEntry, PartEntry } from "./mappingEntries.ts"
export type { KindOptions } from "./section.ts"
export type { SinkConfig, StopLimit } from "./sinkSection.ts"
export type { ColumnAlias, SourceConfig } from "./sourceSection.ts"

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
    submissionTime: optional(ownEntry("submissionTime"), { description: "When the answers were given" }),
    lastUpdatedAt: optional(ownEntry("lastUpdatedAt"), { description: "When the answers were last changed" }),
    login: optional(ownEntry("login"), { description: "The email address of the respondent who logged in" }),
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
      atLeastOne: ["questions", "urlParameters", ...ownMembers, "scheduling", "payments"],
    },
  })

export type MappingConfig = Schema.Schema.Type<ReturnType<typeof mapping>>

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
  Schema.filter((name) => zoneFault(name) ?? true, {
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
  const entries = [...ownTimes.map((of) => mapping[of]), ...mapping.questions]
  const options = [mapping.defaults["dateTime"], ...entries.map((entry) => entry?.options)]
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
