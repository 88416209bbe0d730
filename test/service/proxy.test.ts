import { afterEach, expect, it, vi } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import { overHttp } from "../../src/service/overHttp.ts"
import { rawServer } from "./rawServer.ts"

/** Variables in lower case take precedence. */
const env = (name: "https_proxy" | "no_proxy", value: string) => Effect.sync(() => vi.stubEnv(name, value))

afterEach(() => void vi.unstubAllEnvs())

/** Returns the failure of a request to a service with this host. */
const failure = (host = "forms.example.test") =>
  Effect.flatMap(
    overHttp({
      baseUrl: `https://${host}`,
      apiKey: Redacted.make("secret_key"),
      timeout: Duration.seconds(1),
      concurrency: 4,
    }),
    ({ send }) => Effect.flip(send({ method: "POST", path: "/forms/f/submissions", body: Buffer.from("{}") })),
  )

it.scopedLive.each<readonly [answer: string, why: string]>([
  ["HTTP/1.1 407 Who\r\n\r\n", "requires a user name and a password, as in HTTPS_PROXY=http://NAME:PASSWORD@HOST:PORT"],
  ["HTTP/1.1 403 No\r\n\r\n", "answered 403 instead of connecting to the service"],
  ["", "did not connect to the service: the connection was reset"],
  ["no HTTP\r\n\r\n", "did not connect to the service: the connection failed (HPE_INVALID_CONSTANT)"],
])("a request is never sent if the proxy answers %j", ([answer, why]) =>
  Effect.gen(function*() {
    const proxy = yield* rawServer((socket) => socket.end(answer))
    yield* env("https_proxy", `http://someone:secret@127.0.0.1:${proxy.port}`)
    expect(yield* failure()).toMatchObject({ _tag: "NeverSent", reason: `the proxy 127.0.0.1:${proxy.port} ${why}` })
    expect(proxy.received).toEqual([expect.stringMatching(/^CONNECT forms\.example\.test:443 HTTP\/1\.1\r\n/)])
  }))

it.scopedLive("a request is never sent if the proxy can't be reached", () =>
  Effect.gen(function*() {
    const { port } = yield* Effect.scoped(rawServer(() => {}))
    yield* env("https_proxy", `http://127.0.0.1:${port}`)
    expect(yield* failure()).toMatchObject({
      _tag: "NeverSent",
      reason: `the proxy 127.0.0.1:${port} did not connect to the service: the connection was refused`,
    })
  }))

it.scopedLive("a request is never sent if the proxy doesn't answer in time", () =>
  Effect.gen(function*() {
    const proxy = yield* rawServer(() => {})
    yield* env("https_proxy", `http://127.0.0.1:${proxy.port}`)
    const failed = yield* failure()
    expect(failed._tag).toBe("NeverSent")
    expect(failed.reason).toMatch(/while connecting|connecting took too long/)
  }))

it.scopedLive.each(["https://127.0.0.1:1", "socks5://127.0.0.1:1", "http://a b", "http://%:x@127.0.0.1:1"])(
  "a request is never sent if HTTPS_PROXY is %s",
  (address) =>
    Effect.gen(function*() {
      yield* env("https_proxy", address)
      expect(yield* failure()).toMatchObject({
        _tag: "NeverSent",
        reason: "the environment's HTTPS_PROXY or ALL_PROXY is not an address such as http://proxy.example.com:3128",
      })
    }),
)

it.scopedLive("a host that NO_PROXY names is reached directly", () =>
  Effect.gen(function*() {
    const [proxy, service] = [yield* rawServer(() => {}), yield* rawServer((socket) => socket.end("no TLS"))]
    yield* env("https_proxy", `http://127.0.0.1:${proxy.port}`)
    yield* env("no_proxy", "example.org,127.0.0.1")
    expect(yield* failure(`127.0.0.1:${service.port}`)).toMatchObject({
      _tag: "NeverSent",
      reason: "the other side does not speak TLS",
    })
    expect(proxy.received).toEqual([])
    expect(service.received).toHaveLength(1)
  }))
