import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { capabilities, type Capability } from "../domain/capability.ts"
import { canonicalAddress, practiceAddress } from "../domain/destination.ts"
import { outcomes } from "../domain/run.ts"
import { headerSecret } from "../domain/secret.ts"
import { BaseUrl, isSecure, withoutSlash } from "./address.ts"
import { type Connection, connectionOf, ConnectionSection } from "./connection.ts"
import type { ConfigurationInvalid } from "./errors.ts"
import { filled, Identifier, Name, Path, PositiveTime, rate, whole } from "./fields.ts"
import { type LedgerPlace, ledgerPlaceOf, LedgerSection, RateLimit } from "./ledgerSection.ts"
import type { Pipeline } from "./Pipeline.ts"
import { readOnly, secretPlace, type Secrets } from "./secrets.ts"
import { becoming, expecting, needed, oneOfThese, optional, section } from "./section.ts"
import { ValueSetEntry } from "./valueSets.ts"

// Services

const Capabilities = optional(
  Schema.Array(Schema.Literal(...capabilities)).annotations(expecting("a list of list and delete")),
  {
    description:
      "What the service can do in addition to creating and reading, according to its operator: list submissions, delete a submission. Nothing else is tried",
    default: [],
    examples: [["list"], ["list", "delete"]],
  },
)

const Live = section({
  baseUrl: needed(BaseUrl, {
    description: "The service's address with its version segment. Plain http is allowed only to loopback",
    examples: ["https://forms.example.com/v1/api"],
  }),
  previousBaseUrls: optional(
    Schema.NonEmptyArray(BaseUrl).annotations(expecting("a list of addresses")),
    {
      description: "Earlier addresses of the same service. Rows imported there count as imported",
      examples: [["https://old.example.com/v1/api"]],
    },
  ),
  separate: optional(Schema.Boolean, {
    description: "Whether forms of this service are different from forms with the same ids in other services",
    default: false,
  }),
  apiKey: needed(
    secretPlace({ what: "the key", variable: "FORM_SERVICE_API_KEY", file: "/run/secrets/form-key" }),
    { description: "Where to find the key: { env: NAME } or { file: PATH }" },
  ),
  requestsPerSecond: optional(
    rate(1000),
    {
      description:
        "The maximum number of requests per second by this process, or by all hosts with `rateLimit: shared`; the service's own rate headers and 429s take precedence",
      default: 5,
    },
  ),
  rateLimit: RateLimit,
  concurrency: optional(whole(1, 256), {
    description:
      "The maximum number of requests in flight. To reach the rate, it must be at least `requestsPerSecond` times the seconds that the slowest answers take",
    default: 8,
  }),
  timeout: optional(PositiveTime, { description: "How long one request may take", default: "30 seconds" }),
  editLinkParameter: optional(Name, {
    description: "The read operation's parameter that adds the edit link",
    default: "includeEditLink",
  }),
  gateway: optional(
    Schema.String.pipe(Schema.pattern(/^[A-Za-z][A-Za-z0-9]*$/)).annotations(expecting("a name of letters and digits")),
    { description: "The payment processor's name in the service's field names", default: "gateway" },
  ),
  unavailableIsNotCreated: optional(Schema.Boolean, {
    description:
      "Whether a 503 with Retry-After proves that nothing was created. Set it only if the service guarantees that. By default, such rows are in doubt",
    default: false,
  }),
  capabilities: Capabilities,
  confirm: optional(Schema.Boolean, { description: "Whether sending to the service needs --confirm", default: true }),
}).annotations({ ...expecting("a service"), identifier: "LiveService", description: "A form service over HTTP" })

const Practice = section({
  practice: needed(
    section({
      forms: needed(Path, { description: "The folder of form files", examples: ["../samples/forms"] }),
      store: optional(Path, {
        description: "The folder that keeps submissions across restarts (default: in memory only)",
        examples: ["../.formferry/practice"],
      }),
    }),
    { description: "The embedded practice service" },
  ),
  capabilities: Capabilities,
}).annotations({
  ...expecting("a service"),
  identifier: "PracticeService",
  description: "The embedded practice service, which needs no key",
})

// Reports, webhooks

const Kept = section({
  directory: needed(Path, { description: "The folder of the reports", examples: ["../reports"] }),
  keepRuns: optional(whole(1, 100_000), {
    description: "The number of runs of a pipeline whose reports are kept. The latest is always kept",
    examples: [90],
  }),
  keepDays: optional(whole(1, 36_500), {
    description: "The age in days from which reports are removed after a run. The latest is always kept",
    examples: [365],
  }),
}).annotations({ ...expecting("a path, or { directory, keepRuns, keepDays }"), identifier: "ReportsKept" })

