import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import type { Json } from "../domain/json.ts"
import { AnswerPlace, type Connection } from "./connection.ts"
import type { Finding } from "./errors.ts"
import {
  filled,
  headerName,
  HeaderValue,
  Identifier,
  Name,
  Pointer,
  PositiveTime,
  RequestPath,
  whole,
} from "./fields.ts"
import { type PresetNames, usePreset } from "./preset.ts"
import { Job } from "./pullJob.ts"
import { becoming, expecting, needed, oneOfThese, optional, type Section, section } from "./section.ts"
import { quoted } from "./suggestion.ts"
import { isMapping, type Mapping, textAt, type YamlText } from "./yamlText.ts"

const Scalar = oneOfThese(Schema.String, Schema.Number, Schema.Boolean).annotations(
  expecting("a text, a number, true or false"),
)

const AnyJson: Schema.Schema<Json> = Schema.Union(
  Schema.String,
  Schema.Number,
  Schema.Boolean,
  Schema.Null,
  Schema.Array(Schema.suspend(() => AnyJson)),
  Schema.Record({ key: Schema.String, value: Schema.suspend(() => AnyJson) }),
).annotations({ ...expecting("a JSON value"), identifier: "Json", description: "A JSON value" })

/** Values are texts, because they are sent as written: `0123` is not 123. */
const Parameters = filled(Name, Schema.String.annotations(expecting("a text, a number, true or false")))
  .annotations(expecting("a mapping from names to values"))

/** Names of header fields, except those that the client sets or that may contain a secret. */
const HeaderName = Schema.String.pipe(
  Schema.pattern(
    new RegExp(
      `^(?!(?:authorization|proxy-authorization|cookie|host|content-length|transfer-encoding|connection)$)${headerName}$`,
      "i",
    ),
  ),
).annotations(expecting("the name of a header. Secrets belong under `auth` of the connection"))

const Request = section({
  path: needed(RequestPath, {
    description: "The path after the connection's `base`",
    examples: ["/assets/aBc123/data/"],
  }),
  query: optional(Parameters, {
    description: "Query parameters. A value may contain `{offset}`, `{number}`, `{cursor}`, `{since}` or `{until}`",
    examples: [{ limit: 1000, offset: "{offset}" }],
  }),
  headers: optional(filled(HeaderName, HeaderValue), {
    description: "Headers in addition to those of `auth`",
    examples: [{ Accept: "text/csv" }],
  }),
  form: optional(Parameters, {
    description: "Fields of a form. The request is then a POST",
    examples: [{ content: "record", format: "json" }],
  }),
  json: optional(
    Schema.Record({ key: Schema.String, value: AnyJson }).annotations(expecting("a mapping")),
    { description: "A JSON body. The request is then a POST", examples: [{ pageSize: 100, offset: "{cursor}" }] },
  ),
}, { rules: { excludes: { form: ["json"] } } }).annotations(expecting("{ path: /PATH }"))

const Labels = section({
  path: needed(RequestPath, { description: "The path after the connection's `base`", examples: ["/forms/abc123"] }),
  query: optional(Parameters, { description: "Query parameters", examples: [{ include: "questions" }] }),
}).annotations(expecting("{ path: /PATH }"))

const Total = oneOfThese(
  becoming(Pointer, (at): { readonly at: string } | { readonly remaining: string } => ({ at })),
  section({
    remaining: needed(Pointer, {
      description: "The place of the number of records on this page and those after it",
      examples: ["/total_items"],
    }),
  }),
).annotations(expecting("a place such as `/count`, or { remaining: PLACE }"))

const Page = section({
  offset: optional(whole(0), {
    description: "The first value of `{offset}`. It increases by the number of records on each page",
    examples: [0],
  }),
  number: optional(whole(0), {
    description: "The first value of `{number}`. It increases by 1 with each page",
    examples: [1],
  }),
  cursor: optional(AnswerPlace, {
    description:
      "Where a page contains the value of `{cursor}` for the next one: a JSON pointer or a header. The first request omits parameters that contain `{cursor}`. The last page has no cursor",
    examples: ["/nextPageToken"],
  }),
  last: optional(Pointer, {
    description:
      "The place, in a page's last record, of the next page's `{cursor}`. If `since.at` is the same place, the first `{cursor}` has the value of `{since}`",
    examples: ["/id"],
  }),
  link: optional(Pointer, {
    description: "Where a page contains the address of the next one. The last page has none",
    examples: ["/next"],
  }),
  end: optional(
    section({
      at: needed(Pointer, { description: "A place in every page", examples: ["/hasMore"] }),
      is: needed(
        oneOfThese(becoming(Scalar, (value) => [value]), Schema.NonEmptyArray(Scalar))
          .annotations(expecting("a value, or a list of values")),
        { description: "The value at that place in the last page, or a list of possible values", examples: [false] },
      ),
    }),
    {
      description:
        "What distinguishes the last page. By default, it is the one without records, cursor or address of the next page",
    },
  ),
  total: optional(Total, {
    description:
      "Where a page contains the total number of records. If a different number is received, the pull fails. Records with the same row key, or the same `id`, count once. Use `{ remaining: PLACE }` if the number does not include the records of earlier pages",
    examples: ["/count"],
  }),
  id: optional(Pointer, {
    description:
      "The place of a record's id. A record that several pages contain is then stored once, and `total` is compared with the number of different records",
    examples: ["/id"],
  }),
}, {
  rules: {
    exactlyOne: ["offset", "number", "cursor", "last", "link"],
    excludes: { cursor: ["end"], link: ["end"] },
  },
}).annotations(expecting("one of offset, number, cursor, last and link"))

