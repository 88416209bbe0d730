import { createPublicKey, generateKeyPairSync, verify } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { records, startTools } from "./fakeTools.ts"
import type { FakeTools, Received, Sent } from "./fakeTools.ts"
import { pullProject } from "./pullProject.ts"

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString()

/** How many requests a token may be used for. */
let uses = Infinity
let issued = 0
const used = new Map<string, number>()

const issue = () => `tok_${++issued}`

/** Whether a request's token is one of ours that has not expired. */
const isSignedIn = ({ headers }: Received): boolean => {
  const text = headers.authorization?.replace("Bearer ", "") ?? ""
  const count = (used.get(text) ?? 0) + 1
  used.set(text, count)
  return /^tok_\d+$/.test(text) && Number(text.slice(4)) <= issued && count <= uses
}

/** ODK Central: a session for an e-mail address and a password. Its token is a member of the answer. */
const session = ({ body, headers, method }: Received): Sent => {
  if (method !== "POST" || headers["content-type"] !== "application/json") return { status: 404 }
  const { email, password } = JSON.parse(body) as { readonly email?: string; readonly password?: string }
  return email === "import@example.org" && password === "tok_pass word"
    ? { body: { token: issue(), csrf: "tok_csrf", expiresAt: "2026-12-01T08:00:00.000Z" } }
    : { status: 401, body: { code: 401.2, message: "tok_pass word" } }
}

