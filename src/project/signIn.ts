import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { ConfigurationInvalid } from "./errors.ts"
import { expecting, filled, Name, needed, oneOfThese, optional, section } from "./fields.ts"
import type { Preset } from "./presets/Preset.ts"
import { secretPlace } from "./secrets.ts"
import type { Secrets } from "./secrets.ts"

export const Secret = secretPlace({ what: "the secret", variable: "API_TOKEN", file: "/run/secrets/api-token" })
  .annotations({ identifier: "Secret" })

const SecretParameters = filled(Name, Secret)

/** How the requests of a connection sign in. */
export const Auth = section({
  bearer: optional(Secret, {
    description: "A token that is sent as `Authorization: Bearer TOKEN`",
    examples: [{ env: "API_TOKEN" }],
  }),
  header: optional(
    section({
      name: needed(
        Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/)).annotations(expecting("a header's name")),
        { description: "The header's name", examples: ["Authorization"] },
      ),
      prefix: optional(Name, {
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
        description: "The user name, or where to find it if it is a key",
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
}, { rules: { exactlyOne: ["bearer", "header", "query", "basic", "field"] } })
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

/** What signs a request in. */
export interface SignIn {
  readonly headers: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly fields: Readonly<Record<string, string>>
}

/** How the requests of a connection sign in. */
export interface ConnectionSignIn {
  /** Names of the variables and files that contain the secrets, for messages. */
  readonly places: ReadonlyArray<string>
  /** The secrets, looked up when they are needed. */
  readonly signIn: Effect.Effect<Redacted.Redacted<SignIn>, ConfigurationInvalid>
}

/** Returns how the requests of a connection sign in. */
export const signInOf = (name: string, auth: typeof Auth.Type = {}, secrets: Secrets): ConnectionSignIn => {
  const places: Array<string> = []
  const secret = (place: typeof Secret.Type, allowed = /^[\x21-\x7e]+$/) => {
    places.push(place.name)
    return Effect.map(
      secrets(place, {
        called: `The secret of ${name}`,
        noun: "secret",
        consequence: `the secret of ${name} is missing`,
        fault: (text) =>
          allowed.test(text)
            ? undefined
            : `The secret of ${name} contains a space, a line break or another character that can't be part of it.`,
      }),
      Redacted.value,
    )
  }
  const each = (all: typeof SecretParameters.Type = {}) =>
    Effect.all(Object.fromEntries(Object.entries(all).map(([key, place]) => [key, secret(place)])))
  const { basic, bearer, header } = auth
  const user = basic === undefined || typeof basic.user === "string"
    ? Effect.succeed(basic?.user ?? "")
    : secret(basic.user, /^\P{Cc}+$/u)
  const headers: Record<string, Effect.Effect<string, ConfigurationInvalid>> = {
    ...(bearer && { authorization: Effect.map(secret(bearer), (token) => `Bearer ${token}`) }),
    ...(header && {
      [header.name]: Effect.map(secret(header.value), (token) => `${header.prefix ? `${header.prefix} ` : ""}${token}`),
    }),
    ...(basic && {
      authorization: Effect.zipWith(
        user,
        secret(basic.password, /^\P{Cc}+$/u),
        (user, password) => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
      ),
    }),
  }
  const all = Effect.all({ headers: Effect.all(headers), query: each(auth.query), fields: each(auth.field) })
  return { places, signIn: Effect.map(all, Redacted.make) }
}