const Reports = oneOfThese(becoming(Path, (directory): typeof Kept.Type => ({ directory })), Kept)
  .annotations(expecting("a path, or { directory, keepRuns, keepDays }"))

/** The events that notify a webhook: the outcomes of a run, `failed` if a run ended without a report or could not start, and `degraded` if a run differs from past runs. */
export const notices = [...outcomes, "failed", "degraded"] as const

export type Notice = (typeof notices)[number]

const Webhook = section({
  webhook: needed(
    secretPlace({ what: "the webhook's address", variable: "SLACK_WEBHOOK_URL", file: "/run/secrets/webhook" }),
    { description: "Where to find the webhook's address, which is a secret: { env: NAME } or { file: PATH }" },
  ),
  on: optional(
    Schema.NonEmptyArray(Schema.Literal(...notices)).annotations(expecting("a list of outcomes")),
    {
      description:
        "The events of which the webhook is notified: outcomes of a run; `failed` if a run ended without a report or could not start; `degraded` if a run differs from past runs",
      default: ["attention", "inDoubt", "differing", "stopped", "unavailable", "failed", "degraded"],
    },
  ),
}).annotations({ ...expecting("{ webhook: { env: NAME }, on: [attention, …] }"), identifier: "Webhook" })

// The file

/** The schema of config/formferry.yaml. */
export const projectSchema = section({
  services: needed(
    filled(Identifier, oneOfThese(Live, Practice).annotations(expecting("a service")))
      .annotations(expecting("a mapping from names to services")),
    { description: "Form services by name" },
  ),
  connections: optional(
    filled(Identifier, ConnectionSection).annotations(expecting("a mapping from names to connections")),
    {
      description: "Accounts by name, from which sources are pulled (docs/pull.md)",
      examples: [{ tally: { base: "https://api.tally.so", auth: { bearer: { env: "TALLY_TOKEN" } } } }],
      absent: {},
    },
  ),
  ledger: optional(LedgerSection, {
    description: "The durable record of what happened to every row",
    default: { file: "../.formferry/ledger.db" },
  }),
  newLedger: optional(LedgerSection, {
    description: "Where `formferry ledger move` moves the ledger: as in `ledger`",
    examples: [{
      url: { env: "DATABASE_URL" },
      project: "acme",
      key: { env: "FORMFERRY_LEDGER_KEY" },
      marks: { folder: "../shared/marks" },
    }],
  }),
  reports: optional(Reports, {
    description: "The folder of the reports, or { directory, keepRuns, keepDays } to remove old ones",
    default: "../reports",
  }),
  valueSets: optional(
    filled(Identifier, ValueSetEntry).annotations(expecting("a mapping from names to value sets")),
    {
      description: "What cells mean, for use in several pipelines: `values: { set: NAME }`",
      examples: [{
        agree5: { "Strongly agree": "5", Agree: "4" },
        countries: { file: "countries.csv", key: "name", value: "code" },
      }],
      absent: {},
    },
  ),
  notify: optional(Schema.Array(Webhook).annotations(expecting("a list of webhooks")), {
    description: "Webhooks that are notified of how runs end (docs/monitoring.md)",
    examples: [[{ webhook: { env: "SLACK_WEBHOOK_URL" }, on: ["attention", "inDoubt", "degraded"] }]],
    absent: [],
  }),
}).annotations({ title: "formferry project", description: "Services, ledger and reports of a project" })

type ProjectFile = typeof projectSchema.Type

// The project

/** A form service over HTTP. */
interface LiveServiceConfig extends Omit<typeof Live.Type, "apiKey" | "previousBaseUrls" | "rateLimit"> {
  readonly _tag: "Live"
  readonly name: string
  /** Identifies the service in the ledger. Independent of how the address is written. */
  readonly address: string
  /** Addresses that identified the same service earlier. */
  readonly previous: ReadonlyArray<string>
  /** The API key, looked up when it is needed. A missing key affects only the commands that use the service. */
  readonly apiKey: Effect.Effect<Redacted.Redacted, ConfigurationInvalid>
  /** The ledger through which hosts share the account's rate. Undefined if each process counts its own requests. */
  readonly sharedBy: LedgerPlace | undefined
}