/** Google: verifies a service account's signature, and returns a token that is valid for an hour. */
const exchanged = ({ body, url }: Received): Sent => {
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

let tools: FakeTools & { readonly stop: () => void }
const { failure, pulled, root } = pullProject(() => tools.base)

const keyFile = (members: object = {}) =>
  writeFileSync(
    join(root, "config/key.json"),
    JSON.stringify({
      type: "service_account",
      private_key_id: "key-1",
      private_key: pem,
      client_email: "import@project.iam.gserviceaccount.com",
      token_uri: `${tools.base}/token`,
      ...members,
    }),
  )

beforeAll(async () => {
  tools = await startTools((request, store) => {
    const { url } = request
    if (url.pathname === "/sessions") return session(request)
    if (url.pathname === "/token") return exchanged(request)
    if (!isSignedIn(request)) return { status: 401 }
    const start = Number(url.searchParams.get("offset"))
    return { body: { results: store.slice(start, start + 500) } }
  })
  writeFileSync(join(root, ".env"), "PASSWORD=tok_pass word\nOLD_PASSWORD=tok_old\n")
})
afterAll(() => tools.stop())
beforeEach(() => {
  tools.store = records(1, 2_500)
  tools.meddle = () => undefined
  tools.received.length = 0
  uses = Infinity
  used.clear()
  keyFile()
})

const source = `request: { path: /records, query: { offset: "{offset}" } }
  page: { offset: 0 }
  records: /results`

const signIns = {
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

const all = (last: number) => records(1, last).map(({ id, name }) => `${id} ${name}`)
const paths = () => tools.received.map(({ url }) => url.pathname)

describe.each(Object.entries(signIns))("a sign-in by %s", (_, { path, ...how }) => {
  it("gets one token, and sends it with all requests", async () => {
    expect((await pulled(how)).rows).toEqual(all(2_500))
    expect(paths()).toEqual([path, ...Array.from({ length: 6 }, () => "/records")])
    expect(new Set(tools.received.slice(1).map(({ headers }) => headers.authorization)).size).toBe(1)
    // The secrets themselves are only in the first request.
    for (const { body } of tools.received.slice(1)) expect(body).toBe("")
  })

  it("gets a new token each time that one has expired", async () => {
    uses = 2
    expect((await pulled(how)).rows).toEqual(all(2_500))
    // Six pages with two of them for each token.
    expect(paths().filter((one) => one === path)).toHaveLength(3)
    expect(paths().filter((one) => one === "/records")).toHaveLength(8)
  })

  it("fails if a new token is refused", async () => {
    uses = 0
    const error = await failure(how)
    expect(error.message).toContain("refused the sign-in (401)")
    expect(error._tag).toBe("ConnectionUnusable")
    expect(paths()).toEqual([path, "/records"])
  })

  it.each<[string, Sent, string, string]>([
    [
      "redirects",
      { status: 302, headers: { location: "https://elsewhere.example/secretpath" } },
      "redirects to elsewhere.example. Redirects are not followed",
      "SourceError",
    ],
    ["sends no token", { body: { id: 1 } }, "sent no token at /", "SourceError"],
    [
      "sends a token of two lines",
      { body: { token: "tok_1\nX: 1", access_token: "tok_1\nX: 1" } },
      "sent no token at /",
      "SourceError",
    ],
    ["sends no JSON", { body: "<html>tok_1</html>" }, "sent an answer to the sign-in that is not JSON", "SourceError"],
    [
      "is missing",
      { status: 404 },
      "has nothing at the path of the request (404). Correct `connections.tool.auth.",
      "SourceError",
    ],
    ["forbids it", { status: 403, body: "tok_1" }, "refused access (403)", "ConnectionUnusable"],
    [
      "asks to wait for hours",
      { status: 429, headers: { "retry-after": "7200" } },
      "asks to wait 120 minutes",
      "ConnectionUnusable",
    ],
  ])("fails if its server %s", async (_, sent, message, tag) => {
    tools.meddle = () => sent
    const error = await failure(how)
    expect(error.message).toContain(message)
    expect(error._tag).toBe(tag)
    expect(tools.received).toHaveLength(1)
  })
})

describe("a session", () => {
  it("is refused with its own sentence if the password is wrong", async () => {
    const auth = signIns.session.auth.replace("PASSWORD", "OLD_PASSWORD")
    const error = await failure({ auth, source })
    expect(error.message).toContain("refused the sign-in (401): the secret in OLD_PASSWORD is wrong or has expired")
    expect(error._tag).toBe("ConnectionUnusable")
  })

  it("needs its password before a request is sent", async () => {
    const error = await failure({ auth: signIns.session.auth.replace("PASSWORD", "NO_PASSWORD"), source })
    expect(error.message).toContain("NO_PASSWORD is not set")
    expect(tools.received).toHaveLength(0)
  })

  it("with a password in the project file is refused without showing it", async () => {
    const auth = signIns.session.auth.replace("{ env: PASSWORD }", "tok_literal")
    expect((await failure({ auth, source })).message).toContain("expects { env: NAME } or { file: PATH }")
  })
})

describe("a service account of Google", () => {
  const { googleServiceAccount } = signIns

  it("is refused with its own sentence if its key was deleted", async () => {
    keyFile({ private_key_id: "key-2" })
    const error = await failure(googleServiceAccount)
    expect(error.message).toContain("refused the key in key.json (400)")
    expect(error._tag).toBe("ConnectionUnusable")
  })

  it.each([
    ["is not an address", "token", "token_uri"],
    ["is not Google's", "https://oauth2.googleapis.com.elsewhere.example/token", "token_uri"],
    ["is not encrypted", "http://oauth2.googleapis.com/token", "token_uri"],
    ["has a different port", "https://oauth2.googleapis.com:8443/token", "token_uri"],
    ["contains a user", "https://tok_1@oauth2.googleapis.com/token", "token_uri"],
  ])("is not used if the address for its token %s", async (_, token_uri, message) => {
    keyFile({ token_uri })
    const error = await failure(googleServiceAccount)
    expect(error.message).toContain(message)
    expect(error.message).toContain("is not an https:// address of Google, so the key was not used")
    expect(error.message).not.toContain("elsewhere")
    expect(tools.received).toHaveLength(0)
  })

  it.each<[string, () => void, string]>([
    ["is missing", () => writeFileSync(join(root, "config/key.json"), ""), "is empty"],
    [
      "is not JSON",
      () => writeFileSync(join(root, "config/key.json"), `${pem}tok_1`),
      "is not the key of a service account",
    ],
    ["lacks the key", () => keyFile({ private_key: undefined }), "is not the key of a service account"],
    ["has a damaged key", () => keyFile({ private_key: pem.slice(0, 300) }), "is not a private RSA key"],
    [
      "has the key of a different algorithm",
      () =>
        keyFile({ private_key: generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }) }),
      "is not a private RSA key",
    ],
  ])("is not used if its file %s, and the message contains nothing of it", async (_, write, message) => {
    write()
    const error = await failure(googleServiceAccount)
    expect(error.message).toContain(message)
    for (const line of pem.split("\n").slice(1, -2)) expect(error.message).not.toContain(line.slice(0, 20))
    expect(tools.received).toHaveLength(0)
  })

  it("signs for the address in its key file only, and does not send the key", async () => {
    await pulled(googleServiceAccount)
    const [signed] = tools.received
    expect(signed?.headers.authorization).toBeUndefined()
    expect(signed?.body).not.toContain(encodeURIComponent(pem.split("\n")[1] ?? ""))
  })
})
