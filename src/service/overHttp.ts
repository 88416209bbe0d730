import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Socket } from "node:net"
import { Exchange } from "./Exchange.ts"
import { throughProxy } from "./proxy.ts"
import { defaultMaxAnswer, type OpenTransport } from "./transport.ts"
import { buildConnector, errors, Pool } from "./undici.ts"

/** The maximum number of milliseconds for a Node timer. A longer timer fires at once. */
const longestTimer = 2 ** 31 - 1
/**
 * How many milliseconds an idle connection is kept: less than servers keep it (Node: 5 s). Otherwise, a request
 * could be sent on a connection that is being closed, which would put its rows in doubt.
 */
const idle = 3_000
const longestIdle = 20_000
/** The maximum number of bytes in a response's headers: Node's own limit. */
const mostHeaders = 16 * 1024
/** Error codes of connections that we closed, or that the service said it would close. */
const oursOrAnnounced: ReadonlySet<string> = new Set([
  "UND_ERR_INFO",
  "UND_ERR_ABORTED",
  "UND_ERR_DESTROYED",
  "UND_ERR_CLOSED",
])

/**
 * Sends requests over real connections: HTTP/1.1, no pipelining, no redirects, TLS if the URL says so. Nothing below this function repeats a request:
 * undici treats no request as idempotent, and an exchange refuses to start twice.
 */
export const overHttp: OpenTransport = (target) =>
  Effect.gen(function*() {
    const url = new URL(target.baseUrl)
    const prefix = url.pathname.replace(/\/+$/, "")
    const timeout = Duration.toMillis(target.timeout)
    const maxAnswer = target.maxAnswer ?? defaultMaxAnswer
    const headers = [
      "authorization",
      `Bearer ${Redacted.value(target.apiKey)}`,
      "accept",
      "application/json",
      "user-agent",
      "formferry",
    ]
    const headersWithBody = [...headers, "content-type", "application/json"]

    const openPool = (keepAlive: boolean) =>
      Effect.acquireRelease(
        Effect.sync(() =>
          new Pool(url.origin, {
            // Twice as many as needed, because a request that is cancelled while connecting keeps its connection a little longer.
            connections: target.concurrency * 2,
            pipelining: keepAlive ? 1 : 0,
            maxHeaderSize: mostHeaders,
            allowH2: false,
            keepAliveTimeout: idle,
            keepAliveMaxTimeout: longestIdle,
            connect: connector(timeout),
            // The exchange's own deadline covers the whole request. undici's timeouts would only add less precise ones.
            headersTimeout: 0,
            bodyTimeout: 0,
          })
        ),
        (pool) => Effect.promise(() => pool.destroy()),
      )
    const pool = yield* openPool(true)
    // A create may be lost on a connection that the server is about to close. Once a connection was closed without notice, each create gets its own connection.
    const onePerRequest = yield* openPool(false)
    let closesUnannounced = false
    pool.on("disconnect", (_origin, _targets, error) => {
      closesUnannounced ||= !oursOrAnnounced.has(error.code)
    })

    return {
      send: (request) =>
        Effect.async((resume) => {
          const exchange = new Exchange(maxAnswer, request.guard, (outcome) => {
            clearTimeout(timer)
            resume(outcome)
          })
          const timer = setTimeout(() => exchange.expire(timeout), Math.min(timeout, longestTimer))
          const isCreate = request.body !== undefined
          const connections = isCreate && closesUnannounced ? onePerRequest : pool
          connections.dispatch(
            {
              method: request.method,
              path: prefix + request.path,
              headers: isCreate ? headersWithBody : headers,
              body: request.body ?? null,
              idempotent: false,
            },
            exchange,
          )
          return Effect.sync(() => exchange.giveUp("given up", new errors.RequestAbortedError()))
        }),
    }
  })

const interim = /^HTTP\/1\.[01] 100[ \r]/
const headEnd = "\r\n\r\n"
/** The maximum number of bytes in an interim response. */
const longestInterim = 4096

/** Whether a string is, or may become, the head of an interim response. */
const mayBeInterim = (text: string): boolean =>
  text.length < longestInterim
  && (interim.test(text) || "HTTP/1.1 100 ".startsWith(text) || "HTTP/1.0 100 ".startsWith(text))

/**
 * Makes connections for undici's pool that differ from undici's own in three ways. They may lead through a proxy. An error resets the connection:
 * otherwise the kernel would keep sending buffered data, perhaps minutes later. And `100 Continue` is not an error, because servers and proxies may send
 * it unasked.
 *
 * @param timeout the maximum number of milliseconds for connecting
 */
const connector = (timeout: number): buildConnector.connector => {
  const build = buildConnector({ timeout })
  const connect: buildConnector.connector = (options, callback) =>
    build(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      // Only a TCP socket can be reset.
      resetOnError(socket, options.httpSocket ?? socket)
      skipContinue(socket)
      callback(null, socket)
    })
  return throughProxy(connect, timeout)
}

const resetOnError = (socket: Socket, tcp: Socket): void => {
  let cause: Error | undefined
  socket.destroy = new Proxy(socket.destroy, {
    apply: (destroy, self: Socket, [error]: [Error?]): Socket => {
      if (error !== undefined && cause === undefined && !socket.destroyed && !tcp.destroyed) {
        cause = error
        // This calls `destroy` again, but without the error.
        tcp.resetAndDestroy()
        if (tcp === socket) return self
      }
      return Reflect.apply(destroy, self, [error ?? cause]) as Socket
    },
  })
}

const skipContinue = (socket: Socket): void => {
  // Whether the next byte begins a response, and the bytes of it that were read.
  let isStart = false
  let start: Buffer = Buffer.alloc(0)
  socket.write = new Proxy(socket.write, {
    apply: (write, self, args) => {
      isStart = true
      return Reflect.apply(write, self, args) as boolean
    },
  })
  const read = socket.read.bind(socket)
  socket.read = (size?: number): Buffer | null => {
    for (;;) {
      const chunk = read(size) as Buffer | null
      if (!isStart || chunk === null) return chunk
      start = start.length === 0 ? chunk : Buffer.concat([start, chunk])
      let text = start.toString("latin1", 0, longestInterim)
      for (let end = text.indexOf(headEnd); interim.test(text) && end >= 0; end = text.indexOf(headEnd)) {
        start = start.subarray(end + headEnd.length)
        text = start.toString("latin1", 0, longestInterim)
      }
      if (mayBeInterim(text)) continue
      const answer = start
      start = Buffer.alloc(0)
      isStart = false
      return answer
    }
  }
}
