import { Clock, Duration, Effect, FiberHandle, Redacted } from "effect"
import { errors, Pool } from "undici"
import { connector } from "./connect.ts"
import { Exchange } from "./Exchange.ts"
import { Line } from "./Line.ts"
import { defaultMaxAnswer } from "./transport.ts"
import type { OpenTransport } from "./transport.ts"

/** Milliseconds a kept-alive connection may idle: below what servers allow (Node 5 s), or a request meets a closing connection and ends in doubt. */
const idle = 3_000
const longestIdle = 20_000
/** Bytes of an answer's headers at most: Node's own. */
const mostHeaders = 16 * 1024
/** Codes of connections that we closed, or that the service said it would close. */
const oursOrAnnounced: ReadonlySet<string> = new Set([
  "UND_ERR_INFO",
  "UND_ERR_ABORTED",
  "UND_ERR_DESTROYED",
  "UND_ERR_CLOSED",
])
/** Milliseconds by which a deadline may come early, so that requests that began together end together. */
const slack = 5

/**
 * Requests over real connections: HTTP/1.1, no pipelining, no redirects, TLS as the URL says.
 * Nothing below repeats a request: undici is told that none is idempotent, and an exchange refuses to begin twice.
 */
export const overHttp: OpenTransport = (target) =>
  Effect.gen(function*() {
    const url = new URL(target.baseUrl)
    const prefix = url.pathname.replace(/\/+$/, "")
    const timeout = Duration.toMillis(target.timeout)
    const maxAnswer = target.maxAnswer ?? defaultMaxAnswer
    const clock = yield* Effect.clock
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
            // Twice as wide as needed: a request given up while connecting holds its connection a little longer.
            connections: target.concurrency * 2,
            pipelining: keepAlive ? 1 : 0,
            maxHeaderSize: mostHeaders,
            allowH2: false,
            keepAliveTimeout: idle,
            keepAliveMaxTimeout: longestIdle,
            connect: connector(timeout),
            // The exchange's own deadline covers the whole request; these would only add coarser ones.
            headersTimeout: 0,
            bodyTimeout: 0,
          })
        ),
        (pool) => Effect.promise(() => pool.destroy()),
      )
    const pool = yield* openPool(true)
    // A create on a connection that the server is about to close may be lost: once one was closed without a word, each create has a connection of its own.
    const onePerRequest = yield* openPool(false)
    let closesUnannounced = false
    pool.on("disconnect", (_origin, _targets, error) => {
      closesUnannounced ||= !oursOrAnnounced.has(error.code)
    })

    // All exchanges have the same time, so the oldest is the first to run out of it: one alarm serves them all.
    const open = new Line<Exchange>()
    const run = yield* FiberHandle.makeRuntime<never>()
    let armed = false
    const sweep: Effect.Effect<void> = Effect.suspend(() => {
      const now = clock.unsafeCurrentTimeMillis()
      for (let oldest = open.first; oldest !== undefined; oldest = open.first) {
        if (oldest.deadline > now + slack) return Clock.sleep(oldest.deadline - now).pipe(Effect.andThen(sweep))
        oldest.expire(timeout)
        open.leave(oldest)
      }
      armed = false
      return Effect.void
    })

    return {
      send: (request) =>
        Effect.async((resume) => {
          const exchange = new Exchange(
            clock.unsafeCurrentTimeMillis() + timeout,
            maxAnswer,
            request.guard,
            (outcome) => {
              open.leave(exchange)
              resume(outcome)
            },
          )
          open.join(exchange)
          if (!armed) {
            armed = true
            run(sweep)
          }
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
