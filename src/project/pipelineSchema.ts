import { Duration, Schema } from "effect"
import { expecting, needed, optional, withRules } from "./annotated.ts"
import { cronFault, isZone } from "./cron.ts"
import { elementEntry, ownEntry, questionEntry, urlParameterEntry } from "./entrySchema.ts"
import type { Kinds } from "./entrySchema.ts"
import { ExampleSchema } from "./exampleSchema.ts"
import { Column, Identifier, Name, Time } from "./scalars.ts"
import { sink } from "./sinkSchema.ts"
import { source } from "./sourceSchema.ts"
import { quoted } from "./suggestion.ts"

/** The kinds' options are known at run time only. */
const struct = (fields: Schema.Struct.Fields): Schema.Schema<object, unknown> =>
  Schema.Struct(fields) as unknown as Schema.Schema<object, unknown>

const defaults = (kinds: Kinds) =>
  Schema.Struct(Object.fromEntries(
    [...kinds.values()].filter((kind) => Object.keys(kind.options).length > 0).map((kind) => [
      kind.name,
      optional(struct(kind.options).annotations({ identifier: `Defaults.${kind.name}` }), {
        description: `Options of every ${kind.name}`,
      }),
    ]),
  )) as unknown as Schema.Schema<Readonly<Record<string, Readonly<Record<string, unknown>>>>, unknown>

const mapping = (kinds: Kinds, elements: ElementParts) => {
  const question = questionEntry(kinds)
  const urlParameter = urlParameterEntry(kinds)
  const time = ownEntry(kinds, "dateTime")
  return withRules(
    Schema.Struct({
      defaults: optional(defaults(kinds), {
        description: "Options by kind, for every entry and part of that kind",
        examples: [{ date: { format: "dd.MM.yyyy" } }],
      }),
      questions: optional(Schema.Array(question), { description: "Answers, question by question" }),
      urlParameters: optional(Schema.Array(urlParameter), { description: "URL parameters of the form" }),
      submissionTime: optional(time, { description: "When the answers were given" }),
      lastUpdatedAt: optional(time, { description: "When the answers were last changed" }),
      login: optional(ownEntry(kinds, "email"), { description: "The e-mail address of the respondent who logged in" }),
      scheduling: optional(Schema.Array(elementEntry(kinds, elements.scheduling, "Scheduling")), {
        description: "Scheduling fields",
      }),
      payments: optional(Schema.Array(elementEntry(kinds, elements.payments, "Payment")), {
        description: "Payment fields",
      }),
      ignore: optional(Schema.Array(Column), {
        description: "Columns left behind on purpose; the title of a block leaves all of its columns behind",
        examples: [["Internal note"]],
      }),
      ignoreQuestions: optional(Schema.Array(Name), {
        description: "Questions left unanswered on purpose, by name or id",
        examples: [["Remarks"]],
      }),
      unmapped: optional(Schema.Literal("error", "warn", "ignore"), {
        description: "What any other column without a mapping is",
        default: "warn",
      }),
    }),
    {
      atLeastOne: ["questions", "urlParameters", "submissionTime", "lastUpdatedAt", "login", "scheduling", "payments"],
    },
  )
}

const Tolerated = withRules(
  Schema.Struct({
    id: optional(Name, { description: "The question's id" }),
    name: optional(Name, { description: "The question's name" }),
    because: needed(Name.annotations(expecting("a reason")), { description: "Why its differences don't matter" }),
  }),
  { atLeastOne: ["id", "name"] },
).annotations({ identifier: "Tolerated" })

const reconcile = Schema.Struct({
  visibleWithin: optional(Time, {
    description: "How long a created submission may stay unreadable",
    default: Duration.seconds(60),
  }),
  lateWithin: optional(Time, {
    description: "How long a request of a process that has ended may still arrive",
    default: Duration.minutes(5),
  }),
  tolerate: optional(Schema.Array(Tolerated), { description: "Questions whose differences don't matter, and why" }),
})

const Cron = Schema.String.pipe(
  Schema.filter((text) => cronFault(text) ?? true, { jsonSchema: { minLength: 9 } }),
).annotations(expecting("a cron expression such as `0 2 * * *`"))

const Zone = Schema.String.pipe(
  Schema.filter((name) => isZone(name) || `There is no time zone called ${quoted(name)}.`, {
    jsonSchema: { minLength: 1 },
  }),
).annotations(expecting("a time zone such as Europe/Berlin"))

/** When the pipeline runs by itself. */
const schedule = Schema.Struct({
  cron: needed(Cron, {
    description: "Minute, hour, day, month and day of the week; with six fields, seconds come first",
    examples: ["0 2 * * *", "*/15 7-19 * * MON-FRI"],
  }),
  zone: needed(Zone, { description: "The time zone whose clocks count", examples: ["Europe/Berlin"] }),
  to: optional(Identifier, { description: "The target, where the sink has several", examples: ["production"] }),
}).annotations(expecting("{ cron: TIMES, zone: ZONE }"))

/** The parts of scheduling and payment values: part → kind. */
export interface ElementParts {
  readonly scheduling: Readonly<Record<string, string>>
  readonly payments: Readonly<Record<string, string>>
}

/** A pipeline file (configuration.md, "pipelines/NAME.yaml"), for the kinds there are. */
export const pipelineSchema = (kinds: Kinds, elements: ElementParts) =>
  Schema.Struct({
    pipeline: needed(Identifier, {
      description: "Its identity in the ledger; the file may be renamed, this not (else renamedFrom)",
      examples: ["contacts"],
    }),
    renamedFrom: optional(Identifier, { description: "The name under which it imported before" }),
    source: needed(source, { description: "Where the rows come from" }),
    mapping: needed(mapping(kinds, elements), { description: "How a row becomes a submission" }),
    sink: needed(sink, { description: "Where the rows go, and how" }),
    reconcile: optional(reconcile, { description: "How what arrived is verified" }),
    schedule: optional(schedule, {
      description: "When `formferry schedule` runs it; needs columns as rowKey, or a form tool's id",
      examples: [{ cron: "0 2 * * *", zone: "Europe/Berlin" }],
    }),
    examples: optional(Schema.Array(ExampleSchema), {
      description: "Tests of this pipeline, run by `check`: rows, and what becomes of them",
    }),
  }).annotations({ title: "formferry pipeline", description: "One pipeline: source, mapping, sink, reconcile" })

export type PipelineFile = Schema.Schema.Type<ReturnType<typeof pipelineSchema>>
