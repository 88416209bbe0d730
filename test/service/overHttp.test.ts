import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import type { Socket } from "node:net"
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import type { Dispatcher } from "undici"
import { Exchange } from "../../src/service/Exchange.ts"
import { overHttp } from "../../src/service/overHttp.ts"
import { MaybeSent } from "../../src/service/transport.ts"
import { answering } from "../localServer.ts"
import { answerText, rawServer } from "./rawServer.ts"

const open = (
  baseUrl: string,
  options: { readonly timeout?: number; readonly concurrency?: number; readonly maxAnswer?: number } = {},
) =>
  overHttp({
    ...options,
    baseUrl,
    apiKey: Redacted.make("secret_key"),
    timeout: Duration.millis(options.timeout ?? 10_000),
    concurrency: options.concurrency ?? 4,
  })

const post = { method: "POST", path: "/forms/f/submissions", body: Buffer.from('{"submissions":[]}') } as const

const whole = (soFar: string) => soFar.endsWith("}")

describe("the HTTP transport over real sockets", () => {
  it.scopedLive("decodes answers that are compressed although no coding was requested", () =>
    Effect.gen(function*() {
      const plain = Buffer.from('{"né":1}')
      const codings: Readonly<Record<string, (body: Buffer) => Buffer>> = {
        gzip: gzipSync,
        "x-gzip": gzipSync,
        deflate: deflateSync,
        Deflate: deflateRawSync,
        br: brotliCompressSync,
        identity: (body) => body,
        "deflate, GZIP": (body) => gzipSync(deflateSync(body)),
      }
      const port = yield* answering((request, response) => {
        const coding = decodeURIComponent((request.url ?? "").slice(1))
        response.writeHead(201, { "content-encoding": coding }).end(codings[coding]?.(plain))
      })
      const transport = yield* open(`http://127.0.0.1:${port}`)
      for (const coding of Object.keys(codings)) {
        const answer = yield* transport.send({ ...post, path: `/${encodeURIComponent(coding)}` })
        expect([answer.status, Buffer.from(answer.body).toString(), answer.headers["content-encoding"]], coding)
          .toEqual([201, plain.toString(), undefined])
      }
    }))

  it.scopedLive("leaves a body as it is if its coding is unknown or it is damaged, because the status may be enough", () =>
    Effect.gen(function*() {
      const bodies: Readonly<Record<string, Buffer>> = {
        zstd: Buffer.from("unknown"),
        gzip: gzipSync("cut".repeat(100)).subarray(0, 20),
      }
      const port = yield* answering((request, response) => {
        const coding = (request.url ?? "").slice(1)
        response.writeHead(429, { "content-encoding": coding }).end(bodies[coding])
      })
      const transport = yield* open(`http://127.0.0.1:${port}`)
      for (const [coding, body] of Object.entries(bodies)) {
        const answer = yield* transport.send({ ...post, path: `/${coding}` })
        expect([answer.status, answer.body, answer.headers["content-encoding"]]).toEqual([429, body, coding])
      }
    }))

  it.scopedLive("reports an answer that is too long only when it is decoded as maybe sent", () =>
    Effect.gen(function*() {
      const bomb = { gzip: gzipSync(Buffer.alloc(100_000)), br: brotliCompressSync(Buffer.alloc(100_000)) }
      const port = yield* answering((request, response) => {
        const coding = (request.url ?? "").slice(1) as keyof typeof bomb
        response.writeHead(200, { "content-encoding": coding }).end(bomb[coding])
      })
      const transport = yield* open(`http://127.0.0.1:${port}`, { maxAnswer: 10_000 })
      for (const coding of Object.keys(bomb)) {
        expect(yield* Effect.flip(transport.send({ ...post, path: `/${coding}` }))).toMatchObject({
          _tag: "MaybeSent",
          status: 200,
          reason: "the answer is longer than 10000 bytes",
        })
      }
    }))

  it.scopedLive("reports a request to an unknown host name as never sent", () =>
    Effect.gen(function*() {
      const transport = yield* open("http://no-such-host.invalid")
      expect((yield* Effect.flip(transport.send(post)))._tag).toBe("NeverSent")
    }))

  it.scopedLive("reports a request to a port without a listener as never sent, with the reason", () =>
    Effect.gen(function*() {
      const { port } = yield* Effect.scoped(rawServer(() => {}))
      const transport = yield* open(`http://127.0.0.1:${port}`)
      expect(yield* Effect.flip(transport.send(post))).toMatchObject({
        _tag: "NeverSent",
        reason: "the connection was refused",
      })
    }))

  it.scopedLive("reports a TLS request to a plain HTTP port as never sent", () =>
    Effect.gen(function*() {
      const server = yield* rawServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n"))
      const transport = yield* open(`https://127.0.0.1:${server.port}`)
      expect((yield* Effect.flip(transport.send(post)))._tag).toBe("NeverSent")
      expect(server.requests()).toEqual([])
    }))

  it.scopedLive("reports a request as never sent if the TLS handshake doesn't end in time", () =>
    Effect.gen(function*() {
      const server = yield* rawServer(() => {})
      const transport = yield* open(`https://127.0.0.1:${server.port}`, { timeout: 1_000 })
      const failure = yield* Effect.flip(transport.send(post))
      expect(failure._tag).toBe("NeverSent")
      expect(failure.reason).toMatch(/while connecting|connecting took too long/)
      expect(server.requests()).toEqual([])
    }))

  it.scopedLive("never reports a reset request as unsent if the server received a byte", () =>
    Effect.gen(function*() {
      for (let round = 0; round < 10; round++) {
        const server = yield* rawServer(() => {}, (socket) => socket.resetAndDestroy())
        const transport = yield* open(`http://127.0.0.1:${server.port}`)
        const failure = yield* Effect.flip(transport.send(post))
        if (failure._tag === "NeverSent") expect(server.received.join("")).toBe("")
        expect(server.received).toHaveLength(1)
      }
    }))

  it.scopedLive("reports a request as maybe sent after a reset in the middle of its body", () =>
    Effect.gen(function*() {
      const server = yield* rawServer((socket) => socket.resetAndDestroy())
      const transport = yield* open(`http://127.0.0.1:${server.port}`)
      const failure = yield* Effect.flip(transport.send({ ...post, body: Buffer.alloc(5_000_000, " ") }))
      expect(failure._tag).toBe("MaybeSent")
    }))

  it.scopedLive("reports a request as maybe sent after a timeout during a slow answer, with the status", () =>
    Effect.gen(function*() {
      const server = yield* rawServer((socket, soFar) => {
        if (!whole(soFar)) return
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
        const drip = setInterval(() => socket.write("x"), 10)
        socket.on("close", () => clearInterval(drip))
      })
      const transport = yield* open(`http://127.0.0.1:${server.port}`, { timeout: 1_000 })
      expect(yield* Effect.flip(transport.send(post))).toMatchObject({
        _tag: "MaybeSent",
        status: 200,
        reason: "no answer within 1 s, while receiving the answer",
      })
    }))

  it.scopedLive("reports a request as never sent after a timeout in the queue, and sends nothing later", () =>
    Effect.gen(function*() {
      const server = yield* rawServer(() => {})
      const transport = yield* open(`http://127.0.0.1:${server.port}`, { timeout: 1_000, concurrency: 1 })
      const failures = yield* Effect.all([post, post, post].map((request) => Effect.flip(transport.send(request))), {
        concurrency: "unbounded",
      })
      yield* Effect.sleep(100)
      // The third request usually times out in the queue. On a slow machine it may have started at the last moment,
      // which is also reported.
      expect(failures.slice(0, 2).map(({ _tag }) => _tag)).toEqual(["MaybeSent", "MaybeSent"])
      expect(server.requests()).toHaveLength(failures.filter(({ _tag }) => _tag === "MaybeSent").length)
    }))

  it.scopedLive("the transport does not reuse a kept-alive connection that the server closed", () =>
    Effect.gen(function*() {
      const server = yield* rawServer((socket, soFar) => {
        if (!whole(soFar)) return
        socket.write(answerText(200, "{}"))
        setTimeout(() => socket.end(), 5)
      })
      const transport = yield* open(`http://127.0.0.1:${server.port}`)
      for (let round = 0; round < 5; round++) {
        expect((yield* transport.send(post)).status).toBe(200)
        yield* Effect.sleep(100)
      }
      expect(server.received).toHaveLength(5)
    }))

  it.scopedLive("a request whose reused connection closes is neither repeated nor reported as unsent", () =>
    Effect.gen(function*() {
      // Each connection answers once, and resets when a second request arrives on it. This makes the race certain.
      const server = yield* rawServer((socket, soFar) => {
        if ((soFar.match(/POST/g) ?? []).length > 1) socket.resetAndDestroy()
        else if (whole(soFar)) socket.write(answerText(200, "{}"))
      })
      const transport = yield* open(`http://127.0.0.1:${server.port}`, { concurrency: 1 })
      expect((yield* transport.send(post)).status).toBe(200)
      yield* Effect.sleep(20)
      expect((yield* Effect.flip(transport.send(post)))._tag).toBe("MaybeSent")
      yield* Effect.sleep(50)
      expect(server.received).toHaveLength(1)
      expect(server.requests()).toHaveLength(2)
    }))

  it.scopedLive("the transport sends no request on a connection whose last request is not answered yet", () =>
    Effect.gen(function*() {
      const scheduled: Array<number> = []
      const answered: Array<number> = []
      const waiting = new Set<number>()
      const server = yield* rawServer((socket, soFar, connection) => {
        const done = answered[connection] ??= 0
        waiting.add((soFar.match(/(GET|POST) \S+ HTTP/g) ?? []).length - done)
        const whole = soFar.match(/GET [^]*?\r\n\r\n|\{"submissions":\[\]\}/g) ?? []
        for (; (scheduled[connection] ??= 0) < whole.length; scheduled[connection]++) {
          setTimeout(() => {
            answered[connection] = (answered[connection] ?? 0) + 1
            socket.write(answerText(200, "{}"))
          }, 20)
        }
      })
      const transport = yield* open(`http://127.0.0.1:${server.port}`, { concurrency: 2 })
      const get = { method: "GET", path: "/forms/f/submissions/1" } as const
      const all = Array.from({ length: 12 }, (_, at) => transport.send(at % 2 === 0 ? post : get))
      const answers = yield* Effect.all(all, { concurrency: "unbounded" })
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
      expect(server.requests()).toHaveLength(12)
      // Connections are reused, so that pipelining would be possible.
      expect(server.received.length).toBeLessThan(12)
      expect([...waiting]).toEqual([1])
    }))

  it.scopedLive("the transport ignores an informational answer", () =>
    Effect.gen(function*() {
      const server = yield* rawServer((socket, soFar) => {
        if (whole(soFar)) socket.write(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${answerText(200, "{}")}`)
      })
      const transport = yield* open(`http://127.0.0.1:${server.port}`)
      expect((yield* transport.send(post)).status).toBe(200)
    }))

  it.scopedLive("`100 Continue` before the answer doesn't put the request in doubt, even if it arrives in pieces or twice", () =>
    Effect.gen(function*() {
      const interim = "HTTP/1.1 100 Continue\r\n\r\n"
      const answer = answerText(200, '{"submissions":[]}')
      const ways = [
        [interim + answer],
        [interim, answer],
        ["HTTP/1.1 1", "00 Continue\r\nx: y\r\n\r", `\n${answer}`],
        [interim + interim, ...answer],
      ]
      let way: ReadonlyArray<string> = []
      const server = yield* rawServer((socket, soFar) => {
        if (!whole(soFar)) return
        way.forEach((piece, at) => setTimeout(() => socket.write(piece), at * 2))
      })
      const transport = yield* open(`http://127.0.0.1:${server.port}`, { concurrency: 1 })
      for (way of [...ways, ...ways]) {
        const { body, status } = yield* transport.send(post)
        expect([status, new TextDecoder().decode(body)]).toEqual([200, '{"submissions":[]}'])
      }
    }))

  it.scopedLive("reports a request as maybe sent after a timeout while sending, and resets its connection, so that no part is sent later", () =>
    Effect.gen(function*() {
      let held: Socket | undefined
      const server = yield* rawServer(() => {}, (socket) => {
        held = socket.pause()
      })
      const transport = yield* open(`http://127.0.0.1:${server.port}`, { timeout: 1_000 })
      const failure = yield* Effect.flip(transport.send({ ...post, body: Buffer.alloc(20_000_000, " ") }))
      expect(failure._tag).toBe("MaybeSent")
      held?.resume()
      yield* Effect.sleep(200)
      // At most the buffered bytes were received. If the connection was only closed, the kernel would send megabytes
      // from its buffers.
      expect(server.received.join("").length).toBeLessThan(1_000_000)
    }))

  for (
    const [how, headers, later] of [
      ["says so", ["Connection: close"], 0],
      ["does not say so", [], 0],
      ["does not say so, a moment later", [], 1],
    ] as const
  ) {
    it.scopedLive(`no create is in doubt if the server closes each connection after its answer and ${how}`, () =>
      Effect.gen(function*() {
        const server = yield* rawServer((socket, soFar) => {
          if (!soFar.endsWith("}") && !soFar.endsWith("\r\n\r\n")) return
          const answer = answerText(200, "{}", headers)
          if (later === 0) socket.end(answer)
          else socket.write(answer, () => void setTimeout(() => socket.end(), later))
        })
        const transport = yield* open(`http://127.0.0.1:${server.port}`, { concurrency: 8 })
        // Reads the form first, as a run does.
        yield* transport.send({ method: "GET", path: "/forms/f" })
        yield* Effect.sleep(20)
        let created = 0
        const send = Effect.fn(function*(n: number) {
          // Reads may be repeated.
          if (n % 3 === 0) {
            return yield* Effect.ignore(transport.send({ method: "GET", path: "/forms/f/submissions/s" }))
          }
          expect((yield* transport.send(post)).status).toBe(200)
          created++
        })
        yield* Effect.forEach(Array.from({ length: 300 }, (_, n) => n), send, { concurrency: 8, discard: true })
        expect(created).toBe(200)
        expect(server.requests().filter((line) => line.startsWith("POST"))).toHaveLength(200)
      }))
  }

  it.scopedLive("reports a request as maybe sent if its answer is not HTTP, and omits the bytes of the answer", () =>
    Effect.gen(function*() {
      const server = yield* rawServer((socket) => socket.end("220 mail.example.org private-stuff\r\n"))
      const transport = yield* open(`http://127.0.0.1:${server.port}`)
      const failure = yield* Effect.flip(transport.send(post))
      expect(failure).toMatchObject({ _tag: "MaybeSent", reason: "the answer is not HTTP" })
      expect(JSON.stringify(failure)).not.toContain("private-stuff")
    }))

  it("a request that undici starts to write a second time is stopped and reported as maybe sent", () => {
    const outcomes: Array<unknown> = []
    const exchange = new Exchange(1000, undefined, (outcome) => outcomes.push(Effect.runSync(Effect.flip(outcome))))
    const aborted: Array<string> = []
    const controller = (name: string): Dispatcher.DispatchController => ({
      aborted: false,
      paused: false,
      reason: null,
      abort: () => void aborted.push(name),
      pause: () => {},
      resume: () => {},
    })
    exchange.onRequestStart(controller("first"))
    exchange.onRequestStart(controller("second"))
    expect(aborted).toEqual(["second"])
    expect(outcomes).toHaveLength(1)
    expect(outcomes[0]).toBeInstanceOf(MaybeSent)
  })
})
