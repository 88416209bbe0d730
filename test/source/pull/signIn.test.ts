import { generateKeyPairSync } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { keyFileOf, password, pem, signingIn, signIns } from "./fakeSignIns.ts"
import { type FakeTools, records, type Sent, startTools } from "./fakeTools.ts"
import { pullProject } from "./pullProject.ts"

let tools: FakeTools & { readonly stop: () => void }
const { answer, limits } = signingIn()
const { failure, pulled, root } = pullProject(() => tools.base)

const keyFile = (members?: object) => writeFileSync(join(root, "config/key.json"), keyFileOf(tools.base, members))

beforeAll(async () => {
  tools = await startTools(answer)
  writeFileSync(join(root, ".env"), `PASSWORD=${password}\nOLD_PASSWORD=tok_old\n`)
})
afterAll(() => tools.stop())
beforeEach(() => {
  tools.store = records(1, 2_500)
  tools.meddle = () => undefined
  tools.received.length = 0
  limits.uses = Infinity
  keyFile()
})

const { source } = signIns.session

const all = (last: number) => records(1, last).map(({ id, name }) => `${id} ${name}`)
const paths = () => tools.received.map(({ url }) => url.pathname)

describe.each(Object.entries(signIns))("a sign-in by %s", (_, { path, ...how }) => {
  it("gets one token, and sends it with all requests", async () => {
    expect((await pulled(how)).rows).toEqual(all(2_500))
    expect(paths()).toEqual([path, ...Array.from({ length: 9 }, () => "/records")])
    expect(new Set(tools.received.slice(1).map(({ headers }) => headers.authorization)).size).toBe(1)
    // The secrets themselves are only in the first request.
    for (const { body } of tools.received.slice(1)) expect(body).toBe("")
  })

  it("gets a new token each time that one has expired", async () => {
    limits.uses = 2
    expect((await pulled(how)).rows).toEqual(all(2_500))
    // Nine requests, two of them for each token, and four that were refused.
    expect(paths().filter((one) => one === path)).toHaveLength(5)
    expect(paths().filter((one) => one === "/records")).toHaveLength(13)
  })

  it("fails if a new token is refused", async () => {
    limits.uses = 0
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
      "asks for a wait of 120 minutes",
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
  it("is refused with its own message if the password is wrong", async () => {
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

  it("is refused with its own message if its key was deleted", async () => {
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
