import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { marksFolder } from "../domain/marks.ts"
import { isLedgerSecret } from "../domain/secret.ts"
import type { Finding } from "./errors.ts"
import { Identifier, Path, PositiveTime } from "./fields.ts"
import { type Secrets, secretVariable } from "./secrets.ts"
import { becoming, expecting, optional, section } from "./section.ts"
import { keysAt, textAt, type YamlText } from "./yamlText.ts"

const shortestLease = Duration.seconds(10)

const LeaseTimeout = PositiveTime.pipe(
  Schema.filter((time: Duration.Duration) =>
    Duration.greaterThanOrEqualTo(time, shortestLease)
      ? undefined
      : "`leaseTimeout` must be at least 10 seconds. With less, a short delay of the network would stop a run."
  ),
).annotations(expecting("a time of at least 10 seconds, such as `60 seconds`"))

const schemaPattern = /^(?!pg_)[a-z_][a-z0-9_]*$/

const SchemaName = Schema.String.pipe(Schema.pattern(schemaPattern), Schema.maxLength(40)).annotations(
  expecting("a name of small letters, digits and `_` that doesn't begin with a digit or `pg_`"),
)

const postgresAddress = "postgresql://USER:PASSWORD@HOST:PORT/DATABASE"

const Marks = section({
  folder: optional(Path, {
    description: "A folder that every host reads, and that is not restored together with the database",
    examples: ["../shared/marks"],
  }),
  url: optional(
    secretVariable({ what: `the address of a database on a second server, ${postgresAddress}`, variable: "MARKS_URL" }),
    {
      description: "A PostgreSQL database on a server other than the ledger's",
      examples: [{ env: "MARKS_URL" }],
    },
  ),
}, { rules: { exactlyOne: ["folder", "url"] } }).annotations(expecting("{ folder: PATH } or { url: { env: NAME } }"))

const ofPostgres = ["project", "key", "marks"]

const whyMarks =
  "Marks prove that a ledger was not replaced by an older copy. A ledger in PostgreSQL needs a place for them that every host reads. A ledger in a file has its marks next to the file and among the reports."

const keys = section({
  file: optional(Path, { description: "The ledger's file", examples: ["../.formferry/ledger.db"] }),
  url: optional(
    secretVariable({ what: `the database's address, ${postgresAddress}`, variable: "DATABASE_URL" }),
    {
      description:
        "A PostgreSQL database instead of a file, so that several hosts can share the ledger (docs/postgresql.md)",
      examples: [{ env: "DATABASE_URL" }],
    },
  ),
  project: optional(Identifier, {
    description: "The project's name in the database. A schema contains the ledger of one project",
    examples: ["acme"],
  }),
  schema: optional(SchemaName, {
    description: "The schema of the database that contains the ledger (default: formferry)",
    examples: ["formferry"],
  }),
  key: optional(
    secretVariable({ what: "the ledger's key. `formferry ledger key` makes one", variable: "FORMFERRY_LEDGER_KEY" }),
    {
      description: "The ledger's key, with which it recognises rows. It must be the same on every host",
      examples: [{ env: "FORMFERRY_LEDGER_KEY" }],
    },
  ),
  leaseTimeout: optional(LeaseTimeout, {
    description: "How long a run's host may be silent before a different host takes over (default: 60 seconds)",
    examples: ["60 seconds"],
  }),
  durability: optional(Schema.Literal("managed"), {
    description:
      "Set `managed` only if a managed service guarantees that no commit is lost although its server reports `fsync` or `full_page_writes` as off",
    examples: ["managed"],
  }),
  marks: optional(Marks, {
    description: "Where the ledger's marks are",
    examples: [{ folder: "../shared/marks" }],
  }),
  reports: optional(Schema.Literal("folder"), {
    description:
      "Set `folder` if the folder of the reports is one that all hosts share. Otherwise, the reports of each run are also stored in the database",
    examples: ["folder"],
  }),
}, {
  rules: {
    exactlyOne: ["file", "url"],
    needs: { url: ofPostgres },
    excludes: { file: [...ofPostgres, "schema", "leaseTimeout", "durability", "reports"] },
    why: { marks: whyMarks },
  },
})

