import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { createPrivateKey, type KeyObject } from "node:crypto"
import { headerSecret } from "../domain/secret.ts"
import { isSecure, loopback } from "./address.ts"
import type { ConfigurationInvalid } from "./errors.ts"
import { filled, headerName, HeaderValue, Name, Path, Pointer, RequestPath } from "./fields.ts"
import type { Preset } from "./presets/Preset.ts"
import { readOnly, type SecretPlace, secretPlace, type Secrets } from "./secrets.ts"
import { becoming, expecting, needed, oneOfThese, optional, section } from "./section.ts"

export const Secret = secretPlace({ what: "the secret", variable: "API_TOKEN", file: "/run/secrets/api-token" })
  .annotations({ identifier: "Secret" })

/** Characters of user names and passwords: all but line breaks and other control characters. */
const anyText = /^\P{Cc}+$/u

const SecretParameters = filled(Name, Secret)

const SessionSection = section({
  path: needed(RequestPath, {
    description:
      "The path of the request that signs in, after the connection's `base`. The request is a POST with a JSON body",
    examples: ["/v1/sessions"],
  }),
  json: optional(filled(Name, Name), {
    description: "Members of the body that are not secret",
    examples: [{ email: "import@example.org" }],
    absent: {},
  }),
  field: needed(SecretParameters, {
    description: "Secrets that are members of the body",
    examples: [{ password: { env: "ODK_PASSWORD" } }],
  }),
  token: needed(Pointer, { description: "The place of the token in the answer", examples: ["/token"] }),
}).annotations(expecting("{ path: /PATH, field: { password: { env: NAME } }, token: /token }"))

const ServiceAccountKey = becoming(
  section({
    keyFile: needed(Path, {
      description: "The JSON file with the key of the service account, as downloaded from Google",
      examples: ["/run/secrets/service-account.json"],
    }),
    scopes: optional(Schema.NonEmptyArray(Name).annotations(expecting("a list of scopes")), {
      description: "What the token may be used for",
      default: ["https://www.googleapis.com/auth/spreadsheets.readonly"],
    }),
  }),
  ({ keyFile, scopes }, path) => {
    const place: SecretPlace = { in: "file", name: keyFile, path: [...path, "keyFile"] }
    return { place, scopes }
  },
).annotations(expecting("{ keyFile: PATH }"))

/** How the requests of a connection sign in. */
export const Auth = section({
  bearer: optional(Secret, {
    description: "A token that is sent as `Authorization: Bearer TOKEN`",
    examples: [{ env: "API_TOKEN" }],
  }),
  header: optional(
    section({
      name: needed(
        Schema.String.pipe(Schema.pattern(new RegExp(`^${headerName}$`))).annotations(expecting("a header's name")),
        { description: "The header's name", examples: ["Authorization"] },
      ),
      prefix: optional(HeaderValue, {
        description: "A word before the secret. A space separates them",
        examples: ["Token"],
      }),
      value: needed(Secret, { description: "Where to find the secret: { env: NAME } or { file: PATH }" }),
    }),
    {
      description: "A token that is sent in a header",
      examples: [{ name: "X-API-TOKEN", value: { env: "API_TOKEN" } }],
    },
  ),
  query: optional(SecretParameters, {
    description: "Secrets that are sent as query parameters",
    examples: [{ apiKey: { env: "API_KEY" } }],
  }),
  basic: optional(
    section({
      user: needed(oneOfThese(Name, Secret).annotations(expecting("a name, { env: NAME } or { file: PATH }")), {
        description: "The user name, or where to find it if it is a secret",
        examples: ["import@example.org"],
      }),
      password: needed(Secret, { description: "Where to find the password: { env: NAME } or { file: PATH }" }),
    }),
    { description: "A user name and a password", examples: [{ user: "import", password: { env: "ODK_PASSWORD" } }] },
  ),
  field: optional(SecretParameters, {
    description: "Secrets that are sent as fields of `request.form` or members of `request.json`",
    examples: [{ token: { env: "REDCAP_TOKEN" } }],
  }),
  session: optional(SessionSection, {
    description:
      "A request that signs in and returns a token. The other requests send the token as `Authorization: Bearer TOKEN`",
    examples: [{
      path: "/v1/sessions",
      json: { email: "import@example.org" },
      field: { password: { env: "ODK_PASSWORD" } },
      token: "/token",
    }],
  }),
  googleServiceAccount: optional(ServiceAccountKey, {
    description: "A Google service account, whose key is exchanged for a token",
    examples: [{ keyFile: "/run/secrets/service-account.json" }],
  }),
}, { rules: { exactlyOne: ["bearer", "header", "query", "basic", "field", "session", "googleServiceAccount"] } })
  .annotations({ ...expecting("{ bearer: { env: NAME } }"), identifier: "Auth" })

/** Returns how requests contain a token, as a preset says. */
export const authOf = (token: typeof Secret.Type, place: Preset["token"] = { bearer: true }): typeof Auth.Type =>
  "header" in place
    ? { header: { name: place.header, prefix: place.prefix, value: token } }
    : "query" in place
    ? { query: { [place.query]: token } }
    : "field" in place
    ? { field: { [place.field]: token } }
    : { bearer: token }

