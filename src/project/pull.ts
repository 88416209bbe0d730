import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import type { Json } from "../domain/json.ts"
import type { Finding } from "./errors.ts"
import {
  becoming,
  expecting,
  filled,
  Identifier,
  Name,
  needed,
  oneOfThese,
  optional,
  PositiveTime,
  section,
  whole,
} from "./fields.ts"
import type { Secrets } from "./secrets.ts"
import { Auth, signInOf } from "./signIn.ts"
import type { ConnectionSignIn } from "./signIn.ts"
import { quoted, suggest } from "./suggestion.ts"
import { keysAt, textAt } from "./yamlText.ts"
import type { YamlText } from "./yamlText.ts"

// Connections: an account of a tool whose answers are pulled

/** Names of header fields (RFC 9110), except those that the client sets or that may contain a secret. */
const HeaderName = Schema.String.pipe(
  Schema.pattern(
    /^(?!(?:authorization|proxy-authorization|cookie|host|content-length|transfer-encoding|connection)$)[A-Za-z0-9!#$%&'*+.^_`|~-]+$/i,
  ),
).annotations(expecting("the name of a header. Secrets belong under `auth` of the connection"))

/**
 * Returns the schema of a connection.
 *
 * @param BaseUrl the schema of an address to which secrets may be sent
 */
export const connectionSection = (BaseUrl: Schema.Schema<string>) =>
  section({
    base: needed(BaseUrl, {
      description: "The address that all requests begin with. Plain http is allowed only to loopback",
      examples: ["https://kf.kobotoolbox.org/api/v2"],
    }),
    auth: optional(Auth, {
      description: "How requests sign in: one of bearer, header, query, basic and field (default: they don't)",
      examples: [{ bearer: { env: "API_TOKEN" } }],
    }),
    requestsPerSecond: optional(
      Schema.Number.pipe(Schema.greaterThan(0), Schema.lessThanOrEqualTo(100))
        .annotations(expecting("a number above 0, 100 at most")),
      { description: "The maximum number of requests per second by this process", default: 2 },
    ),
    timeout: optional(PositiveTime, { description: "How long one request may take", default: "2 minutes" }),
  }).annotations({
    ...expecting("a connection"),
    identifier: "Connection",
    description: "An account from which sources are pulled: its address, and how to sign in",
  })

type ConnectionEntry = Schema.Schema.Type<ReturnType<typeof connectionSection>>

/** An account from which sources are pulled. */
export interface Connection extends Pick<ConnectionEntry, "requestsPerSecond">, ConnectionSignIn {
  readonly name: string
  /** The address that requests begin with, without a slash at its end. */
  readonly base: string
  readonly timeout: Duration.Duration
}

/** Returns a connection of the project file. */
export const connectionOf = (name: string, { auth, base, ...rest }: ConnectionEntry, secrets: Secrets): Connection => ({
  name,
  ...rest,
  base: base.replace(/\/+$/, ""),
  ...signInOf(name, auth, secrets),
})

/** Returns the connection that a pipeline names but the project lacks. */
export const unknownConnection = (yaml: YamlText, connections: ReadonlyArray<string>): ReadonlyArray<Finding> => {
  const path = ["source", "connection"]
  const name = textAt(yaml, path)
  if (name === undefined || connections.includes(name)) return []
  return [{
    offset: yaml.offset(path, "value"),
    message: `config/formferry.yaml has no connection ${quoted(name)}.`,
    suggestion: suggest(name, connections, "Its connections are") ?? "Add it under `connections`.",
  }]
}

// The keys of a pulled source

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

const Pointer = Schema.String.pipe(Schema.pattern(/^\/./)).annotations(expecting("a place such as `/next`"))

const Parameters = filled(Name, Scalar).annotations(expecting("a mapping from names to values"))

const Request = section({
  path: needed(
    Schema.String.pipe(Schema.pattern(/^\/[^?#\s]*$/)).annotations(expecting("a path such as /forms/abc/responses")),
    { description: "The path after the connection's `base`", examples: ["/assets/aBc123/data/"] },
  ),
  query: optional(Parameters, {
    description: "Query parameters. A value may contain `{offset}`, `{number}` or `{cursor}`",
    examples: [{ limit: 1000, offset: "{offset}" }],
  }),
  headers: optional(filled(HeaderName, Name), {
    description: "Headers other than those of `auth`",
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

const From = oneOfThese(
  becoming(Pointer, (at): { readonly at: string } | { readonly header: string } => ({ at })),
  section({ header: needed(Name, { description: "The name of a header of the answer", examples: ["record_cursor"] }) }),
).annotations(expecting("a place such as `/next`, or { header: NAME }"))

const Page = section({
  offset: optional(whole(0), {
    description: "The first value of `{offset}`, which increases by the number of records of each page",
    examples: [0],
  }),
  number: optional(whole(0), {
    description: "The first value of `{number}`, which increases by 1 with each page",
    examples: [1],
  }),
  cursor: optional(From, {
    description:
      "Where a page contains the value of `{cursor}` for the next one: a JSON pointer or a header. What contains `{cursor}` is omitted from the first request. The last page has no cursor",
    examples: ["/nextPageToken"],
  }),
  last: optional(Pointer, {
    description: "The member of a page's last record that is the value of `{cursor}` for the next page",
    examples: ["/id"],
  }),
  link: optional(Pointer, {
    description: "Where a page contains the address of the next one. The last page has none",
    examples: ["/next"],
  }),
  end: optional(
    section({
      at: needed(Pointer, { description: "A place in every page", examples: ["/hasMore"] }),
      is: needed(Scalar, { description: "The value at that place in the last page", examples: [false] }),
    }),
    {
      description:
        "What distinguishes the last page. The default is a page without records, or without a cursor or an address of the next page",
    },
  ),
  total: optional(Pointer, {
    description: "Where a page contains the number of all records. If a different number is received, the pull fails",
    examples: ["/count"],
  }),
}, {
  rules: {
    exactlyOne: ["offset", "number", "cursor", "last", "link"],
    excludes: { cursor: ["end"], link: ["end"] },
  },
}).annotations(expecting("one of offset, number, cursor, last and link"))

/** The keys of a source that is pulled, beside those that say how a file is read. */
export const pullKeys = {
  connection: optional(Identifier, {
    description: "Instead of `file`: the connection in config/formferry.yaml from which the records are pulled",
    examples: ["kobo"],
  }),
  request: optional(Request, { description: "What is requested from the connection" }),
  page: optional(Page, {
    description:
      "How the answer is divided into pages of JSON. By default, there is one answer, in any format that a file may have",
    examples: [{ link: "/next", total: "/count" }, { offset: 0 }],
  }),
  success: optional(
    filled(Pointer, Schema.NonEmptyArray(Scalar)).annotations(expecting("places, and lists of their values")),
    {
      description:
        "Values that a page of JSON has if the request succeeded, for tools that report failures with status 200",
      examples: [{ "/responseCode": [200] }],
    },
  ),
} as const

/** A request for records, and how to get all pages of its answer. */
export interface Pull {
  /** The name of the connection. */
  readonly connection: string
  /** Undefined if the project file was not read, or has no such connection. */
  readonly account?: Connection | undefined
  readonly request: typeof Request.Type
  readonly page: typeof Page.Type | undefined
  readonly success: Readonly<Record<string, ReadonlyArray<string | number | boolean>>> | undefined
  /** The place of the list of records in each page. */
  readonly records: string
}

/** Whether the answers are pages of JSON, whose records are stored one per line. If false, the answer is stored as it is. */
export const isPaged = ({ page, success }: Pick<Pull, "page" | "success">): boolean =>
  page !== undefined || success !== undefined

/** The values that a request may contain, each with the kinds of `page` that provide it. */
const variables = { offset: ["offset"], number: ["number"], cursor: ["cursor", "last"] } as const

/** Returns what a pipeline's `request` and `format` lack for its `page`, or contain without it. */
export const requestFindings = (yaml: YamlText): ReadonlyArray<Finding> => {
  const source = keysAt(yaml, ["source"]) ?? []
  if (!source.includes("request")) return []
  const [from = 0, to = from] = yaml.node(["source", "request"])?.range ?? []
  const text = yaml.text.slice(from, to)
  const page = keysAt(yaml, ["source", "page"]) ?? []
  const format = textAt(yaml, ["source", "format"])
  const isTable = (format === "csv" || format === "excel") && ["page", "success"].some((key) => source.includes(key))
  const tables = !isTable ? [] : [{
    offset: yaml.offset(["source", "format"], "value"),
    message: `\`page\` and \`success\` are for answers in JSON, not ${quoted(format)}.`,
    suggestion: "Remove `format`, or ask for a single answer and remove `page` and `success`.",
  }]
  const lacking = Object.entries(variables).flatMap(([name, kinds]): ReadonlyArray<Finding> => {
    const isUsed = text.includes(`{${name}}`)
    const kind = kinds.find((kind) => page.includes(kind))
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
  return [...tables, ...lacking]
}
