import { Duration, Schema } from "effect"
import { expecting, needed, optional } from "./annotated.ts"
import { Notify } from "./notifySchema.ts"
import { Reports } from "./reportsSchema.ts"
import { byName, Name, Path, PositiveTime, whole } from "./scalars.ts"
import { secretPlace } from "./secretPlace.ts"

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

const addressFault = (text: string): string | undefined => {
  if (!URL.canParse(text)) return "The base address is a URL such as https://forms.example.com/v1/api."
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  if (username !== "" || password !== "") {
    return "The base address holds a user name or password: the key goes into apiKey."
  }
  if (search !== "" || hash !== "") return "The base address ends with its path: no `?` and no `#`."
  if (protocol === "https:") return undefined
  if (protocol !== "http:") return "The base address begins with https://."
  return loopback.test(hostname)
    ? undefined
    : "Plain http only goes to this machine (localhost): the key would travel in the open. Write https://."
}

/** For editors, which can't parse a URL: https, or http to loopback; no user, query or fragment. */
const addressPattern =
  "^(https://[^?#@/]+(/[^?#]*)?|http://(localhost|127(\\.\\d{1,3}){3}|\\[::1\\])(:\\d+)?(/[^?#]*)?)$"

const BaseUrl = Schema.String.pipe(Schema.filter(addressFault, { jsonSchema: { pattern: addressPattern } }))
  .annotations(expecting("an address such as https://forms.example.com/v1/api"))

const ApiKey = secretPlace({ what: "the key", variable: "FORM_SERVICE_API_KEY", file: "/run/secrets/form-key" })

const Live = Schema.Struct({
  baseUrl: needed(BaseUrl, {
    description: "The service's address with its version segment; plain http only to loopback",
    examples: ["https://forms.example.com/v1/api"],
  }),
  previousBaseUrls: optional(
    Schema.NonEmptyArray(BaseUrl).annotations(expecting("a list of addresses")),
    {
      description: "Addresses that the same service had before: what was imported there is known here",
      examples: [["https://old.example.com/v1/api"]],
    },
  ),
  separate: optional(Schema.Boolean, {
    description: "Whether its forms are its own, though another service has forms with the same ids",
    default: false,
  }),
  apiKey: needed(ApiKey, { description: "Where the key is: { env: NAME } or { file: PATH }" }),
  requestsPerSecond: optional(
    Schema.Number.pipe(Schema.greaterThan(0), Schema.lessThanOrEqualTo(1_000))
      .annotations(expecting("a number above 0, 1000 at most")),
    { description: "Requests of this process in a second; the service's own rate headers and 429s win", default: 5 },
  ),
  concurrency: optional(whole(1, 256), { description: "Requests in flight at most", default: 8 }),
  timeout: optional(PositiveTime, { description: "How long one request may take", default: Duration.seconds(30) }),
  editLinkParameter: optional(Name, {
    description: "The read operation's parameter that adds the edit link",
    default: "includeEditLink",
  }),
  gateway: optional(
    Schema.String.pipe(Schema.pattern(/^[A-Za-z][A-Za-z0-9]*$/)).annotations(expecting("a name of letters and digits")),
    { description: "The payment processor's name in the wire's field names", default: "gateway" },
  ),
  unavailableIsNotCreated: optional(Schema.Boolean, {
    description:
      "Whether a 503 with Retry-After proves that nothing was created; only set it when the service promises that: else its rows are in doubt",
    default: false,
  }),
  confirm: optional(Schema.Boolean, { description: "Whether `run` against it needs --confirm", default: true }),
}).annotations({ ...expecting("a service"), identifier: "LiveService", description: "A form service that speaks HTTP" })

const Practice = Schema.Struct({
  practice: needed(
    Schema.Struct({
      forms: needed(Path, { description: "The folder of form files", examples: ["../samples/forms"] }),
      store: optional(Path, {
        description: "The folder in which its submissions survive a restart; in memory only when left out",
        examples: ["../.formferry/practice"],
      }),
    }),
    { description: "The embedded practice service" },
  ),
}).annotations({
  ...expecting("a service"),
  identifier: "PracticeService",
  description: "The embedded practice service; it needs no key",
})

const InFile = Schema.Struct({
  file: needed(Path, { description: "A CSV file with a header", examples: ["countries.csv"] }),
  key: needed(Name, { description: "The column that holds what cells hold", examples: ["name"] }),
  value: needed(Name, {
    description: "The column that holds the option; an empty cell means no answer",
    examples: ["code"],
  }),
}).annotations({ ...expecting("{ file: PATH, key: COLUMN, value: COLUMN }"), identifier: "ValueSetFile" })

const Inline = Schema.Record({ key: Schema.String, value: Schema.NullOr(Schema.String) })
  .pipe(Schema.filter((all) => Object.keys(all).length > 0, { jsonSchema: { minProperties: 1 } }))
  .annotations(expecting("cells with their options"))

/** The project file (configuration.md, "config/formferry.yaml"). */
export const ProjectFile = Schema.Struct({
  services: needed(
    byName(Schema.Union(Live, Practice).annotations(expecting("a service")))
      .annotations(expecting("services by name")),
    { description: "Form services by name" },
  ),
  ledger: optional(
    Schema.Struct({ file: needed(Path, { description: "The ledger's file" }) }).annotations(
      expecting("{ file: PATH }"),
    ),
    {
      description: "The durable memory of what became of every row",
      default: { file: "../.formferry/ledger.db" },
    },
  ),
  reports: optional(Reports, {
    description: "The folder of the reports; or { directory, keepRuns, keepDays }, when old ones are to go",
    default: "../reports",
  }),
  valueSets: optional(
    byName(Schema.Union(InFile, Inline).annotations(expecting("cells with their options, or { file, key, value }")))
      .annotations(expecting("value sets by name")),
    {
      description: "What cells stand for, shared by pipelines: `values: { set: NAME }`",
      examples: [{
        agree5: { "Strongly agree": "5", Agree: "4" },
        countries: { file: "countries.csv", key: "name", value: "code" },
      }],
    },
  ),
  notify: optional(Notify, {
    description: "Webhooks that are told how runs end (docs/notify.md)",
    examples: [[{ webhook: { env: "SLACK_WEBHOOK_URL" }, on: ["attention", "inDoubt", "degraded"] }]],
  }),
}).annotations({ title: "formferry project", description: "Services, ledger and reports of a project" })

export type ProjectFile = Schema.Schema.Type<typeof ProjectFile>