/** A request that signs in, and the place of the token in its answer. */
export interface Session {
  readonly path: string
  readonly members: Readonly<Record<string, string>>
  readonly token: string
}

/** A service account of Google. */
export interface ServiceAccount {
  readonly email: string
  readonly keyId: string | undefined
  readonly key: KeyObject
  /** The address at which the account's signature is exchanged for a token. */
  readonly tokenUri: string
  readonly scopes: ReadonlyArray<string>
}

/** The secrets with which a request signs in. */
export interface SignIn {
  readonly headers: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly fields: Readonly<Record<string, string>>
  /** The request that obtains a token, which is then sent in a header. */
  readonly session: Session | undefined
  readonly serviceAccount: ServiceAccount | undefined
}

/** How the requests of a connection sign in. */
export interface ConnectionSignIn {
  /** Names of the variables and files that contain the secrets, for messages. */
  readonly places: ReadonlyArray<string>
  /** Reads the secrets when they are needed. */
  readonly signIn: Effect.Effect<Redacted.Redacted<SignIn>, ConfigurationInvalid>
}

const decodeKeyFile = Schema.decodeUnknownOption(Schema.parseJson(Schema.Struct({
  client_email: Schema.NonEmptyString,
  private_key: Schema.NonEmptyString,
  private_key_id: Schema.optional(Schema.String),
  token_uri: Schema.String,
})))

/** Whether an address may receive a service account's signature: one of Google's, or one on this machine. */
const isTokenUri = (address: string): boolean => {
  if (!URL.canParse(address)) return false
  const url = new URL(address)
  const { host, hostname, password, username } = url
  if (username !== "" || password !== "" || !isSecure(url)) return false
  return loopback.test(hostname)
    || ["oauth2.googleapis.com", "accounts.google.com", "www.googleapis.com"].includes(host)
}

/** Returns the service account to which a key belongs, or why the key can't be used, as a sentence that contains nothing of it. */
const readServiceAccount = (name: string, text: string): Either.Either<Omit<ServiceAccount, "scopes">, string> => {
  const file = Option.getOrUndefined(decodeKeyFile(text))
  if (file === undefined) {
    return Either.left(
      `The key file of ${name} is not the key of a service account as JSON, with client_email, private_key and token_uri.`,
    )
  }
  if (!isTokenUri(file.token_uri)) {
    return Either.left(
      `token_uri in the key file of ${name} is not an https:// address of Google, so the key was not used.`,
    )
  }
  try {
    const key = createPrivateKey(file.private_key)
    if (key.asymmetricKeyType === "rsa") {
      return Either.right({ email: file.client_email, keyId: file.private_key_id, key, tokenUri: file.token_uri })
    }
  } catch {
    // The error of the library may quote the key.
  }
  return Either.left(`private_key in the key file of ${name} is not a private RSA key.`)
}

/** Returns how the requests of a connection sign in. */
export const signInOf = (name: string, auth: typeof Auth.Type = {}, secrets: Secrets): ConnectionSignIn => {
  const places: Array<string> = []
  const serviceAccount = ({ place, scopes }: typeof ServiceAccountKey.Type) => {
    places.push(place.name)
    const account = secrets(place, {
      called: `The key file of ${name}`,
      noun: "key of the service account as JSON",
      consequence: `the key file of ${name} is missing`,
      read: (text) => readServiceAccount(name, text),
    })
    return Effect.map(account, (account): ServiceAccount => ({ ...Redacted.value(account), scopes }))
  }
  const secret = (place: typeof Secret.Type, allowed = headerSecret) => {
    places.push(place.name)
    return Effect.map(
      secrets(place, {
        called: `The secret of ${name}`,
        noun: "secret",
        consequence: `the secret of ${name} is missing`,
        read: readOnly(allowed, `The secret of ${name}`),
      }),
      Redacted.value,
    )
  }
  const each = (all: typeof SecretParameters.Type = {}, allowed?: RegExp) =>
    Effect.all(Object.fromEntries(Object.entries(all).map(([key, place]) => [key, secret(place, allowed)])))
  const { basic, bearer, googleServiceAccount, header, session } = auth
  const user = basic === undefined || typeof basic.user === "string"
    ? Effect.succeed(basic?.user ?? "")
    : secret(basic.user, anyText)
  const headers: Record<string, Effect.Effect<string, ConfigurationInvalid>> = {
    ...(bearer && { authorization: Effect.map(secret(bearer), (token) => `Bearer ${token}`) }),
    ...(header && {
      [header.name]: Effect.map(secret(header.value), (token) => `${header.prefix ? `${header.prefix} ` : ""}${token}`),
    }),
    ...(basic && {
      authorization: Effect.zipWith(
        user,
        secret(basic.password, anyText),
        (user, password) => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
      ),
    }),
  }
  const all = Effect.all({
    headers: Effect.all(headers),
    query: each(auth.query),
    fields: each(auth.field),
    session: session === undefined ? Effect.succeed(undefined) : Effect.map(
      each(session.field, anyText),
      (secrets): Session => ({ path: session.path, members: { ...session.json, ...secrets }, token: session.token }),
    ),
    serviceAccount: googleServiceAccount === undefined
      ? Effect.succeed(undefined)
      : serviceAccount(googleServiceAccount),
  })
  return { places, signIn: Effect.map(all, Redacted.make) }
}