/** The shortest overlap: an hour that is repeated when clocks change, and some delay. */
const leastOverlap = Duration.hours(2)

const TimeFormat = Schema.String.pipe(Schema.pattern(/^(?:iso|unix|unix-ms)$|y/))
  .annotations(expecting("iso, unix, unix-ms, or a format with a year such as `yyyy-MM-dd HH:mm:ss`"))

const Since = section({
  at: needed(Pointer, {
    description: "The place of a record's time: the one by which the tool selects records for `{since}`",
    examples: ["/submitted_at"],
  }),
  format: optional(TimeFormat, {
    description:
      "How these times are written: `iso`, with a zone or an offset; `unix` or `unix-ms`, in seconds or milliseconds since 1970; or a format in letters, such as dd.MM.yyyy HH:mm",
    examples: ["yyyy-MM-dd HH:mm:ss"],
    default: "iso",
  }),
  overlap: optional(
    PositiveTime.pipe(Schema.filter((time) => Duration.greaterThanOrEqualTo(time, leastOverlap)))
      .annotations(expecting("a time of at least 2 hours")),
    {
      description: "How far before the newest known record a pull starts, to include records that arrive late",
      default: "1 day",
    },
  ),
  skipped: optional(Schema.Literal("hold", "pass"), {
    description:
      "Whether later pulls include a row that `where` skips now (`hold`). With `pass`, a skipped row that changes later is missed until all records are pulled, unless its time at `at` also changes",
    default: "hold",
  }),
  fullEvery: optional(PositiveTime, {
    description: "The longest time between two pulls of all records. Only these find vanished rows and all edits",
    default: "7 days",
  }),
}).annotations({
  ...expecting("{ at: /submitted_at }"),
  identifier: "Since",
  description: "How to pull only the records that are new since the last run",
})

/** The keys of a pulled source, in addition to those that say how a file is read. */
export const pullKeys = {
  connection: optional(Identifier, {
    description: "Instead of `file`: the connection in config/formferry.yaml from which the records are pulled",
    examples: ["kobo"],
  }),
  form: optional(Name.annotations(expecting("a form's id")), {
    description: "The form, if the connection has an `api`",
    examples: ["aBc123"],
  }),
  variables: optional(filled(Name, Name).annotations(expecting("a mapping from names to values")), {
    description: "Other values that the connection's `api` needs to find the records (docs/presets.md)",
    examples: [{ project: 3 }],
  }),
  request: optional(Request, { description: "The request for the records. Needed if the connection has no `api`" }),
  labels: optional(Labels, {
    description:
      "A second request, for the tool's definition of the form. Columns and options then have the same texts as in the tool's export",
    examples: [{ path: "/forms/abc123" }],
  }),
  page: optional(Page, {
    description:
      "How the records are divided into pages of JSON. By default, there is a single answer, in any format that a file may have",
    examples: [{ link: "/next", total: "/count" }, { offset: 0 }],
  }),
  job: optional(Job, {
    description:
      "How to wait for a file that the tool creates in a job, which `request` starts. The file may have any format that formferry reads",
    examples: [{
      id: "/uid",
      poll: "/assets/aBc123/exports/{job}/",
      status: { at: "/status", running: ["created", "processing"], completed: ["complete"], failed: ["error"] },
      file: "/result",
    }],
  }),
  success: optional(
    filled(Pointer, Schema.NonEmptyArray(Scalar)).annotations(expecting("places, and lists of their values")),
    {
      description:
        "Values that every page contains if the request succeeded, for tools that report failures with status 200",
      examples: [{ "/responseCode": [200] }],
    },
  ),
  since: optional(oneOfThese(becoming(Schema.Literal("none"), () => undefined), Since), {
    description:
      "Pulls only the records that are new since the last run. With `none`, each run pulls all records. This is the default, unless a preset has `since`",
    examples: [{ at: "/submitted_at", overlap: "1 day" }],
  }),
} as const

