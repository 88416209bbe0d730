import { Duration, Schema } from "effect"
import iconv from "iconv-lite"
import { expecting, needed, optional, withRules } from "./annotated.ts"
import { Conditions } from "./conditionSchema.ts"
import { cronFault, isZone } from "./cron.ts"
import { elementEntry, ownEntry, questionEntry, urlParameterEntry } from "./entrySchema.ts"
import type { Kinds } from "./entrySchema.ts"
import { ExampleSchema } from "./exampleSchema.ts"
import { formToolNames } from "./formTools.ts"
import { byName, Column, Columns, Identifier, Name, Time, whole } from "./scalars.ts"
import { SourceFile } from "./sourceFiles.ts"
import { stopFields } from "./stopLimit.ts"
import { quoted } from "./suggestion.ts"

const Character = Schema.String.pipe(Schema.pattern(/^[^"\r\n]$/u)).annotations(expecting("one character, such as `;`"))
const Encoding = Schema.String.pipe(
  Schema.filter((name) => iconv.encodingExists(name) || `There is no encoding called ${quoted(name)}.`, {
    jsonSchema: { minLength: 1 },
  }),
)
const Range = Schema.String.pipe(Schema.pattern(/^[A-Za-z]{1,3}[1-9]\d*:[A-Za-z]{1,3}[1-9]\d*$/))
  .annotations(expecting("a range such as `B3:H400`"))

const Alias = Schema.Union(
  Schema.Struct({
    header: needed(Name, { description: "The header, as several columns have it", examples: ["Why?"] }),
    nth: needed(whole(1), { description: "Which of them, from 1", examples: [2] }),
    of: needed(whole(1), {
      description: "How many columns have that header; another number than that is an error",
      examples: [2],
    }),
  }),
  Schema.Struct({ position: needed(whole(1), { description: "The column's place, from 1", examples: [14] }) }),
).annotations(expecting("{ header: TITLE, nth: 2, of: 2 } or { position: 14 }"))

const source = Schema.Struct({
  file: needed(SourceFile, {
    description:
      "The file to read, relative to this one; several with one header, a pattern, or an https:// address. Archives (.gz, .zip) are opened",
    examples: ["../samples/contacts.csv", ["2023.csv", "2024.csv"], { glob: "kobo-*.csv", take: "newest" }],
  }),
  member: optional(Name, {
    description: "Which file of a zip archive; needed where several may hold rows",
    examples: ["answers.csv"],
  }),
  format: optional(Schema.Literal("csv", "excel", "json", "jsonl", ...formToolNames), {
    description: "csv, excel, json, jsonl, or the form tool that wrote the file; recognised, and said, when left out",
  }),
  records: optional(
    Schema.String.pipe(Schema.pattern(/^(?:\/|$)/)).annotations(expecting("a place such as `/items`")),
    {
      description:
        "Where the list of records stands in a JSON file, as a JSON pointer; found when left out and there is but one",
      examples: ["/items"],
    },
  ),
  encoding: optional(Encoding.annotations(expecting("an encoding such as `utf-8` or `windows-1252`")), {
    description: "When left out: the byte order mark, else strict UTF-8, else detected, and said",
    examples: ["windows-1252"],
  }),
  delimiter: optional(Character, {
    description: "What separates cells of a CSV file; detected when left out",
    examples: [";"],
  }),
  headerRow: optional(whole(1), { description: "The row that holds the header, from 1; rows above it are skipped" }),
  sheet: optional(Schema.Union(whole(1), Name).annotations(expecting("a sheet's name or number")), {
    description: "The sheet of a workbook, by name or number; the first visible one when left out",
    examples: ["Responses"],
  }),
  range: optional(Range, { description: "Narrows the sheet", examples: ["B3:H400"] }),
  rowKey: optional(
    Schema.Union(Schema.Literal("content"), Columns).annotations(expecting("a list of columns, or `content`")),
    {
      description:
        "What makes a row the same row tomorrow: columns, or `content` (the cells of the columns used at the first run, plus a number for "
        + "identical rows) for sources to which rows are only ever added. A form tool's own id when left out",
      examples: [["Customer No"]],
    },
  ),
  empty: optional(Schema.Array(Schema.String), {
    description: "Cells that mean: no answer. An empty cell always does",
    examples: [["", "N/A", "-"]],
    default: [""],
  }),
  columns: optional(
    Schema.Record({ key: Name, value: Alias }).annotations(expecting("names with the columns that they stand for")),
    {
      description: "Names for columns that the header can't name: repeated or empty titles",
      examples: [{ reason: { header: "Why?", nth: 2, of: 2 }, last: { position: 14 } }],
    },
  ),
  vanished: optional(Schema.Literal("report", "ignore"), {
    description:
      "Imported rows that the source does not hold any more: counted and listed, or not; `ignore` for an export that only holds the latest rows",
    default: "report",
  }),
  where: optional(Conditions, {
    description: "Rows for which this does not hold are left out",
    examples: [{ Status: ["complete", "finished"] }],
  }),
})

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

const destination = {
  service: optional(Identifier, { description: "The service, by its name in config/formferry.yaml" }),
  form: optional(Name, { description: "The form's id in the service" }),
}

const Target = Schema.Struct({
  service: needed(Identifier, { description: "The service, by its name in config/formferry.yaml" }),
  form: needed(Name, { description: "The form's id in the service" }),
}).annotations({ identifier: "Target" })

const sink = withRules(
  Schema.Struct({
    ...destination,
    targets: optional(byName(Target).annotations(expecting("targets by name")), {
      description: "Several destinations by name, chosen with --to; instead of service and form",
    }),
    alongside: optional(Schema.Array(Identifier), { description: "Other pipelines that feed the same form" }),
    batchSize: optional(whole(1, 10), { description: "Rows in one request", default: 10 }),
    concurrency: optional(whole(1, 64), { description: "Batches in flight", default: 4 }),
    retries: optional(
      Schema.Struct({
        attempts: optional(whole(1, 100), { description: "Attempts in all", default: 6 }),
        base: optional(Time, { description: "The first wait", default: Duration.millis(500) }),
        max: optional(Time, { description: "The longest wait", default: Duration.seconds(30) }),
      }),
      { description: "How often something that was proven not to have arrived is tried again" },
    ),
    inDoubt: optional(Schema.Literal("hold", "resend"), {
      description: "Rows whose outcome is not known: held, or sent once more in the next run (may create duplicates)",
      default: "hold",
    }),
    onChange: optional(Schema.Literal("report", "ignore", "import-again"), {
      description:
        "Rows that changed since they were imported: reported, ignored, or imported once more beside what they were, for the service can't change a submission (needs columns as rowKey)",
      default: "report",
    }),
    canary: optional(
      Schema.Union(whole(1, 10), Schema.Literal("off")).annotations(
        expecting("a number of rows from 1 to 10, or `off`"),
      ),
      { description: "Rows that are sent and verified before all others, at most; or off", default: 10 },
    ),
    stopWhen: optional(
      Schema.Struct({
        ...stopFields,
      }),
      { description: "Limits that stop the run" },
    ),
    stamp: optional(
      Schema.Struct({
        urlParameter: needed(Name, {
          description: "The URL parameter, by name, that carries the row key",
          examples: ["row_key"],
        }),
      }),
      {
        description: "Sends the row key along, so that people can find a row's submission",
        examples: [{ urlParameter: "row_key" }],
      },
    ),
  }),
  { exactlyOne: ["service", "targets"], needs: { service: ["form"] }, excludes: { targets: ["form"] } },
)

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
