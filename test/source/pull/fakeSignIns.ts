// Servers that return a token to those who sign in, written from the documentation of ODK Central and Google.
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto"
import type { Received, Sent, Tool } from "./fakeTools.ts"

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })

/** The private key of the service account. */
export const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString()

/** The password of the session. */
export const password = "tok_pass word"

/** Returns the key file of a service account whose tokens come from this address. */
export const keyFileOf = (base: string, members: object = {}) =>
  JSON.stringify({
    type: "service_account",
    private_key_id: "key-1",
    private_key: pem,
    client_email: "import@project.iam.gserviceaccount.com",
    token_uri: `${base}/token`,
    ...members,
  })

/** ODK Central: a session for an email address and a password. Its token is a member of the answer. */
const session = ({ body, headers, method }: Received, issue: () => string): Sent => {
  if (method !== "POST" || headers["content-type"] !== "application/json") return { status: 404 }
  const given = JSON.parse(body) as { readonly email?: string; readonly password?: string }
  return given.email === "import@example.org" && given.password === password
    ? { body: { token: issue(), csrf: "tok_csrf", expiresAt: "2026-12-01T08:00:00.000Z" } }
    : { status: 401, body: { code: 401.2, message: given.password } }
}

/** Google: verifies a service account's signature, and returns a token that is valid for an hour. */
export const exchanged = ({ body, url }: Received, issue: () => string): Sent => {
  const form = new URLSearchParams(body)
  const [head = "", claims = "", signature = ""] = form.get("assertion")?.split(".") ?? []
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>
  const isSigned = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    createPublicKey(publicKey.export({ type: "spki", format: "pem" })),
    Buffer.from(signature, "base64url"),
  )
  const { aud, exp, iat, iss, scope } = read(claims)
  const now = Date.now() / 1000
  const isRight = form.get("grant_type") === "urn:ietf:params:oauth:grant-type:jwt-bearer"
    && read(head)["alg"] === "RS256" && read(head)["kid"] === "key-1"
    && aud === `${url.origin}/token` && iss === "import@project.iam.gserviceaccount.com"
    && scope === "https://www.googleapis.com/auth/spreadsheets.readonly"
    && Math.abs(Number(iat) - now) < 60 && Number(exp) - Number(iat) <= 3600
  return isSigned && isRight
    ? { body: { access_token: issue(), token_type: "Bearer", expires_in: 3599 } }
    : { status: 400, body: { error: "invalid_grant", error_description: `Invalid JWT: ${head}` } }
}

/** Pages of records for requests with a token, which each token can request only a few times. */
export const signingIn = () => {
  let issued = 0
  const used = new Map<string, number>()
  const issue = () => `tok_${++issued}`
  const limits = { uses: Infinity }
  /** Whether a request's token is one of ours that has not expired. */
  const isSignedIn = ({ headers }: Received): boolean => {
    const text = headers.authorization?.replace("Bearer ", "") ?? ""
    const count = (used.get(text) ?? 0) + 1
    used.set(text, count)
    return /^tok_\d+$/.test(text) && Number(text.slice(4)) <= issued && count <= limits.uses
  }
  const answer: Tool = (request, store) => {
    const { url } = request
    if (url.pathname === "/sessions") return session(request, issue)
    if (url.pathname === "/token") return exchanged(request, issue)
    if (!isSignedIn(request)) return { status: 401 }
    const start = Number(url.searchParams.get("offset"))
    return { body: { results: store.slice(start, start + 500) } }
  }
  return { answer, limits }
}

const source = `request: { path: /records, query: { offset: "{offset}" } }
  page: { offset: 0 }
  records: /results`

/** The sign-ins with the path of the request for a token, and a source. The secrets are in PASSWORD and config/key.json. */
export const signIns = {
  session: {
    auth:
      "{ session: { path: /sessions, json: { email: import@example.org }, field: { password: { env: PASSWORD } }, token: /token } }",
    source,
    path: "/sessions",
  },
  googleServiceAccount: {
    auth: "{ googleServiceAccount: { keyFile: key.json } }",
    source,
    path: "/token",
  },
}
