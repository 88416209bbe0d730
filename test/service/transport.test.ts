import { describe, expect, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Redacted, type Scope } from "effect"
import { overHttp } from "../../src/service/overHttp.ts"
import { header, type Transport, type TransportResponse, type TransportTarget } from "../../src/service/transport.ts"
import { type ConnectionFailed, inProcessTransport } from "./inProcessTransport.ts"
import { answerText, rawServer } from "./rawServer.ts"

/** What a server does with a request. It is the same for both transports. */
type Behaviour = "answer" | "redirect" | "silent" | "unreachable" | "reset" | "cut" | "long"

interface Harness {
  readonly transport: Transport
  /** The method and path of each request that reached the server. */
  readonly seen: () => ReadonlyArray<string>
  readonly authorization: () => string | undefined
}

const target = (baseUrl: string, behaviour: Behaviour): TransportTarget => ({
  baseUrl,
  apiKey: Redacted.make("secret_key"),
  timeout: behaviour === "silent" ? Duration.millis(250) : Duration.seconds(10),
  concurrency: 4,
  maxAnswer: 10_000,
})

const unusedPort = Effect.map(Effect.scoped(rawServer(() => {})), ({ port }) => port)

const overSockets = (behaviour: Behaviour): Effect.Effect<Harness, never, Scope.Scope> =>
  Effect.gen(function*() {
    const server = yield* rawServer((socket, soFar) => {
      if (!soFar.endsWith("}") && !soFar.endsWith("\r\n\r\n")) return
      if (behaviour === "answer") {
        socket.write(answerText(201, '{"né":1}', ["X-Thing: a", "Set-Cookie: 1", "Set-Cookie: 2"]))
      }
      if (behaviour === "redirect") socket.write(answerText(302, "", ["Location: /elsewhere"]))
      if (behaviour === "reset") socket.resetAndDestroy()
      if (behaviour === "cut") socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"half":')
      if (behaviour === "long") socket.write(answerText(200, "x".repeat(10_001)))
    })
    const port = behaviour === "unreachable" ? yield* unusedPort : server.port
    return {
      transport: yield* overHttp(target(`http://127.0.0.1:${port}/v1/api`, behaviour)),
      seen: () => server.requests().map((line) => line.replace(/ HTTP.*/, "")),
      authorization: () => /authorization: (.*)\r/i.exec(server.received.join(""))?.[1],
    }
  })

const withoutNetwork = (behaviour: Behaviour): Effect.Effect<Harness, never, Scope.Scope> =>
  Effect.gen(function*() {
    const seen: Array<string> = []
    let authorization: string | undefined
    const transport = yield* inProcessTransport({
      connect: behaviour === "unreachable" ? Effect.fail({ reason: "refused" }) : Effect.void,
      answer: (request) =>
        Effect.suspend((): Effect.Effect<TransportResponse, ConnectionFailed> => {
          seen.push(`${request.method} ${request.path}`)
          authorization = request.headers["authorization"]
          if (behaviour === "silent") return Effect.never
          if (behaviour === "reset" || behaviour === "cut") return Effect.fail({ reason: behaviour })
          if (behaviour === "redirect") {
            return Effect.succeed({ status: 302, headers: { location: "/elsewhere" }, body: Buffer.from("") })
          }
          return Effect.succeed({
            status: behaviour === "long" ? 200 : 201,
            headers: { "x-thing": "a", "set-cookie": ["1", "2"] },
            body: Buffer.from(behaviour === "long" ? "x".repeat(10_001) : '{"né":1}'),
          })
        }),
    })(target("http://127.0.0.1/v1/api", behaviour))
    return { transport, seen: () => seen, authorization: () => authorization }
  })

const get = { method: "GET", path: "/forms/%2E%2E?a=b%20c" } as const
const post = { method: "POST", path: "/forms/f/submissions", body: Buffer.from("{}") } as const

for (const [name, open] of [["over HTTP", overSockets], ["in process", withoutNetwork]] as const) {
  describe(`a transport ${name}`, () => {
    it.scopedLive("the transport returns status, lower-case headers and bytes, and sends the unchanged path with the key", () =>
      Effect.gen(function*() {
        const { transport, seen, authorization } = yield* open("answer")
        const response = yield* transport.send(get)
        expect(response.status).toBe(201)
        expect(header(response.headers, "x-thing")).toBe("a")
        expect(header(response.headers, "set-cookie")).toBe("1")
        expect(Buffer.from(response.body).toString()).toBe('{"né":1}')
        expect((yield* transport.send(post)).status).toBe(201)
        expect(seen()).toEqual(["GET /v1/api/forms/%2E%2E?a=b%20c", "POST /v1/api/forms/f/submissions"])
        expect(authorization()).toBe("Bearer secret_key")
      }))

    it.scopedLive("the transport returns a redirect without following it", () =>
      Effect.gen(function*() {
        const { transport, seen } = yield* open("redirect")
        expect((yield* transport.send(get)).status).toBe(302)
        yield* Effect.sleep(30)
        expect(seen()).toHaveLength(1)
      }))

    it.scopedLive("the transport reports that nothing was sent if it can't connect", () =>
      Effect.gen(function*() {
        const { transport } = yield* open("unreachable")
        expect((yield* Effect.flip(transport.send(post)))._tag).toBe("NeverSent")
      }))

    for (const behaviour of ["reset", "cut", "silent", "long"] as const) {
      it.scopedLive(`the transport reports that the request may have arrived if the server does this: ${behaviour}`, () =>
        Effect.gen(function*() {
          const { transport, seen } = yield* open(behaviour)
          const failure = yield* Effect.flip(transport.send(post))
          expect(failure._tag).toBe("MaybeSent")
          expect(JSON.stringify(failure) + failure.message).not.toContain("secret_key")
          yield* Effect.sleep(30)
          expect(seen()).toHaveLength(1)
        }))
    }

    it.scopedLive("the transport calls the guard once, right before sending, and sends nothing if it returns false", () =>
      Effect.gen(function*() {
        const { transport, seen } = yield* open("answer")
        let asked = 0
        const failure = yield* Effect.flip(transport.send({ ...post, guard: () => ++asked > 1 }))
        expect(failure).toMatchObject({ _tag: "NeverSent", heldBack: true })
        yield* Effect.sleep(30)
        expect(asked).toBe(1)
        expect(seen()).toHaveLength(0)
        expect((yield* transport.send({ ...post, guard: () => ++asked > 1 })).status).toBe(201)
        expect(asked).toBe(2)
      }))

    it.scopedLive("the transport drops an interrupted request, and continues with others", () =>
      Effect.gen(function*() {
        const { transport, seen } = yield* open("silent")
        const begun = yield* Deferred.make<void>()
        const fiber = yield* Effect.fork(
          transport.send({
            ...post,
            guard: () => {
              Deferred.unsafeDone(begun, Effect.void)
              return true
            },
          }),
        )
        yield* Deferred.await(begun)
        yield* Effect.sleep(20)
        yield* Fiber.interrupt(fiber)
        expect((yield* Effect.flip(transport.send(post)))._tag).toBe("MaybeSent")
        expect(seen()).toHaveLength(2)
      }))
  })
}