/** The embedded practice service. */
interface PracticeServiceConfig {
  readonly _tag: "Practice"
  readonly name: string
  /** Identifies the service in the ledger. */
  readonly address: string
  /** The folder of form files, absolute. */
  readonly forms: string
  /** The folder in which the store survives a restart, absolute. Undefined if the store is only in memory. */
  readonly store: string | undefined
  readonly capabilities: ReadonlyArray<Capability>
}

export type ServiceConfig = LiveServiceConfig | PracticeServiceConfig

/** A webhook that is notified of how runs end. */
export interface WebhookConfig {
  /** The name of the variable or file that contains the address, as messages show it. */
  readonly name: string
  /** The webhook's address, which uses https or leads to loopback. It is a secret, and looked up when there is something to send. */
  readonly address: Effect.Effect<Redacted.Redacted, ConfigurationInvalid>
  readonly on: ReadonlySet<Notice>
}

/** How long reports are kept. Undefined if there is no limit. */
export interface ReportsKept {
  /** The number of a pipeline's latest runs whose reports are kept. */
  readonly runs: number | undefined
  readonly days: number | undefined
}

/** A decoded project: config/formferry.yaml and its pipelines. */
export interface Project {
  /** The project's folder, absolute. */
  readonly root: string
  readonly services: ReadonlyMap<string, ServiceConfig>
  readonly connections: ReadonlyMap<string, Connection>
  readonly ledger: LedgerPlace
  /** Where the ledger is to be moved. */
  readonly newLedger: LedgerPlace | undefined
  readonly reports: string
  readonly reportsKept: ReportsKept
  readonly notify: ReadonlyArray<WebhookConfig>
  /** The pipelines by name. */
  readonly pipelines: ReadonlyMap<string, Pipeline>
}

const serviceOf = (
  name: string,
  service: ProjectFile["services"][string],
  resolve: (path: string) => string,
  secrets: Secrets,
  ledger: LedgerPlace,
): ServiceConfig => {
  if ("practice" in service) {
    const { forms, store } = service.practice
    return {
      _tag: "Practice",
      name,
      address: practiceAddress(name),
      forms: resolve(forms),
      store: store && resolve(store),
      capabilities: service.capabilities,
    }
  }
  const { apiKey, baseUrl, previousBaseUrls = [], rateLimit, ...rest } = service
  return {
    _tag: "Live",
    name,
    ...rest,
    baseUrl: withoutSlash(baseUrl),
    address: canonicalAddress(baseUrl),
    previous: previousBaseUrls.map(canonicalAddress),
    sharedBy: rateLimit === "shared" ? ledger : undefined,
    apiKey: secrets(apiKey, {
      called: `The key of ${name}`,
      noun: "key",
      consequence: `the key of ${name} is missing`,
      read: readOnly(headerSecret, `The key of ${name}`),
    }),
  }
}

const readWebhook = (text: string): Either.Either<string, string> => {
  if (!URL.canParse(text)) return Either.left("The webhook's address is not a valid address.")
  return isSecure(new URL(text)) ? Either.right(text) : Either.left(
    "The webhook's address begins with neither https:// nor http://localhost: notifications would be sent unencrypted.",
  )
}

/**
 * Returns the content of a project file, with absolute paths.
 *
 * @param resolve makes a path from the file absolute
 */
export const projectOf = (
  { connections, ledger, newLedger, notify, reports, services }: ProjectFile,
  resolve: (path: string) => string,
  secrets: Secrets,
): Omit<Project, "root" | "pipelines"> => {
  const placeOf = (section: typeof ledger) => ledgerPlaceOf(section, resolve, secrets, reports.directory)
  const place = placeOf(ledger)
  return {
    services: new Map(
      Object.entries(services).map(([name, service]) => [name, serviceOf(name, service, resolve, secrets, place)]),
    ),
    connections: new Map(
      Object.entries(connections).map(([name, connection]) => [name, connectionOf(name, connection, secrets, place)]),
    ),
    ledger: place,
    newLedger: newLedger && placeOf(newLedger),
    reports: resolve(reports.directory),
    reportsKept: { runs: reports.keepRuns, days: reports.keepDays },
    notify: notify.map(({ on, webhook }) => ({
      name: webhook.name,
      on: new Set(on),
      address: secrets(webhook, {
        called: "The webhook's address",
        noun: "address",
        consequence: "it is not notified of how runs end",
        read: readWebhook,
      }),
    })),
  }
}
