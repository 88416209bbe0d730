import { readFileSync } from "node:fs"
import { env as environment } from "node:process"
import type { ConnectionOptions } from "node:tls"
import { reasonOf } from "../../domain/systemErrors.ts"
import { LedgerRefused } from "../errors.ts"

/** How a connection is encrypted, as in libpq. `prefer`: only if the server supports it. */
const tlsModes = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const

type TlsMode = (typeof tlsModes)[number]

/** The address of a database, from a URL as libpq reads it. What the URL doesn't say comes from libpq's environment variables (`variables`). */
export interface Address {
  /** A host name, or the folder of a Unix socket. */
  readonly host: string | undefined
  readonly port: number | undefined
  readonly database: string | undefined
  readonly user: string | undefined
  readonly password: string | undefined
  /** How to encrypt, in the order of attempts. False: not encrypted. */
  readonly tls: ReadonlyArray<ConnectionOptions | false>
  /** The key under `ledger` that contains the URL, for messages. */
  readonly key: string
  /** How long to wait for a connection, in milliseconds. */
  readonly patience: number
}

/** The parameters that a URL may have, apart from those that are part of its path. */
const known = [
  "host",
  "port",
  "dbname",
  "user",
  "password",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "connect_timeout",
  "application_name",
]

/** The variables of parameters that are read here. The client reads PGPORT, PGDATABASE, PGUSER and PGPASSWORD. */
const variables = {
  host: "PGHOST",
  sslmode: "PGSSLMODE",
  sslrootcert: "PGSSLROOTCERT",
  sslcert: "PGSSLCERT",
  sslkey: "PGSSLKEY",
  connect_timeout: "PGCONNECT_TIMEOUT",
} as const

/** Returns a parameter of the URL, or its variable. Undefined if both are absent or empty. */
type Given = (name: keyof typeof variables) => string | undefined

const defaultPatience = 10_000

/** Returns the address in a URL. Refuses a URL that can't be read. No message contains the URL, because it may contain a password. */
export const addressIn = (url: string, key = "url", env = environment): Address | LedgerRefused => {
  const refused = refusing(key)
  const parsed = parse(url)
  if (parsed === undefined || !["postgres:", "postgresql:"].includes(parsed.protocol)) {
    return refused(
      "is not the address of one PostgreSQL database. Expected postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with special characters in the password as %XX",
    )
  }
  const parameters = parsed.searchParams
  const unknown = [...parameters.keys()].find((name) => !known.includes(name))
  if (unknown !== undefined) {
    return refused(`has the parameter ${unknown}, which is not supported. Supported are ${known.join(", ")}`)
  }
  const text = (name: string, part: string): string | undefined =>
    parameters.get(name) ?? (part === "" ? undefined : part)
  const given: Given = (name) => text(name, env[variables[name]] ?? "")
  const named = parsed.hostname === noHost ? "" : decodeURIComponent(parsed.hostname).replace(/^\[(.*)\]$/, "$1")
  const host = text("host", named) ?? given("host")
  const mode = modeOf(given, refused)
  if (mode instanceof LedgerRefused) return mode
  const seconds = Number(given("connect_timeout") ?? 0)
  const tls = host?.startsWith("/") === true ? [false as const] : tlsOf(mode, given, refused)
  if (tls instanceof LedgerRefused) return tls
  return {
    key,
    host,
    port: numberIn(text("port", parsed.port)),
    database: text("dbname", decodeURIComponent(parsed.pathname.slice(1))),
    user: text("user", decodeURIComponent(parsed.username)),
    password: text("password", decodeURIComponent(parsed.password)),
    tls,
    patience: seconds > 0 ? seconds * 1000 : defaultPatience,
  }
}

/** Stands for an absent host. It is not the name of a host. */
const noHost = "_"

const parse = (url: string): URL | undefined => {
  try {
    // libpq allows a user without a host, as in `postgresql://user@/database?host=/run/postgresql`.
    const parsed = new URL(url.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=[/?#]|$)/, `$1${noHost}`))
    // Throws if a part is not encoded correctly.
    for (const part of [parsed.hostname, parsed.pathname, parsed.username, parsed.password]) decodeURIComponent(part)
    return parsed
  } catch {
    return undefined
  }
}

const numberIn = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text))

type Refusing = (what: string) => LedgerRefused

const refusing = (key: string): Refusing => (what) =>
  new LedgerRefused({
    message: `The ledger's \`${key}\` ${what}. Nothing was sent. Correct it, then run again.`,
  })

/** Stands for the authorities that Node trusts. */
const system = "system"

/** Without a mode, `sslrootcert=system` means `verify-full`, and weaker modes are refused, as in libpq. */
const modeOf = (given: Given, refused: Refusing): TlsMode | LedgerRefused => {
  const isSystem = given("sslrootcert") === system
  const named = given("sslmode")
  const mode = tlsModes.find((one) => one === (named ?? (isSystem ? "verify-full" : "prefer")))
  if (mode === undefined) {
    return refused(
      `has an unknown value of sslmode, or the variable ${variables.sslmode} has. Expected ${tlsModes.join(", ")}`,
    )
  }
  return isSystem && mode !== "verify-full"
    ? refused(
      `has sslrootcert=system with sslmode=${mode}, itself or in variables. Only verify-full is possible with it`,
    )
    : mode
}

/** As libpq does, verifies the authority with `require`, too, if the URL names one. */
const tlsOf = (mode: TlsMode, given: Given, refused: Refusing): Address["tls"] | LedgerRefused => {
  if (mode === "disable") return [false]
  const files: { ca?: Buffer; cert?: Buffer; key?: Buffer } = {}
  for (const [part, name] of [["ca", "sslrootcert"], ["cert", "sslcert"], ["key", "sslkey"]] as const) {
    const file = given(name)
    if (file === undefined || (name === "sslrootcert" && file === system)) continue
    try {
      files[part] = readFileSync(file)
    } catch (cause) {
      return refused(`names a file as ${name} that can't be read: ${reasonOf(cause)}`)
    }
  }
  const verifies = mode.startsWith("verify") || (mode === "require" && files.ca !== undefined)
  const encrypted: ConnectionOptions = {
    ...files,
    rejectUnauthorized: verifies,
    ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
  }
  return mode === "prefer" ? [encrypted, false] : [encrypted]
}