/** A request for records, and how to get all pages of its answer. */
export interface Pull extends Section<Omit<typeof pullKeys, "connection" | "request">> {
  /** The name of the connection. */
  readonly connection: string
  /** Undefined if the project file was not read, or has no such connection. */
  readonly account?: Connection | undefined
  readonly request: typeof Request.Type
  /** The place of the list of records in each page. */
  readonly records: string
}

/** Whether the answers are pages of JSON, whose records are stored one per line. If false, the answer is stored as it is. */
export const isPaged = ({ page, success }: Pick<Pull, "page" | "success">): boolean =>
  page !== undefined || success !== undefined

/** The variables that a request may contain, each with the kinds of `page` that provide it. */
const variables = { offset: ["offset"], number: ["number"], cursor: ["cursor", "last"] } as const

/** Whether `{cursor}` starts with the time of `{since}`, because pages are found by that time. */
const startsWithSince = ({ page, since }: Mapping): boolean =>
  isMapping(page) && isMapping(since) && page["last"] !== undefined && page["last"] === since["at"]

/** Returns why a pipeline can't pull only new records, or why its request would not select them. */
const sinceFindings = (yaml: YamlText, request: string, source: Mapping): ReadonlyArray<Finding> => {
  if (source["since"] === "none") return []
  if (source["since"] === undefined) {
    return request.includes("{since}")
      ? [{
        offset: yaml.offset(["source", "request"], "key"),
        message: "`{since}` in `request` has no value.",
        suggestion: "Add `since` with the place of a record's time: `since: { at: /submitted_at }`.",
      }]
      : []
  }
  const wrong = (key: string, message: string, suggestion: string) => [{
    offset: yaml.offset(["source", key], key === "rowKey" ? "value" : "key"),
    message,
    suggestion,
  }]
  return [
    ...(request.includes("{since}") || startsWithSince(source) ? [] : wrong(
      "since",
      "`request` doesn't contain `{since}`, so the tool would send all records.",
      'Add it where the tool expects a time, for example `query: { since: "{since}" }`.',
    )),
    ...("page" in source || "success" in source ? [] : wrong(
      "since",
      "`since` needs pages of JSON, because times are not read from other answers.",
      "Add `page`, or remove `since`.",
    )),
    ...(source["rowKey"] !== "content" ? [] : wrong(
      "rowKey",
      "With `since`, the row key can't be `content`: a record that equals an earlier one would count as that one.",
      "Name the column that contains the record's id.",
    )),
  ]
}

/**
 * Adds the keys of the connection's preset to the `source` of a pipeline, before it is decoded. Returns a finding for each key or variable that `source` lacks, or that has no meaning without others.
 *
 * @param value the pipeline file's value, which is changed
 */
export const pullFindings = (yaml: YamlText, value: object, connections: PresetNames): ReadonlyArray<Finding> => {
  const findings = usePreset(yaml, value, connections)
  const source = isMapping(value) ? value["source"] : undefined
  if (!isMapping(source) || !isMapping(source["request"])) return findings
  const text = JSON.stringify(source["request"])
  const page = isMapping(source["page"]) ? source["page"] : {}
  const format = textAt(yaml, ["source", "format"])
  const isTable = (format === "csv" || format === "excel") && ["page", "success"].some((key) => key in source)
  const tables = !isTable ? [] : [{
    offset: yaml.offset(["source", "format"], "value"),
    message: `\`page\` and \`success\` are for answers in JSON, not ${quoted(format)}.`,
    suggestion: "Remove `format`, or ask for a single answer and remove `page` and `success`.",
  }]
  const lacking = Object.entries(variables).flatMap(([name, kinds]): ReadonlyArray<Finding> => {
    const isUsed = text.includes(`{${name}}`)
    const kind = kinds.find((kind) => kind in page)
    if (kind !== undefined && !isUsed) {
      return [{
        offset: yaml.offset(["source", "page", kind], "key"),
        message: `\`request\` doesn't contain \`{${name}}\`, so every page would be the first one.`,
        suggestion: `Add it where the tool expects it, for example \`query: { ${name}: "{${name}}" }\`.`,
      }]
    }
    return kind !== undefined || !isUsed ? [] : [{
      offset: yaml.offset(["source", "request"], "key"),
      message: `\`{${name}}\` in \`request\` has no value.`,
      suggestion: `Add \`page\` with \`${kinds.join("` or `")}\`.`,
    }]
  })
  return [...findings, ...tables, ...lacking, ...sinceFindings(yaml, text, source)]
}