/** The `ledger` of a project file: a file, or a schema of a PostgreSQL database. */
export const LedgerSection = becoming(keys, (given) => {
  const {
    durability,
    file = "",
    key,
    leaseTimeout = Duration.minutes(1),
    marks,
    project,
    reports,
    schema = "formferry",
    url,
  } = given
  // The rules guarantee that these keys are given together.
  return url === undefined || key === undefined || marks === undefined || project === undefined
    ? { _tag: "File", file } as const
    : {
      _tag: "PostgreSQL",
      url,
      key,
      marks,
      project,
      schema,
      leaseTimeout,
      isManaged: durability === "managed",
      sharesReports: reports === "folder",
    } as const
}).annotations({ ...expecting("{ file: PATH }, or { url, project, key, marks }"), identifier: "Ledger" })

/** Which requests to an account count together. */
export const RateLimit = optional(Schema.Literal("process", "shared"), {
  description:
    "Which requests `requestsPerSecond` limits: those of each `process`, or those of all hosts together (`shared`). `shared` needs a ledger in PostgreSQL",
  default: "process",
})

/** Returns a finding for each `rateLimit: shared` of a project file whose ledger is a file. */
export const sharedRateFindings = (yaml: YamlText): ReadonlyArray<Finding> =>
  keysAt(yaml, ["ledger"])?.includes("url") === true
    ? []
    : ["services", "connections"].flatMap((part) =>
      (keysAt(yaml, [part]) ?? []).map((name) => [part, name, "rateLimit"]).flatMap((path) =>
        textAt(yaml, path) !== "shared" ? [] : [{
          offset: yaml.offset(path, "value"),
          message: "`rateLimit: shared` needs a ledger in PostgreSQL, because hosts share the rate through it.",
          suggestion:
            "Keep the ledger in PostgreSQL (`ledger.url`, docs/postgresql.md), or remove `rateLimit`: then each process counts its own requests.",
        }]
      )
    )

/** The share of a lease's time after which its holder renews it, and the longest time between two heartbeats. */
const heartbeats = { share: 0.1, longest: Duration.seconds(5) }

/**
 * Returns where the ledger of a project file is, with absolute paths. The marks of a file are next to it, those of PostgreSQL where the project says.
 * Each also has marks among the reports. So if one place is lost, or if the project names a different ledger, the other marks still show what the
 * ledger must contain.
 *
 * @param reports the folder of the reports
 */
export const ledgerPlaceOf = (
  ledger: typeof LedgerSection.Type,
  resolve: (path: string) => string,
  secrets: Secrets,
  reports: string,
) => {
  const among = resolve(`${reports}/.ledger`)
  if (ledger._tag === "File") {
    const file = resolve(ledger.file)
    const marks = { ledger: file, folders: [marksFolder(file), among], write: true }
    return { name: file, options: Effect.succeed({ file, marks }), storesReports: false }
  }
  const { isManaged, key, leaseTimeout, marks: { folder, url: server }, project, schema, sharesReports, url } = ledger
  const name = `in PostgreSQL (schema ${schema})`
  const address = (place: typeof url, database: string) =>
    Effect.map(
      secrets(place, {
        called: `The address of the database of the ${database}`,
        noun: "address",
        consequence: "the ledger can't be opened",
        read: Either.right,
      }),
      Redacted.value,
    )
  const options = Effect.gen(function*() {
    return {
      url: yield* address(url, "ledger"),
      key: Redacted.value(
        yield* secrets(key, {
          called: "The ledger's key",
          noun: "key",
          consequence: "the ledger can't be opened. `formferry ledger key` makes a key for a new ledger",
          read: (text) =>
            isLedgerSecret(text)
              ? Either.right(text)
              : Either.left("The ledger's key must contain 64 hexadecimal digits."),
        }),
      ),
      project,
      schema,
      isManaged,
      staleAfter: leaseTimeout,
      heartbeat: Duration.min(Duration.times(leaseTimeout, heartbeats.share), heartbeats.longest),
      marks: {
        ledger: name,
        folders: folder === undefined ? [among] : [resolve(folder), among],
        server: server && { url: yield* address(server, "ledger's marks") },
        write: true,
      },
    }
  })
  return { name, options, storesReports: !sharesReports }
}

/**
 * Where a project's ledger is. `name`: what messages call it, after "the ledger". `options`: how to open it; secrets are looked up when they are
 * needed. `storesReports`: whether its database also stores the reports of runs.
 */
export type LedgerPlace = ReturnType<typeof ledgerPlaceOf>
