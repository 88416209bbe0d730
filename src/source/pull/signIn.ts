import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { sign } from "node:crypto"
import { headerSecret } from "../../domain/secret.ts"
import type { Connection } from "../../project/connection.ts"
import type { ServiceAccount, Session, SignIn } from "../../project/signIn.ts"
import { valueAt } from "../json/pointer.ts"
import { refusing } from "../Source.ts"
import { readJson } from "./answer.ts"
import { type Account, type Bearer, exchange, openAccount, type PullRequest, shownConnection } from "./exchange.ts"

/** How long a signature is valid, in seconds. Google allows one hour. */
const signatureSeconds = 3600

const base64url = (json: object): string => Buffer.from(JSON.stringify(json)).toString("base64url")

/** Returns the assertion of a service account, which can be exchanged for a token (RFC 7523). */
const assertionOf = ({ email, key, keyId, scopes, tokenUri }: ServiceAccount, now: number): string => {
  const issued = Math.floor(now / 1000)
  const header = { alg: "RS256", typ: "JWT", ...(keyId === undefined ? {} : { kid: keyId }) }
  const claims = { iss: email, scope: scopes.join(" "), aud: tokenUri, iat: issued, exp: issued + signatureSeconds }
  const content = `${base64url(header)}.${base64url(claims)}`
  return `${content}.${sign("sha256", Buffer.from(content), key).toString("base64url")}`
}

/** A request for a token, and the token's place in the answer. */
interface TokenRequest {
  /** The account to whose address the secrets are sent. */
  readonly via: Account
  /** Returns the request. `now` is in milliseconds since 1970. */
  readonly request: (now: number) => PullRequest
  /** The place of the token in the answer. */
  readonly at: string
}

const sessionRequest = (connection: Account, { members, path, token }: Session): TokenRequest => ({
  via: connection,
  request: () => ({
    url: new URL(connection.base + path),
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": "formferry" },
    body: JSON.stringify(members),
    place: `connections.${connection.name}.auth.session`,
  }),
  at: token,
})

const serviceAccountRequest = (connection: Connection, via: Account, account: ServiceAccount): TokenRequest => ({
  via,
  request: (now) => ({
    url: new URL(account.tokenUri),
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", "user-agent": "formferry" },
    body: new URLSearchParams({
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      assertion: assertionOf(account, now),
    }).toString(),
    place: `connections.${connection.name}.auth.googleServiceAccount`,
    refusal: {
      statuses: [400],
      message: () =>
        `refused the key in ${
          connection.places.join(" and ")
        } (400): the key or its account was deleted or disabled, a scope is wrong, or this machine's clock is wrong. Correct that, then run again.`,
    },
  }),
  at: "/access_token",
})

/** Obtains a token. */
const obtain = ({ at, request, via }: TokenRequest) =>
  Effect.gen(function*() {
    const file = shownConnection(via)
    const sent = request(yield* Clock.currentTimeMillis)
    const remedy = `Correct \`${sent.place}\`.`
    const read = readJson(file, { called: "an answer to the sign-in", tooLarge: remedy, notJson: remedy })
    const token = valueAt(yield* exchange(via, sent, read, [200, 201]), at)
    if (typeof token === "string" && headerSecret.test(token)) return token
    return yield* refusing(file)(`sent no token at ${at}. ${remedy}`)
  })

/** A connection that is in use, and what its requests contain to sign in. */
export interface OpenConnection extends Account {
  readonly secrets: SignIn
}

/** Opens a connection for the scope. If it signs in with a token, the token is obtained before the first request, and again after it has expired. */
export const openConnection = (connection: Connection, signIn: SignIn) =>
  Effect.gen(function*() {
    const { serviceAccount, session } = signIn
    const account: OpenConnection = {
      ...yield* openAccount(connection, JSON.stringify(signIn)),
      secrets: signIn,
    }
    const request = session !== undefined
      ? sessionRequest(account, session)
      : serviceAccount !== undefined
      ? serviceAccountRequest(
        connection,
        // A pull obtains one token. The account's rate doesn't count it.
        yield* openAccount({ ...connection, base: new URL(serviceAccount.tokenUri).origin, sharedBy: undefined }, ""),
        serviceAccount,
      )
      : undefined
    if (request === undefined) return account
    let current: string | undefined
    const bearer: Bearer = {
      token: Effect.gen(function*() {
        if (current !== undefined) return { text: current, isNew: false }
        current = yield* obtain(request)
        return { text: current, isNew: true }
      }),
      forget: Effect.sync(() => (current = undefined)),
    }
    return { ...account, bearer }
  })
